"""Scores of trees on new rows."""

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray
from margintree.core import topology
from margintree.core.problem import Problem
from margintree.core.tree import ObliqueTree


def accuracy(problem: Problem, tree: ObliqueTree, X: FloatArray, y: IntArray) -> FloatArray:
    """Return 1 minus the price of the predicted class for every raw row.

    The problem is the one that the tree was learnt from, in its space; it has the prices of errors.
    """
    return np.asarray(1.0 - problem.error_costs[y, tree.predict(tree.scaling.apply(X))])


def nearness(problem: Problem, tree: ObliqueTree, X: FloatArray, y: IntArray) -> FloatArray:
    """Return the share of every raw row that is predicted right; rows near a split count in part.

    This is the mean of `shares_right` over two reaches: half the distance of neighbouring training
    rows, and the margins of the tree, both in the space of the problem.
    """
    tree = tree.rescaled(problem.scaling)
    scaled = tree.scaling.apply(X)
    reaches = half_spacing(problem.X), margins_of(tree)
    return np.asarray(np.mean([shares_right(tree, scaled, y, r) for r in reaches], axis=0))


def soft(problem: Problem, tree: ObliqueTree, X: FloatArray, y: IntArray) -> FloatArray:  # noqa: ARG001
    """Return the share of every raw row that is predicted right if all splits are soft.

    A split with value ``f`` sends the share ``1 / (1 + exp(-2 f))`` of a row to the right.
    """
    with np.errstate(over="ignore"):
        goes_right = 1 / (1 + np.exp(-2 * tree.split_values(tree.scaling.apply(X))))
    return _shares_of_class(tree, y, goes_right)


SCORES = {"accuracy": accuracy, "nearness": nearness, "soft": soft}
"""The ways to score a tree, by name."""


def half_spacing(X: FloatArray) -> float:
    """Return half the median distance from a row to the nearest different row, or 1 without any.

    Examples
    --------
    >>> half_spacing(np.array([[0.0], [0.2], [0.2], [0.6]]))
    0.1
    """
    from scipy.spatial import KDTree  # loaded only when it is needed

    rows = np.unique(X, axis=0)
    distances = KDTree(rows).query(rows, k=2)[0][:, 1]
    # A single row has no neighbour, and a distance may round to 0.
    distances = distances[np.isfinite(distances) & (distances > 0)]
    return float(np.median(distances) / 2) if len(distances) else 1.0


def margins_of(tree: ObliqueTree) -> FloatArray:
    """Return the distance from every hyperplane at which its value is 1; 1 without a hyperplane.

    Examples
    --------
    >>> margins_of(ObliqueTree.stump([3.0, 4.0], 0.0, leaf_classes=[0, 1], n_classes=2))
    array([0.2])
    """
    norms = np.linalg.norm(tree.weights, axis=1)
    return np.asarray(1 / np.where(norms > 0, norms, 1.0))


def shares_right(
    tree: ObliqueTree, X: FloatArray, y: IntArray, reach: FloatArray | float
) -> FloatArray:
    """Return the share of every row that arrives at leaves of its class.

    A row within the reach of a hyperplane goes to both sides: the larger share to its own side, or
    equal shares if it is on the hyperplane. All other rows go where `predict` sends them. With few
    rows this distinguishes trees of similar accuracy.

    Parameters
    ----------
    tree : ObliqueTree
        Any tree.
    X : ndarray of shape (n, p)
        Rows in the scaled space.
    y : ndarray of shape (n,)
        Their class codes; a code that the tree does not know is never right.
    reach : float or ndarray of shape (2**D - 1,)
        The reach of all hyperplanes or of each; see `half_spacing` and `margins_of`.

    Examples
    --------
    >>> tree = ObliqueTree.stump([2.0], 0.0, leaf_classes=[0, 1], n_classes=2)
    >>> X, y = np.array([[2.0], [0.5], [0.0], [-2.0]]), np.array([1, 1, 1, 1])
    >>> shares_right(tree, X, y, reach=1.0)
    array([1.  , 0.75, 0.5 , 0.  ])
    >>> shares_right(tree, X, y, margins_of(tree))
    array([1. , 1. , 0.5, 0. ])
    """
    distances = tree.split_values(X) * margins_of(tree)
    return _shares_of_class(tree, y, np.clip((1 + distances / reach) / 2, 0.0, 1.0))


def _shares_of_class(tree: ObliqueTree, y: IntArray, goes_right: FloatArray) -> FloatArray:
    """Return the share of every row at leaves of its class, given its share to the right."""
    arriving = np.ones((topology.n_nodes(tree.depth), len(goes_right)))
    for node in topology.branch_nodes(tree.depth):
        # A node that does not split sends everything left.
        share = goes_right[:, node - 1] if tree.splits[node - 1] else 0.0
        arriving[topology.left(node) - 1] = arriving[node - 1] * (1 - share)
        arriving[topology.right(node) - 1] = arriving[node - 1] * share
    at_leaves = arriving[topology.n_branch_nodes(tree.depth) :]
    return np.asarray((at_leaves * (tree.leaf_classes[:, None] == y)).sum(axis=0))
