"""The best tree so far, with its cost and the lower bound."""

from collections.abc import Sequence

from margintree import __version__
from margintree.core.limits import Clock, Limits
from margintree.core.method import Method
from margintree.core.problem import Problem
from margintree.core.result import Progress, Reason, Result, TracePoint, relative_gap
from margintree.core.simplify import with_leaf_mass
from margintree.core.tree import ObliqueTree

ROUNDING = 1e-12
"""Relative difference by which two ways of adding up the same cost may differ."""


class Incumbent:
    """Keeps the cheapest allowed tree that it is offered, and reports every improvement.

    It starts with the best tree without splits. The ``progress`` callback receives every better
    tree and bound. It may raise KeyboardInterrupt to stop.
    """

    def __init__(
        self, method: Method, problem: Problem, clock: Clock, progress: Progress | None = None
    ) -> None:
        self.method, self.problem, self.clock, self.progress = method, problem, clock, progress
        leaf = ObliqueTree.leaf(problem.depth, problem.n_features, problem.n_classes)
        self.tree = method.simplify(problem, leaf)
        self.cost = method.judge(problem, self.tree)
        self.bound = 0.0
        self.iterations = 0
        self.trace: list[TracePoint] = []

    @property
    def objective(self) -> float:
        """The cost of the best tree."""
        return self.cost.total

    @property
    def gap(self) -> float:
        """How far the bound lies below the objective, as a share of the objective."""
        return relative_gap(self.objective, self.bound)

    def offer_all(self, starts: Sequence[ObliqueTree]) -> list[ObliqueTree]:
        """Report the first tree, offer all starts, and return the simplified starts."""
        self.tell()
        return [self.offer(tree) for tree in starts]

    def offer(self, tree: ObliqueTree) -> ObliqueTree:
        """Keep a tree if it is allowed and the cheapest so far; return its simplified form."""
        tree = self.method.simplify_within(self.problem, tree, self.clock.remaining())
        cost = self.method.judge(self.problem, tree)
        if cost.is_allowed and cost.total < self.objective:
            self.tree, self.cost = tree, cost
            self.tell()
        return tree

    def take(self, tree: ObliqueTree) -> None:
        """Keep a tree as it is, whatever its cost, as greedy methods do."""
        self.tree, self.cost = tree, self.method.judge(self.problem, tree)
        self.tell()

    def raise_bound(self, bound: float) -> None:
        """Keep a bound if it is better than the current one.

        A bound cannot exceed the cost of a known tree; rounding errors count as equality.
        """
        if bound >= self.objective * (1 - ROUNDING):
            bound = self.objective
        if bound > self.bound:
            self.bound = bound
            self.tell()

    def tell(self) -> None:
        """Add a point to the trace and report it; the callback may raise KeyboardInterrupt."""
        self.trace.append(TracePoint(self.clock.elapsed(), self.objective, self.bound))
        if self.progress is not None:
            self.progress(self.trace[-1])

    def why_stopped(self, limits: Limits) -> tuple[Reason, str | None]:
        """Return why the search ended: a proof, a limit, or nothing left to do."""
        if self.gap <= limits.gap:
            return Reason.OPTIMAL, None
        if self.clock.is_over():
            return Reason.LIMIT, self.clock.struck
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
        """Return the best tree with everything known about it.

        Its finished form is judged again: the sums of its cost may differ by rounding.
        """
        tree, before = self.method.finished(self.problem, self.tree), self.objective
        self.cost = self.method.judge(self.problem, tree)
        self.trace = [
            point._replace(objective=self.objective) if point.objective == before else point
            for point in self.trace
        ]
        return Result(
            tree=with_leaf_mass(self.problem, tree),
            cost=self.cost,
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
