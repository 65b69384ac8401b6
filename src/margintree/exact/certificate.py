"""Certificates: files with all that is needed to check a lower bound without searching again.

A certificate has the shapes of trees that were looked at, the decisions below each of them, and for
every node that was closed some dual variables from which its bound follows. How the bound follows
is in `margintree.exact.verify`, which uses nothing of the engine that found it.
"""

import hashlib
import io
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from margintree._lib.arrays import AnyArray, FloatArray, IntArray
from margintree._lib.exceptions import InvalidInputError
from margintree._lib.files import write_whole

FORMAT, VERSION = "margintree-certificate", 1
CLOSED = -1
"""In ``events``: a node that is closed. Any other node has its row, the number of its ways on and
these ways, then the events below each of them."""


@dataclass(frozen=True, eq=False)
class Certificate:
    """All that is needed to check a lower bound on the cost of any tree.

    Attributes
    ----------
    bound : float
        The bound.
    problem : str
        The fingerprint of the problem.
    forest : list
        Shapes by nested dicts: ``shape`` is a set of classes, as bits, or a pair of shapes;
        ``start`` is the place of its decisions in ``events``, or ``refined`` the list of the shapes
        that together stand for it.
    events : int ndarray
        Decisions, depth first; see `CLOSED`.
    first_part : int ndarray of shape (n_closed + 1,)
        The first part of the proof of every closed node, in the order of ``events``.
    ups : int ndarray of shape (n_parts,)
        How many decisions above its node each part is stated.
    first_line : int ndarray of shape (n_parts + 1,)
        The first line of every part.
    first_entry : int ndarray of shape (n_lines + 1,)
        The first dual variable of every line.
    splits, rows, duals : ndarray of shape (n_entries,)
        The split, the row and the value of every dual variable that is not 0.
    first_pair : int ndarray of shape (n_parts + 1,)
        The first pair of every part.
    pairs : int ndarray of shape (n_pairs, 2)
        Disjoint pairs of undecided rows.
    """

    bound: float
    problem: str
    forest: list[dict[str, Any]]
    events: IntArray
    first_part: IntArray
    ups: IntArray
    first_line: IntArray
    first_entry: IntArray
    splits: IntArray
    rows: IntArray
    duals: FloatArray
    first_pair: IntArray
    pairs: IntArray

    @property
    def n_closed(self) -> int:
        """The number of closed nodes."""
        return len(self.first_part) - 1

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the certificate to a file, whole or not at all."""
        arrays = {name: getattr(self, name) for name in ARRAYS}
        head = {
            "format": FORMAT,
            "version": VERSION,
            "bound": self.bound,
            "problem": self.problem,
            "forest": self.forest,
        }
        text = json.dumps(head)
        file = io.BytesIO()
        np.savez_compressed(
            file, head=np.array(text), digest=np.array(_digest(text, arrays)), **arrays
        )
        write_whole(path, file.getvalue())

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> "Certificate":
        """Return the certificate in a file.

        Raises
        ------
        InvalidInputError
            When the file is no certificate, or was changed.
        """
        try:
            with np.load(Path(path), allow_pickle=False) as file:
                text, digest = str(file["head"]), str(file["digest"])
                arrays = {name: file[name] for name in ARRAYS}
            head = json.loads(text)
            if (head["format"], head["version"]) != (FORMAT, VERSION):
                raise ValueError(f"no {FORMAT} of version {VERSION}")
            if digest != _digest(text, arrays):
                raise ValueError("its content does not match its digest")
            return cls(float(head["bound"]), head["problem"], head["forest"], **arrays)
        except Exception as error:  # a damaged archive can fail in many ways
            raise InvalidInputError(
                f"A certificate must be a file that 'margintree fit --certificate' wrote; "
                f"{os.fspath(path)!r} was given, but it cannot be used ({_reason(error)}). "
                "Give the file of the fit, or write it again."
            ) from error


def _reason(error: Exception) -> str:
    """Return why a file cannot be read, without advice on how to load it unsafely."""
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return "it is no archive of arrays" if "pickle" in str(error) else f"{error!s:.200}"


ARRAYS = (
    "events",
    "first_part",
    "ups",
    "first_line",
    "first_entry",
    "splits",
    "rows",
    "duals",
    "first_pair",
    "pairs",
)
"""The arrays of a certificate."""


def _digest(text: str, arrays: dict[str, AnyArray]) -> str:
    """Return a digest of the content, so that an accidental change is noticed at once."""
    found = hashlib.sha256(text.encode())
    for name in ARRAYS:
        found.update(f"{name} {arrays[name].dtype} {arrays[name].shape}".encode())
        found.update(np.ascontiguousarray(arrays[name]).tobytes())
    return found.hexdigest()
