"""Bounds in which undecided rows take part, too: those that lean to one side of a split.

Let all ends that cost an undecided row i least be below one side s of a split t. Then the row leans
to s: a tree in which it does not pass t on that side pays at least some e > 0 for its errors. Let M
be at least ``-s f(x_i)`` for every hyperplane f of the split. Then for

    0 <= beta <= min(pull, e / (1 + M))

what the row pays beyond what is paid already is at least ``beta (1 - s f(x_i))``: on side s because
``pull max(0, 1 - s f) >= beta (1 - s f)``, elsewhere because ``e >= beta (1 + M)``. So the row
takes part in the dual of the split, with a box that may be smaller than its pull and no slope
beyond it.
A row that leans at several splits on its way divides e among them.

If a decided row j passes the split on side s, then ``M = S d_ij`` will do, with the distance d of
the two rows. Otherwise the largest distance of any row from row i takes its place: only splits with
rows on both sides pay, so somewhere among the rows f is 0.

A row whose dual variables are not 0 forms no pair, so nothing is counted twice.
"""

import math

import numpy as np

from margintree._lib.arrays import BoolArray, FloatArray, IntArray
from margintree._lib.jit import bare_kernel, part
from margintree.exact.proofs.kernels.ascent import (
    SOFT,
    ascend,
    least_margin,
    least_norm,
    measure,
    room,
    slopes,
    snap,
)
from margintree.exact.proofs.kernels.frame import price_pairs
from margintree.exact.proofs.kernels.state import (
    FIRST,
    GAIN,
    INTERCEPT,
    IS_WIDE,
    LAST,
    LENGTH,
    LOW,
    MEMBERS,
    PAID,
    RIGHT,
    WIDE_NORM,
    Desk,
    Frame,
    RowData,
    Stack,
    copy,
)

ROUNDS = 4
"""How often a node moves its norm towards the cheapest cell."""
FIRST_STEPS, STEPS = 200, 30
"""Steps of each dual in a round, at the first node of a dive and below it."""
TOLERANCE = 1e-3
"""Of the slopes of a dual."""
CALM = 1e-3
"""Relative change of the norm below which another round is not worth while."""
PROBE_STEPS = 8
"""Steps of each dual when a way on is tried."""
SAFE = 1 + 1e-9
"""Factor on distances and boxes, for rounding."""
CLOSED_SLOPE = -1e6
"""Slope of a dual beyond its box."""


@bare_kernel
def bound_widely(
    rows: RowData, frame: Frame, stack: Stack, desk: Desk, level: int, cutoff: float
) -> int:
    """Raise the bounds of the cells of a level by rows that lean; return the number of steps."""
    if not rows.may_lean or not enlist(rows, frame, stack, desk, level):
        return 0
    if level > 0:
        take_back_strays(rows, stack, desk, level)
    steps, best = 0, -np.inf
    max_steps = STEPS if level > 0 else FIRST_STEPS
    for _ in range(ROUNDS):
        norm = stack.levels[level, WIDE_NORM]
        moved = 0
        for s in range(stack.passing.shape[1]):
            moved += ascend_split(rows, frame, stack, desk, level, s, norm, cutoff, max_steps)
        steps += moved
        mark_busy(stack.wide_duals[level], desk.is_busy)
        price_pairs(rows, frame, stack, level, -1, desk.is_busy, desk.is_free, desk.wide_pairs)
        low, next_ = raise_by_line(rows, frame, stack, desk, level)
        best = max(best, low)
        last = stack.moves[level, LAST]
        if not open_cells(stack, level, cutoff):
            break
        if stack.moves[level, LAST] < last:
            enlist(rows, frame, stack, desk, level)
        stack.levels[level, WIDE_NORM] = max(next_, 1e-3)
        if moved == 0 and abs(next_ - norm) < CALM * next_:
            break
    if best > bound_without_leaning(stack, desk, level):
        stack.levels[level, IS_WIDE] = 1.0
    return steps


@part
def bound_without_leaning(stack: Stack, desk: Desk, level: int) -> float:
    """Return the least bound of the open cells by decided rows and pairs alone."""
    low = np.inf
    for c in range(stack.moves[level, FIRST], stack.moves[level, LAST]):
        low = min(low, stack.levels[level, PAID] + desk.pairs[c] + stack.cells[level, 1, c])
    return low


@part
def open_cells(stack: Stack, level: int, cutoff: float) -> bool:
    """Close the end cells that reach the cutoff, write the bound; tell whether any is open."""
    first, last, low = -1, -1, np.inf
    for c in range(stack.moves[level, FIRST], stack.moves[level, LAST]):
        low = min(low, stack.cells[level, 0, c])
        if stack.cells[level, 0, c] < cutoff:
            first = c if first < 0 else first
            last = c
    stack.levels[level, LOW] = low
    if first >= 0:
        stack.moves[level, FIRST], stack.moves[level, LAST] = first, last + 1
    return first >= 0


@part
def raise_by_line(
    rows: RowData, frame: Frame, stack: Stack, desk: Desk, level: int
) -> tuple[float, float]:
    """Raise the cells by the present line; return its least bound and the norm to look at next."""
    gain = length = 0.0
    for s in range(stack.passing.shape[1]):
        gain += stack.wide_planes[level, s, GAIN]
        length += stack.wide_planes[level, s, LENGTH]
    low, least, next_ = np.inf, np.inf, stack.levels[level, WIDE_NORM]
    paid, cells = stack.levels[level, PAID], stack.cells[level, 0]
    for c in range(stack.moves[level, FIRST], stack.moves[level, LAST]):
        start, end = frame.grid[c], frame.grid[c + 1]
        margin = least_margin(gain, length, start, end, rows.is_squared)
        value = paid + desk.wide_pairs[c] + margin
        low = min(low, value)
        cells[c] = max(cells[c], value)
        if cells[c] < least:
            least, next_ = cells[c], least_norm(length, start, end, rows.is_squared)
    return low, next_


@part
def ascend_split(
    rows: RowData,
    frame: Frame,
    stack: Stack,
    desk: Desk,
    level: int,
    s: int,
    norm: float,
    cutoff: float,
    max_steps: int,
) -> int:
    """Improve the wide dual of a split; return the number of steps."""
    m, n_right = desk.crew_sizes[s, MEMBERS], desk.crew_sizes[s, RIGHT]
    if not 0 < n_right < m:
        stack.wide_planes[level, s] = 0.0
        return 0
    duals, values = stack.wide_duals[level, s], stack.wide_values[level, s]
    gain, length, intercept, steps = ascend_crew(
        rows, frame, desk, s, m, norm, cutoff, duals, values, max_steps
    )
    if cutoff < gain < norm * length:
        # Duals that ran away at a smaller norm are many steps from better ones; 0 is not.
        duals[:] = values[:] = 0.0
        gain = length = 0.0
    stack.wide_planes[level, s, INTERCEPT] = intercept
    stack.wide_planes[level, s, GAIN], stack.wide_planes[level, s, LENGTH] = gain, length
    return steps


@bare_kernel
def ascend_crew(
    rows: RowData,
    frame: Frame,
    desk: Desk,
    s: int,
    m: int,
    norm: float,
    cutoff: float,
    duals: FloatArray,
    values: FloatArray,
    max_steps: int,
) -> tuple[float, float, float, int]:
    """Improve duals of the first m rows of a crew; return G, N, an intercept and the steps."""
    intercept, steps = ascend(
        rows.apart,
        desk.crew[s],
        desk.crew_sides[s],
        m,
        desk.boxes[s],
        desk.tails[s],
        norm,
        cutoff,
        duals,
        values,
        desk.rise,
        desk.fall,
        max_steps,
        TOLERANCE,
    )
    reach = frame.grid[-1] * rows.radius
    gain, length = measure(rows.X, desk.crew[s], m, desk.boxes[s], desk.tails[s], reach, duals)
    return gain, length, intercept, steps


@bare_kernel
def enlist(rows: RowData, frame: Frame, stack: Stack, desk: Desk, level: int) -> bool:
    """Write which rows take part in the dual of each split, with boxes; tell whether any leans."""
    for s in range(stack.passing.shape[1]):
        desk.crew_sizes[s] = 0
        for k in range(stack.passing[level, s, MEMBERS]):
            i = stack.members[s, k]
            join(desk, s, i, stack.sides[s, k], rows.pull[i], rows.eps)
    any_leans = False
    for i in range(len(rows.y)):
        count = list_leanings(rows, frame, stack, desk, level, i, stack.places[level, i])
        for k in range(count):
            node = desk.path[k]
            side = 1.0 if node % 2 == 1 else -1.0
            join(desk, frame.slots[node // 2], i, side, desk.path_boxes[k], CLOSED_SLOPE)
            any_leans = True
    return any_leans


@part
def join(desk: Desk, s: int, i: int, side: float, box: float, tail: float) -> None:
    """Let a row take part in the dual of a split."""
    m = desk.crew_sizes[s, MEMBERS]
    desk.crew[s, m], desk.crew_sides[s, m] = i, side
    desk.boxes[s, i], desk.tails[s, i] = box, tail
    desk.crew_sizes[s, MEMBERS] = m + 1
    if side > 0:
        desk.crew_sizes[s, RIGHT] += 1


@bare_kernel
def list_leanings(
    rows: RowData, frame: Frame, stack: Stack, desk: Desk, level: int, i: int, node: int
) -> int:
    """Write the nodes to which a row at a node leans, with the boxes of its duals; return how many.

    A node stands for the side of the split above it. Leaving the way anywhere costs at least the
    least price of leaving it at any of its splits.
    """
    count, loss, own = 0, np.inf, frame.least[node, i]
    while frame.is_split[node]:
        left, right = frame.least[2 * node, i] - own, frame.least[2 * node + 1, i] - own
        if (left > 0) == (right > 0):
            break
        loss = min(loss, max(left, right))
        node = 2 * node + (1 if left > 0 else 0)
        desk.path[count] = node
        count += 1
    most = frame.grid[stack.moves[level, LAST]]
    rest = loss / SAFE
    for k in range(count):
        factor = 1 + most * distance_to_side(rows, frame, stack, level, i, desk.path[k]) * SAFE
        desk.path_boxes[k] = min(rows.pull[i], rest / ((count - k) * factor))
        rest -= desk.path_boxes[k] * factor
    return count


@bare_kernel
def distance_to_side(
    rows: RowData, frame: Frame, stack: Stack, level: int, i: int, to: int
) -> float:
    """Return the distance of a row from the closest row that is known to go to a node or below.

    Without such a row it is the largest distance of any row.
    """
    s = frame.slots[to // 2]
    m, n_right = stack.passing[level, s, MEMBERS], stack.passing[level, s, RIGHT]
    if (n_right if to % 2 == 1 else m - n_right) == 0:
        return float(rows.reaches[i])
    best: float = np.inf
    for k in range(m):
        if (stack.sides[s, k] > 0) == (to % 2 == 1):
            j = stack.members[s, k]
            best = min(best, rows.apart[i, j])
    return math.sqrt(best + 1e-12)


@bare_kernel
def mark_busy(duals: FloatArray, is_busy: BoolArray) -> None:
    """Mark the rows that take part in a dual."""
    is_busy[:] = False
    for s in range(duals.shape[0]):
        for i in range(duals.shape[1]):
            if duals[s, i] != 0.0:
                is_busy[i] = True


@part
def take_back_strays(rows: RowData, stack: Stack, desk: Desk, level: int) -> None:
    """Take back the duals of rows where they do not take part any more, or on the other side."""
    for s in range(stack.passing.shape[1]):
        duals, values = stack.wide_duals[level, s], stack.wide_values[level, s]
        m, takes_part = desk.crew_sizes[s, MEMBERS], desk.is_busy
        takes_part[:] = False
        for k in range(m):
            i = desk.crew[s, k]
            takes_part[i] = desk.crew_sides[s, k] * duals[i] > 0
        for i in range(len(duals)):
            if duals[i] != 0.0 and not takes_part[i]:
                withdraw(rows, desk, s, m, duals, values, i, stack.levels[level, WIDE_NORM])


@bare_kernel
def withdraw(
    rows: RowData,
    desk: Desk,
    s: int,
    m: int,
    duals: FloatArray,
    values: FloatArray,
    i: int,
    norm: float,
) -> None:
    """Bring the dual of a row to 0, moving those of others that lose least."""
    crew, sides, boxes, tails = desk.crew[s], desk.crew_sides[s], desk.boxes[s], desk.tails[s]
    squared = SOFT * SOFT
    for k in range(m):
        squared += duals[crew[k]] * values[crew[k]]
    squared += duals[i] * values[i]
    scale = norm / math.sqrt(max(squared, SOFT * SOFT))
    while duals[i] != 0.0:
        sign, best, highest, most = (1.0 if duals[i] > 0 else -1.0), -1, -1e5, 0.0
        for k in range(m):
            j = crew[k]
            if j == i:
                continue
            slopes(sides[k], boxes[j], tails[j], duals[j], desk.rise, desk.fall, k)
            slope = desk.rise[k] - values[j] * scale
            if sign < 0:
                slope = values[j] * scale - desk.fall[k]
            space = room(sign * sides[k], boxes[j], sign * duals[j])
            if slope > highest and space > 0:
                best, highest, most = k, slope, space
        if best < 0:
            duals[:] = 0.0
            values[:] = 0.0
            return
        j = crew[best]
        step = min(abs(duals[i]), most)
        duals[j] = snap(duals[j] + sign * step, boxes[j])
        duals[i] = duals[i] - sign * step if step < abs(duals[i]) else 0.0
        for k in range(len(values)):
            values[k] += sign * step / 2 * (rows.apart[i, k] - rows.apart[j, k])


@bare_kernel
def try_way_widely(
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
    node, steps = stack.places[level, i], 0
    paid = stack.levels[level, PAID] + frame.least[to, i] - frame.least[node, i]
    list_parts(rows, frame, stack, desk, level, i, to)
    for s in range(stack.passing.shape[1]):
        own, far, moved = try_side(rows, frame, stack, desk, level, i, s, cutoff)
        gain += own
        length += far
        steps += moved
    low = np.inf
    for c in range(stack.moves[level, FIRST], stack.moves[level, LAST]):
        margin = least_margin(gain, length, frame.grid[c], frame.grid[c + 1], rows.is_squared)
        low = min(low, max(stack.cells[level, 0, c], paid + desk.tried_pairs[c] + margin))
    return low, steps


@part
def list_parts(
    rows: RowData, frame: Frame, stack: Stack, desk: Desk, level: int, i: int, to: int
) -> None:
    """Write the part that a row takes in the dual of each split if it goes to a node."""
    desk.new_sides[:] = 0.0
    for k in range(list_leanings(rows, frame, stack, desk, level, i, to)):
        s = frame.slots[desk.path[k] // 2]
        desk.new_sides[s] = 1.0 if desk.path[k] % 2 == 1 else -1.0
        desk.new_boxes[s], desk.new_tails[s] = desk.path_boxes[k], CLOSED_SLOPE
    while to != stack.places[level, i]:
        s = frame.slots[to // 2]
        desk.new_sides[s] = 1.0 if to % 2 == 1 else -1.0
        desk.new_boxes[s], desk.new_tails[s] = rows.pull[i], rows.eps
        to //= 2


@part
def try_side(
    rows: RowData,
    frame: Frame,
    stack: Stack,
    desk: Desk,
    level: int,
    i: int,
    s: int,
    cutoff: float,
) -> tuple[float, float, int]:
    """Return G and N of a split when a row takes the part in its dual that is on the desk."""
    m, n_right, side = desk.crew_sizes[s, MEMBERS], desk.crew_sizes[s, RIGHT], desk.new_sides[s]
    old_side = move_to_end(desk.crew[s], desk.crew_sides[s], m, i)
    dual, norm = stack.wide_duals[level, s, i], stack.levels[level, WIDE_NORM]
    if old_side == side and (side == 0.0 or abs(dual) < desk.boxes[s, i]):
        return stack.wide_planes[level, s, GAIN], stack.wide_planes[level, s, LENGTH], 0
    n_right += (1 if side > 0 else 0) - (1 if old_side > 0 else 0)
    m -= 1 if old_side != 0.0 else 0
    copy(stack.wide_duals[level, s], desk.duals)
    copy(stack.wide_values[level, s], desk.values)
    if side * dual <= 0 and dual != 0.0:
        withdraw(rows, desk, s, m, desk.duals, desk.values, i, norm)
    kept = desk.crew[s, m], desk.crew_sides[s, m], desk.boxes[s, i], desk.tails[s, i]
    total = m
    if side != 0.0:
        desk.crew[s, m], desk.crew_sides[s, m], total = i, side, m + 1
        desk.boxes[s, i], desk.tails[s, i] = desk.new_boxes[s], desk.new_tails[s]
    gain, length, moved = 0.0, 0.0, 0
    if 0 < n_right < total:
        gain, length, _, moved = ascend_crew(
            rows, frame, desk, s, total, norm, cutoff, desk.duals, desk.values, PROBE_STEPS
        )
    desk.crew[s, m], desk.crew_sides[s, m], desk.boxes[s, i], desk.tails[s, i] = kept
    return gain, length, moved


@part
def move_to_end(crew: IntArray, sides: FloatArray, m: int, i: int) -> float:
    """Make a row the last of a crew; return its side, 0 if it is no part of it."""
    for k in range(m):
        if crew[k] == i:
            crew[k], crew[m - 1] = crew[m - 1], crew[k]
            sides[k], sides[m - 1] = sides[m - 1], sides[k]
            return float(sides[m - 1])
    return 0.0
