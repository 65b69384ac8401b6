"""A mixed-integer cone program as plain arrays, with names for its parts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse

from margintree._lib.arrays import BoolArray, FloatArray, IntArray
from margintree.core.margin import MARGINS, MarginNorm
from margintree.core.problem import Problem
from margintree.core.tree import ObliqueTree


@dataclass(frozen=True)
class Block:
    """A named array of variables: where it starts and which shape it has.

    Examples
    --------
    >>> Block(offset=4, shape=(2, 3)).indices
    array([[4, 5, 6],
           [7, 8, 9]])
    """

    offset: int
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """The number of variables."""
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def indices(self) -> IntArray:
        """The positions of the variables, in the shape of the block."""
        return np.arange(self.offset, self.offset + self.size).reshape(self.shape)


@dataclass(frozen=True, eq=False)
class Cone:
    """The demand that one variable is at least half the (squared) norm of others.

    Attributes
    ----------
    kind : {"squared", "plain"}
        ``"squared"`` means ``x[bound] >= ||x[vector]||**2 / 2``, ``"plain"`` means
        ``x[bound] >= ||x[vector]|| / 2``.
    bound : int
        The position of the bounding variable.
    vector : int ndarray
        The positions of the vector's entries.
    """

    kind: MarginNorm
    bound: int
    vector: IntArray

    def least_bound(self, values: FloatArray) -> float:
        """Return the smallest value of the bounding variable that the vector allows.

        Examples
        --------
        >>> import numpy as np
        >>> cone = Cone("squared", bound=0, vector=np.array([1, 2]))
        >>> float(cone.least_bound(np.array([0.0, 3.0, 4.0])))
        12.5
        """
        norm = float(np.linalg.norm(values[self.vector]))
        return float(MARGINS[self.kind].price(norm))


@dataclass(frozen=True, eq=False)
class Program:
    """Minimise a linear function over rows, bounds, integrality and cones.

    Attributes
    ----------
    objective : ndarray of shape (n_variables,)
        The price of every variable.
    lower, upper : ndarray of shape (n_variables,)
        The bounds of every variable.
    integrality : bool ndarray of shape (n_variables,)
        Which variables must be integers.
    matrix : csr_array of shape (n_rows, n_variables)
        The coefficients of the rows.
    row_lower, row_upper : ndarray of shape (n_rows,)
        The sides of the rows; infinite where there is none.
    cones : tuple of Cone
        The convex, nonlinear part.
    blocks : mapping of str to Block
        The names of the variables.
    families : mapping of str to slice
        The names of the rows.
    tolerance : float
        By how much a solver may violate a row so that decoding its values stays unambiguous.
    traits : frozenset of str
        Names of what was switched on when the program was built; encoding looks at them.
    """

    objective: FloatArray
    lower: FloatArray
    upper: FloatArray
    integrality: BoolArray
    matrix: sparse.csr_array
    row_lower: FloatArray
    row_upper: FloatArray
    cones: tuple[Cone, ...] = ()
    blocks: Mapping[str, Block] = field(default_factory=dict)
    families: Mapping[str, slice] = field(default_factory=dict)
    tolerance: float = 1e-6
    traits: frozenset[str] = frozenset()

    @property
    def n_variables(self) -> int:
        """The number of variables."""
        return len(self.objective)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.row_lower)

    def block(self, name: str) -> IntArray:
        """Return the positions of the variables called ``name``, in their shape."""
        return self.blocks[name].indices

    def evaluate(self, values: FloatArray) -> float:
        """Return what the values cost."""
        return float(self.objective @ values)

    def violation(self, values: FloatArray) -> float:
        """Return by how much the values violate what is violated most; 0 when nothing is."""
        return max(self.violations(values).values(), default=0.0)

    def violations(self, values: FloatArray) -> dict[str, float]:
        """Return the largest violation of rows, of every family, bounds, integrality and cones."""
        rows = self.matrix @ values
        excess = np.maximum(self.row_lower - rows, rows - self.row_upper)
        worst = {name: _largest(excess[rows]) for name, rows in self.families.items()}
        worst["rows"] = _largest(excess)
        worst["bounds"] = _largest(np.maximum(self.lower - values, values - self.upper))
        whole = values[self.integrality]
        worst["integrality"] = _largest(np.abs(whole - np.round(whole)))
        lacks = [cone.least_bound(values) - values[cone.bound] for cone in self.cones]
        worst["cones"] = _largest(np.array(lacks))
        return worst


def _largest(excess: FloatArray) -> float:
    return max(0.0, float(excess.max(initial=0.0)))


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


@dataclass(frozen=True)
class Formulation:
    """A mixed-integer model of trees: from a problem to a program, and between trees and values.

    Attributes
    ----------
    build : callable
        Returns the program of a problem, given the cost of a known tree. Dearer trees may be cut
        off.
    encode : callable
        Returns the values of the program's variables that stand for a tree.
    decode : callable
        Returns the tree that values stand for, or one that costs less.
    n_entries : callable
        Returns about how many entries the matrix of a problem's program has.
    grows_tighter : bool
        Whether a program that is built for a cheaper tree is easier to solve.
    """

    build: Callable[[Problem, float], Program]
    encode: Callable[[Problem, Program, ObliqueTree], FloatArray]
    decode: Callable[[Problem, Program, FloatArray], ObliqueTree]
    n_entries: Callable[[Problem], int]
    grows_tighter: bool = False
