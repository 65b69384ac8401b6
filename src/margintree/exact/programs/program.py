"""A mixed-integer cone program as plain arrays, with names for its parts."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse

from margintree._lib.arrays import BoolArray, FloatArray, IntArray
from margintree.core.margin import MARGINS, MarginTerm
from margintree.core.problem import Problem
from margintree.core.tree import ObliqueTree


@dataclass(frozen=True)
class Block:
    """An array of variables: its first position and its shape.

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
    """A lower bound on one variable: half the (squared) Euclidean norm of a vector of others.

    The kind ``"squared"`` means ``x[bound] >= ||x[vector]||**2 / 2``, ``"plain"`` means
    ``x[bound] >= ||x[vector]|| / 2``. ``bound`` and ``vector`` are positions of variables.
    """

    kind: MarginTerm
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
        return float(MARGINS[self.kind].price(float(np.linalg.norm(values[self.vector]))))


@dataclass(frozen=True, eq=False)
class Program:
    """A linear objective to minimise, subject to bounds, integrality, linear rows and cones.

    Attributes
    ----------
    objective, lower, upper : ndarray of shape (n_variables,)
        The price and the bounds of every variable.
    integrality : bool ndarray of shape (n_variables,)
        Which variables must be integers.
    matrix : csr_array of shape (n_rows, n_variables)
        The coefficients of the rows.
    row_lower, row_upper : ndarray of shape (n_rows,)
        The sides of the rows; infinite where there is none.
    cones : tuple of Cone
        The convex, nonlinear part.
    blocks, families : mapping of str to Block, mapping of str to slice
        The variables and the rows by name.
    tolerance : float
        Maximum violation of a row at which values can still be decoded without ambiguity.
    traits : frozenset of str
        Names of the parts that were switched on; encoding reads them.
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
        """Return the positions of the variables with this name, in the shape of their block."""
        return self.blocks[name].indices

    def filled(self, parts: Mapping[str, Any]) -> FloatArray:
        """Return values of all variables: those of blocks by name, and 0 elsewhere."""
        values = np.zeros(self.n_variables)
        for name, part in parts.items():
            values[self.block(name)] = part
        return values

    def evaluate(self, values: FloatArray) -> float:
        """Return the objective at these values."""
        return float(self.objective @ values)

    def violation(self, values: FloatArray) -> float:
        """Return the largest violation; 0 if the values are feasible."""
        return max(self.violations(values).values(), default=0.0)

    def violations(self, values: FloatArray) -> dict[str, float]:
        """Return the largest violation of each family, all rows, bounds, integrality and cones."""
        rows = self.matrix @ values
        excess = np.maximum(self.row_lower - rows, rows - self.row_upper)
        worst = {name: _largest(excess[rows]) for name, rows in self.families.items()}
        worst["rows"] = _largest(excess)
        worst["bounds"] = _largest(np.maximum(self.lower - values, values - self.upper))
        whole = values[self.integrality]
        worst["integrality"] = _largest(np.abs(whole - np.round(whole)))
        gaps = [cone.least_bound(values) - values[cone.bound] for cone in self.cones]
        worst["cones"] = _largest(np.array(gaps))
        return worst


def _largest(excess: FloatArray) -> float:
    return max(0.0, float(excess.max(initial=0.0)))


Term: TypeAlias = tuple[Any, IntArray]
"""A coefficient and the positions of variables; both broadcast against the other terms."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Linear rows with the same number of (possibly zero) entries each, and their two sides."""

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
    *entries, low, high = (np.broadcast_to(a, shape).ravel() for a in given)
    return Rows(
        np.array(entries[1::2], dtype=np.int64).reshape(len(terms), len(low)).T,
        np.array(entries[0::2], dtype=np.float64).reshape(len(terms), len(low)).T,
        low.astype(np.float64),
        high.astype(np.float64),
    )


def total(coefficients: Any, columns: IntArray) -> list[Term]:
    """Return the terms of a sum over the first axis, one per entry of this axis."""
    if np.ndim(coefficients) == 0:
        coefficients = np.full(len(columns), coefficients)
    return list(zip(coefficients, columns, strict=True))


def merge(parts: Sequence[Rows]) -> Rows:
    """Return all parts as one; shorter rows are padded with zeros."""
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


def assemble(
    blocks: Mapping[str, Block],
    families: Mapping[str, Rows],
    prices: Mapping[str, Any],
    domains: Mapping[str, tuple[Any, Any]],
    integers: Collection[str],
    **parts: Any,
) -> Program:
    """Return a program from the rows, prices, domains and integrality of named variables.

    A variable without a price costs nothing, and one without a domain lies between 0 and 1.
    """
    n_variables = sum(block.size for block in blocks.values())
    objective, lower, upper = np.zeros(n_variables), np.zeros(n_variables), np.ones(n_variables)
    integrality = np.zeros(n_variables, dtype=bool)
    for name, block in blocks.items():
        objective[block.indices] = prices.get(name, 0.0)
        lower[block.indices], upper[block.indices] = domains.get(name, (0.0, 1.0))
        integrality[block.indices] = name in integers
    matrix, row_lower, row_upper, places = stack(families, n_variables)
    return Program(
        objective=objective,
        lower=lower,
        upper=upper,
        integrality=integrality,
        matrix=matrix,
        row_lower=row_lower,
        row_upper=row_upper,
        blocks=blocks,
        families=places,
        **parts,
    )


def stack(
    families: Mapping[str, Rows], n_variables: int
) -> tuple[sparse.csr_array, FloatArray, FloatArray, dict[str, slice]]:
    """Return the matrix, the lower and upper sides, and the rows of every family as a slice."""
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
    """A mixed-integer model of trees: it builds a program and translates between trees and values.

    Attributes
    ----------
    build : callable
        Returns the program of a problem, given the cost of a known tree. The program may cut off
        trees that cost more.
    encode : callable
        Returns the values of the program's variables that represent a tree.
    decode : callable
        Returns the tree that the values represent, or a cheaper one.
    n_entries : callable
        Returns the approximate number of entries in the matrix of a problem's program.
    grows_tighter : bool
        Whether a cheaper known tree makes the program easier to solve.
    """

    build: Callable[[Problem, float], Program]
    encode: Callable[[Problem, Program, ObliqueTree], FloatArray]
    decode: Callable[[Problem, Program, FloatArray], ObliqueTree]
    n_entries: Callable[[Problem], int]
    grows_tighter: bool = False
