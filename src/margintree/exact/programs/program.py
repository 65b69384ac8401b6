"""A mixed-integer cone program as plain arrays, with names for its parts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from scipy import sparse

from margintree._lib.arrays import BoolArray, FloatArray, IntArray

ConeKind = Literal["squared", "plain"]


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

    kind: ConeKind
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
        return norm**2 / 2 if self.kind == "squared" else norm / 2


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
