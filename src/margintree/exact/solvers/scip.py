"""SCIP through PySCIPOpt: the default solver, open source, for every kind of program."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from margintree._lib.arrays import FloatArray
from margintree._lib.exceptions import SolverError
from margintree.core.limits import Limits
from margintree.core.result import Progress, Reason
from margintree.exact.programs.program import Cone, Program
from margintree.exact.solvers.protocol import (
    Abilities,
    Found,
    Monitor,
    Outcome,
    SolverStatus,
    check_ability,
    installed_version,
    trivial_bound,
    usable,
)

_INFINITY = 1e20
_REASONS = {
    "optimal": (Reason.OPTIMAL, None),
    "gaplimit": (Reason.OPTIMAL, None),
    "infeasible": (Reason.INFEASIBLE, None),
    "memlimit": (Reason.LIMIT, "memory"),
    "nodelimit": (Reason.LIMIT, "nodes"),
    "totalnodelimit": (Reason.LIMIT, "nodes"),
}
_STOPPED = ("timelimit", "userinterrupt")


class ScipSolver:
    """SCIP: mixed-integer programs with cones, starts and interruption."""

    name = "scip"
    abilities = Abilities(cones="native")

    def status(self) -> SolverStatus:
        """Tell whether PySCIPOpt is installed."""
        version = installed_version("PySCIPOpt")
        detail = "Open source (Apache-2.0), models of any size."
        return SolverStatus(bool(version), bool(version), version, detail)

    def solve(
        self,
        program: Program,
        limits: Limits,
        start: FloatArray | None = None,
        progress: Progress | None = None,
        found: Found | None = None,
    ) -> Outcome:
        """Return the best values and the best bound.

        Parameters
        ----------
        program : Program
            The program to minimise.
        limits : Limits
            Time and memory (building the model counts), gap, nodes, threads and seed.
        start : ndarray, optional
            Values to begin from; ignored when they are infeasible.
        progress : callable, optional
            Receives every better objective or bound; it may raise KeyboardInterrupt to stop.
        found : callable, optional
            Receives the values of every better solution at once.

        Raises
        ------
        SolverError
            When SCIP fails, for example on numbers that it takes for infinite.
        """
        check_ability(self, program)
        monitor = Monitor(limits.clock(), progress, found, bound=trivial_bound(program))
        with _failures_told(), monitor.listening():
            return _Run(program, limits, usable(program, start), monitor).outcome(self)


@contextmanager
def _failures_told() -> Iterator[None]:
    """Turn a failure of SCIP, which is a plain Exception, into an error with advice."""
    try:
        yield
    except Exception as error:
        if not str(error).startswith("SCIP:"):
            raise
        raise SolverError(
            f"The solver 'scip' failed ({str(error).removeprefix('SCIP: ')}). It takes numbers "
            f"below {_INFINITY:g} only and works best with far smaller ones. Scale the costs c1, "
            "c2 and c3 down, or use method='search'."
        ) from error


class _Run:
    """A solve of a program."""

    def __init__(
        self, program: Program, limits: Limits, start: FloatArray | None, monitor: Monitor
    ) -> None:
        from pyscipopt import Model

        self.program = program
        self.limits = limits
        self.monitor = monitor
        self.model: Any = Model()
        self.model.hideOutput()
        self.variables = _add_variables(self.model, program)
        self.is_built = self._add_rows()
        for cone in program.cones:
            _add_cone(self.model, self.variables, cone)
        _set_parameters(self.model, program, limits)
        if start is not None:
            self._add_start(start)

    def _add_rows(self) -> bool:
        """Add rows while there is time and memory, and tell whether all were added."""
        matrix = self.program.matrix
        sides = zip(self.program.row_lower, self.program.row_upper, strict=True)
        for row, (lower, upper) in enumerate(sides):
            if row % 1000 == 0 and self.monitor.must_stop():
                return False
            entries = slice(matrix.indptr[row], matrix.indptr[row + 1])
            variables = [self.variables[j] for j in matrix.indices[entries]]
            _add_row(self.model, variables, matrix.data[entries], float(lower), float(upper))
        return True

    def _add_start(self, start: FloatArray) -> None:
        solution = self.model.createOrigSol()
        for variable, value in zip(self.variables, start, strict=True):
            self.model.setSolVal(solution, variable, float(value))
        self.model.addSol(solution)

    def outcome(self, solver: ScipSolver) -> Outcome:
        if self.is_built:
            self._optimize()
        reason, limit = self._why_stopped()
        values = self._best_values() if self.model.getNSols() else None
        objective = np.inf if values is None else self.program.evaluate(values)
        return Outcome(
            values=values,
            objective=objective,
            bound=np.inf if reason is Reason.INFEASIBLE else min(self.monitor.bound, objective),
            reason=reason,
            limit=limit,
            trace=tuple(self.monitor.trace),
            solver=solver.name,
            version=f"{self.model.version()}",
            seconds=self.monitor.clock.elapsed(),
        )

    def _why_stopped(self) -> tuple[Reason, str | None]:
        status = self.model.getStatus()
        if not self.is_built or self.monitor.interrupted or status in _STOPPED:
            return self.monitor.why_stopped()
        return _REASONS.get(status, (Reason.FINISHED, None))

    def _optimize(self) -> None:
        self.model.setParam("limits/time", min(self.monitor.clock.remaining(), _INFINITY))
        _watch(self.model, self.monitor, self._best_values)
        self.model.optimize()
        self.monitor.report(bound=_finite(self.model.getDualbound()))

    def _best_values(self) -> FloatArray:
        best = self.model.getBestSol()
        return np.array([self.model.getSolVal(best, variable) for variable in self.variables])


def _add_variables(model: Any, program: Program) -> list[Any]:
    parts = zip(program.lower, program.upper, program.objective, program.integrality, strict=True)
    return [
        model.addVar(
            vtype="I" if is_integer else "C", lb=_side(lower), ub=_side(upper), obj=float(price)
        )
        for lower, upper, price, is_integer in parts
    ]


def _side(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _add_row(
    model: Any, variables: list[Any], coefficients: FloatArray, lower: float, upper: float
) -> None:
    from pyscipopt import quicksum

    expression = quicksum(float(c) * x for c, x in zip(coefficients, variables, strict=True))
    if lower == upper:
        model.addCons(expression == lower)
    elif np.isfinite(lower) and np.isfinite(upper):
        model.addCons((lower <= expression) <= upper)
    elif np.isfinite(lower):
        model.addCons(expression >= lower)
    elif np.isfinite(upper):
        model.addCons(expression <= upper)


def _add_cone(model: Any, variables: list[Any], cone: Cone) -> None:
    from pyscipopt import quicksum

    bound = variables[cone.bound]
    square = quicksum(variables[j] * variables[j] for j in cone.vector)
    model.addCons(square <= (2 * bound if cone.kind == "squared" else 4 * bound * bound))


def _set_parameters(model: Any, program: Program, limits: Limits) -> None:
    from pyscipopt.scip import PY_SCIP_PARAMSETTING as SCIP_PARAMSETTING

    model.setParam("limits/gap", limits.gap)
    model.setParam("limits/nodes", -1 if limits.nodes is None else limits.nodes)
    # SCIP counts only its own memory (in MiB) but checks it more often. Its default is the maximum.
    largest = model.getParam("limits/memory")
    model.setParam("limits/memory", min(1024 * limits.memory, largest))
    # SCIP solves linear programs to a thousandth of this, and SoPlex goes down to 1e-10 at most.
    model.setParam("numerics/feastol", max(program.tolerance, 1e-7))
    model.setParam("randomization/randomseedshift", limits.seed % 2**31)
    # These heuristics solve nonlinear programs for seconds; the search finds good trees faster.
    for heuristic in ("mpec", "subnlp", "nlpdiving", "multistart", "rens", "undercover"):
        model.setParam(f"heuristics/{heuristic}/freq", -1)
    # Cutting planes cost more time than they save on big-M rows.
    model.setSeparating(SCIP_PARAMSETTING.OFF)
    # Linear programs with tangents are slow, so strong branching tries fewer candidates.
    model.setParam("branching/relpscost/initcand", 20)
    model.setParam("branching/relpscost/maxlookahead", 4)
    # The monitor handles Ctrl-C; SCIP would print a line about it.
    model.setParam("misc/catchctrlc", False)


def _watch(model: Any, monitor: Monitor, best_values: Callable[[], FloatArray]) -> None:
    """Report better solutions and bounds, and stop the solve on request."""
    from pyscipopt.scip import PY_SCIP_EVENTTYPE as EVENT
    from pyscipopt.scip import Eventhdlr

    events = (EVENT.BESTSOLFOUND, EVENT.NODESOLVED, EVENT.LPSOLVED, EVENT.PRESOLVEROUND)

    class Watcher(Eventhdlr):
        def eventinit(self) -> None:
            for event in events:
                self.model.catchEvent(event, self)

        def eventexec(self, _: Any) -> None:
            objective = _finite(self.model.getPrimalbound())
            if objective < monitor.objective:
                monitor.hand_over(best_values)
            monitor.report(objective, _finite(self.model.getDualbound()))
            if monitor.must_stop():
                self.model.interruptSolve()

    model.includeEventhdlr(Watcher(), "watcher", "reports progress and stops when asked to")


def _finite(value: float) -> float:
    """Return the value, with infinity in place of SCIP's large number for it."""
    return float(np.copysign(np.inf, value)) if abs(value) >= _INFINITY else float(value)
