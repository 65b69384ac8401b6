"""Solving a problem by any method: by its own search, or exactly from the tree of the search."""

import os
from dataclasses import dataclass, field
from typing import TypeAlias

from margintree._lib.exceptions import CheckpointWarning, InvalidInputError, SolverError
from margintree._lib.files import check_writable
from margintree._lib.warn import warn_user
from margintree.core.limits import Limits
from margintree.core.method import Method
from margintree.core.problem import Problem
from margintree.core.result import Progress, Result
from margintree.core.tree import ObliqueTree
from margintree.exact.checkpoint import Checkpoint
from margintree.exact.exact_solve import solve_exactly
from margintree.exact.proofs.scope import NATIVE
from margintree.exact.solvers import check_name, get

PathLike: TypeAlias = str | os.PathLike[str]

EXACT = "exact"
"""The way that uses a solver to prove the tree optimal."""


@dataclass(frozen=True)
class How:
    """The way to solve a problem, with limits and known trees.

    Attributes
    ----------
    way : str
        ``"search"`` for the search of the method (OCT calls it ``"native"``), or ``"exact"`` for a
        solver that starts from the tree of the search and proves a bound.
    solver : str
        The solver of the exact way. ``"native"`` is the proof engine of margintree, others solve a
        mixed-integer model. ``"auto"`` is the engine where it can take the problem, otherwise SCIP.
    limits : Limits
        When to stop.
    starts : tuple of ObliqueTree
        Known trees, in the scaled space of the problem.
    progress : callable or None
        Receives every better tree and bound.
    checkpoint : path-like or None
        For the exact way: a file with the best tree and bound so far. If the file exists and
        belongs to the same problem, the solve continues from them.
    certificate : path-like or None
        For the exact way with the native engine: a file for the certificate of the bound. Writing
        it can take several times as long as the proof and is not counted by the time limit.
    """

    way: str = "search"
    solver: str = "auto"
    limits: Limits = field(default_factory=Limits)
    starts: tuple[ObliqueTree, ...] = ()
    progress: Progress | None = None
    checkpoint: PathLike | None = None
    certificate: PathLike | None = None


def solve(method: Method, problem: Problem, how: How | None = None) -> Result:
    """Return the best tree found for a problem, and a bound on the cost of any tree.

    Parameters
    ----------
    method : Method
        The method.
    problem : Problem
        The training set, its costs and rules.
    how : How, optional
        The way to solve it, with limits and known trees; by default the search of the method
        without a time limit.

    Examples
    --------
    >>> from margintree.methods import MOCTSVM
    >>> X, y = [[0.0], [0.2], [0.7], [1.0]], [0, 0, 1, 1]
    >>> problem = Problem.from_data(X, y, n_classes=2, depth=1)
    >>> solve(MOCTSVM(), problem, How("exact")).is_optimal
    True
    """
    how = how or How(method.ways[0])
    check_name(how.solver)
    if how.way not in method.ways:
        raise InvalidInputError(
            f"method must be one of {method.ways}; {how.way!r} was given. Use {method.ways[0]!r} "
            "for a good tree in seconds"
            + (" and 'exact' for a proof." if EXACT in method.ways else ".")
        )
    if how.way != EXACT:
        for name in ("checkpoint", "certificate"):
            if getattr(how, name) is not None:
                raise InvalidInputError(
                    f"{name} is only allowed with method='exact'; {how.way!r} was given. Leave the "
                    f"{name} out, or use method='exact'."
                )
        return method.search(problem, how.limits, how.starts, how.progress)
    checkpoint = (
        None if how.checkpoint is None else Checkpoint(how.checkpoint, problem, method=method.name)
    )
    obstacle = method.proof_obstacle(problem)
    if how.solver == NATIVE or (how.solver == "auto" and not obstacle):
        return _prove(method, problem, how, checkpoint)
    if how.certificate is not None:
        raise InvalidInputError(
            "Only the native proof engine writes certificates"
            + (f", and it {obstacle}" if obstacle else f"; solver={how.solver!r} was given.")
            + " Leave the certificate out."
        )
    solver = get(how.solver)
    return solve_exactly(method, problem, solver, how.limits, how.starts, how.progress, checkpoint)


def _prove(method: Method, problem: Problem, how: How, checkpoint: Checkpoint | None) -> Result:
    """Return the result of the native engine, and write the certificate if there shall be one."""
    if problem.rules.max_features_per_split is not None:
        return _prove_in_planes(method, problem, how, checkpoint)
    from margintree.exact.proofs.engine import prove  # kernels are loaded when they are needed

    if how.certificate is not None:
        check_writable(how.certificate)
    has_history = how.certificate is not None
    proof = prove(
        method, problem, how.limits, how.starts, how.progress, checkpoint, has_history=has_history
    )
    if how.certificate is not None and proof.history is not None:
        from margintree.exact.proofs.certify import certify

        try:
            certify(method.name, problem, how.limits, proof.history).save(how.certificate)
        except (SolverError, KeyboardInterrupt) as error:
            why = "it was interrupted" if isinstance(error, KeyboardInterrupt) else str(error)
            warn_user(
                f"There is no certificate: {why} The result is not affected.", CheckpointWarning
            )
    return proof.result


def _prove_in_planes(
    method: Method, problem: Problem, how: How, checkpoint: Checkpoint | None
) -> Result:
    """Return the result of the native engine for splits on one or two features."""
    from margintree.exact.budgets.engine import prove_in_planes

    if how.certificate is not None:
        raise InvalidInputError(
            "A proof with max_features_per_split has no certificate yet; "
            f"max_features_per_split={problem.rules.max_features_per_split} was given. Leave the "
            "certificate out; the proof itself is not affected."
        )
    return prove_in_planes(method, problem, how.limits, how.starts, how.progress, checkpoint)
