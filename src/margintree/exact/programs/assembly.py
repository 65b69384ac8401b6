"""Linear rows written as sums of terms, many at a time, and put together to a sparse matrix."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse

from margintree._lib.arrays import FloatArray, IntArray
from margintree.exact.programs.program import Block

Term: TypeAlias = tuple[Any, IntArray]
"""A coefficient and the positions of variables; both broadcast against the other terms."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Linear rows, each with the same number of (possibly zero) entries.

    Attributes
    ----------
    columns, coefficients : ndarray of shape (n_rows, width)
        The entries.
    lower, upper : ndarray of shape (n_rows,)
        The sides.
    """

    columns: IntArray
    coefficients: FloatArray
    lower: FloatArray
    upper: FloatArray


def rows(terms: Sequence[Term], lower: Any = -np.inf, upper: Any = np.inf) -> Rows:
    """Return the rows ``lower <= sum of terms <= upper``, one per entry of the common shape.

    Examples
    --------
    >>> import numpy as np
    >>> x, y = np.array([0, 1]), np.array([2, 3])
    >>> rows([(1.0, x), ([-1.0, -2.0], y)], upper=0.0).coefficients
    array([[ 1., -1.],
           [ 1., -2.]])
    """
    given = [a for term in terms for a in term] + [lower, upper]
    shape = np.broadcast_shapes(*(np.shape(a) for a in given))
    flat = [np.broadcast_to(a, shape).ravel() for a in given]
    *entries, low, high = flat
    return Rows(
        np.array(entries[1::2], dtype=np.int64).reshape(len(terms), len(low)).T,
        np.array(entries[0::2], dtype=np.float64).reshape(len(terms), len(low)).T,
        low.astype(np.float64),
        high.astype(np.float64),
    )


def total(coefficients: Any, columns: IntArray) -> list[Term]:
    """Return one term for every entry along the first axis: their sum is a sum over that axis."""
    if np.ndim(coefficients) == 0:
        coefficients = np.full(len(columns), coefficients)
    return list(zip(coefficients, columns, strict=True))


def merge(parts: Sequence[Rows]) -> Rows:
    """Return all rows of the parts as one; shorter rows are filled up with zeros."""
    if not parts:
        return rows([], np.empty(0), np.empty(0))
    width = max(part.columns.shape[1] for part in parts)

    def padded(array: Any) -> Any:
        return np.pad(array, ((0, 0), (0, width - array.shape[1])))

    return Rows(
        np.concatenate([padded(part.columns) for part in parts]),
        np.concatenate([padded(part.coefficients) for part in parts]),
        np.concatenate([part.lower for part in parts]),
        np.concatenate([part.upper for part in parts]),
    )


def lay_out(shapes: Mapping[str, tuple[int, ...]]) -> dict[str, Block]:
    """Return blocks of these shapes, one after the other.

    Examples
    --------
    >>> lay_out({"a": (2,), "b": (3, 2)})["b"]
    Block(offset=2, shape=(3, 2))
    """
    blocks: dict[str, Block] = {}
    offset = 0
    for name, shape in shapes.items():
        blocks[name] = Block(offset, shape)
        offset += blocks[name].size
    return blocks


def stack(
    families: Mapping[str, Rows], n_variables: int
) -> tuple[sparse.csr_array, FloatArray, FloatArray, dict[str, slice]]:
    """Return matrix, lower sides, upper sides and the place of every family."""
    places: dict[str, slice] = {}
    start = 0
    for name, part in families.items():
        places[name] = slice(start, start + len(part.lower))
        start += len(part.lower)
    matrix = sparse.vstack([_sparse(part, n_variables) for part in families.values()], "csr")
    lower = np.concatenate([part.lower for part in families.values()])
    upper = np.concatenate([part.upper for part in families.values()])
    return sparse.csr_array(matrix), lower, upper, places


def _sparse(part: Rows, n_variables: int) -> sparse.csr_array:
    used = part.coefficients != 0
    row = np.repeat(np.arange(len(part.lower)), used.sum(axis=1))
    entries = (part.coefficients[used], (row, part.columns[used]))
    return sparse.csr_array(entries, shape=(len(part.lower), n_variables))
