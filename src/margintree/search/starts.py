"""Starts: how a search lays down its first tree."""

from collections.abc import Callable
from functools import cache
from typing import TypeAlias

import numpy as np

from margintree._products import product
from margintree._typing import FloatArray, IntArray
from margintree.search.moves import rebuild
from margintree.search.workbench import Workbench

Start: TypeAlias = Callable[[Workbench, IntArray], None]
"""Lays a tree on a workbench that has none, given a grouping of the rows."""


def from_random_groups(bench: Workbench, groups: IntArray) -> None:
    """Split the root between random groups and grow the rest."""
    rebuild(bench, 1, groups)


def from_plan(bench: Workbench, groups: IntArray) -> None:
    """Build the tree of the best plan, at the common norm of the workbench."""
    parts = make_plan(bench, groups)
    belongs = membership(groups)
    members = {1: len(belongs) - 1}
    bench.cut(1)
    for node in range(1, len(bench.sketch.intercepts)):
        height = bench.task.depth + 1 - node.bit_length()
        part = int(parts[members.get(node, 0), height])
        if part:
            sides = 2 * belongs[part] - belongs[members[node]]
            if bench.part(node, sides[groups[bench.rows(node)]]):
                members[2 * node], members[2 * node + 1] = members[node] ^ part, part


def make_plan(bench: Workbench, groups: IntArray) -> IntArray:
    """Return, for every set of groups and every height, which part goes right (0: no split).

    Dynamic programming over sets of groups, as bit masks. A set costs what its cheapest class
    costs, or a split in two parts (a margin problem at the common norm of the workbench) and what
    the two parts cost at one height less.
    """
    task, belongs = bench.task, membership(groups)
    prices = np.zeros((belongs.shape[1], task.prices.shape[1]))
    np.add.at(prices, groups, task.prices)
    costs = np.repeat(product(belongs, prices).min(axis=1)[:, None], task.depth + 1, axis=1)
    parts = np.zeros(costs.shape, dtype=np.int64)
    for members in range(1, len(belongs)):
        rows = np.flatnonzero(belongs[members, groups])
        divisions = parts_of(members)
        below = task.split_price + costs[divisions, :-1] + costs[members ^ divisions, :-1]
        for k in np.flatnonzero((below < costs[members, 1:]).any(axis=1)):
            if (below[k] < costs[members, 1:]).any():
                sides = 2 * belongs[divisions[k]] - belongs[members]
                cost = below[k] + bench.propose(1, rows, sides[groups[rows]])
                better = cost < costs[members, 1:]
                costs[members, 1:][better] = cost[better]
                parts[members, 1:][better] = divisions[k]
    return parts


def membership(groups: IntArray) -> FloatArray:
    """Return which groups (columns) belong to which set of groups (rows, as bit masks).

    Examples
    --------
    >>> membership(np.array([0, 1, 1]))[0b10]
    array([0., 1.])
    """
    n_groups = int(groups.max()) + 1
    return (np.arange(1 << n_groups)[:, None] >> np.arange(n_groups) & 1).astype(float)


@cache
def parts_of(members: int) -> IntArray:
    """Return one part of every way to part a set in two.

    Examples
    --------
    >>> parts_of(0b111)
    array([6, 5, 4])
    """
    parts = []
    part = (members - 1) & members
    while part > members ^ part:
        parts.append(part)
        part = (part - 1) & members
    return np.array(parts, dtype=np.int64)
