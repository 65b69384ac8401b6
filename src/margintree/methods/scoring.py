"""How trees are scored on rows that they have not seen."""

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray
from margintree.core import topology
from margintree.core.problem import Problem
from margintree.core.tree import ObliqueTree


def accuracy(problem: Problem, tree: ObliqueTree, X: FloatArray, y: IntArray) -> FloatArray:
    """Return for every row 1 less the price of calling it as the tree does.

    Parameters
    ----------
    problem : Problem
        The problem that the tree was learnt from; it knows the prices of errors.
    tree : ObliqueTree
        The tree.
    X : ndarray of shape (n, p)
        Raw rows.
    y : ndarray of shape (n,)
        Their class codes.
    """
    return np.asarray(1.0 - problem.error_costs[y, tree.predict(tree.scaling.apply(X))])


def nearness(problem: Problem, tree: ObliqueTree, X: FloatArray, y: IntArray) -> FloatArray:
    """Return for every row how far it is right, counting rows near a split in part.

    This is the mean of `shares_right` over two widths of what counts as near: half the distance of
    neighbouring training rows, and the margins of the tree. See `accuracy` for the parameters.
    """
    scaled = tree.scaling.apply(X)
    reaches = half_spacing(problem.X), margins_of(tree)
    return np.asarray(np.mean([shares_right(tree, scaled, y, r) for r in reaches], axis=0))


SCORES = {"accuracy": accuracy, "nearness": nearness}
"""The ways to score a tree, by name."""


def half_spacing(X: FloatArray) -> float:
    """Return half the distance, in the median, from a row to the nearest one that is elsewhere.

    Where all rows are in one place there is no such distance, and 1 is returned.

    Examples
    --------
    >>> half_spacing(np.array([[0.0], [0.2], [0.2], [0.6]]))
    0.1
    """
    from scipy.spatial import KDTree  # not loaded before it is needed

    rows = np.unique(X, axis=0)
    distances = KDTree(rows).query(rows, k=2)[0][:, 1]
    # One row has no neighbour, and differences may be too small for a distance.
    distances = distances[np.isfinite(distances) & (distances > 0)]
    return float(np.median(distances) / 2) if len(distances) else 1.0


def margins_of(tree: ObliqueTree) -> FloatArray:
    """Return how far from every hyperplane its value is 1; where there is no hyperplane, 1.

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
    """Return what share of every row arrives at leaves of its class, divided where splits are near.

    A row nearer to a hyperplane than its reach goes to both sides, more of it to its own side, and
    half to each where it lies on the hyperplane. All other rows go where `predict` sends them. With
    few rows this tells apart trees that get about as many right.

    Parameters
    ----------
    tree : ObliqueTree
        Any tree.
    X : ndarray of shape (n, p)
        Rows in the scaled space.
    y : ndarray of shape (n,)
        Their class codes; a code that the tree does not know is never right.
    reach : float or ndarray of shape (2**D - 1,)
        How near is near, for all hyperplanes or for each; see `half_spacing` and `margins_of`.

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
    goes_right = np.clip((1 + distances / reach) / 2, 0.0, 1.0)
    arriving = np.ones((topology.n_nodes(tree.depth), len(X)))
    for node in topology.branch_nodes(tree.depth):
        # Where a node does not split, everything goes left.
        share = goes_right[:, node - 1] if tree.splits[node - 1] else 0.0
        arriving[topology.left(node) - 1] = arriving[node - 1] * (1 - share)
        arriving[topology.right(node) - 1] = arriving[node - 1] * share
    at_leaves = arriving[topology.n_branch_nodes(tree.depth) :]
    return np.asarray((at_leaves * (tree.leaf_classes[:, None] == y)).sum(axis=0))
