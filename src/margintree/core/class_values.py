"""How far rows lie inside the regions of the classes, and how sure their classes are."""

import numpy as np

from margintree._lib.arrays import FloatArray
from margintree.core.tree import ObliqueTree, row_blocks

DIGITS = 10
"""Shares that agree in so many decimal digits are the same."""


def class_values(tree: ObliqueTree, X: FloatArray) -> FloatArray:
    """Return one value per row and class: at least 0 for the predicted class, else below 0.

    The value of a leaf is the smallest split value on the way to it, with the sign of the side that
    leads there. The value of a class is that of its best leaf. It is 1 where a row is just outside
    of all margins on its way. A class without a leaf gets 1 less than the least other value.

    Parameters
    ----------
    tree : ObliqueTree
        The tree.
    X : ndarray of shape (n, p)
        Rows in the scaled space.

    Returns
    -------
    ndarray of shape (n, K)

    Examples
    --------
    >>> tree = ObliqueTree.stump([2.0], -1.0, leaf_classes=[0, 1], n_classes=2)
    >>> class_values(tree, np.array([[0.0], [2.0]]))
    array([[ 1., -1.],
           [-3.,  3.]])
    """
    values = np.empty((len(X), tree.n_classes))
    for block in row_blocks(len(X)):
        leaves = _leaf_values(tree, X[block])
        for k in range(tree.n_classes):
            values[block, k] = leaves[:, tree.leaf_classes == k].max(axis=1, initial=-np.inf)
    values[values == np.inf] = 1.0  # a tree without splits
    floor = np.where(np.isfinite(values), values, 0.0).min(axis=1) - 1
    return np.where(np.isfinite(values), values, floor[:, None])


def decision_values(tree: ObliqueTree, X: FloatArray, smoothing: float = 0.0) -> FloatArray:
    """Return one value per row and class: above 0 for the predicted class, else below 0.

    For every class, values order the rows that are predicted as this class, and so the others, by
    the share of the class in their leaf. Rows of leaves with the same share are ordered by their
    `class_values`.

    Parameters
    ----------
    tree : ObliqueTree
        The tree.
    X : ndarray of shape (n, p)
        Rows in the scaled space.
    smoothing : float, default 0
        Weight added to every class before the shares are taken.

    Returns
    -------
    ndarray of shape (n, K)

    Examples
    --------
    >>> tree = ObliqueTree.stump([2.0], -1.0, leaf_classes=[0, 1], n_classes=2)
    >>> decision_values(tree, np.array([[0.0], [2.0]]))
    array([[ 1.25 , -1.25 ],
           [-1.375,  1.375]])
    """
    distances = class_values(tree, X)
    is_predicted = distances >= 0
    distances[is_predicted] = np.maximum(distances[is_predicted], np.finfo(float).tiny)
    all_shares = tree.leaf_shares(smoothing)
    shares = all_shares[tree.apply(X) - len(all_shares)]
    steps = np.diff(np.unique(all_shares.round(DIGITS)), prepend=0.0, append=1.0)
    reach = steps[steps > 0].min() / 2  # distances decide only between equal shares
    within = reach * distances / (1 + np.abs(distances))
    return np.asarray(np.where(is_predicted, shares, shares - 1) + within)


def _leaf_values(tree: ObliqueTree, X: FloatArray) -> FloatArray:
    """Return the smallest signed split value on the way to every leaf."""
    f = tree.split_values(X)
    # A row on a hyperplane goes right, so its value on the left is a little below 0.
    left = np.where(f >= 0, np.minimum(-f, -np.finfo(float).tiny), -f)
    left[:, ~tree.splits], right = np.inf, np.where(tree.splits, f, -np.inf)
    values = np.full((len(X), 1), np.inf)
    for level in range(tree.depth):
        nodes = slice(2**level - 1, 2 ** (level + 1) - 1)
        sides = np.stack([left[:, nodes], right[:, nodes]], axis=2)
        values = np.minimum(values[:, :, None], sides).reshape(len(X), -1)
    return values
