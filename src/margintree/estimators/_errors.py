"""What classifiers share that pay for errors and splits only."""

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval

from margintree._lib.arrays import AnyArray, FloatArray, IntArray
from margintree.core.judges import AnyCost, ErrorCost, count_errors, relative_errors
from margintree.core.problem import Problem
from margintree.core.rules import Shape
from margintree.core.tree import ObliqueTree


class ErrorMixin:
    """Poses and judges trees by their errors, relative to those of a single leaf, and splits.

    The errors of the best single leaf cost 1 and a split costs ``alpha``. Where a single leaf makes
    no error, an error costs 1.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "max_splits": [Interval(Integral, 0, None, closed="left"), None],
        "min_leaf": [Interval(Real, 0, 0.5, closed="both")],
    }
    cost_type: ClassVar[type[AnyCost]] = ErrorCost

    max_depth: int
    max_splits: int | None
    min_leaf: float
    alpha: float = 0.0

    def _pose(self, X: FloatArray, y: IntArray, weights: FloatArray, classes: AnyArray) -> Problem:
        return relative_errors(
            X,
            y,
            n_classes=len(classes),
            depth=self.max_depth,
            alpha=self.alpha,
            row_weights=weights,
        )

    def _judge(self, problem: Problem, tree: ObliqueTree) -> ErrorCost:
        return count_errors(problem, self._shape(problem), tree)

    def _shape(self, problem: Problem) -> Shape:
        return Shape.of(problem, self.min_leaf, self.max_splits)


def numbers_of_splits(points: Sequence[dict[str, Any]], shape: Shape) -> list[int]:
    """Return the ``max_splits`` of some combinations; None is as many as the shape allows."""
    given = [point["max_splits"] for point in points]
    return [shape.max_splits if number is None else number for number in given]
