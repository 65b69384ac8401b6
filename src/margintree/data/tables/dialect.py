"""How a CSV file is written: its encoding and the separator of its cells."""

import csv
import io
import re
from itertools import islice

_SAMPLE = 100
"""Rows that are looked at to find the separator."""
_HINT = re.compile(r"sep=([,;|\t])(?=[\r\n])", re.IGNORECASE)
"""The first line with which some programs tell a spreadsheet the separator."""


def decoded(data: bytes) -> tuple[str, str]:
    """Return the text of a file and the name of its encoding.

    A mark at the beginning decides; otherwise it is UTF-8 if it can be, and else Windows-1252,
    which has all letters of Latin-1 where Latin-1 has them.

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
    r"""Return the separator of the cells, and the text with a line that only says so emptied.

    It is the one with which most of the first rows have as many cells as the line of names; of
    several, the one that gives the most cells, and the comma if none gives two.

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
    """Return the share of rows with as many cells as the first, if those are several, and these."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        lengths = [len(row) for row in islice(reader, _SAMPLE) if row]
    except csv.Error:
        return 0.0, 0
    n_columns = lengths[0] if lengths else 0
    if n_columns < 2:
        return 0.0, 0
    return sum(length == n_columns for length in lengths) / len(lengths), n_columns
