"""Starts: ways to build the first tree of a chain."""

from collections.abc import Callable
from functools import cache
from typing import TypeAlias

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray, product
from margintree.search.margin.kicks import rebuild
from margintree.search.margin.local_search import LocalSearch

Start: TypeAlias = Callable[[LocalSearch, IntArray], None]
"""Builds a tree in a local search that has none, given a grouping of the rows."""


def from_random_groups(local: LocalSearch, groups: IntArray) -> None:
    """Split the root between random groups and grow the rest."""
    rebuild(local, 1, groups)


def from_best_divisions(local: LocalSearch, groups: IntArray) -> None:
    """Build the tree of the best divisions of groups, at the common norm of the local search."""
    parts = best_divisions(local, groups)
    belongs = membership(groups)
    members = {1: len(belongs) - 1}
    local.cut(1)
    for node in range(1, len(local.working.intercepts)):
        height = local.data.depth + 1 - node.bit_length()
        part = int(parts[members.get(node, 0), height])
        if part:
            sides = 2 * belongs[part] - belongs[members[node]]
            if local.part(node, sides[groups[local.rows(node)]]):
                members[2 * node], members[2 * node + 1] = members[node] ^ part, part


def best_divisions(local: LocalSearch, groups: IntArray) -> IntArray:
    """Return, for every set of groups and every height, the part that goes right (0: no split).

    This is dynamic programming over sets of groups, as bit masks. A set costs as much as its
    cheapest class, or as a split into two parts (a margin problem at the common norm of the local
    search) plus the two parts at one height less. If time ends, the larger sets are not divided.
    """
    data, belongs = local.data, membership(groups)
    prices = np.zeros((belongs.shape[1], data.prices.shape[1]))
    np.add.at(prices, groups, data.prices)
    costs = np.repeat(product(belongs, prices).min(axis=1)[:, None], data.depth + 1, axis=1)
    parts = np.zeros(costs.shape, dtype=np.int64)
    for members in range(1, len(belongs)):
        if local.is_over():
            break
        rows = np.flatnonzero(belongs[members, groups])
        divisions = parts_of(members)
        below = data.split_price + costs[divisions, :-1] + costs[members ^ divisions, :-1]
        for k in np.flatnonzero((below < costs[members, 1:]).any(axis=1)):
            if (below[k] < costs[members, 1:]).any():
                sides = 2 * belongs[divisions[k]] - belongs[members]
                cost = below[k] + local.propose(1, rows, sides[groups[rows]])
                better = cost < costs[members, 1:]
                costs[members, 1:][better] = cost[better]
                parts[members, 1:][better] = divisions[k]
    return parts


def membership(groups: IntArray) -> FloatArray:
    """Return which groups (columns) belong to which sets of groups (rows, as bit masks).

    Examples
    --------
    >>> membership(np.array([0, 1, 1]))[0b10]
    array([0., 1.])
    """
    n_groups = int(groups.max()) + 1
    return (np.arange(1 << n_groups)[:, None] >> np.arange(n_groups) & 1).astype(float)


@cache
def parts_of(members: int) -> IntArray:
    """Return one part of every division of a set in two.

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
