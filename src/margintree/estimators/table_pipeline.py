"""A tree classifier that takes tables with text, booleans and missing cells."""

import warnings
from collections.abc import Mapping
from typing import Any, Self

from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from margintree._lib.exceptions import InvalidInputError, TableWarning
from margintree.core.cost import Cost
from margintree.core.result import Result
from margintree.core.tree import ObliqueTree
from margintree.data.preprocessing import Encoding, TableEncoder
from margintree.estimators._base import ShownAsTree, TreeClassifier
from margintree.estimators._given import feature_factors
from margintree.estimators.moctsvm import MOCTSVMClassifier
from margintree.show.report import Report, report_on


class TableClassifier(ShownAsTree, Pipeline):
    """A pipeline of a `TableEncoder` and a tree classifier; `make_table_classifier` makes it.

    Its steps are ``table`` and ``classifier``. It has the fitted attributes of both, so exports,
    plots and model files take it like a classifier.
    """

    def fit(self, X: Any, y: Any = None, **params: Any) -> Self:
        """Fit the encoder and the classifier to a table.

        In budgets, prices and ``feature_costs`` of the classifier, the features that come from one
        column of the table count as one feature. ``feature_costs`` names columns.

        Parameters
        ----------
        X : pandas or polars frame, or array-like of shape (n, p)
            The table.
        y : array-like of shape (n,)
            Labels.
        **params
            Parameters of the steps' `fit`, such as ``classifier__sample_weight``.

        Returns
        -------
        self
        """
        given = self[-1].get_params()
        if not any(_counts_features(name, value) for name, value in given.items()):
            super().fit(X, y, **params)
            return self
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TableWarning)  # the fit itself warns again
            encoding = clone(self[0]).fit(X, y).encoding_
        own = {
            name: _of_features(name, value, encoding)
            for name, value in given.items()
            if name.split("__")[-1] in ("feature_groups", "feature_costs")
        }
        try:
            self[-1].set_params(**own)
            super().fit(X, y, **params)
        finally:
            self[-1].set_params(**{name: given[name] for name in own})
        return self

    @property
    def encoding_(self) -> Encoding:
        """The encoding of the table's columns as features of the tree."""
        encoding: Encoding = self[0].encoding_
        return encoding

    @property
    def result_(self) -> Result:
        """The tree with bounds, the reason why the fit stopped, and the trace of its progress."""
        result: Result = self[-1].result_
        return result

    @property
    def tree_(self) -> ObliqueTree:
        """The fitted tree."""
        return self.result_.tree

    @property
    def cost_(self) -> Cost:
        """The cost of the tree on its training rows, term by term."""
        return self.result_.cost

    @property
    def smoothing(self) -> float:
        """The weight added to every class of a leaf before probabilities are computed."""
        smoothing: float = self[-1].smoothing
        return smoothing

    def report(self, X: Any, y: Any, title: str | None = None) -> Report:
        """Return an interactive report on the tree and its predictions for the rows of a table.

        Parameters
        ----------
        X : pandas or polars frame, or array-like of shape (n, p)
            The table.
        y : array-like of shape (n,)
            Labels. A label not seen in training counts as misclassified.
        title : str, optional
            The title of the report; by default the name of the classifier.

        Returns
        -------
        Report
            A notebook shows it; ``report.save("report.html")`` writes it to a file.

        Examples
        --------
        >>> from margintree import make_table_classifier
        >>> rows, y = [["red"], ["red"], ["blue"], ["blue"]], [0, 0, 1, 1]
        >>> "x0 is red" in make_table_classifier().fit(rows, y).report(rows, y).html
        True
        """
        check_is_fitted(self)
        stops = [
            stop._replace(model=TableClassifier([self.steps[0], ("classifier", stop.model)]))
            for stop in self[-1]._stops()
        ]
        return report_on(self, self[0].values(X), list(y), title=title, stops=stops)


def _counts_features(name: str, value: Any) -> bool:
    """Tell whether a parameter, or the candidates of a choice, limits or prices features."""
    if name.split("__")[-1] in ("max_features_per_split", "max_features"):
        return value is not None
    if name.split("__")[-1] == "c4":
        return bool(value)
    tried = value if isinstance(value, list | tuple) else [value]
    names = {key for one in tried if isinstance(one, Mapping) for key in one}
    return name == "candidates" and bool(names & {"max_features_per_split", "max_features", "c4"})


def _of_features(name: str, value: Any, encoding: Encoding) -> Any:
    """Return the value of a parameter about columns as one about features."""
    if name.endswith("feature_groups"):
        return encoding.groups if value is None else value
    if not isinstance(value, Mapping):
        return value
    columns = [column.name for column in encoding.columns]
    factors = feature_factors(value, columns)
    assert factors is not None
    return factors[encoding.groups]


def make_table_classifier(estimator: TreeClassifier | None = None) -> TableClassifier:
    """Return a tree classifier that takes tables with text, booleans and missing cells.

    Columns of a pandas or polars frame may hold numbers, numbers as text, booleans, categories and
    text, and cells may be missing; see `TableEncoder`. A `TableWarning` names the columns that are
    left out because they are constant, empty or like an identifier. Rules, plots, reports and
    exports use the columns of the table. The code of `to_python` and `to_sql` takes its raw rows.

    Parameters
    ----------
    estimator : TreeClassifier, optional
        The classifier behind the encoder; by default a `MOCTSVMClassifier`.

    Returns
    -------
    TableClassifier
        A scikit-learn pipeline with the steps ``table`` and ``classifier``, so parameters are named
        ``classifier__c1`` or ``table__min_share``. ``encoding_`` holds the fitted encoding of the
        table; ``tree_``, ``result_`` and ``cost_`` are those of the classifier.

    Examples
    --------
    >>> from margintree import MOCTSVMClassifier, export_text, make_table_classifier
    >>> rows, y = [["red"], ["red"], ["blue"], ["blue"]], ["warm", "warm", "cold", "cold"]
    >>> clf = make_table_classifier(MOCTSVMClassifier(max_depth=1, c1=10.0)).fit(rows, y)
    >>> print(export_text(clf))
    [1] x0 is red ?
    ├── yes: [3] warm  (warm 100% of 2)
    └── no: [2] cold  (cold 100% of 2)
    >>> clf.predict([["red"], [None]])
    array(['warm', 'cold'], dtype='<U4')
    """
    classifier = MOCTSVMClassifier() if estimator is None else estimator
    if not isinstance(classifier, TreeClassifier):
        raise InvalidInputError(
            "make_table_classifier takes a classifier of margintree, such as MOCTSVMClassifier(); "
            f"{classifier!r:.60} was given. To search over parameters, search over those of the "
            "table classifier, such as classifier__c1."
        )
    return TableClassifier([("table", TableEncoder()), ("classifier", classifier)])
