"""The choice of parameters by cross-validation: rows in folds, and the best of many scores."""

import warnings
from collections.abc import Iterator

import numpy as np

from margintree._lib.arrays import AnyArray, FloatArray, IntArray
from margintree.core import topology
from margintree.core.tree import ObliqueTree

DOUBT = 0.5
"""Standard errors by which the best must be better than the usual to be chosen."""


def divide(y: AnyArray, n_folds: int, seed: int) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield the rows of every fold and all others; every fold has its share of every class.

    Examples
    --------
    >>> y = np.array(["a", "b"] * 4)
    >>> [(len(fold), len(others)) for fold, others in divide(y, 4, seed=0)]
    [(2, 6), (2, 6), (2, 6), (2, 6)]
    """
    from sklearn.model_selection import StratifiedKFold  # not loaded before it is needed

    with warnings.catch_warnings():
        # Classes with fewer rows than folds are in some folds and not in others.
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        folds = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
        for others, fold in folds.split(np.empty((len(y), 0)), y):
            yield fold, others


def thin(y: AnyArray, size: int, seed: int) -> IntArray:
    """Return the places of some rows, in order; every class keeps its share of them.

    Examples
    --------
    >>> y = np.array(["a", "b", "b"] * 100)
    >>> rows = thin(y, 30, seed=0)
    >>> len(set(rows)), int((y[rows] == "a").sum())
    (30, 10)
    """
    if len(y) <= size:
        return np.arange(len(y))
    by_class = np.lexsort((np.random.default_rng(seed).random(len(y)), y))
    return np.sort(by_class[np.linspace(0, len(y) - 1, size).round().astype(np.int64)])


def place_of_best(right: FloatArray, splits: FloatArray) -> int:
    """Return the place of what is right most often; of several, the fewest splits, then the first.

    Examples
    --------
    >>> place_of_best(np.array([7, 9, 9, 9]), np.array([1, 3, 2, 2]))
    2
    """
    return int(np.lexsort((splits, -right))[0])


def usual_or_best(scores: FloatArray, splits: FloatArray, usual: int, n_rows: int) -> int:
    """Return the usual place unless the best is better by more than half its standard error.

    With few rows the best of several scores is often best by chance.

    Parameters
    ----------
    scores : ndarray
        What share of the rows is right, for every combination.
    splits : ndarray
        How many splits each takes, which decides between equals; see `place_of_best`.
    usual : int
        The place of the combination to keep in doubt.
    n_rows : int
        How many rows the shares were counted on.

    Examples
    --------
    >>> scores, splits = np.array([0.8, 0.88, 0.9]), np.array([1, 2, 3])
    >>> [usual_or_best(scores, splits, place, n_rows=50) for place in range(3)]
    [2, 1, 2]
    """
    best = place_of_best(scores, splits)
    error = np.sqrt(scores[best] * (1 - scores[best]) / n_rows)
    return usual if scores[best] - scores[usual] <= DOUBT * error else best


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
