"""The exact solve of any method: a first tree, a program, a solver, and a judged result."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from margintree._lib.arrays import FloatArray
from margintree._lib.exceptions import InvalidInputError
from margintree.core.cost import Cost
from margintree.core.limits import Clock, Limits
from margintree.core.method import Method
from margintree.core.problem import Problem
from margintree.core.result import Progress, Reason, Result, TracePoint, relative_gap
from margintree.core.simplify import with_leaf_mass
from margintree.core.tree import ObliqueTree
from margintree.exact.checkpoint import Checkpoint, Known
from margintree.exact.programs.program import Formulation, Program
from margintree.exact.solvers import Outcome, Solver

SEARCH_SHARE = 0.2
"""Share of the time limit that the search may take before an exact solve."""
RESTART_BELOW = 0.7
"""An incumbent below this share of the starting cost justifies a program with smaller big-Ms."""
MAX_ENTRIES = 30_000_000
"""Maximum number of entries in the matrix of a program; more would take several GiB."""
ROUNDING = 1e-6
"""A solver's bound is an error if it exceeds the cost of a judged tree by more than this share."""


def solve_exactly(
    method: Method,
    problem: Problem,
    solver: Solver,
    limits: Limits,
    starts: Sequence[ObliqueTree] = (),
    progress: Progress | None = None,
    checkpoint: Checkpoint | None = None,
) -> Result:
    """Return the best tree that a solver finds, with the best bound.

    The limits hold for the first tree and the solve together. ``starts`` are known trees in the
    scaled space of the problem. The checkpoint keeps the best tree and bound; if it already has
    some, the solve continues from them. A program that is too large raises InvalidInputError.
    """
    entries = method.formulation.n_entries(problem)
    if entries > MAX_ENTRIES:
        raise InvalidInputError(
            f"An exact model of {problem.n_rows} rows and {problem.n_features} features at depth "
            f"{problem.depth} would have about {entries:,} entries; at most {MAX_ENTRIES:,} are "
            f"allowed. Use method={method.ways[0]!r}, fewer rows or a smaller depth."
        )
    return _Exact(method, problem, solver, limits, progress, checkpoint).run(starts)


@dataclass
class _Exact:
    """An exact solve from a first tree; it restarts when a much better tree appears."""

    method: Method
    problem: Problem
    solver: Solver
    limits: Limits
    progress: Progress | None
    checkpoint: Checkpoint | None

    def __post_init__(self) -> None:
        self.model: Formulation = self.method.formulation
        self.may_restart = self.model.grows_tighter

    def run(self, starts: Sequence[ObliqueTree]) -> Result:
        first = replace(self.limits, seconds=SEARCH_SHARE * self.limits.seconds)
        known = self.checkpoint.known if self.checkpoint is not None else None
        starts = [*starts, known.tree] if known is not None else starts
        found = self.method.start(self.problem, first, starts, self.progress)
        clock = self.limits.clock()
        clock.start -= found.seconds  # without compilation, which no limit counts
        best = replace(found, solver=self.solver.name)
        if known is not None:
            best = self._resumed(best, known)
        try:
            self._keep(best)
            is_over = best.reason == Reason.INTERRUPTED or best.limit == "memory"
            is_done = best.is_optimal or is_over
            while not is_done:
                best, is_done = self._solve(best, clock)
        except KeyboardInterrupt:  # before or after a solver, which catches its own interrupts
            best = replace(best, reason=Reason.INTERRUPTED, limit=None)
        self._keep(best)
        return replace(best, seconds=clock.elapsed())

    def _resumed(self, best: Result, known: Known) -> Result:
        """Return the result with the tree and the bound of an earlier solve where they are better.

        An interrupted search may not have seen that tree.
        """
        tree, cost = self.priced(known.tree)
        if not (cost.is_allowed and cost.total < best.objective):
            tree, cost = best.tree, best.cost
        bound = _proved(best.bound, known.bound, cost.total)
        trace = (*best.trace, TracePoint(best.seconds, cost.total, bound))
        best = replace(best, tree=tree, cost=cost, bound=bound, trace=trace)
        return replace(best, reason=Reason.OPTIMAL, limit=None) if best.is_optimal else best

    def priced(self, tree: ObliqueTree) -> tuple[ObliqueTree, Cost]:
        """Return the tree as people see it, with the class weights of its leaves, and its cost."""
        tree = self.method.finished(self.problem, tree)
        return with_leaf_mass(self.problem, tree), self.method.judge(self.problem, tree)

    def _keep(self, best: Result) -> None:
        if self.checkpoint is not None:
            self.checkpoint.keep(best.tree, best.objective, best.bound)

    def _solve(self, best: Result, clock: Clock) -> tuple[Result, bool]:
        """Return the result of one solve, and whether no further one is needed."""
        program = self.model.build(self.problem, best.objective)
        start = self.model.encode(self.problem, program, best.tree)
        restart_below = RESTART_BELOW * best.objective if self.may_restart else -np.inf
        relay = _Relay(self, program, best, clock.elapsed(), restart_below)
        limits = replace(self.limits, seconds=clock.remaining())
        found = None if self.checkpoint is None else relay.found
        outcome = self.solver.solve(program, limits, start, relay, found)
        result = self._merge(best, outcome, relay)
        # Within its tolerances, a solver may claim a tree that costs more according to the judge.
        self.may_restart = result.objective < restart_below
        if relay.wants_restart and clock.is_over() and result.reason is Reason.INTERRUPTED:
            # The relay stopped the solve, and no time is left for another one.
            result = replace(result, reason=Reason.LIMIT, limit=clock.struck)
        return result, not relay.wants_restart or clock.is_over()

    def _merge(self, best: Result, outcome: Outcome, relay: "_Relay") -> Result:
        """Return the better tree, with the better bound."""
        if outcome.values is not None:
            relay.offer(outcome.values)
        tree, cost = relay.tree, relay.cost.total
        claimed = -np.inf if outcome.reason is Reason.INFEASIBLE else outcome.bound
        bound = _proved(best.bound, claimed, cost)
        is_proved = relative_gap(cost, bound) <= self.limits.gap
        is_sure = is_proved or outcome.reason not in (Reason.OPTIMAL, Reason.INFEASIBLE)
        reason = Reason.OPTIMAL if is_proved else outcome.reason
        trace = [point._replace(objective=max(point.objective, cost)) for point in relay.trace]
        return Result(
            tree=tree,
            cost=relay.cost,
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
    """Reports progress on the clock of the whole fit, and stops a solve that should restart."""

    def __init__(
        self, exact: _Exact, program: Program, best: Result, offset: float, restart_below: float
    ) -> None:
        self.exact, self.program, self.best = exact, program, best
        self.offset, self.restart_below = offset, restart_below
        self.tree, self.cost = best.tree, best.cost
        self.trace = list(best.trace)
        self.wants_restart = False

    def offer(self, values: FloatArray) -> bool:
        """Keep the tree of the values if it is cheaper, and tell whether it is."""
        exact = self.exact
        tree, cost = exact.priced(exact.model.decode(exact.problem, self.program, values))
        is_better = cost.is_allowed and cost.total < self.cost.total
        if is_better:
            self.tree, self.cost = tree, cost
        return is_better

    def found(self, values: FloatArray) -> None:
        """Write a checkpoint if the values represent a cheaper tree."""
        if self.offer(values):
            self._keep()

    def _keep(self) -> None:
        bound = _proved(self.best.bound, self.trace[-1].bound, self.cost.total)
        self.exact._keep(replace(self.best, tree=self.tree, cost=self.cost, bound=bound))

    def __call__(self, point: TracePoint) -> None:
        known = self.trace[-1]
        point = TracePoint(
            self.offset + point.seconds,
            min(known.objective, point.objective),
            max(known.bound, point.bound),
        )
        if point[1:] != known[1:]:
            self.trace.append(point)
            if self.exact.checkpoint is not None and self.exact.checkpoint.is_due():
                self._keep()
            if self.exact.progress is not None:
                self.exact.progress(point)
        if point.objective < self.restart_below:
            self.wants_restart = True
            raise KeyboardInterrupt


def _proved(bound: float, claimed: float, cost: float) -> float:
    """Return the better bound; a claimed one that exceeds the cost of a judged tree is ignored."""
    return min(max(bound, claimed), cost) if claimed <= cost * (1 + ROUNDING) else bound
