"""An axis-parallel tree as features and ranks, and the way to a tree and back.

For an axis-parallel split only the order of the values of a feature matters. Ranks keep the order,
are whole numbers, and are never too close to each other to tell apart.
"""

from dataclasses import dataclass

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray
from margintree.core import topology
from margintree.core.problem import Problem
from margintree.core.simplify import with_cheapest_classes
from margintree.core.tree import ObliqueTree

CLOSE = 1e-9
"""Scaled values that are no further apart than this are hardly apart."""
STEEPEST = 500
"""The largest power of two that is a weight; values times weights must not overflow."""


@dataclass(frozen=True)
class Plan:
    """A split, and what follows on its sides; None stands for a leaf.

    Attributes
    ----------
    feature : int
        The feature that the split looks at.
    rank : int
        Rows of this rank or more in the feature go right.
    left, right : Plan or None
        The splits below.
    """

    feature: int
    rank: int
    left: "Plan | None" = None
    right: "Plan | None" = None


def feature_ranks(X: FloatArray) -> IntArray:
    """Return, of shape (p, n), how many different smaller values each feature has for each row.

    Examples
    --------
    >>> feature_ranks(np.array([[0.5, 1.0], [0.0, 1.0], [0.5, 0.2]]))
    array([[1, 0, 1],
           [1, 1, 0]])
    """
    ranks = [np.unique(column, return_inverse=True)[1] for column in X.T]
    return np.array(ranks, dtype=np.int64).reshape(X.shape[1], len(X))


def to_tree(problem: Problem, ranks: IntArray, plan: Plan | None) -> ObliqueTree:
    """Return the tree of a plan: thresholds half-way between the rows that they part.

    A split has the value -1 at the closest row on its left and 1 at the closest on its right.

    Examples
    --------
    >>> problem = Problem.from_data([[0.0], [1.0], [2.0]], [0, 0, 1], n_classes=2, depth=1)
    >>> tree = to_tree(problem, feature_ranks(problem.X), Plan(feature=0, rank=2))
    >>> tree.weights, tree.intercepts
    (array([[4.]]), array([-3.]))
    """
    leaf = ObliqueTree.leaf(problem.depth, problem.n_features, problem.n_classes)
    weights, intercepts = leaf.weights.copy(), leaf.intercepts.copy()

    def place(node: int, plan: Plan | None, rows: IntArray) -> None:
        if plan is None:
            return
        goes_right = ranks[plan.feature, rows] >= plan.rank
        values = problem.X[rows, plan.feature]
        weight, intercept = _between(values[~goes_right].max(), values[goes_right].min())
        weights[node - 1, plan.feature], intercepts[node - 1] = weight, intercept
        place(topology.left(node), plan.left, rows[~goes_right])
        place(topology.right(node), plan.right, rows[goes_right])

    place(1, plan, np.arange(problem.n_rows))
    splits = np.asarray(weights.any(axis=1))
    tree = ObliqueTree(
        weights, intercepts, splits, leaf.leaf_classes, leaf.leaf_mass, problem.scaling
    )
    return with_cheapest_classes(problem, tree)


def _between(low: float, high: float) -> tuple[float, float]:
    """Return weight and intercept of a split that is -1 at ``low`` and 1 at ``high``.

    Between values that are hardly apart it is about as steep, but by a power of two, which rounds
    nothing. Between two neighbouring numbers there is nothing half-way, and ``high`` is the
    threshold.
    """
    if high - low > CLOSE:
        return 2 / (high - low), -(high + low) / (high - low)
    middle = (low + high) / 2
    weight = 2.0 ** min(STEEPEST, np.ceil(1 - np.log2(high - low)))
    return weight, -weight * (middle if middle > low else high)


def to_plan(problem: Problem, ranks: IntArray, tree: ObliqueTree) -> Plan | None:
    """Return the plan of an axis-parallel tree; splits that do not part its rows are left out.

    Examples
    --------
    >>> problem = Problem.from_data([[0.0], [1.0], [4.0]], [0, 0, 1], n_classes=2, depth=1)
    >>> tree = ObliqueTree.stump([-1.0], 0.7, leaf_classes=[1, 0], n_classes=2)
    >>> to_plan(problem, feature_ranks(problem.X), tree)
    Plan(feature=0, rank=2, left=None, right=None)
    """
    sides = tree.split_values(problem.X) >= 0

    def read(node: int, rows: IntArray) -> Plan | None:
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
        return Plan(feature, int(ranks[feature, parts[1]].min()), *below)

    return read(1, np.arange(problem.n_rows))


def halved(problem: Problem, tree: ObliqueTree) -> ObliqueTree:
    """Return an axis-parallel tree that parts the rows alike, its thresholds half-way between them.

    Leaves get the classes that are cheapest for their rows.
    """
    ranks = feature_ranks(problem.X)
    return to_tree(problem, ranks, to_plan(problem, ranks, tree))
