"""One split: sparse weights by a linear program, and the best threshold in a direction."""

from typing import Any

import numpy as np

from margintree._lib.arrays import FloatArray
from margintree.core.rules import Rules


def sparse_weights(X: FloatArray, sides: FloatArray, pulls: FloatArray) -> FloatArray:
    """Return the weights ``w`` of ``min ||w||_1 + sum_i pulls_i * hinge(s_i (w @ x_i + b))``.

    The dual has fewer rows: ``max sum(a)`` with ``0 <= a <= pulls``, ``sum_i a_i s_i = 0`` and no
    entry of ``sum_i a_i s_i x_i`` beyond -1 or 1. The weights are the prices of these limits.

    Parameters
    ----------
    X : ndarray of shape (m, p)
        The rows.
    sides, pulls : ndarray of shape (m,)
        Wanted sides (+1 or -1), and the prices of violations.

    Examples
    --------
    >>> X = np.array([[0.0, 0.3], [0.5, 0.8], [1.0, 0.4]])
    >>> sparse_weights(X, np.array([-1.0, 1.0, 1.0]), np.full(3, 9.0)).round(6)
    array([4., 0.])
    """
    import highspy  # not before it is needed

    m, p = X.shape
    program = highspy.HighsLp()
    program.num_col_, program.num_row_ = m, p + 1
    program.col_cost_, program.col_lower_, program.col_upper_ = -np.ones(m), np.zeros(m), pulls
    limits = np.r_[np.ones(p), 0.0]
    program.row_lower_, program.row_upper_ = -limits, limits
    program.a_matrix_.start_ = np.arange(m + 1) * (p + 1)
    program.a_matrix_.index_ = np.tile(np.arange(p + 1), m)
    program.a_matrix_.value_ = (sides[:, None] * np.column_stack([X, np.ones(m)])).ravel()
    solver: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    solver.silent()
    solver.setOptionValue("presolve", "off")
    solver.passModel(program)
    solver.run()
    return -np.array(solver.getSolution().row_dual[:p])


def best_thresholds(
    values: FloatArray, left: FloatArray, right: FloatArray, mass: FloatArray, rules: Rules
) -> tuple[FloatArray, FloatArray]:
    """Return the least cost over all thresholds, and the threshold, for every column of values.

    Parameters
    ----------
    values : ndarray of shape (m, q)
        The values of every row in q directions; rows at or above the threshold go right.
    left, right : ndarray of shape (m, k)
        What every row pays on either side, for each of the k things that can be there.
    mass : ndarray of shape (m,)
        The weights of the rows.
    rules : Rules
        The least weight of a side, and how far the sides are apart.

    Examples
    --------
    >>> values, mass = np.array([[0.0], [0.2], [0.6]]), np.ones(3)
    >>> left, right = np.array([[0.0], [0.0], [1.0]]), np.array([[1.0], [1.0], [0.0]])
    >>> costs, thresholds = best_thresholds(values, left, right, mass, Rules(least_mass=1.0))
    >>> costs, thresholds.round(6)
    (array([0.]), array([0.4]))
    """
    if len(values) < 2:
        return np.full(values.shape[1], np.inf), np.zeros(values.shape[1])
    order = values.argsort(axis=0)
    ranked = np.take_along_axis(values, order, axis=0)
    on_left = left[order].cumsum(axis=0)[:-1].min(axis=2)
    on_right = right[order[::-1]].cumsum(axis=0)[::-1][1:].min(axis=2)
    lighter = mass[order].cumsum(axis=0)[:-1]
    lighter = np.minimum(lighter, mass.sum() - lighter)
    gaps = np.diff(ranked, axis=0)
    is_allowed = (gaps >= rules.separation) & (gaps > 1e-9) & (lighter >= rules.least_mass)
    costs = np.where(is_allowed, on_left + on_right, np.inf)
    best, columns = costs.argmin(axis=0), np.arange(values.shape[1])
    thresholds = (ranked[best, columns] + ranked[best + 1, columns]) / 2
    return costs[best, columns], thresholds
