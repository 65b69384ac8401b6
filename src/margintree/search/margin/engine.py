"""The search: chains in sequence, on threads, that start afresh or from the best trees so far."""

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from margintree.core.incumbent import Incumbent
from margintree.core.limits import Clock, Limits
from margintree.core.method import Method
from margintree.core.problem import Problem
from margintree.core.result import Progress, Result
from margintree.core.rules import Rules
from margintree.core.tree import ObliqueTree
from margintree.search.loop import run
from margintree.search.margin.chain import Chain, Found, Parts, has_room_for_groups, run_chain
from margintree.search.margin.compilation import compile_kernels
from margintree.search.margin.kernel_data import (
    NO_GRAM,
    MakeKernelData,
    Shared,
    make_kernel_data,
    share,
    to_tree,
    to_working_tree,
)
from margintree.search.margin.kernels.working_tree import WorkingTree
from margintree.search.margin.leaf_groups import has_groups
from margintree.search.margin.local_search import LocalSearch
from margintree.search.margin.many_rows import FIRST_SCALE, MANY_ROWS
from margintree.search.margin.stages import Stage, search_in_stages

Begin: TypeAlias = Callable[[Callable[[], Any]], Callable[[], Any]]
"""Starts a piece of work, and returns a function that waits for its result."""

LEAD = 4
"""Each chain sees the results of all earlier chains except the last three, so up to four chains can
run at once without changing the outcome."""
ELITE = 4
"""Number of best trees kept as origins of later chains."""
SAME = 3e-3
"""Trees whose costs differ by a smaller share count as the same."""
SAMPLE_ITERATIONS = 12
"""Number of descents on a sample of a large problem."""
SAMPLE_SHARE = 0.2
"""Share of the remaining time for a sample of a large problem."""
DEFAULT_WORK, FEWEST_DESCENTS, MOST_DESCENTS = 17_000_000, 60, 2000
"""Descents times the squared number of rows of a search without an iteration limit that does not
converge, and the limits of that number of descents."""
LONG_CHAIN = 1000
"""Descents in which almost every chain gets stuck; without an iteration limit it may make them."""
FIRST_SHARE, TRIAL_SHARE = 5, 16
"""Where leaf groups can be annealed, the first chain may make one in this many descents of the
search, and the next three chains each one in the second number; easy problems need no more."""
ENOUGH_ROWS = 20
"""With fewer rows than this, long chains of kicks find what annealing would."""
ANNEALED_CHAIN = 300
"""Maximum number of descents of a chain that anneals its leaf groups, unless iterations are
limited."""
ENOUGH_HITS = 6
"""Number of fresh chains that must end at the best cost to count as convergence. Had there been a
good chance of a better tree, one of them would have found it."""


def search_margin_trees(
    method: Method,
    problem: Problem,
    limits: Limits,
    starts: Sequence[ObliqueTree] = (),
    progress: Progress | None = None,
    *,
    make_data: MakeKernelData = make_kernel_data,
    shared: Shared | None = None,
    parts: Parts | None = None,
) -> Result:
    """Return the best tree that local search finds.

    The same seed and the same iteration limit give the same tree on any number of threads. A time
    limit only cuts the search short. Without an iteration limit the search ends when it has
    converged, or after `iterations_of` descents. More expensive steps count as several, in
    proportion to their time. ``starts`` are trees in the scaled space of the problem, used besides
    the search's own starts. ``make_data``
    returns the kernel data of a problem, and ``shared`` is the result of `share` for the same rows.
    """
    kit = _Kit(method, problem, limits, parts or Parts.usual(problem), make_data, shared)
    explore = _explore_large if problem.n_rows > MANY_ROWS else _explore
    return run(method, problem, partial(explore, kit), limits, starts, progress, shared=shared)


@dataclass(frozen=True)
class _Kit:
    """The arguments of `search_margin_trees`."""

    method: Method
    problem: Problem
    limits: Limits
    parts: Parts
    make_data: MakeKernelData
    shared: Shared | None = None


def _explore(kit: _Kit, incumbent: Incumbent, origins: Sequence[ObliqueTree]) -> None:
    """Run chains until a limit or the bound is reached."""
    problem, limits = kit.problem, kit.limits
    shared = kit.shared or share(problem, limits.seed)
    data = kit.make_data(problem, shared.gram)
    iterations = iterations_of(problem, limits)
    largest = problem.norm_at_price(incumbent.objective)
    trees = [to_working_tree(data, tree) for tree in origins]
    may_converge = limits.iterations is None
    can_anneal = has_groups(data) and problem.n_rows >= ENOUGH_ROWS
    course = Course(limits.seed, iterations, largest, trees, may_converge, can_anneal)
    groupings, idle = shared.groupings, [LocalSearch(data)]
    with _crew(limits.threads, incumbent.clock) as (begin, is_over):
        running: deque[tuple[Chain, LocalSearch, Callable[[], Found]]] = deque()
        while True:
            while course.has_room and not is_over() and incumbent.gap > limits.gap:
                chain = course.next_chain(incumbent.objective)
                local = idle.pop() if idle else LocalSearch(data)
                wait = begin(partial(run_chain, local, chain, kit.parts, groupings, is_over))
                running.append((chain, local, wait))
            if not running:
                break
            chain, local, wait = running.popleft()
            found = wait()
            idle.append(local)
            incumbent.iterations += found.iterations
            if course.learn(chain, found):
                incumbent.offer(to_tree(problem, found.working))


def _explore_large(kit: _Kit, incumbent: Incumbent, origins: Sequence[ObliqueTree]) -> None:
    """Search in stages, with chains for small samples of the rows."""
    problem, limits, clock = kit.problem, kit.limits, incumbent.clock

    def search_sample(part: Problem) -> ObliqueTree | None:
        fewer = _share(limits, incumbent.iterations)
        if fewer.iterations is not None and fewer.iterations <= 0:
            return None
        clock_of_part = Clock(SAMPLE_SHARE * clock.remaining(), clock.memory)
        best = Incumbent(kit.method, part, clock_of_part)
        try:
            _explore(replace(kit, problem=part, limits=fewer), best, [])
        finally:
            incumbent.iterations += best.iterations
            if part.depth == problem.depth:
                incumbent.offer(best.tree)
        return best.tree

    with _crew(limits.threads, clock) as (begin, is_over):

        def each(function: Callable[[int], Any], nodes: Sequence[int]) -> list[Any]:
            return [wait() for wait in [begin(partial(function, node)) for node in nodes]]

        stage = Stage(
            problem, limits.seed, kit.make_data, search_sample, is_over, each, incumbent.offer
        )
        search_in_stages(stage, incumbent, origins)


def _share(limits: Limits, done: int) -> Limits:
    """Return the limits of one search on a sample, when ``done`` iterations have been spent."""
    if limits.iterations is None:
        return replace(limits, iterations=SAMPLE_ITERATIONS)
    share = max(SAMPLE_ITERATIONS, limits.iterations // 4)
    return replace(limits, iterations=min(share, limits.iterations - done))


@contextmanager
def _crew(n_threads: int, clock: Clock) -> Iterator[tuple[Begin, Callable[[], bool]]]:
    """Yield a function that starts work on threads, and one that tells it when to stop.

    Chains also stop, within one descent, if an interrupt leaves the body early.
    """
    if n_threads == 1:  # a pool of one thread would be slower
        yield partial, clock.is_over  # the chain runs when its result is requested
        return
    stop = threading.Event()
    with ThreadPoolExecutor(n_threads) as pool:
        try:
            yield (lambda run: pool.submit(run).result, lambda: stop.is_set() or clock.is_over())
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)


def iterations_of(problem: Problem, limits: Limits) -> int:
    """Return the maximum number of descents of a search.

    Examples
    --------
    >>> from margintree.core.problem import Problem
    >>> problem = Problem.from_data([[0.0], [1.0]], [0, 1], n_classes=2, depth=1)
    >>> iterations_of(problem, Limits(iterations=7)), iterations_of(problem, Limits())
    (7, 2000)
    """
    if limits.iterations is not None:
        return limits.iterations
    return int(np.clip(DEFAULT_WORK // problem.n_rows**2, FEWEST_DESCENTS, MOST_DESCENTS))


def get_ready(
    problem: Problem, limits: Limits, make_data: MakeKernelData = make_kernel_data
) -> None:
    """Compile the kernels that a search needs, so that they do not count against a time limit.

    Those for leaf groups are needed if a chain can improve any. With a limit of iterations no chain
    is longer than the first.
    """
    is_large = problem.n_rows > MANY_ROWS
    if is_large:  # the search uses samples, some of them small
        limits = _share(limits, done=0)
    longest = iterations_of(problem, limits)
    if limits.iterations is not None:
        longest = Course(limits.seed, longest, 1.0, []).next_chain(np.inf).max_iterations
    rearranges = has_room_for_groups(longest) and (
        is_large or has_groups(make_data(problem, NO_GRAM))
    )
    compile_kernels(many_rows=is_large, leaf_groups=rearranges, rules=problem.rules != Rules())


class Course:
    """Decides the tasks of the chains from the seed and the results of earlier chains."""

    def __init__(
        self,
        seed: int,
        iterations: int,
        largest_scale: float,
        origins: list[WorkingTree],
        may_converge: bool = False,
        can_anneal: bool = False,
    ) -> None:
        self.seed, self.free, self.largest_scale = seed, iterations, largest_scale
        self.may_converge, self.hits = may_converge, 0
        self.can_anneal, self.iterations = can_anneal, iterations
        self.n_fresh = 0
        self.rng = np.random.default_rng(seed)
        self.origins = origins
        self.elite: list[Found] = []
        self.lowest = np.inf
        self.n_chains = self.n_running = 0

    @property
    def has_room(self) -> bool:
        """Whether another chain may start before a running one ends."""
        has_converged = self.may_converge and self.hits >= ENOUGH_HITS
        return self.free > 0 and self.n_running < LEAD and not has_converged

    def next_chain(self, objective: float) -> Chain:
        """Return the next chain; chains that may start now share the free iterations.

        If the search may converge, a chain gets at least enough of them to get stuck, unless there
        are given trees left, all of which should be improved.
        ``objective`` is the cost of the best tree so far.
        """
        share = -(-self.free // (LEAD - self.n_running))
        anneals = self.can_anneal and self.n_chains >= LEAD and 2 * self.hits < self.n_fresh
        anneals &= not self.origins
        if self.may_converge and not self.origins:
            usual = max(share, LONG_CHAIN)
            if self.can_anneal and self.n_chains < LEAD:
                usual = -(-self.iterations // (TRIAL_SHARE if self.n_chains else FIRST_SHARE))
            share = min(self.free, ANNEALED_CHAIN if anneals else usual)
        self.free -= share
        self.n_chains += 1
        self.n_running += 1
        origin, scale, worth = self._origin(anneals), self._scale(), objective * (1 + SAME)
        known = self.lowest * (1 + SAME) if self.elite else 0.0
        return Chain(self.n_chains, self.seed, origin, scale, share, worth, known, anneals)

    def _scale(self) -> float:
        """Return the norm of the best tree, or a random useful norm while it has no split."""
        if self.elite and self.elite[0].working.splits.any():
            return float(self.elite[0].working.scale[0])
        if self.n_chains == 1:
            return FIRST_SCALE
        return float(FIRST_SCALE * (self.largest_scale / FIRST_SCALE) ** self.rng.random())

    def _origin(self, anneals: bool) -> WorkingTree | None:
        """Return a given tree if any is left; else, to anneal or at times, one of the best."""
        if self.origins:
            return self.origins.pop(0)
        if self.elite and (anneals or self.n_chains % LEAD == 1):
            return self.elite[self.rng.integers(len(self.elite))].working
        return None

    def learn(self, chain: Chain, found: Found) -> bool:
        """Record the result of the oldest chain; tell whether it is cheaper than all earlier ones.

        Of trees with the same cost the first is kept.
        """
        self.n_running -= 1
        self.free += chain.max_iterations - found.iterations
        costs = [other.cost for other in self.elite]
        if not np.isclose(found.cost, costs, rtol=SAME, atol=0).any():
            self.elite = sorted([*self.elite, found], key=lambda one: one.cost)[:ELITE]
        is_cheapest = found.cost < self.lowest
        if found.cost < self.lowest * (1 - SAME):
            self.hits = 0
        self.n_fresh += chain.origin is None
        self.hits += chain.origin is None and found.cost <= self.lowest * (1 + SAME)
        self.lowest = min(found.cost, self.lowest)
        return is_cheapest
