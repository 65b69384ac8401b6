"""CART: the greedy tree of scikit-learn, pruned to a number of splits."""

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any, ClassVar

from margintree.core.incumbent import Incumbent
from margintree.core.limits import Limits
from margintree.core.problem import Problem
from margintree.core.result import Progress, Result
from margintree.core.tree import ObliqueTree
from margintree.methods.errors import ErrorMethod
from margintree.search.axis.cart import grow
from margintree.search.loop import run


class CART(ErrorMethod):
    """The method of Breiman, Friedman, Olshen and Stone. It proves only a quick bound."""

    name = "cart"
    label = "CART"
    candidates: ClassVar[Mapping[str, Any]] = {
        "max_depth": (3,),
        "max_splits": (1, 2, 3, 4, 5, 6, 7),
    }
    ways = ("greedy",)

    def search(
        self,
        problem: Problem,
        limits: Limits,
        starts: Sequence[ObliqueTree] = (),  # noqa: ARG002
        progress: Progress | None = None,
        shared: Any = None,  # noqa: ARG002
    ) -> Result:
        """Return the tree that scikit-learn grows, pruned to the rules."""

        def improve(incumbent: Incumbent, _: list[ObliqueTree]) -> None:
            incumbent.take(grow(problem, limits.seed))

        # Nothing is counted here, and growing a tree takes no time to speak of.
        limits = Limits(gap=limits.gap, seed=limits.seed)
        sklearn = version("scikit-learn")
        return run(self, problem, improve, limits, (), progress, finder="cart", version=sklearn)
