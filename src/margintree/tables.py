"""Tables from CSV files: text in columns, turned into numbers and labels on demand."""

import csv
import difflib
import math
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from margintree._typing import AnyArray, FloatArray
from margintree.exceptions import InvalidInputError


@dataclass(frozen=True)
class Table:
    """The cells of a table, as text.

    Attributes
    ----------
    name : str
        Where the table comes from, for messages.
    columns : tuple of str
        The names of the columns; all different.
    rows : list of list of str
        The cells, as many per row as there are columns.
    lines : list of int
        The line of the file on which each row ends, for messages.
    """

    name: str
    columns: tuple[str, ...]
    rows: list[list[str]]
    lines: list[int]

    def column(self, name: str) -> list[str]:
        """Return the cells of a column."""
        position = self._position(name)
        return [row[position] for row in self.rows]

    def numbers(self, names: Sequence[str]) -> FloatArray:
        """Return the columns of these names, in this order, as numbers.

        Raises
        ------
        InvalidInputError
            When a column is not there or a cell is not a finite number.
        """
        values = np.empty((len(self.rows), len(names)))
        for j, name in enumerate(names):
            values[:, j] = [self._number(cell, i, name) for i, cell in enumerate(self.column(name))]
        return values

    def labels(self, name: str) -> AnyArray:
        """Return a column as labels: integers where every cell is one, otherwise text.

        Examples
        --------
        >>> Table("t.csv", ("a",), [["1"], ["2"]], [2, 3]).labels("a")
        array([1, 2])
        >>> Table("t.csv", ("a",), [["1"], ["02"]], [2, 3]).labels("a")
        array(['1', '02'], dtype='<U2')
        """
        cells = self.column(name)
        if "" in cells:
            raise InvalidInputError(
                f"{self._place(cells.index(''), name)}: the label is empty. "
                "Fill it or drop the row."
            )
        are_integers = all(_is_integer(cell) for cell in cells)
        return np.array([int(cell) for cell in cells] if are_integers else cells)

    def _position(self, name: str) -> int:
        if name not in self.columns:
            similar = difflib.get_close_matches(name, self.columns, n=1)
            hint = f"Did you mean {similar[0]!r}? " if similar else ""
            raise InvalidInputError(
                f"{self.name} has no column {name!r}. {hint}Its columns are: "
                f"{_shortened(', '.join(self.columns))}."
            )
        return self.columns.index(name)

    def _number(self, cell: str, row: int, column: str) -> float:
        try:
            value = float(cell)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            what = "an empty cell" if not cell.strip() else repr(cell)
            raise InvalidInputError(
                f"{self._place(row, column)}: a finite number is needed; {what} was found. "
                "Correct or drop the row, or leave the column out."
            )
        return value

    def _place(self, row: int, column: str) -> str:
        return f"{self.name}, line {self.lines[row]}, column {column!r}"


def read_table(path: str | os.PathLike[str]) -> Table:
    """Read a CSV file: commas, UTF-8, column names in the first line.

    Raises
    ------
    InvalidInputError
        When the file cannot be read or is not a table with at least one row.
    """
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            numbered = list(_numbered_rows(file))
    except OSError as error:
        raise InvalidInputError(
            f"The table {os.fspath(path)!r} cannot be read: {error.strerror or error}. "
            "Check its path and permissions."
        ) from error
    except UnicodeDecodeError as error:
        raise InvalidInputError(
            f"The table {os.fspath(path)!r} must be UTF-8 text; {error}. Save it as UTF-8."
        ) from error
    except csv.Error as error:
        raise InvalidInputError(
            f"The table {os.fspath(path)!r} is not a CSV file: {error}. Save it as CSV."
        ) from error
    return _checked(os.fspath(path), numbered)


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    r"""Return a table as the text of a CSV file.

    Examples
    --------
    >>> csv_text(["a", "b"], [[1, "x,y"]])
    'a,b\n1,"x,y"\n'
    """
    lines = _Lines()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return "".join(lines)


class _Lines(list[str]):
    """A list that a CSV writer can write to."""

    write = list.append


def _numbered_rows(file: Iterator[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that are not blank with the lines on which they end."""
    reader = csv.reader(file, strict=True)
    for row in reader:
        if any("\0" in cell for cell in row):
            raise csv.Error(f"line {reader.line_num} contains a zero byte")
        if row:
            yield reader.line_num, row


def _checked(name: str, numbered: list[tuple[int, list[str]]]) -> Table:
    if len(numbered) < 2:
        raise InvalidInputError(
            f"The table {name!r} must have a line of column names and at least one row; it has "
            f"{len(numbered)} lines with content."
        )
    columns = tuple(cell.strip() for cell in numbered[0][1])
    repeated = {column for column in columns if columns.count(column) > 1}
    if repeated:
        raise InvalidInputError(
            f"The columns of {name!r} must have different names; {min(repeated)!r} is there more "
            "than once. Rename one."
        )
    for line, row in numbered[1:]:
        if len(row) != len(columns):
            raise InvalidInputError(
                f"{name}, line {line}: the row has {len(row)} cells and the table {len(columns)} "
                "columns. Quote cells that contain commas."
            )
    return Table(name, columns, [row for _, row in numbered[1:]], [i for i, _ in numbered[1:]])


def _is_integer(cell: str) -> bool:
    """Tell whether the text is how Python would write an integer of 64 bits: 7, but not 007."""
    digits = cell.removeprefix("-")
    return digits.isascii() and digits.isdigit() and len(digits) < 19 and str(int(cell)) == cell


def _shortened(text: str, width: int = 400) -> str:
    return text if len(text) <= width else f"{text[:width]} ..."
