"""Calibration: one training set under many costs, as a path on which every fit starts warm.

What does not depend on the costs is done once: inner products, groupings of rows, close pairs. A
tree costs a sum of terms, each in proportion to its price, so all trees found so far are priced at
new costs by one product, and the cheapest of different kinds are where the next search begins.
Iteration limits decide, so the same path comes out everywhere.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from margintree import __version__
from margintree._typing import FloatArray
from margintree.bound import close_pairs, lower_bound
from margintree.incumbent import Price
from margintree.judges import count_errors, price_labels
from margintree.limits import Clock, Limits
from margintree.objective import objective
from margintree.problem import Costs, Problem
from margintree.result import Reason, Result
from margintree.rivals import fit_cart, fit_oct, fit_octh
from margintree.shape import Shape
from margintree.tree import ObliqueTree

if TYPE_CHECKING:
    from margintree.search.aim import Aim
    from margintree.search.kernels.sketch import Task

N_STARTS = 3
"""Trees that a search begins from, beside one start of its own."""
N_ANCHORS = 12
"""Points of a grid of costs that are searched first, and longer, so that the rest starts warm."""
ANCHOR_SHARE = 1 / 16
"""The largest share of a grid that they may be."""
ANCHOR_FACTOR = 8
"""How much longer they are searched."""
GAIN = 1e-6
"""Share of a cost by which a tree from elsewhere must be cheaper to be worth a second look."""

Terms: TypeAlias = Callable[[ObliqueTree], FloatArray]
"""Returns the terms of a tree's cost, each at a price of 1."""


class Pool:
    """Trees of one training set, each known by the terms of its cost.

    Parameters
    ----------
    terms : callable
        Returns the terms of a tree's cost, each at a price of 1.

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

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self._trees: list[ObliqueTree] = []
        self._known: list[FloatArray] = []

    def add(self, tree: ObliqueTree) -> None:
        """Keep a tree, unless one with the same terms is there."""
        terms = self._terms(tree)
        if not self._known or not np.isclose(self._known, terms, rtol=GAIN).all(axis=1).any():
            self._trees.append(tree)
            self._known.append(terms)

    def cheapest(self, prices: FloatArray, count: int) -> list[ObliqueTree]:
        """Return the cheapest trees at some prices, no two with as many splits and errors."""
        chosen: dict[tuple[int, float], ObliqueTree] = {}
        for k in np.argsort(self._costs(prices), kind="stable"):
            tree = self._trees[k]
            chosen.setdefault((tree.n_splits, float(self._known[k][0])), tree)
            if len(chosen) == count:
                break
        return list(chosen.values())

    def least_cost(self, prices: FloatArray) -> float:
        """Return what the cheapest tree costs."""
        return float(self._costs(prices).min(initial=np.inf))

    def _costs(self, prices: FloatArray) -> FloatArray:
        return np.array(self._known).reshape(len(self._known), len(prices)) @ prices


def fit_moctsvm_path(
    problem: Problem,
    grid: Sequence[Costs],
    limits: Limits | None = None,
    clock: Clock | None = None,
) -> list[Result]:
    """Return a tree of MOCTSVM for every combination of costs, each search starting warm.

    Parameters
    ----------
    problem : Problem
        The training set; its own costs play no part.
    grid : sequence of Costs
        The combinations.
    limits : Limits, optional
        Of the search at each combination; its iterations should be few. They are shared by the
        trees to begin from and one start of its own, so fewer known trees mean fewer iterations.
    clock : Clock, optional
        Of the whole path. When its time is over, every combination that is left gets the cheapest
        tree that is known.

    Returns
    -------
    list of Result
        In the order of the grid. Seconds include a share of what was done for all of them.

    Examples
    --------
    >>> X, y = [[0.0], [0.2], [0.7], [1.0]], [0, 0, 1, 1]
    >>> problem = Problem.from_data(X, y, n_classes=2, depth=1)
    >>> path = fit_moctsvm_path(problem, [Costs(errors=c1) for c1 in (0.01, 10.0)])
    >>> [result.tree.n_splits for result in path]
    [0, 1]
    """
    from margintree.search.aim import MARGINS  # kernels are not loaded before they are needed

    aim = replace(MARGINS, bound=partial(lower_bound, pairs=close_pairs(problem)))
    terms = _terms(objective, problem, "errors", "violations", "splits", "margin")
    return _cost_path(problem, grid, limits, clock, aim, terms)


def fit_octsvm_path(
    problem: Problem,
    grid: Sequence[Costs],
    limits: Limits | None = None,
    clock: Clock | None = None,
) -> list[Result]:
    """Return a tree of OCTSVM for every combination of costs; see `fit_moctsvm_path`."""
    from margintree.search import LABELS  # kernels are not loaded before they are needed

    terms = _terms(price_labels, problem, "relabelled", "violations", "splits", "margin")
    return _cost_path(problem, grid, limits, clock, LABELS, terms)


def _terms(judge: Callable[[Problem, ObliqueTree], Price], problem: Problem, *names: str) -> Terms:
    """Return a function that tells terms of a tree's cost by their names, each at a price of 1."""
    unit, named = replace(problem, costs=Costs(1.0, 1.0, 1.0)), attrgetter(*names)
    return lambda tree: np.array(named(judge(unit, tree)))


def _cost_path(
    problem: Problem,
    grid: Sequence[Costs],
    limits: Limits | None,
    clock: Clock | None,
    aim: "Aim",
    terms: Terms,
) -> list[Result]:
    limits = limits or Limits()
    walk = _Walk(problem, limits, clock or Clock(), aim, terms)
    # From dear errors, whose trees have many splits, to cheap ones: pruning is easier than growing.
    order = sorted(range(len(grid)), key=lambda k: _steps(grid[k]))
    anchors = order[:: int(max(1 / ANCHOR_SHARE, len(order) / N_ANCHORS + 1))]
    longer = None if limits.iterations is None else limits.iterations * ANCHOR_FACTOR
    shared = sum(walk.fit(grid[k], longer).seconds for k in anchors)
    found = {k: walk.fit(grid[k], limits.iterations) for k in order}
    for k in reversed(order):
        if walk.pool.least_cost(prices_of(grid[k])) < found[k].objective * (1 - GAIN):
            found[k] = walk.fit_again(grid[k], found[k])
    share = shared / max(1, len(grid))
    return [replace(found[k], seconds=found[k].seconds + share) for k in range(len(grid))]


def _steps(costs: Costs) -> tuple[float, float, float]:
    return -costs.errors, costs.splits, costs.violations


def prices_of(costs: Costs) -> FloatArray:
    """Return the prices of errors, violations, splits and the margin term."""
    return np.array([costs.errors, costs.violations, costs.splits, 1.0])


class _Walk:
    """Searches at one combination of costs after the other, and remembers all trees."""

    def __init__(
        self, problem: Problem, limits: Limits, clock: Clock, aim: "Aim", terms: Terms
    ) -> None:
        from margintree.search import Parts
        from margintree.search.groupings import make_groupings
        from margintree.search.large import MANY_ROWS

        self.problem, self.limits, self.aim, self.parts = problem, limits, aim, Parts()
        self.clock, self.pool = clock, Pool(terms)
        if problem.n_rows <= MANY_ROWS:  # with more, searches look at samples of the rows
            groupings = make_groupings(problem, limits.seed)
            self.parts = Parts(make_groupings=lambda *_: groupings)
            self.aim = _with_gram(problem, aim)

    def fit(self, costs: Costs, iterations: int | None) -> Result:
        """Search at some costs, from the trees that are cheapest there."""
        from margintree.search import search

        starts = self.pool.cheapest(prices_of(costs), N_STARTS)
        if starts and self.clock.is_over():
            return self._unsearched(costs, starts[0])
        if starts and iterations:
            iterations = max(1, iterations * (1 + len(starts)) // (1 + N_STARTS))
        seconds = min(self.limits.seconds, self.clock.remaining())
        result = search(
            replace(self.problem, costs=costs),
            replace(self.limits, iterations=iterations, seconds=seconds),
            starts,
            parts=self.parts,
            aim=self.aim,
        )
        _check_uninterrupted(result)
        self.pool.add(result.tree)
        return result

    def _unsearched(self, costs: Costs, tree: ObliqueTree) -> Result:
        """Return a tree that is known already as what there was time for."""
        return Result(
            tree=tree,
            objective=self.aim.judge(replace(self.problem, costs=costs), tree).total,
            bound=0.0,
            reason=Reason.LIMIT,
            limit=self.clock.struck,
            gap_limit=self.limits.gap,
            trace=(),
            solver="search",
            version=__version__,
            seconds=0.0,
        )

    def fit_again(self, costs: Costs, first: Result) -> Result:
        """Search once more, and return the better result with the seconds of both."""
        again = self.fit(costs, self.limits.iterations)
        better = min(again, first, key=lambda result: result.objective)
        return replace(better, seconds=again.seconds + first.seconds)


def _check_uninterrupted(result: Result) -> None:
    """End the whole path where a fit was interrupted: a path is known by its limits alone."""
    if result.reason is Reason.INTERRUPTED:
        raise KeyboardInterrupt


def _with_gram(problem: Problem, aim: "Aim") -> "Aim":
    """Return the aim with the inner products of the rows computed once."""
    gram = problem.X @ problem.X.T

    def make_task(problem: Problem, with_gram: bool = True) -> "Task":
        task = aim.make_task(problem, with_gram=False)
        return task._replace(gram=gram) if with_gram else task

    return replace(aim, make_task=make_task)


def fit_octh_path(
    problem: Problem,
    shape: Shape,
    grid: Sequence[float],
    limits: Limits | None = None,
    clock: Clock | None = None,
) -> list[Result]:
    """Return a tree of OCT-H for every price of a feature in a split, each search starting warm.

    Parameters
    ----------
    problem : Problem
        The training set and the cost of an error.
    shape : Shape
        The least weight of a leaf, the number of splits and how far their sides are apart.
    grid : sequence of float
        The prices of a split for every feature that it looks at.
    limits : Limits, optional
        Of the search at each price.
    clock : Clock, optional
        Of the whole path.

    Examples
    --------
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> problem = Problem.from_data(X, y, n_classes=2, depth=1)
    >>> shape = Shape.of(problem, axis_parallel=False, separation=0.005)
    >>> [result.objective for result in fit_octh_path(problem, shape, [0.1, 10.0])]
    [0.2, 1.0]
    """

    def judge(problem: Problem, tree: ObliqueTree) -> Price:
        return count_errors(problem, shape, tree)

    pool, found = Pool(_terms(judge, problem, "errors", "splits")), {}
    for k in np.argsort(grid, kind="stable"):
        costs = Costs(problem.costs.errors, 0.0, grid[k])
        starts = pool.cheapest(np.array([costs.errors, costs.splits]), N_STARTS)
        left = _left(limits, clock)
        found[k] = fit_octh(replace(problem, costs=costs), shape, limits=left, starts=starts)
        _check_uninterrupted(found[k])
        pool.add(found[k].tree)
    return [found[k] for k in range(len(grid))]


def fit_oct_path(
    problem: Problem,
    shape: Shape,
    grid: Sequence[int],
    limits: Limits | None = None,
    clock: Clock | None = None,
) -> list[Result]:
    """Return the best axis-parallel tree for every number of splits, and proofs.

    A tree with few splits is where the search for one with more begins.

    Examples
    --------
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> problem = Problem.from_data(X, y, n_classes=2, depth=2, costs=Costs(1.0, 0.0, 0.0))
    >>> [result.objective for result in fit_oct_path(problem, Shape.of(problem), [1, 2, 3])]
    [2.0, 1.0, 0.0]
    """
    found: dict[int, Result] = {}
    for n_splits in sorted(grid):
        starts = [result.tree for result in found.values()][-1:]
        allowed = _with_splits(shape, n_splits)
        left = _left(limits, clock)
        found[n_splits] = fit_oct(problem, allowed, limits=left, starts=starts)
        _check_uninterrupted(found[n_splits])
    return [found[n_splits] for n_splits in grid]


def fit_cart_path(
    problem: Problem,
    shape: Shape,
    grid: Sequence[int],
    limits: Limits | None = None,
    clock: Clock | None = None,
) -> list[Result]:
    """Return the tree of CART, pruned to every number of splits.

    When the time of the clock is over, the smallest trees stand for those that are left.

    Examples
    --------
    >>> problem = Problem.from_data([[0.0], [1.0], [4.0]], [0, 1, 0], n_classes=2, depth=2)
    >>> [result.tree.n_splits for result in fit_cart_path(problem, Shape.of(problem), [0, 2])]
    [0, 2]
    """
    clock, found = clock or Clock(), dict[int, Result]()
    for n_splits in sorted(grid):
        if found and clock.is_over():
            last = [*found.values()][-1]
            found[n_splits] = replace(last, reason=Reason.LIMIT, limit=clock.struck)
        else:
            found[n_splits] = fit_cart(problem, _with_splits(shape, n_splits), limits)
    return [found[n_splits] for n_splits in grid]


def _left(limits: Limits | None, clock: Clock | None) -> Limits:
    """Return the limits of a fit, whose time ends with that of its path."""
    limits, clock = limits or Limits(), clock or Clock()
    return replace(limits, seconds=min(limits.seconds, clock.remaining()))


def _with_splits(shape: Shape, n_splits: int) -> Shape:
    return replace(shape, max_splits=min(n_splits, shape.max_splits))
