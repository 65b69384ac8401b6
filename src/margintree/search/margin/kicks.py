"""Kicks: random changes, at or below one node, that carry the search out of a local optimum."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray, norm, product
from margintree.core import topology
from margintree.search.margin.kernels.working_tree import WorkingTree, clear_below, copy_node, lift
from margintree.search.margin.local_search import LocalSearch

Kick: TypeAlias = Callable[[LocalSearch, int, IntArray], None]
"""Changes a local search at a node, given a grouping of the rows."""
FLIP_WIDTH, FLIP_CHANCE = 0.2, 0.4
"""Least distance from a hyperplane, in margins, up to which rows may be flipped, and their
chance."""
DEAR_CHANCE, MOST_MOVED = 0.3, 3
"""How often all dear rows are rerouted, and otherwise the maximum number of rows."""
LEAST_TILT = 0.1
"""Least share of the norm by which a hyperplane is turned."""
LEAST_SPREAD = 0.3
"""Least spread, in logarithms, of the temporary row weights of `reweigh`."""


def regroup(local: LocalSearch, node: int, groups: IntArray) -> None:
    """Split a node between random groups of its rows; keep everything below it."""
    rows = local.rows(node)
    if len(rows):
        local.part(node, random_sides(local.data.X[rows], groups[rows], local.rng))


def rebuild(local: LocalSearch, node: int, groups: IntArray) -> None:
    """Split a node between random groups of its rows, and grow everything below it again."""
    local.cut(node)
    regroup(local, node, groups)
    local.grow(node)


def flip(local: LocalSearch, node: int, _: IntArray) -> None:
    """Split a node again after some rows close to its hyperplane have changed sides."""
    rows = local.rows(node)
    values = local.state.values[node, rows]
    width, chance = FLIP_WIDTH + local.rng.random(), local.rng.random(len(rows))
    sides = np.where(values >= 0, 1.0, -1.0)
    local.part(node, np.where((np.abs(values) < width) & (chance < FLIP_CHANCE), -sides, sides))


def reroute(local: LocalSearch, node: int, _: IntArray) -> None:
    """Send some rows to the other side of a node, with the best hyperplane for exactly these sides.

    They are rows that would pay less there, all of them or a few, or a few rows inside the margin.
    Where features are many, any sides are possible, and a search that weighs errors against
    distances does not find those with few errors.
    """
    rows, rng = local.rows(node), local.rng
    left, right = local.state.costs[2 * node, rows], local.state.costs[2 * node + 1, rows]
    values = local.state.values[node, rows]
    sides = np.where(values >= 0, 1.0, -1.0)
    dear = np.flatnonzero((left - right) * sides < 0)
    close = np.flatnonzero(np.abs(values) < 1)
    if rng.random() < DEAR_CHANCE:
        moved = dear
    else:
        moved = rng.permutation(dear if rng.random() < 0.5 else close)[
            : 1 + rng.integers(MOST_MOVED)
        ]
    sides[moved] *= -1
    local.separate(node, sides)


def tilt(local: LocalSearch, node: int, _: IntArray) -> None:
    """Turn the hyperplane of a node a little."""
    weights = local.working.weights[node]
    noise = local.rng.standard_normal(len(weights)) / np.sqrt(len(weights))
    if local.data.is_sparse:
        noise *= weights != 0
    weights += (LEAST_TILT + local.rng.random()) * local.scale * noise
    weights *= local.scale / norm(weights)
    projections = product(local.data.X[local.rows(node)], weights)
    local.working.intercepts[node] = -projections[local.rng.integers(len(projections))]
    local.settle(node)


def promote(local: LocalSearch, node: int, _: IntArray) -> None:
    """Put the subtree of a child in the place of its parent, and grow the lost part again."""
    lift(local.working, 2 * node + int(local.rng.integers(2)), node)
    local.settle(node)
    local.grow(node)


def insert(local: LocalSearch, node: int, groups: IntArray) -> None:
    """Put a new split above a node that separates one group of its rows from all others.

    The subtree of the node moves down to the side of the others and loses its lowest splits.
    """
    rows = local.rows(node)
    group = groups[rows[local.rng.integers(len(rows))]]
    side = int(local.rng.integers(2))
    is_parted = groups[rows] == group
    if is_parted.all() or not local.has_room:
        return
    sink(local.working, node, topology.left(node) + side)
    local.working.splits[node] = False
    outside = topology.sibling(topology.left(node) + side)
    local.working.splits[outside] = False
    clear_below(local.working, outside)
    local.part(node, np.where(is_parted == bool(side), -1.0, 1.0))
    local.settle(node)


def sink(working: WorkingTree, node: int, child: int) -> None:
    """Write the subtree of a node over the subtree of its child."""
    depth = len(working.splits).bit_length() - 2
    pairs = zip(topology.subtree(node, depth), topology.subtree(child, depth), strict=False)
    for source, target in reversed(list(pairs)):
        copy_node(working, source, target)


def prune(local: LocalSearch, node: int, _: IntArray) -> None:
    """Make a node terminal."""
    local.cut(node)


def reweigh(local: LocalSearch, *_: object) -> None:
    """Improve the tree for a while as if the rows had other weights."""
    spread = LEAST_SPREAD + local.rng.random()
    local.wander(local.rng.lognormal(sigma=spread, size=len(local.data.X)))


KICKS: Sequence[Kick] = (rebuild, regroup, insert, flip, tilt, promote, prune, reweigh, reroute)
KICKS_OF_ONE_SPLIT: tuple[Kick, ...] = (rebuild, reweigh, reroute)
"""For trees of depth one, where all other kicks lead back to the same few hyperplanes."""


def random_sides(X: FloatArray, groups: IntArray, rng: np.random.Generator) -> FloatArray:
    """Return a side for every row such that rows of one group share it.

    Half of the time the sides are random, otherwise groups follow the closer of two random groups.
    """
    present = np.flatnonzero(np.bincount(groups))
    if len(present) < 2:
        return np.zeros(len(groups))
    first = rng.integers(len(present))
    second = (first + rng.integers(1, len(present))) % len(present)
    belongs = groups[:, None] == present
    if rng.random() < 0.5:
        goes_right = rng.random(len(present)) < 0.5
    else:
        means = product(belongs.T, X) / belongs.sum(axis=0)[:, None]
        towards = means[second] - means[first]
        goes_right = product(means - (means[first] + means[second]) / 2, towards) > 0
    goes_right[first], goes_right[second] = False, True
    return np.where(belongs @ goes_right, 1.0, -1.0)
