"""The dual of one split at a given norm, and the bound that it gives.

Let S be the largest norm of a hyperplane and let m rows have to pass a split, row i on side s_i.
For dual variables beta with ``sum beta = 0`` and ``s_i beta_i >= 0`` let ``v = sum beta_i x_i`` and
``G = sum g_i(|beta_i|)``, where g has slope 1 up to the row's price of a violation (its pull) and
slope eps beyond. Every hyperplane with ``||w|| <= S`` and ``s_i f(x_i) >= eps`` pays

    sum_i pull_i max(0, 1 - s_i f(x_i)) >= sum_i (g_i(|beta_i|) - beta_i f(x_i)) >= G - S ||v||.

The first step holds row by row: up to the pull it is ``a (1 - s f) <= pull max(0, 1 - s f)``, and
beyond it ``(a - pull) (eps - s f) <= 0`` is added. The second is ``sum beta_i b = 0`` and
``w @ v <= S ||v||``.
"""

import math

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray
from margintree._lib.jit import bare_kernel, part

SOFT = 1e-5
"""Added to ``||v||`` in squares while a dual is improved, so that the step is smooth at v = 0."""
ROUNDING = 1e-12
"""Share of all terms by which a bound is lowered: sums of a thousand terms err by a tenth of it."""
FAR = 4.0
"""A step may gain this many times the price that closes a node, were the length of v to stay."""


@bare_kernel
def ascend(
    apart: FloatArray,
    members: IntArray,
    sides: FloatArray,
    m: int,
    pull: FloatArray,
    tails: FloatArray,
    norm: float,
    enough: float,
    duals: FloatArray,
    values: FloatArray,
    rise: FloatArray,
    fall: FloatArray,
    max_steps: int,
    tolerance: float,
) -> tuple[float, int]:
    """Raise ``G - S ||v||`` in place; return an intercept and the number of steps.

    A step moves the pair of dual variables that promises most, exactly to its best point or to the
    next kink.

    Parameters
    ----------
    apart : ndarray of shape (n, n)
        Squared distances of all rows.
    members, sides : ndarray of shape (n,)
        In the first m places the rows that pass the split and their sides.
    pull : ndarray of shape (n,)
        Prices of a violation.
    norm : float
        S.
    enough : float
        A bound that closes the node: what is gained beyond is not needed.
    duals, values : ndarray of shape (n,)
        beta, and ``v @ x_i`` of all rows up to a common constant, which the intercept makes up for.
    rise, fall : ndarray of shape (n,)
        Room for slopes.
    """
    n = len(duals)
    squared = SOFT * SOFT
    for k in range(m):
        squared += duals[members[k]] * values[members[k]]
        slopes(sides[k], pull[members[k]], tails[members[k]], duals[members[k]], rise, fall, k)
    squared = max(squared, SOFT * SOFT)
    for step in range(max_steps + 1):
        scale = norm / math.sqrt(squared)
        one, highest, lowest = steepest(members, m, values, rise, fall, scale)
        if step == max_steps or not highest - lowest > tolerance or one < 0:
            break
        other = partner(apart, members, m, values, fall, scale, one, highest)
        if other < 0:
            break
        i, j = members[one], members[other]
        slope = rise[one] - fall[other]
        along = values[i] - values[j]
        length = best_length(squared, apart[i, j], along, slope / norm)
        length = min(length, room(sides[one], pull[i], duals[i]))
        length = min(length, room(-sides[other], pull[j], -duals[j]))
        if slope > 0:
            length = min(length, FAR * enough / slope)
        if not length > 0:
            break
        duals[i] = snap(duals[i] + length, pull[i])
        duals[j] = snap(duals[j] - length, pull[j])
        slopes(sides[one], pull[i], tails[i], duals[i], rise, fall, one)
        slopes(sides[other], pull[j], tails[j], duals[j], rise, fall, other)
        squared = max(squared + 2 * length * along + length * length * apart[i, j], SOFT * SOFT)
        for k in range(n):
            values[k] += length / 2 * (apart[j, k] - apart[i, k])
    return (highest + lowest) / 2, step


@bare_kernel
def slopes(
    side: float,
    pull: float,
    tail: float,
    dual: float,
    rise: FloatArray,
    fall: FloatArray,
    k: int,
) -> None:
    """Write the slope of ``g`` when a dual variable rises and when it falls.

    Where it cannot rise the slope is -inf, where it cannot fall +inf.
    """
    size = side * dual
    outward = 1.0 if size < pull else tail
    inward = 1.0 if size <= pull else tail
    if side > 0:
        rise[k] = outward
        fall[k] = inward if size > 0 else np.inf
    else:
        rise[k] = -inward if size > 0 else -np.inf
        fall[k] = -outward


@part
def steepest(
    members: IntArray,
    m: int,
    values: FloatArray,
    rise: FloatArray,
    fall: FloatArray,
    scale: float,
) -> tuple[int, float, float]:
    """Return the place of the dual variable that should rise, its slope and the least slope."""
    one, highest, lowest = -1, -np.inf, np.inf
    for k in range(m):
        value = values[members[k]] * scale
        if rise[k] - value > highest:
            one, highest = k, rise[k] - value
        lowest = min(lowest, fall[k] - value)
    return one, highest, lowest


@part
def partner(
    apart: FloatArray,
    members: IntArray,
    m: int,
    values: FloatArray,
    fall: FloatArray,
    scale: float,
    one: int,
    highest: float,
) -> int:
    """Return the place of the row whose dual variable should fall while another rises."""
    i = members[one]
    best, promise = -1, 0.0
    for k in range(m):
        difference = highest - (fall[k] - values[members[k]] * scale)
        if difference > 0:
            curvature = max(apart[i, members[k]], 1e-9)
            if k != one and difference * difference > promise * curvature:
                best, promise = k, difference * difference / curvature
    return best


@part
def best_length(squared: float, apart: float, along: float, slope: float) -> float:
    """Return the t that maximises ``slope t - sqrt(squared + 2 along t + apart t^2)``."""
    if slope * slope >= apart:
        return np.inf
    rest = max(squared * apart - along * along, 0.0)
    return (slope * math.sqrt(rest / (apart - slope * slope)) - along) / apart


@bare_kernel
def room(side: float, pull: float, dual: float) -> float:
    """Return how far a dual variable may rise before its end or the kink at its pull."""
    if side > 0:
        return pull - dual if dual < pull else np.inf
    return -dual if -dual <= pull else -dual - pull


@bare_kernel
def snap(dual: float, pull: float) -> float:
    """Put a dual variable that rounding left beside a kink exactly there."""
    if abs(dual) <= 1e-14 * pull:
        return 0.0
    if abs(abs(dual) - pull) <= 1e-13 * pull:
        return pull if dual > 0 else -pull
    return dual


@bare_kernel
def measure(
    X: FloatArray,
    members: IntArray,
    m: int,
    pull: FloatArray,
    tails: FloatArray,
    reach: float,
    duals: FloatArray,
) -> tuple[float, float]:
    """Return G, safe against rounding, and ``||v||``, which is computed anew from the rows.

    Values that are updated step by step drift, and where v is nearly 0 their error would matter.
    ``reach`` is the largest norm looked at times the largest length of a row, so that neither
    ``|w @ x|`` nor, with rows on both sides, ``|b|`` is larger. G is lowered by a share of all
    terms that are added, and by what the sum of the dual variables, not exactly 0 in floating
    point, could cost.
    """
    gain = size = excess = squared = 0.0
    for k in range(m):
        i = members[k]
        magnitude = abs(duals[i])
        gain += min(magnitude, pull[i]) + tails[i] * max(magnitude - pull[i], 0.0)
        size += magnitude
        excess += duals[i]
    for j in range(X.shape[1]):
        total = 0.0
        for k in range(m):
            i = members[k]
            if duals[i] != 0.0:
                total += duals[i] * X[i, j]
        squared += total * total
    loss = ROUNDING * (gain + reach * size) + 2 * reach * abs(excess)
    return gain - loss, math.sqrt(squared)


@bare_kernel
def least_margin(gain: float, length: float, low: float, high: float, is_squared: bool) -> float:
    """Return the least of ``margin(S) + gain - S length`` for norms S from low to high."""
    if is_squared:
        norm = min(max(length, low), high)
        return gain + norm * norm / 2 - norm * length
    norm = low if length <= 0.5 else high
    return gain + norm / 2 - norm * length


@bare_kernel
def least_norm(length: float, low: float, high: float, is_squared: bool) -> float:
    """Return the norm at which `least_margin` is taken."""
    if is_squared:
        return min(max(length, low), high)
    return low if length <= 0.5 else high
