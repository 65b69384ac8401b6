"""One class tree that averages the hyperplanes of several problems."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from margintree._lib.arrays import FloatArray
from margintree.core.class_tree import to_tree
from margintree.core.problem import Problem
from margintree.core.space import Space
from margintree.core.tree import ObliqueTree
from margintree.search.classes.hyperplanes import Hyperplanes, groups_of


def averaged_tree(
    problems: Sequence[Problem], shares: FloatArray, tree: ObliqueTree, scaling: Space
) -> ObliqueTree:
    """Return the class tree whose split values are averages.

    Every problem has its own best hyperplanes for the hierarchy of ``tree``. Their values are
    averaged with the shares. The scaling has all terms of the problems.

    Examples
    --------
    >>> from margintree.core.problem import Costs
    >>> rows = Problem.from_data([[0.0], [1.0]], [0, 1], n_classes=2, depth=1)
    >>> dear = replace(rows, costs=Costs(violations=10.0))
    >>> cheap = replace(rows, costs=Costs(violations=0.5))
    >>> start = ObliqueTree.stump([1.0], -0.5, leaf_classes=[0, 1], n_classes=2)
    >>> tree = averaged_tree([dear, cheap], np.array([0.5, 0.5]), start, rows.scaling)
    >>> tree.weights.round(6), tree.intercepts.round(6)
    (array([[1.25]]), array([-0.625]))
    """
    groups = groups_of(tree)
    trees = [
        to_tree(problem, Hyperplanes(problem).part_of(groups)).rescaled(scaling)
        for problem in problems
    ]
    weights = np.tensordot(shares, [tree.weights for tree in trees], axes=1)
    intercepts = np.tensordot(shares, [tree.intercepts for tree in trees], axes=1)
    intercepts = np.where(trees[0].splits, intercepts, -1.0)
    return replace(trees[0], weights=weights, intercepts=intercepts)
