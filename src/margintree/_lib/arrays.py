"""Array types, and matrix products that round alike on every machine.

NumPy leaves ``a @ b`` to a library whose order of summation depends on the processor. The last bit
of a cost can decide which of two trees is kept, so the same seed would not give the same tree on
every machine.
"""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
AnyArray: TypeAlias = npt.NDArray[Any]


_SUBSCRIPTS = {(1, 1): "j,j->", (1, 2): "j,jk->k", (2, 1): "ij,j->i", (2, 2): "ij,jk->ik"}


def product(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return ``a @ b``.

    Examples
    --------
    >>> product(np.array([[1.0, 2.0]]), np.array([[3.0], [4.0]]))
    array([[11.]])
    """
    return np.asarray(np.einsum(_SUBSCRIPTS[a.ndim, b.ndim], a, b))


def norm(vector: FloatArray) -> float:
    """Return the Euclidean norm of a vector.

    Examples
    --------
    >>> norm(np.array([3.0, 4.0]))
    5.0
    """
    return float(np.sqrt(product(vector, vector)))
