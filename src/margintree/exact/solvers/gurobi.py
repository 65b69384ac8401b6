"""Gurobi through gurobipy, for those who have a licence."""

from typing import Any

import numpy as np

from margintree._lib.arrays import FloatArray
from margintree._lib.exceptions import SolverError, SolverLicenceError
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

FREE_LICENCE = (
    "The free licence that comes with gurobipy allows 2,000 variables and 2,000 rows, and 200 "
    "variables as soon as anything is quadratic."
)
_LICENCE_ERRORS = (10008, 10009, 10010, 10032)
_REASONS = {
    2: (Reason.OPTIMAL, None),
    3: (Reason.INFEASIBLE, None),
    4: (Reason.INFEASIBLE, None),
    8: (Reason.LIMIT, "nodes"),
    9: (Reason.LIMIT, "time"),
    11: (Reason.INTERRUPTED, None),
}
_STOPPED = (9, 11)


class GurobiSolver:
    """Gurobi: takes every program that SCIP takes, up to the size that its licence allows."""

    name = "gurobi"
    abilities = Abilities(cones="native")

    def status(self) -> SolverStatus:
        """Tell whether gurobipy is installed, with more than its free licence."""
        version = installed_version("gurobipy")
        if not version:
            return SolverStatus(False, False, "", "pip install 'margintree[gurobi]' installs it.")
        if _has_full_licence():
            return SolverStatus(True, True, version, "Licensed for models of any size.")
        return SolverStatus(True, False, version, FREE_LICENCE)

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
        import gurobipy

        monitor = Monitor(limits.clock(), progress, found, bound=trivial_bound(program))
        try:
            with monitor.listening(), _silent_environment() as environment:
                return _solve(environment, program, limits, usable(program, start), monitor)
        except gurobipy.GurobiError as error:
            raise _translated(error, program) from error


def _silent_environment() -> Any:
    import gurobipy

    environment = gurobipy.Env(empty=True)
    environment.setParam("OutputFlag", 0)
    environment.start()
    return environment


def _has_full_licence() -> bool:
    """Tell whether a model beyond the free licence can be solved."""
    import gurobipy

    try:
        with _silent_environment() as environment, gurobipy.Model(env=environment) as model:
            model.addVars(2001)
            model.optimize()
    except gurobipy.GurobiError:
        return False
    return True


def _translated(error: Any, program: Program) -> SolverError:
    if error.errno not in _LICENCE_ERRORS:
        return SolverError(f"Gurobi failed: {error}. Try solver='scip'.")
    return SolverLicenceError(
        f"Gurobi's licence here does not allow this model of {program.n_variables} variables and "
        f"{program.n_rows} rows{', with cones' if program.cones else ''}. {FREE_LICENCE} Use "
        "solver='scip', which has no such limit, or install a Gurobi licence."
    )


def _solve(
    environment: Any, program: Program, limits: Limits, start: FloatArray | None, monitor: Monitor
) -> Outcome:
    import gurobipy

    with gurobipy.Model(env=environment) as model:
        x = model.addMVar(
            program.n_variables,
            lb=program.lower,
            ub=program.upper,
            obj=program.objective,
            vtype=np.where(program.integrality, "I", "C"),
        )
        _add_rows(model, x, program)
        for cone in program.cones:
            _add_cone(model, x, cone)
        if start is not None:
            x.setAttr("Start", start)
        _set_parameters(model, program, limits)
        model.Params.TimeLimit = min(monitor.clock.remaining(), 1e100)
        model.optimize(lambda model, where: _look(model, where, monitor))
        return _outcome(model, np.array(x.X) if model.SolCount else start, program, monitor)


def _add_rows(model: Any, x: Any, program: Program) -> None:
    for side, sense in ((program.row_lower, ">"), (program.row_upper, "<")):
        finite = np.isfinite(side)
        if finite.any():
            model.addMConstr(program.matrix[finite], x, sense, side[finite])


def _add_cone(model: Any, x: Any, cone: Cone) -> None:
    vector, bound = x[cone.vector], x[int(cone.bound)]
    square = vector @ vector
    model.addConstr(square <= (2 * bound if cone.kind == "squared" else 4 * bound * bound))


def _set_parameters(model: Any, program: Program, limits: Limits) -> None:
    model.Params.MIPGap = limits.gap
    model.Params.MIPGapAbs = 0.0
    model.Params.FeasibilityTol = max(program.tolerance, 1e-9)
    model.Params.IntFeasTol = max(program.tolerance, 1e-9)
    model.Params.Threads = limits.threads
    model.Params.Seed = limits.seed % 2**31
    if limits.nodes is not None:
        model.Params.NodeLimit = limits.nodes


def _look(model: Any, where: int, monitor: Monitor) -> None:
    """Report better objectives and bounds, and stop the solve when asked to."""
    from gurobipy import GRB

    call = GRB.Callback
    codes = {
        call.MIP: (call.MIP_OBJBST, call.MIP_OBJBND),
        call.MIPSOL: (call.MIPSOL_OBJBST, call.MIPSOL_OBJBND),
    }
    if where in codes:
        objective, bound = (model.cbGet(code) for code in codes[where])
        if where == call.MIPSOL:
            monitor.hand_over(lambda: np.array(model.cbGetSolution(model.getVars())))
        monitor.report(
            objective if objective < GRB.INFINITY else np.inf,
            bound if bound > -GRB.INFINITY else -np.inf,
        )
    if monitor.must_stop():
        model.terminate()


def _outcome(model: Any, values: FloatArray | None, program: Program, monitor: Monitor) -> Outcome:
    reason, limit = _REASONS.get(model.Status, (Reason.FINISHED, None))
    if model.Status in _STOPPED and monitor.clock.is_over():  # otherwise Gurobi itself got Ctrl-C
        reason, limit = monitor.why_stopped()
    objective = np.inf if values is None else program.evaluate(values)
    has_bound = program.integrality.any() or reason is not Reason.OPTIMAL
    bound = float(model.ObjBound) if has_bound else objective
    monitor.report(objective, bound if np.isfinite(bound) else -np.inf)
    return Outcome(
        values=values,
        objective=objective,
        bound=np.inf if reason is Reason.INFEASIBLE else min(monitor.bound, objective),
        reason=reason,
        limit=limit,
        trace=tuple(monitor.trace),
        solver=GurobiSolver.name,
        version=installed_version("gurobipy"),
        seconds=monitor.clock.elapsed(),
    )
