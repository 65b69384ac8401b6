"""The scores of scikit-learn for trees whose parameters are being chosen."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sklearn.base import clone
from sklearn.metrics import check_scoring, get_scorer_names

from margintree._lib.arrays import AnyArray, FloatArray, IntArray
from margintree._lib.exceptions import InvalidInputError
from margintree.core.result import Result
from margintree.estimators._plain import MethodClassifier
from margintree.methods.choose import Scoring
from margintree.methods.scoring import SCORES


@dataclass(frozen=True, eq=False)
class Scorer:
    """A scorer of scikit-learn, applied to trees with class codes instead of labels."""

    estimator: MethodClassifier  # unfitted; it predicts once it has a result
    classes: AnyArray
    score: Callable[..., float]

    def __call__(self, result: Result, X: FloatArray, y: IntArray, weights: FloatArray) -> float:
        """Return the score of a tree on new rows."""
        fitted = clone(self.estimator)
        fitted.classes_, fitted.result_ = self.classes, result
        fitted.n_features_in_ = X.shape[1]
        # A scorer that takes no weights is good enough for rows of equal weight.
        weighted = {} if (weights == weights[0]).all() else {"sample_weight": weights}
        return float(self.score(fitted, X, self.classes[y], **weighted))


def scoring_of(given: Any, estimator: MethodClassifier, classes: AnyArray) -> str | Scoring:
    """Return the score that a user asked for: one of `SCORES`, or a scorer of scikit-learn."""
    if isinstance(given, str) and given in SCORES:
        return given
    if isinstance(given, str) and given not in get_scorer_names():
        raise InvalidInputError(
            f"scoring must be one of {', '.join(SCORES)}, a callable, or a name that "
            f"sklearn.metrics.get_scorer_names() lists, such as balanced_accuracy, f1_macro or "
            f"neg_log_loss; {given!r} was given. Correct it."
        )
    return Scorer(estimator, classes, check_scoring(estimator, given))
