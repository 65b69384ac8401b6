"""What classifiers share whose splits have margins that they pay for."""

from numbers import Real
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval, StrOptions

from margintree._lib.arrays import AnyArray, FloatArray, IntArray
from margintree.core.problem import Costs, MarginNorm, Problem
from margintree.estimators._base import AT_LEAST_0
from margintree.estimators._optimised import SearchedClassifier


class MarginClassifier(SearchedClassifier):
    """Base of the classifiers with three costs, a routing margin and a norm of the margin."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SearchedClassifier._parameter_constraints,
        "c1": AT_LEAST_0,
        "c2": AT_LEAST_0,
        "c3": AT_LEAST_0,
        "routing_margin": [Interval(Real, 0, 1, closed="neither")],
        "margin_norm": [StrOptions({"squared", "plain"})],
    }

    c1: float
    c2: float
    c3: float
    routing_margin: float
    margin_norm: MarginNorm

    def _costs(self) -> Costs:
        """Return what errors, violations and splits cost."""
        return Costs(errors=self.c1, violations=self.c2, splits=self.c3)

    def _pose(self, X: FloatArray, y: IntArray, weights: FloatArray, classes: AnyArray) -> Problem:
        return Problem.from_data(
            X,
            y,
            n_classes=len(classes),
            depth=self._depth(),
            costs=self._costs(),
            row_weights=weights,
            routing_margin=self.routing_margin,
            margin_norm=self.margin_norm,
        )
