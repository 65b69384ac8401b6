"""Short texts that identify values."""

import hashlib
from dataclasses import fields, is_dataclass
from numbers import Real
from typing import Any

import numpy as np


def fingerprint(*values: Any) -> str:
    """Return a text that is the same for equal values and different for other values.

    The values may be arrays, dataclasses, tuples, strings, numbers or None. All fields of a
    dataclass count, by name, so no field can be forgotten.

    Examples
    --------
    >>> fingerprint("a", np.array([1.0])) == fingerprint("a", np.array([2.0]))
    False
    """
    digest = hashlib.sha256()
    for value in values:
        digest.update(_as_bytes(value))
    return digest.hexdigest()


def _as_bytes(value: Any) -> bytes:
    if is_dataclass(value):
        parts = (f.name.encode() + _as_bytes(getattr(value, f.name)) for f in fields(value))
        return b"{" + b"".join(parts) + b"}"
    if isinstance(value, tuple):
        return b"(" + b"".join(map(_as_bytes, value)) + b")"
    if isinstance(value, np.ndarray) and value.dtype != object:
        return f"{value.shape}".encode() + value.astype("<f8").tobytes()
    if value is None or isinstance(value, str | bool):
        return f"{value!r};".encode()
    if isinstance(value, Real):
        return f"{float(value)!r};".encode()
    raise TypeError(f"A {type(value).__name__} has no fingerprint; give arrays and plain values.")
