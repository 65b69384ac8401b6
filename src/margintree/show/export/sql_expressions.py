"""SQL expressions: literals, quoted names, and the cells of a table."""

from collections.abc import Iterator, Sequence

from margintree._lib.exceptions import InvalidInputError
from margintree.data.preprocessing import (
    BooleanColumn,
    CategoryColumn,
    Column,
    Encoding,
    NumberColumn,
)
from margintree.data.preprocessing.cells import MISSING_WORDS, is_whole
from margintree.data.preprocessing.encoding import TRUE_WORDS
from margintree.show.export.predictor import Label


def number(value: float) -> str:
    """Return the number with an exponent, so that SQL takes it for a float, not a decimal.

    Examples
    --------
    >>> number(0.5), number(1e300)
    ('0.5e0', '1e+300')
    """
    text = repr(float(value))
    return text if "e" in text else f"{text}e0"


def literal(label: Label) -> str:
    """Return a label as a literal.

    Examples
    --------
    >>> literal("it's"), literal(7), literal(True)
    ("'it''s'", '7', 'TRUE')
    """
    if isinstance(label, str):
        return _quoted(label, "'")
    if isinstance(label, float):
        return number(label)
    return str(label).upper()


def identifier(name: str) -> str:
    """Return the name of a column or a table as a quoted identifier.

    Examples
    --------
    >>> identifier("height")
    '"height"'
    """
    return _quoted(name, '"')


def _quoted(text: str, mark: str) -> str:
    """Return the text between quotation marks; marks inside it are doubled."""
    if "\0" in text:
        raise InvalidInputError(
            f"Names and labels in SQL must not contain the zero character; {text!r} does. Rename "
            "it."
        )
    return mark + text.replace(mark, 2 * mark) + mark


def feature_values(encoding: Encoding | None, columns: Sequence[str]) -> list[str]:
    """Return every feature as an expression of the columns, which are given as identifiers.

    Examples
    --------
    >>> feature_values(None, ['"height"'])
    ['CAST("height" AS DOUBLE PRECISION)']
    """
    if encoding is None:
        return [_double(column) for column in columns]
    pairs = zip(encoding.columns, columns, strict=True)
    return [value for column, place in pairs for value in _values(column, place)]


def _values(column: Column, place: str) -> Iterator[str]:
    """Yield the features of a column in their order."""
    match column:
        case BooleanColumn():
            is_true = _says(place, TRUE_WORDS, in_any_case=True)
            yield _case(
                (_is_missing(place), number(column.fill)), (is_true, number(1)), other=number(0)
            )
        case NumberColumn():
            yield _case((_is_missing(place), number(column.fill)), other=_double(place))
        case CategoryColumn():
            for level in column.shown_levels:
                yield _indicator(_says(place, [level]))
            if column.groups_others:
                yield _indicator(f"NOT {_says(place, [*MISSING_WORDS, *column.levels])}")
    if column.marks_missing:
        yield _indicator(_is_missing(place))


def _is_missing(place: str) -> str:
    return _says(place, MISSING_WORDS)


def _says(place: str, words: Sequence[str], *, in_any_case: bool = False) -> str:
    """Return whether a cell is one of the words; a whole number may end in ``.0``."""
    spellings = [[word, f"{word}.0"] if is_whole(word) else [word] for word in words]
    texts = ", ".join(literal(text) for both in spellings for text in both)
    text = f"TRIM(COALESCE(CAST({place} AS VARCHAR), ''))"
    return f"{f'LOWER({text})' if in_any_case else text} IN ({texts})"


def _double(place: str) -> str:
    return f"CAST({place} AS DOUBLE PRECISION)"


def _indicator(condition: str) -> str:
    return _case((condition, number(1)), other=number(0))


def _case(*cases: tuple[str, str], other: str) -> str:
    tests = " ".join(f"WHEN {condition} THEN {value}" for condition, value in cases)
    return f"CASE {tests} ELSE {other} END"
