"""Solving a problem by any method: its own search, or an exact solve that starts from its tree."""

import os
from dataclasses import dataclass, field
from typing import TypeAlias

from margintree._lib.exceptions import InvalidInputError
from margintree.core.limits import Limits
from margintree.core.method import Method
from margintree.core.problem import Problem
from margintree.core.result import Progress, Result
from margintree.core.tree import ObliqueTree
from margintree.exact.checkpoint import Checkpoint
from margintree.exact.solve import solve_exactly
from margintree.exact.solvers import get

PathLike: TypeAlias = str | os.PathLike[str]

EXACT = "exact"
"""The way that ends with a proof by a solver."""


@dataclass(frozen=True)
class How:
    """How a problem is to be solved.

    Attributes
    ----------
    way : str
        ``"search"`` for the search of the method (OCT calls it ``"native"``), ``"exact"`` for a
        solver that starts from its tree and proves how good it is.
    solver : str
        The solver of the exact way; ``"auto"`` is SCIP.
    limits : Limits
        When to stop.
    starts : tuple of ObliqueTree
        Known trees, in the scaled space of the problem.
    progress : callable or None
        Told of every better tree and bound.
    checkpoint : path-like or None
        With the exact way: a file that holds the best tree and bound so far. Where it is there
        already, written for the same problem, the solve goes on from them.
    """

    way: str = "search"
    solver: str = "auto"
    limits: Limits = field(default_factory=Limits)
    starts: tuple[ObliqueTree, ...] = ()
    progress: Progress | None = None
    checkpoint: PathLike | None = None


def solve(method: Method, problem: Problem, how: How | None = None) -> Result:
    """Return the best tree found for a problem, and what is proved about it.

    Parameters
    ----------
    method : Method
        The method.
    problem : Problem
        The training set, its costs and rules.
    how : How, optional
        The way to solve it, limits, known trees; by default the search of the method without
        limits of time.

    Examples
    --------
    >>> from margintree.methods import MOCTSVM
    >>> X, y = [[0.0], [0.2], [0.7], [1.0]], [0, 0, 1, 1]
    >>> problem = Problem.from_data(X, y, n_classes=2, depth=1)
    >>> solve(MOCTSVM(), problem, How("exact")).is_optimal
    True
    """
    how = how or How(method.ways[0])
    if how.way not in method.ways:
        raise InvalidInputError(
            f"method must be one of {method.ways}; {how.way!r} was given. Use {method.ways[0]!r} "
            "for a good tree in seconds"
            + (" and 'exact' for a proof." if EXACT in method.ways else ".")
        )
    if how.way != EXACT:
        if how.checkpoint is not None:
            raise InvalidInputError(
                f"checkpoint is for method='exact', which may run for hours; {how.way!r} was "
                "given. Leave it out, or use method='exact'."
            )
        return method.search(problem, how.limits, how.starts, how.progress)
    checkpoint = None if how.checkpoint is None else Checkpoint(how.checkpoint, problem)
    solver = get(how.solver)
    return solve_exactly(method, problem, solver, how.limits, how.starts, how.progress, checkpoint)
