"""OCTSVM: trees for two classes whose splits are support vector machines with noisy labels."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from margintree.core.cost import Cost
from margintree.core.judges import price_labels
from margintree.core.problem import Costs, Problem
from margintree.core.tree import ObliqueTree
from margintree.exact.programs import octsvm
from margintree.methods.margin import MarginMethod

if TYPE_CHECKING:
    from margintree.search.margin.kernel_data import MakeKernelData
    from margintree.search.margin.linear_fit import Wishes


class OCTSVM(MarginMethod):
    """The method of Blanco, Japón and Puerto (Advances in Data Analysis and Classification, 2022).

    Its paper calls the price of violations c1 and that of a relabelled row c2.
    """

    name = "octsvm"
    label = "OCTSVM"
    terms: ClassVar[Mapping[str, Any]] = {
        "relabelled": "errors",
        "violations": "violations",
        "splits": "splits",
        "margin": "",
        "features": "features",
    }
    candidates: ClassVar[Mapping[str, Any]] = {
        "max_depth": (1, 2, 3),
        "c1": (0.1, 1.0, 10.0, 100.0),
        "c2": (0.1, 1.0, 10.0),
        "c3": (1.0,),
    }
    formulation = octsvm.FORMULATION
    max_classes = 2
    sides_have_meaning = True

    def costs(self, c1: float, c2: float, c3: float) -> Costs:
        """Return the costs by their meaning."""
        return Costs(violations=c1, errors=c2, splits=c3)

    def judge(self, problem: Problem, tree: ObliqueTree) -> Cost:
        """Return the margin, violations, relabelled rows and splits of a tree."""
        return price_labels(problem, tree)

    def bound(self, problem: Problem, shared: Any = None) -> float:  # noqa: ARG002
        """Return a lower bound from rows without a split and from equal rows."""
        from margintree.search.margin.label_trees import label_bound

        return label_bound(problem)

    def simplify(self, problem: Problem, tree: ObliqueTree) -> ObliqueTree:
        """Return the tree with hyperplanes fitted to the labels that its rows choose."""
        return self.simplify_within(problem, tree, np.inf)

    def simplify_within(self, problem: Problem, tree: ObliqueTree, seconds: float) -> ObliqueTree:
        """Return the result of `simplify`; its linear programs end with the time."""
        from margintree.search.margin.label_trees import refitted

        return refitted(problem, tree, seconds)

    def last_moves(
        self, problem: Problem, tree: ObliqueTree, is_over: Callable[[], bool]
    ) -> ObliqueTree:
        """Return the tree with the features that pay, where features are counted."""
        from margintree.search.margin.label_trees import with_other_features

        return with_other_features(problem, tree, is_over)

    def _make_data(self) -> "MakeKernelData":
        from margintree.search.margin.label_trees import make_label_data

        return make_label_data

    def _wishes(self) -> "Wishes":
        from margintree.search.margin.label_trees import as_it_pays

        return as_it_pays
