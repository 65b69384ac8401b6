"""Base of all tree classifiers: checks of the input, codes of the labels, predictions."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import ClassifierMixin, _fit_context
from sklearn.utils import Tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from margintree._lib.arrays import AnyArray, FloatArray, IntArray
from margintree._lib.remedies import CheckedParameters
from margintree.core import topology
from margintree.core.class_values import class_values, decision_values
from margintree.core.cost import Cost
from margintree.core.method import Method
from margintree.core.result import Result
from margintree.core.tree import ObliqueTree, row_blocks
from margintree.estimators._advice import warn_if_poor, warn_if_shallow
from margintree.estimators._given import class_factors, errors_with_remedies, row_weights
from margintree.methods.choose import Data
from margintree.show.report import Report, Stop, picture, report_on


class ShownAsTree(CheckedParameters):
    """Estimator that a notebook shows as its tree, once it is fitted."""

    @property
    def _repr_html_(self) -> Callable[[], str]:
        as_diagram: Callable[[], str] = super()._repr_html_
        is_drawn = hasattr(self, "result_") and self.result_.tree.scaling.likeness is None
        return partial(picture, self) if is_drawn else as_diagram

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] = self._repr_html_()
        return bundle


class TreeClassifier(ClassifierMixin, ShownAsTree, ABC):
    """Base of the classifiers whose fitted model is an `ObliqueTree`.

    A subclass has the parameters ``class_weight`` and ``smoothing`` and learns a tree in `_learn`.
    """

    class_weight: Any
    smoothing: float
    classes_: AnyArray
    result_: Result

    @property
    @abstractmethod
    def _method(self) -> Method:
        """The method that learns the tree."""

    @abstractmethod
    def _depth(self, n_classes: int) -> int:
        """Return the number of levels of splits that a tree may have."""

    @abstractmethod
    def _learn(self, data: Data, classes: AnyArray) -> Result:
        """Return the result of a fit to the data; ``classes`` are the labels of the codes."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self._method.max_classes != 2
        return tags

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit a tree to the rows of ``X`` and their labels.

        Parameters
        ----------
        X : array-like of shape (n, p)
            Numbers; no missing values.
        y : array-like of shape (n,)
            Labels: text, integers or booleans.
        sample_weight : array-like of shape (n,), optional
            Weights of the rows, at least 0. A weight of 2 equals giving the row twice, a weight of
            0 equals leaving it out.

        Returns
        -------
        self
        """
        with errors_with_remedies(X, y):
            X, y = validate_data(self, X, y, dtype=np.float64)
            check_classification_targets(y)
        classes, codes = np.unique(y, return_inverse=True)
        warn_if_shallow(len(classes), self._depth(len(classes)))
        sample_weights = row_weights(sample_weight, X)
        factors = class_factors(self.class_weight, codes, sample_weights, classes)
        weights = sample_weights * factors[codes]
        result = self._learn(Data(X, codes, weights, len(classes), factors), classes)
        self.result_ = self._method.in_terms(result)
        self.classes_ = classes
        warn_if_poor(self.result_, codes, weights, classes, self._params_of_tree())
        return self

    def _params_of_tree(self) -> dict[str, Any]:
        """Return the parameters with which the tree was fitted."""
        return dict(self.get_params(deep=False))

    def _features(self) -> Sequence[Any]:
        """Return the names of the features that `fit` saw, or their numbers."""
        return list(getattr(self, "feature_names_in_", range(self.n_features_in_)))

    @property
    def feature_importances_(self) -> FloatArray:
        """The influence of every feature along the paths of the training rows; they sum to 1.

        Every split gives the training weight that arrives there, shared among its features in
        proportion to their scaled weights, which say how much a feature changes the value of the
        split over its training range. A product of two columns counts half for each. All are 0 in
        a tree without splits. Trees of kernels do not have this attribute.
        """
        tree = self._fitted_tree()
        if tree.scaling.likeness is not None:
            raise AttributeError(
                "feature_importances_ needs splits over columns or their products; those of this "
                "tree see the likeness to training rows."
            )
        return tree.influences()

    def get_depth(self) -> int:
        """Return the largest number of splits on the path of a row."""
        return self._fitted_tree().longest_path()

    def get_n_leaves(self) -> int:
        """Return the number of leaves that rows can reach."""
        return self._fitted_tree().n_splits + 1

    @property
    def tree_(self) -> ObliqueTree:
        """The fitted tree."""
        return self.result_.tree

    @property
    def cost_(self) -> Cost:
        """The cost of the fitted tree on its training rows, term by term."""
        return self.result_.cost

    @property
    def objective_(self) -> float:
        """The total cost of the fitted tree on its training rows."""
        return self.result_.objective

    @property
    def bound_(self) -> float:
        """A proved lower bound on the cost of any tree."""
        return self.result_.bound

    @property
    def gap_(self) -> float:
        """The difference between cost and bound, as a share of the cost."""
        return self.result_.gap

    @property
    def optimal_(self) -> bool:
        """Whether the fitted tree is proved optimal to within ``gap``."""
        return self.result_.is_optimal

    def predict(self, X: Any) -> AnyArray:
        """Return the predicted label of every row.

        Parameters
        ----------
        X : array-like of shape (n, p)
            Rows in the units of the training data.

        Returns
        -------
        ndarray of shape (n,)
        """
        leaves = self.apply(X) - topology.n_leaves(self.tree_.depth)
        return np.asarray(self.classes_[self.tree_.leaf_classes[leaves]])

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the class shares in the leaf of every row.

        They are shares of the training weight in the leaf, after ``smoothing`` is added to every
        class. A leaf without training rows uses the shares of its closest ancestor with some.

        Parameters
        ----------
        X : array-like of shape (n, p)
            Rows in the units of the training data.

        Returns
        -------
        ndarray of shape (n, K)
            Columns in the order of ``classes_``.
        """
        leaves = self.apply(X) - topology.n_leaves(self.tree_.depth)
        return np.asarray(self.tree_.leaf_shares(self.smoothing)[leaves])

    def predict_log_proba(self, X: Any) -> FloatArray:
        """Return the logarithms of `predict_proba`; a share of 0 gives minus infinity."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))

    def decision_function(self, X: Any) -> FloatArray:
        """Return how sure the classes of every row are, for scores that rank rows, such as AUC.

        The predicted class has a value above 0, all others have values below 0. Rows with the same
        prediction are ordered by the share of the class in their leaf, as `predict_proba` gives it.
        Rows of one leaf are ordered by `class_values`, so that those far inside a region come
        before those near its border.

        Parameters
        ----------
        X : array-like of shape (n, p)
            Rows in the units of the training data.

        Returns
        -------
        ndarray of shape (n,) or (n, K)
            With two classes the values of ``classes_[1]``, otherwise columns in the order of
            ``classes_``.
        """
        values = decision_values(self._fitted_tree(), self._scaled(X), self.smoothing)
        return values[:, 1] if len(self.classes_) == 2 else values

    def class_values(self, X: Any) -> FloatArray:
        """Return how far every row lies inside the region of each class.

        The value of a leaf is the smallest split value on the way to it, with the sign of its side,
        and the value of a class is that of its best leaf. So the predicted class has a value of at
        least 0, and all others have values below 0. From 1 on, a row is outside of all margins.

        Parameters
        ----------
        X : array-like of shape (n, p)
            Rows in the units of the training data.

        Returns
        -------
        ndarray of shape (n, K)
            Columns in the order of ``classes_``.
        """
        return class_values(self._fitted_tree(), self._scaled(X))

    def apply(self, X: Any) -> IntArray:
        """Return the node number of the leaf of every row.

        The root is node 1; the children of node t are 2t (left) and 2t + 1 (right).
        """
        tree, X = self._fitted_tree(), self._checked(X)
        leaves = np.empty(len(X), dtype=np.int64)
        for block in row_blocks(len(X)):  # scaled rows of a block stay in the cache
            leaves[block] = tree.apply(tree.scaling.apply(X[block], block.start))
        return leaves

    def decision_path(self, X: Any) -> sparse.csr_array:
        """Return the nodes that every row visits.

        Returns
        -------
        csr_array of shape (n, 2**(D+1) - 1)
            Entry ``(i, t - 1)`` is 1 when row ``i`` visits node ``t``.
        """
        return self._fitted_tree().decision_path(self._scaled(X))

    def split_values(self, X: Any) -> FloatArray:
        """Return the value ``f_t(x)`` of every branch node, NaN where the node does not split.

        A row goes right in node ``t`` when ``f_t(x) >= 0``. It is outside the margin when
        ``|f_t(x)| >= 1``.

        Returns
        -------
        ndarray of shape (n, 2**D - 1)
            Column ``t - 1`` belongs to node ``t``.
        """
        return self._fitted_tree().split_values(self._scaled(X))

    def report(self, X: Any, y: Any, feature_names: Sequence[str] | None = None) -> Report:
        """Return an interactive report on the tree and its predictions for the given rows.

        The report is one HTML page. It shows the tree, the details of every node, the path of every
        row or of values that you type in, the smallest change of a feature that changes a
        prediction, scores, and the cost and proof of the fit. It needs no network. Where a choice
        has several trees (`TreeClassifierCV.stops_`), a slider goes from one to the next.

        Parameters
        ----------
        X : array-like of shape (n, p)
            Rows in the units of the training data.
        y : array-like of shape (n,)
            Their labels. A label not seen in training counts as misclassified.
        feature_names : sequence of str, optional
            Names of the features; by default those seen in `fit`, or ``x0, x1, ...``.

        Returns
        -------
        Report
            A notebook shows it; ``report.save("report.html")`` writes it to a file.

        Examples
        --------
        >>> from margintree import MOCTSVMClassifier
        >>> X, y = [[0.0], [1.0], [4.0], [5.0]], ["low", "low", "high", "high"]
        >>> clf = MOCTSVMClassifier(max_depth=1, c1=10).fit(X, y)
        >>> "height" in clf.report(X, y, feature_names=["height"]).html
        True
        """
        check_is_fitted(self)
        with errors_with_remedies(X):
            X, y = validate_data(self, X, y, dtype=np.float64, reset=False)
        stops = self._stops()
        return report_on(self, X, y.tolist(), feature_names=feature_names, stops=stops)

    def _stops(self) -> Sequence[Stop]:
        """Return the trees between which the slider of a report switches."""
        return ()

    def _fitted_tree(self) -> ObliqueTree:
        check_is_fitted(self)
        return self.tree_

    def _scaled(self, X: Any) -> FloatArray:
        """Return the checked rows of ``X`` in the space of the hyperplanes."""
        return self.tree_.scaling.apply(self._checked(X))

    def _checked(self, X: Any) -> FloatArray:
        """Return the rows of ``X`` as numbers; raise an error for those that do not fit."""
        with errors_with_remedies(X):
            return np.asarray(validate_data(self, X, dtype=np.float64, reset=False))
