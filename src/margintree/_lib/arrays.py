"""Array types, and matrix products that round alike on every machine.

NumPy leaves ``a @ b`` to a library whose order of summation depends on the processor. The last bit
of a cost can decide which of two trees is kept, so the same seed would not give the same tree on
every machine.
"""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from margintree._lib.exceptions import InvalidInputError

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


_KINDS = {float: "fiu", int: "iu", bool: "b"}
"""The kinds of NumPy arrays that each type accepts."""


def frozen(values: Any, dtype: type) -> AnyArray:
    """Return a read-only array with these values; ragged or wrongly typed values are an error."""
    try:
        given = np.asarray(values)
    except (ValueError, OverflowError) as error:
        raise InvalidInputError(f"An array of {dtype.__name__} cannot be made: {error}.") from error
    # An empty list says nothing about its type; anything else must not be converted silently.
    if given.size and given.dtype.kind not in _KINDS[dtype]:
        raise InvalidInputError(
            f"An array of {dtype.__name__} is needed; its entries are {given.dtype.name}."
        )
    # NumPy takes a bool for a number if the other entries are numbers.
    holds_numbers = dtype is not bool and isinstance(values, list)
    if holds_numbers and bool in set(map(type, np.asarray(values, dtype=object).flat)):
        raise InvalidInputError(
            f"An array of {dtype.__name__} is needed; one of its entries is true or false."
        )
    array: AnyArray = given.astype(dtype)
    array.setflags(write=False)
    return array
