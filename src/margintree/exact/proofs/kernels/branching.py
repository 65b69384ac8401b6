"""Which row to decide next, and which of its ways on are still open."""

import math

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray
from margintree._lib.jit import bare_kernel, part
from margintree.exact.proofs.kernels.ascent import SOFT, ascend, least_margin, measure
from margintree.exact.proofs.kernels.frame import price_pairs
from margintree.exact.proofs.kernels.leaning import mark_busy, try_way_widely
from margintree.exact.proofs.kernels.state import (
    FIRST,
    GAIN,
    INTERCEPT,
    IS_WIDE,
    LAST,
    LENGTH,
    LOW,
    MEMBERS,
    NEXT,
    NORM,
    PAID,
    RIGHT,
    ROW,
    SHARE,
    WAYS,
    WIDE_NORM,
    Desk,
    Frame,
    RowData,
    Stack,
    copy,
)

PROBES = 8
"""Rows whose ways on are tried before one of the rows is chosen."""
PROBE_STEPS = 4
"""Steps of each dual when a way on is tried."""
PROBE_TOLERANCE = 1e-3
"""Of the slopes of a dual when a way on is tried."""
SECOND_SHARE = 0.1
"""How much a row's second cheapest way counts beside its cheapest when rows are ranked."""
SECOND_MOST = 10.0
"""The second cheapest way counts at most as this many times the cheapest."""
LEAST_GAIN = 1e-6
"""Share of the cutoff added to gains, so that a row with one way of no gain still differs."""
TIED = 1 - 1e-6
"""A row whose value is below this share of the routing margin has no side. The judge asks for 0.99,
but trees that make use of that would cost less than the optimum that is proved."""


@bare_kernel
def write_values(rows: RowData, frame: Frame, stack: Stack, desk: Desk, level: int) -> None:
    """Write the value of every split at every row, for hyperplanes with the level's norm.

    A split that must pass rows on one side only sends all rows there.
    """
    n = len(rows.y)
    is_wide = stack.levels[level, IS_WIDE] > 0
    norm = stack.levels[level, WIDE_NORM if is_wide else NORM]
    values = stack.wide_values[level] if is_wide else stack.values[level]
    planes = stack.wide_planes[level] if is_wide else stack.planes[level]
    sizes = desk.crew_sizes if is_wide else stack.passing[level]
    for node in range(1, len(frame.is_split) // 2):
        if not frame.is_split[node]:
            continue
        s = frame.slots[node]
        if 0 < sizes[s, RIGHT] < sizes[s, MEMBERS]:
            scale = norm / math.sqrt(planes[s, LENGTH] ** 2 + SOFT * SOFT)
            desk.scales[s] = scale
            for i in range(n):
                desk.f[node, i] = values[s, i] * scale + planes[s, INTERCEPT]
        else:
            side = 0.0
            if sizes[s, MEMBERS] > 0:
                side = 1.0 if sizes[s, RIGHT] > 0 else -1.0
            for i in range(n):
                desk.f[node, i] = side


@bare_kernel
def tree_price(rows: RowData, frame: Frame, desk: Desk, norm: float) -> float:
    """Return what the present hyperplanes cost as a tree, or infinity if it is not allowed.

    Every leaf names the class that is cheapest for its rows. A bag counts as a leaf. Every row
    needs a side, and every leaf its least weight.
    """
    total = norm * norm / 2 if rows.is_squared else norm / 2
    desk.leaf_prices[:] = 0.0
    desk.leaf_masses[:] = 0.0
    for i in range(len(rows.y)):
        node = 1
        while frame.is_split[node]:
            value = desk.f[node, i]
            if abs(value) < TIED * rows.eps:
                return np.inf
            if abs(value) < 1:
                total += rows.pull[i] * (1 - abs(value))
            node = 2 * node + (value > 0)
        desk.leaf_masses[node] += rows.masses[i]
        for k in range(rows.prices.shape[1]):
            desk.leaf_prices[node, k] += rows.prices[i, k]
    for node in range(1, len(frame.is_split)):
        if frame.is_split[node]:
            total += rows.split_price
        elif frame.classes[node] != 0:
            if desk.leaf_masses[node] < rows.least_mass:
                return np.inf
            least = np.inf
            for price in desk.leaf_prices[node]:
                least = min(least, price)
            total += least
    return float(total)


@bare_kernel
def score_rows(
    rows: RowData, frame: Frame, stack: Stack, desk: Desk, level: int, dear: float
) -> int:
    """Rank the undecided rows by what their cheapest ways on would add at present; return the best.

    A row that would add no more than ``dear`` scores 0, if its sides allow it. Returns -1 where no
    row scores.
    """
    best, highest = -1, 0.0
    for i in range(len(rows.y)):
        desk.scores[i] = 0.0
        node = stack.places[level, i]
        if not frame.is_split[node]:
            continue
        price_below(rows, frame, desk, i)
        least, second = np.inf, np.inf
        for o in range(frame.n_options[node, rows.y[i]]):
            price = way_price(rows, frame, desk, i, node, frame.options[node, rows.y[i], o])
            if price < least:
                least, second = price, least
            elif price < second:
                second = price
        if least > dear:
            desk.scores[i] = least + SECOND_SHARE * min(second, SECOND_MOST * least)
        elif price_by_signs(rows, frame, desk, i, node) > dear:
            desk.scores[i] = dear
        if desk.scores[i] > highest:
            best, highest = i, desk.scores[i]
    return best


@bare_kernel
def price_below(rows: RowData, frame: Frame, desk: Desk, i: int) -> None:
    """Write what a row would pay from every node on if it took the cheapest way."""
    for node in range(len(frame.is_split) - 1, 0, -1):
        if frame.is_split[node]:
            value = desk.f[node, i]
            left = desk.below[2 * node] + rows.pull[i] * max(0.0, 1 + value)
            right = desk.below[2 * node + 1] + rows.pull[i] * max(0.0, 1 - value)
            desk.below[node] = min(left, right)
        else:
            desk.below[node] = frame.least[node, i]


@bare_kernel
def way_price(rows: RowData, frame: Frame, desk: Desk, i: int, node: int, to: int) -> float:
    """Return what a row would add on its way from a node to one below and from there on."""
    price = desk.below[to] - frame.least[node, i]
    while to != node:
        above = to // 2
        value = desk.f[above, i] if to % 2 == 1 else -desk.f[above, i]
        price += rows.pull[i] * max(0.0, 1 - value)
        to = above
    return float(price)


@part
def price_by_signs(rows: RowData, frame: Frame, desk: Desk, i: int, node: int) -> float:
    """Return what a row would add if the present hyperplanes sent it on, infinity without a side.

    Where violations are cheap, that can be more than on a way that the row would not take.
    """
    price = -frame.least[node, i]
    while frame.is_split[node]:
        value = desk.f[node, i]
        if abs(value) < TIED * rows.eps:
            return np.inf
        price += rows.pull[i] * max(0.0, 1 - abs(value))
        node = 2 * node + (value > 0)
    return float(price + frame.least[node, i])


@part
def is_mirrored(frame: Frame, stack: Stack, level: int, node: int, to: int) -> bool:
    """Tell whether a way on is the mirror image of another one.

    Where the two subtrees of a split are of the same shape and no row has passed it yet, flipping
    it leads from the trees with the row on the right to those with the row on the left.
    """
    while to != node:
        above = to // 2
        if (
            to % 2 == 1
            and frame.twins[above]
            and stack.passing[level, frame.slots[above], MEMBERS] == 0
        ):
            return True
        to = above
    return False


@part
def try_way(
    rows: RowData,
    frame: Frame,
    stack: Stack,
    desk: Desk,
    level: int,
    i: int,
    to: int,
    cutoff: float,
) -> tuple[float, int]:
    """Return a bound of what follows if a row goes to a node, and the number of steps taken."""
    gain = length = 0.0
    for s in range(stack.duals.shape[1]):
        gain += stack.planes[level, s, GAIN]
        length += stack.planes[level, s, LENGTH]
    node, steps = stack.places[level, i], 0
    paid = stack.levels[level, PAID] + frame.least[to, i] - frame.least[node, i]
    while to != node:
        side = to % 2
        to //= 2
        s = frame.slots[to]
        m, n_right = stack.passing[level, s, MEMBERS] + 1, stack.passing[level, s, RIGHT] + side
        if not 0 < n_right < m:
            continue
        members = stack.members[s]
        members[m - 1] = i
        stack.sides[s, m - 1] = 1.0 if side == 1 else -1.0
        copy(stack.duals[level, s], desk.duals)
        copy(stack.values[level, s], desk.values)
        _, moved = ascend(
            rows.apart,
            members,
            stack.sides[s],
            m,
            rows.pull,
            rows.tails,
            stack.levels[level, NORM],
            cutoff,
            desk.duals,
            desk.values,
            desk.rise,
            desk.fall,
            PROBE_STEPS,
            PROBE_TOLERANCE,
        )
        reach = frame.grid[-1] * rows.radius
        own, far = measure(rows.X, members, m, rows.pull, rows.tails, reach, desk.duals)
        gain += own - stack.planes[level, s, GAIN]
        length += far - stack.planes[level, s, LENGTH]
        steps += moved
    return least_of_cells(rows, frame, stack, desk, level, paid, gain, length), steps


@part
def least_of_cells(
    rows: RowData,
    frame: Frame,
    stack: Stack,
    desk: Desk,
    level: int,
    paid: float,
    gain: float,
    length: float,
) -> float:
    """Return the least bound of the open cells with the duals of a way on that is tried."""
    low = np.inf
    for c in range(stack.moves[level, FIRST], stack.moves[level, LAST]):
        value = least_margin(gain, length, frame.grid[c], frame.grid[c + 1], rows.is_squared)
        part_ = max(value, stack.cells[level, 1, c])
        low = min(low, max(stack.cells[level, 0, c], paid + desk.tried_pairs[c] + part_))
    return low


@bare_kernel
def choose_row(
    rows: RowData,
    frame: Frame,
    stack: Stack,
    desk: Desk,
    level: int,
    cutoff: float,
) -> tuple[int, int]:
    """Return the row to decide and the number of steps taken.

    The ways on of the rows with the highest scores are tried. Best is a row with at most one way
    left, then the largest product of the two smallest gains. Closed ways are left in
    ``desk.is_dead[1]``.
    """
    best, highest, steps = -1, -1.0, 0
    low = stack.levels[level, LOW]
    is_wide = stack.levels[level, IS_WIDE] > 0
    if is_wide:
        mark_busy(stack.wide_duals[level], desk.is_busy)
    rank_rows(desk.scores, desk.candidates, desk.candidate_scores)
    for i in desk.candidates:
        if i < 0:
            break
        node = stack.places[level, i]
        has_pairs = frame.classes[node] >> rows.y[i] & 1
        copy(desk.wide_pairs if is_wide else desk.pairs, desk.tried_pairs)
        busy = desk.is_busy if is_wide else desk.nobody
        if has_pairs and not busy[i]:
            price_pairs(rows, frame, stack, level, i, busy, desk.is_free, desk.tried_pairs)
        least, second, n_open = cutoff, cutoff, 0
        for o in range(frame.n_options[node, rows.y[i]]):
            to = frame.options[node, rows.y[i], o]
            desk.is_dead[0, o] = is_mirrored(frame, stack, level, node, to)
            if desk.is_dead[0, o]:
                continue
            if is_wide:
                bound, moved = try_way_widely(rows, frame, stack, desk, level, i, to, cutoff)
            else:
                bound, moved = try_way(rows, frame, stack, desk, level, i, to, cutoff)
            steps += moved
            desk.is_dead[0, o] = bound >= cutoff
            n_open += bound < cutoff
            if bound < least:
                least, second = bound, least
            elif bound < second:
                second = bound
        small = LEAST_GAIN * cutoff
        score = (max(least - low, 0.0) + small) * (max(second - low, 0.0) + small)
        if n_open <= 1:
            score = np.inf
        if score > highest:
            best, highest = i, score
            copy(desk.is_dead[0], desk.is_dead[1])
        if n_open <= 1:
            break
    return best, steps


@part
def rank_rows(scores: FloatArray, candidates: IntArray, candidate_scores: FloatArray) -> None:
    """Write the rows with the highest scores, the highest first, and -1 where none is left."""
    candidates[:] = -1
    candidate_scores[:] = 0.0
    last = len(candidates) - 1
    for i in range(len(scores)):
        if scores[i] > candidate_scores[last]:
            place = last
            while place > 0 and candidate_scores[place - 1] < scores[i]:
                candidate_scores[place] = candidate_scores[place - 1]
                candidates[place] = candidates[place - 1]
                place -= 1
            candidate_scores[place], candidates[place] = scores[i], i


@bare_kernel
def list_ways(rows: RowData, frame: Frame, stack: Stack, desk: Desk, level: int, i: int) -> None:
    """Note a row as the one that is decided, with its open ways on, the cheapest first."""
    node, n_open = stack.places[level, i], 0
    price_below(rows, frame, desk, i)
    for o in range(frame.n_options[node, rows.y[i]]):
        if desk.is_dead[1, o]:
            continue
        to = frame.options[node, rows.y[i], o]
        price = way_price(rows, frame, desk, i, node, to)
        place = n_open
        while place > 0 and desk.option_prices[place - 1] > price:
            desk.option_prices[place] = desk.option_prices[place - 1]
            stack.options[level, place] = stack.options[level, place - 1]
            place -= 1
        desk.option_prices[place], stack.options[level, place] = price, to
        n_open += 1
    stack.moves[level, ROW], stack.moves[level, WAYS], stack.moves[level, NEXT] = i, n_open, 0


@bare_kernel
def descend(frame: Frame, stack: Stack, level: int) -> None:
    """Write the level below: the next way on of the row that is decided."""
    below, i = level + 1, stack.moves[level, ROW]
    to = stack.options[level, stack.moves[level, NEXT]]
    stack.moves[level, NEXT] += 1
    for s in range(stack.duals.shape[1]):
        copy(stack.duals[level, s], stack.duals[below, s])
        copy(stack.values[level, s], stack.values[below, s])
        copy(stack.planes[level, s], stack.planes[below, s])
        copy(stack.wide_duals[level, s], stack.wide_duals[below, s])
        copy(stack.wide_values[level, s], stack.wide_values[below, s])
        copy(stack.wide_planes[level, s], stack.wide_planes[below, s])
        copy(stack.passing[level, s], stack.passing[below, s])
    copy(stack.places[level], stack.places[below])
    copy(stack.cells[level, 0], stack.cells[below, 0])
    copy(stack.cells[level, 1], stack.cells[below, 1])
    copy(stack.levels[level], stack.levels[below])
    stack.moves[below, FIRST] = stack.moves[level, FIRST]
    stack.moves[below, LAST] = stack.moves[level, LAST]
    stack.levels[below, SHARE] /= stack.moves[level, WAYS]
    node = stack.places[level, i]
    stack.levels[below, PAID] = (
        stack.levels[level, PAID] + frame.least[to, i] - frame.least[node, i]
    )
    stack.places[below, i] = to
    while to != node:
        side = to % 2
        to //= 2
        s = frame.slots[to]
        m = stack.passing[below, s, MEMBERS]
        stack.members[s, m] = i
        stack.sides[s, m] = 1.0 if side == 1 else -1.0
        stack.passing[below, s, MEMBERS] = m + 1
        stack.passing[below, s, RIGHT] += side
