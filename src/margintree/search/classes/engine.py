"""The search for class trees: one dynamic program for a few classes, many small ones for more."""

from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from functools import partial

import numpy as np
from scipy.cluster.hierarchy import leaves_list, linkage

from margintree._lib.arrays import FloatArray, IntArray
from margintree.core.class_tree import to_tree
from margintree.core.incumbent import Incumbent
from margintree.core.limits import Limits
from margintree.core.method import Method
from margintree.core.problem import Problem
from margintree.core.result import Progress, Result
from margintree.core.tree import ObliqueTree
from margintree.search.classes.arrangement import MAX_BLOCKS, Arrangement
from margintree.search.classes.hyperplanes import (
    Groups,
    Hyperplanes,
    OutOfTime,
    classes_of,
    groups_of,
    lowest_class,
    pair,
    set_of,
)
from margintree.search.loop import run

WINDOW = 8
"""Number of blocks that are arranged anew at a time if there are more classes than `MAX_BLOCKS`."""
BOUND_STEP = 0.01
"""A bound is reported when it has closed this much of the cost."""
GAIN = 1e-6
"""Share of its cost that a new arrangement must save."""


def search_class_trees(
    method: Method,
    problem: Problem,
    limits: Limits,
    starts: Sequence[ObliqueTree] = (),
    progress: Progress | None = None,
) -> Result:
    """Return the best class tree: proved for at most `MAX_BLOCKS` classes, else as good as found.

    Rules about the weight of leaves are kept, but they end the proof where they matter.
    """
    improve = partial(_improve, problem, limits)
    return run(method, problem, improve, limits, starts, progress)


def _improve(
    problem: Problem, limits: Limits, incumbent: Incumbent, starts: Sequence[ObliqueTree]
) -> None:
    classes = np.flatnonzero(problem.class_mass())
    planes = Hyperplanes(problem, incumbent.clock.is_over)
    with suppress(OutOfTime):
        if len(classes) <= MAX_BLOCKS:
            _prove(planes, classes, limits, incumbent)
        else:
            _rearrange(planes, classes, incumbent, starts)
            _bound(planes, classes, incumbent)


def _prove(planes: Hyperplanes, classes: IntArray, limits: Limits, incumbent: Incumbent) -> None:
    """Find the best hierarchy of the classes, or of those that get a leaf, and prove it."""
    problem, is_proof = planes.problem, True
    arrangement = Arrangement(planes, classes.tolist(), problem.depth)
    extra = _prices_without(planes, classes)
    while True:
        for bound, groups in arrangement.improve(extra):
            incumbent.iterations += 1
            _offer(planes, groups, classes, incumbent)
            if is_proof and bound - incumbent.bound > BOUND_STEP * incumbent.objective:
                incumbent.raise_bound(bound)
            if incumbent.gap <= limits.gap:
                return
        if is_proof:
            incumbent.raise_bound(bound)
        if incumbent.objective <= bound * (1 + GAIN):
            return
        # The best tree breaks a rule. Other trees of its classes are not looked at.
        is_proof = False
        extra[_places(groups, classes)] = np.inf


def _prices_without(planes: Hyperplanes, classes: IntArray) -> FloatArray:
    """Return, for every set of classes, the price of having no leaf for the others."""
    has_leaf = np.arange(1 << len(classes))[:, None] >> np.arange(len(classes)) & 1
    prices = np.array([planes.leafless(1 << label) for label in classes.tolist()])
    sizes = has_leaf.sum(axis=1)
    is_allowed = (sizes > 0) & (sizes <= planes.problem.max_splits + 1)
    return np.where(is_allowed, np.where(has_leaf, 0.0, prices).sum(axis=1), np.inf)


def _places(groups: Groups, classes: IntArray) -> int:
    """Return the set of the places in ``classes`` of the classes of a hierarchy."""
    named = classes_of(groups)
    return sum(1 << k for k, label in enumerate(classes.tolist()) if named >> label & 1)


def _offer(planes: Hyperplanes, groups: Groups, classes: IntArray, incumbent: Incumbent) -> None:
    """Offer the tree of a hierarchy unless it costs more than the incumbent."""
    without = planes.leafless(set_of(classes) ^ classes_of(groups))
    if planes.cost_of(groups) + without < incumbent.objective:
        incumbent.offer(to_tree(planes.problem, planes.part_of(groups)))


def _rearrange(
    planes: Hyperplanes, classes: IntArray, incumbent: Incumbent, starts: Sequence[ObliqueTree]
) -> None:
    """Improve a hierarchy, window by window, until no window can be improved."""
    groups = _first_groups(planes, classes, starts)
    _offer(planes, groups, classes, incumbent)
    has_changed = True
    while has_changed:
        has_changed, paths = False, deque[tuple[int, ...]]([()])
        while paths:
            path = paths.popleft()
            part = _at(groups, path)
            if path and not isinstance(part, tuple):
                continue
            leafless = [] if path else _leafless(planes, groups, classes)
            better = _rearranged(planes, part, planes.problem.depth - len(path), leafless)
            incumbent.iterations += 1
            if better != part:
                groups, has_changed = _with(groups, path, better), True
                _offer(planes, groups, classes, incumbent)
            paths += [(*path, 0), (*path, 1)]


def _first_groups(planes: Hyperplanes, classes: IntArray, starts: Sequence[ObliqueTree]) -> Groups:
    """Return the cheapest hierarchy of the starts that name all classes, or one by class means.

    If there are too few leaves, only the heaviest classes get one.
    """
    problem = planes.problem
    n_leaves = min(2**problem.depth, problem.max_splits + 1)
    heaviest = np.argsort(-problem.class_mass()[classes], kind="stable")[:n_leaves]
    chosen = classes[np.sort(heaviest)]
    means = np.array([_mean(problem, label) for label in chosen])
    order = chosen[leaves_list(linkage(means, "average"))] if len(chosen) > 1 else chosen
    known = [groups_of(tree) for tree in starts]
    complete = [groups for groups in known if classes_of(groups).bit_count() == len(chosen)]
    return min([*complete, _halved(order.tolist())], key=planes.cost_of)


def _mean(problem: Problem, label: int) -> FloatArray:
    """Return the mean of the rows of a class."""
    rows = problem.y == label
    return np.average(problem.X[rows], axis=0, weights=problem.row_weights[rows])


def _halved(classes: list[int]) -> Groups:
    """Return a hierarchy that divides a list of classes in the middle, again and again."""
    half = len(classes) // 2
    return pair(_halved(classes[:half]), _halved(classes[half:])) if half else classes[0]


def _at(groups: Groups, path: tuple[int, ...]) -> Groups:
    """Return the part of a hierarchy at the end of a path."""
    for side in path:
        groups = groups[side] if isinstance(groups, tuple) else groups
    return groups


def _with(groups: Groups, path: tuple[int, ...], part: Groups) -> Groups:
    """Return the hierarchy with another part at the end of a path."""
    if not path or not isinstance(groups, tuple):
        return part
    changed = _with(groups[path[0]], path[1:], part)
    return pair(changed, groups[1 - path[0]])


def _leafless(planes: Hyperplanes, groups: Groups, classes: IntArray) -> list[int]:
    """Return the heaviest classes that have no leaf in a hierarchy, at most half a window."""
    named = classes_of(groups)
    missing = [label for label in classes.tolist() if not named >> label & 1]
    return sorted(missing, key=lambda label: -planes.leafless(1 << label))[: WINDOW // 2]


def _rearranged(
    planes: Hyperplanes, part: Groups, levels: int, leafless_classes: Sequence[int]
) -> Groups:
    """Return the best hierarchy of the largest blocks of another, and of classes without a leaf."""
    blocks = sorted(
        [*_blocks(part, WINDOW - len(leafless_classes)), *leafless_classes], key=lowest_class
    )
    inside = np.array([planes.cost_of(block) for block in blocks])
    leafless = np.array([planes.leafless(classes_of(block)) for block in blocks])
    is_out = 1 - (np.arange(1 << len(blocks))[:, None] >> np.arange(len(blocks)) & 1)
    extra = np.where(is_out, leafless, inside).sum(axis=1)
    sizes = np.where(is_out, 0, [classes_of(block).bit_count() for block in blocks]).sum(axis=1)
    extra[(sizes < 1) | (sizes > planes.problem.max_splits + 1)] = np.inf
    classes = classes_of(part) | set_of(np.array(leafless_classes, dtype=np.int64))
    least = planes.cost_of(part) + planes.leafless(classes ^ classes_of(part))
    for bound, groups in Arrangement(planes, blocks, levels).improve(extra):
        cost = planes.cost_of(groups) + planes.leafless(classes ^ classes_of(groups))
        if cost < least * (1 - GAIN):
            part, least = groups, cost
        if bound >= least * (1 - GAIN):
            break
    return part


def _blocks(part: Groups, size: int) -> list[Groups]:
    """Return the blocks that remain when the largest ones are divided until there are ``size``."""
    blocks = [part]
    while len(blocks) < size:
        largest = max(blocks, key=lambda block: classes_of(block).bit_count())
        if not isinstance(largest, tuple):
            break
        blocks.remove(largest)
        blocks += largest
    return blocks


def _bound(planes: Hyperplanes, classes: IntArray, incumbent: Incumbent) -> None:
    """Raise the bound to the least cost of some classes that are close to each other.

    Without the other classes any tree costs less.
    """
    problem = planes.problem
    means = np.array([_mean(problem, label) for label in classes])
    distances = np.linalg.norm(means[:, None] - means, axis=2)
    close = [int(np.argsort(distances.sum(axis=1))[0])]
    while len(close) < WINDOW:
        sums = distances[:, close].sum(axis=1)
        sums[close] = np.inf
        close.append(int(sums.argmin()))
    chosen = classes[np.sort(close)]
    arrangement = Arrangement(planes, chosen.tolist(), problem.depth)
    for bound, _ in arrangement.improve(_prices_without(planes, chosen)):
        incumbent.raise_bound(bound)
