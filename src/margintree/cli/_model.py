"""Models from files, and the columns of tables that they take."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from margintree._lib.arrays import AnyArray, FloatArray
from margintree._lib.exceptions import InvalidInputError
from margintree.data.tables import Table
from margintree.estimators import TableClassifier, TreeClassifier
from margintree.estimators.modelfile import load


@dataclass(frozen=True)
class Model:
    """A fitted classifier and, if known, the names of the columns that it was fitted to.

    A `TreeClassifier` gets arrays of numbers here, and a `TableClassifier` gets tables.
    """

    estimator: TreeClassifier | TableClassifier
    names: Sequence[str] | None

    @classmethod
    def read(cls, path: Path) -> "Model":
        """Return the model in a file."""
        estimator = load(path)
        names = getattr(estimator, "feature_names_in_", None)
        if names is not None and isinstance(estimator, TreeClassifier):
            # This class matches columns by name. The classifier would warn about nameless arrays.
            del estimator.feature_names_in_
        return cls(estimator, names)

    def rows(self, table: Table) -> Any:
        """Return the rows of the table in the form that the classifier predicts from."""
        if self.names is not None:
            table = table.with_parts_of_dates(self.names)
        if isinstance(self.estimator, TreeClassifier):
            return table.numbers(self.columns_of(table))
        if self.names is not None:
            return table
        return np.array([table[name] for name in self.columns_of(table)], dtype=object).T

    def values(self, table: Table) -> FloatArray:
        """Return the rows of the table in the form that a report takes."""
        rows = self.rows(table)
        is_encoded = isinstance(self.estimator, TableClassifier)
        return np.asarray(self.estimator[0].values(rows) if is_encoded else rows)

    def feature_names(self, table: Table) -> Sequence[str] | None:
        """Return the names of the features in the table; None for a classifier of tables."""
        return None if isinstance(self.estimator, TableClassifier) else self.columns_of(table)

    def columns_of(self, table: Table) -> Sequence[str]:
        """Return the columns of the table that the model was fitted to."""
        n_features = self.estimator.n_features_in_
        if self.names is not None:
            return self.names
        if len(table.columns) < n_features:
            raise InvalidInputError(
                f"The model has no column names, so it takes the first {n_features} columns of the "
                f"table; {table.name} has only {len(table.columns)}. Add the others."
            )
        return table.columns[:n_features]

    def labels(self, table: Table, target: str | None) -> AnyArray:
        """Return the labels; by default they are the only column that is not a feature."""
        features = set(self.columns_of(table))
        if target in features:
            raise InvalidInputError(
                f"The column of labels must not be a feature of the model; {target!r} is one. Name "
                "another one with --target."
            )
        if target is not None:
            return table.labels(target)
        others = [name for name in table.columns if name not in features]
        if not others:
            raise InvalidInputError(
                f"{table.name} must have a column of labels; all its columns are features of the "
                f"model ({', '.join(table.columns):.200}). Add one."
            )
        if len(others) > 1:
            raise InvalidInputError(
                f"The column of labels must be clear; {table.name} has {len(others)} columns that "
                f"are not features of the model ({', '.join(others):.200}). Name it with --target."
            )
        return table.labels(others[0])
