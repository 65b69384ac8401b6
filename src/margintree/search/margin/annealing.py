"""Annealing of leaf groups: rows change groups even if that costs more, but less and less so.

Where errors are dear, good trees have pure leaves, and another distribution of the rows to the
leaves is many single moves away that all cost something. Descents and shifts do not make them.
"""

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray
from margintree.search.margin.kernels.leaf_groups import (
    LeafGroups,
    arrange,
    move_rows,
    prices_of_groups,
)
from margintree.search.margin.leaf_groups import (
    WORK_BETWEEN_LOOKS,
    groups_in_leaves,
    improve_groups,
    lay,
    new_groups,
)
from margintree.search.margin.local_search import LocalSearch

MOVES = 15_000
"""Number of moves that one annealing tries."""
DESCENTS = 75
"""Number of descents that take about as long as one annealing."""
HOT, COLD = 0.01, 0.002
"""First and last mean loss of a move that is made, as shares of the lowest cost so far."""
REACH = 3.0
"""A row further than this on the other side of a split, in margins, is not moved across it."""
ANY_GROUP = 0.5
"""Share of the groups of another class that a row may try to join in one round."""
ROUNDS_BETWEEN = 5
"""Rounds of moves before the groups are arranged again."""
NORM_CHANGE = 0.07
"""Maximum share by which the common norm changes in one round."""


def anneal(local: LocalSearch, _limit: float, _max_descents: int) -> tuple[float, int]:
    """Anneal the leaf groups of the tree, build their tree, and descend.

    Returns the cost and the number of descents that all this counts as. The cost is infinite if
    time was over before there was a tree.
    """
    leaf_groups = new_groups(local, groups_in_leaves(local))
    lowest, done, rounds = local.price(), 0, 0
    while done < MOVES and not local.is_over():
        if rounds % ROUNDS_BETWEEN == 0:
            lowest = min(lowest, arrange(local.data, leaf_groups, np.inf))
            divide_everywhere(leaf_groups)
        heat = lowest * HOT * (COLD / HOT) ** (done / MOVES)
        rows, targets = useful_moves(local, leaf_groups.groups)
        limits = heat * local.rng.exponential(size=len(rows))
        move_rows(local.data, leaf_groups, rows, targets, limits, REACH)
        leaf_groups = leaf_groups._replace(
            scale=leaf_groups.scale * norm_factor(local, leaf_groups)
        )
        done, rounds = done + len(rows) + 1, rounds + 1
    improve_groups(local, leaf_groups)
    if local.is_over():
        return np.inf, DESCENTS
    lay(local, leaf_groups)
    return local.descend(), DESCENTS


def useful_moves(local: LocalSearch, groups: IntArray) -> tuple[IntArray, IntArray]:
    """Return rows and groups that they may join, in random order.

    These are groups of the class of the row, groups without rows, and a random part of the other
    groups. Of many rows only some are returned, so that time is looked at often.
    """
    prices, own = prices_of_groups(local.data, groups), local.data.prices.argmin(axis=1)
    fits = prices[:, own] <= prices.min(axis=1)[:, None]
    fits |= local.rng.random(fits.shape) < ANY_GROUP
    fits[groups, np.arange(len(groups))] = False
    order = local.rng.permutation(int(fits.sum()))
    targets, rows = np.nonzero(fits)
    order = order[: max(1, WORK_BETWEEN_LOOKS // len(groups))]
    return rows[order], targets[order]


def divide_everywhere(leaf_groups: LeafGroups) -> None:
    """Give every node a way; groups that share a leaf become one group beside empty ones.

    So a row that leaves them pays for a new split.
    """
    wholes, halves, ways = leaf_groups.wholes, leaf_groups.halves, leaf_groups.ways
    masks = np.zeros(2 * len(ways), dtype=np.int64)
    masks[1] = wholes[-1]
    for node in range(1, len(ways)):
        if ways[node] < 0:
            inside = (masks[node] >> leaf_groups.groups & 1).astype(bool)
            leaf_groups.groups[inside] = int(masks[node] & -masks[node]).bit_length() - 1
            ways[node] = np.flatnonzero(wholes == masks[node])[0]
        masks[2 * node + 1] = halves[ways[node]]
        masks[2 * node] = masks[node] ^ masks[2 * node + 1]


def norm_factor(local: LocalSearch, leaf_groups: LeafGroups) -> float:
    """Return the factor by which the common norm should change.

    At the best norm the lengths of the dual vectors of all splits add up to the slope of the margin
    term.
    """
    slope = leaf_groups.scale if local.data.is_squared else 0.5
    planes: FloatArray = leaf_groups.planes[leaf_groups.ways[1:], :-1]
    lengths = np.sqrt((planes**2).sum(axis=1)) * leaf_groups.regularity[leaf_groups.ways[1:]]
    factor = np.sqrt(lengths.sum() / slope)
    return float(np.clip(factor, 1 - NORM_CHANGE, 1 + NORM_CHANGE))
