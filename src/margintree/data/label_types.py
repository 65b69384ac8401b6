"""The labels and names that files can hold."""

from collections.abc import Iterable, Sequence
from typing import Any

from margintree._lib.exceptions import InvalidInputError

LABEL_TYPES: dict[str, type] = {"str": str, "int": int, "float": float, "bool": bool}
"""The types of labels by their names in model files."""


def label_type(labels: Sequence[Any]) -> str:
    """Return the name of the labels' type, which must be one and the same for all.

    Examples
    --------
    >>> label_type(["a", "b"])
    'str'
    """
    for name, kind in LABEL_TYPES.items():
        if all(type(label) is kind for label in labels):
            check_text(map(str, labels))
            return name
    raise InvalidInputError(
        "Labels can be written when all are text, all integers, all floats or all booleans; they "
        f"are {list(labels[:5])!r}. Fit with labels of one of these types."
    )


def check_text(names: Iterable[str]) -> None:
    """Raise InvalidInputError unless every name can be written in UTF-8."""
    for name in names:
        if not is_unicode(name):
            raise InvalidInputError(
                f"Names and labels must be text in Unicode to be written; {name!r} has half of a "
                "surrogate pair in it. Rename it."
            )


def is_unicode(text: str) -> bool:
    r"""Tell whether a text can be written in UTF-8, which half of a surrogate pair prevents.

    Examples
    --------
    >>> is_unicode("größe"), is_unicode("half \ud83c")
    (True, False)
    """
    return not any("\ud800" <= letter <= "\udfff" for letter in text)
