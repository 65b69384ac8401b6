"""Kernels that bound what divisions pay for their margins, as a function of the common norm."""

import numpy as np

from margintree._lib.arrays import BoolArray, FloatArray
from margintree._lib.jit import kernel, part
from margintree.exact.budgets.divisions import Divisions, PricedRows, has
from margintree.exact.budgets.turning_lines import Planes
from margintree.exact.proofs.kernels.ascent import ascend, least_margin, measure
from margintree.exact.proofs.kernels.hulls import least_norm_of_sides

FIRST_STEPS = 4
"""Steps of a dual before its bound is looked at for the first time; then twice as many."""
MAX_STEPS = 10_000
"""Steps of a dual, at most."""
ENOUGH = 10.0
"""A dual may exceed what closes its node by this factor; where it has no end it must stop."""
SAME_LENGTH = 1e-9
"""Longer dual variables are taken if they gain more than this."""
TINY = 1e-9
"""Share of the largest dual variable below which another one counts as 0."""
ROUNDS, MOST_STEPS = 10, 64
"""Norms at which `free_bound` raises a dual, by bisection, and the most steps at each of them."""
LONGEST_ROW = 2.0**0.5
"""Features lie between 0 and 1, so this is the largest length of a row in a plane."""


@kernel
def bound_line(
    places: FloatArray,
    rows: PricedRows,
    is_member: BoolArray,
    right: np.ndarray,
    low: float,
    high: float,
    at_low: float,
    at_high: float,
    tolerance: float,
) -> tuple[float, float, FloatArray]:
    """Return G and ``||v||`` of the dual of a division, and v.

    Every hyperplane in the plane with a norm of at most S pays at least ``G - S ||v||`` for the
    margins of this division. The dual is raised for the highest norm until the line reaches both
    given values, at the lowest and at the highest norm. G is infinite if the sides are too close.
    """
    m, norm = is_member.sum(), high
    points, members, sides = np.empty((m, 2)), np.arange(m), np.empty(m)
    pull, tails = np.empty(m), np.empty(m)
    gather(places, rows, is_member, right, points, sides, pull, tails)
    gram = points @ points.T
    apart = squared_distances(gram)
    enough, reach = ENOUGH * max(at_low, at_high, norm), norm * LONGEST_ROW
    duals, values, rise, fall = np.zeros(m), np.zeros(m), np.empty(m), np.empty(m)
    steps, done, reaches = FIRST_STEPS, 0, False
    while True:
        _, taken = ascend(
            apart, members, sides, m, pull, tails, norm, enough,
            duals, values, rise, fall, steps, tolerance,
        )  # fmt: skip
        done += taken
        gain, length = measure(points, members, m, pull, tails, reach, duals)
        longer = duals * best_factor(pull, tails, norm * length, enough, duals)
        more, further = measure(points, members, m, pull, tails, reach, longer)
        is_longer = more - norm * further > gain - norm * length + SAME_LENGTH
        if is_longer:
            duals, gain, length = longer, more, further
            values = points @ (duals @ points)
        reaches = gain - low * length >= at_low and gain - high * length >= at_high
        has_converged = taken < steps and not is_longer
        if reaches or has_converged or done >= MAX_STEPS:
            break
        steps *= 2
    normal = duals @ points
    if reaches:
        return gain, length, normal
    weights = np.zeros(m)
    if least_norm_of_sides(gram, members, sides, m, tails[0], high, weights) > high:
        return np.inf, length, normal
    return gain, length, normal


@kernel
def free_bound(
    places: FloatArray,
    rows: PricedRows,
    is_member: BoolArray,
    right: np.ndarray,
    high: float,
    enough: float,
    tolerance: float,
) -> float:
    """Return a bound on margin term and violations of a division, at any norm to ``high``."""
    m = is_member.sum()
    points, members, sides = np.empty((m, 2)), np.arange(m), np.empty(m)
    pull, tails = np.empty(m), np.empty(m)
    gather(places, rows, is_member, right, points, sides, pull, tails)
    apart = squared_distances(points @ points.T)
    duals, values, rise, fall = np.zeros(m), np.zeros(m), np.empty(m), np.empty(m)
    low, top, best, steps = 0.0, high, 0.0, FIRST_STEPS
    for _ in range(ROUNDS):
        norm = (low + top) / 2
        ascend(
            apart, members, sides, m, pull, tails, norm, ENOUGH * enough,
            duals, values, rise, fall, steps, tolerance,
        )  # fmt: skip
        gain, length = measure(points, members, m, pull, tails, high * LONGEST_ROW, duals)
        best = max(best, least_margin(gain, length, 0.0, high, rows.is_squared))
        if best >= enough:
            break
        if length > (norm if rows.is_squared else 0.5):
            low = norm
        else:
            top = norm
        steps = min(2 * steps, MOST_STEPS)
    return best


@kernel
def best_factor(
    pull: FloatArray, tails: FloatArray, loss: float, enough: float, duals: FloatArray
) -> float:
    """Return the factor on the dual variables, at least 1, for which ``G - S ||v||`` is largest.

    Where v is nearly 0, steps of two variables would take long over this. G is concave in the
    factor, with a kink where a variable reaches its pull; ``loss`` is ``S ||v||``.
    """
    most, rate = np.abs(duals).max(), -loss
    if most == 0.0:
        return 1.0
    for k in range(len(duals)):
        rate += tails[k] * abs(duals[k])
    factor = np.inf
    if rate < 0.0:
        for k in np.argsort(-pull / np.maximum(np.abs(duals), TINY * most)):
            factor = pull[k] / max(abs(duals[k]), TINY * most)
            rate += (1.0 - tails[k]) * abs(duals[k])
            if rate >= 0.0:
                break
    return float(max(1.0, min(factor, enough / most)))


@part
def squared_distances(gram: FloatArray) -> FloatArray:
    """Return the squared distances of points from their inner products."""
    squares = np.diag(gram)
    return np.maximum(squares.reshape(-1, 1) + squares - 2 * gram, 0.0)


@part
def gather(
    places: FloatArray,
    rows: PricedRows,
    is_member: BoolArray,
    right: np.ndarray,
    points: FloatArray,
    sides: FloatArray,
    pull: FloatArray,
    tails: FloatArray,
) -> None:
    """Copy what a dual needs of the members."""
    k = 0
    for row in range(len(is_member)):
        if is_member[row]:
            points[k], sides[k] = places[row], 1.0 if has(right, row) else -1.0
            pull[k], tails[k] = rows.pull[row], rows.tails[row]
            k += 1


@kernel
def envelope(
    planes: Planes,
    rows: PricedRows,
    is_member: BoolArray,
    listed: Divisions,
    first: int,
    end: int,
    low: float,
    high: float,
    at_low: float,
    at_high: float,
    tolerance: float,
) -> tuple[float, float, int]:
    """Return the least that listed divisions pay at two norms, and the one that is least between.

    The least of several lines lies above the straight line between its ends, so the two values
    bound what any of the divisions pays, its errors included, at every norm from low to high.
    Divisions that pay no less than ``at_low`` and ``at_high``, which are known, are not looked at
    closely. The list is sorted by what is paid without margins. If none is better, -1 is returned.
    """
    best, least = -1, (at_low + at_high) / 2
    for at in range(first, end):
        paid = listed.paid[at]
        if paid >= at_low and paid >= at_high:
            break
        gain, length, _ = bound_line(
            planes.places[listed.planes[at]], rows, is_member, listed.sets[at],
            low, high, at_low - paid, at_high - paid, tolerance,
        )  # fmt: skip
        at_low = min(at_low, paid + gain - low * length)
        at_high = min(at_high, paid + gain - high * length)
        middle = paid + gain - (low + high) / 2 * length
        if middle < least:
            best, least = at, middle
    return at_low, at_high, best
