"""The native exact method: branch and bound over the thresholds of axis-parallel trees.

Kernels (`margintree.search.axis.kernels`) find the best trees of one and two levels. For deeper
trees, intervals of thresholds of the first split are halved repeatedly, the most promising first.
The bound of an interval is the cost of the best subtrees on the left of the threshold below it and
on the right of the threshold above it. No threshold in between costs less.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray
from margintree._lib.exceptions import InvalidInputError
from margintree.core import topology
from margintree.core.axis_tree import AxisTree, feature_ranks, to_tree
from margintree.core.incumbent import ROUNDING, Incumbent
from margintree.core.limits import Clock, Limits
from margintree.core.method import Method
from margintree.core.problem import Problem
from margintree.core.result import Progress, Result
from margintree.core.tree import ObliqueTree
from margintree.search.axis.cart import grow
from margintree.search.axis.kernels import RankTable, best_pair, best_sides, find_cuts
from margintree.search.loop import run

CELLS_PER_CALL = 100_000
"""Rows times features in one call of a kernel; the clock is checked between calls."""


def search_axis_trees(
    method: Method,
    problem: Problem,
    limits: Limits,
    starts: Sequence[ObliqueTree] = (),
    progress: Progress | None = None,
) -> Result:
    """Return the axis-parallel tree with the cheapest errors and splits, and a proof.

    Starts that break the rules are ignored.
    """
    plain = 1.0 - np.eye(problem.n_classes)
    if problem.costs.errors <= 0 or not np.array_equal(problem.error_costs, plain):
        raise InvalidInputError(
            "The native method needs a positive cost of errors, the same for every pair of "
            f"classes; the cost is {problem.costs.errors!r} and the prices are "
            f"{problem.error_costs.tolist()}. Use weights of rows or classes instead."
        )

    def improve(incumbent: Incumbent, _: list[ObliqueTree]) -> None:
        incumbent.offer(grow(problem, limits.seed))
        with suppress(_TimeUpError):
            _search(problem, limits, incumbent)

    return run(method, problem, improve, limits, starts, progress, finder="native")


@cache
def compile_kernels() -> None:
    """Run every kernel once on a toy problem, so that no time limit pays for compilation."""
    problem = Problem.from_data([[0.0], [1.0], [2.0]], [0, 1, 0], n_classes=2, depth=3)
    searcher = _Searcher(problem, Clock().is_over)
    part = _Subproblem(_orders(searcher.table.ranks), depth=3, n_splits=7, least=0.0)
    _Thresholds(searcher, part, np.inf).run()


def _orders(ranks: IntArray) -> IntArray:
    return np.argsort(ranks, axis=1, kind="stable")


def _search(problem: Problem, limits: Limits, incumbent: Incumbent) -> None:
    """Offer better trees and raise the bound until the two meet."""
    searcher, unit = _Searcher(problem, incumbent.clock.is_over), problem.costs.errors
    part = _Subproblem(
        _orders(searcher.table.ranks), problem.depth, problem.max_splits, problem.rules.least_mass
    )
    thresholds = _Thresholds(searcher, part, incumbent.objective / unit)
    unit_below = unit * (1 - ROUNDING / 2)
    incumbent.raise_bound(thresholds.bound * unit_below)
    while not thresholds.is_done and incumbent.gap > limits.gap:
        if thresholds.step():
            incumbent.offer(to_tree(problem, searcher.table.ranks, thresholds.best.axis_tree))
        incumbent.raise_bound(thresholds.bound * unit_below)


class _TimeUpError(Exception):
    """The clock is over."""


class _Subproblem(NamedTuple):
    """The task to find the best tree for some rows."""

    orders: IntArray  # the rows, sorted by rank in every feature, of shape (p, m)
    depth: int
    n_splits: int  # the maximum number of splits
    least: float  # the minimum weight of a leaf


class _BestTree(NamedTuple):
    """The best tree if it costs less than the limit; otherwise a bound, not below the limit."""

    cost: float
    axis_tree: AxisTree | None = None


class _Searcher:
    """Finds the best trees for subsets of the rows of a problem."""

    def __init__(self, problem: Problem, is_over: Callable[[], bool]) -> None:
        self.is_over = is_over
        self.table = RankTable(
            ranks=feature_ranks(problem.X),
            y=np.array(problem.y),
            weights=np.array(problem.row_weights),
            n_classes=problem.n_classes,
            split_price=problem.costs.splits / problem.costs.errors,
        )

    def best(self, part: _Subproblem, upper: float) -> _BestTree:
        """Return the best tree if it costs less than ``upper``, otherwise a bound."""
        rows = part.orders[0]
        mass = np.bincount(self.table.y[rows], self.table.weights[rows])
        leaf = float(mass.sum() - mass.max())
        # At most this number of classes have a leaf; rows of all others are errors.
        n_named = min(topology.n_leaves(part.depth), part.n_splits + 1)
        bound = float(np.sort(mass)[:-n_named].sum()) + self.table.split_price
        if part.n_splits == 0 or part.depth == 0 or leaf <= bound:
            return _BestTree(leaf)
        if bound >= upper:
            return _BestTree(bound)
        upper = min(upper, leaf)
        found = self._find(part, upper)
        return found if found.cost < upper else _BestTree(upper)

    def _find(self, part: _Subproblem, upper: float) -> _BestTree:
        """Return the best tree with a split if it costs less than ``upper``."""
        if self.is_over():
            raise _TimeUpError
        if part.depth == 1 or part.n_splits == 1:
            return self._stump(part)
        if part.depth == 2:
            return self._pair(part, upper)
        return _Thresholds(self, part, upper).run()

    def _stump(self, part: _Subproblem) -> _BestTree:
        sides, places = np.zeros(len(self.table.y), dtype=np.int64), np.empty((2, 2), np.int64)
        least = np.array([part.least, np.inf])
        cost, _ = best_sides(self.table, part.orders, sides, (True, False), least, places)
        return _BestTree(cost, _axis_tree(places[:1]))

    def _pair(self, part: _Subproblem, upper: float) -> _BestTree:
        n_features, n_rows = part.orders.shape
        step = max(1, CELLS_PER_CALL // (n_features * n_rows))
        places = np.full((3, 2), -1)
        for shares in _shares(part):
            for first in range(0, n_features, step):
                features = np.arange(first, min(first + step, n_features))
                may_split = bool(shares[0]), bool(shares[1])
                upper = best_pair(
                    self.table, part.orders, features, may_split, part.least, upper, places
                )
                if self.is_over():
                    raise _TimeUpError
        return _BestTree(upper, _axis_tree(places))


def _axis_tree(places: IntArray, node: int = 0) -> AxisTree | None:
    """Return the axis tree of up to three splits, given as features and ranks, root first."""
    if node >= len(places) or places[node, 0] < 0:
        return None
    feature, rank = places[node].tolist()
    return AxisTree(
        feature, rank, _axis_tree(places, 2 * node + 1), _axis_tree(places, 2 * node + 2)
    )


def _shares(part: _Subproblem) -> list[tuple[int, int]]:
    """Return the possible pairs of numbers of other splits, left and right of the first split."""
    most = topology.n_branch_nodes(part.depth - 1)
    others = min(part.n_splits, topology.n_branch_nodes(part.depth)) - 1
    return [(a, others - a) for a in range(most + 1) if 0 <= others - a <= most]


@dataclass(frozen=True, eq=False)
class _Line:
    """The thresholds of a feature, for given numbers of splits on the two sides.

    Threshold c has the number c + 1. This leaves room for one below all and one above all.
    """

    feature: int
    shares: tuple[int, int]  # the maximum numbers of splits on the left and on the right
    cuts: IntArray  # the thresholds as ranks
    below: FloatArray  # the weight of the rows below each threshold
    left: FloatArray  # known bounds on the left side, for this and every higher threshold
    right: FloatArray  # known bounds on the right side, for this and every lower threshold


class _Thresholds:
    """Branch and bound over intervals of thresholds of the first split."""

    def __init__(self, searcher: _Searcher, part: _Subproblem, upper: float) -> None:
        self.searcher, self.part = searcher, part
        self.best = _BestTree(upper)
        self.heap: list[tuple[float, int, _Line, int, int]] = []
        self.n_pushed = 0
        for shares in _shares(part):
            for feature in range(len(part.orders)):
                self._open(feature, shares)

    def _open(self, feature: int, shares: tuple[int, int]) -> None:
        n_rows = self.part.orders.shape[1]
        cuts, below = np.empty(n_rows, np.int64), np.empty(n_rows)
        table, orders = self.searcher.table, self.part.orders
        n_cuts = find_cuts(table, orders, feature, self.part.least, cuts, below)
        left, right = np.zeros((2, n_cuts + 2))
        line = _Line(feature, shares, cuts[:n_cuts], below[:n_cuts], left, right)
        self._push(line, 0, n_cuts + 1)

    def _push(self, line: _Line, low: int, high: int) -> None:
        """Put the thresholds strictly between two others on the heap if one may be better."""
        bound = float(self.searcher.table.split_price + line.left[low] + line.right[high])
        if high - low > 1 and bound < self.best.cost:
            self.n_pushed += 1
            heappush(self.heap, (bound, self.n_pushed, line, low, high))

    @property
    def bound(self) -> float:
        """A lower bound on the cost of the best tree so far and of every tree with a split."""
        return min(self.heap[0][0], self.best.cost) if self.heap else self.best.cost

    @property
    def is_done(self) -> bool:
        """Whether no remaining threshold can be better."""
        return self.bound >= self.best.cost

    def run(self) -> _BestTree:
        """Return the best tree if it costs less than the upper bound."""
        while not self.is_done:
            self.step()
        return self.best

    def step(self) -> bool:
        """Examine the middle of the most promising interval; tell whether a better tree was found.

        The interval stays on the heap, and counts in the bound, until it has been examined.
        """
        _, _, line, low, high = self.heap[0]
        middle, known = (low + high) // 2, self.best
        self._look(line, low, middle, high)
        heappop(self.heap)
        self._push(line, low, middle)
        self._push(line, middle, high)
        return self.best is not known

    def _look(self, line: _Line, low: int, middle: int, high: int) -> None:
        """Bound both sides of a threshold, and solve them if their sum may be better.

        A side is solved up to the cost at which its half of the interval is ruled out.
        """
        spare = self.best.cost - self.searcher.table.split_price
        parts, below = self._parts(line, middle), line.below
        wanted = (
            self.part.least - (below[high - 2] - below[middle - 1]),
            self.part.least - (below[middle - 1] - below[low]),
        )
        left = self._side(line, parts, 0, wanted[0], spare - line.right[high])
        right = self._side(line, parts, 1, wanted[1], spare - line.left[low])
        line.left[middle], line.right[middle] = left.cost, right.cost
        if left.cost + right.cost >= spare:
            return
        if wanted[0] < self.part.least:
            left = self._side(line, parts, 0, self.part.least, spare - right.cost)
        if wanted[1] < self.part.least:
            right = self._side(line, parts, 1, self.part.least, spare - left.cost)
        if left.cost + right.cost < spare:
            cost = self.searcher.table.split_price + left.cost + right.cost
            rank = int(line.cuts[middle - 1])
            self.best = _BestTree(
                cost, AxisTree(line.feature, rank, left.axis_tree, right.axis_tree)
            )

    def _parts(self, line: _Line, middle: int) -> tuple[IntArray, IntArray]:
        """Return the rows on each side of a threshold, still sorted by rank in every feature."""
        orders = self.part.orders
        is_right = (self.searcher.table.ranks[line.feature] >= line.cuts[middle - 1])[orders]
        p = len(orders)
        return orders[~is_right].reshape(p, -1), orders[is_right].reshape(p, -1)

    def _side(
        self, line: _Line, parts: tuple[IntArray, IntArray], side: int, least: float, upper: float
    ) -> _BestTree:
        part = _Subproblem(parts[side], self.part.depth - 1, line.shares[side], max(0.0, least))
        return self.searcher.best(part, upper)
