"""What users say about the prices of errors becomes a matrix over the classes."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from margintree._lib.arrays import AnyArray, FloatArray
from margintree._lib.exceptions import InvalidInputError


def error_matrix(error_costs: Any, classes: AnyArray) -> FloatArray:
    """Return the price of calling a row of every class by every class, in units of c1.

    Parameters
    ----------
    error_costs : array-like of shape (K, K), dict of dicts or None
        A matrix in the order of ``classes``: lines are what rows are, columns what they are called.
        Or the price by the label and the label it is taken for; what is left out costs 1. None
        means 1 for every error.
    classes : ndarray of shape (K,)
        The labels.

    Examples
    --------
    >>> classes = np.array(["ill", "well"])
    >>> error_matrix({"ill": {"well": 5.0}}, classes)
    array([[0., 5.],
           [1., 0.]])
    """
    plain = 1.0 - np.eye(len(classes))
    if error_costs is None:
        return plain
    if isinstance(error_costs, Mapping):
        return _with_prices(plain, error_costs, classes.tolist())
    return _numbers(error_costs, ndim=2)


def _with_prices(
    matrix: FloatArray, error_costs: Mapping[Any, Any], labels: list[Any]
) -> FloatArray:
    """Return the matrix with the prices that are given."""
    for label, prices in error_costs.items():
        if not isinstance(prices, Mapping):
            raise InvalidInputError(
                f"error_costs must give a dict of prices for every label; for {label!r} it gives "
                f"{prices!r:.60}. Write {{{label!r}: {{other label: price}}}}."
            )
        for called, price in prices.items():
            matrix[_place(label, labels), _place(called, labels)] = _numbers(price, ndim=0)
    return matrix


def _place(label: Any, labels: list[Any]) -> int:
    if label not in labels:
        raise InvalidInputError(
            f"error_costs must speak of labels of y, {labels!r:.200}; {label!r} is none of them. "
            "Leave it out or correct it."
        )
    return labels.index(label)


def _numbers(value: Any, ndim: int) -> FloatArray:
    """Return a single price or a table of them as an array of numbers."""
    try:
        numbers = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.array([])
    if numbers.ndim != ndim:
        raise InvalidInputError(
            f"error_costs must be numbers in a square matrix in the order of the sorted labels, or "
            f"in a dict of dicts by label; {value!r:.60} was given. Correct it or leave it out."
        )
    return numbers
