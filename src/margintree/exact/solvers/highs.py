"""HiGHS through highspy: linear programs directly, cones through tangent cuts."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy import sparse

from margintree._lib.arrays import FloatArray
from margintree.core.limits import Limits
from margintree.core.result import Progress, Reason, relative_gap
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

_REFINEMENTS = 40
"""Maximum number of linear programs that add cuts around one integer solution."""


class HighsSolver:
    """HiGHS: mixed-integer linear programs; cones by outer approximation.

    A cone is replaced by tangents. Every round solves the linear program with all tangents so far;
    its bound is valid for the true program. Raising the bounding variable to the least value that
    the cone allows makes the solution feasible. Tangents there make the next round tighter.
    """

    name = "highs"
    abilities = Abilities(cones="outer approximation")

    def status(self) -> SolverStatus:
        """Tell whether highspy is installed."""
        version = installed_version("highspy")
        detail = "Open source (MIT), models of any size; cones by outer approximation."
        return SolverStatus(bool(version), bool(version), version, detail)

    def solve(
        self,
        program: Program,
        limits: Limits,
        start: FloatArray | None = None,
        progress: Progress | None = None,
        found: Found | None = None,
    ) -> Outcome:
        """Return the best values and the best bound; see `ScipSolver.solve`."""
        check_ability(self, program)
        monitor = Monitor(limits.clock(), progress, found, bound=trivial_bound(program))
        run = _Run(program, limits, monitor)
        start = usable(program, start)
        with monitor.listening():
            if start is not None:
                run.keep(start)
            reason, limit = run.approximate()
        return Outcome(
            values=run.best,
            objective=monitor.objective,
            bound=np.inf if reason is Reason.INFEASIBLE else monitor.bound,
            reason=reason,
            limit=limit,
            trace=tuple(monitor.trace),
            solver=self.name,
            version=installed_version("highspy"),
            seconds=monitor.clock.elapsed(),
        )


@dataclass
class _Run:
    """A solve of a program: its tangents so far and its best values."""

    program: Program
    limits: Limits
    monitor: Monitor
    best: FloatArray | None = None
    cuts: list[tuple[FloatArray, float]] = field(default_factory=list)

    def approximate(self) -> tuple[Reason, str | None]:
        """Solve and cut until the gap is closed or tangents no longer help.

        A round that improves nothing may still have excluded one of many equally good integer
        solutions. If it returns to one that already has tangents, precision is exhausted.
        """
        seen: set[bytes] = set()
        while True:
            before = self.monitor.objective, self.monitor.bound
            answer = _solve_linear(self.relaxation(), self.limits, self.monitor, self.best)
            if answer.reason is Reason.INFEASIBLE and self.best is None:
                return answer.reason, None
            self.monitor.report(bound=min(answer.bound, self.monitor.objective))
            if answer.values is not None:
                self.keep(answer.values)
                self.refine(answer.values)
            if answer.reason is not Reason.OPTIMAL or self.is_proved():
                return answer.reason, answer.limit
            whole = b""  # the integer solution
            if answer.values is not None:
                integers = answer.values[self.program.integrality]
                whole = np.round(integers).astype(np.int64).tobytes()
            if whole in seen and (self.monitor.objective, self.monitor.bound) == before:
                return Reason.FINISHED, None
            seen.add(whole)

    def is_proved(self) -> bool:
        gap = relative_gap(self.monitor.objective, self.monitor.bound)
        return not self.program.cones or gap <= max(self.limits.gap, 1e-9)

    def keep(self, values: FloatArray) -> None:
        """Cut at the values, make them feasible for the cones, and keep them if they are best."""
        lifted = values.copy()
        for cone in self.program.cones:
            self.cuts.append(_tangent(cone, values, self.program.n_variables))
            lifted[cone.bound] = max(lifted[cone.bound], cone.least_bound(values))
        bounds = [cone.bound for cone in self.program.cones]
        objective = self.program.evaluate(lifted)
        if (lifted[bounds] <= self.program.upper[bounds] + self.program.tolerance).all() and (
            self.best is None or objective < self.monitor.objective
        ):
            self.best = lifted
            self.monitor.hand_over(lambda: lifted)
            self.monitor.report(objective=objective)

    def refine(self, values: FloatArray) -> None:
        """Add the tangents that matter when the integer variables are fixed to their values."""
        if not self.program.cones:
            return
        whole = self.program.integrality
        lower, upper = self.program.lower.copy(), self.program.upper.copy()
        lower[whole] = upper[whole] = np.round(values[whole])
        for _ in range(_REFINEMENTS):
            fixed = replace(self.relaxation(), lower=lower, upper=upper)
            fixed = replace(fixed, integrality=np.zeros_like(whole))
            answer = _solve_linear(fixed, self.limits, Monitor(self.monitor.clock), None)
            if answer.values is None or self.monitor.interrupted:
                return
            self.keep(answer.values)
            slack = max(cone.least_bound(answer.values) for cone in self.program.cones)
            lack = slack - answer.values[self.program.cones[0].bound]
            if lack <= 0.1 * self.limits.gap * max(1e-3, abs(answer.bound)) + 1e-12:
                return

    def relaxation(self) -> Program:
        """Return the program with tangents in place of cones."""
        if not self.cuts:
            return replace(self.program, cones=())
        tangents = sparse.csr_array(np.array([row for row, _ in self.cuts]))
        sides = np.array([side for _, side in self.cuts])
        return replace(
            self.program,
            matrix=sparse.csr_array(sparse.vstack([self.program.matrix, tangents])),
            row_lower=np.concatenate([self.program.row_lower, sides]),
            row_upper=np.concatenate([self.program.row_upper, np.full(len(sides), np.inf)]),
            cones=(),
        )


def _tangent(cone: Cone, values: FloatArray, n_variables: int) -> tuple[FloatArray, float]:
    """Return the tangent of a cone at the values, as a row and its lower side.

    Half the squared norm is at least ``v'x - ||v||**2 / 2``, half the norm ``v'x / (2 ||v||)``.
    """
    vector = values[cone.vector]
    norm = float(np.linalg.norm(vector))
    slope = vector if cone.kind == "squared" else vector / (2 * max(norm, 1e-12))
    row = np.zeros(n_variables)
    row[cone.vector] = -slope
    row[cone.bound] = 1.0
    return row, -(norm**2) / 2 if cone.kind == "squared" else 0.0


@dataclass(frozen=True)
class _Answer:
    """The answer of HiGHS to a linear program."""

    values: FloatArray | None
    bound: float
    reason: Reason
    limit: str | None


def _solve_linear(
    program: Program, limits: Limits, monitor: Monitor, start: FloatArray | None
) -> _Answer:
    """Solve a program without cones."""
    from highspy import Highs, HighsStatus

    model: Any = Highs()  # type: ignore[no-untyped-call]
    model.silent()
    _pass_model(model, program)
    _set_options(model, program, limits, monitor)
    _watch(model, monitor, reports=bool(program.integrality.any()))
    if start is not None:
        places = np.arange(len(start), dtype=np.int32)
        model.setSolution(len(start), places, start)
    if monitor.must_stop():
        return _Answer(None, -np.inf, *monitor.why_stopped())
    # HiGHS keeps its threads for the next model of the process and refuses any other number of
    # threads until the scheduler is reset.
    if model.run() == HighsStatus.kError:
        Highs.resetGlobalScheduler(True)
        model.run()
    return _answer(model, program, monitor)


def _pass_model(model: Any, program: Program) -> None:
    import highspy

    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = program.n_variables, program.n_rows
    lp.col_cost_, lp.col_lower_, lp.col_upper_ = program.objective, program.lower, program.upper
    lp.row_lower_, lp.row_upper_ = program.row_lower, program.row_upper
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_ = program.matrix.indptr
    lp.a_matrix_.index_ = program.matrix.indices
    lp.a_matrix_.value_ = program.matrix.data
    kinds = (highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger)
    if program.integrality.any():
        lp.integrality_ = [kinds[int(is_integer)] for is_integer in program.integrality]
    model.passModel(lp)


def _set_options(model: Any, program: Program, limits: Limits, monitor: Monitor) -> None:
    options: dict[str, Any] = {
        # Half of the gap for a linear program leaves the other half for the error of the tangents.
        "mip_rel_gap": limits.gap / 2,
        "mip_abs_gap": 1e-9,
        "mip_feasibility_tolerance": program.tolerance,
        "primal_feasibility_tolerance": program.tolerance,
        "random_seed": limits.seed % 2**31,
        "threads": limits.threads,
        "time_limit": monitor.clock.remaining(),
    }
    if limits.nodes is not None:
        options["mip_max_nodes"] = limits.nodes
    for name, value in options.items():
        model.setOptionValue(name, value)


def _watch(model: Any, monitor: Monitor, reports: bool) -> None:
    """Report better bounds, and stop the solve on request."""

    def look(event: Any) -> None:
        if reports:
            monitor.report(bound=min(event.data_out.mip_dual_bound, monitor.objective))
        if monitor.must_stop():
            event.interrupt()

    model.cbMipInterrupt += look
    model.cbSimplexInterrupt += lambda event: event.interrupt() if monitor.must_stop() else None


def _answer(model: Any, program: Program, monitor: Monitor) -> _Answer:
    import highspy

    kinds = highspy.HighsModelStatus
    reasons = {
        kinds.kOptimal: (Reason.OPTIMAL, None),
        kinds.kInfeasible: (Reason.INFEASIBLE, None),
        kinds.kUnboundedOrInfeasible: (Reason.INFEASIBLE, None),
        kinds.kTimeLimit: monitor.why_stopped(),
        kinds.kSolutionLimit: (Reason.LIMIT, "nodes"),
        kinds.kInterrupt: monitor.why_stopped(),
    }
    reason, limit = reasons.get(model.getModelStatus(), (Reason.FINISHED, None))
    info = model.getInfo()
    has_values = info.primal_solution_status == 2 and reason is not Reason.INFEASIBLE
    values = np.array(model.getSolution().col_value) if has_values else None
    if program.integrality.any():
        bound = float(info.mip_dual_bound)
    else:
        bound = float(info.objective_function_value) if reason is Reason.OPTIMAL else -np.inf
    return _Answer(values, bound if np.isfinite(bound) else -np.inf, reason, limit)
