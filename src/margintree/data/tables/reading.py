"""Files become tables; whatever is unusual about how they are written is found out and said."""

import csv
import io
import os
from collections import Counter
from pathlib import Path

from margintree._lib.exceptions import InvalidInputError
from margintree._lib.extras import imported
from margintree.data.tables.dialect import decoded, separator_of
from margintree.data.tables.numerals import plain_numerals
from margintree.data.tables.table import Table

_SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "vertical bars"}
"""What is said of separators other than the comma."""
_KINDS = {
    b"PK\x03\x04": "an Excel workbook or another archive. Save its sheet as CSV",
    b"\xd0\xcf\x11\xe0": "an Excel workbook of an old kind. Save its sheet as CSV",
    b"\x1f\x8b": "compressed. Unpack it first",
}
"""Files that are no tables, by how they begin, and what to do about them."""


def read_table(path: str | os.PathLike[str]) -> Table:
    """Read a table from a CSV or Parquet file.

    A CSV file has column names in its first line. Its cells may be separated by commas, semicolons,
    tabs or vertical bars, its numbers may have decimal commas or be grouped by thousands, and its
    text may be UTF-8, UTF-16 or Windows-1252. Rows without any content are skipped.

    Parameters
    ----------
    path : path-like
        The file.

    Raises
    ------
    InvalidInputError
        When the file cannot be read or is not a table with at least one row.
    MissingPackageError
        When it is a Parquet file and the package ``pyarrow`` is not installed.
    """
    name = os.fspath(path)
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise InvalidInputError(
            f"The table {name!r} cannot be read: {error.strerror or error}. "
            "Check its path and permissions."
        ) from error
    if data.startswith(b"PAR1"):
        return _parquet_table(name, data)
    for beginning, kind in _KINDS.items():
        if data.startswith(beginning):
            raise InvalidInputError(f"The table {name!r} must be CSV or Parquet; it is {kind}.")
    return _csv_table(name, data)


def _parquet_table(name: str, data: bytes) -> Table:
    parquet = imported("pyarrow.parquet", extra="parquet")
    try:
        content = parquet.read_table(io.BytesIO(data)).to_pydict()
    except (OSError, ValueError) as error:
        raise InvalidInputError(
            f"The table {name!r} is a damaged Parquet file: {error}. Write it again."
        ) from error
    table = Table(name, tuple(content), list(content.values()))
    if not content or not len(table):
        raise InvalidInputError(f"The table {name!r} must have at least one column and one row.")
    return table


def _csv_table(name: str, data: bytes) -> Table:
    text, encoding = decoded(data)
    try:
        separator, text = separator_of(text)
        numbered = _numbered_rows(text, separator)
    except csv.Error as error:
        raise InvalidInputError(
            f"The table {name!r} is not a CSV file: {error}. Save it as CSV."
        ) from error
    columns, rows = _checked(name, numbered)
    cells = [list(column) for column in zip(*rows, strict=True)]
    cells, numerals = plain_numerals(columns, cells, separator)
    notes = [
        f"its text is {encoding}" if encoding != "UTF-8" else "",
        f"its cells are separated by {_SEPARATORS[separator]}" if separator != "," else "",
        numerals,
    ]
    lines = [line for line, _ in numbered[1:]]
    return Table(name, columns, cells, lines, tuple(filter(None, notes)))


def _numbered_rows(text: str, separator: str) -> list[tuple[int, list[str]]]:
    """Return the rows that have any content with the lines on which they end."""
    if "\0" in text:
        raise csv.Error("it contains a zero byte")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    return [(reader.line_num, row) for row in reader if any(map(str.strip, row))]


def _checked(
    name: str, numbered: list[tuple[int, list[str]]]
) -> tuple[tuple[str, ...], list[list[str]]]:
    """Return the names of the columns, all different, and rows of as many cells."""
    if len(numbered) < 2:
        raise InvalidInputError(
            f"The table {name!r} must have a line of column names and at least one row; it has "
            f"{len(numbered)} lines with content."
        )
    header = (cell.strip() for cell in numbered[0][1])
    columns = tuple(cell or f"column {j + 1}" for j, cell in enumerate(header))
    repeated = [column for column, count in Counter(columns).items() if count > 1]
    if repeated:
        raise InvalidInputError(
            f"The columns of {name!r} must have different names; {repeated[0]!r} is there more "
            "than once. Rename one."
        )
    for line, row in numbered[1:]:
        if len(row) != len(columns):
            raise InvalidInputError(
                f"{name}, line {line}: the row has {len(row)} cells and the table {len(columns)} "
                "columns. Put cells that contain the separator between quotes."
            )
    return columns, [row for _, row in numbered[1:]]
