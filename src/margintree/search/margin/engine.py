"""The search: chains one after the other, on threads, with the best trees so far as origins."""

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias

import numpy as np

from margintree._lib.arrays import BoolArray, IntArray
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
from margintree.search.margin.many_rows import ENOUGH, MANY_ROWS, Refiner, sample

Begin: TypeAlias = Callable[[Callable[[], Found]], Callable[[], Found]]
"""Begins to run a chain, and returns a function that waits for what it finds."""

LEAD = 4
"""Each chain sees the results of all earlier chains except the last three, so up to four chains can
run at once without changing the outcome."""
ELITE = 4
"""Best trees kept as origins of further chains."""
SAME = 3e-3
"""Trees whose costs differ by a smaller share are taken for the same."""
FIRST_SCALE = 2.0
"""The norm of hyperplanes to begin with: a margin of half the width of a feature."""
SAMPLE_ITERATIONS = 12
"""Descents on a sample of a large problem."""
SAMPLE_SHARE = 0.2
"""Share of the remaining time that goes to a sample of a large problem."""
DEFAULT_WORK = 2_500_000
"""Descents times the square of the rows of a search that was given no limit of them."""


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

    The same seed and the same iteration limit give the same tree on any number of threads; a time
    limit only cuts the search short.

    Parameters
    ----------
    method : Method
        Judges trees, bounds their cost and simplifies them.
    problem : Problem
        The training set, its costs and rules.
    limits : Limits
        When to stop. Without an iteration limit the search makes `iterations_of` descents. Its more
        expensive steps count as several, in proportion to their time.
    starts : sequence of ObliqueTree
        Trees in the scaled space of the problem to begin from, beside the search's own.
    progress : callable, optional
        Told of every better tree.
    make_data : callable
        Returns what the kernels know of a problem.
    shared : Shared, optional
        What is known of the rows already.
    parts : Parts, optional
        Starts and kicks to use.
    """
    kit = _Kit(method, problem, limits, parts or Parts.usual(problem.depth), make_data, shared)
    explore = _explore_large if problem.n_rows > MANY_ROWS else _explore
    return run(method, problem, partial(explore, kit), limits, starts, progress, shared=shared)


@dataclass(frozen=True)
class _Kit:
    """What `search_margin_trees` was given."""

    method: Method
    problem: Problem
    limits: Limits
    parts: Parts
    make_data: MakeKernelData
    shared: Shared | None = None


def _explore(kit: _Kit, incumbent: Incumbent, origins: Sequence[ObliqueTree]) -> None:
    """Run chain after chain until a limit or the bound is reached."""
    problem, limits = kit.problem, kit.limits
    shared = kit.shared or share(problem, limits.seed)
    data = kit.make_data(problem, shared.gram)
    iterations = iterations_of(problem, limits)
    largest = problem.norm_at_price(incumbent.objective)
    course = Course(
        limits.seed, iterations, largest, [to_working_tree(data, tree) for tree in origins]
    )
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
    """Search a sample of the rows, then improve what it found on all rows."""
    problem, limits, clock = kit.problem, kit.limits, incumbent.clock
    rng = np.random.default_rng(limits.seed)

    def best_on_sample(rows: IntArray, is_wrong: BoolArray, depth: int) -> ObliqueTree:
        part = sample(problem, rows, is_wrong, depth, rng)
        clock_of_part = Clock(SAMPLE_SHARE * clock.remaining(), clock.memory)
        best = Incumbent(kit.method, part, clock_of_part)
        fewer = _share(limits, incumbent.iterations)
        try:
            _explore(replace(kit, problem=part, limits=fewer), best, [])
        finally:
            incumbent.iterations += best.iterations
            if depth == problem.depth:
                incumbent.offer(best.tree)
        return best.tree

    everything, nothing = np.arange(problem.n_rows), np.zeros(problem.n_rows, dtype=bool)
    found = best_on_sample(everything, nothing, problem.depth)
    data = kit.make_data(problem, NO_GRAM)
    refiner = min(
        (Refiner(problem, data, tree, limits.seed, clock.is_over) for tree in (found, *origins)),
        key=Refiner.price,
    )
    _refine(refiner, incumbent)
    while refiner.regrow(best_on_sample):
        _refine(refiner, incumbent)


def _share(limits: Limits, done: int) -> Limits:
    """Return the limits of one search on a sample, of a search that has done some iterations."""
    if limits.iterations is None:
        return replace(limits, iterations=SAMPLE_ITERATIONS)
    share = max(SAMPLE_ITERATIONS, limits.iterations // 4)
    return replace(limits, iterations=min(share, limits.iterations - done))


def _refine(refiner: Refiner, incumbent: Incumbent) -> None:
    """Sweep over all rows until that gains little."""
    before, now = np.inf, refiner.price()
    while now < before * (1 - ENOUGH) and not incumbent.clock.is_over():
        refiner.sweep()
        incumbent.offer(refiner.tree())
        before, now = now, refiner.price()


@contextmanager
def _crew(n_threads: int, clock: Clock) -> Iterator[tuple[Begin, Callable[[], bool]]]:
    """Yield a function that begins chains on threads, and one that tells them when to end.

    They also end, within one descent, when the body is left early by an interrupt.
    """
    if n_threads == 1:  # threads that take turns take longer
        yield partial, clock.is_over  # the chain runs when its result is asked for
        return
    stop = threading.Event()
    with ThreadPoolExecutor(n_threads) as pool:
        try:
            yield (
                lambda run: pool.submit(run).result,
                lambda: stop.is_set() or clock.is_over(),
            )
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)


def iterations_of(problem: Problem, limits: Limits) -> int:
    """Return how many descents a search makes; without a limit about a second's worth.

    Examples
    --------
    >>> from margintree.core.problem import Problem
    >>> problem = Problem.from_data([[0.0], [1.0]], [0, 1], n_classes=2, depth=1)
    >>> iterations_of(problem, Limits(iterations=7)), iterations_of(problem, Limits())
    (7, 1500)
    """
    if limits.iterations is not None:
        return limits.iterations
    return int(np.clip(DEFAULT_WORK // problem.n_rows**2, 60, 1500))


def get_ready(
    problem: Problem, limits: Limits, make_data: MakeKernelData = make_kernel_data
) -> None:
    """Compile the kernels that a search needs, so that this does not count against a time limit."""
    is_large = problem.n_rows > MANY_ROWS
    has_groups = will_rearrange(problem, limits, make_data)
    compile_kernels(many_rows=is_large, leaf_groups=has_groups, rules=problem.rules != Rules())


def will_rearrange(problem: Problem, limits: Limits, make_data: MakeKernelData) -> bool:
    """Tell whether chains will be long enough to improve leaf groups, and whether there are any.

    No chain is longer than the first, since later ones share what earlier ones left.
    """
    is_large = problem.n_rows > MANY_ROWS
    if is_large:  # samples are searched, some of them small
        limits = _share(limits, done=0)
    longest = -(-iterations_of(problem, limits) // LEAD)
    if not has_room_for_groups(longest):
        return False
    return is_large or has_groups(make_data(problem, NO_GRAM))


class Course:
    """What the chains are to do, decided by the seed and by what earlier chains found."""

    def __init__(
        self, seed: int, iterations: int, largest_scale: float, origins: list[WorkingTree]
    ) -> None:
        self.seed, self.free, self.largest_scale = seed, iterations, largest_scale
        self.rng = np.random.default_rng(seed)
        self.origins = origins
        self.elite: list[Found] = []
        self.lowest = np.inf
        self.n_chains = self.n_running = 0

    @property
    def has_room(self) -> bool:
        """Whether another chain may begin before more is learned."""
        return self.free > 0 and self.n_running < LEAD

    def next_chain(self, objective: float) -> Chain:
        """Return the next chain; those that may begin now share the iterations that are free.

        The objective is that of the best tree so far.
        """
        share = -(-self.free // (LEAD - self.n_running))
        self.free -= share
        self.n_chains += 1
        self.n_running += 1
        origin, scale, worth = self._origin(), self._scale(), objective * (1 + SAME)
        return Chain(self.n_chains, self.seed, origin, scale, share, worth)

    def _scale(self) -> float:
        """Return the norm of the best tree; while none has a split, any that could be worth it."""
        if self.elite and self.elite[0].working.splits.any():
            return float(self.elite[0].working.scale[0])
        if self.n_chains == 1:
            return FIRST_SCALE
        return float(FIRST_SCALE * (self.largest_scale / FIRST_SCALE) ** self.rng.random())

    def _origin(self) -> WorkingTree | None:
        """Return a given tree while there are some, then none, or one of the best now and then."""
        if self.origins:
            return self.origins.pop(0)
        if self.elite and self.n_chains % LEAD == 1:
            return self.elite[self.rng.integers(len(self.elite))].working
        return None

    def learn(self, chain: Chain, found: Found) -> bool:
        """Note what the oldest chain found, and return whether it costs less than all before.

        Of trees that cost the same the first is kept.
        """
        self.n_running -= 1
        self.free += chain.max_iterations - found.iterations
        costs = [other.cost for other in self.elite]
        if not np.isclose(found.cost, costs, rtol=SAME, atol=0).any():
            self.elite = sorted([*self.elite, found], key=lambda one: one.cost)[:ELITE]
        is_cheapest = found.cost < self.lowest
        self.lowest = min(found.cost, self.lowest)
        return is_cheapest
