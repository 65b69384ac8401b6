"""OCT-H: oblique trees that make few errors with few features."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from margintree._lib.exceptions import InvalidInputError
from margintree.core.judges import with_relative_errors
from margintree.core.limits import Limits
from margintree.core.problem import Problem
from margintree.core.result import Progress, Result
from margintree.core.tree import ObliqueTree
from margintree.exact.programs import octh
from margintree.methods.errors import ErrorMethod
from margintree.methods.moctsvm import MOCTSVM
from margintree.methods.oct import OCT
from margintree.search.axis.cart import grow

MAX_CELLS = 5000
"""Maximum of rows times features at which the best axis-parallel tree takes about a second."""
MAX_PROVED_DEPTH = 3
"""Maximum depth at which it takes about a second."""


class OCTH(ErrorMethod):
    """The method of Bertsimas and Dunn (Machine Learning, 2017) with oblique splits."""

    name = "octh"
    label = "OCT-H"
    terms: ClassVar[Mapping[str, Any]] = {**ErrorMethod.terms, "features": "features"}
    candidates: ClassVar[Mapping[str, Any]] = {
        "max_depth": (3,),
        "alpha": (1e-4, 1e-3, 1e-2, 1e-1, 1.0),
    }
    formulation = octh.FORMULATION

    def pose(  # type: ignore[override]
        self,
        problem: Problem,
        *,
        max_depth: int,
        alpha: float = 0.0,
        max_splits: int | None = None,
        min_samples_leaf: float = 0.05,
        separation: float = 0.001,
        complexity: str = "features",
        planes: str = "centred",
    ) -> Problem:
        """Return the problem in which every split, or every feature of one, costs ``alpha``."""
        if planes == "margin" and complexity != "splits":
            raise InvalidInputError(
                "planes='margin' needs complexity='splits', because these hyperplanes use all "
                f"features, so a price of features would not hold; {complexity!r} was given. Set "
                "complexity='splits', or planes='centred'."
            )
        posed = with_relative_errors(replace(problem, depth=max_depth), **{complexity: alpha})
        posed = posed.with_rules(min_samples_leaf, max_splits, separation=separation)
        return replace(posed, planes=planes)

    def search(
        self,
        problem: Problem,
        limits: Limits,
        starts: Sequence[ObliqueTree] = (),
        progress: Progress | None = None,
        shared: Any = None,  # noqa: ARG002
    ) -> Result:
        """Return the best tree that the search for sparse trees finds."""
        # Kernels are loaded only when they are needed.
        from margintree.search.sparse.engine import Find, search_sparse_trees

        find = Find(_axis_tree, _margin_tree)
        return search_sparse_trees(self, problem, limits, starts, progress, find=find)

    def finished(self, problem: Problem, tree: ObliqueTree) -> ObliqueTree:
        """Return the tree with its hyperplanes where the problem wants them."""
        if problem.planes == "margin":
            # scikit-learn's machines are loaded only when they are needed.
            from margintree.search.sparse.planes import with_margin_planes

            tree = with_margin_planes(problem, tree)
        return super().finished(problem, tree)

    def get_ready(self, problem: Problem, limits: Limits) -> None:  # noqa: ARG002
        """Compile the kernels of the margin search, whose trees this search starts from."""
        from margintree.search.sparse.engine import MARGIN_ITERATIONS

        MOCTSVM().get_ready(problem, Limits(iterations=MARGIN_ITERATIONS))


def _axis_tree(problem: Problem, limits: Limits) -> ObliqueTree:
    """Return the best tree with one feature per split, or, if that takes long, the CART tree."""
    is_large = problem.n_rows * problem.n_features > MAX_CELLS
    if is_large or problem.depth > MAX_PROVED_DEPTH:
        return grow(problem, limits.seed)
    return OCT().search(problem, limits).tree


def _margin_tree(problem: Problem, limits: Limits) -> ObliqueTree:
    """Return a good tree with maximum margins."""
    return MOCTSVM().search(problem, limits).tree
