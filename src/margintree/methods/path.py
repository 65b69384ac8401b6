"""Paths: one training set under many costs, where every search starts from known trees.

Work that does not depend on the costs is done once. The cost of a tree is a sum of terms, each
proportional to its price. So one matrix product prices all known trees at new costs, and the next
search starts from the cheapest trees of different kinds. Iteration limits decide, not seconds, so
every machine finds the same path.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from margintree import __version__
from margintree._lib.arrays import FloatArray, product
from margintree.core.limits import Clock, Limits
from margintree.core.method import Method
from margintree.core.problem import Costs, Problem
from margintree.core.result import Reason, Result
from margintree.core.space import Space
from margintree.core.tree import ObliqueTree

Point: TypeAlias = Mapping[str, Any]
"""One combination of parameters."""
N_STARTS = 3
"""Number of known trees that a search starts from, in addition to a start of its own."""
GAIN = 1e-6
"""Share of the cost by which a tree of another point must be cheaper to justify a second search."""
N_ANCHORS = 12
"""Maximum number of anchors: points with a longer first search, to give the rest good starts."""
ANCHOR_SHARE = 1 / 16
"""Maximum share of anchors among the points of a path."""
ANCHOR_FACTOR = 8
"""Factor on the iterations at an anchor."""


def path(
    method: Method,
    rows: Problem,
    points: Sequence[Point],
    limits: Limits | None = None,
    clock: Clock | None = None,
    *,
    is_fair: bool = False,
) -> list[Result]:
    """Return a result for every combination of parameters; each search starts from known trees.

    Parameters
    ----------
    method : Method
        The method.
    rows : Problem
        The training set; its own depth, costs and rules are ignored.
    points : sequence of mapping
        The combinations of parameters, all of the same ``max_depth``.
    limits : Limits, optional
        Limits of the search at each point, with few iterations. If the method explores costs, known
        trees and one own start share the iterations, so fewer known trees get fewer iterations.
    clock : Clock, optional
        The clock of the whole path. When its time is over, every remaining point gets the cheapest
        known tree.
    is_fair : bool, default=False
        Whether every search gets at most its share of the time that is left. Otherwise the first
        may take all of it.

    Returns
    -------
    list of Result
        In the order of the points. Seconds include a share of the work for all points.

    Examples
    --------
    >>> from margintree.methods import MOCTSVM
    >>> X, y = [[0.0], [0.2], [0.7], [1.0]], [0, 0, 1, 1]
    >>> rows = Problem.from_data(X, y, n_classes=2, depth=1)
    >>> points = [{"max_depth": 1, "c1": c1, "c2": 1.0, "c3": 0.1} for c1 in (0.01, 10.0)]
    >>> [result.tree.n_splits for result in path(MOCTSVM(), rows, points)]
    [0, 1]
    """
    if not points:
        return []
    problems = [method.pose(rows, **point) for point in points]
    if any(kind_of(problem) != kind_of(problems[0]) for problem in problems):
        return _path_of_each_kind(method, rows, points, problems, limits, clock, is_fair)
    fits = _Fits(method, problems, limits or Limits(), clock or Clock(), is_fair)
    order = sorted(range(len(points)), key=lambda k: method.path_key(problems[k]))
    if not method.explores_costs:
        fits.n_left = len(order)
        found = {k: fits.fit(k) for k in order}
        return [found[k] for k in range(len(points))]
    anchors = order[:: int(max(1 / ANCHOR_SHARE, len(order) / N_ANCHORS + 1))]
    fits.n_left = len(anchors) + len(order)
    shared = sum(fits.fit(k, ANCHOR_FACTOR).seconds for k in anchors) / len(points)
    found = {k: fits.fit(k) for k in order}
    for n_left, k in zip(range(len(order), 0, -1), reversed(order), strict=True):
        fits.n_left = n_left
        first = found[k]
        if fits.pool.least_cost(_prices(method, problems[k])) < first.objective * (1 - GAIN):
            again = fits.fit(k)
            better = min(again, first, key=lambda result: result.objective)
            found[k] = replace(better, seconds=again.seconds + first.seconds)
    return [replace(found[k], seconds=found[k].seconds + shared) for k in range(len(points))]


def kind_of(problem: Problem) -> tuple[Space, str]:
    """Return the space and the norm of a problem, on which shared data depend."""
    return problem.scaling, problem.norm


def _path_of_each_kind(
    method: Method,
    rows: Problem,
    points: Sequence[Point],
    problems: Sequence[Problem],
    limits: Limits | None,
    clock: Clock | None,
    is_fair: bool,
) -> list[Result]:
    """Return the results of one path per space and norm, whose trees start no search in another.

    The paths share the time that is left.
    """
    groups: list[list[int]] = []
    for k, problem in enumerate(problems):
        for group in groups:
            if kind_of(problems[group[0]]) == kind_of(problem):
                group.append(k)
                break
        else:
            groups.append([k])
    clock = clock or Clock()
    found: dict[int, Result] = {}
    for left, group in zip(range(len(groups), 0, -1), groups, strict=True):
        share = Clock(clock.remaining() / left, clock.memory)
        results = path(method, rows, [points[k] for k in group], limits, share, is_fair=is_fair)
        found |= dict(zip(group, results, strict=True))
    return [found[k] for k in range(len(points))]


class _Fits:
    """Searches at one point after another and remembers all trees.

    ``n_left`` searches share the time, if they are fair.
    """

    def __init__(
        self,
        method: Method,
        problems: Sequence[Problem],
        limits: Limits,
        clock: Clock,
        is_fair: bool,
    ) -> None:
        self.method, self.problems, self.limits, self.clock = method, problems, limits, clock
        self.is_fair, self.n_left = is_fair, 1
        self.shared = method.share(problems[0], limits)
        self.pool = Pool(_unit_terms(method, problems[0]))

    def fit(self, k: int, factor: int = 1) -> Result:
        """Search at a point, from the trees that are cheapest there."""
        problem = self.problems[k]
        starts = self.pool.cheapest(_prices(self.method, problem), N_STARTS)
        if self.clock.is_over():
            # Points may have different rules, and a tree of one may break those of another.
            allowed = [tree for tree in starts if self.method.judge(problem, tree).is_allowed]
            if allowed:
                return self._unsearched(problem, allowed[0])
        iterations = self.limits.iterations
        if iterations and self.method.explores_costs:
            iterations *= factor
            if starts:
                iterations = max(1, iterations * (1 + len(starts)) // (1 + N_STARTS))
        seconds = min(self.limits.seconds, self._share())
        limits = replace(self.limits, iterations=iterations, seconds=seconds)
        result = self.method.search(problem, limits, starts, shared=self.shared)
        if result.reason is Reason.INTERRUPTED:  # an interrupted path would not be reproducible
            raise KeyboardInterrupt
        self.pool.add(result.tree)
        return result

    def _share(self) -> float:
        """Return the seconds for a search, of which one less is left after it."""
        sharers, self.n_left = max(1, self.n_left), self.n_left - 1
        return self.clock.remaining() / (sharers if self.is_fair else 1)

    def _unsearched(self, problem: Problem, tree: ObliqueTree) -> Result:
        """Return a known tree as the result, without a search."""
        return Result(
            tree=tree,
            cost=self.method.judge(problem, tree),
            bound=0.0,
            reason=Reason.LIMIT,
            limit=self.clock.struck,
            gap_limit=self.limits.gap,
            trace=(),
            solver="search",
            version=__version__,
            seconds=0.0,
        )


def _prices(method: Method, problem: Problem) -> FloatArray:
    """Return the prices of the method's terms; a term without a price has price 1."""
    names = method.terms.values()
    return np.array([getattr(problem.costs, name) if name else 1.0 for name in names])


def _unit_terms(method: Method, problem: Problem) -> Callable[[ObliqueTree], FloatArray]:
    """Return a function that returns the terms of a tree's cost, each at a price of 1."""
    unit = replace(problem, costs=Costs(1.0, 1.0, 1.0, 1.0, problem.costs.by_feature))
    names = list(method.terms)

    def terms(tree: ObliqueTree) -> FloatArray:
        known = method.judge(unit, tree).terms
        return np.array([known[name] for name in names])

    return terms


class Pool:
    """Trees of one training set with the terms of their costs, each at a price of 1.

    Examples
    --------
    >>> pool = Pool(lambda tree: np.array([float(tree.n_splits), 3.0 - tree.n_splits]))
    >>> leaf = ObliqueTree.leaf(1, n_features=1, n_classes=2)
    >>> stump = ObliqueTree.stump([1.0], -0.5, leaf_classes=[0, 1], n_classes=2)
    >>> pool.add(leaf)
    >>> pool.add(stump)
    >>> [tree.n_splits for tree in pool.cheapest(np.array([1.0, 10.0]), count=2)]
    [1, 0]
    """

    def __init__(self, terms: Callable[[ObliqueTree], FloatArray]) -> None:
        self._terms = terms
        self._trees: list[ObliqueTree] = []
        self._known: list[FloatArray] = []

    def add(self, tree: ObliqueTree) -> None:
        """Keep a tree, unless the pool has one with the same terms."""
        terms = self._terms(tree)
        if not self._known or not np.isclose(self._known, terms, rtol=GAIN).all(axis=1).any():
            self._trees.append(tree)
            self._known.append(terms)

    def cheapest(self, prices: FloatArray, count: int) -> list[ObliqueTree]:
        """Return the cheapest trees at these prices, no two with equal splits and errors."""
        chosen: dict[tuple[int, float], ObliqueTree] = {}
        for k in np.argsort(self._costs(prices), kind="stable"):
            tree = self._trees[k]
            chosen.setdefault((tree.n_splits, float(self._known[k][0])), tree)
            if len(chosen) == count:
                break
        return list(chosen.values())

    def least_cost(self, prices: FloatArray) -> float:
        """Return the cost of the cheapest tree; infinity if there is none."""
        return float(self._costs(prices).min(initial=np.inf))

    def _costs(self, prices: FloatArray) -> FloatArray:
        return product(np.array(self._known).reshape(len(self._known), len(prices)), prices)
