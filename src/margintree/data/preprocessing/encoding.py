"""The encoding of a table's columns as features, as plain data.

Encoding has two steps. First every cell becomes one value, NaN if it is missing. A number is its
own value, a boolean 0 or 1, a category the position of its level, and a category that is not a
level the number of levels. Then a value becomes features.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray
from margintree._lib.exceptions import InvalidInputError
from margintree.data.preprocessing.cells import Cells, shortened

TRUE_WORDS, FALSE_WORDS = ("true", "1"), ("false", "0")
"""The texts of booleans, in small or capital letters."""


class Feature(NamedTuple):
    """A feature in words: the name of a column, or a condition such as "island is Dream"."""

    words: str
    is_condition: bool


@dataclass(frozen=True)
class _AnyColumn(ABC):
    """Base of all kinds of columns.

    With ``marks_missing`` the last feature is 1 where the cell is missing.
    """

    kind: ClassVar[str]
    name: str
    marks_missing: bool

    @property
    def features(self) -> list[Feature]:
        """The features in words, in their order."""
        missing = Feature(f"{self.name} is missing", True)
        return [*self._value_features(), *([missing] if self.marks_missing else [])]

    def encoded(self, values: FloatArray) -> FloatArray:
        """Return the features of the values, one row each."""
        features = self._encoded(values)
        if self.marks_missing:
            features = np.column_stack([features, np.isnan(values)])
        return features

    @abstractmethod
    def values(self, cells: Cells) -> FloatArray:
        """Return the value of every cell."""

    @abstractmethod
    def _value_features(self) -> list[Feature]: ...

    @abstractmethod
    def _encoded(self, values: FloatArray) -> FloatArray: ...


@dataclass(frozen=True)
class NumberColumn(_AnyColumn):
    """A column of numbers, also as text; ``fill`` is the number for a missing cell.

    Examples
    --------
    >>> column = NumberColumn("age", True, fill=30.0)
    >>> column.encoded(column.values(Cells("age", np.array(["18", None], dtype=object))))
    array([[18.,  0.],
           [30.,  1.]])
    """

    kind: ClassVar[str] = "number"
    fill: float

    def values(self, cells: Cells) -> FloatArray:
        """Return the number of every cell, NaN where it is missing."""
        return cells.numbers()

    def _value_features(self) -> list[Feature]:
        return [Feature(self.name, False)]

    def _encoded(self, values: FloatArray) -> FloatArray:
        return np.where(np.isnan(values), self.fill, values)[:, None]


@dataclass(frozen=True)
class BooleanColumn(NumberColumn):
    """A column of booleans, also as text or as 0 and 1.

    Examples
    --------
    >>> column = BooleanColumn("smoker", False, fill=0.0)
    >>> column.values(Cells("smoker", np.array([True, "FALSE", None], dtype=object)))
    array([ 1.,  0., nan])
    """

    kind: ClassVar[str] = "boolean"

    def values(self, cells: Cells) -> FloatArray:
        """Return 1 for true, 0 for false and NaN where a cell is missing."""
        return np.array([self._value(cells, i, text) for i, text in enumerate(cells.texts)])

    def _value(self, cells: Cells, row: int, text: str) -> float:
        if text and text.lower() not in TRUE_WORDS + FALSE_WORDS:
            cells.refuse(row, "true or false is needed")
        return float(text.lower() in TRUE_WORDS) if text else np.nan

    def _value_features(self) -> list[Feature]:
        return [Feature(f"{self.name} is true", True)]


@dataclass(frozen=True)
class CategoryColumn(_AnyColumn):
    """A column of categories.

    Attributes
    ----------
    levels : tuple of str
        The categories that are distinguished.
    baseline : str or None
        The level without a feature, if any, with which the others are compared.
    groups_others : bool
        Whether a feature is 1 for a cell that is neither missing nor a level.

    Examples
    --------
    >>> column = CategoryColumn("island", False, ("Biscoe", "Dream"), None, groups_others=True)
    >>> [feature.words for feature in column.features]
    ['island is Biscoe', 'island is Dream', 'island is another']
    >>> column.values(Cells("island", np.array(["Dream", "Atlantis", None], dtype=object)))
    array([ 1.,  2., nan])
    """

    kind: ClassVar[str] = "category"
    levels: tuple[str, ...]
    baseline: str | None
    groups_others: bool

    def values(self, cells: Cells) -> FloatArray:
        """Return the position of every cell's level; the number of levels for another text."""
        codes = {level: float(code) for code, level in enumerate(self.levels)} | {"": np.nan}
        other = float(len(self.levels))
        return np.array([codes.get(text, other) for text in cells.texts])

    def unseen(self, cells: Cells) -> Counter[str]:
        """Return the counts of texts that are new since fit, if new texts can be recognised."""
        if self.groups_others:
            return Counter()
        return Counter(text for text in cells.texts if text and text not in self.levels)

    @property
    def shown_levels(self) -> list[str]:
        """The levels that have a feature."""
        return [level for level in self.levels if level != self.baseline]

    def _value_features(self) -> list[Feature]:
        another = "another" if self.baseline is None else f"other than {self.baseline}"
        names = [*self.shown_levels, *([another] if self.groups_others else [])]
        return [Feature(f"{self.name} is {name}", True) for name in names]

    def _encoded(self, values: FloatArray) -> FloatArray:
        codes = [code for code, level in enumerate(self.levels) if level != self.baseline]
        codes += [len(self.levels)] if self.groups_others else []
        return np.asarray(values[:, None] == np.array(codes), dtype=np.float64)


Column: TypeAlias = NumberColumn | BooleanColumn | CategoryColumn


@dataclass(frozen=True)
class LeftOut:
    """A column that a model does not use, and the reason, with a remedy if the column matters."""

    name: str
    reason: str


@dataclass(frozen=True)
class Encoding:
    """The encoded columns of a table, in the order of their features, and the columns left out.

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

    @property
    def groups(self) -> IntArray:
        """The position of the column from which each feature comes.

        Examples
        --------
        >>> age = NumberColumn("age", True, fill=30.0)
        >>> sex = CategoryColumn("sex", False, ("f", "m"), baseline="f", groups_others=False)
        >>> Encoding((age, sex), ()).groups
        array([0, 0, 1])
        """
        counts = [len(column.features) for column in self.columns]
        return np.repeat(np.arange(len(counts)), counts)

    def found(self, cells: Sequence[Cells]) -> list[Cells]:
        """Return the cells of the columns that are used; they may be given in any order."""
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
