"""The least norm of a hyperplane that keeps the rows of a split on their sides.

Both sides keep ``|f| >= eps``, so the values at any point of the hull of one side and any point of
the hull of the other differ by at least ``2 eps``, while they differ by at most S times the
distance of the points. The closest points give the largest norm that is needed, any others a
smaller one: so a search for them may stop at any time.
"""

import math

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray
from margintree._lib.jit import kernel, part

STEPS = 500
"""Steps towards the closest points of the two hulls."""
SAFE = 1e-9
"""Share by which the norm is lowered, for rounding."""
SAME = 1e-13
"""Squared distance below which rounding decides: hulls that close are not told apart."""


@kernel
def least_norm_of_sides(
    gram: FloatArray,
    members: IntArray,
    sides: FloatArray,
    m: int,
    eps: float,
    most: float,
    weights: FloatArray,
) -> float:
    """Return a norm that every hyperplane with these sides has at least, infinity for none.

    The closest points of the hulls are found by moving weight from the farthest row of a side to
    its nearest (Mitchell, Demyanov and Malozemov). It stops once hyperplanes of the norm ``most``
    are known to be too small, or one is known that is not.

    Parameters
    ----------
    weights : ndarray of shape (n,)
        Where to begin; if the weights of the members on either side do not add up to one, a pair
        of rows is taken. Improved in place.
    """
    products = np.zeros(m)
    begin_at(gram, members, sides, m, weights)
    for k in range(m):
        for o in range(m):
            weight = weights[members[o]] * sides[o]
            products[k] += weight * gram[members[o], members[k]]
    squared = 0.0
    for _ in range(STEPS):
        squared, right_near, right_far, left_near, left_far = ends(
            members, sides, m, weights, products
        )
        if squared <= SAME:
            break
        length = math.sqrt(squared)
        if 2 * eps > most * length or products[right_near] - products[left_near] >= (
            2 * eps / most * length
        ):
            break
        right_gap = products[right_far] - products[right_near]
        left_gap = products[left_near] - products[left_far]
        to, away, side = right_near, right_far, 1.0
        if left_gap > right_gap:
            to, away, side = left_near, left_far, -1.0
        i, j = members[to], members[away]
        apart = gram[i, i] + gram[j, j] - 2 * gram[i, j]
        if apart <= SAME:
            break
        step = min(weights[j], max(right_gap, left_gap) / apart)
        if not step > 0:
            break
        weights[i] += step
        weights[j] -= step
        for k in range(m):
            products[k] += side * step * (gram[i, members[k]] - gram[j, members[k]])
    # Where rounding decides, hulls count as a little apart, which is safe.
    return 2 * eps / math.sqrt(max(squared, SAME)) * (1 - SAFE)


@part
def ends(
    members: IntArray, sides: FloatArray, m: int, weights: FloatArray, products: FloatArray
) -> tuple[float, int, int, int, int]:
    """Return the squared distance of the points, and the nearest and farthest row of each side.

    Farthest is meant among rows that have weight.
    """
    squared = 0.0
    right_near, right_far, left_near, left_far = -1, -1, -1, -1
    for k in range(m):
        weight = weights[members[k]]
        squared += weight * sides[k] * products[k]
        if sides[k] > 0:
            if right_near < 0 or products[k] < products[right_near]:
                right_near = k
            if weight > 0 and (right_far < 0 or products[k] > products[right_far]):
                right_far = k
        else:
            if left_near < 0 or products[k] > products[left_near]:
                left_near = k
            if weight > 0 and (left_far < 0 or products[k] < products[left_far]):
                left_far = k
    return squared, right_near, right_far, left_near, left_far


@part
def begin_at(
    gram: FloatArray, members: IntArray, sides: FloatArray, m: int, weights: FloatArray
) -> None:
    """Make the weights of the members on either side add up to one, and those of others 0."""
    right = left = 0.0
    for k in range(m):
        if sides[k] > 0:
            right += weights[members[k]]
        else:
            left += weights[members[k]]
    kept = np.zeros(m)
    if right > 0.5 and left > 0.5:
        for k in range(m):
            kept[k] = weights[members[k]] / (right if sides[k] > 0 else left)
    else:
        best, one, other = np.inf, -1, -1
        for k in range(m):
            for o in range(m):
                if sides[k] > 0 and sides[o] < 0:
                    i, j = members[k], members[o]
                    apart = gram[i, i] + gram[j, j] - 2 * gram[i, j]
                    if apart < best:
                        best, one, other = apart, k, o
        kept[one] = kept[other] = 1.0
    weights[:] = 0.0
    for k in range(m):
        weights[members[k]] = kept[k]
