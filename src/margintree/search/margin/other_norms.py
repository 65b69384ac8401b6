"""The search in the l1 and l-infinity norms: Euclidean searches, whose trees are fitted anew.

The kernels of the search see inner products, so the structure of trees comes from Euclidean
problems. Each tree that they find gets the hyperplanes that cost least in the norm of the problem
for its routing. Then rows move to the other side of a split as long as this helps.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from margintree._lib.arrays import BoolArray, IntArray
from margintree.core import topology
from margintree.core.incumbent import Incumbent
from margintree.core.limits import Limits
from margintree.core.method import Method
from margintree.core.problem import PRICES, Problem
from margintree.core.result import Progress, Reason, Result
from margintree.core.tree import ObliqueTree
from margintree.search.loop import run
from margintree.search.margin.chain import Parts
from margintree.search.margin.engine import iterations_of, search_margin_trees
from margintree.search.margin.kernel_data import MakeKernelData, Shared
from margintree.search.margin.linear_fit import SplitRows, Wishes, fit_hyperplanes

ROUND = 40
"""Number of descents of one Euclidean search."""
TIME_SHARE = 0.5
"""Share of the remaining time for one of them; the linear programs after it need some, too."""
ENOUGH_HITS = 6
"""Number of Euclidean searches that must lead to the best cost to count as convergence."""
MOST_MOVES = 30
"""Maximum number of rows that are moved on their own, those closest to a split first."""
WIDER = 2.0
"""Factor by which the ratio of the two norms may be beyond what is possible for one split."""
SAME = 1e-6
"""Trees whose costs differ by a smaller share count as the same."""

Move: TypeAlias = tuple[IntArray, int]
"""Rows, and a node on their way at which they go to the other side."""


def search_in_norm(
    method: Method,
    problem: Problem,
    limits: Limits,
    starts: Sequence[ObliqueTree] = (),
    progress: Progress | None = None,
    *,
    make_data: MakeKernelData,
    wishes: Wishes,
    shared: Shared | None = None,
    parts: Parts | None = None,
) -> Result:
    """Return the best tree that is found for a problem whose norm is not the Euclidean one.

    The other arguments are those of `search_margin_trees`; ``wishes`` returns the sides that rows
    want. A step counts as one iteration for every descent and every linear program.
    """
    twin = replace(problem, norm="l2")
    known = method.share(twin, limits) if shared is None else replace(shared, problem=twin)
    setting = _Setting(method, problem, limits, make_data, wishes, known, parts)

    def explore(incumbent: Incumbent, origins: Sequence[ObliqueTree]) -> None:
        _Explorer(setting, incumbent).explore(origins)

    return run(method, problem, explore, limits, starts, progress, shared=shared)


@dataclass(frozen=True)
class _Setting:
    """The arguments of `search_in_norm`."""

    method: Method
    problem: Problem
    limits: Limits
    make_data: MakeKernelData
    wishes: Wishes
    shared: Shared | None
    parts: Parts | None


class _Explorer:
    """Euclidean searches one after the other, each followed by a descent in the norm."""

    def __init__(self, setting: _Setting, incumbent: Incumbent) -> None:
        self.setting, self.incumbent = setting, incumbent
        self.method, self.problem = setting.method, setting.problem
        self.most = iterations_of(setting.problem, setting.limits)
        self.rng = np.random.default_rng(setting.limits.seed)

    def explore(self, origins: Sequence[ObliqueTree]) -> None:
        """Search until a limit or the bound is reached, or searches no longer lead elsewhere."""
        for tree in origins:
            self.descend(tree)
        number, hits, may_converge = 0, 0, self.setting.limits.iterations is None
        while not self.is_over() and not (may_converge and hits >= ENOUGH_HITS):
            tree, before = self.euclidean_tree(number), self.incumbent.objective
            cost = self.descend(tree)
            if cost < before * (1 - SAME):
                hits = 0
            hits += cost <= self.incumbent.objective * (1 + SAME)
            number += 1

    def is_over(self) -> bool:
        """Tell whether a limit or the bound is reached."""
        incumbent = self.incumbent
        is_spent = incumbent.iterations >= self.most or incumbent.gap <= self.setting.limits.gap
        return is_spent or incumbent.clock.is_over()

    def euclidean_tree(self, number: int) -> ObliqueTree:
        """Return the tree of a short search in the Euclidean norm, with prices to match."""
        setting, incumbent = self.setting, self.incumbent
        fewer = replace(
            setting.limits,
            iterations=min(ROUND, self.most - incumbent.iterations),
            seconds=TIME_SHARE * incumbent.clock.remaining(),
            seed=int(np.random.default_rng([setting.limits.seed, number]).integers(2**31)),
        )
        found = search_margin_trees(
            setting.method,
            self.twin(self.ratio(number)),
            fewer,
            make_data=setting.make_data,
            shared=setting.shared,
            parts=setting.parts,
        )
        incumbent.iterations += found.iterations
        if found.reason is Reason.INTERRUPTED:
            incumbent.offer(found.tree)
            raise KeyboardInterrupt
        return found.tree

    def ratio(self, number: int) -> float:
        """Return a ratio of the norm to the Euclidean one: that of the best tree, or a random one.

        For a split it lies between 1 and the ratio for equal weights.
        """
        norms_of, tree = self.problem.norms_of, self.incumbent.tree
        if number % 2 and tree.n_splits:
            largest = np.linalg.norm(tree.weights, axis=1).max()
            return float(norms_of(tree.weights).max() / largest)
        equal = np.ones(self.problem.n_features)
        ends = np.sort([1.0, float(norms_of(equal) / np.linalg.norm(equal))])
        least, most = ends[0] / WIDER, ends[1] * WIDER
        return float(least * (most / least) ** self.rng.random())

    def twin(self, ratio: float) -> Problem:
        """Return the Euclidean problem in which a norm costs what ratio times this norm costs.

        The margin term keeps its price, and all other prices are divided instead.
        """
        factor = float(self.problem.margin_price(ratio) / self.problem.margin_price(1.0))
        costs = self.problem.costs
        prices = {name: getattr(costs, name) / factor for _, name in PRICES}
        return replace(self.problem, norm="l2", costs=replace(costs, **prices))

    def descend(self, tree: ObliqueTree) -> float:
        """Fit the tree, move rows as long as this helps, and return the cost."""
        tree, cost = self.fitted(tree)
        moves = moves_of(self.problem, tree)
        while not self.is_over() and (move := next(moves, None)) is not None:
            moved = self.refitted(tree, rerouted(self.problem, tree, *move), is_free=True)
            if moved is None:
                continue
            moved, now = self.fitted(moved)
            if now < cost * (1 - SAME):
                tree, cost, moves = moved, now, moves_of(self.problem, moved)
        return cost

    def fitted(self, tree: ObliqueTree) -> tuple[ObliqueTree, float]:
        """Return the simplified tree with the best hyperplanes for its routing, and its cost."""
        tree = self.simplified(tree)
        cost = self.method.judge(self.problem, tree)
        best = cost.total if cost.is_allowed else np.inf
        found = self.refitted(tree, tree.apply(self.problem.X), is_free=False)
        if found is not None:
            found = self.simplified(found)
            cost = self.method.judge(self.problem, found)
            if cost.is_allowed and cost.total < best:
                tree, best = found, cost.total
        if best < self.incumbent.objective:
            self.incumbent.offer(tree)
        return tree, best

    def simplified(self, tree: ObliqueTree) -> ObliqueTree:
        """Return a simpler tree, as far as there is time."""
        return self.method.simplify_within(self.problem, tree, self.incumbent.clock.remaining())

    def refitted(self, tree: ObliqueTree, leaves: IntArray, is_free: bool) -> ObliqueTree | None:
        """Return the tree with the best hyperplanes for rows that belong in these leaves.

        If ``is_free``, rows may end elsewhere. Returns None if no hyperplanes keep the routing, or
        if there is nothing to route.
        """
        problem = self.problem
        splits, parts = split_rows(problem, tree, leaves, self.setting.wishes, is_free)
        if not parts:
            return None
        self.incumbent.iterations += 1
        found = fit_hyperplanes(problem, parts, self.incumbent.clock.remaining())
        if found is None:
            return None
        weights, intercepts = np.zeros_like(tree.weights), np.full(len(splits), -1.0)
        weights[splits], intercepts[splits] = found
        return replace(tree, weights=weights, intercepts=intercepts, splits=splits)


def split_rows(
    problem: Problem, tree: ObliqueTree, leaves: IntArray, wishes: Wishes, is_free: bool
) -> tuple[BoolArray, list[SplitRows]]:
    """Return the nodes that divide rows which belong in these leaves, and the rows of each.

    Rows want the side of their way if they are free, and the side of the ``wishes`` otherwise.
    """
    values = tree.split_values(problem.X)
    splits, parts = np.zeros(len(tree.splits), dtype=bool), []
    for node in topology.branch_nodes(tree.depth):
        height = tree.depth - topology.depth_of(node)
        rows = np.flatnonzero(leaves >> height == node)
        sides = np.where(leaves[rows] >> (height - 1) & 1, 1.0, -1.0)
        if len(np.unique(sides)) < 2:
            continue
        wanted = sides if is_free else wishes(problem, values[:, [node - 1]])[rows, 0]
        used = tree.weights[node - 1] != 0
        features = used if problem.counts_features and used.any() else np.ones_like(used)
        splits[node - 1] = True
        parts.append(SplitRows(rows, wanted, None if is_free else sides, features))
    return splits, parts


def moves_of(problem: Problem, tree: ObliqueTree) -> Iterator[Move]:
    """Yield rows and splits that they may pass on the other side.

    First the rows of a class in a leaf move together, then those closest to a split alone.
    """
    leaves = tree.apply(problem.X)
    for leaf, label in np.unique(np.stack([leaves, problem.y], axis=1), axis=0).tolist():
        rows = np.flatnonzero((leaves == leaf) & (problem.y == label))
        for node in topology.ancestors(leaf):
            if tree.splits[node - 1]:
                yield rows, node
    visits = tree.decision_path(problem.X).toarray()[:, : len(tree.splits)] > 0
    distances = np.where(visits & tree.splits, np.abs(tree.split_values(problem.X)), np.inf)
    order = np.argsort(distances, axis=None, kind="stable")[:MOST_MOVES]
    for row, place in zip(*np.unravel_index(order, distances.shape), strict=True):
        if np.isfinite(distances[row, place]):
            yield np.array([row]), int(place) + 1


def rerouted(problem: Problem, tree: ObliqueTree, rows: IntArray, node: int) -> IntArray:
    """Return the leaf of every row if some rows pass one node on the other side.

    Below it they follow the splits. Where they stop among rows of another class and the depth
    allows, they go to a leaf of their own.
    """
    leaves, values = tree.apply(problem.X), tree.split_values(problem.X)
    n_leaves = len(tree.leaf_classes)
    for row in rows:
        at = 2 * node + int(values[row, node - 1] < 0)
        while at < n_leaves and tree.splits[at - 1]:
            at = 2 * at + int(values[row, at - 1] >= 0)
        first = at << (tree.depth - topology.depth_of(at))
        is_strange = tree.leaf_classes[first - n_leaves] != problem.y[row]
        apart = 1 << (tree.depth - topology.depth_of(at)) >> 1
        leaves[row] = first + apart if is_strange else first
    return leaves
