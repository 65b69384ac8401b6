"""The labels that can be written down and read back."""

from collections.abc import Sequence
from typing import Any

from margintree.exceptions import InvalidInputError

LABEL_TYPES: dict[str, type] = {"str": str, "int": int, "float": float, "bool": bool}
"""The types by name, as model files call them."""


def label_type(labels: Sequence[Any]) -> str:
    """Return the name of the type that all the labels have.

    Raises
    ------
    InvalidInputError
        When they are of several types, or of another one.

    Examples
    --------
    >>> label_type(["a", "b"])
    'str'
    """
    for name, kind in LABEL_TYPES.items():
        if all(type(label) is kind for label in labels):
            return name
    raise InvalidInputError(
        "Labels can be written when all are text, all integers, all numbers or all booleans; "
        f"they are {list(labels[:5])!r}. Fit with labels of one of these types."
    )
