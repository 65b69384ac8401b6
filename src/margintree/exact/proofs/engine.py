"""A proof of how cheap a tree can be: dives from the open nodes with the least bounds.

The bound is right at any moment, so the engine may stop at any moment: every tree that fits a
closed node costs at least the cutoff of that time, which only falls, and every other tree fits an
open node.
"""

import heapq
import zlib
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from functools import cache
from itertools import count
from queue import SimpleQueue

import numpy as np

from margintree import __version__
from margintree._lib.arrays import IntArray
from margintree._lib.exceptions import InvalidInputError
from margintree._lib.first_fit import compilation_notice
from margintree.core.incumbent import Incumbent
from margintree.core.limits import Limits
from margintree.core.method import Method
from margintree.core.problem import Problem
from margintree.core.result import Progress, Reason, Result, TracePoint
from margintree.core.tree import ObliqueTree
from margintree.exact.checkpoint import Checkpoint
from margintree.exact.proofs.dive import PAUSE, Basics, Dive, Dived, History, OpenNode, Room
from margintree.exact.proofs.resume import OpenSearch
from margintree.exact.proofs.scope import NATIVE
from margintree.exact.proofs.skeletons import Skeleton, first_skeletons

LEAST_GAP = 1e-7
"""The smallest relative gap that counts as proof; leaves are not solved more exactly."""
ROUNDING = 1e-9
"""Share of the optimum by which rounding may lift the bound above it, at most."""
SEARCHES: tuple[tuple[int, int | None], ...] = ((100_000, 200), (1_000_000, None))
"""Nodes, times rows, after which the method's search is asked for a better tree, and its iterations
then. It takes about as long as the nodes before. Most proofs of few rows are done before."""
SEARCH_SHARE = 0.2
"""Share of the remaining time that the search may take."""
LONG = 10_000
"""Nodes after which a proof is long enough for several dives at once."""
TOGETHER = 4
"""Dives of a long proof that begin with the same best cost and may run at once. The same number on
any number of threads, so that the result is the same."""


class ProofPoint(TracePoint):
    """A `TracePoint` of a proof, which also tells how far the search is.

    Attributes
    ----------
    nodes : int
        Nodes so far.
    share : float
        The share of the search that is closed; after a resume, of what was left.

    Examples
    --------
    >>> point = ProofPoint(10.0, 2.0, 1.0)
    >>> point.share = 0.25
    >>> point.seconds_left
    30.0
    """

    nodes: int = 0
    share: float = 0.0

    @property
    def seconds_left(self) -> float:
        """About how long it will still take, if the rest is like what is done."""
        return self.seconds * (1 / self.share - 1) if self.share > 0 else np.inf


@dataclass(frozen=True)
class Proof:
    """What is proved about a problem.

    Attributes
    ----------
    result : Result
        The best tree and the bound. No tree costs less than the bound, by more than 1e-9 of the
        optimum for rounding.
    nodes : int
        Nodes of the search.
    share : float
        The share of the search that is closed.
    stuck : int
        Leaves that could not be solved to the gap asked for; the bound counts them.
    history : History or None
        What was decided, if that is asked for.
    """

    result: Result
    nodes: int
    share: float
    stuck: int
    history: History | None = None


def prove(
    method: Method,
    problem: Problem,
    limits: Limits,
    starts: Sequence[ObliqueTree] = (),
    progress: Progress | None = None,
    checkpoint: Checkpoint | None = None,
    *,
    has_history: bool = False,
) -> Proof:
    """Prove how cheap a tree can be, and find the cheapest one.

    The result is the same on any number of threads, unless a limit or an interrupt stops the proof.

    Parameters
    ----------
    method : Method
        MOCTSVM.
    problem : Problem
        The training set and its costs.
    limits : Limits
        When to stop, and the gap that counts as proof.
    starts : sequence of ObliqueTree
        Known trees, in the scaled space of the problem; what is returned costs no more.
    progress : callable, optional
        Receives a `ProofPoint` now and then; it may raise KeyboardInterrupt.
    checkpoint : Checkpoint, optional
        Keeps the best tree, the bound and the open nodes; if it already has some, the proof goes
        on from there. A proof that keeps its history begins with no nodes closed.
    has_history : bool, default False
        Whether to keep what a certificate is made of.

    Examples
    --------
    >>> from margintree.core.problem import Costs
    >>> from margintree.methods import MOCTSVM
    >>> problem = Problem.from_data([[0.0], [1.0]], [0, 1], n_classes=2, depth=1,
    ...                             costs=Costs(errors=10, violations=10, splits=0.5))
    >>> proof = prove(MOCTSVM(), problem, Limits())
    >>> round(proof.result.objective, 4), proof.result.gap <= 1e-4
    (2.5, True)
    """
    refusal = method.proof_obstacle(problem)
    if refusal:
        raise InvalidInputError(f"The native proof engine {refusal} Use solver='scip'.")
    compile_kernels()
    history = History() if has_history else None
    return _Engine(method, problem, limits, progress, checkpoint, history).run(starts)


@cache
def compile_kernels() -> None:
    """Get all kernels of a proof ready, so that no clock runs while they are compiled."""
    problem = Problem.from_data([[0.0], [1.0]], [0, 1], n_classes=2, depth=1)
    node = OpenNode(0.0, (1, 0), Skeleton((0b01, 0b10), 1), None, 1.0)
    with compilation_notice():
        basics = Basics(problem, LEAST_GAP)
        Dive(basics, Room(basics), node, 1.0).run(lambda: False, 1)


class _Engine:
    def __init__(
        self,
        method: Method,
        problem: Problem,
        limits: Limits,
        progress: Progress | None,
        checkpoint: Checkpoint | None,
        history: History | None,
    ) -> None:
        self.method, self.problem, self.limits = method, problem, limits
        self.progress, self.checkpoint, self.history = progress, checkpoint, history
        self.clock = limits.clock()
        self.best = Incumbent(method, problem, self.clock)
        self.gap = max(limits.gap, LEAST_GAP) * (1 - 1e-6)
        self.searches = deque((after // problem.n_rows, most) for after, most in SEARCHES)
        self.nodes, self.stuck, self.closed = 0, 0, 0.0
        self.least_stuck = np.inf
        self.waiting: list[OpenNode] = []
        self.running: list[OpenNode] = []
        self.numbers = count()
        self.is_ready = False
        self.wants_stop = False

    def run(self, starts: Sequence[ObliqueTree]) -> Proof:
        reason = Reason.FINISHED
        try:
            self.best.offer_all(starts)
            self.resume()
            if self.progress is not None:
                for point in self.best.trace:
                    self.progress(ProofPoint(*point))
            if self.history is not None or not self.is_proved:
                self.prepare()
            while self.waiting and not self.is_over():
                if self.searches and self.nodes >= self.searches[0][0]:
                    self.search(self.searches.popleft()[1])
                self.dive_together()
        except KeyboardInterrupt:
            reason = Reason.INTERRUPTED
        return self.proof(reason)

    def resume(self) -> None:
        """Begin with the tree, the bound and the open nodes of the checkpoint."""
        self.left = self.left_open()
        if self.checkpoint is not None and self.checkpoint.known is not None:
            self.best.offer(self.checkpoint.known.tree)
            self.best.raise_bound(self.checkpoint.known.bound)
        self.keep()

    def keep(self) -> None:
        """Write the checkpoint, with the nodes from which it begins until others are known."""
        if self.checkpoint is None:
            return
        known = self.checkpoint.known
        search = known.search if known is not None else None
        if self.is_ready and self.history is None:
            # Where dives run, their nodes are begun anew.
            nodes = [node for node in (*self.running, *self.waiting) if node.bound < self.cutoff]
            left = OpenSearch(nodes, min(self.cutoff, self.least_stuck), self.gap)
            search = left.to_dict(self.problem)
        self.checkpoint.keep(self.best.tree, self.best.objective, self.bound, search)

    def left_open(self) -> OpenSearch | None:
        """Return the search of the checkpoint, if this proof can go on from it."""
        known = self.checkpoint.known if self.checkpoint is not None else None
        if self.checkpoint is None or known is None or known.search is None:
            return None
        try:
            left = OpenSearch.from_dict(known.search, self.problem)
        except (ValueError, LookupError, TypeError, zlib.error) as error:
            raise self.checkpoint.refused(f"it cannot be read ({error!s:.200})") from error
        return left if left.gap <= self.gap and self.history is None else None

    def prepare(self) -> None:
        """Set the work up: rows, memory, and the first skeletons."""
        self.basics = Basics(self.problem, self.gap, has_log=self.history is not None)
        self.rooms: SimpleQueue[Room] = SimpleQueue()
        self.pool = ThreadPoolExecutor(self.limits.threads) if self.limits.threads > 1 else None
        for _ in range(max(1, self.limits.threads)):
            self.rooms.put(Room(self.basics))
        if self.left is None:
            self.put_first_skeletons()
        else:
            # Closed nodes matter only where their trees may cost less than this proof asks for.
            self.least_stuck = self.left.floor if self.left.floor < self.cutoff else np.inf
            for node in self.left.nodes:
                self.put(node.skeleton, node.bound, node.places, node.share)
        self.is_ready = True
        self.tell()

    def put_first_skeletons(self) -> None:
        """Put the skeletons in the queue with which every proof begins."""
        problem = self.problem
        prices, splits = problem.error_prices, problem.costs.splits
        first = first_skeletons(prices, splits, problem.depth, self.cutoff)
        several = [skeleton for skeleton in first if 0 < skeleton.n_splits <= problem.max_splits]
        for skeleton in several:
            number = self.put(skeleton, self.basics.paid(skeleton), None, 1 / len(several))
            if self.history is not None:
                self.history.roots.append((number, skeleton))

    def search(self, most: int | None) -> None:
        """Let the method's search look for a better tree, for so many iterations at most."""
        began = self.clock.elapsed()
        self.method.get_ready(self.problem, self.limits)
        self.clock.start += self.clock.elapsed() - began  # no limit counts compilation
        seconds = SEARCH_SHARE * self.clock.remaining()
        numbers = [number for number in (most, self.limits.iterations) if number is not None]
        limits = replace(self.limits, seconds=seconds, iterations=min(numbers, default=None))
        known = [self.best.tree]
        found = self.method.start(self.problem, limits, known, self.tell_of_search)
        self.best.offer(found.tree)
        self.best.iterations += found.iterations
        if found.reason is Reason.INTERRUPTED:
            raise KeyboardInterrupt

    def tell_of_search(self, point: TracePoint) -> None:
        """Tell of the progress of the search."""
        if self.progress is not None:
            objective = min(point.objective, self.best.objective)
            self.progress(self.point(objective))

    def put(self, skeleton: Skeleton, bound: float, places: IntArray | None, share: float) -> int:
        """Put a node in the queue and return its number."""
        number = next(self.numbers)
        node = OpenNode(bound, (skeleton.n_splits, number), skeleton, places, share)
        heapq.heappush(self.waiting, node)
        return number

    @property
    def cutoff(self) -> float:
        """The cost below which a tree matters."""
        return self.best.objective * (1 - self.gap)

    @property
    def is_proved(self) -> bool:
        """Whether the gap is small enough."""
        return self.best.gap <= max(self.limits.gap, LEAST_GAP)

    @property
    def own_bound(self) -> float:
        """Lower bound on the cost of any tree that follows from this search alone."""
        if not self.is_ready:
            return 0.0
        nodes = [*self.running, *self.waiting[:1]]
        least = min((node.bound for node in nodes), default=np.inf)
        return min(self.cutoff, self.least_stuck, least)

    @property
    def bound(self) -> float:
        """Lower bound on the cost of any tree."""
        # What was proved once holds for good, also where a cheaper tree has lowered the cutoff.
        self.best.bound = max(self.best.bound, self.own_bound)
        return min(self.best.bound, self.best.objective)

    def dive_together(self) -> None:
        """Dive from the nodes with the least bounds, and take in what is found in their order."""
        n_dives = TOGETHER if self.nodes >= LONG else 1
        # An interrupt may come anywhere, so nodes are noted here before they leave the queue.
        least = heapq.nsmallest(n_dives, self.waiting)
        self.running = [node for node in least if node.bound < self.cutoff]
        for _ in self.running:
            heapq.heappop(self.waiting)
        nodes, objective, most = self.running, self.best.objective, self.nodes_left()
        if self.searches:
            most = min(most, max(1, self.searches[0][0] - self.nodes))
        for node, found in zip(nodes, self.dives(nodes, objective, most), strict=True):
            self.take(node, found)
            self.running = self.running[1:]
        self.tell()

    def dives(self, nodes: Sequence[OpenNode], objective: float, most: int) -> Iterator[Dived]:
        """Yield what the dives find, in the order of their nodes."""
        if self.pool is None or len(nodes) == 1:
            yield from (self.dive(node, objective, most) for node in nodes)
            return
        self.wants_stop = False
        dives = [self.pool.submit(self.dive_aside, node, objective, most) for node in nodes]
        try:
            while wait(dives, timeout=PAUSE).not_done:
                self.wants_stop = self.must_stop()
        finally:
            self.wants_stop = True
        yield from map(Future.result, dives)

    def dive(self, node: OpenNode, objective: float, most: int) -> Dived:
        """Dive on the main thread, which tells of progress and watches limits."""
        room = self.rooms.get()
        try:
            return Dive(self.basics, room, node, objective).run(self.must_stop, most)
        finally:
            self.rooms.put(room)

    def dive_aside(self, node: OpenNode, objective: float, most: int) -> Dived:
        """Dive on another thread, while the main thread watches limits."""
        room = self.rooms.get()
        try:
            return Dive(self.basics, room, node, objective).run(lambda: self.wants_stop, most)
        finally:
            self.rooms.put(room)

    def take(self, node: OpenNode, found: Dived) -> None:
        """Keep what a dive found, and put what it left open in the queue."""
        if found.tree is not None:
            self.best.offer(found.tree)
        self.nodes, self.stuck = self.nodes + found.nodes, self.stuck + found.stuck
        self.least_stuck = min(self.least_stuck, found.least_stuck)
        self.closed += found.closed
        if found.must_refine:
            self.refine(node, found.bound)
            return
        numbers = [
            self.put(node.skeleton, left.bound, left.places, left.share) for left in found.leftovers
        ]
        if self.history is not None:
            self.history.dives[node.order[1]] = found.log, numbers

    def refine(self, node: OpenNode, bound: float) -> None:
        """Put the refinements of a skeleton in the queue."""
        shapes = node.skeleton.refinements()
        shapes = [shape for shape in shapes if shape.n_splits <= self.problem.max_splits]
        refined = []
        for shape in shapes:
            paid, share = self.basics.paid(shape), node.share / len(shapes)
            refined.append((self.put(shape, max(bound, paid), None, share), shape))
        if self.history is not None:
            self.history.refined[node.order[1]] = refined

    def nodes_left(self) -> int:
        """Return how many nodes the limit leaves."""
        return 2**62 if self.limits.nodes is None else max(0, self.limits.nodes - self.nodes)

    def is_over(self) -> bool:
        """Tell whether a limit has been reached, or all that is open is closed by the best tree."""
        is_closed = self.waiting[0].bound >= self.cutoff
        return is_closed or self.clock.is_over() or self.nodes_left() == 0

    def must_stop(self) -> bool:
        """Tell of progress, and whether a limit has been reached."""
        self.tell()
        return self.clock.is_over()

    def tell(self) -> None:
        """Add a point to the trace if something is better, and tell of progress."""
        point = self.point(self.best.objective)
        if point[1:] != self.best.trace[-1][1:]:
            self.best.trace.append(TracePoint(*point))
        if self.checkpoint is not None and self.checkpoint.is_due():
            self.keep()
        if self.progress is not None:
            self.progress(point)

    def point(self, objective: float) -> ProofPoint:
        """Return where the proof stands."""
        point = ProofPoint(self.clock.elapsed(), objective, min(self.bound, objective))
        point.nodes, point.share = self.nodes, min(self.closed, 1.0)
        return point

    def proof(self, reason: Reason) -> Proof:
        """Return what is proved, and why it ended."""
        self.best.bound, limit = self.bound, None
        if not self.is_proved:
            # A proof that ends needs no simple bound, and most proofs take no longer than it.
            self.best.raise_bound(self.method.bound(self.problem))
        if self.history is not None:
            self.history.bound = self.own_bound
        self.keep()
        if self.is_proved:
            reason = Reason.OPTIMAL
        elif reason is not Reason.INTERRUPTED and self.waiting:
            reason = Reason.LIMIT
            limit = self.clock.struck if self.clock.is_over() else "nodes"
        result = self.best.result(reason, limit, self.limits.gap, NATIVE, __version__)
        return Proof(
            result,
            self.nodes,
            1.0 if self.is_proved else min(self.closed, 1.0),
            self.stuck,
            self.history,
        )
