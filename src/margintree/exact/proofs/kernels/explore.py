"""The search of one skeleton, depth first; it can be left at any node and taken up again."""

import math

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray
from margintree.exact.proofs.kernels.arrays import (
    FIRST,
    GAIN,
    LAST,
    LENGTH,
    LOW,
    NEXT,
    NORM,
    PAID,
    SHARE,
    WAYS,
    Desk,
    Frame,
    Rows,
    Stack,
)
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
    score_rows,
    tree_price,
    write_values,
)
from margintree.exact.proofs.kernels.settle import settle_splits
from margintree.search.margin.kernels._jit import kernel, part

DONE, PAUSED, FOUND, FULL, OPEN = range(5)
"""Why `explore` returns: nothing is left; its budget is used up; it has a cheaper tree; the stack
needs more levels; a bag must be refined, since no row that is left costs anything."""
ADVANCE, BOUND, CHOOSE, SETTLE = range(4)
"""What happens next at the present level."""
LEVEL, PHASE, NODES, STUCK, ROUND = range(5)
"""Places in ``counts``."""
CLOSED, LEAST, PRICE, LOW_NORM, HIGH_NORM = range(5)
"""Places in ``reals``: the share that is closed, the least bound of a node that was left without
proof, the price of the tree at hand, and the norms between which a leaf is solved."""

SETTLE_ROUNDS = 60
"""Norms at which a leaf is solved before it is left with the bound it has."""
SETTLE_STEPS = 20
"""About as many steps take as long as what is done at a leaf for one row and norm."""
SAME_NORM = 1e-10
"""Relative width of the interval of norms at which a leaf is given up."""
NODE_STEPS = 40
"""About as many steps of a dual take as long as what else is done at a node."""


@kernel
def explore(
    rows: Rows,
    frame: Frame,
    stack: Stack,
    desk: Desk,
    candidates: IntArray,
    candidate_scores: FloatArray,
    lines: FloatArray,
    counts: IntArray,
    reals: FloatArray,
    cutoff: float,
    known: float,
    dear: float,
    tolerance: float,
    is_complete: bool,
    budget: int,
) -> int:
    """Go on with the search until it is done or there is something to say; return what.

    Parameters
    ----------
    candidates, candidate_scores : ndarray
        Room for the rows that are tried before one is chosen.
    lines : ndarray of shape (5,)
        Room for `raise_cells`.
    counts, reals : ndarray of shape (5,)
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
    budget : int
        Steps of duals after which it pauses.
    """
    steps = 0
    while counts[LEVEL] >= 0:
        if steps > budget:
            return PAUSED
        level = counts[LEVEL]
        if counts[PHASE] == ADVANCE:
            if stack.moves[level, NEXT] >= stack.moves[level, WAYS]:
                counts[LEVEL] -= 1
                continue
            if level + 1 == len(stack.levels):
                return FULL
            descend(frame, stack, level)
            counts[LEVEL], counts[PHASE] = level + 1, BOUND
            continue
        if counts[PHASE] == BOUND:
            counts[NODES] += 1
            steps += NODE_STEPS + bound_level(rows, frame, stack, desk, level, cutoff, lines)
            counts[PHASE] = CHOOSE
            if stack.levels[level, LOW] < cutoff:
                write_values(rows, frame, stack, desk, level)
                reals[PRICE] = tree_price(rows, frame, desk, stack.levels[level, NORM])
                close_small_norms(rows, frame, stack, desk, level)
                if reals[PRICE] < known:
                    return FOUND
        elif counts[PHASE] == SETTLE:
            moved, norm = settle_splits(
                rows, frame, stack, desk, level, cutoff, tolerance, counts[ROUND]
            )
            steps += NODE_STEPS + SETTLE_STEPS * moved
            raise_cells(rows, frame, stack, desk, level, cutoff, lines)
            counts[ROUND] += 1
            if stack.levels[level, LOW] < cutoff:
                reals[PRICE] = tree_price(rows, frame, desk, norm)
                close_small_norms(rows, frame, stack, desk, level)
                if score_rows(rows, frame, stack, desk, level, dear) >= 0:
                    counts[PHASE] = CHOOSE
                elif not next_norm(rows, frame, stack, level, cutoff, lines, counts, reals):
                    if stack.levels[level, LOW] < cutoff:
                        counts[STUCK] += 1
                        reals[LEAST] = min(reals[LEAST], stack.levels[level, LOW])
                    stack.levels[level, LOW], counts[PHASE] = np.inf, CHOOSE
                if reals[PRICE] < known:
                    return FOUND
        if stack.levels[level, LOW] >= cutoff:
            reals[CLOSED] += stack.levels[level, SHARE]
            counts[LEVEL], counts[PHASE] = level - 1, ADVANCE
            continue
        if counts[PHASE] == CHOOSE:
            if score_rows(rows, frame, stack, desk, level, dear) < 0:
                if not is_complete:
                    return OPEN
                counts[PHASE], counts[ROUND] = SETTLE, 0
                reals[LOW_NORM] = frame.grid[stack.moves[level, FIRST]]
                reals[HIGH_NORM] = frame.grid[stack.moves[level, LAST]]
                forget_lines(lines)
                for s in range(stack.duals.shape[1]):
                    desk.lambdas[s] = stack.planes[level, s, LENGTH] / stack.levels[level, NORM]
                continue
            row, moved = choose_row(
                rows, frame, stack, desk, level, cutoff, candidates, candidate_scores
            )
            steps += moved
            counts[PHASE] = ADVANCE
            if row < 0:
                reals[CLOSED] += stack.levels[level, SHARE]
                counts[LEVEL] = level - 1
            else:
                list_ways(rows, frame, stack, desk, level, row)
    return DONE


@part
def next_norm(
    rows: Rows,
    frame: Frame,
    stack: Stack,
    level: int,
    cutoff: float,
    lines: FloatArray,
    counts: IntArray,
    reals: FloatArray,
) -> bool:
    """Choose the next norm at which a leaf is solved; return False if none is left to try.

    The present duals exclude all norms at which their line reaches the cutoff. Where all norms are
    excluded by one line or another, the leaf is closed. Otherwise the crossing of the steep line
    and the flat one is where the cost of the leaf, which is convex in the norm, may be least.
    """
    gain = length = 0.0
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
