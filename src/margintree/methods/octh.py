"""Optimal classification trees with oblique splits of few features: by search, or by a solver."""

from collections.abc import Sequence
from dataclasses import dataclass

from margintree._lib.arrays import FloatArray
from margintree.core import topology
from margintree.core.judges import ErrorCost, count_errors, errors_only
from margintree.core.limits import Limits
from margintree.core.problem import Problem
from margintree.core.result import Progress, Result
from margintree.core.rules import Shape
from margintree.core.simplify import tidy
from margintree.core.tree import ObliqueTree
from margintree.exact.programs import Program, build_octh, decode_octh, encode_octh
from margintree.methods.fit import search_or_solve
from margintree.search.sparse import search_sparse


def fit_octh(
    problem: Problem,
    shape: Shape,
    *,
    method: str = "search",
    solver: str = "auto",
    limits: Limits | None = None,
    starts: Sequence[ObliqueTree] = (),
    progress: Progress | None = None,
) -> Result:
    """Return the best tree of OCT-H found for a problem, and what is proved about it.

    Parameters
    ----------
    problem : Problem
        The training set; the costs of errors and splits count, the latter for every feature that a
        split looks at, that of violations does not.
    shape : Shape
        The least weight of a leaf, the number of splits and how far their sides are apart.
    method : {"search", "exact"}
        Local search alone, or local search and then the mixed-integer model on a solver.
    solver : str
        The solver of the exact method; ``"auto"`` is SCIP.
    limits : Limits, optional
        When to stop.
    starts : sequence of ObliqueTree
        Known trees, in the scaled space of the problem; those that break the shape are not used as
        they are, but improved.
    progress : callable, optional
        Told of every better tree and bound.

    Examples
    --------
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> problem = Problem.from_data(X, y, n_classes=2, depth=1)
    >>> shape = Shape.of(problem, axis_parallel=False, separation=0.005)
    >>> fit_octh(problem, shape, method="exact").objective
    0.2
    """
    cells = problem.n_rows * topology.n_leaves(problem.depth) * problem.depth
    return search_or_solve(
        _SparseTrees(errors_only(problem), shape),
        method=method,
        solver=solver,
        limits=limits,
        starts=starts,
        progress=progress,
        entries=cells * (problem.n_features + 2),
    )


@dataclass(frozen=True)
class _SparseTrees:
    """Oblique trees of few features, as an exact solve sees them."""

    problem: Problem
    shape: Shape
    grows_tighter: bool = False

    def first(
        self, limits: Limits, starts: Sequence[ObliqueTree], progress: Progress | None
    ) -> Result:
        return search_sparse(self.problem, self.shape, limits, starts, progress)

    def build(self, upper_bound: float) -> Program:  # noqa: ARG002
        return build_octh(self.problem, self.shape)

    def encode(self, program: Program, tree: ObliqueTree) -> FloatArray:
        return encode_octh(self.problem, program, tree)

    def decode(self, program: Program, values: FloatArray) -> ObliqueTree:
        return tidy(self.problem, decode_octh(self.problem, self.shape, program, values))

    def judge(self, tree: ObliqueTree) -> ErrorCost:
        return count_errors(self.problem, self.shape, tree)
