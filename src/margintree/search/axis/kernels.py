"""Kernels of the native exact method: the best trees of one and of two levels for some rows.

Rows are given by their ranks, see `margintree.core.axis_tree`: rows of rank ``q`` or more in a
feature go right. ``orders[j]`` lists the rows at hand, sorted by rank in feature ``j``.
"""

from typing import NamedTuple

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray
from margintree._lib.jit import kernel


class RankTable(NamedTuple):
    """The data of all training rows for the kernels."""

    ranks: IntArray  # the ranks of the rows in every feature, of shape (p, n)
    y: IntArray  # class codes
    weights: FloatArray  # row weights
    n_classes: int
    split_price: float  # the price of a split in the unit of the weights


@kernel
def best_sides(
    table: RankTable,
    orders: IntArray,
    sides: IntArray,
    may_split: tuple[bool, bool],
    least: FloatArray,
    places: IntArray,
) -> tuple[float, float]:
    """Return the costs of the left and the right side as leaves or, where allowed, with one split.

    One walk through the rows in every feature serves both sides. ``sides``, of shape (n,), holds
    the side, 0 or 1, of every row at hand. ``may_split`` and ``least`` say for each side whether it
    may be split and how light a leaf may be. ``places``, of shape (2, 2), receives the feature and
    the rank of the best split on each side, -1 if there is none.
    """
    mass, total = np.zeros((2, table.n_classes)), np.zeros(2)
    for i in orders[0]:
        mass[sides[i], table.y[i]] += table.weights[i]
        total[sides[i]] += table.weights[i]
    # A split costs less than a leaf if the weight of correctly classified rows exceeds this.
    hits, costs = np.zeros(2), np.zeros(2)
    for side in range(2):
        for k in range(table.n_classes):
            hits[side] = max(hits[side], mass[side, k])
        costs[side] = total[side] - hits[side]
        hits[side] += table.split_price
        places[side, 0], places[side, 1] = -1, -1
    for j in range(orders.shape[0]):
        before, weight = np.zeros((2, table.n_classes)), np.zeros(2)
        last = np.array([-1, -1])
        for i in orders[j]:
            side, rank = sides[i], table.ranks[j, i]
            is_between = rank > last[side] and last[side] >= 0
            if is_between and min(weight[side], total[side] - weight[side]) >= least[side]:
                left, right = 0.0, 0.0
                for k in range(table.n_classes):
                    left = max(left, before[side, k])
                    right = max(right, mass[side, k] - before[side, k])
                if left + right > hits[side] and may_split[side]:
                    hits[side] = left + right
                    costs[side] = total[side] - hits[side] + table.split_price
                    places[side, 0], places[side, 1] = j, rank
            last[side] = rank
            before[side, table.y[i]] += table.weights[i]
            weight[side] += table.weights[i]
    return costs[0], costs[1]


@kernel
def find_cuts(
    table: RankTable, orders: IntArray, j: int, least: float, cuts: IntArray, below: FloatArray
) -> int:
    """Return the number of thresholds of feature ``j`` that leave ``least`` on both sides.

    Writes the thresholds to ``cuts`` and the weight that goes left to ``below``.
    """
    total = 0.0
    for i in orders[j]:
        total += table.weights[i]
    n_cuts, weight, last = 0, 0.0, -1
    for i in orders[j]:
        rank = table.ranks[j, i]
        if rank > last and last >= 0 and min(weight, total - weight) >= least:
            cuts[n_cuts], below[n_cuts] = rank, weight
            n_cuts += 1
        last = rank
        weight += table.weights[i]
    return n_cuts


@kernel
def best_pair(
    table: RankTable,
    orders: IntArray,
    features: IntArray,
    may_split: tuple[bool, bool],
    least: float,
    upper_bound: float,
    places: IntArray,
) -> float:
    """Return the cost of the best split with at most one more split on each side.

    Returns ``upper_bound`` if no tree costs less. The first split uses one of ``features``. As soon
    as there is a cheaper tree, ``places``, of shape (3, 2), holds the feature and the rank of its
    first split and of the splits on its two sides, -1 if there is none.

    A higher threshold only adds rows on the left, and more rows never cost less. So a threshold
    between two others costs at least the left side of the lower one plus the right side of the
    upper one. The middle is examined only if this sum is below the best cost. With a minimum weight
    of leaves, a leaf that is heavy enough for more rows may be too light for fewer, but only by the
    weight of the rows in between. So the bound lowers the minimum weight by that much.
    """
    n, price, best = orders.shape[1], table.split_price, upper_bound
    sides, cuts, below = np.zeros(len(table.y), np.int64), np.zeros(n, np.int64), np.zeros(n)
    # Threshold c has the number c + 1. This leaves room for one below all and one above all.
    left, right = np.zeros(n + 1), np.zeros(n + 1)
    stack = np.zeros((2 * n + 2, 2), np.int64)
    wanted, found = np.zeros(2), np.zeros((2, 2), np.int64)
    for j in features:
        n_cuts = find_cuts(table, orders, j, least, cuts, below)
        left[0], right[n_cuts + 1] = 0.0, 0.0
        stack[0, 0], stack[0, 1], height = 0, n_cuts + 1, 1
        while height > 0:
            height -= 1
            low, high = stack[height, 0], stack[height, 1]
            if high - low < 2 or price + left[low] + right[high] >= best:
                continue
            middle = (low + high) // 2
            for i in orders[0]:
                sides[i] = table.ranks[j, i] >= cuts[middle - 1]
            wanted[0] = least - (below[high - 2] - below[middle - 1])
            wanted[1] = least - (below[middle - 1] - below[low])
            costs = best_sides(table, orders, sides, may_split, wanted, found)
            left[middle], right[middle] = costs
            if price + costs[0] + costs[1] < best:
                wanted[0], wanted[1] = least, least
                costs = best_sides(table, orders, sides, may_split, wanted, found)
            if price + costs[0] + costs[1] < best:
                best = price + costs[0] + costs[1]
                places[0, 0], places[0, 1] = j, cuts[middle - 1]
                for side in range(2):
                    places[side + 1, 0], places[side + 1, 1] = found[side, 0], found[side, 1]
            stack[height, 0], stack[height, 1] = low, middle
            stack[height + 1, 0], stack[height + 1, 1] = middle, high
            height += 2
    return best
