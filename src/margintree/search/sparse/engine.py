"""The search for sparse trees: descents from trees of several kinds, then from the best of them."""

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

DEFAULT_WORK = 200_000
"""Descents, times rows and features, of a search without an iteration limit."""
MAX_FAILURES = 10
"""Kicks in a row without a gain, after which the search turns to the next tree."""
N_MARGIN_TREES = 2
"""Number of starts that are maximum-margin trees, each for another price of violations."""
MARGIN_ITERATIONS = 10
"""Number of local searches for each maximum-margin tree."""


@dataclass(frozen=True)
class Find:
    """Searches for axis-parallel and maximum-margin trees, from which sparse trees start."""

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

    Without an iteration limit the search makes `default_iterations` descents.
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
    """Return the number of descents of a search without an iteration limit.

    Examples
    --------
    >>> default_iterations(Problem.from_data([[0.0], [1.0]], [0, 1], n_classes=2, depth=1))
    150
    """
    return int(np.clip(DEFAULT_WORK // (problem.n_rows * problem.n_features), 100, 150))


def _descents(
    problem: Problem, limits: Limits, starts: Sequence[ObliqueTree], clock: Clock, find: Find
) -> Iterator[ObliqueTree]:
    """Yield the results of descents without end: from every start, then from kicks of these trees.

    A tree is kicked until that fails several times in a row; then it is the turn of the next, and
    after all of them of the cheapest again.
    """
    descent = Descent(problem, np.random.default_rng(limits.seed), clock)
    ends = []
    for origin in _origins(problem, limits, starts, clock, find):
        ends.append(descent.descend(to_node(origin)))
        yield to_tree(problem, ends[-1])
    while True:
        ends.sort(key=descent.total)
        for k in range(len(ends)):
            failures = 0
            while failures < MAX_FAILURES:
                found = descent.descend(descent.kicked(ends[k]))
                yield to_tree(problem, found)
                failures += 1
                if descent.is_cheaper(found, ends[k]):
                    ends[k], failures = found, 0


def _origins(
    problem: Problem, limits: Limits, starts: Sequence[ObliqueTree], clock: Clock, find: Find
) -> Iterator[ObliqueTree]:
    """Yield starts: known trees, an axis-parallel tree, maximum-margin trees, and a single leaf."""
    yield from starts
    # The other searches know splits, and one feature is the least that a split uses.
    price = problem.costs.splits + problem.costs.features
    plain = replace(problem, costs=replace(problem.costs, splits=price, features=0.0))
    straight = replace(problem.rules, axis_parallel=True, separation=0.0)
    remaining = replace(limits, seconds=clock.remaining())
    yield find.axis_tree(replace(plain, rules=straight), remaining)
    for number in range(N_MARGIN_TREES):
        costs = replace(plain.costs, violations=problem.costs.errors * 0.01**number)
        few = Limits(
            clock.remaining(), limits.memory, iterations=MARGIN_ITERATIONS, seed=limits.seed
        )
        yield find.margin_tree(replace(plain, costs=costs, rules=Rules()), few)
    yield ObliqueTree.leaf(problem.depth, problem.n_features, problem.n_classes)
