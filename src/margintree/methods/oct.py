"""OCT: the axis-parallel tree with the fewest errors, with a proof."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from margintree.core.incumbent import Incumbent
from margintree.core.limits import Limits
from margintree.core.problem import Problem
from margintree.core.result import Progress, Result
from margintree.core.tree import ObliqueTree
from margintree.exact.programs import oct as model
from margintree.methods.cart import CART
from margintree.methods.errors import ErrorMethod
from margintree.search.axis.cart import grow
from margintree.search.loop import run


class OCT(ErrorMethod):
    """The method of Bertsimas and Dunn (Machine Learning, 2017) with splits on one feature.

    Its own branch and bound proves the tree optimal. The mixed-integer model starts from the tree
    of CART.
    """

    name = "oct"
    label = "OCT"
    candidates: ClassVar[Mapping[str, Any]] = {
        "max_depth": (3,),
        "max_splits": (1, 2, 3, 4, 5, 6, 7),
    }
    ways = ("native", "exact")
    formulation = model.FORMULATION

    def search(
        self,
        problem: Problem,
        limits: Limits,
        starts: Sequence[ObliqueTree] = (),
        progress: Progress | None = None,
        shared: Any = None,  # noqa: ARG002
    ) -> Result:
        """Return the best tree, by branch and bound over thresholds."""
        # Kernels are loaded only when they are needed.
        from margintree.search.axis.branch_and_bound import search_axis_trees

        return search_axis_trees(self, problem, limits, starts, progress)

    def get_ready(self, problem: Problem, limits: Limits) -> None:  # noqa: ARG002
        """Compile the kernels of the branch and bound."""
        from margintree.search.axis.branch_and_bound import compile_kernels

        compile_kernels()

    def start(
        self,
        problem: Problem,
        limits: Limits,
        starts: Sequence[ObliqueTree] = (),
        progress: Progress | None = None,
    ) -> Result:
        """Return the tree of CART, or a better known one."""

        def improve(incumbent: Incumbent, _: list[ObliqueTree]) -> None:
            incumbent.offer(grow(problem, limits.seed))

        # CART has the same judge and bound, and needs no kernels.
        return run(CART(), problem, improve, limits, starts, progress, finder="cart")
