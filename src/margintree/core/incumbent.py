"""The best tree so far, as a judge prices it, with the bound it is measured against."""

from collections.abc import Callable, Sequence
from typing import Protocol

from margintree import __version__
from margintree.core.judges.margins import with_leaf_mass
from margintree.core.limits import Clock, Limits
from margintree.core.problem import Problem
from margintree.core.result import Progress, Reason, Result, TracePoint, relative_gap
from margintree.core.simplify import tidy
from margintree.core.tree import ObliqueTree

ROUNDING = 1e-12
"""Share of a cost by which two ways to add it up may differ."""


class Price(Protocol):
    """What every judge returns: a cost by term."""

    @property
    def total(self) -> float:
        """The sum of the terms."""
        ...

    @property
    def is_allowed(self) -> bool:
        """Whether the tree keeps all rules."""
        ...


Judge = Callable[[ObliqueTree], Price]
"""Prices a tree on a problem that it knows."""

Simplify = Callable[[Problem, ObliqueTree], ObliqueTree]
"""Brings a tree into a form in which a judge prices it no higher."""


class Incumbent:
    """Keeps the cheapest allowed tree it is offered, and tells of every better one.

    The first tree is told of by `tell`, so that whoever asks to stop then finds an incumbent.
    """

    def __init__(
        self,
        problem: Problem,
        judge: Judge,
        tree: ObliqueTree,
        bound: float,
        clock: Clock,
        progress: Progress | None = None,
        simplify: Simplify = tidy,
    ) -> None:
        self.problem, self.judge, self.clock, self.progress = problem, judge, clock, progress
        self.simplify = simplify
        self.tree, self.objective = tree, judge(tree).total
        self.bound = bound
        self.iterations = 0
        self.trace: list[TracePoint] = []

    @classmethod
    def without_splits(
        cls,
        problem: Problem,
        judge: Judge,
        bound: float,
        clock: Clock,
        progress: Progress | None = None,
        simplify: Simplify = tidy,
    ) -> "Incumbent":
        """Return an incumbent that begins with the best tree without splits."""
        leaf = ObliqueTree.leaf(problem.depth, problem.n_features, problem.n_classes)
        tree = simplify(problem, leaf)
        return cls(problem, judge, tree, bound, clock, progress, simplify)

    @property
    def gap(self) -> float:
        """How far the bound lies below the objective, as a share of the objective."""
        return relative_gap(self.objective, self.bound)

    def offer_all(self, starts: Sequence[ObliqueTree]) -> list[ObliqueTree]:
        """Tell of the first tree, and keep the cheapest of the starts if it is cheaper.

        Returns the starts in their simplest form.
        """
        self.tell()
        return [self.offer(tree) for tree in starts]

    def offer(self, tree: ObliqueTree) -> ObliqueTree:
        """Keep a tree, in its simplest form, if it is allowed and the cheapest so far.

        Returns that form.
        """
        tree = self.simplify(self.problem, tree)
        cost = self.judge(tree)
        if cost.is_allowed and cost.total < self.objective:
            self.tree, self.objective = tree, cost.total
            self.tell()
        return tree

    def raise_bound(self, bound: float) -> None:
        """Note a bound, if it is better.

        No bound is above the cost of a tree that is known; one that is only as far below as
        rounding goes is as good as that cost.
        """
        if bound >= self.objective * (1 - ROUNDING):
            bound = self.objective
        if bound > self.bound:
            self.bound = bound
            self.tell()

    def tell(self) -> None:
        """Add a point to the trace, and tell of it; the callback may raise KeyboardInterrupt."""
        self.trace.append(TracePoint(self.clock.elapsed(), self.objective, self.bound))
        if self.progress is not None:
            self.progress(self.trace[-1])

    def why_stopped(self, gap_limit: float) -> tuple[Reason, str | None]:
        """Return why a method stops that goes on until it has a proof or a limit strikes."""
        if self.gap <= gap_limit:
            return Reason.OPTIMAL, None
        return Reason.LIMIT, self.clock.struck

    def why_search_stopped(self, limits: Limits) -> tuple[Reason, str | None]:
        """Return why a search stops, which also ends when it has made all its descents."""
        if self.gap <= limits.gap or self.clock.is_over():
            return self.why_stopped(limits.gap)
        if limits.iterations is None:
            return Reason.FINISHED, None
        return Reason.LIMIT, "iterations"

    def result(
        self,
        reason: Reason,
        limit: str | None,
        gap_limit: float,
        solver: str,
        version: str = __version__,
    ) -> Result:
        """Return the best tree with all that is known about it."""
        return Result(
            tree=with_leaf_mass(self.problem, self.tree),
            objective=self.objective,
            bound=min(self.bound, self.objective),  # rounding may leave it a digit above
            reason=reason,
            limit=limit,
            gap_limit=gap_limit,
            trace=tuple(self.trace),
            solver=solver,
            version=version,
            seconds=self.clock.elapsed(),
            iterations=self.iterations,
        )
