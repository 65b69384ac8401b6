"""How a whole table becomes a matrix of features, as plain data."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from margintree._lib.arrays import FloatArray
from margintree._lib.exceptions import InvalidInputError
from margintree.data.preprocessing.cells import Cells, shortened
from margintree.data.preprocessing.columns import Column, Feature


@dataclass(frozen=True)
class LeftOut:
    """A column that a model does not look at.

    Attributes
    ----------
    name : str
        The name of the column.
    reason : str
        What is wrong with it, and what to do if it matters.
    """

    name: str
    reason: str


@dataclass(frozen=True)
class Encoding:
    """Which columns of a table are used and what becomes of each.

    Attributes
    ----------
    columns : tuple of Column
        The columns in the order of their features.
    left_out : tuple of LeftOut
        The columns that were there in training and are not used.

    Examples
    --------
    >>> from margintree.data.preprocessing import CategoryColumn, NumberColumn
    >>> sex = CategoryColumn("sex", False, ("f", "m"), baseline="f", groups_others=False)
    >>> encoding = Encoding((NumberColumn("age", True, fill=30.0), sex), ())
    >>> [feature.words for feature in encoding.features]
    ['age', 'age is missing', 'sex is m']
    """

    columns: tuple[Column, ...]
    left_out: tuple[LeftOut, ...]

    @property
    def features(self) -> list[Feature]:
        """All features in words."""
        return [feature for column in self.columns for feature in column.features]

    def found(self, cells: Sequence[Cells]) -> list[Cells]:
        """Return the cells of the columns that are used, whatever their order; others are ignored.

        Raises
        ------
        InvalidInputError
            When a column is not there.
        """
        by_name = {column.name: column for column in cells}
        absent = [column.name for column in self.columns if column.name not in by_name]
        if absent:
            raise InvalidInputError(
                f"The table has no column {', '.join(map(repr, absent[:10]))}, which the model "
                f"needs. Its columns are: {shortened(', '.join(by_name))}. Add the column; its "
                "cells may be empty, which counts as missing."
            )
        return [by_name[column.name] for column in self.columns]

    def values(self, cells: Sequence[Cells]) -> FloatArray:
        """Return the value of every cell of the columns that `found` returned, NaN if missing."""
        pairs = zip(self.columns, cells, strict=True)
        return np.column_stack([column.values(given) for column, given in pairs])

    def encoded(self, values: FloatArray) -> FloatArray:
        """Return the features of rows of values."""
        pairs = zip(self.columns, values.T, strict=True)
        return np.hstack([column.encoded(own) for column, own in pairs])

    def to_dict(self) -> dict[str, Any]:
        """Return the encoding as plain lists, texts and numbers."""
        columns = [{"kind": column.kind} | asdict(column) for column in self.columns]
        return {"columns": columns, "left_out": [asdict(column) for column in self.left_out]}
