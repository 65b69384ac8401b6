"""A proof of how cheap a tree can be: the loop over skeletons around the compiled search.

The bound is right at any moment, so the engine may stop at any moment: every tree that fits a
closed node costs at least the cutoff of that time, which only falls, and every other tree fits a
skeleton that waits or a level of the stack.
"""

import heapq
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import count
from typing import NamedTuple, TypeAlias

import numpy as np

from margintree._lib.exceptions import InvalidInputError
from margintree.core.judges.margins import objective
from margintree.core.limits import Limits
from margintree.core.problem import Problem
from margintree.core.result import Reason, relative_gap
from margintree.core.simplify import tidy
from margintree.core.tree import ObliqueTree
from margintree.exact.proofs.kernels.arrays import LOW, NEXT, WAYS, Stack
from margintree.exact.proofs.kernels.branching import PROBES
from margintree.exact.proofs.kernels.explore import (
    BOUND,
    CLOSED,
    DONE,
    FOUND,
    FULL,
    LEAST,
    LEVEL,
    NODES,
    OPEN,
    PHASE,
    PRICE,
    STUCK,
    explore,
)
from margintree.exact.proofs.kernels.frame import frame_of
from margintree.exact.proofs.skeletons import MAX_CLASSES, Skeleton, first_skeletons
from margintree.exact.proofs.workspace import (
    begin,
    grid_of,
    grown,
    new_desk,
    new_stack,
    rows_of,
    tree_of,
)

LEAST_GAP = 1e-7
"""The smallest relative gap that counts as proof; leaves are not solved more exactly."""
ROUNDING = 1e-9
"""Share of the optimum by which rounding may lift the bound above it, at most."""
PARTIAL_NODES = 20
"""Nodes after which a skeleton with bags that is still open is refined."""
BETTER = 1e-3
"""Share of the gap by which a tree must be cheaper than the best one to be looked at."""
DEAR_SHARE = 0.25
"""Share of the gap that rows left undecided at a leaf may cost together."""
TOLERANCE_SHARE, LEAST_TOLERANCE, MOST_TOLERANCE = 1e-3, 1e-9, 1e-7
"""To this share of the gap, within limits, are the values of rows at leaves exact."""
FIRST_BUDGET = 2_000
"""Steps of the first call of the compiled search."""
PAUSE = 0.05
"""Seconds that a call should last: after each, limits are checked and progress is told."""


class ProofPoint(NamedTuple):
    """What is known after so many seconds."""

    seconds: float
    objective: float
    bound: float
    nodes: int
    share: float

    @property
    def seconds_left(self) -> float:
        """About how long it will still take, if the rest is like what is done."""
        return self.seconds * (1 / self.share - 1) if self.share > 0 else np.inf


ProofProgress: TypeAlias = Callable[[ProofPoint], None]
"""A callback that is told how a proof gets on; it may raise KeyboardInterrupt."""


@dataclass(frozen=True)
class Proof:
    """What is proved about a problem.

    Attributes
    ----------
    tree : ObliqueTree
        The best tree known, in the scaled space of the problem.
    objective : float
        Its cost as the judge prices it.
    bound : float
        No tree costs less, by more than 1e-9 of the optimum for rounding.
    nodes : int
        Nodes of the search.
    share : float
        The share of the search that is closed.
    reason : Reason
        Why it stopped.
    limit : str or None
        The limit that was reached.
    seconds : float
        How long it took.
    stuck : int
        Leaves that could not be solved to the gap asked for; the bound counts them.
    """

    tree: ObliqueTree
    objective: float
    bound: float
    nodes: int
    share: float
    reason: Reason
    limit: str | None
    seconds: float
    stuck: int

    @property
    def gap(self) -> float:
        """How far the bound lies below the objective, as a share of the objective."""
        return relative_gap(self.objective, self.bound)


def prove(
    problem: Problem,
    start: ObliqueTree,
    limits: Limits,
    progress: ProofProgress | None = None,
) -> Proof:
    """Prove how cheap a tree can be, and find the cheapest one.

    Parameters
    ----------
    problem : Problem
        The training set and its costs.
    start : ObliqueTree
        A known tree, in the scaled space of the problem; what is returned costs no more.
    limits : Limits
        When to stop, and the gap that counts as proof.
    progress : callable, optional
        Told how it gets on; it may raise KeyboardInterrupt.

    Examples
    --------
    >>> from margintree.core.problem import Costs
    >>> problem = Problem.from_data([[0.0], [1.0]], [0, 1], n_classes=2, depth=1,
    ...                             costs=Costs(errors=10, violations=10, splits=0.5))
    >>> proof = prove(problem, ObliqueTree.leaf(1, 1, 2), Limits())
    >>> round(proof.objective, 4), proof.gap <= 1e-4
    (2.5, True)
    """
    if problem.n_classes > MAX_CLASSES:
        raise InvalidInputError(
            f"A proof of our own takes at most {MAX_CLASSES} classes; {problem.n_classes} were "
            "given. Use another solver, such as solver='scip'."
        )
    compile_kernels()
    return _Engine(problem, limits, progress).run(start)


@cache
def compile_kernels() -> None:
    """Get all kernels of a proof ready, so that no clock runs while they are compiled."""
    problem = Problem.from_data([[0.0], [1.0]], [0, 1], n_classes=2, depth=1)
    _Engine(problem, Limits(), None).run(ObliqueTree.leaf(1, 1, 2))


class _Waiting(NamedTuple):
    """A skeleton that waits, with a bound of its trees and its share of the whole search."""

    bound: float
    order: tuple[int, int]
    skeleton: Skeleton
    share: float


class _Engine:
    def __init__(self, problem: Problem, limits: Limits, progress: ProofProgress | None) -> None:
        self.problem, self.limits, self.progress = problem, limits, progress
        self.clock = limits.clock()
        self.gap = max(limits.gap, LEAST_GAP) * (1 - 1e-6)
        self.tree = tidy(
            problem, ObliqueTree.leaf(problem.depth, problem.n_features, problem.n_classes)
        )
        self.objective = objective(problem, self.tree).total
        self.known = np.inf
        self.stuck, self.nodes, self.share = 0, 0, 0.0
        self.least_stuck, self.proved = np.inf, -np.inf
        self.budget = FIRST_BUDGET
        self.queue: list[_Waiting] = []
        self.numbers = count()
        self.stacks: dict[int, Stack] = {}
        self.current: _Waiting | None = None
        self.branch: _Branch | None = None
        self.is_ready = False
        self.limit: str | None = None

    @property
    def cutoff(self) -> float:
        """What a tree must cost less than to matter."""
        return self.objective * (1 - self.gap)

    @property
    def bound(self) -> float:
        """What no tree costs less than."""
        if not self.is_ready:
            return 0.0
        now = np.inf if self.current is None else self.current.bound
        if self.branch is not None and not self.branch.is_closed:
            now = self.branch.bound
        first = self.queue[0].bound if self.queue else np.inf
        bound = min(self.cutoff, self.least_stuck, now, first)
        # What was proved once holds for good, also where a cheaper tree has lowered the cutoff.
        self.proved = max(self.proved, bound)
        return self.proved

    def run(self, start: ObliqueTree) -> Proof:
        self.offer(start)
        reason = Reason.OPTIMAL
        try:
            self.prepare()
            self.tell()
            while self.queue and self.limit is None:
                # An interrupt may come anywhere: what leaves the queue must be noted before.
                self.current = self.queue[0]
                self.close(heapq.heappop(self.queue))
        except KeyboardInterrupt:
            reason = Reason.INTERRUPTED
        return self.proof(reason)

    def prepare(self) -> None:
        """Set the work up: arrays, and the first skeletons."""
        problem = self.problem
        self.rows = rows_of(problem)
        self.desk = new_desk(problem.n_rows, problem.n_classes, problem.depth)
        self.candidates = np.zeros(PROBES, dtype=np.int64)
        self.candidate_scores, self.lines = np.zeros(PROBES), np.zeros(5)
        first = first_skeletons(
            problem.error_prices, problem.costs.splits, problem.depth, self.cutoff
        )
        several = [skeleton for skeleton in first if skeleton.n_splits]
        for skeleton in several:
            self.put(skeleton, 0.0, 1 / len(several))
        self.is_ready = True

    def put(self, skeleton: Skeleton, bound: float, share: float) -> None:
        order = (skeleton.n_splits, next(self.numbers))
        heapq.heappush(self.queue, _Waiting(bound, order, skeleton, share))

    def offer(self, tree: ObliqueTree) -> None:
        """Keep a tree if it is allowed and the best so far."""
        tree = tidy(self.problem, tree)
        cost = objective(self.problem, tree)
        if cost.is_allowed and cost.total < self.objective:
            self.tree, self.objective = tree, cost.total

    def close(self, waiting: _Waiting) -> None:
        """Search a skeleton to its end, or put its refinements in the queue."""
        if waiting.bound >= self.cutoff:
            self.share, self.current = self.share + waiting.share, None
            return
        self.branch = _Branch(self, waiting)
        if self.branch.is_closed or self.branch.search():
            self.share += waiting.share
        elif self.limit is None:
            refinements = waiting.skeleton.refinements()
            for skeleton in refinements:
                self.put(skeleton, self.branch.bound, waiting.share / len(refinements))
        if self.limit is None:
            self.branch = self.current = None

    def is_over(self) -> bool:
        """Tell whether a limit has been reached."""
        if self.clock.is_over():
            self.limit = self.clock.struck
        elif self.limits.nodes is not None and self.nodes >= self.limits.nodes:
            self.limit = "nodes"
        return self.limit is not None

    def tell(self) -> None:
        if self.progress is not None:
            share = self.share + (0.0 if self.branch is None else self.branch.share)
            self.progress(
                ProofPoint(
                    self.clock.elapsed(), self.objective, self.bound, self.nodes, min(share, 1.0)
                )
            )

    def proof(self, reason: Reason) -> Proof:
        bound = min(self.bound, self.objective)
        is_proved = relative_gap(self.objective, bound) <= max(self.limits.gap, LEAST_GAP)
        if is_proved:
            reason = Reason.OPTIMAL
        elif self.limit is not None:
            reason = Reason.LIMIT
        elif reason is Reason.OPTIMAL:
            reason = Reason.FINISHED
        return Proof(
            tree=self.tree,
            objective=self.objective,
            bound=bound,
            nodes=self.nodes,
            share=1.0 if is_proved else min(self.share, 1.0),
            reason=reason,
            limit=None if is_proved else self.limit,
            seconds=self.clock.elapsed(),
            stuck=self.stuck,
        )


class _Branch:
    """The search of one skeleton."""

    def __init__(self, engine: _Engine, waiting: _Waiting) -> None:
        self.engine, self.waiting = engine, waiting
        skeleton, problem = waiting.skeleton, engine.problem
        is_split, classes, twins = skeleton.arrays()
        names = [k for k in range(problem.n_classes) if skeleton.classes >> k & 1]
        paid = problem.costs.splits * skeleton.n_splits
        paid += float(problem.error_prices[:, names].min(axis=1).sum())
        self.is_closed = paid >= engine.cutoff
        self.counts, self.reals = np.zeros(6, dtype=np.int64), np.zeros(6)
        if self.is_closed:
            return
        grid = grid_of(problem, engine.cutoff - paid)
        self.frame = frame_of(engine.rows, is_split, classes, twins, grid)
        n_splits = int(is_split.sum())
        if n_splits not in engine.stacks:
            engine.stacks[n_splits] = new_stack(problem.n_rows, n_splits, problem.depth)
        self.stack = engine.stacks[n_splits]
        self.n_splits = n_splits
        begin(self.stack, self.frame, paid)
        self.counts[PHASE], self.reals[LEAST] = BOUND, np.inf

    @property
    def bound(self) -> float:
        """What no tree of the skeleton costs less than, among those that are not closed."""
        level = int(self.counts[LEVEL])
        moves, low = self.stack.moves[:level], self.stack.levels[:, LOW]
        open_levels = low[:level][moves[:, NEXT] < moves[:, WAYS]]
        now = low[level] if level >= 0 else np.inf
        least = min(now, open_levels.min(initial=np.inf), self.reals[LEAST])
        return float(max(least, self.waiting.bound))

    @property
    def share(self) -> float:
        """The share of the whole search that is closed here."""
        return float(self.reals[CLOSED]) * self.waiting.share

    def search(self) -> bool:
        """Go on until the skeleton is closed; return False if it must be refined, or at a limit."""
        engine = self.engine
        is_complete = self.waiting.skeleton.is_complete
        while not engine.is_over():
            status = self.go_on(is_complete)
            if status == FULL:
                self.stack = engine.stacks[self.n_splits] = grown(self.stack)
            elif status == FOUND:
                self.take_tree()
            elif status == OPEN:
                return False
            elif status == DONE:
                engine.least_stuck = min(engine.least_stuck, float(self.reals[LEAST]))
                return True
            engine.tell()
            if not is_complete and self.counts[NODES] >= PARTIAL_NODES:
                return False
        return False

    def go_on(self, is_complete: bool) -> int:
        """Call the compiled search once, for about as long as a pause may last."""
        engine = self.engine
        nodes, stuck = int(self.counts[NODES]), int(self.counts[STUCK])
        dear = DEAR_SHARE * engine.gap * engine.cutoff / engine.problem.n_rows
        began = time.perf_counter()
        status = explore(
            engine.rows,
            self.frame,
            self.stack,
            engine.desk,
            engine.candidates,
            engine.candidate_scores,
            engine.lines,
            self.counts,
            self.reals,
            engine.cutoff,
            min(engine.known, engine.objective * (1 - BETTER * engine.gap)),
            dear,
            min(max(TOLERANCE_SHARE * engine.gap, LEAST_TOLERANCE), MOST_TOLERANCE),
            is_complete,
            engine.budget,
        )
        seconds = time.perf_counter() - began
        if status == 1:
            engine.budget = int(engine.budget * min(2.0, PAUSE / max(seconds, 1e-6))) + 1
        engine.nodes += int(self.counts[NODES]) - nodes
        engine.stuck += int(self.counts[STUCK]) - stuck
        return int(status)

    def take_tree(self) -> None:
        """Offer the tree at hand; if the judge does not agree, ask for a cheaper one next time."""
        engine = self.engine
        level = int(self.counts[LEVEL])
        tree = tree_of(engine.problem, self.frame, self.stack, engine.desk, level)
        before = engine.objective
        engine.offer(tree)
        if engine.objective >= before:
            engine.known = min(engine.known, float(self.reals[PRICE])) * (1 - 1e-6)
