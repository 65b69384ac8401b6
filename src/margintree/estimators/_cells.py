"""Which cell of a table a classifier of numbers cannot take."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from margintree._lib.exceptions import InvalidInputError
from margintree.data.preprocessing.cells import Cells, cells_of


@contextmanager
def errors_naming_the_column(X: Any) -> Iterator[None]:
    """Let an error about the rows say which column it is about, and what takes such columns.

    Examples
    --------
    >>> with errors_naming_the_column([[1.0, "red"]]):
    ...     raise ValueError("could not convert string to float: 'red'")
    Traceback (most recent call last):
    margintree.InvalidInputError: could not convert string to float: 'red'. The column 'x1' holds
    'red' in row 1, and finite numbers are needed. Convert it to numbers, or use
    margintree.make_table_classifier, which takes text and missing cells as they are.
    """
    try:
        yield
    except (TypeError, ValueError) as error:
        place = _first_odd_cell(X)
        # Cells of another kind altogether stay a TypeError, but the NA of pandas is a missing one.
        if place is None or (isinstance(error, TypeError) and "NAType" not in str(error)):
            raise
        raise InvalidInputError(
            f"{_first_line(error)} {place}, and finite numbers are needed. Convert it to numbers, "
            "or use margintree.make_table_classifier, which takes text and missing cells as they "
            "are."
        ) from error


def _first_line(error: Exception) -> str:
    """Return what scikit-learn says is wrong, but not its advice."""
    return str(error).split("\n")[0].rstrip(".") + "."


def _first_odd_cell(X: Any) -> str | None:
    """Return in words where the first cell is that is no finite number, if there is one."""
    try:
        columns = cells_of(X)
    except Exception:  # Whatever X is, the error that is being explained is the one to raise.
        return None
    odd = (_odd_cell(cells) for cells in columns)
    return next((words for words in odd if words is not None), None)


def _odd_cell(cells: Cells) -> str | None:
    for row, cell in enumerate(cells.values.tolist()):
        if not _is_finite(cell):
            return f"The column {cells.name!r} holds {cell!r:.60} in {cells.place(row)}"
    return None


def _is_finite(cell: Any) -> bool:
    try:
        return not isinstance(cell, complex) and math.isfinite(float(cell))
    except (TypeError, ValueError, OverflowError):
        return False
