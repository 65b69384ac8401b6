"""Leaf groups: which rows go to which leaf, priced before there is any hyperplane.

Every row is in one of ``2**D`` groups, and every group belongs to a leaf. At a given common norm
the splits of the tree are independent of each other: each pays for the violations of the best
hyperplane of that norm between the groups on its left and those on its right. So dynamic
programming over halves of sets of groups finds the best arrangement of the groups in the tree.
"""

from typing import NamedTuple

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray
from margintree._lib.jit import kernel, part
from margintree._lib.svm import (
    ascend,
    inner_products,
    repair_duals,
    values_of_duals,
)
from margintree.search.margin.kernels.working_tree import KernelData, margin_price

_ROUNDS, _STEPS, _TOLERANCE = 7, 10, 0.1
"""Accuracy of the margin problems: their dual values are good long before they are exact."""
_CLOSE = 0.15
"""Share by which the norm of a hyperplane may differ from the common one."""
_LEAST, _MOST = 1e-2, 1e2
"""Bounds on the regularity."""

_APART = 1e-12
"""Least squared distance of two rows in a pair step."""


class LeafGroups(NamedTuple):
    """Groups of rows, and knowledge about the splits between them.

    A set of groups is a bit mask. A way is a division of a set of ``2**h`` groups into halves. All
    H ways are numbered, sets of fewer groups first.
    """

    groups: IntArray  # the group of every row, from 0 to 2**D - 1; groups may be empty
    wholes: IntArray  # the set that each way divides
    halves: IntArray  # the half of it that goes right
    ways: IntArray  # the way of each node, by node number, first a guess; -1 for no division
    duals: FloatArray  # the last dual variables of each way, as a warm start, (H, n)
    regularity: FloatArray  # the hyperplane of a way has about the common norm here, within bounds
    planes: FloatArray  # normal and intercept at the last pricing without a limit, (H, p + 1)
    wrong: float  # price per unit of distance of a row on the wrong side of a split
    scale: float  # the common norm


@kernel
def least_price(data: KernelData, leaf_groups: LeafGroups, way: int) -> float:
    """Return a lower bound on the price of a split, from the last dual variables of its way.

    They are clipped to the present sides of the rows, and those of one side are scaled, as in
    `repair_duals`. Their gains are scaled by the same factor, which never overestimates them.
    """
    whole, half = leaf_groups.wholes[way], leaf_groups.halves[way]
    n, p = data.X.shape
    vectors, sizes, gains = np.zeros((2, p)), np.zeros(2), np.zeros(2)
    for i in range(n):
        if whole >> leaf_groups.groups[i] & 1:
            side = half >> leaf_groups.groups[i] & 1
            size = leaf_groups.duals[way, i] if side else -leaf_groups.duals[way, i]
            if size > 0:
                size = min(size, data.pull[i] + leaf_groups.wrong)
                sizes[side] += size
                gains[side] += dual_gain(data, i, size)
                for j in range(p):
                    vectors[side, j] += size * data.X[i, j]
    smaller = min(sizes[0], sizes[1])
    if smaller == 0:
        return 0.0
    left, right = smaller / sizes[0], smaller / sizes[1]
    squared = 0.0
    for j in range(p):
        squared += (right * vectors[1, j] - left * vectors[0, j]) ** 2
    bound = left * gains[0] + right * gains[1] - np.sqrt(squared) * leaf_groups.scale
    return max(bound, 0.0) + data.split_price


@part
def dual_gain(data: KernelData, i: int, size: float) -> float:
    """Return the contribution of a row's dual variable of this size to the dual value."""
    return min(size, data.pull[i]) + data.eps * max(size - data.pull[i], 0.0)


@kernel
def part_price(data: KernelData, leaf_groups: LeafGroups, way: int, limit: float) -> float:
    """Return the price of a split from `solve_part`, and store the solution in the leaf groups.

    The hyperplane is stored only if there is no limit.
    """
    price, rows, beta, regular, intercept = solve_part(data, leaf_groups, way, limit)
    leaf_groups.regularity[way] = regular
    for k in range(len(rows)):
        leaf_groups.duals[way, rows[k]] = beta[k]
    if limit == np.inf:
        write_plane(data, leaf_groups, way, rows, intercept)
    return price


@kernel
def solve_part(
    data: KernelData, leaf_groups: LeafGroups, way: int, limit: float
) -> tuple[float, IntArray, FloatArray, float, float]:
    """Return the price of the split of a way: 0 if one side has no rows.

    Also returns the rows of the margin problem, their dual variables, the regularity and the
    intercept; there are no rows if nothing had to be solved.

    The price is a dual value: no hyperplane of at most the common norm costs these rows less, where
    a row on the wrong side also pays ``wrong`` per unit of distance. As soon as the price is known
    not to be below the limit, it is returned as it is.

    At a norm ``s`` the dual value is ``gain - s * |v|``. That is at least ``gain - |v|**2 / (2 * r)
    - r * s**2 / 2``, the dual value at the regularity ``r``, with equality at ``r = |v| / s``. So
    it rises with every round of steps at that regularity, unless the regularity is out of bounds.
    """
    bound, regular = least_price(data, leaf_groups, way), leaf_groups.regularity[way]
    if bound >= limit:
        return bound, np.empty(0, dtype=np.int64), np.empty(0), regular, 0.0
    rows, sides = rows_and_sides(leaf_groups, way)
    m = len(rows)
    if abs(sides.sum()) == m:
        return 0.0, np.empty(0, dtype=np.int64), np.empty(0), regular, 0.0
    box, limits, beta = np.empty(m), np.empty(m), np.empty(m)
    for k in range(m):
        box[k], beta[k] = data.pull[rows[k]], leaf_groups.duals[way, rows[k]]
        limits[k] = box[k] + leaf_groups.wrong
    repair_duals(beta, sides, limits)
    gram = inner_products(data.gram, rows)
    values = values_of_duals(gram, regular, beta)
    highest, lowest = np.inf, -np.inf
    steps = max(_STEPS, 1)  # a literal would compile `ascend` once more
    for done in range(_ROUNDS + 1):
        squared, gain = 0.0, 0.0
        for k in range(m):
            squared += beta[k] * values[k] * regular
            gain += dual_gain(data, rows[k], abs(beta[k]))
        length, wanted = np.sqrt(max(squared, 0.0)), regular
        bound = max(bound, max(gain - length * leaf_groups.scale, 0.0) + data.split_price)
        if length > 0:
            wanted = min(max(length / leaf_groups.scale, _LEAST), _MOST)
        is_solved = highest - lowest <= _TOLERANCE and abs(wanted / regular - 1) < _CLOSE
        if is_solved or done == _ROUNDS or bound >= limit:
            break
        for k in range(m):
            values[k] *= regular / wanted
        regular = wanted
        highest, lowest = ascend(
            gram, sides, box, data.eps, leaf_groups.wrong, regular, beta, values, steps, _TOLERANCE
        )
    return bound, rows, beta, regular, (highest + lowest) / 2


@kernel
def rows_and_sides(leaf_groups: LeafGroups, way: int) -> tuple[IntArray, FloatArray]:
    """Return the rows in the set that a way divides, and their sides, -1 or +1."""
    whole, half = leaf_groups.wholes[way], leaf_groups.halves[way]
    n, m = len(leaf_groups.groups), 0
    for i in range(n):
        m += whole >> leaf_groups.groups[i] & 1
    rows, sides, k = np.empty(m, dtype=np.int64), np.empty(m), 0
    for i in range(n):
        if whole >> leaf_groups.groups[i] & 1:
            rows[k], sides[k] = i, 1.0 if half >> leaf_groups.groups[i] & 1 else -1.0
            k += 1
    return rows, sides


@part
def write_plane(
    data: KernelData, leaf_groups: LeafGroups, way: int, rows: IntArray, intercept: float
) -> None:
    """Write the hyperplane of the dual variables of a way."""
    p = data.X.shape[1]
    for j in range(p):
        leaf_groups.planes[way, j] = 0.0
    leaf_groups.planes[way, p] = intercept
    for i in rows:
        for j in range(p):
            leaf_groups.planes[way, j] += (
                leaf_groups.duals[way, i] / leaf_groups.regularity[way] * data.X[i, j]
            )


@kernel
def prices_of_groups(data: KernelData, groups: IntArray) -> FloatArray:
    """Return the price of each class for each group, of shape (2**D, K)."""
    prices = np.zeros((1 << data.depth, data.prices.shape[1]))
    for i in range(len(groups)):
        for k in range(prices.shape[1]):
            prices[groups[i], k] += data.prices[i, k]
    return prices


@kernel
def arrange(data: KernelData, leaf_groups: LeafGroups, limit: float) -> float:
    """Find the best arrangement of the groups in the tree; return its cost.

    Writes the ways of the nodes only if the cost is below the limit; otherwise returns the limit.
    The groups and the stored dual variables give a lower bound on the price of every way, so few
    margin problems are solved completely. With eight groups, these are first all pairs. Then the
    ways to divide the set of all groups are tried, the most promising first: that way, then its two
    sets of four groups, until the way costs too much.
    """
    everything = (1 << (1 << data.depth)) - 1
    prices = prices_of_groups(data, leaf_groups.groups)
    costs, best = np.empty(everything + 1), np.full(everything + 1, -1)
    for whole in range(everything + 1):
        costs[whole] = price_of_leaf(prices, whole)
    costs[everything] = min(costs[everything], limit)
    least, hopes = costs.copy(), np.full(len(leaf_groups.wholes), np.inf)
    norm = margin_price(data, leaf_groups.scale)
    for way in range(len(hopes)):
        whole, half = leaf_groups.wholes[way], leaf_groups.halves[way]
        if whole == everything:
            hopes[way] = (
                norm + least[half] + least[whole ^ half] + least_price(data, leaf_groups, way)
            )
        elif half & (half - 1) == 0:
            least[whole] = hang(data, leaf_groups, way, costs, best, np.inf)
        else:
            below = least[half] + least[whole ^ half]
            least[whole] = min(least[whole], below + least_price(data, leaf_groups, way))
    if leaf_groups.ways[1] >= 0:
        hopes[leaf_groups.ways[1]] = -np.inf  # likely to be good, so it rules out many others
    for _ in range(len(hopes)):
        way = int(hopes.argmin())
        if hopes[way] >= costs[everything]:
            break
        hopes[way] = np.inf
        half = leaf_groups.halves[way]
        halves = (half, everything ^ half)
        cost = norm + least[halves[0]] + least[halves[1]]
        cost += part_price(data, leaf_groups, way, costs[everything] - cost)
        for side in halves:
            if cost < costs[everything]:
                cost -= least[side]
                least[side] = hang_all(
                    data, leaf_groups, side, costs, best, costs[everything] - cost
                )
                cost += least[side]
        if cost < costs[everything]:
            costs[everything], best[everything] = cost, way
    if costs[everything] == limit:
        return limit
    wholes = np.zeros(2 * len(leaf_groups.ways), dtype=np.int64)
    wholes[1] = everything
    for node in range(1, len(leaf_groups.ways)):
        way = best[wholes[node]]
        half = leaf_groups.halves[way] if way >= 0 else 0
        leaf_groups.ways[node] = way
        wholes[2 * node], wholes[2 * node + 1] = wholes[node] ^ half, half
    return costs[everything]


@kernel
def hang(
    data: KernelData,
    leaf_groups: LeafGroups,
    way: int,
    costs: FloatArray,
    best: IntArray,
    limit: float,
) -> float:
    """Try a way to divide a set whose halves are arranged already; record it if it is the best.

    Returns a lower bound on the cost of the set in this or the best way, exact below the limit.
    """
    whole, half = leaf_groups.wholes[way], leaf_groups.halves[way]
    below, most = costs[half] + costs[whole ^ half], min(costs[whole], limit)
    if below >= most:
        return min(below, costs[whole])
    cost = below + part_price(data, leaf_groups, way, most - below)
    if cost < most:
        costs[whole], best[whole] = cost, way
    return min(cost, costs[whole])


@kernel
def hang_all(
    data: KernelData,
    leaf_groups: LeafGroups,
    whole: int,
    costs: FloatArray,
    best: IntArray,
    limit: float,
) -> float:
    """Try all ways to divide a set; return its cost, or a bound that is not below the limit."""
    least = costs[whole]
    for way in range(len(leaf_groups.wholes)):
        half = leaf_groups.halves[way]
        if leaf_groups.wholes[way] == whole and half & (half - 1):
            least = min(least, hang(data, leaf_groups, way, costs, best, limit))
    return least


@part
def price_of_leaf(prices: FloatArray, whole: int) -> float:
    """Return the price of a set of groups in one leaf."""
    cheapest = np.inf
    for k in range(prices.shape[1]):
        total = 0.0
        for group in range(len(prices)):
            if whole >> group & 1:
                total += prices[group, k]
        cheapest = min(cheapest, total)
    return cheapest


@kernel
def move_rows(
    data: KernelData,
    leaf_groups: LeafGroups,
    rows: IntArray,
    targets: IntArray,
    limits: FloatArray,
    reach: float,
) -> float:
    """Move each row to its target if this changes the cost by less than its limit.

    Returns the gain. A row further than ``reach`` on the other side of a split, in margins, is not
    moved across it. The arrangement stays. Below a node that does not divide its groups, each group
    counts as if it had its own leaf. So rows of another class come to a group of their own there,
    and `arrange` can tell whether a split between the two pays.
    """
    prices = prices_of_groups(data, leaf_groups.groups)
    splits = np.zeros(len(leaf_groups.ways))
    for node in range(1, len(splits)):
        way = leaf_groups.ways[node]
        if way >= 0:
            splits[node] = part_price(data, leaf_groups, way, np.inf)
    gain = 0.0
    for turn in range(len(rows)):
        i, target, source = rows[turn], targets[turn], leaf_groups.groups[rows[turn]]
        if source == target or is_far(data, leaf_groups, i, source, target, reach):
            continue
        change = -prices[source].min() - prices[target].min()
        for k in range(prices.shape[1]):
            prices[source, k] -= data.prices[i, k]
            prices[target, k] += data.prices[i, k]
        change += prices[source].min() + prices[target].min()
        leaf_groups.groups[i] = target
        change = change_of_splits(data, leaf_groups, splits, i, source, change, limits[turn])
        if change < limits[turn]:
            gain -= change
            for node in range(1, len(splits)):
                way = leaf_groups.ways[node]
                if is_concerned(leaf_groups, way, source, target):
                    splits[node] = part_price(data, leaf_groups, way, np.inf)
        else:
            leaf_groups.groups[i] = source
            for k in range(prices.shape[1]):
                prices[source, k] += data.prices[i, k]
                prices[target, k] -= data.prices[i, k]
    return gain


@part
def change_of_splits(
    data: KernelData,
    leaf_groups: LeafGroups,
    splits: FloatArray,
    i: int,
    source: int,
    change: float,
    limit: float,
) -> float:
    """Add to ``change`` the change in the prices of the splits after a row has left its group.

    Stops as soon as the change cannot be below the limit; the result is then not below it.
    """
    target, least = leaf_groups.groups[i], np.zeros(len(splits))
    for node in range(1, len(splits)):
        way = leaf_groups.ways[node]
        if is_concerned(leaf_groups, way, source, target):
            if leaf_groups.wholes[way] >> source & 1 and leaf_groups.duals[way, i] != 0.0:
                least[node] = least_price(data, leaf_groups, way)
            else:
                least[node] = splits[node] + gain_of_row(data, leaf_groups, way, i)
            change += least[node] - splits[node]
    for node in range(1, len(splits)):
        way = leaf_groups.ways[node]
        if change < limit and is_concerned(leaf_groups, way, source, target):
            change -= least[node]
            change += solve_part(data, leaf_groups, way, limit - change)[0]
    return change


@kernel
def gain_of_row(data: KernelData, leaf_groups: LeafGroups, way: int, i: int) -> float:
    """Return by how much the price of a split rises at least if a row without dual variable joins.

    This is the gain of one pair step. Its partner is the closest row with a dual variable that may
    rise and fall, because such rows are at the margin.
    """
    whole, half, group = leaf_groups.wholes[way], leaf_groups.halves[way], leaf_groups.groups[i]
    if not whole >> group & 1:
        return 0.0
    p, side = data.X.shape[1], 1.0 if half >> group & 1 else -1.0
    value = leaf_groups.planes[way, p]
    for j in range(p):
        value += leaf_groups.planes[way, j] * data.X[i, j]
    if side * value >= 1:
        return 0.0
    partner, closest = -1, np.inf
    for k in range(len(data.X)):
        size = abs(leaf_groups.duals[way, k])
        if 0 < size < data.pull[k] and k != i and whole >> leaf_groups.groups[k] & 1:
            squared = data.gram[k, k] - 2 * data.gram[i, k]
            if squared < closest:
                partner, closest = k, squared
    if partner < 0:
        return 0.0
    return pair_gain(data, leaf_groups, way, i, partner, side, closest + data.gram[i, i])


@part
def pair_gain(
    data: KernelData,
    leaf_groups: LeafGroups,
    way: int,
    i: int,
    partner: int,
    side: float,
    squared: float,
) -> float:
    """Return the gain of the dual value if a row and its partner move their dual variables.

    ``side`` is the side of the row, and ``squared`` the squared distance of the two.
    """
    p, regular = data.X.shape[1], leaf_groups.regularity[way]
    group, size = leaf_groups.groups[partner], abs(leaf_groups.duals[way, partner])
    falls = (leaf_groups.halves[way] >> group & 1 == 1) == (side > 0)
    slope = -1.0 if falls else 1.0
    difference, length = 0.0, 0.0
    for j in range(p):
        normal = leaf_groups.planes[way, j]
        difference += normal * (data.X[i, j] - data.X[partner, j])
        length += normal * normal
    difference *= side
    step = regular * (1.0 + slope - difference) / max(squared, _APART)
    if step > data.pull[i]:
        step = max(data.pull[i], regular * (data.eps + slope - difference) / max(squared, _APART))
    step = min(step, data.pull[i] + leaf_groups.wrong)
    step = min(step, size if falls else data.pull[partner] - size)
    if step <= 0:
        return 0.0
    before = regular * np.sqrt(length)
    after = before * before + step * (2 * regular * difference + step * squared)
    gain = dual_gain(data, i, step) + slope * step
    return max(gain - (np.sqrt(max(after, 0.0)) - before) * leaf_groups.scale, 0.0)


@part
def is_far(
    data: KernelData, leaf_groups: LeafGroups, i: int, source: int, target: int, reach: float
) -> bool:
    """Tell whether a row is deep on the other side of a split on its way to another group."""
    p = data.X.shape[1]
    for way in leaf_groups.ways[1:]:
        if is_concerned(leaf_groups, way, source, target) and leaf_groups.wholes[way] >> target & 1:
            value = leaf_groups.planes[way, p]
            for j in range(p):
                value += leaf_groups.planes[way, j] * data.X[i, j]
            if (value if leaf_groups.halves[way] >> target & 1 else -value) < -reach:
                return True
    return False


@kernel
def is_concerned(leaf_groups: LeafGroups, way: int, source: int, target: int) -> bool:
    """Tell whether a row that changes its group changes the rows or the sides of a split."""
    if way < 0:
        return False
    whole, half = leaf_groups.wholes[way], leaf_groups.halves[way]
    had, has = whole >> source & 1, whole >> target & 1
    return had != has or (had == 1 and (half >> source & 1) != (half >> target & 1))
