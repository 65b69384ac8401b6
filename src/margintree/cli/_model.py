"""A model file together with tables whose columns are matched to it by name."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from margintree._typing import FloatArray
from margintree.estimators import TreeClassifier
from margintree.exceptions import InvalidInputError
from margintree.modelfile import load
from margintree.tables import Table


@dataclass(frozen=True)
class Model:
    """A fitted classifier that takes bare arrays, and the names of their columns, if known."""

    estimator: TreeClassifier
    names: Sequence[str] | None

    @classmethod
    def read(cls, path: Path) -> "Model":
        """Return the model of a file."""
        estimator = load(path)
        names = getattr(estimator, "feature_names_in_", None)
        if names is not None:
            # Columns are matched by name here; the classifier would warn that arrays have none.
            del estimator.feature_names_in_
        return cls(estimator, names)

    def features(self, table: Table) -> FloatArray:
        """Return the features of every row of the table, in the order of the model."""
        return table.numbers(self.columns_of(table))

    def columns_of(self, table: Table) -> Sequence[str]:
        """Return the columns of the table that are the features of the model."""
        n_features = self.estimator.n_features_in_
        if self.names is not None:
            return self.names
        if len(table.columns) < n_features:
            raise InvalidInputError(
                f"The model has no column names, so the first {n_features} columns of the table "
                f"are taken; {table.name} has only {len(table.columns)}."
            )
        return table.columns[:n_features]

    def target_of(self, table: Table) -> str:
        """Return the only column of the table that is not a feature."""
        features = set(self.columns_of(table))
        others = [name for name in table.columns if name not in features]
        if len(others) != 1:
            raise InvalidInputError(
                f"{table.name} has {len(others)} columns that are not features of the model, so "
                "the column of labels cannot be guessed. Name it with --target."
            )
        return others[0]
