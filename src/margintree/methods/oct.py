"""Optimal classification trees with axis-parallel splits: by the native method, or by a solver."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from margintree._lib.arrays import FloatArray
from margintree._lib.exceptions import InvalidInputError
from margintree.core import topology
from margintree.core.bound import error_bound
from margintree.core.incumbent import Incumbent
from margintree.core.judges import ErrorCost, count_errors, errors_only
from margintree.core.limits import Limits
from margintree.core.problem import Problem
from margintree.core.result import Progress, Reason, Result
from margintree.core.rules import Shape
from margintree.core.simplify import tidy
from margintree.core.tree import ObliqueTree
from margintree.exact.programs import Program, build_oct, decode_oct, encode_oct
from margintree.exact.solve import check_size, solve_exactly
from margintree.exact.solvers import get
from margintree.search.axis.cart import grow

METHODS = ("native", "exact")


def fit_oct(
    problem: Problem,
    shape: Shape,
    *,
    method: str = "native",
    solver: str = "auto",
    limits: Limits | None = None,
    starts: Sequence[ObliqueTree] = (),
    progress: Progress | None = None,
) -> Result:
    """Return the best axis-parallel tree found for a problem, and what is proved about it.

    Parameters
    ----------
    problem : Problem
        The training set; the costs of errors and splits count, that of violations does not.
    shape : Shape
        The least weight of a leaf and the number of splits.
    method : {"native", "exact"}
        Branch and bound over thresholds, or the mixed-integer model on a solver, which starts from
        the tree of CART. Both end with a proof, the native method far earlier.
    solver : str
        The solver of the exact method; ``"auto"`` is SCIP.
    limits : Limits, optional
        When to stop.
    starts : sequence of ObliqueTree
        Known trees, in the scaled space of the problem; those that break the shape are not used.
    progress : callable, optional
        Told of every better tree and bound.

    Examples
    --------
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> problem = Problem.from_data(X, y, n_classes=2, depth=2)
    >>> fit_oct(problem, Shape.of(problem), method="exact").is_optimal
    True
    """
    limits, problem = limits or Limits(), errors_only(problem)
    if method not in METHODS:
        raise InvalidInputError(
            f"method must be one of {METHODS}; {method!r} was given. Use 'native', which is fast, "
            "or 'exact' for the mixed-integer model on a solver."
        )
    if method == "native":
        # Compiled kernels are not loaded before they are needed.
        from margintree.search.axis.branch_and_bound import branch_and_bound

        return branch_and_bound(problem, shape, limits, starts, progress)
    cells = problem.n_rows * topology.n_leaves(problem.depth) * problem.depth
    check_size(problem, entries=cells * (problem.n_features + 2), instead="native")
    return solve_exactly(_AxisTrees(problem, shape), get(solver), limits, starts, progress)


@dataclass(frozen=True)
class _AxisTrees:
    """Axis-parallel trees, as an exact solve sees them."""

    problem: Problem
    shape: Shape
    grows_tighter: bool = False

    def first(
        self, limits: Limits, starts: Sequence[ObliqueTree], progress: Progress | None
    ) -> Result:
        bound = error_bound(self.problem, self.shape.max_splits)
        clock = limits.clock()
        incumbent = Incumbent.without_splits(self.problem, self.judge, bound, clock, progress)
        reason, limit = Reason.INTERRUPTED, None
        with suppress(KeyboardInterrupt):
            incumbent.offer_all(starts)
            if not clock.is_over():
                incumbent.offer(grow(self.problem, self.shape, limits.seed))
            reason, limit = incumbent.why_stopped(limits.gap)
        return incumbent.result(reason, limit, limits.gap, solver="cart")

    def build(self, upper_bound: float) -> Program:  # noqa: ARG002
        return build_oct(self.problem, self.shape)

    def encode(self, program: Program, tree: ObliqueTree) -> FloatArray:
        return encode_oct(self.problem, program, tree)

    def decode(self, program: Program, values: FloatArray) -> ObliqueTree:
        return tidy(self.problem, decode_oct(self.problem, program, values))

    def judge(self, tree: ObliqueTree) -> ErrorCost:
        return count_errors(self.problem, self.shape, tree)
