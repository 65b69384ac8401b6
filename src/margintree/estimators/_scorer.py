"""The scores of scikit-learn for trees whose parameters are being chosen."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import check_scoring, get_scorer_names

from margintree._lib.arrays import AnyArray, FloatArray, IntArray
from margintree._lib.exceptions import InvalidInputError
from margintree._lib.suggestion import did_you_mean
from margintree.core.result import Result
from margintree.estimators._plain import MethodClassifier
from margintree.methods.choose import Scoring
from margintree.methods.scoring import SCORES

MOST_LABELS = 4
"""Largest number of labels that a message lists."""


@dataclass(frozen=True, eq=False)
class Scorer:
    """A scorer of scikit-learn, applied to trees with class codes instead of labels."""

    estimator: MethodClassifier  # unfitted; it predicts once it has a result
    classes: AnyArray
    score: Callable[..., float]
    name: str  # for messages

    def __call__(self, result: Result, X: FloatArray, y: IntArray, weights: FloatArray) -> float:
        """Return the score of a tree on new rows."""
        fitted = clone(self.estimator)
        fitted.classes_, fitted.result_ = self.classes, result
        fitted.n_features_in_ = X.shape[1]
        # A scorer that takes no weights is good enough for rows of equal weight.
        weighted = {} if (weights == weights[0]).all() else {"sample_weight": weights}
        try:
            return float(self.score(fitted, X, self.classes[y], **weighted))
        except (TypeError, ValueError) as error:
            raise InvalidInputError(
                f"scoring must give one number for the rows of every fold; {self.name} was given "
                f"and failed for {len(y)} rows with the labels {_some(self.classes[np.unique(y)])}"
                f": {str(error).rstrip('.')}. {self._advice(y, bool(weighted))}"
            ) from error

    def _advice(self, y: IntArray, has_weights: bool) -> str:
        """Return possible reasons why the score failed for some rows, and what to do."""
        missing = np.delete(self.classes, np.unique(y))
        reasons = [
            "it is not for such labels: some scores need two classes, numbers or a pos_label"
        ]
        remedies = ["choose another score, such as balanced_accuracy or f1_macro"]
        if len(missing):
            reasons.insert(
                0, f"it needs rows of every class, and there are none of {_some(missing)}"
            )
            remedies.insert(0, "use fewer folds (cv)")
        if has_weights:
            reasons.append("it takes no sample_weight, and the rows have weights")
            remedies.append("leave the weights out")
        remedy = ", or ".join(remedies)
        return f"Possible reasons: {'; '.join(reasons)}. {remedy[0].upper()}{remedy[1:]}."


def _some(labels: AnyArray) -> str:
    """Return the first labels, and how many others there are.

    Examples
    --------
    >>> _some(np.array(["a", "b", "c", "d", "e"]))
    "'a', 'b', 'c', 'd' and 1 more"
    """
    more = len(labels) - MOST_LABELS
    first = ", ".join(f"{label!r:.40}" for label in labels[:MOST_LABELS].tolist())
    return first + (f" and {more} more" if more > 0 else "")


def scoring_of(given: Any, estimator: MethodClassifier, classes: AnyArray) -> str | Scoring:
    """Return the score that a user asked for: one of `SCORES`, or a scorer of scikit-learn."""
    if isinstance(given, str) and given in SCORES:
        return given
    if isinstance(given, str) and given not in get_scorer_names():
        raise InvalidInputError(
            f"scoring must be one of {', '.join(SCORES)}, a callable, or a name that "
            f"sklearn.metrics.get_scorer_names() lists, such as balanced_accuracy, f1_macro or "
            f"neg_log_loss; {given!r} was given. "
            f"{did_you_mean(given, [*SCORES, *get_scorer_names()])}Correct it."
        )
    name = getattr(given, "__name__", None) or repr(given)
    return Scorer(estimator, classes, check_scoring(estimator, given), f"{name:.60}")


def scoring_for(
    given: Any, estimators: Sequence[MethodClassifier], classes: AnyArray
) -> str | list[Scoring]:
    """Return one of `SCORES`, or a scorer for every classifier, which sees its parameters."""
    found = [scoring_of(given, estimator, classes) for estimator in estimators]
    scorers = [scorer for scorer in found if not isinstance(scorer, str)]
    return scorers or str(given)
