"""MOCTSVM: multiclass trees with maximum-margin splits that do not depend on labels."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from margintree.core.bound import lower_bound
from margintree.core.cost import Cost
from margintree.core.judges import price_margins
from margintree.core.problem import Problem
from margintree.core.tree import ObliqueTree
from margintree.exact.programs import moctsvm
from margintree.exact.proofs.scope import obstacle
from margintree.methods.margin import MarginMethod

if TYPE_CHECKING:
    from margintree.search.margin import Shared


class MOCTSVM(MarginMethod):
    """The method of Blanco, Japón and Puerto (Machine Learning, 2023)."""

    name = "moctsvm"
    label = "MOCTSVM"
    terms: ClassVar[Mapping[str, Any]] = {
        "errors": "errors",
        "violations": "violations",
        "splits": "splits",
        "margin": "",
        "features": "features",
    }
    candidates: ClassVar[Mapping[str, Any]] = {
        "max_depth": (1, 2, 3),
        "c1": (1.0, 10.0, 100.0),
        "c2": (0.1, 1.0, 10.0, 100.0),
        "c3": (1.0,),
    }
    formulation = moctsvm.FORMULATION

    def judge(self, problem: Problem, tree: ObliqueTree) -> Cost:
        """Return the margin, errors, violations and splits of a tree."""
        return price_margins(problem, tree)

    def proof_obstacle(self, problem: Problem) -> str:
        """Return why the native proof engine cannot take a problem, or an empty string."""
        return obstacle(problem)

    def bound(self, problem: Problem, shared: "Shared | None" = None) -> float:
        """Return a lower bound from classes without a leaf, equal rows and close pairs."""
        return lower_bound(problem, None if shared is None else shared.pairs)
