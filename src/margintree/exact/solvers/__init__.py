"""Solvers of programs, by name."""

from margintree._lib.exceptions import SolverMissingError
from margintree.exact.solvers.gurobi import GurobiSolver
from margintree.exact.solvers.highs import HighsSolver
from margintree.exact.solvers.protocol import Abilities, Outcome, Solver, SolverStatus
from margintree.exact.solvers.scip import ScipSolver

SOLVERS: dict[str, Solver] = {
    solver.name: solver for solver in (ScipSolver(), HighsSolver(), GurobiSolver())
}
"""All solvers that margintree knows, installed or not."""

__all__ = ["SOLVERS", "Abilities", "Outcome", "Solver", "SolverStatus", "available", "get"]


def get(name: str) -> Solver:
    """Return the solver of this name; ``"auto"`` is SCIP.

    Examples
    --------
    >>> get("auto").name
    'scip'
    """
    if name == "auto":
        return SOLVERS["scip"]
    if name not in SOLVERS:
        raise SolverMissingError(
            f"solver must be one of {sorted(SOLVERS)} or 'auto'; {name!r} was given. Choose one of "
            "them."
        )
    return SOLVERS[name]


def available() -> dict[str, SolverStatus]:
    """Return the status of every solver by name."""
    return {name: solver.status() for name, solver in SOLVERS.items()}
