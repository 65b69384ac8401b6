"""The split of a margin problem: a direction from dual variables, and its best intercept."""

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray
from margintree._lib.jit import kernel, part
from margintree._lib.svm import inner_products, repair_duals, smo, solve_by_rows
from margintree.search.margin.kernels.features import (
    FEWEST_STEPS,
    LONG,
    LONG_SHARE,
    NO_NORM,
    PASSES,
    ROUGH,
    sparse_split,
)
from margintree.search.margin.kernels.line_search import best_intercept
from margintree.search.margin.kernels.polish import NO_DIRECTION, set_hyperplane
from margintree.search.margin.kernels.working_tree import KernelData, WorkingTree, gather

TOO_SHORT, TOO_LONG = 0.7, 1.5
"""A margin problem is solved again if the ratio of its norm to the common one is not in between."""
_CANCELLED = 1e-5
"""The terms of a sum nearly cancel if less than this share of the squared sizes is left."""


@kernel
def margin_split(
    data: KernelData,
    tree: WorkingTree,
    node: int,
    rows: IntArray,
    sides: FloatArray,
    left_costs: FloatArray,
    right_costs: FloatArray,
    emphasis: float,
    limit: float,
    luck: float,
) -> float:
    """Put the split of a margin problem into a node if it costs less than ``limit``.

    Every row pulls towards its side with its margin price plus ``emphasis`` times the extra cost of
    the other side. Rows with side 0 are left out. Returns the cost of the rows and of the features
    of the split; infinity for no change. ``luck`` matters if features are counted.
    """
    m = len(rows)
    box, beta = np.empty(m), np.empty(m)
    for k in range(m):
        strength = data.pull[rows[k]] + emphasis * abs(left_costs[k] - right_costs[k])
        box[k] = strength if sides[k] != 0 else 0.0
        beta[k] = tree.duals[node, rows[k]] if sides[k] != 0 else 0.0
    repair_duals(beta, sides, box)
    if data.is_sparse:
        return sparse_split(
            data, tree, node, rows, sides, left_costs, right_costs, box, beta, limit, luck
        )
    return dense_split(data, tree, node, rows, sides, left_costs, right_costs, box, beta, limit)


@part
def dense_split(
    data: KernelData,
    tree: WorkingTree,
    node: int,
    rows: IntArray,
    sides: FloatArray,
    left_costs: FloatArray,
    right_costs: FloatArray,
    box: FloatArray,
    beta: FloatArray,
    limit: float,
) -> float:
    """Put the split of a margin problem into a node, with any features; see `margin_split`."""
    m, pull, mass = len(rows), gather(data.pull, rows), gather(data.mass, rows)
    by_pairs = m <= max(LONG, LONG_SHARE * data.X.shape[1])
    gram = inner_products(data.gram, rows) if by_pairs else data.gram
    regular = tree.shares[node]
    projections, norm = np.empty(0), 0.0
    for _ in range(2):
        if by_pairs:
            steps = m + FEWEST_STEPS
            projections, _ = smo(gram, sides, box, -np.inf, np.inf, regular, beta, steps, ROUGH)
        else:
            solve_by_rows(data.X, rows, sides, box, regular, beta, PASSES)
            repair_duals(beta, sides, box)
            projections = np.zeros(m)
        norm = norm_of_duals(data, rows, beta, regular, projections)
        if norm <= NO_NORM or norm * regular <= NO_DIRECTION:
            return np.inf
        if TOO_SHORT < norm / tree.scale[0] < TOO_LONG:
            break
        regular *= norm / tree.scale[0]
    for k in range(m):
        projections[k] *= tree.scale[0] / norm
    intercept, cost = best_intercept(
        projections, left_costs, right_costs, pull, mass, data.eps, data.least_mass
    )
    if cost >= limit:
        return np.inf
    set_hyperplane(data, tree, node, rows, beta, intercept, tree.scale[0])
    tree.intercepts[node] = intercept
    return cost


@part
def norm_of_duals(
    data: KernelData, rows: IntArray, beta: FloatArray, regular: float, projections: FloatArray
) -> float:
    """Return the norm of the hyperplane of dual variables, given the values ``w @ x`` of its rows.

    If the values are 0 or the dual variables nearly cancel, the values are computed again.
    """
    squared, total = 0.0, 0.0
    for k in range(len(rows)):
        squared += beta[k] * projections[k]
        total += abs(beta[k])
    if squared * regular >= _CANCELLED * total * total:
        return np.sqrt(squared / regular)
    normal = np.zeros(data.X.shape[1])
    for k in range(len(rows)):
        for j in range(len(normal)):
            normal[j] += beta[k] / regular * data.X[rows[k], j]
    for k in range(len(rows)):
        projections[k] = 0.0
        for j in range(len(normal)):
            projections[k] += normal[j] * data.X[rows[k], j]
    squared = 0.0
    for j in range(len(normal)):
        squared += normal[j] * normal[j]
    return np.sqrt(squared)


@kernel
def preferred_sides(
    left_costs: FloatArray, right_costs: FloatArray, values: FloatArray, sides: FloatArray
) -> bool:
    """Write the cheaper side of each row, its own in a tie; tell whether both sides are wanted."""
    n_right = n_left = 0
    for k in range(len(sides)):
        difference = left_costs[k] - right_costs[k]
        if difference == 0:
            difference = values[k]
        sides[k] = 1.0 if difference > 0 else (-1.0 if difference < 0 else 0.0)
        n_right += sides[k] > 0
        n_left += sides[k] < 0
    return n_right > 0 and n_left > 0
