"""Where hyperplanes lie among all those with the same routing."""

import warnings
from dataclasses import replace

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from margintree._lib.arrays import BoolArray, FloatArray
from margintree.core.problem import Problem
from margintree.core.rules import widths
from margintree.core.simplify import centred
from margintree.core.tree import ObliqueTree

DEAR = 1e6
"""Price of a margin violation; at this price rows that can be separated are."""
MAX_STEPS = 100_000
"""Maximum number of steps of one support vector machine."""


def with_margin_planes(problem: Problem, tree: ObliqueTree) -> ObliqueTree:
    """Return the tree with the maximum-margin hyperplane between the two sides of every split.

    Every row keeps its way, so errors stay the same. A hyperplane may use all features. A split
    stays as it is if the new hyperplane does not separate the sides widely enough.

    Examples
    --------
    >>> problem = Problem.from_data([[0, 0], [0, 1], [1, 0]], [0, 1, 1], n_classes=2, depth=1)
    >>> tree = ObliqueTree.stump([1.0, 0.9], -0.5, leaf_classes=[0, 1], n_classes=2)
    >>> with_margin_planes(problem, tree).weights.round(3)
    array([[2., 2.]])
    """
    visits = tree.decision_path(problem.X).toarray()[:, : len(tree.splits)] > 0
    goes_right = tree.split_values(problem.X) >= 0
    for t in np.flatnonzero(tree.splits).tolist():
        inside = visits[:, t]
        weights, intercepts = tree.weights.copy(), tree.intercepts.copy()
        weights[t], intercepts[t] = widest_between(problem.X[inside], goes_right[inside, t])
        placed = centred(problem, replace(tree, weights=weights, intercepts=intercepts))
        if _keeps_sides(problem, placed, goes_right, visits, t):
            tree = placed
    return tree


def widest_between(X: FloatArray, goes_right: BoolArray) -> tuple[FloatArray, float]:
    """Return the hyperplane with the widest margin between two sets of rows.

    Examples
    --------
    >>> widest_between(np.array([[0.0], [0.5], [1.0]]), np.array([False, False, True]))
    (array([4.]), -3.0)
    """
    machine = SVC(kernel="linear", C=DEAR, max_iter=MAX_STEPS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        machine.fit(X, goes_right)
    return np.asarray(machine.coef_[0]), float(machine.intercept_[0])


def _keeps_sides(
    problem: Problem, tree: ObliqueTree, goes_right: BoolArray, visits: BoolArray, t: int
) -> bool:
    """Tell whether a split sends its rows as before and has the required width."""
    sides = tree.split_values(problem.X)[:, t] >= 0
    is_same = bool((sides == goes_right[:, t])[visits[:, t]].all())
    return is_same and bool(widths(problem.X, tree)[t] >= problem.rules.separation)
