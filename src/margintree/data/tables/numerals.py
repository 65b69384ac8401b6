"""Numbers as they are written in other places: decimal commas, and marks between thousands."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from margintree.data.preprocessing.cells import MISSING_WORDS


@dataclass(frozen=True)
class Numerals:
    """A way to write numbers.

    Attributes
    ----------
    decimal, group : str
        What stands before the fraction, and what may stand between thousands.

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
        """Tell whether all the texts are numbers that are written like this."""
        decimal, group = re.escape(self.decimal), re.escape(self.group)
        whole = rf"(\d{{1,3}}({group}\d{{3}})+|\d+)"
        pattern = re.compile(rf"[+-]?{whole}({decimal}\d+)?(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
        return all(pattern.fullmatch(text) for text in texts)

    def plain(self, text: str) -> str:
        """Return the number as programs write it."""
        return text.replace(self.group, "").replace(self.decimal, ".")


POINT, COMMA = Numerals(".", ","), Numerals(",", ".")
_SURELY_DECIMAL = re.compile(r"[+-]?(0,\d+|\d+,(\d{1,2}|\d{4,})|\d{4,},\d+)(e[+-]?\d+)?", re.ASCII)
"""A comma before three digits may stand between thousands; this one does not."""


def plain_numerals(
    columns: Sequence[str], cells: list[list[str]], separator: str
) -> tuple[list[list[str]], str]:
    """Return the cells with all numbers as programs write them, and what was changed, in words.

    In a file that is separated by semicolons, or in which a comma surely stands before a fraction,
    commas are decimal and points stand between thousands; elsewhere it is the other way round. A
    column is changed only if all its cells, but for missing ones, are such numbers.

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
    changed = [_is_changed(numerals, texts) for texts in present]
    plain = [
        [_plain(numerals, cell) for cell in column] if is_changed else column
        for column, is_changed in zip(cells, changed, strict=True)
    ]
    names = [repr(name) for name, is_changed in zip(columns, changed, strict=True) if is_changed]
    return plain, _in_words(numerals, names)


def _has_decimal_commas(present: Sequence[Sequence[str]], separator: str) -> bool:
    """Tell whether the commas in a column of numbers stand before fractions."""
    is_decimal = bool if separator == ";" else _SURELY_DECIMAL.fullmatch
    return any(
        COMMA.are_all(texts) and any("," in text and is_decimal(text) for text in texts)
        for texts in present
    )


def _is_changed(numerals: Numerals, texts: Sequence[str]) -> bool:
    is_marked = any("," in text or numerals.group in text for text in texts)
    return is_marked and numerals.are_all(texts)


def _plain(numerals: Numerals, cell: str) -> str:
    text = cell.strip(" ")
    return cell if text in MISSING_WORDS else numerals.plain(text)


def _in_words(numerals: Numerals, names: list[str]) -> str:
    if not names:
        return ""
    what = "decimal commas" if numerals is COMMA else "commas between thousands"
    shown = ", ".join(names[:10]) + (f" and {len(names) - 10} more" if len(names) > 10 else "")
    return (
        f"its column{'s' * (len(names) > 1)} {shown} {'have' if len(names) > 1 else 'has'} {what}"
    )
