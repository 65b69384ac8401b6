"""Which trees are allowed, beside what they cost: light leaves and the number of splits."""

from dataclasses import dataclass

import numpy as np

from margintree import topology
from margintree._typing import BoolArray
from margintree.exceptions import InvalidInputError
from margintree.problem import Problem
from margintree.tree import ObliqueTree

SLACK = 1e-9
"""Share of the least weight of a leaf that rounding may cost it."""


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

    @classmethod
    def of(
        cls,
        problem: Problem,
        min_leaf: float = 0.0,
        max_splits: int | None = None,
        axis_parallel: bool = True,
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
        return cls(least, wanted, axis_parallel)

    def faults(self, problem: Problem, tree: ObliqueTree) -> int:
        """Return how often the tree breaks the rules: light leaves, splits too many or oblique."""
        leaves = tree.apply(problem.X) - len(tree.leaf_classes)
        mass = np.bincount(leaves, problem.row_weights, minlength=len(tree.leaf_classes))
        light = int((mass[_open_leaves(tree)] < self.least_mass).sum())
        surplus = max(0, tree.n_splits - self.max_splits)
        oblique = int((np.count_nonzero(tree.weights, axis=1) > 1).sum())
        return light + surplus + (oblique if self.axis_parallel else 0)


def _open_leaves(tree: ObliqueTree) -> BoolArray:
    """Return which leaves a row can reach at all: an idle node sends everything left."""
    is_open = np.ones(2 * len(tree.leaf_classes), dtype=bool)
    for t in topology.branch_nodes(tree.depth):
        is_open[topology.left(t)] = is_open[t]
        is_open[topology.right(t)] = is_open[t] and tree.splits[t - 1]
    return is_open[len(tree.leaf_classes) :]
