"""Trees with SVM splits that see labels, of which some may be wrong: by search, or by a solver."""

from collections.abc import Sequence
from dataclasses import dataclass

from margintree._lib.arrays import FloatArray
from margintree._lib.exceptions import InvalidInputError
from margintree.core import topology
from margintree.core.judges import LabelCost, price_labels
from margintree.core.limits import Limits
from margintree.core.problem import Problem
from margintree.core.result import Progress, Result
from margintree.core.tree import ObliqueTree
from margintree.exact.programs import Program, build_octsvm, decode_octsvm, encode_octsvm
from margintree.methods.fit import search_or_solve


def fit_octsvm(
    problem: Problem,
    *,
    method: str = "search",
    solver: str = "auto",
    limits: Limits | None = None,
    starts: Sequence[ObliqueTree] = (),
    progress: Progress | None = None,
) -> Result:
    """Return the best tree of OCTSVM found for a problem, and what is proved about it.

    Parameters
    ----------
    problem : Problem
        The training set of at most two classes; the cost of violations is c1, that of errors c2
        (for a relabelled row) and that of splits c3.
    method : {"search", "exact"}
        Local search alone, or local search and then the mixed-integer model on a solver.
    solver : str
        The solver of the exact method; ``"auto"`` is SCIP.
    limits : Limits, optional
        When to stop.
    starts : sequence of ObliqueTree
        Known trees, in the scaled space of the problem.
    progress : callable, optional
        Told of every better tree and bound.

    Examples
    --------
    >>> X, y = [[0.0], [0.2], [0.7], [1.0]], [0, 0, 1, 1]
    >>> problem = Problem.from_data(X, y, n_classes=2, depth=1)
    >>> fit_octsvm(problem, method="exact").is_optimal
    True
    """
    check_two_classes(problem)
    cells = problem.n_rows * topology.n_nodes(problem.depth)
    return search_or_solve(
        _LabelTrees(problem),
        method=method,
        solver=solver,
        limits=limits,
        starts=starts,
        progress=progress,
        entries=2 * cells * (problem.n_features + 10),
    )


def check_two_classes(problem: Problem) -> None:
    """Raise InvalidInputError if there are more than two classes."""
    if problem.n_classes > 2:
        # The first words are those that scikit-learn's checks look for.
        raise InvalidInputError(
            f"Only binary classification is supported by OCTSVM; {problem.n_classes} classes were "
            "given. Use MOCTSVMClassifier, which takes any number."
        )


@dataclass(frozen=True)
class _LabelTrees:
    """Trees whose splits see labels, as an exact solve sees them."""

    problem: Problem
    grows_tighter: bool = True

    def first(
        self, limits: Limits, starts: Sequence[ObliqueTree], progress: Progress | None
    ) -> Result:
        # Compiled kernels are not loaded before they are needed.
        from margintree.search.margin import LABELS, search

        return search(self.problem, limits, starts, progress, aim=LABELS)

    def build(self, upper_bound: float) -> Program:
        return build_octsvm(self.problem, upper_bound)

    def encode(self, program: Program, tree: ObliqueTree) -> FloatArray:
        return encode_octsvm(self.problem, program, tree)

    def decode(self, program: Program, values: FloatArray) -> ObliqueTree:
        return decode_octsvm(self.problem, program, values)

    def judge(self, tree: ObliqueTree) -> LabelCost:
        return price_labels(self.problem, tree)
