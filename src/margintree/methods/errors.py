"""The common part of CART, OCT and OCT-H: errors relative to those of the best single leaf."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from margintree.core.bound import error_bound
from margintree.core.cost import Cost
from margintree.core.judges import price_errors, with_relative_errors
from margintree.core.method import Method
from margintree.core.problem import Problem
from margintree.core.tree import ObliqueTree


class ErrorMethod(Method):
    """Base of the methods that pay for errors and splits only."""

    terms: ClassVar[Mapping[str, Any]] = {"errors": "errors", "splits": "splits"}

    def pose(  # type: ignore[override]
        self,
        problem: Problem,
        *,
        max_depth: int,
        alpha: float = 0.0,
        max_splits: int | None = None,
        min_samples_leaf: float = 0.05,
    ) -> Problem:
        """Return the problem in which the errors of the best single leaf cost 1."""
        posed = with_relative_errors(replace(problem, depth=max_depth), splits=alpha)
        return posed.with_rules(min_samples_leaf, max_splits, axis_parallel=True)

    def judge(self, problem: Problem, tree: ObliqueTree) -> Cost:
        """Return the errors and splits of a tree."""
        return price_errors(problem, tree)

    def bound(self, problem: Problem, shared: Any = None) -> float:  # noqa: ARG002
        """Return a lower bound from classes without a leaf and from equal rows."""
        return error_bound(problem)
