"""A tree classifier that takes tables as they are."""

from typing import Any

from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from margintree.core.cost import Cost
from margintree.core.result import Result
from margintree.core.tree import ObliqueTree
from margintree.data.preprocessing import Encoding, TableEncoder
from margintree.estimators._base import ShownAsTree, TreeClassifier
from margintree.estimators.moctsvm import MOCTSVMClassifier
from margintree.show.report import Report, report_on


class TableClassifier(ShownAsTree, Pipeline):
    """A pipeline of a `TableEncoder` and a tree classifier; `make_table_classifier` makes it.

    It is a `sklearn.pipeline.Pipeline` with the steps ``table`` and ``classifier``, which shows
    what both have learnt, so that exports, plots and model files take it like a classifier.
    """

    @property
    def encoding_(self) -> Encoding:
        """How the columns of a table become the features of the tree."""
        encoding: Encoding = self[0].encoding_
        return encoding

    @property
    def tree_(self) -> ObliqueTree:
        """The fitted tree."""
        tree: ObliqueTree = self[-1].tree_
        return tree

    @property
    def result_(self) -> Result:
        """The tree with bounds, the reason why the fit stopped, and the trace of its progress."""
        result: Result = self[-1].result_
        return result

    @property
    def cost_(self) -> Cost:
        """The cost of the tree on its training rows, term by term."""
        cost: Cost = self[-1].cost_
        return cost

    @property
    def smoothing(self) -> float:
        """The weight that is added to every class of a leaf for probabilities."""
        smoothing: float = self[-1].smoothing
        return smoothing

    def report(self, X: Any, y: Any, title: str | None = None) -> Report:
        """Return an interactive report on the tree and what it does with the rows of a table.

        Parameters
        ----------
        X : pandas or polars frame, or array-like of shape (n, p)
            The table.
        y : array-like of shape (n,)
            Labels. A label that was not there in training counts as misclassified.
        title : str, optional
            What the report is about; by default the name of the classifier.

        Returns
        -------
        Report
            Shows itself in a notebook; ``report.save("report.html")`` writes it.

        Examples
        --------
        >>> from margintree import make_table_classifier
        >>> rows, y = [["red"], ["red"], ["blue"], ["blue"]], [0, 0, 1, 1]
        >>> "x0 is red" in make_table_classifier().fit(rows, y).report(rows, y).html
        True
        """
        check_is_fitted(self)
        return report_on(self, self[0].values(X), list(y), title=title)


def make_table_classifier(estimator: TreeClassifier | None = None) -> TableClassifier:
    """Return a tree classifier that takes tables as they are.

    Columns of a pandas or polars frame may hold numbers, numbers as text, booleans, categories and
    text, and cells may be missing; `TableEncoder` says what becomes of them. Columns that are
    constant, empty or like an identifier are left out with a `TableWarning`. Rules, plots,
    reports and exports speak of the columns of the table, and the Python and SQL of `to_python`
    and `to_sql` take its raw rows.

    Parameters
    ----------
    estimator : TreeClassifier, optional
        The classifier of the numbers; by default a `MOCTSVMClassifier`.

    Returns
    -------
    Pipeline
        A scikit-learn pipeline of the steps ``table`` and ``classifier``: parameters are called
        ``classifier__c1`` or ``table__min_share``. What was learnt of the table is
        ``encoding_``, plain data; ``tree_``, ``result_`` and ``cost_`` are those of the classifier.

    Examples
    --------
    >>> from margintree import MOCTSVMClassifier, export_text, make_table_classifier
    >>> rows, y = [["red"], ["red"], ["blue"], ["blue"]], ["warm", "warm", "cold", "cold"]
    >>> clf = make_table_classifier(MOCTSVMClassifier(max_depth=1, c1=10.0)).fit(rows, y)
    >>> print(export_text(clf))
    x0 is red ?
    ├── yes: warm  (warm 100% of 2)
    └── no: cold  (cold 100% of 2)
    >>> clf.predict([["red"], [None]])
    array(['warm', 'cold'], dtype='<U4')
    """
    classifier = MOCTSVMClassifier() if estimator is None else estimator
    return TableClassifier([("table", TableEncoder()), ("classifier", classifier)])
