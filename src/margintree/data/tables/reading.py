"""Reading tables from files of many formats; a note reports every unusual format."""

import csv
import io
import os
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from margintree._lib.exceptions import InvalidInputError
from margintree._lib.extras import imported
from margintree.data.preprocessing.cells import MISSING_WORDS
from margintree.data.tables.quantities import with_dates, without_units
from margintree.data.tables.table import Table


@dataclass(frozen=True)
class Numerals:
    """A way to write numbers: a mark before the fraction, and one that may separate thousands.

    Examples
    --------
    >>> COMMA.are_all(["1.234,5", "7"]), COMMA.plain("1.234,5")
    (True, '1234.5')
    >>> COMMA.are_all(["1.5"])
    False
    """

    decimal: str
    group: str

    def are_all(self, texts: Sequence[str]) -> bool:
        """Tell whether all the texts are numbers in this notation."""
        decimal, group = re.escape(self.decimal), re.escape(self.group)
        whole = rf"(\d{{1,3}}({group}\d{{3}})+|\d+)"
        mantissa = rf"({whole}({decimal}\d+)?|{decimal}\d+)"
        pattern = re.compile(rf"[+-]?{mantissa}(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
        return all(pattern.fullmatch(text) for text in texts)

    def plain(self, text: str) -> str:
        """Return the number with a decimal point and no other mark."""
        return text.replace(self.group, "").replace(self.decimal, ".")


POINT, COMMA = Numerals(".", ","), Numerals(",", ".")
_SURELY_DECIMAL = re.compile(
    r"[+-]?(0?,\d+|\d+,(\d{1,2}|\d{4,})|\d{4,},\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE
)
"""Numbers whose comma is surely decimal. Before three digits it may separate thousands."""


def plain_numerals(
    columns: Sequence[str], cells: list[list[str]], separator: str
) -> tuple[list[list[str]], str]:
    """Return the cells with decimal points and no other marks in numbers, and a note in words.

    Commas are decimal and points separate thousands in a file that semicolons separate, or in which
    a comma is surely decimal. Otherwise it is the other way round. A column is changed only if all
    its cells, except missing ones, are such numbers.

    Examples
    --------
    >>> plain_numerals(["a", "b"], [["1,5", "NA"], ["x", "y,5"]], ";")
    ([['1.5', 'NA'], ['x', 'y,5']], "its column 'a' has decimal commas")
    """
    present = [
        [text for cell in column if (text := cell.strip(" ")) not in MISSING_WORDS]
        for column in cells
    ]
    numerals = COMMA if _has_decimal_commas(present, separator) else POINT
    plain, names = [], []
    for name, column, texts in zip(columns, cells, present, strict=True):
        is_marked = any("," in text or numerals.group in text for text in texts)
        is_changed = is_marked and numerals.are_all(texts)
        plain.append([_plain(numerals, cell) for cell in column] if is_changed else column)
        names += [repr(name)] if is_changed else []
    return plain, _in_words(numerals, names)


def _has_decimal_commas(present: Sequence[Sequence[str]], separator: str) -> bool:
    """Tell whether commas in columns of numbers are decimal."""
    is_decimal = bool if separator == ";" else _SURELY_DECIMAL.fullmatch
    return any(
        COMMA.are_all(texts) and any("," in text and is_decimal(text) for text in texts)
        for texts in present
    )


def _plain(numerals: Numerals, cell: str) -> str:
    text = cell.strip(" ")
    return cell if text in MISSING_WORDS else numerals.plain(text)


def _in_words(numerals: Numerals, names: list[str]) -> str:
    if not names:
        return ""
    marks = "decimal commas" if numerals is COMMA else "commas between thousands"
    shown = ", ".join(names[:10]) + (f" and {len(names) - 10} more" if len(names) > 10 else "")
    noun, verb = ("columns", "have") if len(names) > 1 else ("column", "has")
    return f"its {noun} {shown} {verb} {marks}"


_SAMPLE = 100
"""Number of rows that decide on the separator."""
_HINT = re.compile(r"sep=([,;|\t])(?=[\r\n])", re.IGNORECASE)
"""A first line in which some programs name the separator for spreadsheets."""


def decoded(data: bytes) -> tuple[str, str]:
    """Return the text of a file and the name of its encoding.

    A byte order mark decides. Without one it is UTF-8 if the bytes are valid UTF-8, and otherwise
    Windows-1252, which includes all letters of Latin-1.

    Examples
    --------
    >>> decoded("größe".encode()), decoded("größe".encode("latin-1"))
    (('größe', 'UTF-8'), ('größe', 'Windows-1252'))
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", errors="replace"), "UTF-16"
    try:
        return data.decode("utf-8-sig"), "UTF-8"
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace"), "Windows-1252"


def separator_of(text: str) -> tuple[str, str]:
    r"""Return the separator of the cells, and the text; a line that names the separator is emptied.

    With the right separator most of the first rows have as many cells as the line of names. If
    several are right, the one with the most cells is taken, and the comma if none gives two cells.

    Examples
    --------
    >>> separator_of("a;b\n1,5;2\n")
    (';', 'a;b\n1,5;2\n')
    """
    hint = _HINT.match(text)
    if hint:
        return hint[1], text[hint.end() :]  # An empty line, so that lines keep their numbers.
    return max((",", ";", "\t", "|"), key=lambda candidate: _score(text, candidate)), text


def _score(text: str, separator: str) -> tuple[float, int]:
    """Return the share of rows as long as the first, and that length if it is above 1."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        lengths = [len(row) for row in islice(reader, _SAMPLE) if row]
    except csv.Error:
        return 0.0, 0
    n_columns = lengths[0] if lengths else 0
    if n_columns < 2:
        return 0.0, 0
    return sum(length == n_columns for length in lengths) / len(lengths), n_columns


_SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "vertical bars"}
"""The names of separators other than the comma."""
_KINDS = {
    b"PK\x03\x04": "an Excel workbook or another archive. Save its sheet as CSV",
    b"\xd0\xcf\x11\xe0": "an Excel workbook of an old kind. Save its sheet as CSV",
    b"\x1f\x8b": "compressed. Unpack it first",
}
"""The first bytes of files that are not tables, and what to do about such files."""


def read_table(path: str | os.PathLike[str]) -> Table:
    """Read a table from a CSV or Parquet file.

    A CSV file has column names in its first line. Commas, semicolons, tabs or vertical bars may
    separate its cells, its numbers may have decimal commas or marks between thousands, and its text
    may be UTF-8, UTF-16 or Windows-1252. Empty rows are skipped. Percent signs and currencies are
    left out, and dates become numbers, in both kinds of file; the notes of the table say so.

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
            "It must be an existing file that you may read. Check its path and permissions."
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
    columns, cells, notes = with_dates(tuple(content), list(content.values()))
    table = Table(name, columns, cells, notes=tuple(notes))
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
    cells, units = without_units(columns, cells)
    cells, numerals = plain_numerals(columns, cells, separator)
    columns, cells, dates = with_dates(columns, cells)
    notes = [
        f"its text is {encoding}" if encoding != "UTF-8" else "",
        f"its cells are separated by {_SEPARATORS[separator]}" if separator != "," else "",
        numerals,
        *units,
        *dates,
    ]
    lines = [line for line, _ in numbered[1:]]
    return Table(name, columns, cells, lines, tuple(filter(None, notes)))


def _numbered_rows(text: str, separator: str) -> list[tuple[int, list[str]]]:
    """Return the rows that are not empty, each with the number of its last line."""
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
            f"{len(numbered)} lines with content. Add rows."
        )
    header = (cell.strip() for cell in numbered[0][1])
    columns = tuple(cell or f"column {j + 1}" for j, cell in enumerate(header))
    repeated = [column for column, count in Counter(columns).items() if count > 1]
    if repeated:
        raise InvalidInputError(
            f"The columns of {name!r} must have different names; {repeated[0]!r} appears more than "
            "once. Rename one."
        )
    for line, row in numbered[1:]:
        if len(row) != len(columns):
            raise InvalidInputError(
                f"{name}, line {line}: the row has {len(row)} cells and the table {len(columns)} "
                "columns. Put cells that contain the separator between quotes."
            )
    return columns, [row for _, row in numbered[1:]]
