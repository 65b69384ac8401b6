"""MOCTSVM: multiclass trees with maximum-margin splits that do not depend on labels."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from margintree.core.bound import lower_bound
from margintree.core.cost import Cost
from margintree.core.judges import price_margins
from margintree.core.problem import MAX_DEPTH, Problem
from margintree.core.question_order import in_order
from margintree.core.tree import ObliqueTree
from margintree.exact.budgets import obstacles as budgets
from margintree.exact.programs import moctsvm
from margintree.exact.proofs import scope as proofs
from margintree.methods.margin import MarginMethod

if TYPE_CHECKING:
    from margintree.search.margin import Shared

EXTRA_LEVELS = (0, 1, 3)
"""Levels beyond those that a leaf for every class needs, for a choice of the depth."""
MOST_FEATURES = 600
"""The largest number of columns and products at which a choice with nothing set tries products; 33
columns have 594."""
MOST_NUMBERS = 30_000_000
"""The largest number of rows times columns and products at which such a choice tries products. They
take a quarter of a GiB, and the peak of a fit is three to four times that. 33 columns come to it
at 50,505 rows."""


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
        "max_depth": (1, 2, 4),
        "c1": (10.0, 100.0),
        "c2": (0.01, 0.1, 1.0, 10.0),
        "c3": (1.0,),
    }
    formulation = moctsvm.FORMULATION

    def candidates_for(
        self,
        n_classes: int,
        n_columns: int,  # noqa: ARG002
    ) -> Mapping[str, tuple[Any, ...]]:
        """Return the usual costs, and depths with a leaf for every class and with more.

        Examples
        --------
        >>> [MOCTSVM().candidates_for(n_classes, 4)["max_depth"] for n_classes in (2, 3, 7, 26)]
        [(1, 2, 4), (2, 3, 5), (3, 4, 6), (5, 6, 8)]
        """
        least = max(1, (n_classes - 1).bit_length())
        depths = (min(least + more, MAX_DEPTH) for more in EXTRA_LEVELS)
        return {**self.candidates, "max_depth": tuple(dict.fromkeys(depths))}

    def spaces_beyond(self, n_columns: int, n_rows: int) -> tuple[str, ...]:
        """Return the quadratic space, unless there are too many products, or too many of all rows.

        Examples
        --------
        >>> MOCTSVM().spaces_beyond(33, 5000), MOCTSVM().spaces_beyond(34, 5000)
        (('quadratic',), ())
        >>> MOCTSVM().spaces_beyond(33, 1_000_000), MOCTSVM().spaces_beyond(4, 1_000_000)
        ((), ('quadratic',))
        """
        n_features = n_columns * (n_columns + 3) // 2
        is_small = n_features <= MOST_FEATURES and n_rows * n_features <= MOST_NUMBERS
        return ("quadratic",) if is_small else ()

    def judge(self, problem: Problem, tree: ObliqueTree) -> Cost:
        """Return the margin, errors, violations and splits of a tree."""
        return price_margins(problem, tree)

    def proof_obstacle(self, problem: Problem) -> str:
        """Return why the native proof engine cannot take a problem, or an empty string."""
        has_budget = problem.rules.max_features_per_split is not None
        return budgets.obstacle(problem) if has_budget else proofs.obstacle(problem)

    def finished(self, problem: Problem, tree: ObliqueTree) -> ObliqueTree:
        """Return the tree with upright splits, in an order that does not depend on rounding."""
        return super().finished(problem, in_order(problem, tree, self.judge))

    def bound(self, problem: Problem, shared: "Shared | None" = None) -> float:
        """Return a lower bound from classes without a leaf, equal rows and close pairs."""
        return lower_bound(problem, None if shared is None else shared.pairs)
