"""The linear support vector machine for many rows, by dual coordinate descent."""

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray
from margintree.search.margin.kernels._jit import kernel


@kernel
def dual_descent(
    X: FloatArray,
    rows: IntArray,
    sides: FloatArray,
    box: FloatArray,
    order: IntArray,
    passes: int,
) -> FloatArray:
    """Return the normal vector of a large margin between the sides; needs no inner products.

    Solves ``min 1/2 (||w||^2 + b^2) + sum_i box_i * hinge(s_i (w @ x_i + b))`` roughly, one dual
    variable at a time. The intercept is penalised, hence only the direction is of use.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        All rows.
    rows : int ndarray of shape (m,)
        The rows that take part.
    sides, box : ndarray of shape (m,)
        Wanted sides (+1 or -1) and hinge prices.
    order : int ndarray of shape (m,)
        The order in which the dual variables are visited.
    passes : int
        How often all are visited.
    """
    p = X.shape[1]
    w, intercept = np.zeros(p), 0.0
    alpha = np.zeros(len(rows))
    for _ in range(passes):
        for k in order:
            i, side = rows[k], sides[k]
            value, square = intercept, 1.0
            for j in range(p):
                value += w[j] * X[i, j]
                square += X[i, j] * X[i, j]
            before = alpha[k]
            alpha[k] = min(max(before + (1 - side * value) / square, 0.0), box[k])
            change = (alpha[k] - before) * side
            if change != 0.0:
                intercept += change
                for j in range(p):
                    w[j] += change * X[i, j]
    return w
