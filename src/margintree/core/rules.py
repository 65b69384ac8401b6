"""Which trees are allowed, beside what they cost: their leaves, their splits and their sides."""

from dataclasses import dataclass

import numpy as np

from margintree._lib.arrays import BoolArray, FloatArray
from margintree._lib.exceptions import InvalidInputError
from margintree.core import topology
from margintree.core.problem import Problem
from margintree.core.tree import ObliqueTree

SLACK = 1e-9
"""Share of the least weight of a leaf that rounding may cost it."""
SEPARATION = 0.001
"""How far the two sides of a split of OCT-H are apart unless told otherwise."""
NARROW = 1e-2
"""Share of the separation that two sides may lack, for the sake of the tolerances of solvers."""


@dataclass(frozen=True)
class Shape:
    """Rules that a tree must keep.

    Attributes
    ----------
    least_mass : float
        The least training weight of a leaf.
    max_splits : int
        The largest number of splits.
    axis_parallel : bool
        Whether every split looks at one feature only.
    separation : float
        How far the two sides of every split are apart at least, when the absolute values of its
        weights add up to 1.

    Examples
    --------
    >>> problem = Problem.from_data([[0.0], [1.0], [2.0]], [0, 0, 1], n_classes=2, depth=1)
    >>> tree = ObliqueTree.stump([1.0], -0.9, leaf_classes=[0, 1], n_classes=2)
    >>> Shape.of(problem, min_leaf=0.5).faults(problem, tree)
    1
    """

    least_mass: float
    max_splits: int
    axis_parallel: bool = True
    separation: float = 0.0

    @classmethod
    def of(
        cls,
        problem: Problem,
        min_leaf: float = 0.0,
        max_splits: int | None = None,
        axis_parallel: bool = True,
        separation: float = 0.0,
    ) -> "Shape":
        """Return the rules for a problem.

        Parameters
        ----------
        problem : Problem
            The training set.
        min_leaf : float, default 0
            The least weight of a leaf, as a share of all training weight.
        max_splits : int, optional
            The largest number of splits; by default as many as the depth allows.
        axis_parallel : bool, default True
            Whether every split looks at one feature only.
        separation : float, default 0
            How far the two sides of every split are apart at least.
        """
        if not 0 <= min_leaf <= 0.5:
            raise InvalidInputError(
                f"min_leaf must be a share between 0 and 0.5; {min_leaf!r} was given. With more "
                "than half of the rows in every leaf no split is possible."
            )
        most = topology.n_branch_nodes(problem.depth)
        least = min_leaf * float(problem.row_weights.sum()) * (1 - SLACK)
        wanted = most if max_splits is None else min(max_splits, most)
        if wanted < 0:
            raise InvalidInputError(f"max_splits must be at least 0; {max_splits!r} was given.")
        return cls(least, wanted, axis_parallel, separation)

    def faults(self, problem: Problem, tree: ObliqueTree) -> int:
        """Return how often the tree breaks the rules: light leaves, and splits.

        Those are the splits that are too many, oblique, or have sides too close to each other.
        """
        leaves = tree.apply(problem.X) - len(tree.leaf_classes)
        mass = np.bincount(leaves, problem.row_weights, minlength=len(tree.leaf_classes))
        light = int((mass[_open_leaves(tree)] < self.least_mass).sum())
        surplus = max(0, tree.n_splits - self.max_splits)
        oblique = int((np.count_nonzero(tree.weights, axis=1) > 1).sum())
        narrow = int((widths(problem, tree) < self.separation * (1 - NARROW)).sum())
        return light + surplus + (oblique if self.axis_parallel else 0) + narrow


def widths(problem: Problem, tree: ObliqueTree) -> FloatArray:
    """Return how far the sides of every branch node are apart, in units of its weights' sum.

    Infinite where a node does not part its rows. No hyperplane of these weights parts the rows
    with more room, for the intercept is free.

    Examples
    --------
    >>> problem = Problem.from_data([[0.0, 0.0], [1.0, 2.0]], [0, 1], n_classes=2, depth=1)
    >>> tree = ObliqueTree.stump([3.0, -1.0], -1.0, leaf_classes=[0, 1], n_classes=2)
    >>> widths(problem, tree)
    array([0.5])
    """
    low, high = closest_values(problem, tree)
    sizes = np.abs(tree.weights).sum(axis=1)
    return np.asarray((high - low) / np.where(tree.splits, sizes, 1.0))


def closest_values(problem: Problem, tree: ObliqueTree) -> tuple[FloatArray, FloatArray]:
    """Return the value of every branch node at the closest of its rows, on the left and right.

    Infinite where a node does not split or a side has no row.
    """
    values = tree.split_values(problem.X)
    visits = tree.decision_path(problem.X).toarray()[:, : len(tree.splits)] > 0
    low = np.where(visits & (values < 0), values, -np.inf).max(axis=0, initial=-np.inf)
    high = np.where(visits & (values >= 0), values, np.inf).min(axis=0, initial=np.inf)
    return np.asarray(low), np.asarray(high)


def _open_leaves(tree: ObliqueTree) -> BoolArray:
    """Return which leaves a row can reach at all: an idle node sends everything left."""
    is_open = np.ones(2 * len(tree.leaf_classes), dtype=bool)
    for t in topology.branch_nodes(tree.depth):
        is_open[topology.left(t)] = is_open[t]
        is_open[topology.right(t)] = is_open[t] and tree.splits[t - 1]
    return is_open[len(tree.leaf_classes) :]
