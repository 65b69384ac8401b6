"""Round numbers for a tree: every split as whole points per unit of a feature.

The unit of a feature is the power of ten below its span, so a point means the same order of
magnitude for every feature. The points of one split after the other are searched, not cut off:
each candidate gets its best intercept and is priced with everything else fixed.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from math import gcd
from typing import TypeVar

import numpy as np

from margintree._lib.arrays import BoolArray, FloatArray, IntArray, norm, product
from margintree.core.problem import Problem
from margintree.core.simplify import push_up, with_cheapest_classes
from margintree.core.tree import ObliqueTree
from margintree.search.margin.kernel_data import (
    NO_GRAM,
    MakeKernelData,
    make_kernel_data,
    to_tree,
    to_working_tree,
)
from margintree.search.margin.kernels.line_search import best_intercept, rescale
from margintree.search.margin.local_search import LocalSearch

T = TypeVar("T")

N_SCALES = 24
"""Number of scales at which the weights of a split are rounded first."""
MAX_PASSES = 20
"""Maximum number of passes over the points of a split."""
THRESHOLD_SHARE = 2e-3
"""Share of the cost of the tree that a shorter threshold may cost."""
AROUND, TIED = 4, 1e-9
"""How many thresholds on either side are compared, and the share by which costs differ in a tie. Of
several equally cheap thresholds the middle one is kept."""
MAX_DECIMALS = 6
"""Maximum number of decimals of a threshold."""
NUDGE = 32.0
"""Rounding errors by which an intercept is raised, so that a sum that equals the threshold when
computed by hand reaches it in the computer, too."""


def rounded(
    problem: Problem,
    tree: ObliqueTree,
    points: int,
    make_data: MakeKernelData = make_kernel_data,
    is_over: Callable[[], bool] = lambda: False,
) -> ObliqueTree:
    """Return the tree with at most this many points for a unit of a feature, and short thresholds.

    Every weight is a whole number of points, from ``-points`` to ``points``, divided by the unit of
    its feature, times a factor of the split. A split uses no other features than before. Leaves may
    become too light: judge the tree. When the time ``is_over``, points are cut off and not searched
    for in the splits that are left, and their thresholds stay long.

    Examples
    --------
    >>> from margintree.methods import MOCTSVM
    >>> X = [[0.0, 7.0], [1.0, 3.0], [2.0, 1.0], [3.0, 0.0]]
    >>> problem = Problem.from_data(X, [0, 0, 1, 1], n_classes=2, depth=1)
    >>> tree = ObliqueTree.stump([2.2, -1.4], -0.7, leaf_classes=[0, 1], n_classes=2)
    >>> short = rounded(problem, replace(tree, scaling=problem.scaling), points=10)
    >>> raw = short.in_original_units()
    >>> (raw.weights / raw.weights[0, 0]).round(6)
    array([[ 1. , -0.4]])
    """
    tree = push_up(problem, tree)
    if not tree.n_splits:
        return with_cheapest_classes(problem, tree)
    rounding = _Rounding(problem, tree, points, make_data, is_over)
    return with_cheapest_classes(problem, rounding.run())


@dataclass
class _RowsOfSplit:
    """The rows of a split, what they pay on either side, and their entries in its features."""

    X: FloatArray
    left: FloatArray
    right: FloatArray
    pull: FloatArray
    mass: FloatArray


class _Rounding:
    """A tree whose splits become points, one after the other."""

    def __init__(
        self,
        problem: Problem,
        tree: ObliqueTree,
        points: int,
        make_data: MakeKernelData,
        is_over: Callable[[], bool],
    ) -> None:
        self.problem, self.most, self.is_over = problem, points, is_over
        self.data = make_data(problem, NO_GRAM)
        self.local = LocalSearch(self.data)
        self.local.put(to_working_tree(self.data, tree))
        self.units = problem.scaling.units
        self.steps = problem.scaling.span / self.units  # the weight of a point, scaled
        self.points = np.zeros(tree.weights.shape, dtype=np.int64)

    def run(self) -> ObliqueTree:
        """Return the tree of the best points and short thresholds."""
        nodes = [int(node) for node in self.local.splitting_nodes()]
        for node in nodes:
            self._choose_points(node)
        for _ in self._in_time(range(2)):
            self._rescale()
            for node in nodes:
                self._put(node, self.points[node - 1])
        allowance = THRESHOLD_SHARE * self.local.price() / len(nodes)
        for node in self._in_time(nodes):
            self._shorten_threshold(node, allowance)
        return self._exact()

    def _in_time(self, steps: Iterable[T]) -> Iterator[T]:
        """Yield the steps for which there is time."""
        for step in steps:
            if self.is_over():
                return
            yield step

    def _rescale(self) -> None:
        rescale(self.data, self.local.working, self.local.state.values)
        self.local.settle()

    def _rows_of(self, node: int) -> _RowsOfSplit:
        local, rows = self.local, self.local.rows(node)
        costs = local.state.costs
        left, right = costs[2 * node, rows], costs[2 * node + 1, rows]
        return _RowsOfSplit(
            self.data.X[rows], left, right, self.data.pull[rows], self.data.mass[rows]
        )

    def _choose_points(self, node: int) -> None:
        """Find the points of a split: the best rounding at some scale, then the best steps."""
        line, weights = self._rows_of(node), self.local.working.weights[node].copy()
        roundings = self._roundings(weights)
        best, least = next(roundings), np.inf
        for points in self._in_time(chain([best], roundings)):
            cost = self._price(line, points)
            if cost < least:
                best, least = points, cost
        for _ in range(MAX_PASSES):
            before = least
            for points in self._in_time(self._steps_from(best, weights != 0)):
                cost = self._price(line, points)
                if cost < least:
                    best, least = points, cost
            if not least < before:
                break
        self._put(node, best // gcd(*best.tolist()))

    def _roundings(self, weights: FloatArray) -> Iterator[IntArray]:
        """Yield different roundings of weights at many scales, the finest first."""
        sizes, seen = weights / self.steps, set()
        for share in np.linspace(1.0, 0.05, N_SCALES):
            points = np.round(sizes * (share * self.most / np.abs(sizes).max())).astype(np.int64)
            if points.any() and (key := points.tobytes()) not in seen:
                seen.add(key)
                yield points

    def _steps_from(self, points: IntArray, is_used: BoolArray) -> Iterator[IntArray]:
        """Yield points in which one feature has one more or less, among those that may be used."""
        for feature in np.flatnonzero(is_used):
            for step in (-1, 1):
                changed = points.copy()
                changed[feature] += step
                if changed.any() and abs(changed[feature]) <= self.most:
                    yield changed

    def _normal(self, points: IntArray) -> FloatArray:
        """Return the normal vector of some points, at the common norm."""
        normal = points * self.steps
        return np.asarray(normal * (self.local.scale / norm(normal)))

    def _price(self, line: _RowsOfSplit, points: IntArray) -> float:
        return self._best_intercept(line, self._normal(points))[1]

    def _best_intercept(self, line: _RowsOfSplit, normal: FloatArray) -> tuple[float, float]:
        values = product(line.X, normal)
        found = best_intercept(
            values,
            line.left,
            line.right,
            line.pull,
            line.mass,
            self.data.eps,
            self.data.least_mass,
        )
        return found[0], found[1] + float(self.problem.price_of_features(normal[None])[0])

    def _put(self, node: int, points: IntArray) -> None:
        """Give a split these points and the best intercept for them, if it has one."""
        normal = self._normal(points)
        intercept, cost = self._best_intercept(self._rows_of(node), normal)
        self.points[node - 1] = points
        self.local.working.weights[node] = normal
        if cost < np.inf:
            self.local.working.intercepts[node] = intercept
        self.local.settle()

    def _threshold(self, node: int) -> tuple[float, float]:
        """Return the threshold of a split in points, and the value of a point."""
        working, points = self.local.working, self.points[node - 1]
        value = self.local.scale / norm(points * self.steps)
        start = float(product(points / self.units, self.problem.scaling.minimum))
        return start - working.intercepts[node] / value, value

    def _shorten_threshold(self, node: int, allowance: float) -> None:
        """Round the threshold to as few decimals as the allowance permits, if to any."""
        threshold, value = self._threshold(node)
        present, least = self.local.working.intercepts[node], self.local.price()
        for decimals in self._in_time(range(MAX_DECIMALS + 1)):
            digit = 10.0**-decimals
            places = np.round(threshold / digit) + np.arange(-AROUND, AROUND + 1)
            shifts = (threshold - places * digit) * value
            costs = np.array([self._cost_at(node, present, float(shift)) for shift in shifts])
            if costs.min() <= least + allowance:
                ties = shifts[costs <= costs.min() * (1 + TIED)]
                shift = ties[len(ties) // 2]
                self.local.working.intercepts[node] = present + shift
                self.local.settle()
                return
        self.local.working.intercepts[node] = present
        self.local.settle()

    def _cost_at(self, node: int, present: float, shift: float) -> float:
        self.local.working.intercepts[node] = present + shift
        self.local.settle()
        return self.local.price()

    def _exact(self) -> ObliqueTree:
        """Return the tree, its weights and intercepts computed from points."""
        tree = to_tree(self.problem, self.local.working)
        weights, intercepts = tree.weights.copy(), tree.intercepts.copy()
        for node in self.local.splitting_nodes():
            threshold, value = self._threshold(int(node))
            threshold = round(threshold, MAX_DECIMALS)
            points = self.points[node - 1] / self.units
            weights[node - 1] = value * (points * self.problem.scaling.span)
            terms = points * self.problem.scaling.minimum
            intercept = value * (float(product(np.ones(len(terms)), terms)) - threshold)
            sizes = np.abs(weights[node - 1]).sum() + value * (np.abs(terms).sum() + abs(threshold))
            intercepts[node - 1] = intercept + NUDGE * np.finfo(float).eps * sizes
        return replace(tree, weights=weights, intercepts=intercepts)
