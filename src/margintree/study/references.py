"""References: classifiers of other packages that a study compares with our methods.

The classifiers come from their own packages. This module only adapts them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from margintree._lib.arrays import AnyArray
from margintree._lib.extras import imported

EXTRA = "references"
"""The extra of margintree that installs the packages."""
N_TREES = 300
"""Number of trees in a random forest."""


@dataclass(frozen=True)
class Reference:
    """A classifier of another package.

    Examples
    --------
    >>> REFERENCES["svm-ovo"].why_missing()
    ''
    >>> REFERENCES["svm-ovo"].classifier(C=10.0).fit([[0], [1]], ["a", "b"]).predict([[0.9]])
    array(['b'], dtype='<U1')
    """

    name: str  # in the rows of a study
    label: str  # in tables
    package: str  # by its import name
    make: Callable[..., Any]  # returns an unfitted classifier with the given parameters
    parameters: tuple[str, ...] = ("C",)  # of its grid
    levels: int | None = None  # its max_depth for a tree without splits; None if it is no tree
    count_splits: Callable[[Any], int | None] = lambda _: None  # of a fitted classifier
    count_coefficients: Callable[[Any], int | None] = lambda _: None  # of a fitted classifier

    def why_missing(self) -> str:
        """Return why it cannot be used; an empty text if it can."""
        if find_spec(self.package) is not None:
            return ""
        return f"the package {self.package!r} is not installed (pip install 'margintree[{EXTRA}]')"

    def classifier(self, **params: Any) -> Any:
        """Return an unfitted classifier that takes features of any scale and labels of any type.

        Linear support vector machines take ``C``, RBF machines ``C`` and ``gamma``, random forests
        ``min_samples_leaf``, STree ``C`` and ``max_depth``, and ConTree ``max_depth`` and
        ``complexity_cost``.
        """
        imported(self.package, EXTRA)
        return self.make(**params)


def _one_versus_one(**params: Any) -> Any:
    return make_pipeline(MinMaxScaler(), SVC(kernel="linear", **params))


def _one_versus_all(**params: Any) -> Any:
    return make_pipeline(MinMaxScaler(), OneVsRestClassifier(SVC(kernel="linear", **params)))


def _crammer_singer(**params: Any) -> Any:
    machine = LinearSVC(multi_class="crammer_singer", max_iter=100_000, random_state=0, **params)
    return make_pipeline(MinMaxScaler(), machine)


def _rbf(**params: Any) -> Any:
    return make_pipeline(StandardScaler(), SVC(kernel="rbf", **params))


def _forest(**params: Any) -> Any:
    return RandomForestClassifier(n_estimators=N_TREES, random_state=0, **params)


def _stree(**params: Any) -> Any:
    return make_pipeline(MinMaxScaler(), imported("stree", EXTRA).Stree(random_state=0, **params))


class ConTreeClassifier(ClassifierMixin, BaseEstimator):
    """ConTree as a scikit-learn classifier that takes any labels and keeps no training data.

    Parameters
    ----------
    max_depth : int, default=3
        Number of levels of splits.
    complexity_cost : float, default=0.0
        Cost of a split, as a share of the training rows.
    time_limit : float, default=600
        Seconds.
    """

    def __init__(
        self, max_depth: int = 3, complexity_cost: float = 0.0, time_limit: float = 600
    ) -> None:
        self.max_depth = max_depth
        self.complexity_cost = complexity_cost
        self.time_limit = time_limit

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the tree with the lowest cost of errors and splits."""
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        model = imported("pycontree", EXTRA).ConTree(**self.get_params())
        self.tree_ = model.fit(X, codes).tree_
        return self

    def predict(self, X: Any) -> AnyArray:
        """Return the predicted label of every row."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return np.asarray(self.classes_[self.tree_.predict(X)])


def _splits_of_stree(fitted: Any) -> int:
    return int(fitted[-1].nodes_leaves()[1]) - 1


def _of_last_step(fitted: Any) -> int:
    return int(np.count_nonzero(fitted[-1].coef_))


def _of_all_classes(fitted: Any) -> int:
    return sum(int(np.count_nonzero(one.coef_)) for one in fitted[-1].estimators_)


def _splits_of_contree(fitted: Any) -> int:
    return int(fitted.tree_.get_num_branching_nodes())


REFERENCES: dict[str, Reference] = {
    reference.name: reference
    for reference in (
        Reference(
            "svm-ovo", "SVM 1-1", "sklearn", _one_versus_one, count_coefficients=_of_last_step
        ),
        Reference(
            "svm-ova", "SVM 1-all", "sklearn", _one_versus_all, count_coefficients=_of_all_classes
        ),
        Reference(
            "svm-crammer-singer",
            "SVM C-S",
            "sklearn",
            _crammer_singer,
            count_coefficients=_of_last_step,
        ),
        Reference("svm-rbf", "SVM RBF", "sklearn", _rbf, ("C", "gamma")),
        Reference("forest", "Forest", "sklearn", _forest, ("min_samples_leaf",)),
        Reference("stree", "STree", "stree", _stree, levels=1, count_splits=_splits_of_stree),
        Reference(
            "contree",
            "ConTree",
            "pycontree",
            ConTreeClassifier,
            ("complexity_cost",),
            levels=0,
            count_splits=_splits_of_contree,
            count_coefficients=_splits_of_contree,  # one feature each
        ),
    )
}
"""The references by name: support vector machines, random forests, STree and ConTree."""
