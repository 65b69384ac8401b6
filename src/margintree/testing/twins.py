"""Slow twins of the compiled kernels: the same results from the plainest code.

Each function follows the definition or tries everything, and ignores speed. Tests compare it with
its kernel. A twin is correct if you can read it off the model.
"""

from collections.abc import Iterable
from functools import partial
from typing import TypeAlias

import numpy as np
from scipy.optimize import fminbound

from margintree._lib.arrays import FloatArray, IntArray
from margintree.core import topology
from margintree.core.problem import Problem
from margintree.core.tree import ObliqueTree
from margintree.search.margin.kernels.working_tree import CLOSEST, KernelData, WorkingTree
from margintree.testing.convex_polish import Division, convex_polish

Shape: TypeAlias = tuple["Shape", tuple[float, ...], "Shape"] | int
"""A subtree: the label of a terminal node, or left subtree, hyperplane and right subtree."""


def value(data: KernelData, tree: WorkingTree, node: int, row: int) -> float:
    """Return ``f_t(x_i)``."""
    return float(tree.weights[node] @ data.X[row] + tree.intercepts[node])


def values(data: KernelData, tree: WorkingTree) -> FloatArray:
    """Return ``f_t(x_i)`` for nodes that split and 0 for others, of shape (2**D, n)."""
    found = np.zeros((len(tree.intercepts), len(data.X)))
    for node in np.flatnonzero(tree.splits):
        found[node] = [value(data, tree, int(node), row) for row in range(len(data.X))]
    return found


def path(data: KernelData, tree: WorkingTree, row: int, top: int = 1) -> list[int]:
    """Return the nodes that a row visits from ``top`` to its terminal node."""
    if not tree.splits[top]:
        return [top]
    goes_right = value(data, tree, top, row) >= 0
    return [top, *path(data, tree, row, 2 * top + int(goes_right))]


def terminals(data: KernelData, tree: WorkingTree) -> IntArray:
    """Return the node at which each row stops."""
    return np.array([path(data, tree, row)[-1] for row in range(len(data.X))])


def rows_below(stops: IntArray, node: int) -> IntArray:
    """Return the rows that stop at ``node`` or below it."""
    passed = [node == stop or node in topology.ancestors(int(stop)) for stop in stops]
    return np.flatnonzero(passed)


def subtree_cost(data: KernelData, tree: WorkingTree, row: int, top: int) -> float:
    """Return the cost of a row from ``top`` on, with the barrier of the local search."""
    *splitting, stop = path(data, tree, row, top)
    distances = np.abs([value(data, tree, node, row) for node in splitting])
    violations = data.pull[row] * np.maximum(0.0, 1.0 - distances).sum()
    too_close = int((distances < data.eps * CLOSEST).sum())
    called = stop_price(data, row, stop, int(tree.labels[stop]))
    return float(violations + called + too_close * data.barrier)


def stop_price(data: KernelData, row: int, node: int, label: int) -> float:
    """Return the price of a row that stops at a node: for its class, and for all calls before."""
    prices, tolls = data.prices[row], data.tolls[node]
    before = sum(prices[side] * tolls[side] for side in np.flatnonzero(tolls))
    return float(data.stays[node] * prices[label] + before)


def subtree_costs(data: KernelData, tree: WorkingTree) -> FloatArray:
    """Return the cost of each row from each node on, of shape (2**(D+1), n); node 0 is unused."""
    costs = np.zeros((len(tree.splits), len(data.X)))
    for node in range(1, len(costs)):
        costs[node] = [subtree_cost(data, tree, row, node) for row in range(len(data.X))]
    return costs


def subtree_splits(tree: WorkingTree, node: int) -> int:
    """Return the number of splits in the subtree of a node."""
    if not tree.splits[node]:
        return 0
    return 1 + subtree_splits(tree, 2 * node) + subtree_splits(tree, 2 * node + 1)


def shape(tree: WorkingTree, node: int, levels: int) -> Shape:
    """Return the subtree of a node, cut off below this number of levels of splits."""
    if not tree.splits[node] or not levels:
        return int(tree.labels[node])
    plane = (*tree.weights[node].tolist(), float(tree.intercepts[node]))
    left, right = shape(tree, 2 * node, levels - 1), shape(tree, 2 * node + 1, levels - 1)
    return (left, plane, right)


def cheapest_labels(data: KernelData, tree: WorkingTree, stops: IntArray) -> IntArray:
    """Return the labels of all nodes, with the cheapest class at every node with rows."""
    labels = tree.labels.copy()
    for node in np.unique(stops):
        labels[node] = data.prices[stops == node].sum(axis=0).argmin()
    return labels


def line_cost(
    line: FloatArray, left_costs: FloatArray, right_costs: FloatArray, pull: FloatArray, eps: float
) -> float:
    """Return the cost of rows with these values of ``f``; infinity if one is too close."""
    if (np.abs(line) < eps * CLOSEST).any():
        return np.inf
    violations = pull @ np.maximum(0.0, 1.0 - np.abs(line))
    return float(violations + np.where(line >= 0, right_costs, left_costs).sum())


def best_intercept(
    along: FloatArray, left_costs: FloatArray, right_costs: FloatArray, pull: FloatArray, eps: float
) -> float:
    """Return the least cost over all intercepts that leave rows on both sides.

    The cost is linear between places where some ``|f|`` is 1 or ``eps``, so these are enough.
    """
    best = np.inf
    for place in _places(along, np.ones_like(along), eps):
        line = along + place
        if line.min() < 0 <= line.max():
            best = min(best, line_cost(line, left_costs, right_costs, pull, eps))
    return best


def best_step(
    start: FloatArray,
    changes: FloatArray,
    left_costs: FloatArray,
    right_costs: FloatArray,
    pull: FloatArray,
    eps: float,
    reach: float,
) -> float:
    """Return the least cost of ``start + a * changes`` over all places ``a`` within reach."""
    places = [place for place in _places(start, changes, eps) if -reach < place < reach]
    lines = [start + place * changes for place in places]
    costs = [line_cost(line, left_costs, right_costs, pull, eps) for line in lines]
    return min(costs, default=np.inf)


def _places(start: FloatArray, changes: FloatArray, eps: float) -> Iterable[float]:
    """Yield the steps at which some row reaches the value 1, -1, eps or -eps."""
    for where, change in zip(start.tolist(), changes.tolist(), strict=True):
        if change:
            yield from ((level - where) / change for level in (-1.0, -eps, eps, 1.0))


def scale_cost(data: KernelData, distances: FloatArray, pulls: FloatArray, scale: float) -> float:
    """Return the margin term and the violations at a common norm, for distances at norm 1."""
    margin = scale**2 / 2 if data.is_squared else scale / 2
    return float(margin + pulls @ np.maximum(0.0, 1.0 - scale * distances))


def best_scale(data: KernelData, distances: FloatArray, pulls: FloatArray) -> float:
    """Return the least cost over all common norms that keep the routing margin.

    The cost is convex, and smooth except where a row meets its margin.
    """
    low, high = data.eps / distances.min(), 1.0 / distances.min()
    cost = partial(scale_cost, data, distances, pulls)
    smooth = fminbound(cost, low, high, xtol=1e-12 * high)
    return min(cost(scale) for scale in [low, smooth, *np.maximum(low, 1.0 / distances)])


def margin_cost(
    X: FloatArray, sides: FloatArray, box: FloatArray, regular: float, w: FloatArray, b: float
) -> float:
    """Return ``regular/2 ||w||^2 + sum_i box_i * hinge(s_i f(x_i))``."""
    hinges = np.maximum(0.0, 1.0 - sides * (X @ w + b))
    return float(regular / 2 * w @ w + box @ hinges)


def divisions(problem: Problem, tree: ObliqueTree) -> list[Division]:
    """Return the routing of a tree, one division per splitting node, root first."""
    split_values = tree.split_values(problem.X)
    leaves = tree.leaves_of(split_values)
    found = []
    for node in (np.flatnonzero(tree.splits) + 1).tolist():
        rows = np.flatnonzero(leaves >> (tree.depth - topology.depth_of(node)) == node)
        right = split_values[rows, node - 1] >= 0
        plane = tree.weights[node - 1], float(tree.intercepts[node - 1])
        found.append(Division(rows, right, *plane))
    return found


def polished_cost(problem: Problem, tree: ObliqueTree) -> float:
    """Return the least cost of margin and violations over all hyperplanes with this routing."""
    routing = divisions(problem, tree)
    return convex_polish(problem, routing).cost if routing else 0.0
