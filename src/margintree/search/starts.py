"""Starts: how a search lays down its first tree."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

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
    n_groups = int(groups.max()) + 1
    parts = make_plan(bench, groups)
    members = {1: (1 << n_groups) - 1}
    bench.cut(1)
    for node in range(1, len(bench.sketch.intercepts)):
        height = bench.task.depth + 1 - node.bit_length()
        part = int(parts[members.get(node, 0), height])
        if part:
            sides = signs_of(part, members[node], n_groups)
            if bench.part(node, sides[groups[bench.rows(node)]]):
                members[2 * node], members[2 * node + 1] = members[node] ^ part, part


def make_plan(bench: Workbench, groups: IntArray) -> IntArray:
    """Return, for every set of groups and every height, which part goes right (0: no split).

    Dynamic programming over sets of groups, as bit masks. A set costs what its cheapest class
    costs, or a split in two parts (a margin problem at the common norm of the workbench) and what
    the two parts cost at one height less.
    """
    n_groups, task = int(groups.max()) + 1, bench.task
    prices = np.zeros((n_groups, task.prices.shape[1]))
    np.add.at(prices, groups, task.prices)
    costs = np.zeros((1 << n_groups, task.depth + 1))
    parts = np.zeros((1 << n_groups, task.depth + 1), dtype=np.int64)
    for members in range(1, 1 << n_groups):
        is_member = (members >> np.arange(n_groups)) & 1
        costs[members] = (is_member @ prices).min()
        rows = np.flatnonzero(is_member[groups])
        for part in _parts_of(members):
            other = members ^ part
            below = task.split_price + costs[part, :-1] + costs[other, :-1]
            better = below < costs[members, 1:]
            if better.any():
                sides = signs_of(part, members, n_groups)[groups[rows]]
                cost = below + bench.propose(1, rows, sides)
                better = cost < costs[members, 1:]
                costs[members, 1:][better] = cost[better]
                parts[members, 1:][better] = part
    return parts


def _parts_of(members: int) -> list[int]:
    """Return one part of every way to part a set in two.

    Examples
    --------
    >>> _parts_of(0b111)
    [6, 5, 4]
    """
    parts = []
    part = (members - 1) & members
    while part > members ^ part:
        parts.append(part)
        part = (part - 1) & members
    return parts


def signs_of(part: int, members: int, n_groups: int) -> FloatArray:
    """Return +1 for groups in ``part``, -1 for other members of the set, 0 for all else."""
    bits = np.arange(n_groups)
    return np.where((part >> bits) & 1, 1.0, np.where((members >> bits) & 1, -1.0, 0.0))
