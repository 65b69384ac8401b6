"""The linear support vector machine with a free intercept, by an interior-point method.

It takes ten to twenty steps whatever violations cost, and the time of a step is proportional to the
rows and the squared features. Its dual variables prove a lower bound.
"""

import numpy as np

from margintree._lib.arrays import FloatArray
from margintree._lib.jit import kernel

MAX_STEPS = 100
"""Maximum number of steps; a solve usually takes ten to twenty."""
SHORT_OF_BOUNDS = 0.995
"""Share of the longest possible step that is taken, so that all variables stay positive."""
TINY = 1e-300
"""Least pivot of a factorisation, where rounding would leave 0."""


@kernel
def solve_svm(
    X: FloatArray, sides: FloatArray, box: FloatArray, tolerance: float
) -> tuple[FloatArray, float, float]:
    """Minimise ``||w||^2 / 2 + sum_i box_i * max(0, 1 - s_i (w @ x_i + b))``.

    Returns the hyperplane (``w``, then ``b``), its cost, and a lower bound on the cost of any
    hyperplane. The cost exceeds the bound by at most the share ``tolerance``. Both sides need rows,
    ``box`` must be positive, and the rows should be centred. The method is Mehrotra's predictor and
    corrector. A row has three positive variables: its dual variable, the amount by which it clears
    the margin, and the amount by which it violates it.
    """
    m, p = X.shape
    duals, clears, violates = balanced_duals(sides, box), np.ones(m), np.full(m, 2.0)
    plane, best = np.zeros(p + 1), np.zeros(p + 1)
    cost, bound = np.inf, 0.0
    for _ in range(MAX_STEPS):
        normal = weighted_sum(X, sides * duals)
        values = sides * values_of(X, plane)
        here = squared_norm(plane[:p]) / 2 + (box * np.maximum(0.0, 1 - values)).sum()
        if here < cost:
            cost, best = here, plane.copy()
        bound = max(bound, duals.sum() - squared_norm(normal[:p]) / 2)
        if not cost - bound > tolerance * cost:
            break
        residual = values - 1 + violates - clears
        normal[:p] -= plane[:p]
        length, change, moves = newton_step(
            X, sides, box, duals, clears, violates, residual, normal
        )
        plane += length * change
        duals += length * moves[0]
        clears += length * moves[1]
        violates += length * moves[2]
    return best, cost, min(bound, cost)


@kernel
def newton_step(
    X: FloatArray,
    sides: FloatArray,
    box: FloatArray,
    duals: FloatArray,
    clears: FloatArray,
    violates: FloatArray,
    residual: FloatArray,
    normal: FloatArray,
) -> tuple[float, FloatArray, FloatArray]:
    """Return the length of a step, the change of the hyperplane, and that of the rows' variables.

    The first of two rounds aims at the optimum, the second at a point nearer the middle and
    corrects for the curvature that the first one met.
    """
    below = box - duals
    pull = 1 / (clears / duals + violates / below)
    factor = factored(normal_matrix(X, pull))
    products = (duals * clears).sum() + (below * violates).sum()
    target, length, moves = 0.0, 0.0, np.zeros((3, len(box)))
    change = normal
    for _ in range(2):
        to_clear = target - duals * clears - moves[0] * moves[1]
        to_violate = target - below * violates + moves[0] * moves[2]
        pushes = to_clear / duals - to_violate / below - residual
        change = solved(factor, normal + weighted_sum(X, sides * pull * pushes))
        moves[0] = pull * (pushes - sides * values_of(X, change))
        moves[1] = (to_clear - clears * moves[0]) / duals
        moves[2] = (to_violate + violates * moves[0]) / below
        length = min(longest(duals, moves[0]), longest(below, -moves[0]))
        length = min(length, longest(clears, moves[1]), longest(violates, moves[2]))
        left = ((duals + length * moves[0]) * (clears + length * moves[1])).sum()
        left += ((below - length * moves[0]) * (violates + length * moves[2])).sum()
        target = products / (2 * len(box)) * (left / products) ** 3
    return length * (SHORT_OF_BOUNDS if length < 1 else 1.0), change, moves


@kernel
def balanced_duals(sides: FloatArray, box: FloatArray) -> FloatArray:
    """Return dual variables in the middle of their boxes, the larger side scaled to the smaller."""
    on_right = (box * (sides > 0)).sum()
    on_left = box.sum() - on_right
    smaller = min(on_left, on_right)
    return box * np.where(sides > 0, smaller / on_right, smaller / on_left) / 2


@kernel
def values_of(X: FloatArray, plane: FloatArray) -> FloatArray:
    """Return ``w @ x_i + b`` of every row."""
    m, p = X.shape
    values = np.full(m, plane[p])
    for i in range(m):
        for j in range(p):
            values[i] += plane[j] * X[i, j]
    return values


@kernel
def weighted_sum(X: FloatArray, factors: FloatArray) -> FloatArray:
    """Return the sum of the rows, each with a last entry of 1, times their factors."""
    m, p = X.shape
    total = np.zeros(p + 1)
    for i in range(m):
        for j in range(p):
            total[j] += factors[i] * X[i, j]
        total[p] += factors[i]
    return total


@kernel
def squared_norm(vector: FloatArray) -> float:
    """Return the squared Euclidean norm."""
    return (vector * vector).sum()


@kernel
def normal_matrix(X: FloatArray, pull: FloatArray) -> FloatArray:
    """Return the lower half of the matrix of a step: the pulls of all rows, and of ``||w||^2``."""
    m, p = X.shape
    matrix = np.zeros((p + 1, p + 1))
    for i in range(m):
        for j in range(p):
            entry = pull[i] * X[i, j]
            for k in range(j + 1):
                matrix[j, k] += entry * X[i, k]
            matrix[p, j] += entry
        matrix[p, p] += pull[i]
    for j in range(p):
        matrix[j, j] += 1.0
    return matrix


@kernel
def factored(matrix: FloatArray) -> FloatArray:
    """Return the Cholesky factor of a matrix, computed in its lower half."""
    for j in range(len(matrix)):
        for k in range(j + 1):
            entry = matrix[j, k]
            for before in range(k):
                entry -= matrix[j, before] * matrix[k, before]
            matrix[j, k] = entry / matrix[k, k] if k < j else np.sqrt(max(entry, TINY))
    return matrix


@kernel
def solved(factor: FloatArray, right: FloatArray) -> FloatArray:
    """Return the solution of the equations with this Cholesky factor and this right-hand side."""
    n, x = len(factor), right.copy()
    for j in range(n):
        for k in range(j):
            x[j] -= factor[j, k] * x[k]
        x[j] /= factor[j, j]
    for j in range(n - 1, -1, -1):
        for k in range(j + 1, n):
            x[j] -= factor[k, j] * x[k]
        x[j] /= factor[j, j]
    return x


@kernel
def longest(places: FloatArray, moves: FloatArray) -> float:
    """Return the largest share of a move, at most 1, that keeps all places positive."""
    share = 1.0
    for i in range(len(places)):
        if places[i] + share * moves[i] < 0:
            share = -places[i] / moves[i]
    return share
