"""The allowed values of the classifiers' parameters. A name means the same in all of them."""

from numbers import Integral, Real
from os import PathLike
from typing import Any

from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

from margintree.core.learnt_space import SPACES
from margintree.core.margin import MARGINS, NORMS
from margintree.core.problem import MAX_DEPTH
from margintree.core.tree import ObliqueTree
from margintree.estimators._base import TreeClassifier


class AnInstance(HasMethods):
    """Constraint on the class of a value, with words for it in place of its module."""

    def __init__(self, cls: type, words: str) -> None:
        super().__init__(["fit"])
        self.cls, self.words = cls, words

    def is_satisfied_by(self, val: Any) -> bool:
        """Tell whether the value is of the class."""
        return isinstance(val, self.cls)

    def __str__(self) -> str:
        return self.words


def one_of(*texts: str) -> StrOptions:
    """Return the constraint to these texts; messages list them in this order."""
    return StrOptions(dict.fromkeys(texts).keys())


AT_LEAST_0 = [Interval(Real, 0, None, closed="left")]
COUNT = Interval(Integral, 0, None, closed="left")
POSITIVE_COUNT = Interval(Integral, 1, None, closed="left")
BETWEEN_0_AND_1 = [Interval(Real, 0, 1, closed="neither")]

CONSTRAINTS: dict[str, list[Any]] = {
    "max_depth": [Interval(Integral, 1, MAX_DEPTH, closed="both")],
    "c1": AT_LEAST_0,
    "c2": AT_LEAST_0,
    "c3": AT_LEAST_0,
    "c4": AT_LEAST_0,
    "C": AT_LEAST_0,
    "alpha": AT_LEAST_0,
    "max_splits": [COUNT, None],
    "max_features_per_split": [POSITIVE_COUNT, None],
    "max_features": [POSITIVE_COUNT, None],
    "feature_costs": ["array-like", dict, None],
    "feature_groups": ["array-like", None],
    "points": [POSITIVE_COUNT, None],
    "rounding": [*AT_LEAST_0, None],
    "min_samples_leaf": [COUNT, Interval(Real, 0, 0.5, closed="both")],
    "separation": BETWEEN_0_AND_1,
    "routing_margin": BETWEEN_0_AND_1,
    "margin_term": [one_of(*MARGINS)],
    "norm": [one_of(*NORMS)],
    "space": [one_of(*SPACES)],
    "error_costs": ["array-like", dict, None],
    "class_weight": [dict, one_of("balanced"), None],
    "smoothing": AT_LEAST_0,
    "solver": [str],
    "time_limit": [*AT_LEAST_0, None],
    "memory_limit": [*AT_LEAST_0, None],
    "gap": [Interval(Real, 0, 1, closed="left")],
    "max_iter": [COUNT, None],
    "start": [
        AnInstance(ObliqueTree, "an ObliqueTree"),
        AnInstance(TreeClassifier, "a fitted classifier of margintree"),
        None,
    ],
    "checkpoint": [str, PathLike, None],
    "certificate": [str, PathLike, None],
    "warm_start": ["boolean"],
    "random_state": ["random_state"],
    "n_jobs": [Integral, None],
    "verbose": ["verbose", callable],
}
