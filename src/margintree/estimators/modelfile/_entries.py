"""Readers of single entries. Each takes a value and its place in the file, and checks it."""

import math
import sys
from collections.abc import Callable, Collection, Mapping
from typing import Any, NoReturn, TypeAlias

from margintree._lib.exceptions import ModelFileError
from margintree.data.label_types import is_unicode

Reader: TypeAlias = Callable[[Any, str], Any]


def fail(message: str, cause: BaseException | None = None) -> NoReturn:
    """Raise a ModelFileError."""
    raise ModelFileError(message) from cause


def reject_constant(name: str) -> NoReturn:
    """Reject NaN and Infinity, which JSON does not have but Python reads."""
    raise ValueError(f"the number {name} is not allowed")


def record(
    data: Mapping[str, Any], readers: Mapping[str, Reader], where: str = ""
) -> dict[str, Any]:
    """Return the entries named by the readers; each must be present.

    Examples
    --------
    >>> record({"a": 1, "b": "x"}, {"a": number})
    {'a': 1.0}
    >>> record({}, {"a": number}, "result")
    Traceback (most recent call last):
    margintree.ModelFileError: the entry result.a is missing.
    """
    entries = {}
    for name, read in readers.items():
        place = f"{where}.{name}" if where else name
        if name not in data:
            fail(f"the entry {place} is missing.")
        entries[name] = read(data[name], place)
    return entries


def number(value: Any, where: str) -> float:
    """Read a number; the texts "inf" and "-inf" stand for the infinities."""
    if value not in ("inf", "-inf"):
        is_number = type(value) in (int, float) and abs(value) <= sys.float_info.max
        _check(is_number, value, where, "a number")
    return float(value)


def finite(value: Any, where: str) -> float:
    """Read a finite number."""
    _check(math.isfinite(number(value, where)), value, where, "a finite number")
    return float(value)


def truth(value: Any, where: str) -> bool:
    """Read true or false."""
    _check(isinstance(value, bool), value, where, "true or false")
    return bool(value)


def natural(value: Any, where: str) -> int:
    """Read an integer of at least 0."""
    _check(type(value) is int and value >= 0, value, where, "an integer of at least 0")
    return int(value)


def text(value: Any, where: str) -> str:
    """Read a text that can be written again."""
    _check(isinstance(value, str) and is_unicode(value), value, where, "a text in Unicode")
    return str(value)


def mapping(value: Any, where: str) -> Mapping[str, Any]:
    """Read a JSON object."""
    _check(isinstance(value, dict), value, where, "an object")
    checked: Mapping[str, Any] = value
    return checked


def one_of(allowed: Collection[str]) -> Reader:
    """Return the reader of one of these texts."""

    def read(value: Any, where: str) -> str:
        known = list(allowed)  # not earlier, since users may add to it
        is_known = isinstance(value, str) and value in known
        _check(is_known, value, where, " or ".join(map(repr, known)))
        return str(value)

    return read


def optional(reader: Reader) -> Reader:
    """Return the reader that also takes null."""
    return lambda value, where: None if value is None else reader(value, where)


def some(value: Any, where: str) -> list[Any]:
    """Read a list of any entries."""
    _check(isinstance(value, list), value, where, "a list")
    checked: list[Any] = value
    return checked


def list_of(reader: Reader) -> Reader:
    """Return the reader of a list whose entries this reader takes."""

    def read(value: Any, where: str) -> list[Any]:
        return [reader(entry, f"{where}[{i}]") for i, entry in enumerate(some(value, where))]

    return read


def _check(is_right: bool, value: Any, where: str, needed: str) -> None:
    if not is_right:
        fail(f"the entry {where} must be {needed}; it is {value!r:.60}.")
