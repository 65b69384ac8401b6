"""The search: descents from trees of several kinds, and from the best of them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from margintree.core.incumbent import Incumbent
from margintree.core.limits import Clock, Limits
from margintree.core.method import Method
from margintree.core.problem import Problem
from margintree.core.result import Progress, Result
from margintree.core.rules import Rules
from margintree.core.simplify import centred
from margintree.core.tree import ObliqueTree
from margintree.search.loop import run
from margintree.search.sparse.descent import Descent
from margintree.search.sparse.splits import to_node, to_tree

DEFAULT_WORK = 60_000
"""Rebuilt subtrees, times rows and features, of a search that was given no limit of them."""
PATIENCE = 10
"""Rebuilt subtrees in a row without a gain after which the search goes on from another start."""
N_MARGIN_TREES = 2
"""Starts that are trees with maximum margins, each with another price of violations."""
MARGIN_ITERATIONS = 10
"""Local searches for each of them."""


@dataclass(frozen=True)
class Find:
    """Searches for trees of other kinds, from which the search for sparse trees starts.

    Attributes
    ----------
    axis_tree : callable
        Returns a good axis-parallel tree for a problem, within limits.
    margin_tree : callable
        Returns a good tree with maximum margins for a problem, within limits.
    """

    axis_tree: Callable[[Problem, Limits], ObliqueTree]
    margin_tree: Callable[[Problem, Limits], ObliqueTree]


def search_sparse_trees(
    method: Method,
    problem: Problem,
    limits: Limits,
    starts: Sequence[ObliqueTree] = (),
    progress: Progress | None = None,
    *,
    find: Find,
) -> Result:
    """Return the best tree with few features that local search finds.

    Parameters
    ----------
    method : Method
        Judges trees by their errors and by the features that their splits look at.
    problem : Problem
        The training set, its costs and rules.
    limits : Limits
        When to stop. Without an iteration limit the search makes `default_iterations` descents.
    starts : sequence of ObliqueTree
        Known trees, in the scaled space of the problem.
    progress : callable, optional
        Told of every better tree.
    find : Find
        Finds trees of other kinds to start from.
    """

    def improve(incumbent: Incumbent, _: list[ObliqueTree]) -> None:
        clock = incumbent.clock
        most = default_iterations(problem) if limits.iterations is None else limits.iterations
        descents = _descents(problem, limits, starts, clock, find)
        while incumbent.iterations < most and incumbent.gap > limits.gap and not clock.is_over():
            incumbent.offer(centred(problem, next(descents)))
            incumbent.iterations += 1

    return run(method, problem, improve, limits, starts, progress)


def default_iterations(problem: Problem) -> int:
    """Return how many descents a search makes that was given no limit.

    Examples
    --------
    >>> default_iterations(Problem.from_data([[0.0], [1.0]], [0, 1], n_classes=2, depth=1))
    60
    """
    return int(np.clip(DEFAULT_WORK // (problem.n_rows * problem.n_features), 40, 60))


def _descents(
    problem: Problem, limits: Limits, starts: Sequence[ObliqueTree], clock: Clock, find: Find
) -> Iterator[ObliqueTree]:
    """Yield the trees that descents lead to, without end: at last from the best of them."""
    descent = Descent(problem, np.random.default_rng(limits.seed), clock)
    ends = []
    for origin in _origins(problem, limits, starts, clock, find):
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
    problem: Problem, limits: Limits, starts: Sequence[ObliqueTree], clock: Clock, find: Find
) -> Iterator[ObliqueTree]:
    """Yield trees to start from: known ones, axis-parallel, with margins, and without splits."""
    yield from starts
    left = replace(limits, seconds=clock.remaining())
    straight = replace(problem.rules, axis_parallel=True, separation=0.0)
    yield find.axis_tree(replace(problem, rules=straight), left)
    for number in range(N_MARGIN_TREES):
        costs = replace(problem.costs, violations=problem.costs.errors * 0.01**number)
        few = Limits(
            seconds=clock.remaining(),
            memory=limits.memory,
            iterations=MARGIN_ITERATIONS,
            seed=limits.seed,
        )
        yield find.margin_tree(replace(problem, costs=costs, rules=Rules()), few)
    yield ObliqueTree.leaf(problem.depth, problem.n_features, problem.n_classes)
