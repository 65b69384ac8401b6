"""The search below one open node, depth first; it can be left and taken up again."""

import math

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray
from margintree._lib.jit import bare_kernel, part
from margintree.exact.proofs.kernels.bounds import (
    bound_level,
    close_small_norms,
    forget_lines,
    raise_cells,
)
from margintree.exact.proofs.kernels.branching import (
    choose_row,
    descend,
    list_ways,
    tree_price,
    write_values,
)
from margintree.exact.proofs.kernels.leaning import bound_widely
from margintree.exact.proofs.kernels.masses import lacks_mass, rank_undecided
from margintree.exact.proofs.kernels.settle import settle_splits
from margintree.exact.proofs.kernels.state import (
    FIRST,
    GAIN,
    IS_WIDE,
    LAST,
    LENGTH,
    LOW,
    NEXT,
    NORM,
    PAID,
    ROW,
    SHARE,
    WAYS,
    WIDE_NORM,
    Desk,
    Frame,
    RowData,
    Stack,
)

GO_ON, DONE, PAUSED, FOUND, FULL, OPEN, SPENT = range(7)
"""Why `explore` returns: nothing is left; it is time for a pause; it has a cheaper tree; the stack
or the log is full; a bag must be refined, since no row that is left costs anything; the steps or
nodes of the dive are used up."""
ADVANCE, BOUND, CHOOSE, SETTLE = range(4)
"""What happens next at the present level."""
LEVEL, PHASE, NODES, STUCK, ROUND, STEPS, LOGGED = range(7)
"""Places in ``counts``."""
CLOSED, LEAST, PRICE, LOW_NORM, HIGH_NORM, CREDIT = range(6)
"""Places in ``reals``: the share that is closed, the least bound of a node that was left without
proof, the price of the tree at hand, the norms between which a leaf is solved, and how much leaning
rows have gained beyond what they must."""
IS_CLOSED, IS_OPEN = -1, -2
"""Entries of the log for a node that is closed, and for one that is handed over. A node that
branches has its row, the number of its ways on and these ways, then what is logged below each."""

SETTLE_ROUNDS = 60
"""Norms at which a leaf is solved before it is left with the bound it has."""
SETTLE_STEPS = 20
"""About as many steps take as long as what is done at a leaf for one row and norm."""
SAME_NORM = 1e-10
"""Relative width of the interval of norms at which a leaf is given up."""
NODE_STEPS = 40
"""About as many steps of a dual take as long as what else is done at a node."""
LEAST_GAINED = 0.25
"""Share of what a node lacks that leaning rows must gain on average to be worth their time."""
MOST_CREDIT = 10.0
"""The credit with which they begin, and the most that they can have."""
SELDOM = 16
"""Of so many nodes one is tried where the credit is used up."""


@bare_kernel
def explore(
    rows: RowData,
    frame: Frame,
    stack: Stack,
    desk: Desk,
    log: IntArray,
    counts: IntArray,
    reals: FloatArray,
    cutoff: float,
    known: float,
    dear: float,
    tolerance: float,
    is_complete: bool,
    pause: int,
    max_steps: int,
    max_nodes: int,
) -> int:
    """Go on with the search until it is done or there is something to say; return what.

    Parameters
    ----------
    log : int ndarray
        What was decided, in the order of the search; empty for no log.
    counts, reals : ndarray
        Where the search stands.
    cutoff : float
        Nodes whose bound is at least this are closed.
    known : float
        A tree that costs less is worth returning for.
    dear : float
        Rows that would add no more are left undecided.
    tolerance : float
        Of the values of rows at a leaf.
    is_complete : bool
        Whether every end of the skeleton is a leaf.
    pause : int
        ``counts[STEPS]`` at which it pauses. It may pause anywhere: what it does next does not
        depend on pauses.
    max_steps, max_nodes : int
        Steps and nodes after which it ends before the next node.
    """
    status = GO_ON
    while counts[LEVEL] >= 0 and status == GO_ON:
        if counts[STEPS] > pause:
            return PAUSED
        if counts[PHASE] == ADVANCE:
            status = advance(frame, stack, counts, max_steps, max_nodes)
        elif counts[PHASE] == BOUND:
            status = bound_node(rows, frame, stack, desk, counts, reals, cutoff, known)
        elif counts[PHASE] == SETTLE:
            status = settle_leaf(
                rows, frame, stack, desk, counts, reals, cutoff, known, dear, tolerance
            )
        elif counts[LOGGED] + len(stack.options[0]) + 2 > len(log) > 0:
            status = FULL
        elif stack.levels[counts[LEVEL], LOW] >= cutoff:
            close_node(stack, log, counts, reals)
        elif rank_undecided(rows, frame, stack, desk, counts[LEVEL], dear, is_complete) >= 0:
            branch(rows, frame, stack, desk, log, counts, reals, cutoff)
        elif is_complete:
            begin_leaf(frame, stack, desk, counts, reals)
        else:
            status = OPEN
    return DONE if status == GO_ON else status


@part
def advance(frame: Frame, stack: Stack, counts: IntArray, max_steps: int, max_nodes: int) -> int:
    """Go to the next way on of this level, or to the level above."""
    level = counts[LEVEL]
    if stack.moves[level, NEXT] >= stack.moves[level, WAYS]:
        counts[LEVEL] -= 1
        return GO_ON
    if counts[STEPS] > max_steps or counts[NODES] >= max_nodes:
        return SPENT
    if level + 1 == len(stack.levels):
        return FULL
    descend(frame, stack, level)
    counts[LEVEL], counts[PHASE] = level + 1, BOUND
    return GO_ON


@part
def bound_node(
    rows: RowData,
    frame: Frame,
    stack: Stack,
    desk: Desk,
    counts: IntArray,
    reals: FloatArray,
    cutoff: float,
    known: float,
) -> int:
    """Compute the bound of a node, and the tree that its hyperplanes are."""
    level = counts[LEVEL]
    counts[NODES] += 1
    counts[PHASE] = CHOOSE
    if lacks_mass(rows, frame, stack, level, desk.leaf_masses):
        stack.levels[level, LOW] = np.inf
        return GO_ON
    counts[STEPS] += NODE_STEPS + bound_level(rows, frame, stack, desk, level, cutoff)
    if stack.levels[level, LOW] < cutoff:
        counts[STEPS] += try_leaning(rows, frame, stack, desk, level, cutoff, counts, reals)
    if stack.levels[level, LOW] >= cutoff:
        return GO_ON
    write_values(rows, frame, stack, desk, level)
    norm = stack.levels[level, WIDE_NORM if stack.levels[level, IS_WIDE] > 0 else NORM]
    reals[PRICE] = tree_price(rows, frame, desk, norm)
    close_small_norms(rows, frame, stack, desk, level)
    return FOUND if reals[PRICE] < known else GO_ON


@part
def try_leaning(
    rows: RowData,
    frame: Frame,
    stack: Stack,
    desk: Desk,
    level: int,
    cutoff: float,
    counts: IntArray,
    reals: FloatArray,
) -> int:
    """Let leaning rows take part, at few nodes only where they gain little; return the steps."""
    stack.levels[level, IS_WIDE] = 0.0
    if reals[CREDIT] < 0 and counts[NODES] % SELDOM > 0:
        return 0
    before = stack.levels[level, LOW]
    steps = bound_widely(rows, frame, stack, desk, level, cutoff)
    gained = (min(stack.levels[level, LOW], cutoff) - before) / (cutoff - before)
    reals[CREDIT] = min(reals[CREDIT] + gained - LEAST_GAINED, MOST_CREDIT)
    return steps


@part
def begin_leaf(frame: Frame, stack: Stack, desk: Desk, counts: IntArray, reals: FloatArray) -> None:
    """Prepare to solve a node at which no undecided row costs anything."""
    level = counts[LEVEL]
    counts[PHASE], counts[ROUND] = SETTLE, 0
    stack.levels[level, IS_WIDE] = 0.0
    reals[LOW_NORM] = frame.grid[stack.moves[level, FIRST]]
    reals[HIGH_NORM] = frame.grid[stack.moves[level, LAST]]
    forget_lines(desk.lines)
    for s in range(stack.duals.shape[1]):
        desk.lambdas[s] = stack.planes[level, s, LENGTH] / stack.levels[level, NORM]


@part
def settle_leaf(
    rows: RowData,
    frame: Frame,
    stack: Stack,
    desk: Desk,
    counts: IntArray,
    reals: FloatArray,
    cutoff: float,
    known: float,
    dear: float,
    tolerance: float,
) -> int:
    """Solve a leaf at one norm more, until it is closed or a row turns out to cost something."""
    level = counts[LEVEL]
    moved, norm = settle_splits(rows, frame, stack, desk, level, cutoff, tolerance, counts[ROUND])
    counts[STEPS] += NODE_STEPS + SETTLE_STEPS * moved
    raise_cells(rows, frame, stack, desk, level, cutoff)
    counts[ROUND] += 1
    if stack.levels[level, LOW] >= cutoff:
        counts[PHASE] = CHOOSE
        return GO_ON
    reals[PRICE] = tree_price(rows, frame, desk, norm)
    close_small_norms(rows, frame, stack, desk, level)
    if rank_undecided(rows, frame, stack, desk, level, dear, is_complete=True) >= 0:
        counts[PHASE] = CHOOSE
    elif not next_norm(rows, frame, stack, desk, level, cutoff, counts, reals):
        if stack.levels[level, LOW] < cutoff:
            counts[STUCK] += 1
            reals[LEAST] = min(reals[LEAST], stack.levels[level, LOW])
        stack.levels[level, LOW], counts[PHASE] = np.inf, CHOOSE
    if stack.levels[level, LOW] >= cutoff:
        counts[PHASE] = CHOOSE
    return FOUND if reals[PRICE] < known else GO_ON


@part
def branch(
    rows: RowData,
    frame: Frame,
    stack: Stack,
    desk: Desk,
    log: IntArray,
    counts: IntArray,
    reals: FloatArray,
    cutoff: float,
) -> None:
    """Choose a row and list its ways on; without one the node is closed."""
    level = counts[LEVEL]
    row, moved = choose_row(rows, frame, stack, desk, level, cutoff)
    counts[STEPS] += moved
    counts[PHASE] = ADVANCE
    list_ways(rows, frame, stack, desk, level, row)
    log_ways(stack, log, counts, level)
    if stack.moves[level, WAYS] == 0:
        reals[CLOSED] += stack.levels[level, SHARE]


@part
def close_node(stack: Stack, log: IntArray, counts: IntArray, reals: FloatArray) -> None:
    """Leave a node that holds no tree that matters."""
    reals[CLOSED] += stack.levels[counts[LEVEL], SHARE]
    write_log(log, counts, IS_CLOSED)
    counts[LEVEL] -= 1
    counts[PHASE] = ADVANCE


@part
def write_log(log: IntArray, counts: IntArray, entry: int) -> None:
    """Add an entry to the log, if there is one."""
    if len(log) > 0:
        log[counts[LOGGED]] = entry
        counts[LOGGED] += 1


@part
def log_ways(stack: Stack, log: IntArray, counts: IntArray, level: int) -> None:
    """Log the row that is decided and its ways on."""
    write_log(log, counts, stack.moves[level, ROW])
    write_log(log, counts, stack.moves[level, WAYS])
    for k in range(stack.moves[level, WAYS]):
        write_log(log, counts, stack.options[level, k])


@part
def next_norm(
    rows: RowData,
    frame: Frame,
    stack: Stack,
    desk: Desk,
    level: int,
    cutoff: float,
    counts: IntArray,
    reals: FloatArray,
) -> bool:
    """Choose the next norm at which a leaf is solved; return False if none is left to try.

    The present duals exclude all norms at which their line reaches the cutoff. Where all norms are
    excluded by one line or another, the leaf is closed. Otherwise the crossing of the steep line
    and the flat one is where the cost of the leaf, which is convex in the norm, may be least.
    """
    lines, gain, length = desk.lines, 0.0, 0.0
    for s in range(stack.duals.shape[1]):
        gain += stack.planes[level, s, GAIN]
        length += stack.planes[level, s, LENGTH]
    low, high = norms_below(stack.levels[level, PAID] + gain - cutoff, length, rows.is_squared)
    reals[LOW_NORM] = max(reals[LOW_NORM], low, frame.grid[stack.moves[level, FIRST]])
    reals[HIGH_NORM] = min(reals[HIGH_NORM], high, frame.grid[stack.moves[level, LAST]])
    low, high = reals[LOW_NORM], reals[HIGH_NORM]
    if low >= high or stack.levels[level, LOW] >= cutoff:
        stack.levels[level, LOW] = max(stack.levels[level, LOW], cutoff)
        return False
    if counts[ROUND] >= SETTLE_ROUNDS or high - low <= SAME_NORM * high:
        return False
    following = length if rows.is_squared else (low + high) / 2
    if lines[0] > -np.inf and lines[2] > -np.inf and lines[1] > lines[3]:
        following = (lines[0] - lines[2]) / (lines[1] - lines[3])
    if counts[ROUND] % 4 == 0 or not low < following < high:
        following = (low + high) / 2
    stack.levels[level, NORM] = following
    return True


@part
def norms_below(rest: float, length: float, is_squared: bool) -> tuple[float, float]:
    """Return the norms S between which ``margin(S) + rest - S length`` is below 0."""
    if is_squared:
        square = length * length - 2 * rest
        if square < 0:
            return 0.0, 0.0
        return length - math.sqrt(square), length + math.sqrt(square)
    if length > 0.5:
        return rest / (length - 0.5), np.inf
    if length < 0.5:
        return 0.0, -rest / (0.5 - length)
    return 0.0, np.inf if rest < 0 else 0.0
