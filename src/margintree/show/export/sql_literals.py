"""Names, numbers and texts as SQL writes them."""

from margintree._lib.exceptions import InvalidInputError
from margintree.show.export.predictor import Label


def number(value: float) -> str:
    """Return the number with an exponent, which makes it a float and not a decimal.

    Examples
    --------
    >>> number(0.5), number(1e300)
    ('0.5e0', '1e+300')
    """
    text = repr(float(value))
    return text if "e" in text else f"{text}e0"


def literal(label: Label) -> str:
    """Return a label.

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
    """Return the name of a column or a table.

    Examples
    --------
    >>> identifier("height")
    '"height"'
    """
    return _quoted(name, '"')


def _quoted(text: str, mark: str) -> str:
    """Return the text between marks, those within it doubled."""
    if "\0" in text:
        raise InvalidInputError(
            f"Names and labels must not contain the zero character to be written in SQL; {text!r} "
            "does. Rename it."
        )
    return mark + text.replace(mark, 2 * mark) + mark
