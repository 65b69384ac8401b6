"""Bounds on the hyperplanes of any tree that is worth finding; every big-M follows from them."""

from dataclasses import dataclass

import numpy as np

from margintree._lib.arrays import FloatArray
from margintree.core import topology
from margintree.core.bound import contradictions, unnamed
from margintree.core.judges import TIE_SLACK
from margintree.core.margin import NORMS
from margintree.core.problem import Problem
from margintree.exact.programs.program import Program

MANY_ROWS = 2000
"""Number of rows above which the distances between all rows take too long."""
ROUNDING = 1e-9
"""Relative slack added to an upper bound so that a tree of exactly that cost stays feasible."""


@dataclass(frozen=True, eq=False)
class Bounds:
    """Bounds on every tree that costs at most the upper bound and whose splits all divide.

    Attributes
    ----------
    margin : float
        Upper bound on the margin term delta.
    norms, intercepts : ndarray of shape (2**D - 1,)
        Upper bounds on ``||w_t||`` and ``|b_t|``, for every branch node.
    values : ndarray of shape (n, 2**D - 1)
        Upper bounds on ``|f_t(x_i)|``, for every branch node and row, in the node or not.
    """

    margin: float
    norms: FloatArray
    values: FloatArray
    intercepts: FloatArray


def derive_bounds(problem: Problem, upper_bound: float, no_idle_parent: bool) -> Bounds:
    """Return the bounds that follow from an upper bound on the cost.

    *Norms.* A node t that splits pays c3, and a tree pays delta once, so
    ``margin_price(||w_t||) <= delta <= upper_bound - c3 - least_errors(problem)``. If a child
    splits only when its parent does, a split on level u pays c3 at least u + 1 times. A node that
    does not split has w = 0.

    *Values.* A node that splits has rows on both sides, so f_t vanishes at a point x_0 between two
    of them. This point is in the convex hull of all rows. Then
    ``|f_t(x_i)| = |w_t'(x_i - x_0)| <= ||w_t|| ||x_i - x_0||``, and the distance to a point of the
    hull is largest at one of its corners: ``||x_i - x_0|| <= max_j ||x_i - x_j||``. A node that
    does not split has f = b = +-1. Here and below, lengths of rows are those of the dual norm.

    *Intercepts.* ``b_t = -w_t'x_0``, hence ``|b_t| <= ||w_t|| max_j ||x_j||`` or 1.

    *Few features.* If a split may use only some of the features, w_t is 0 elsewhere, and only these
    features count in all norms: at most those with the largest entries.

    Examples
    --------
    >>> from margintree.core.problem import Costs
    >>> problem = Problem.from_data([[0.0], [1.0]], [0, 1], n_classes=2, depth=1,
    ...                             costs=Costs(errors=1, violations=1, splits=0.5))
    >>> bounds = derive_bounds(problem, upper_bound=8.5, no_idle_parent=True)
    >>> bounds.norms.round(6), bounds.values.round(6).ravel()
    (array([4.]), array([4., 4.]))
    """
    nodes = topology.branch_nodes(problem.depth)
    levels = np.array([topology.depth_of(t) if no_idle_parent else 0 for t in nodes])
    budget = upper_bound * (1 + ROUNDING) + ROUNDING - least_errors(problem)
    prices = np.maximum(0.0, budget - problem.costs.splits * (levels + 1))
    norms = np.array([problem.norm_at_price(price) for price in prices])
    most, order = most_features(problem), NORMS[problem.norm].dual
    longest = float(lengths(problem.X, most, order).max())
    return Bounds(
        margin=float(prices[0]),
        norms=norms,
        values=np.maximum(1.0, farthest(problem.X, most, order)[:, None] * norms),
        intercepts=np.maximum(1.0, longest * norms),
    )


def row_tolerance(problem: Problem, big_m: FloatArray) -> float:
    """Return the largest violation of a row that leaves the routing margin clear.

    If z is a tolerance away from 0 or 1 for a training row, C2 moves by M times that tolerance. The
    row of C2 itself may be off by a tolerance relative to M. Both together must stay below the
    share of the routing margin that the judge grants.
    """
    needed = TIE_SLACK * problem.routing_margin / (2 * float(big_m.max(initial=1.0)))
    return float(np.clip(needed, 1e-9, Program.tolerance))


def most_features(problem: Problem) -> int:
    """Return the maximum number of features of a split: those of its largest groups."""
    sizes = np.sort(np.bincount(problem.feature_groups))[::-1]
    return int(sizes[: problem.max_features_per_split].sum())


def lengths(entries: FloatArray, most: int, order: float = 2) -> FloatArray:
    """Return the norm of this order of the ``most`` largest entries of every row.

    Examples
    --------
    >>> lengths(np.array([[3.0, 1.0, -4.0]]), most=2)
    array([5.])
    """
    sizes, n_features = np.abs(entries), entries.shape[1]
    if most < n_features:
        sizes = np.partition(sizes, n_features - most, axis=1)[:, n_features - most :]
    return np.asarray(np.linalg.norm(sizes, ord=order, axis=1))


def farthest(X: FloatArray, most: int | None = None, order: float = 2) -> FloatArray:
    """Return an upper bound on the distance from each row to any other row in a norm.

    ``order`` is that of the norm, the Euclidean one by default. Only the ``most`` features in which
    two rows differ most count; by default all.

    The bound is the largest distance, or, for many rows, the distance to the farthest corner of the
    box around all rows.
    """
    most = X.shape[1] if most is None else most
    if len(X) > MANY_ROWS:
        corner = np.maximum(X - X.min(axis=0), X.max(axis=0) - X)
        return lengths(corner, most, order)
    # Row by row, so that n rows need n * p numbers and not n * n * p.
    return np.array([lengths(X - x, most, order).max() for x in X])


def least_errors(problem: Problem) -> float:
    """Return a lower bound on the price of errors, from equal rows and from classes left out."""
    return max(contradictions(problem), unnamed(problem, topology.n_leaves(problem.depth)))
