"""Layouts: which rows go to which leaf, priced before there is any hyperplane.

A layout puts every row into one of ``2**D`` groups, and every group belongs to a leaf. At a given
common norm the splits of the tree are independent of each other: each pays for the violations of
the best hyperplane of that norm between the groups on its left and those on its right. So the best
way to hang the groups into the tree is found by dynamic programming over halves of sets of groups.
"""

from typing import NamedTuple

import numpy as np

from margintree._typing import FloatArray, IntArray
from margintree.search.kernels._jit import kernel, part
from margintree.search.kernels.sketch import Task
from margintree.search.kernels.svm import inner_products, repair_duals, smo

_STEPS, _TOLERANCE = 60, 0.1
"""How well margin problems are solved: their dual values are good long before they are exact."""
_CLOSE = 0.15
"""Share by which the norm of a hyperplane may differ from the common one."""
_LEAST, _MOST = 1e-4, 1e2
"""Bounds of the regularity."""
_ROUNDS = 2
"""How often a margin problem is solved to bring its norm closer to the common one."""
_REACH = 1.0
"""How far on the other side of a split, in margins, a row may lie to be moved across it."""


class Layout(NamedTuple):
    """Groups of rows, and what is known of the splits between them.

    A set of groups is a bit mask. All ways to part a set of ``2**h`` groups into halves are
    numbered, sets of fewer groups first.

    Attributes
    ----------
    groups : int ndarray of shape (n,)
        The group of every row, from 0 to ``2**D - 1``; there may be groups without rows.
    wholes, halves : int ndarray of shape (H,)
        What is parted, and the half of it that goes right.
    ways : int ndarray of shape (2**D,)
        The way in which each node parts its groups, by node number; -1 where it does not.
    duals : ndarray of shape (H + 1, n)
        Dual variables of the last margin problem solved for each way, to start the next one. The
        last entry, here and below, is for trials.
    regularity : ndarray of shape (H + 1,)
        The regularity at which its hyperplane has about the common norm.
    planes : ndarray of shape (H + 1, p + 1)
        That hyperplane: normal vector and intercept.
    wrong : float
        What a row pays by the unit that it is on the wrong side of a split.
    scale : float
        The common norm.
    """

    groups: IntArray
    wholes: IntArray
    halves: IntArray
    ways: IntArray
    duals: FloatArray
    regularity: FloatArray
    planes: FloatArray
    wrong: float
    scale: float


@kernel
def part_price(task: Task, layout: Layout, way: int, entry: int) -> float:
    """Return what a split pays that parts a set of groups: nothing where one side has no rows.

    The price is a dual value: no hyperplane of at most the common norm costs these rows less,
    where a row on the wrong side also pays ``wrong`` for every unit that it is there. What has
    been learned goes to an entry, that of the way or that for trials.
    """
    whole, half = layout.wholes[way], layout.halves[way]
    n = len(layout.groups)
    m = n_right = 0
    for i in range(n):
        m += whole >> layout.groups[i] & 1
        n_right += half >> layout.groups[i] & 1
    if n_right == 0 or n_right == m:
        return 0.0
    rows, sides = np.empty(m, dtype=np.int64), np.empty(m)
    box, limits, beta = np.empty(m), np.empty(m), np.empty(m)
    k = 0
    for i in range(n):
        if whole >> layout.groups[i] & 1:
            rows[k], sides[k] = i, 1.0 if half >> layout.groups[i] & 1 else -1.0
            box[k], beta[k] = task.pull[i], layout.duals[way, i]
            limits[k] = box[k] + layout.wrong
            k += 1
    repair_duals(beta, sides, limits)
    gram = inner_products(task.gram, rows)
    bound, intercept, regular = 0.0, 0.0, layout.regularity[way]
    next_regular, steps = regular, max(_STEPS, 1)  # a literal would compile `smo` once more
    for _ in range(_ROUNDS):
        regular = next_regular
        values, intercept = smo(
            gram, sides, box, task.eps, layout.wrong, regular, beta, steps, _TOLERANCE
        )
        squared, dual = 0.0, 0.0
        for k in range(m):
            size = abs(beta[k])
            squared += beta[k] * values[k]
            dual += min(size, box[k]) + task.eps * max(size - box[k], 0.0)
        bound = max(bound, dual - (squared + regular * layout.scale**2) / 2)
        ratio = np.sqrt(max(squared, 1e-12) / regular) / layout.scale
        next_regular = min(max(regular * ratio, _LEAST), _MOST)
        if abs(ratio - 1) < _CLOSE:
            break
    p = task.X.shape[1]
    layout.regularity[entry] = next_regular
    for j in range(p):
        layout.planes[entry, j] = 0.0
    layout.planes[entry, p] = intercept
    for k in range(m):
        layout.duals[entry, rows[k]] = beta[k]
        for j in range(p):
            layout.planes[entry, j] += beta[k] / regular * task.X[rows[k], j]
    return bound + task.split_price


@kernel
def prices_of_groups(task: Task, groups: IntArray) -> FloatArray:
    """Return what it costs to call each group each class, of shape (2**D, K)."""
    prices = np.zeros((1 << task.depth, task.prices.shape[1]))
    for i in range(len(groups)):
        for k in range(prices.shape[1]):
            prices[groups[i], k] += task.prices[i, k]
    return prices


@kernel
def arrange(task: Task, layout: Layout) -> float:
    """Hang the groups into the tree as well as possible; return the price, the norm not included.

    Writes the ways of the nodes.
    """
    everything = (1 << (1 << task.depth)) - 1
    prices = prices_of_groups(task, layout.groups)
    costs, best = np.full(everything + 1, np.inf), np.full(everything + 1, -1)
    for group in range(len(prices)):
        costs[1 << group] = prices[group].min()
    for way in range(len(layout.wholes)):
        whole, half = layout.wholes[way], layout.halves[way]
        if costs[whole] == np.inf:
            costs[whole] = price_of_leaf(prices, whole)
        below = costs[half] + costs[whole ^ half]
        if below < costs[whole]:
            cost = below + part_price(task, layout, way, way)
            if cost < costs[whole]:
                costs[whole], best[whole] = cost, way
    wholes = np.zeros(2 * len(layout.ways), dtype=np.int64)
    wholes[1] = everything
    for node in range(1, len(layout.ways)):
        way = best[wholes[node]]
        half = layout.halves[way] if way >= 0 else 0
        layout.ways[node] = way
        wholes[2 * node], wholes[2 * node + 1] = wholes[node] ^ half, half
    return costs[everything]


@part
def price_of_leaf(prices: FloatArray, whole: int) -> float:
    """Return what a set of groups pays in one leaf."""
    cheapest = np.inf
    for k in range(prices.shape[1]):
        total = 0.0
        for group in range(len(prices)):
            if whole >> group & 1:
                total += prices[group, k]
        cheapest = min(cheapest, total)
    return cheapest


@kernel
def move_rows(task: Task, layout: Layout, rows: IntArray, targets: IntArray, least: float) -> float:
    """Move each row to its target wherever that gains more than ``least``; return the gain.

    The groups stay where they hang. Below a node that does not part its groups they are looked at
    as if each had a leaf of its own: so rows of another class come to a group of their own there,
    and `arrange` can tell whether a split between the two pays.
    """
    prices = prices_of_groups(task, layout.groups)
    splits = np.zeros(len(layout.ways))
    for node in range(1, len(splits)):
        way = layout.ways[node]
        if way >= 0:
            splits[node] = part_price(task, layout, way, way)
    gain = 0.0
    for turn in range(len(rows)):
        i, target, source = rows[turn], targets[turn], layout.groups[rows[turn]]
        if source == target or is_far(task, layout, i, source, target):
            continue
        change = -prices[source].min() - prices[target].min()
        for k in range(prices.shape[1]):
            prices[source, k] -= task.prices[i, k]
            prices[target, k] += task.prices[i, k]
        change += prices[source].min() + prices[target].min()
        layout.groups[i] = target
        change = change_of_splits(task, layout, splits, source, target, change, -least)
        if change < -least:
            gain -= change
            for node in range(1, len(splits)):
                way = layout.ways[node]
                if is_concerned(layout, way, source, target):
                    splits[node] = part_price(task, layout, way, way)
        else:
            layout.groups[i] = source
            for k in range(prices.shape[1]):
                prices[source, k] += task.prices[i, k]
                prices[target, k] -= task.prices[i, k]
    return gain


@part
def change_of_splits(
    task: Task,
    layout: Layout,
    splits: FloatArray,
    source: int,
    target: int,
    change: float,
    limit: float,
) -> float:
    """Add to a change how the prices of the splits change when a row has changed its group.

    Gives up, with infinity, as soon as the change cannot be below the limit.
    """
    hope, trials = 0.0, len(layout.wholes)
    for node in range(1, len(splits)):
        if is_concerned(layout, layout.ways[node], source, target):
            hope += splits[node]
    for node in range(1, len(splits)):
        way = layout.ways[node]
        if change - hope >= limit:
            return np.inf
        if is_concerned(layout, way, source, target):
            change += part_price(task, layout, way, trials) - splits[node]
            hope -= splits[node]
    return change


@part
def is_far(task: Task, layout: Layout, i: int, source: int, target: int) -> bool:
    """Tell whether a row lies deep on the other side of a split on its way to another group."""
    p = task.X.shape[1]
    for way in layout.ways[1:]:
        if is_concerned(layout, way, source, target) and layout.wholes[way] >> target & 1:
            value = layout.planes[way, p]
            for j in range(p):
                value += layout.planes[way, j] * task.X[i, j]
            if (value if layout.halves[way] >> target & 1 else -value) < -_REACH:
                return True
    return False


@kernel
def is_concerned(layout: Layout, way: int, source: int, target: int) -> bool:
    """Tell whether a split has other rows, or other sides, after a row has changed its group."""
    if way < 0:
        return False
    whole, half = layout.wholes[way], layout.halves[way]
    had, has = whole >> source & 1, whole >> target & 1
    return had != has or (had == 1 and (half >> source & 1) != (half >> target & 1))
