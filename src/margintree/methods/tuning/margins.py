"""Paths of trees with margins, over combinations of costs."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from margintree import __version__
from margintree._lib.arrays import FloatArray
from margintree._lib.products import product
from margintree.core.bound import close_pairs, lower_bound
from margintree.core.judges import price_labels
from margintree.core.judges.margins import objective
from margintree.core.limits import Clock, Limits
from margintree.core.problem import Costs, Problem
from margintree.core.result import Reason, Result
from margintree.core.tree import ObliqueTree
from margintree.methods.tuning.pool import (
    GAIN,
    N_STARTS,
    Pool,
    Terms,
    check_uninterrupted,
    unit_terms,
)

if TYPE_CHECKING:
    from margintree.search.margin.aim import Aim
    from margintree.search.margin.kernels.working_tree import KernelData

N_ANCHORS = 12
"""Points of a grid of costs that are searched first, and longer, so that the rest starts warm."""
ANCHOR_SHARE = 1 / 16
"""The largest share of a grid that they may be."""
ANCHOR_FACTOR = 8
"""How much longer they are searched."""


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
    from margintree.search.margin.aim import (
        MARGINS,  # kernels are not loaded before they are needed
    )

    aim = replace(MARGINS, bound=partial(lower_bound, pairs=close_pairs(problem)))
    terms = unit_terms(objective, problem, "errors", "violations", "splits", "margin")
    return _cost_path(problem, grid, limits, clock, aim, terms)


def fit_octsvm_path(
    problem: Problem,
    grid: Sequence[Costs],
    limits: Limits | None = None,
    clock: Clock | None = None,
) -> list[Result]:
    """Return a tree of OCTSVM for every combination of costs; see `fit_moctsvm_path`."""
    from margintree.search.margin import LABELS  # kernels are not loaded before they are needed

    terms = unit_terms(price_labels, problem, "relabelled", "violations", "splits", "margin")
    return _cost_path(problem, grid, limits, clock, LABELS, terms)


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
        from margintree.search.margin import Parts
        from margintree.search.margin.groupings import make_groupings
        from margintree.search.margin.many_rows import MANY_ROWS

        self.problem, self.limits, self.aim = problem, limits, aim
        self.parts = Parts.usual(problem.depth)
        self.clock, self.pool = clock, Pool(terms)
        if problem.n_rows <= MANY_ROWS:  # with more, searches look at samples of the rows
            groupings = make_groupings(problem, limits.seed)
            self.parts = replace(self.parts, make_groupings=lambda *_: groupings)
            self.aim = _with_gram(problem, aim)

    def fit(self, costs: Costs, iterations: int | None) -> Result:
        """Search at some costs, from the trees that are cheapest there."""
        from margintree.search.margin import search

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
        check_uninterrupted(result)
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


def _with_gram(problem: Problem, aim: "Aim") -> "Aim":
    """Return the aim with the inner products of the rows computed once."""
    gram = product(problem.X, problem.X.T)

    def make_kernel_data(problem: Problem, with_gram: bool = True) -> "KernelData":
        data = aim.make_kernel_data(problem, with_gram=False)
        return data._replace(gram=gram) if with_gram else data

    return replace(aim, make_kernel_data=make_kernel_data)
