"""Sample weights and class weights become one weight per row."""

from typing import Any

import numpy as np
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.validation import _check_sample_weight

from margintree._lib.arrays import AnyArray, FloatArray, IntArray


def row_weights(
    sample_weight: Any, class_weight: Any, X: FloatArray, codes: IntArray, classes: AnyArray
) -> FloatArray:
    """Return the weight of every row: its sample weight times the weight of its class.

    Parameters
    ----------
    sample_weight : array-like of shape (n,), number or None
        Weights of the rows; None means 1 each.
    class_weight : dict, "balanced" or None
        Weights of the classes. "balanced" gives every class the same total weight.
    X : ndarray of shape (n, p)
        The rows.
    codes : int ndarray of shape (n,)
        The class of every row as a position in ``classes``.
    classes : ndarray of shape (K,)
        The labels.

    Examples
    --------
    >>> import numpy as np
    >>> X, codes, classes = np.zeros((3, 1)), np.array([0, 0, 1]), np.array(["a", "b"])
    >>> row_weights(None, "balanced", X, codes, classes)
    array([0.75, 0.75, 1.5 ])
    >>> row_weights([1, 2, 3], {"b": 10}, X, codes, classes)
    array([ 1.,  2., 30.])
    """
    weights: FloatArray = _check_sample_weight(sample_weight, X, dtype=np.float64)
    if class_weight is None:
        return weights
    if isinstance(class_weight, str):
        factors = _balancing_factors(codes, weights, len(classes))
    else:
        factors = compute_class_weight(class_weight, classes=classes, y=classes[codes])
    return np.asarray(weights * factors[codes])


def _balancing_factors(codes: IntArray, weights: FloatArray, n_classes: int) -> FloatArray:
    """Return the factors that give every class the same total weight.

    They are taken from the weighted counts, so that a row of weight 2 equals the row given twice.
    """
    mass = np.bincount(codes, weights=weights, minlength=n_classes)
    factors = np.zeros(n_classes)
    present = mass > 0
    factors[present] = mass.sum() / (present.sum() * mass[present])
    return factors
