"""Kicks: random changes that carry the search out of a local optimum.

A kick changes the sketch at or below one node.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from margintree import topology
from margintree._products import norm, product
from margintree._typing import FloatArray, IntArray
from margintree.search.kernels.sketch import Sketch, clear_below, copy_node, lift
from margintree.search.workbench import Workbench

Kick: TypeAlias = Callable[[Workbench, int, IntArray], None]
"""Changes a workbench at a node, given a grouping of the rows."""


def regroup(bench: Workbench, node: int, groups: IntArray) -> None:
    """Split a node between random groups of its rows; keep what is below it."""
    rows = bench.rows(node)
    if len(rows):
        bench.part(node, random_sides(bench.task.X[rows], groups[rows], bench.rng))


def rebuild(bench: Workbench, node: int, groups: IntArray) -> None:
    """Split a node between random groups of its rows, and grow everything below it anew."""
    bench.cut(node)
    regroup(bench, node, groups)
    bench.grow(node)


def flip(bench: Workbench, node: int, _: IntArray) -> None:
    """Split a node anew after some of the rows close to its hyperplane have changed sides."""
    rows = bench.rows(node)
    values = bench.state.values[node, rows]
    width, chance = 0.2 + bench.rng.random(), bench.rng.random(len(rows))
    sides = np.where(values >= 0, 1.0, -1.0)
    bench.part(node, np.where((np.abs(values) < width) & (chance < 0.4), -sides, sides))


def tilt(bench: Workbench, node: int, _: IntArray) -> None:
    """Turn the hyperplane of a node a little."""
    weights = bench.sketch.weights[node]
    noise = bench.rng.standard_normal(len(weights)) / np.sqrt(len(weights))
    weights += (0.1 + bench.rng.random()) * bench.scale * noise
    weights *= bench.scale / norm(weights)
    projections = product(bench.task.X[bench.rows(node)], weights)
    bench.sketch.intercepts[node] = -projections[bench.rng.integers(len(projections))]
    bench.settle(node)


def promote(bench: Workbench, node: int, _: IntArray) -> None:
    """Put the subtree of a child in the place of its parent, and grow what it lost."""
    lift(bench.sketch, 2 * node + int(bench.rng.integers(2)), node)
    bench.settle(node)
    bench.grow(node)


def insert(bench: Workbench, node: int, groups: IntArray) -> None:
    """Put a new split above a node that parts one group of its rows from all others.

    The subtree of the node moves one level down, to the side of the others; a split on the lowest
    level is lost.
    """
    rows = bench.rows(node)
    group = groups[rows[bench.rng.integers(len(rows))]]
    side = int(bench.rng.integers(2))
    is_parted = groups[rows] == group
    if is_parted.all():
        return
    sink(bench.sketch, node, topology.left(node) + side)
    bench.sketch.splits[node] = False
    outside = topology.sibling(topology.left(node) + side)
    bench.sketch.splits[outside] = False
    clear_below(bench.sketch, outside)
    bench.part(node, np.where(is_parted == bool(side), -1.0, 1.0))
    bench.settle(node)


def sink(sketch: Sketch, node: int, child: int) -> None:
    """Write the subtree of a node over that of its child."""
    depth = len(sketch.splits).bit_length() - 2
    pairs = zip(topology.subtree(node, depth), topology.subtree(child, depth), strict=False)
    for source, target in reversed(list(pairs)):
        copy_node(sketch, source, target)


def prune(bench: Workbench, node: int, _: IntArray) -> None:
    """Make a node terminal."""
    bench.cut(node)


def reweigh(bench: Workbench, *_: object) -> None:
    """Wander off as if every row had another weight."""
    spread = 0.3 + bench.rng.random()
    bench.wander(bench.rng.lognormal(sigma=spread, size=len(bench.task.X)))


KICKS: Sequence[Kick] = (
    rebuild,
    regroup,
    insert,
    flip,
    tilt,
    promote,
    prune,
    reweigh,
)
KICKS_OF_ONE_SPLIT: tuple[Kick, ...] = (rebuild, reweigh)
"""For trees of depth one, where all others lead back to the same few hyperplanes."""


def random_sides(X: FloatArray, groups: IntArray, rng: np.random.Generator) -> FloatArray:
    """Return a side for every row such that rows of one group share it.

    Half of the time groups draw lots, otherwise they follow the closer of two random groups.
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
