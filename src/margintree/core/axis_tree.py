"""Axis-parallel trees as features and ranks, and the conversion from and to trees.

An axis-parallel split depends only on the order of a feature's values. Ranks keep that order. They
are whole numbers, so two different ranks are never too close to tell apart.
"""

from dataclasses import dataclass

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray
from margintree.core import topology
from margintree.core.problem import Problem
from margintree.core.simplify import with_cheapest_classes
from margintree.core.tree import ObliqueTree

CLOSE = 1e-9
"""Scaled values that differ by at most this much count as nearly equal."""
STEEPEST = 500
"""Largest exponent of a weight that is a power of two; values times weights must not overflow."""


@dataclass(frozen=True)
class AxisTree:
    """A split and the splits on its two sides; None stands for a leaf."""

    feature: int
    rank: int  # rows of this rank or more in the feature go right
    left: "AxisTree | None" = None
    right: "AxisTree | None" = None


def feature_ranks(X: FloatArray) -> IntArray:
    """Return the ranks, of shape (p, n): the number of different smaller values of each feature.

    Examples
    --------
    >>> feature_ranks(np.array([[0.5, 1.0], [0.0, 1.0], [0.5, 0.2]]))
    array([[1, 0, 1],
           [1, 1, 0]])
    """
    ranks = [np.unique(column, return_inverse=True)[1] for column in X.T]
    return np.array(ranks, dtype=np.int64).reshape(X.shape[1], len(X))


def to_tree(problem: Problem, ranks: IntArray, axis_tree: AxisTree | None) -> ObliqueTree:
    """Return the tree of an axis tree, with thresholds half-way between the separated rows.

    A split has the value -1 at the closest row on its left and 1 at the closest row on its right.

    Examples
    --------
    >>> problem = Problem.from_data([[0.0], [1.0], [2.0]], [0, 0, 1], n_classes=2, depth=1)
    >>> tree = to_tree(problem, feature_ranks(problem.X), AxisTree(feature=0, rank=2))
    >>> tree.weights, tree.intercepts
    (array([[4.]]), array([-3.]))
    """
    leaf = ObliqueTree.leaf(problem.depth, problem.n_features, problem.n_classes)
    weights, intercepts = leaf.weights.copy(), leaf.intercepts.copy()

    def place(node: int, axis_tree: AxisTree | None, rows: IntArray) -> None:
        if axis_tree is None:
            return
        goes_right = ranks[axis_tree.feature, rows] >= axis_tree.rank
        values = problem.X[rows, axis_tree.feature]
        weight, intercept = _between(values[~goes_right].max(), values[goes_right].min())
        weights[node - 1, axis_tree.feature], intercepts[node - 1] = weight, intercept
        place(topology.left(node), axis_tree.left, rows[~goes_right])
        place(topology.right(node), axis_tree.right, rows[goes_right])

    place(1, axis_tree, np.arange(problem.n_rows))
    splits = np.asarray(weights.any(axis=1))
    tree = ObliqueTree(
        weights, intercepts, splits, leaf.leaf_classes, leaf.leaf_mass, problem.scaling
    )
    return with_cheapest_classes(problem, tree)


def _between(low: float, high: float) -> tuple[float, float]:
    """Return the weight and intercept of a split that is -1 at ``low`` and 1 at ``high``.

    If the values are nearly equal, the weight is about as steep a power of two, because multiplying
    by it does not round. If no number lies between them, ``high`` is the threshold.
    """
    if high - low > CLOSE:
        return 2 / (high - low), -(high + low) / (high - low)
    middle = (low + high) / 2
    weight = 2.0 ** min(STEEPEST, np.ceil(1 - np.log2(high - low)))
    return weight, -weight * (middle if middle > low else high)


def to_axis_tree(problem: Problem, ranks: IntArray, tree: ObliqueTree) -> AxisTree | None:
    """Return the axis tree of an axis-parallel tree, without splits that leave one side empty.

    Examples
    --------
    >>> problem = Problem.from_data([[0.0], [1.0], [4.0]], [0, 0, 1], n_classes=2, depth=1)
    >>> tree = ObliqueTree.stump([-1.0], 0.7, leaf_classes=[1, 0], n_classes=2)
    >>> to_axis_tree(problem, feature_ranks(problem.X), tree)
    AxisTree(feature=0, rank=2, left=None, right=None)
    """
    sides = tree.split_values(problem.X) >= 0

    def read(node: int, rows: IntArray) -> AxisTree | None:
        if node > len(tree.splits):
            return None
        goes_right = sides[rows, node - 1]
        parts = rows[~goes_right], rows[goes_right]
        below = [read(2 * node + side, part) for side, part in enumerate(parts)]
        if not (len(parts[0]) and len(parts[1])):
            return below[int(goes_right.any())]
        feature = int(np.argmax(tree.weights[node - 1] != 0))
        if tree.weights[node - 1, feature] < 0:
            parts, below = parts[::-1], below[::-1]
        return AxisTree(feature, int(ranks[feature, parts[1]].min()), *below)

    return read(1, np.arange(problem.n_rows))


def halved(problem: Problem, tree: ObliqueTree) -> ObliqueTree:
    """Return the axis-parallel tree with the same routing and thresholds half-way between rows.

    Every leaf gets the class that is cheapest for its rows.
    """
    ranks = feature_ranks(problem.X)
    return to_tree(problem, ranks, to_axis_tree(problem, ranks, tree))
