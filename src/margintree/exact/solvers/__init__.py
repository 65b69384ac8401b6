"""Solvers of programs, by name."""

from margintree import __version__
from margintree._lib.exceptions import SolverMissingError
from margintree._lib.suggestion import did_you_mean
from margintree.exact.proofs.scope import NATIVE
from margintree.exact.solvers.gurobi import GurobiSolver
from margintree.exact.solvers.highs import HighsSolver
from margintree.exact.solvers.protocol import Abilities, Outcome, Solver, SolverStatus
from margintree.exact.solvers.scip import ScipSolver

SOLVERS: dict[str, Solver] = {
    solver.name: solver for solver in (ScipSolver(), HighsSolver(), GurobiSolver())
}
"""All solvers that margintree knows, installed or not."""

__all__ = [
    "SOLVERS",
    "Abilities",
    "Outcome",
    "Solver",
    "SolverStatus",
    "available",
    "check_name",
    "get",
]


def check_name(name: str) -> None:
    """Raise SolverMissingError unless there is a solver of this name."""
    if name not in ("auto", NATIVE):
        get(name)


def get(name: str) -> Solver:
    """Return the solver of programs of this name; ``"auto"`` is SCIP.

    Examples
    --------
    >>> get("auto").name
    'scip'
    """
    if name == "auto":
        return SOLVERS["scip"]
    if name not in SOLVERS:
        raise SolverMissingError(
            f"solver must be one of {[NATIVE, *sorted(SOLVERS)]} or 'auto'; {name!r} was given. "
            f"{did_you_mean(name, [NATIVE, *SOLVERS])}Choose one of them."
        )
    return SOLVERS[name]


def available() -> dict[str, SolverStatus]:
    """Return the status of every solver by name."""
    native = SolverStatus(
        True, True, __version__, "The default for MOCTSVM; takes no other method."
    )
    return {NATIVE: native} | {name: solver.status() for name, solver in SOLVERS.items()}
