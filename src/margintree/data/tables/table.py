"""A table: named columns of cells, numbers and labels on demand."""

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from margintree._lib.arrays import AnyArray, FloatArray
from margintree._lib.exceptions import InvalidInputError
from margintree._lib.suggestion import did_you_mean
from margintree.data.preprocessing.cells import Cells, object_array, shortened
from margintree.data.tables.quantities import absent_part


@dataclass(frozen=True)
class Table:
    """Named columns of cells, texts or values of Parquet; `TableEncoder` takes it like a frame."""

    name: str  # the origin of the table, for messages
    columns: tuple[str, ...]  # all different
    cells: list[list[Any]]
    lines: list[int] | None = None  # the last line of each row in the file, for messages
    notes: tuple[str, ...] = ()  # unusual features of the file's format, in words

    def __len__(self) -> int:
        return len(self.cells[0])

    @cached_property
    def _by_name(self) -> dict[str, list[Any]]:
        return dict(zip(self.columns, self.cells, strict=True))

    def __getitem__(self, name: str) -> list[Any]:
        if name not in self._by_name:
            raise InvalidInputError(
                f"{self.name} has no column {name!r}. {did_you_mean(name, self.columns)}Its "
                f"columns are: {shortened(', '.join(self.columns))}. Name one of these."
            )
        return self._by_name[name]

    def without(self, name: str) -> "Table":
        """Return the table without one of its columns."""
        kept = [other for other in self.columns if other != name]
        return replace(self, columns=tuple(kept), cells=[self[other] for other in kept])

    def with_parts_of_dates(self, names: Iterable[str]) -> "Table":
        """Return the table with the columns of these names that follow from its dates."""
        absent = {name: absent_part(self._by_name, name) for name in names}
        new = {n: c for n, c in absent.items() if c is not None and n not in self._by_name}
        return replace(self, columns=(*self.columns, *new), cells=[*self.cells, *new.values()])

    def numbers(self, names: Sequence[str]) -> FloatArray:
        """Return the columns of these names, in this order; every cell must be a finite number."""
        values = np.empty((len(self), len(names)))
        for j, name in enumerate(names):
            column = self._cells(name)
            values[:, j] = column.numbers()
            missing = np.flatnonzero(np.isnan(values[:, j]))
            if len(missing):
                column.refuse(missing[0], "a number is needed", "Correct it or drop the row.")
        return values

    def labels(self, name: str) -> AnyArray:
        """Return a column as labels: integers if every cell is an integer, otherwise text.

        Labels from a Parquet file that are not text keep their type.

        Examples
        --------
        >>> Table("t.csv", ("a",), [["1", "2"]]).labels("a")
        array([1, 2])
        >>> Table("t.csv", ("a",), [["1", "02"]]).labels("a")
        array(['1', '02'], dtype='<U2')
        """
        column = self._cells(name)
        labels = column.values.tolist()
        for row, label in enumerate(labels):
            if label is None or label != label or not str(label).strip():
                column.refuse(row, "a label is needed", "Fill it in or drop the row.")
        if not all(isinstance(label, str) for label in labels):
            return np.array(labels)
        labels = [label.strip(" ") for label in labels]
        are_integers = all(map(_is_integer, labels))
        return np.array([int(label) for label in labels] if are_integers else labels)

    def all_cells(self) -> list[Cells]:
        """Return the cells of every column, with the file and the lines for messages."""
        return [self._cells(name) for name in self.columns]

    def _cells(self, name: str) -> Cells:
        return Cells(name, object_array(self[name]), self.lines, table=self.name)


def _is_integer(cell: str) -> bool:
    """Tell whether Python would write a 64-bit integer as this text: 7, but not 007."""
    digits = cell.removeprefix("-")
    return digits.isascii() and digits.isdigit() and len(digits) < 19 and str(int(cell)) == cell


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    r"""Return a table as the text of a CSV file.

    Examples
    --------
    >>> csv_text(["a", "b"], [[1, "x,y"]])
    'a,b\n1,"x,y"\n'
    """
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return file.getvalue()
