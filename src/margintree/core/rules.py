"""Rules that a tree must keep: about its leaves, its splits, their sides and their features."""

from dataclasses import dataclass
from numbers import Integral

import numpy as np

from margintree._lib.arrays import BoolArray, FloatArray, IntArray
from margintree._lib.exceptions import InvalidInputError
from margintree.core import topology
from margintree.core.tree import ObliqueTree

ROUNDING = 1e-9
"""Share of the minimum weight of a leaf that may be lost to rounding."""
NARROW = 1e-2
"""Share of the separation that two sides may lack, because solvers have tolerances."""


@dataclass(frozen=True)
class Rules:
    """Rules that a tree must keep. Every judge counts how often a tree breaks them.

    Examples
    --------
    >>> tree = ObliqueTree.stump([1.0], -0.9, leaf_classes=[0, 1], n_classes=2)
    >>> X = np.array([[0.0], [0.5], [1.0]])
    >>> Rules(least_mass=1.5).faults(X, np.ones(3), tree)
    {'light_leaves': 1}
    """

    least_mass: float = 0.0  # minimum training weight of a leaf
    max_splits: int | None = None  # maximum number; None for as many as the depth allows
    axis_parallel: bool = False  # whether every split may use only one feature
    separation: float = 0.0  # minimum distance between sides, for absolute weights of sum 1
    max_features_per_split: int | None = None  # None for all of them
    max_features: int | None = None  # in the whole tree; None for all of them
    feature_groups: tuple[int, ...] | None = None  # features of one number count once; None: all do

    def most_splits(self, depth: int) -> int:
        """Return the maximum number of splits of a tree of this depth."""
        most = topology.n_branch_nodes(depth)
        return most if self.max_splits is None else min(self.max_splits, most)

    def groups(self, n_features: int) -> IntArray:
        """Return the group of every feature."""
        given = self.feature_groups
        return np.arange(n_features) if given is None else np.array(given, dtype=np.int64)

    def faults(self, X: FloatArray, row_weights: FloatArray, tree: ObliqueTree) -> dict[str, int]:
        """Return how often a tree breaks each active rule; ``X`` is in the scaled space."""
        found = self._feature_faults(tree)
        if self.least_mass > 0:
            found["light_leaves"] = int((leaf_masses(X, row_weights, tree) < self.least_mass).sum())
        if self.max_splits is not None:
            found["extra_splits"] = max(0, tree.n_splits - self.max_splits)
        if self.axis_parallel:
            found["oblique_splits"] = int((np.count_nonzero(tree.weights, axis=1) > 1).sum())
        if self.separation > 0:
            least_width = self.separation * (1 - NARROW)
            found["narrow_splits"] = int((widths(X, tree) < least_width).sum())
        return found

    def _feature_faults(self, tree: ObliqueTree) -> dict[str, int]:
        found = {}
        used = used_groups(tree.weights, self.groups(tree.n_features))
        if self.max_features_per_split is not None:
            found["wide_splits"] = int((used.sum(axis=1) > self.max_features_per_split).sum())
        if self.max_features is not None:
            found["extra_features"] = max(0, int(used.any(axis=0).sum()) - self.max_features)
        return found


def least_mass_of(min_samples_leaf: float, total_weight: float) -> float:
    """Return the minimum weight of a leaf, from an integer (a weight) or a float (a share).

    Examples
    --------
    >>> round(least_mass_of(0.25, 40.0), 6), round(least_mass_of(5, 40.0), 6)
    (10.0, 5.0)
    """
    is_share = not isinstance(min_samples_leaf, Integral)
    least = min_samples_leaf * total_weight if is_share else float(min_samples_leaf)
    if not 0 <= least <= 0.5 * total_weight:
        raise InvalidInputError(
            f"min_samples_leaf must be a share from 0.0 to 0.5 of the training weight, or a weight "
            f"from 0 to half of it, which is {0.5 * total_weight:g} here; {min_samples_leaf!r} was "
            "given. With more than half of the rows in every leaf no split is possible."
        )
    return least * (1 - ROUNDING)


def used_groups(weights: FloatArray, groups: IntArray) -> BoolArray:
    """Return which groups of features (columns) each hyperplane (row) uses.

    Examples
    --------
    >>> used_groups(np.array([[2.0, 0.0, 0.0], [0.0, 1.0, -1.0]]), np.array([0, 1, 1]))
    array([[ True, False],
           [False,  True]])
    """
    used = np.zeros((len(weights), int(groups.max(initial=-1)) + 1), dtype=bool)
    hyperplanes, features = np.nonzero(weights)
    used[hyperplanes, groups[features]] = True
    return used


def leaf_masses(X: FloatArray, row_weights: FloatArray, tree: ObliqueTree) -> FloatArray:
    """Return the weight of the rows in every leaf that rows can reach."""
    n_leaves = len(tree.leaf_classes)
    mass = np.bincount(tree.apply(X) - n_leaves, row_weights, minlength=n_leaves)
    return np.asarray(mass[tree.open_leaves - n_leaves])


def widths(X: FloatArray, tree: ObliqueTree) -> FloatArray:
    """Return the distance between the sides of every branch node, in units of its weights' sum.

    It is infinite if a side has no row. The distance is the largest possible for these weights and
    this division of the rows, because the intercept is free.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [1.0, 1.0]])
    >>> widths(X, ObliqueTree.stump([3.0, -1.0], -1.0, leaf_classes=[0, 1], n_classes=2))
    array([0.5])
    """
    low, high = closest_values(X, tree)
    sizes = np.abs(tree.weights).sum(axis=1)
    return np.asarray((high - low) / np.where(tree.splits, sizes, 1.0))


def closest_values(X: FloatArray, tree: ObliqueTree) -> tuple[FloatArray, FloatArray]:
    """Return the values of every branch node at its closest row on the left and on the right.

    They are infinite if the node does not split or the side has no row.
    """
    values = tree.split_values(X)
    visits = tree.decision_path(X).toarray()[:, : len(tree.splits)] > 0
    low = np.where(visits & (values < 0), values, -np.inf).max(axis=0, initial=-np.inf)
    high = np.where(visits & (values >= 0), values, np.inf).min(axis=0, initial=np.inf)
    return np.asarray(low), np.asarray(high)
