"""The hyperplanes of a leaf of the search at a given norm, to the end.

`ascend` needs few steps to a useful bound, but many to the best one: where a split keeps its rows
apart with a smaller norm, v tends to 0 and says nothing of the hyperplane. With a share lambda,

    min lambda/2 ||w||^2 + sum_i pull_i max(0, 1 - s_i f(x_i))  subject to  s_i f(x_i) >= eps

has a unique w = v / lambda for every lambda > 0, whose length falls as lambda grows. The lambda at
which it is S gives the best dual at the norm S; where w is shorter than S for all of them, the
smallest one gives a dual that is next to 0, which is then best.
"""

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray
from margintree._lib.jit import kernel, part
from margintree._lib.svm import repair_duals, smo
from margintree.exact.proofs.kernels.ascent import measure
from margintree.exact.proofs.kernels.state import (
    GAIN,
    INTERCEPT,
    LENGTH,
    MEMBERS,
    NORM,
    RIGHT,
    Desk,
    Frame,
    RowData,
    Stack,
)

LEAST_SHARE = 1e-8
"""The smallest lambda, as a share of the one whose margin term would reach the cutoff alone."""
MOST_SHARE = 1e4
"""The largest lambda, in the same unit. Where w is longer than S even there, S is too small to keep
the rows on their sides, or hardly large enough."""
SEARCHES = 60
"""Values of lambda that are tried for one norm."""
POWER = 1.5
"""How strongly lambda reacts to a length that is not the norm."""
FASTEST = 1e3
"""The largest factor by which lambda changes at once."""
STEPS, MANY_STEPS = 2_000, 20_000
"""Steps of a dual for one lambda, at first and for a leaf that is still open after some norms: only
where the sides of a split are hardly apart does it take so many."""
PATIENCE = 16
"""Norms after which a leaf gets many steps."""
SAME_LENGTH = 1e-7
"""Relative difference of the length of w from the norm that does not matter."""


@kernel
def settle_splits(
    rows: RowData,
    frame: Frame,
    stack: Stack,
    desk: Desk,
    level: int,
    cutoff: float,
    tolerance: float,
    round_: int,
) -> tuple[int, float]:
    """Solve all splits at the level's norm and write their values; return steps and largest norm.

    Parameters
    ----------
    tolerance : float
        Of the values of rows; rows at the routing margin are kept that much inside of it.
    round_ : int
        How many norms have been tried before.
    """
    total, largest = 0, 0.0
    norm = stack.levels[level, NORM]
    reach = frame.grid[-1] * rows.radius
    steps = STEPS if round_ < PATIENCE else MANY_STEPS
    for node in range(1, len(frame.is_split) // 2):
        if not frame.is_split[node]:
            continue
        s = frame.slots[node]
        m, n_right = stack.passing[level, s, MEMBERS], stack.passing[level, s, RIGHT]
        if not 0 < n_right < m:
            desk.f[node] = 0.0 if m == 0 else (1.0 if n_right > 0 else -1.0)
            continue
        duals, members = stack.duals[level, s], stack.members[s]
        intercept, length = settle_split(
            rows, stack, desk, level, s, norm, cutoff, reach, tolerance, steps
        )
        gain, _ = measure(rows.X, members, m, rows.pull, rows.tails, reach, duals)
        stack.planes[level, s, GAIN], stack.planes[level, s, LENGTH] = gain, length / desk.scales[s]
        stack.planes[level, s, INTERCEPT] = intercept
        largest = max(largest, length)
        write_split(rows, stack, desk, level, s, node)
        total += m
    return total, largest


@part
def settle_split(
    rows: RowData,
    stack: Stack,
    desk: Desk,
    level: int,
    s: int,
    norm: float,
    cutoff: float,
    reach: float,
    tolerance: float,
    steps: int,
) -> tuple[float, float]:
    """Find the lambda at which the length of w is a norm; return intercept and length.

    The duals of the level and ``desk.lambdas`` are left as they are there; lambda is 0 where w
    stays too long, so that the next search begins anew.
    """
    m = stack.passing[level, s, MEMBERS]
    members = stack.members[s, :m]
    sides = stack.sides[s, :m]
    gram = block(rows.gram, members)
    own, eps = stack.duals[level, s], rows.eps + tolerance
    pull, duals = rows.pull[members], own[members]
    no_box = np.full(m, np.inf)
    unit = cutoff / norm**2
    least = LEAST_SHARE * unit
    low, high = least, MOST_SHARE * unit
    following = min(max(desk.lambdas[s], low), high) if desk.lambdas[s] > 0 else unit
    if desk.lambdas[s] <= 0:
        duals[:] = 0.0
    share = intercept = length = 0.0
    power, was_long = POWER, False
    for search in range(SEARCHES):
        share = following
        repair_duals(duals, sides, no_box)
        _, intercept = smo(gram, sides, pull, eps, np.inf, share, duals, steps, tolerance)
        for k in range(m):
            own[members[k]] = duals[k]
        gain, far = measure(rows.X, stack.members[s], m, rows.pull, rows.tails, reach, own)
        length = far / share
        if abs(length - norm) <= SAME_LENGTH * norm or gain - norm * far >= cutoff:
            break
        if length > norm:
            low = share
        else:
            high = share
        if high <= low * (1 + 1e-12) or (length < norm and share <= least):
            break
        # The length can be the same for a wide range of shares: the longer on one side, the faster.
        power = POWER * power if search > 0 and was_long == (length > norm) else POWER
        was_long = length > norm
        following = max(next_share(share, length / norm, power, low, high), least)
    desk.lambdas[s] = share if length <= norm * (1 + 2 * SAME_LENGTH) else 0.0
    desk.scales[s] = 1 / share
    return intercept, length


@part
def block(gram: FloatArray, members: IntArray) -> FloatArray:
    """Return the inner products of rows in any order."""
    m = len(members)
    found = np.empty((m, m))
    for k in range(m):
        for o in range(m):
            found[k, o] = gram[members[k], members[o]]
    return found


@part
def next_share(share: float, ratio: float, power: float, low: float, high: float) -> float:
    """Return the next lambda to try, for a w that is so many times as long as it should be."""
    following = share * min(max(ratio**power, 1 / FASTEST), FASTEST)
    return following if low < following < high else float(np.sqrt(low * high))


@part
def write_split(rows: RowData, stack: Stack, desk: Desk, level: int, s: int, node: int) -> None:
    """Write ``v @ x`` and the values of a split at all rows, from its duals."""
    n, p = rows.X.shape
    direction = np.zeros(p)
    for i in range(n):
        if stack.duals[level, s, i] != 0.0:
            for j in range(p):
                direction[j] += stack.duals[level, s, i] * rows.X[i, j]
    for i in range(n):
        value = 0.0
        for j in range(p):
            value += direction[j] * rows.X[i, j]
        stack.values[level, s, i] = value
        desk.f[node, i] = value * desk.scales[s] + stack.planes[level, s, INTERCEPT]
