"""Search and exact solvers put together: the one function behind every estimator."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from margintree import topology
from margintree.exceptions import InvalidInputError
from margintree.formulation import Program, build, decode, encode_tree
from margintree.limits import Clock, Limits
from margintree.objective import objective, with_leaf_mass
from margintree.problem import Problem
from margintree.result import Progress, Reason, Result, TracePoint, relative_gap
from margintree.solvers import Outcome, Solver, get
from margintree.tidy import tidy
from margintree.tree import ObliqueTree

METHODS = ("search", "exact")
SEARCH_SHARE = 0.2
"""Share of the time limit that the search may take before an exact solve."""
RESTART_BELOW = 0.7
"""An incumbent this many times cheaper than the start is worth a program with smaller big-Ms."""
MAX_ENTRIES = 30_000_000
"""Entries of its matrix up to which a program is built; more would take several GiB."""
ROUNDING = 1e-6
"""How far a solver's bound may lie above a judged tree before it is taken for an error."""


def fit_tree(
    problem: Problem,
    *,
    method: str = "search",
    solver: str = "auto",
    limits: Limits | None = None,
    starts: Sequence[ObliqueTree] = (),
    progress: Progress | None = None,
) -> Result:
    """Return the best tree found for a problem, and what is proved about it.

    Parameters
    ----------
    problem : Problem
        The training set and its costs.
    method : {"search", "exact"}
        Local search alone, or local search and then a mixed-integer solver that starts from its
        tree and proves how good it is.
    solver : str
        The solver of the exact method; ``"auto"`` is SCIP.
    limits : Limits, optional
        When to stop.
    starts : sequence of ObliqueTree
        Known trees, in the scaled space of the problem.
    progress : callable, optional
        Told of every better tree and bound.

    Examples
    --------
    >>> X, y = [[0.0], [0.2], [0.7], [1.0]], [0, 0, 1, 1]
    >>> problem = Problem.from_data(X, y, n_classes=2, depth=1)
    >>> fit_tree(problem, method="exact").is_optimal
    True
    """
    limits = limits or Limits()
    if method not in METHODS:
        raise InvalidInputError(
            f"method must be one of {METHODS}; {method!r} was given. Use 'search' for a good tree "
            "in seconds and 'exact' for a proof."
        )
    if method == "search":
        return _search(problem, limits, starts, progress)
    _check_size(problem)
    return _Exact(problem, get(solver), limits, progress).run(starts)


def _search(
    problem: Problem,
    limits: Limits,
    starts: Sequence[ObliqueTree],
    progress: Progress | None,
) -> Result:
    from margintree.search import search  # compiled kernels are not loaded before they are needed

    return search(problem, limits, starts, progress)


def _check_size(problem: Problem) -> None:
    cells = problem.n_rows * topology.n_nodes(problem.depth)
    entries = cells * (problem.n_features + 10)
    if entries > MAX_ENTRIES:
        raise InvalidInputError(
            f"An exact model of {problem.n_rows} rows and {problem.n_features} features at depth "
            f"{problem.depth} would have about {entries:,} entries; at most {MAX_ENTRIES:,} are "
            "allowed. Use method='search', fewer rows or a smaller depth."
        )


@dataclass
class _Exact:
    """An exact solve from the search's tree, begun anew when a much better tree appears."""

    problem: Problem
    solver: Solver
    limits: Limits
    progress: Progress | None
    may_restart: bool = True

    def run(self, starts: Sequence[ObliqueTree]) -> Result:
        clock = Clock(self.limits.seconds)
        first = replace(self.limits, seconds=SEARCH_SHARE * self.limits.seconds)
        best = replace(_search(self.problem, first, starts, self.progress), solver=self.solver.name)
        is_done = best.is_optimal or best.reason == Reason.INTERRUPTED
        while not is_done:
            best, is_done = self._solve(best, clock)
        return replace(best, seconds=clock.elapsed())

    def _solve(self, best: Result, clock: Clock) -> tuple[Result, bool]:
        """Return the result of one solve, and whether no further one is needed."""
        program = build(self.problem, best.objective)
        start = encode_tree(self.problem, program, best.tree)
        restart_below = RESTART_BELOW * best.objective if self.may_restart else -np.inf
        relay = _Relay(self.progress, best, clock.elapsed(), restart_below)
        limits = replace(self.limits, seconds=clock.remaining())
        outcome = self.solver.solve(program, limits, start, relay)
        result = self._merge(best, outcome, program, relay)
        # A solver may claim, within its tolerances, a tree that the judge prices otherwise.
        self.may_restart = result.objective < restart_below
        return result, not relay.wants_restart or clock.is_over()

    def _merge(self, best: Result, outcome: Outcome, program: Program, relay: "_Relay") -> Result:
        """Return the better of two trees, with the better bound."""
        tree, cost = best.tree, best.objective
        if outcome.values is not None:
            found = tidy(self.problem, decode(self.problem, program, outcome.values))
            judged = objective(self.problem, found)
            if not judged.ties and judged.total < cost:
                tree, cost = with_leaf_mass(self.problem, found), judged.total
        bound = best.bound
        if outcome.reason != Reason.INFEASIBLE and outcome.bound <= cost * (1 + ROUNDING):
            bound = min(max(bound, outcome.bound), cost)
        is_proved = relative_gap(cost, bound) <= self.limits.gap
        is_sure = is_proved or outcome.reason not in (Reason.OPTIMAL, Reason.INFEASIBLE)
        reason = Reason.OPTIMAL if is_proved else outcome.reason
        trace = [point._replace(objective=max(point.objective, cost)) for point in relay.trace]
        return Result(
            tree=tree,
            objective=cost,
            bound=bound,
            reason=reason if is_sure else Reason.FINISHED,
            limit=None if is_proved else outcome.limit,
            gap_limit=self.limits.gap,
            trace=(*trace, TracePoint(relay.offset + outcome.seconds, cost, bound)),
            solver=outcome.solver,
            version=outcome.version,
            seconds=outcome.seconds,
            iterations=best.iterations,
        )


class _Relay:
    """Passes progress on, on the clock of the whole fit, and stops a solve worth restarting."""

    def __init__(
        self, progress: Progress | None, best: Result, offset: float, restart_below: float
    ) -> None:
        self.progress, self.offset, self.restart_below = progress, offset, restart_below
        self.trace = list(best.trace)
        self.wants_restart = False

    def __call__(self, point: TracePoint) -> None:
        known = self.trace[-1]
        point = TracePoint(
            self.offset + point.seconds,
            min(known.objective, point.objective),
            max(known.bound, point.bound),
        )
        if point[1:] != known[1:]:
            self.trace.append(point)
            if self.progress is not None:
                self.progress(point)
        if point.objective < self.restart_below:
            self.wants_restart = True
            raise KeyboardInterrupt
