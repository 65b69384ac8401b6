"""The search: descents from trees of several kinds, and from the best of them."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

import numpy as np

from margintree.core.bound import error_bound
from margintree.core.incumbent import Incumbent
from margintree.core.judges import count_errors
from margintree.core.limits import Clock, Limits
from margintree.core.problem import Problem
from margintree.core.result import Progress, Reason, Result
from margintree.core.rules import Shape
from margintree.core.simplify import centred
from margintree.core.tree import ObliqueTree
from margintree.search.axis.cart import grow
from margintree.search.sparse.descent import Descent
from margintree.search.sparse.nodes import to_node, to_tree

DEFAULT_WORK = 60_000
"""Rebuilt subtrees, times rows and features, of a search that was given no limit of them."""
PATIENCE = 10
"""Rebuilt subtrees in a row without a gain after which the search goes on from another start."""
MAX_CELLS = 5000
"""Rows times features up to which the best axis-parallel tree takes about a second."""
N_MARGIN_TREES = 2
"""Starts that are trees with maximum margins, each with another price of violations."""
MARGIN_ITERATIONS = 10
"""Local searches for each of them."""


def search_sparse(
    problem: Problem,
    shape: Shape,
    limits: Limits,
    starts: Sequence[ObliqueTree] = (),
    progress: Progress | None = None,
) -> Result:
    """Return the best tree of OCT-H that local search finds.

    Parameters
    ----------
    problem : Problem
        The training set; a split costs the price of a split for every feature that it looks at.
    shape : Shape
        The least weight of a leaf, the number of splits and how far their sides are apart.
    limits : Limits
        When to stop. Without an iteration limit the search makes `default_iterations` descents.
    starts : sequence of ObliqueTree
        Known trees, in the scaled space of the problem.
    progress : callable, optional
        Told of every better tree.

    Examples
    --------
    >>> from margintree.core.problem import Costs
    >>> X, y = [[0, 0], [0, 2], [1, 0], [3, 4], [4, 1]], [0, 0, 0, 1, 1]
    >>> problem = Problem.from_data(X, y, n_classes=2, depth=1, costs=Costs(1, 0, 0.1))
    >>> shape = Shape.of(problem, axis_parallel=False, separation=0.005)
    >>> search_sparse(problem, shape, Limits()).objective
    0.1
    """
    from margintree.search.margin import make_ready  # kernels are not loaded before they are needed

    judge = partial(count_errors, problem, shape)
    bound = error_bound(problem, shape.max_splits)
    incumbent = Incumbent.without_splits(problem, judge, bound, limits.clock(), progress)
    reason, limit = Reason.INTERRUPTED, None
    with suppress(KeyboardInterrupt):
        make_ready(problem, Limits(iterations=MARGIN_ITERATIONS))
        incumbent.clock = clock = limits.clock()
        incumbent.offer_all(starts)
        most = default_iterations(problem) if limits.iterations is None else limits.iterations
        descents = _descents(problem, shape, limits, starts, clock)
        while incumbent.iterations < most and incumbent.gap > limits.gap and not clock.is_over():
            incumbent.offer(centred(problem, next(descents)))
            incumbent.iterations += 1
        reason, limit = incumbent.why_search_stopped(limits)
    return incumbent.result(reason, limit, limits.gap, solver="search")


def default_iterations(problem: Problem) -> int:
    """Return how many descents a search makes that was given no limit.

    Examples
    --------
    >>> default_iterations(Problem.from_data([[0.0], [1.0]], [0, 1], n_classes=2, depth=1))
    60
    """
    return int(np.clip(DEFAULT_WORK // (problem.n_rows * problem.n_features), 40, 60))


def _descents(
    problem: Problem,
    shape: Shape,
    limits: Limits,
    starts: Sequence[ObliqueTree],
    clock: Clock,
) -> Iterator[ObliqueTree]:
    """Yield the trees that descents lead to, without end: at last from the best of them."""
    descent = Descent(problem, shape, np.random.default_rng(limits.seed), clock)
    ends = []
    for origin in _origins(problem, shape, limits, starts, clock):
        best, failures = descent.descend(to_node(origin)), 0
        yield to_tree(problem, best)
        while failures < PATIENCE:
            found = descent.descend(descent.rebuilt(best))
            yield to_tree(problem, found)
            best, failures = (found, 0) if descent.is_cheaper(found, best) else (best, failures + 1)
        ends.append(best)
    best = min(ends, key=descent.total)
    while True:
        found = descent.descend(descent.rebuilt(best))
        yield to_tree(problem, found)
        best = found if descent.is_cheaper(found, best) else best


def _origins(
    problem: Problem, shape: Shape, limits: Limits, starts: Sequence[ObliqueTree], clock: Clock
) -> Iterator[ObliqueTree]:
    """Yield trees to start from: known ones, of single features, of margins, and without splits."""
    from margintree.search.margin import (
        search,  # compiled kernels are not loaded before they are needed
    )

    yield from starts
    yield _axis_parallel(problem, shape, limits, clock)
    for number in range(N_MARGIN_TREES):
        margins = replace(problem.costs, violations=problem.costs.errors * 0.01**number)
        few = Limits(
            seconds=clock.remaining(),
            memory=limits.memory,
            iterations=MARGIN_ITERATIONS,
            seed=limits.seed,
        )
        yield search(replace(problem, costs=margins), few).tree
    yield ObliqueTree.leaf(problem.depth, problem.n_features, problem.n_classes)


def _axis_parallel(problem: Problem, shape: Shape, limits: Limits, clock: Clock) -> ObliqueTree:
    """Return the best tree with one feature per split; where that takes long, the tree of CART."""
    straight = replace(shape, axis_parallel=True, separation=0.0)
    if problem.depth > 3 or problem.n_rows * problem.n_features > MAX_CELLS:
        return grow(problem, straight, limits.seed)
    # Compiled kernels are not loaded before they are needed.
    from margintree.search.axis.branch_and_bound import branch_and_bound

    return branch_and_bound(problem, straight, replace(limits, seconds=clock.remaining())).tree
