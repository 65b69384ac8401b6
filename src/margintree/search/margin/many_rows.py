"""Search with many rows: find the structure on a sample, then improve it node by node on all rows.

The weights of a sample are scaled up, so that trees cost about as much on it as on all rows. On all
rows a node is improved as in the small search, but its direction comes from dual coordinate
descent. This needs no inner products, and its time is proportional to the number of rows.
"""

from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from margintree._lib.arrays import BoolArray, FloatArray, IntArray, norm, product
from margintree._lib.svm import solve_by_rows
from margintree.core import topology
from margintree.core.problem import Problem
from margintree.core.rules import used_groups
from margintree.core.tree import ObliqueTree
from margintree.search.margin.kernel_data import to_tree, to_working_tree
from margintree.search.margin.kernels.features import PASSES, columns
from margintree.search.margin.kernels.line_search import best_intercept
from margintree.search.margin.kernels.many_rows import (
    route_costs,
    route_scale,
    route_terminals,
)
from margintree.search.margin.kernels.sweep import light_terminal, relabel
from margintree.search.margin.kernels.working_tree import (
    KernelData,
    WorkingTree,
    count_splits,
    margin_price,
    rows_below,
    splits_price,
)

SAMPLE_ROWS = 500
"""Rows in a sample: few enough that all inner products fit in the cache."""
LEAST_ROWS = 5
"""Minimum number of rows of every class in a sample, as far as available."""
MANY_ROWS = 1000
"""Problems with more rows than this are searched through a sample."""
STRENGTHS = (1.0, 0.01)
"""Price of violations, relative to the regularity, in the margin problems on all rows."""
AXIS_ROWS = 2000
"""Number of rows on which single features are compared."""
N_AXES = 2
"""Number of best single features that are tried on all rows."""
SHORT = 1e-9
"""Shorter vectors have no usable direction."""
MAX_ROUNDS = 4
"""Maximum number of rounds that search for subtrees on samples of their own."""
ENOUGH = 1e-3
"""Least relative gain of a sweep over all rows, or of a new subtree, that is worth it."""
Find: TypeAlias = Callable[[IntArray, BoolArray, int], ObliqueTree]
"""Returns a good tree of some depth for some rows, given which rows are wrong now."""


def sample(
    problem: Problem, rows: IntArray, is_wrong: BoolArray, depth: int, rng: np.random.Generator
) -> Problem:
    """Return the problem of a random sample of some rows.

    If a tree gets some rows wrong, these make up half of the sample. Every class keeps its weight,
    both among the wrong rows and among the others.
    """
    strata = 2 * problem.y[rows] + is_wrong
    chosen, weights = [], []
    for stratum in np.unique(strata):
        members = rows[strata == stratum]
        share = len(members) / len(rows)
        if is_wrong.any():
            share = (share + stratum % 2 * len(members) / is_wrong.sum()) / 2
        size = min(max(LEAST_ROWS, round(SAMPLE_ROWS * share)), len(members))
        drawn = rng.choice(members, size=size, replace=False)
        mass = problem.row_weights[drawn]
        chosen.append(drawn)
        weights.append(mass * (problem.row_weights[members].sum() / mass.sum()))
    drawn, mass = np.concatenate(chosen), np.concatenate(weights)
    order = np.argsort(drawn)
    drawn, mass = drawn[order], mass[order]
    return replace(problem, X=problem.X[drawn], y=problem.y[drawn], row_weights=mass, depth=depth)


class Refiner:
    """Improves a tree on all rows of a large problem, node by node."""

    def __init__(
        self,
        problem: Problem,
        data: KernelData,
        tree: ObliqueTree,
        seed: int,
        is_over: Callable[[], bool] = lambda: False,
    ) -> None:
        self.problem, self.data = problem, data
        self.working = to_working_tree(data, tree)
        self.rng = np.random.default_rng(seed)
        self.is_over = is_over
        self.terminals = np.ones(problem.n_rows, dtype=np.int64)
        self.rounds_left = MAX_ROUNDS
        self._settle()

    def tree(self) -> ObliqueTree:
        """Return the tree as it is now."""
        return to_tree(self.problem, self.working)

    def price(self) -> float:
        """Return the cost of the tree, with a high price for rows within the routing margin."""
        margin = margin_price(self.data, self.working.scale[0])
        return self._price(np.arange(self.problem.n_rows), 1) + float(margin)

    def sweep(self) -> None:
        """Improve every splitting node once, lowest first, then the common norm."""
        for node in np.flatnonzero(self.working.splits)[::-1]:
            if self.is_over():
                return
            self._improve(int(node))
        factor = route_scale(self.data, self.working) / self.working.scale[0]
        for array in (self.working.weights, self.working.intercepts, self.working.scale):
            array *= factor

    def regrow(self, find: Find) -> bool:
        """Search for better subtrees on samples of the rows that arrive at each node, top down.

        A sample of all rows leaves few for the lower nodes. Returns whether a subtree was replaced.
        """
        changed = False
        if self.rounds_left > 0:
            self.rounds_left -= 1
            for node in range(1, len(self.working.intercepts)):
                if (node == 1 or self.working.splits[node // 2]) and not self.is_over():
                    changed |= self._regrow_node(node, find)
        return changed

    def _regrow_node(self, node: int, find: Find) -> bool:
        rows = rows_below(self.terminals, node)
        before = self._price(rows, node)
        if before <= 0:
            return False
        is_wrong = self._costs(rows, node) >= self.data.prices[rows].max(axis=1)
        if self.rounds_left % 2:  # every other round uses a plain sample
            is_wrong[:] = False
        found = find(rows, is_wrong, self.data.depth + 1 - node.bit_length())
        kept = deepcopy(self.working)
        graft(to_working_tree(self.data, found.deepened(self.data.depth)), self.working, node)
        is_cheaper = self._price(rows, node) < before * (1 - ENOUGH)
        if is_cheaper:
            self._settle()
            if self._obeys():
                return True
        self.working = kept
        if is_cheaper:
            self._settle()
        return False

    def _price(self, rows: IntArray, node: int) -> float:
        """Return the cost of the subtree of a node, without the margin term."""
        return float(self._costs(rows, node).sum() + splits_price(self.data, self.working, node))

    def _settle(self) -> None:
        route_terminals(self.data, self.working, self.terminals)
        relabel(self.data, self.working, self.terminals)

    def _improve(self, node: int) -> None:
        """Give a node a cheaper hyperplane if one is found, with the subtrees below it fixed."""
        rows = rows_below(self.terminals, node)
        if len(rows) < 2:
            return
        present = self._price_of(self.working.weights[node])
        cost = self._costs(rows, node).sum() + present
        left, right = self._costs(rows, 2 * node), self._costs(rows, 2 * node + 1)
        X = self.data.X[rows]
        before = self.working.weights[node].copy(), self.working.intercepts[node]
        changed = False
        for weights in self._directions(X, rows, node, left, right):
            weights = weights * (self.working.scale[0] / norm(weights))
            intercept, now = self._best_intercept(product(X, weights), left, right, rows)
            now += self._price_of(weights)
            if now < cost:
                cost, changed = now, True
                self.working.weights[node], self.working.intercepts[node] = weights, intercept
        if changed:
            self._settle()
            if not self._obeys():
                self.working.weights[node], self.working.intercepts[node] = before
                self._settle()

    def _obeys(self) -> bool:
        """Tell whether the tree keeps the rules."""
        data, working = self.data, self.working
        has_room = count_splits(working, 1) <= data.max_splits
        if data.is_sparse:
            splits = working.splits[: len(working.intercepts)]
            used = used_groups(working.weights[splits], data.groups)
            has_room &= bool(used.any(axis=0).sum() <= data.max_groups)
            has_room &= bool(used.sum(axis=1).max(initial=0) <= data.max_per_split)
        if data.least_mass <= 0:
            return bool(has_room)
        return bool(has_room and light_terminal(data, working, self.terminals) == 0)

    def _price_of(self, weights: FloatArray) -> float:
        """Return the price of the features of a split with these weights."""
        if not self.data.is_sparse:
            return 0.0
        used = used_groups(weights[None], self.data.groups)
        return float(product(used.astype(float), self.data.group_prices)[0])

    def _best_intercept(
        self, values: FloatArray, left: FloatArray, right: FloatArray, rows: IntArray
    ) -> tuple[float, float]:
        """Return the best intercept for rows with these values, and its cost."""
        data, pull, mass = self.data, self.data.pull[rows], self.data.mass[rows]
        return best_intercept(values, left, right, pull, mass, data.eps, data.least_mass)

    def _directions(
        self, X: FloatArray, rows: IntArray, node: int, left: FloatArray, right: FloatArray
    ) -> Iterator[FloatArray]:
        """Yield promising normal vectors: the present one, large margins, and single features.

        If features are counted, large margins use those of the present one.
        """
        present = self.working.weights[node].copy()
        yield present
        kept = np.where(product(X, present) + self.working.intercepts[node] >= 0, 1.0, -1.0)
        sides = np.where(left == right, kept, np.where(left > right, 1.0, -1.0))
        box = self.data.pull[rows] + np.abs(left - right)
        if np.abs(sides.sum()) == len(sides) or not box.any():
            return
        for strength in STRENGTHS:
            pulls = strength * box / box.mean()
            found = self._large_margin(rows, sides, pulls, present)
            between = _unit(found) + _unit(present)
            yield from (one for one in (found, between) if norm(one) > SHORT)
        yield from self._best_axes(X, rows, left, right)

    def _large_margin(
        self, rows: IntArray, sides: FloatArray, pulls: FloatArray, present: FloatArray
    ) -> FloatArray:
        """Return the normal vector of a margin problem."""
        beta = np.zeros(len(rows))
        if not self.data.is_sparse:
            return solve_by_rows(self.data.X, rows, sides, pulls, 1.0, beta, PASSES)
        features = np.flatnonzero(present)
        block = columns(self.data.X, rows, features)
        found = np.zeros_like(present)
        found[features] = solve_by_rows(
            block, np.arange(len(rows)), sides, pulls, 1.0, beta, PASSES
        )
        return found

    def _best_axes(
        self, X: FloatArray, rows: IntArray, left: FloatArray, right: FloatArray
    ) -> Iterator[FloatArray]:
        """Yield the single features, up or down, that divide a sample of the rows best."""
        few = self.rng.permutation(len(rows))[:AXIS_ROWS]
        scale = self.working.scale[0]
        axes = np.vstack([np.eye(X.shape[1]), -np.eye(X.shape[1])])
        costs = [
            self._best_intercept(product(scale * X[few], axis), left[few], right[few], rows[few])[1]
            for axis in axes
        ]
        yield from axes[np.argsort(costs, kind="stable")[:N_AXES]]

    def _costs(self, rows: IntArray, node: int) -> FloatArray:
        costs = np.empty(len(rows))
        route_costs(self.data, self.working, rows, node, costs)
        return costs


def graft(source: WorkingTree, target: WorkingTree, node: int) -> None:
    """Put a whole tree in the place of a subtree of the same height, at the norm of the target."""
    factor = target.scale[0] / source.scale[0]
    depth = len(target.splits).bit_length() - 2
    pairs = zip(topology.subtree(node, depth), topology.subtree(1, depth), strict=False)
    for mine, theirs in pairs:
        target.splits[mine] = source.splits[theirs]
        target.labels[mine] = source.labels[theirs]
        if source.splits[theirs]:
            target.weights[mine] = source.weights[theirs] * factor
            target.intercepts[mine] = source.intercepts[theirs] * factor


def _unit(vector: FloatArray) -> FloatArray:
    """Return the vector scaled to norm 1; a vector that is too short stays as it is."""
    length = norm(vector)
    return vector / length if length > SHORT else vector
