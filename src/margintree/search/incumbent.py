"""The best tree so far, as the judge prices it, with the bound it is measured against."""

from margintree import __version__
from margintree.bound import lower_bound
from margintree.limits import Clock
from margintree.objective import objective, with_leaf_mass
from margintree.problem import Problem
from margintree.result import Progress, Reason, Result, TracePoint, relative_gap
from margintree.tree import ObliqueTree


class Incumbent:
    """Keeps the cheapest tree it is offered, and tells of every better one."""

    def __init__(self, problem: Problem, tree: ObliqueTree, progress: Progress | None) -> None:
        self.problem, self.tree, self.progress = problem, tree, progress
        self.objective = objective(problem, tree).total
        self.bound = 0.0
        self.clock = Clock()
        self.iterations = 0
        self.trace: list[TracePoint] = []

    def start(self, seconds: float) -> None:
        """Start the clock, and find the bound."""
        self.clock = Clock(seconds)
        self.bound = lower_bound(self.problem)
        self._tell()

    @property
    def gap(self) -> float:
        """How far the bound lies below the objective, as a share of the objective."""
        return relative_gap(self.objective, self.bound)

    def offer(self, tree: ObliqueTree) -> None:
        """Keep a tree if it is cheaper than the best so far and breaks no routing margin."""
        cost = objective(self.problem, tree)
        if cost.ties or cost.total >= self.objective:
            return
        self.tree, self.objective = tree, cost.total
        self._tell()

    def _tell(self) -> None:
        self.trace.append(TracePoint(self.clock.elapsed(), self.objective, self.bound))
        if self.progress is not None:
            self.progress(self.trace[-1])

    def result(self, reason: Reason, limit: str | None, gap_limit: float) -> Result:
        """Return the best tree with all that is known about it."""
        return Result(
            tree=with_leaf_mass(self.problem, self.tree),
            objective=self.objective,
            bound=self.bound,
            reason=reason,
            limit=limit,
            gap_limit=gap_limit,
            trace=tuple(self.trace),
            solver="search",
            version=__version__,
            seconds=self.clock.elapsed(),
            iterations=self.iterations,
        )
