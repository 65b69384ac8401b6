"""A scikit-learn transformer that learns an encoding and applies it."""

from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import TransformerMixin, _fit_context
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from margintree._lib.arrays import AnyArray, FloatArray
from margintree._lib.exceptions import InvalidInputError, TableWarning
from margintree._lib.remedies import CheckedParameters
from margintree._lib.warn import warn_user
from margintree.data.preprocessing.cells import Cells, cells_of, text_of
from margintree.data.preprocessing.encoding import CategoryColumn, Encoding, LeftOut
from margintree.data.preprocessing.learning import (
    ColumnLearner,
    alike,
    oddity,
    tell_what_is_alike,
)


class TableEncoder(TransformerMixin, CheckedParameters):
    """Encode a table with text, booleans, categories and missing cells as a matrix of numbers.

    Numbers, also as text, stay numbers. Booleans become 0 and 1. Categories and text become one
    feature per common category and one for all the others together; of two categories only one
    gets a feature. A missing cell becomes the median, the more frequent boolean or no category. If
    the labels of rows with missing cells differ from those of the other rows, missing gets its own
    feature. A `TableWarning` names the columns that are left out because they are constant, empty
    or like an identifier.

    A cell is missing if it is None, NaN or empty, or if its text is NA, N/A, n/a, #N/A, <NA>, NaN,
    nan, NaT, NULL, null or ?.

    Parameters
    ----------
    min_share : float, default=0.01
        Least share of the rows for a category, or for missing cells, to get a feature; two rows at
        least.
    max_levels : int, default=20
        Maximum number of categories of a column with their own features, the most frequent first.

    Attributes
    ----------
    encoding_ : Encoding
        The learnt encoding as plain data: the columns that are used and those that are left out.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The names of the columns, when the table had names.

    Examples
    --------
    >>> from margintree.data.preprocessing import TableEncoder
    >>> rows = [[18, "yes"], [None, "no"], [30, "yes"], [41, "no"]]
    >>> encoder = TableEncoder().fit(rows)
    >>> encoder.get_feature_names_out().tolist()
    ['x0', 'x1 is yes']
    >>> encoder.transform([[None, "yes"]])
    array([[30.,  1.]])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "min_share": [Interval(Real, 0, 1, closed="both")],
        "max_levels": [Interval(Integral, 1, None, closed="left")],
    }

    encoding_: Encoding

    def __init__(self, min_share: float = 0.01, max_levels: int = 20) -> None:
        self.min_share = min_share
        self.max_levels = max_levels

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn an encoding of the columns of a table.

        Parameters
        ----------
        X : pandas or polars frame, or array-like of shape (n, p)
            The table.
        y : array-like of shape (n,), optional
            Labels, which decide whether missing cells are informative.
        """
        cells = cells_of(X)
        n_rows = len(cells[0].values) if cells else 0
        if n_rows == 0:
            raise InvalidInputError(
                f"A table must have at least one row and one column; it has {n_rows} rows and "
                f"{len(cells)} columns. Add data."
            )
        labels = [0] * n_rows if y is None else list(y)
        _check_labels(labels, n_rows)
        learner = ColumnLearner.on(labels, self.min_share, self.max_levels)
        learnt = [learner.column(column) for column in cells]
        _tell_what_is_odd(cells, learnt)
        self.encoding_ = Encoding(
            tuple(column for column in learnt if not isinstance(column, LeftOut)),
            tuple(column for column in learnt if isinstance(column, LeftOut)),
        )
        if not self.encoding_.columns:
            reasons = "; ".join(f"{c.name!r}: {c.reason}" for c in self.encoding_.left_out[:10])
            raise InvalidInputError(
                f"The table must have a column to learn from; it has none. {reasons}. Add a column."
            )
        self.n_features_in_ = len(cells)
        if hasattr(X, "columns"):
            self.feature_names_in_ = np.array([column.name for column in cells], dtype=object)
        elif hasattr(self, "feature_names_in_"):  # of an earlier fit
            del self.feature_names_in_
        return self

    def transform(self, X: Any) -> FloatArray:
        """Return the features of every row.

        Columns are found by name, in any order, and other columns are ignored. The columns of an
        array are found by position.

        Parameters
        ----------
        X : pandas or polars frame, or array-like of shape (n, p)
            The table.

        Returns
        -------
        ndarray of shape (n, number of features)
        """
        values = self.values(X)  # This checks that the encoder is fitted.
        return self.encoding_.encoded(values)

    def values(self, X: Any) -> FloatArray:
        """Return one value per cell of the columns that are used; see `Encoding.values`."""
        check_is_fitted(self)
        cells = cells_of(X)
        if not hasattr(X, "columns") and len(cells) != self.n_features_in_:
            raise InvalidInputError(
                f"The rows must have {self.n_features_in_} cells, as in fit; they have "
                f"{len(cells)}. Give a frame with column names, or all columns."
            )
        found = self.encoding_.found(cells)
        for column, given in zip(self.encoding_.columns, found, strict=True):
            if isinstance(column, CategoryColumn):
                _tell_what_is_unseen(column, given)
        return self.encoding_.values(found)

    def get_feature_names_out(self, input_features: Any = None) -> AnyArray:  # noqa: ARG002
        """Return the names of the features, such as "age", "age is missing", "island is Dream"."""
        check_is_fitted(self)
        return np.array([feature.words for feature in self.encoding_.features], dtype=object)


def _check_labels(labels: list[Any], n_rows: int) -> None:
    if len(labels) != n_rows:
        raise InvalidInputError(
            f"Every row must have a label; there are {n_rows} rows and {len(labels)} labels. Give "
            "one label per row."
        )
    for row, label in enumerate(labels):
        if not isinstance(label, str) and not text_of(label):
            raise InvalidInputError(
                f"Every row must have a label; that of row {row + 1} is {label!r}. Fill it in or "
                "drop the row."
            )


def _tell_what_is_odd(cells: list[Cells], learnt: list[Any]) -> None:
    for given, column in zip(cells, learnt, strict=True):
        if isinstance(column, LeftOut):
            warn_user(f"The column {column.name!r} is left out: {column.reason}.", TableWarning)
        elif isinstance(column, CategoryColumn) and (odd := oddity(given)):
            warn_user(
                f"The column {column.name!r} is taken as categories: {odd}. Correct such cells, or "
                "empty them, which counts as missing.",
                TableWarning,
            )
        elif isinstance(column, CategoryColumn) and (words := alike(given.texts)):
            tell_what_is_alike(column.name, words, "categories")


def _tell_what_is_unseen(column: CategoryColumn, cells: Cells) -> None:
    unseen = column.unseen(cells)
    if unseen:
        word, _ = unseen.most_common(1)[0]
        warn_user(
            f"The column {column.name!r} has {unseen.total()} cells with categories not seen in "
            f"training, such as {word!r:.60}; they count as none of "
            f"{', '.join(map(repr, column.shown_levels)):.200}.",
            TableWarning,
        )
