"""The cells of a column: missing cells, texts and numbers."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn

import numpy as np

from margintree._lib.arrays import AnyArray, FloatArray
from margintree._lib.exceptions import InvalidInputError

MISSING_WORDS = ("", "#N/A", "<NA>", "?", "N/A", "NA", "NULL", "NaN", "NaT", "n/a", "nan", "null")
"""The texts of missing cells."""
PART_OF_DATE = re.compile(r"(.*) \((year|month|weekday|days|hour)\)", re.DOTALL)
"""The name of a column that holds a part of dates."""

EMPTY_IT = "Correct the cell or leave it empty, which counts as missing."
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|[+-]?inf(inity)?", re.ASCII | re.I)


def is_number(text: str) -> bool:
    """Tell whether a text is a number, infinite or not, that all programs read in the same way.

    Examples
    --------
    >>> [is_number(text) for text in ("-1.5e3", "+.5", "1,5", "1_000", "inf")]
    [True, True, False, False, True]
    """
    return _NUMBER.fullmatch(text) is not None


def text_of(cell: Any) -> str:
    """Return the text of a cell, "" if it is missing.

    Surrounding spaces are removed, and so is ``.0`` after a whole number, since a missing cell
    often turns a column of integers into one of floats.

    Examples
    --------
    >>> [text_of(cell) for cell in (" Dream ", None, float("nan"), "NA", 7, 7.0, 7.5, True)]
    ['Dream', '', '', '', '7', '7', '7.5', 'True']
    """
    text = "" if cell is None else str(cell).strip(" ")
    return "" if text in MISSING_WORDS else without_zero(text)


def without_zero(text: str) -> str:
    """Return a text, without ``.0`` if it is a whole number.

    Examples
    --------
    >>> [without_zero(text) for text in ("7.0", "7", "7.5", "v7.0")]
    ['7', '7', '7.5', 'v7.0']
    """
    whole = text.removesuffix(".0")
    return whole if is_whole(whole) else text


def is_whole(text: str) -> bool:
    """Tell whether a text is a whole number in digits.

    Examples
    --------
    >>> is_whole("-12"), is_whole("1.5"), is_whole("a")
    (True, False, False)
    """
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdigit()


@dataclass(frozen=True)
class Cells:
    """The cells of one column of a table."""

    name: str
    values: AnyArray  # numbers, or any objects
    lines: Sequence[int] | None = None  # the line of each cell in its file, for messages
    is_category: bool = False  # whether the table declares the column to hold categories
    table: str = ""  # the origin of the table, for messages

    @cached_property
    def texts(self) -> list[str]:
        """The text of every cell, "" if it is missing."""
        return list(map(text_of, self.values.tolist()))

    @property
    def has_numbers_only(self) -> bool:
        """Whether all cells are numbers, numbers as text, or missing."""
        if self.is_category:
            return False
        return self._is_numeric or all(is_number(text) for text in self.texts if text)

    @property
    def _is_numeric(self) -> bool:
        return self.values.dtype.kind in "iuf"

    def numbers(self) -> FloatArray:
        """Return the numbers, NaN where a cell is missing; all others must be finite numbers."""
        if self._is_numeric:
            numbers = self.values.astype(np.float64)
        else:
            numbers = np.array([self._number(i, text) for i, text in enumerate(self.texts)])
        infinite = np.flatnonzero(np.isinf(numbers))
        if len(infinite):
            self.refuse(infinite[0], "a finite number is needed")
        return numbers

    def _number(self, row: int, text: str) -> float:
        if text and not is_number(text):
            self.refuse(row, "a number is needed")
        return float(text or "nan")

    def refuse(self, row: int, needed: str, remedy: str = EMPTY_IT) -> NoReturn:
        """Raise InvalidInputError about the cell in a row."""
        cell = self.values[row : row + 1].tolist()[0]
        found = f"{cell!r:.60}" if str(cell).strip() else "an empty cell"
        source = f"{self.table}, " if self.table else ""
        place = f"{source}{self.place(row)}, column {self.name!r}"
        raise InvalidInputError(f"{place}: {needed}; {found} was found. {remedy}")

    def place(self, row: int) -> str:
        """Return the place of a cell in words; rows and lines are counted from 1."""
        return f"row {row + 1}" if self.lines is None else f"line {self.lines[row]}"


def cells_of(table: Any) -> list[Cells]:
    """Return the columns of a pandas or polars frame, an array or a list of rows.

    A table is any object that has ``columns`` and returns the cells of a column for its name. The
    columns of an array are called ``x0, x1, ...``. Names must be different.

    Examples
    --------
    >>> [(cells.name, cells.texts) for cells in cells_of([[1.5, "a"], [None, "b"]])]
    [('x0', ['1.5', '']), ('x1', ['a', 'b'])]
    """
    if hasattr(type(table), "all_cells"):  # a `Table`, whose cells know their file and lines
        own: list[Cells] = table.all_cells()
        return own
    if hasattr(table, "columns"):
        names = [str(name) for name in table.columns]
        repeated = [name for name, count in Counter(names).items() if count > 1]
        if repeated:
            raise InvalidInputError(
                f"The columns of a table must have different names; {repeated[0]!r} appears more "
                "than once. Rename one."
            )
        columns = [table[name] for name in table.columns]
        pairs = zip(names, columns, strict=True)
        return [Cells(name, _array(c), is_category=_says_category(c)) for name, c in pairs]
    array = np.asarray(table) if hasattr(table, "dtype") else np.array(table, dtype=object)
    if array.ndim != 2:
        raise InvalidInputError(
            f"A table must have rows of equal length; a {type(table).__name__} of shape "
            f"{getattr(table, 'shape', array.shape)} was given. Give a pandas or polars frame, a "
            "dense two-dimensional array (toarray() of a sparse one) or a list of rows."
        )
    return [Cells(f"x{j}", _array(column)) for j, column in enumerate(array.T)]


def _array(column: Any) -> AnyArray:
    """Return a column as an array of numbers, or otherwise of objects."""
    array = np.asarray(column)
    if array.dtype.kind in "iuf" and not _says_category(column):
        return array
    return object_array(column)


def object_array(cells: Iterable[Any]) -> AnyArray:
    """Return a one-dimensional array of any cells."""
    # With None at the end, cells that are lists do not become further dimensions.
    return np.array([*cells, None], dtype=object)[:-1]


def shortened(text: str, width: int = 400) -> str:
    """Return the text, or its beginning if it is too long for a message."""
    return text if len(text) <= width else f"{text[:width]} ..."


def _says_category(column: Any) -> bool:
    """Tell whether the type of a column is that of categories in pandas or polars."""
    return str(getattr(column, "dtype", "")).lower().startswith(("categor", "enum"))
