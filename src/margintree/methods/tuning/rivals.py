"""Paths of the rivals, over numbers of splits or prices of a feature."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from margintree.core.incumbent import Price
from margintree.core.judges import count_errors
from margintree.core.limits import Clock, Limits
from margintree.core.problem import Costs, Problem
from margintree.core.result import Reason, Result
from margintree.core.rules import Shape
from margintree.core.tree import ObliqueTree
from margintree.methods import fit_cart, fit_oct, fit_octh
from margintree.methods.tuning.pool import N_STARTS, Pool, check_uninterrupted, unit_terms


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

    pool, found = Pool(unit_terms(judge, problem, "errors", "splits")), {}
    for k in np.argsort(grid, kind="stable"):
        costs = Costs(problem.costs.errors, 0.0, grid[k])
        starts = pool.cheapest(np.array([costs.errors, costs.splits]), N_STARTS)
        left = _left(limits, clock)
        found[k] = fit_octh(replace(problem, costs=costs), shape, limits=left, starts=starts)
        check_uninterrupted(found[k])
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
        check_uninterrupted(found[n_splits])
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
