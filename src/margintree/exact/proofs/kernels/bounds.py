"""The bound of a node of the search, cell by cell of the common norm."""

import numpy as np

from margintree._lib.arrays import FloatArray
from margintree._lib.jit import bare_kernel, part
from margintree.exact.proofs.kernels.ascent import (
    ascend,
    least_margin,
    least_norm,
    measure,
)
from margintree.exact.proofs.kernels.frame import price_pairs
from margintree.exact.proofs.kernels.hulls import least_norm_of_sides
from margintree.exact.proofs.kernels.state import (
    FIRST,
    GAIN,
    INTERCEPT,
    LAST,
    LENGTH,
    LOW,
    MEMBERS,
    NORM,
    PAID,
    RIGHT,
    Desk,
    Frame,
    RowData,
    Stack,
)

ROUNDS = 4
"""How often a node moves its norm towards the cheapest cell before it branches."""
STEPS = 15
"""Steps of each dual in a round. Duals that are solved to the end close hardly more nodes."""
TOLERANCE = 1e-3
"""Of the slopes of a dual."""
KEPT = 0.9
"""A decided row whose value is below this share of the routing margin is on the wrong side."""
CALM = 1e-3
"""Relative change of the norm below which another round is not worth while."""


@bare_kernel
def bound_level(
    rows: RowData, frame: Frame, stack: Stack, desk: Desk, level: int, cutoff: float
) -> int:
    """Raise the bounds of the cells of a level and close cells; return the number of steps.

    The level is closed when ``stack.levels[level, LOW] >= cutoff``.
    """
    price_pairs(rows, frame, stack, level, -1, desk.nobody, desk.is_free, desk.pairs)
    forget_lines(desk.lines)
    steps = 0
    for round_ in range(ROUNDS):
        norm = stack.levels[level, NORM]
        moved = 0
        if round_ > 0 or level > 0:
            moved = ascend_splits(rows, frame, stack, desk, level, cutoff, STEPS, TOLERANCE)
        steps += moved
        raise_cells(rows, frame, stack, desk, level, cutoff)
        if stack.levels[level, LOW] >= cutoff:
            break
        next_ = desk.lines[4]
        stack.levels[level, NORM] = next_
        if round_ > 0 and moved == 0 and abs(next_ - norm) < CALM * next_:
            break
    return steps


@bare_kernel
def forget_lines(lines: FloatArray) -> None:
    """Begin without a line: no length is below 0, none above infinity."""
    lines[0] = lines[2] = -np.inf
    lines[1], lines[3] = np.inf, -1.0


@part
def ascend_splits(
    rows: RowData,
    frame: Frame,
    stack: Stack,
    desk: Desk,
    level: int,
    cutoff: float,
    max_steps: int,
    tolerance: float,
) -> int:
    """Improve the duals of all splits with rows on both sides; return the number of steps."""
    total = 0
    reach = frame.grid[-1] * rows.radius
    for s in range(stack.duals.shape[1]):
        m = stack.passing[level, s, MEMBERS]
        if not 0 < stack.passing[level, s, RIGHT] < m:
            continue
        duals, members = stack.duals[level, s], stack.members[s]
        intercept, steps = ascend(
            rows.apart,
            members,
            stack.sides[s],
            m,
            rows.pull,
            rows.tails,
            stack.levels[level, NORM],
            cutoff,
            duals,
            stack.values[level, s],
            desk.rise,
            desk.fall,
            max_steps,
            tolerance,
        )
        gain, length = measure(rows.X, members, m, rows.pull, rows.tails, reach, duals)
        if cutoff < gain < stack.levels[level, NORM] * length:
            # Duals that ran away at a smaller norm are many steps from better ones; 0 is not.
            duals[:] = 0.0
            stack.values[level, s] = 0.0
            gain = length = 0.0
        stack.planes[level, s, INTERCEPT] = intercept
        stack.planes[level, s, GAIN], stack.planes[level, s, LENGTH] = gain, length
        total += steps
    return total


@bare_kernel
def raise_cells(
    rows: RowData,
    frame: Frame,
    stack: Stack,
    desk: Desk,
    level: int,
    cutoff: float,
) -> None:
    """Raise the bound of every open cell by the present duals, and close cells at the ends.

    For any duals the cost is at least ``paid + pairs + margin(S) + sum G - S sum ||v||`` at the
    common norm S, so a cell has the least of that over its norms. Duals of different norms give
    different lines ``G - S N``. Two are kept, one that falls too steeply for its norm and one that
    falls too little. In the cell where they cross, the larger of the two has a higher minimum than
    either of them.

    What the duals give holds below this node as well, where more may be paid. So it is kept beside
    the bound of the cell.

    ``desk.lines`` holds G and N of the steep line, G and N of the flat one, and the norm to look at
    next: the one at which the cheapest cell is cheapest. Without a steep line its N is infinite.
    """
    lines = desk.lines
    gain = length = 0.0
    for s in range(stack.duals.shape[1]):
        gain += stack.planes[level, s, GAIN]
        length += stack.planes[level, s, LENGTH]
    if least_norm(length, 0.0, np.inf, rows.is_squared) > stack.levels[level, NORM]:
        lines[0], lines[1] = gain, length
    else:
        lines[2], lines[3] = gain, length
    has_both = lines[0] > -np.inf and lines[2] > -np.inf and lines[1] > lines[3] + 1e-12
    crossing = (lines[0] - lines[2]) / (lines[1] - lines[3]) if has_both else -1.0
    paid, cells, parts = stack.levels[level, PAID], stack.cells[level, 0], stack.cells[level, 1]
    low, first, last, next_ = np.inf, -1, -1, stack.levels[level, NORM]
    for c in range(stack.moves[level, FIRST], stack.moves[level, LAST]):
        start, end = frame.grid[c], frame.grid[c + 1]
        value = least_margin(gain, length, start, end, rows.is_squared)
        norm = least_norm(length, start, end, rows.is_squared)
        if start < crossing < end:
            # Left of the crossing the steep line is the higher one, right of it the flat one.
            steep = least_margin(lines[0], lines[1], start, crossing, rows.is_squared)
            flat = least_margin(lines[2], lines[3], crossing, end, rows.is_squared)
            value = max(value, min(steep, flat))
            norm = (
                least_norm(lines[1], start, crossing, rows.is_squared)
                if steep <= flat
                else least_norm(lines[3], crossing, end, rows.is_squared)
            )
        parts[c] = max(parts[c], value)
        cells[c] = max(cells[c], paid + desk.pairs[c] + parts[c])
        if cells[c] < cutoff:
            first = c if first < 0 else first
            last = c
        if cells[c] < low:
            low, next_ = cells[c], norm
    stack.levels[level, LOW] = low
    lines[4] = max(next_, 1e-3)
    if first >= 0:
        stack.moves[level, FIRST], stack.moves[level, LAST] = first, last + 1


@bare_kernel
def close_small_norms(rows: RowData, frame: Frame, stack: Stack, desk: Desk, level: int) -> None:
    """Close the cells whose norms are too small to keep the decided rows on their sides.

    Only splits are looked at whose present hyperplanes do not.
    """
    first, last = stack.moves[level, FIRST], stack.moves[level, LAST]
    needed = 0.0
    for node in range(1, len(frame.is_split) // 2):
        s = frame.slots[node]
        m = stack.passing[level, s, MEMBERS]
        if not (frame.is_split[node] and 0 < stack.passing[level, s, RIGHT] < m):
            continue
        for k in range(m):
            if stack.sides[s, k] * desk.f[node, stack.members[s, k]] < KEPT * rows.eps:
                most = frame.grid[last]
                found = least_norm_of_sides(
                    rows.gram,
                    stack.members[s],
                    stack.sides[s],
                    m,
                    rows.eps,
                    most,
                    desk.hulls[s],
                )
                needed = max(needed, found)
                break
    low = np.inf
    for c in range(first, last):
        if frame.grid[c + 1] < needed:
            stack.cells[level, 0, c] = np.inf
        low = min(low, stack.cells[level, 0, c])
    while first < last and frame.grid[first + 1] < needed:
        first += 1
    stack.moves[level, FIRST] = first
    stack.levels[level, LOW] = low
    if first < last:
        stack.levels[level, NORM] = max(stack.levels[level, NORM], frame.grid[first])
