"""Search and exact solvers put together for trees with maximum-margin splits."""

import os
from collections.abc import Sequence
from dataclasses import dataclass

from margintree._lib.arrays import FloatArray
from margintree._lib.exceptions import InvalidInputError
from margintree.core import topology
from margintree.core.judges.margins import Cost, objective
from margintree.core.limits import Limits
from margintree.core.problem import Problem
from margintree.core.result import Progress, Result
from margintree.core.simplify import tidy
from margintree.core.tree import ObliqueTree
from margintree.exact.checkpoint import Checkpoint
from margintree.exact.programs import Program, build, decode, encode_tree
from margintree.exact.solve import Model, check_size, solve_exactly
from margintree.exact.solvers import get

METHODS = ("search", "exact")


def fit_tree(
    problem: Problem,
    *,
    method: str = "search",
    solver: str = "auto",
    limits: Limits | None = None,
    starts: Sequence[ObliqueTree] = (),
    progress: Progress | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
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
    checkpoint : path-like, optional
        With the exact method: a file that holds the best tree and bound so far. Where it is there
        already, written for the same problem, the fit goes on from them.

    Examples
    --------
    >>> X, y = [[0.0], [0.2], [0.7], [1.0]], [0, 0, 1, 1]
    >>> problem = Problem.from_data(X, y, n_classes=2, depth=1)
    >>> fit_tree(problem, method="exact").is_optimal
    True
    """
    if checkpoint is not None and method != "exact":
        raise InvalidInputError(
            f"checkpoint is for method='exact', which may run for hours; {method!r} was given. "
            "Leave it out, or use method='exact'."
        )
    cells = problem.n_rows * topology.n_nodes(problem.depth)
    return search_or_solve(
        _MarginTrees(problem),
        method=method,
        solver=solver,
        limits=limits,
        starts=starts,
        progress=progress,
        entries=cells * (problem.n_features + 10),
        checkpoint=None if checkpoint is None else Checkpoint(checkpoint, problem),
    )


def search_or_solve(
    model: Model,
    *,
    method: str,
    solver: str,
    limits: Limits | None,
    starts: Sequence[ObliqueTree],
    progress: Progress | None,
    entries: int,
    checkpoint: Checkpoint | None = None,
) -> Result:
    """Return the first tree of a model, which a search finds, or what a solver makes of it.

    Parameters
    ----------
    model : Model
        The kind of tree, on a problem.
    method, solver, limits, starts, progress
        As in `fit_tree`.
    entries : int
        About how many entries the matrix of the program has.
    checkpoint : Checkpoint, optional
        Keeps what an exact solve knows.
    """
    limits = limits or Limits()
    if method not in METHODS:
        raise InvalidInputError(
            f"method must be one of {METHODS}; {method!r} was given. Use 'search' for a good tree "
            "in seconds and 'exact' for a proof."
        )
    if method == "search":
        return model.first(limits, starts, progress)
    check_size(model.problem, entries, instead="search")
    return solve_exactly(model, get(solver), limits, starts, progress, checkpoint)


@dataclass(frozen=True)
class _MarginTrees:
    """Trees with maximum-margin splits, as an exact solve sees them."""

    problem: Problem
    grows_tighter: bool = True

    def first(
        self, limits: Limits, starts: Sequence[ObliqueTree], progress: Progress | None
    ) -> Result:
        # Compiled kernels are not loaded before they are needed.
        from margintree.search.margin import search

        return search(self.problem, limits, starts, progress)

    def build(self, upper_bound: float) -> Program:
        return build(self.problem, upper_bound)

    def encode(self, program: Program, tree: ObliqueTree) -> FloatArray:
        return encode_tree(self.problem, program, tree)

    def decode(self, program: Program, values: FloatArray) -> ObliqueTree:
        return tidy(self.problem, decode(self.problem, program, values))

    def judge(self, tree: ObliqueTree) -> Cost:
        return objective(self.problem, tree)
