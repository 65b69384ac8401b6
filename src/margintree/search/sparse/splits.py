"""Splits of sparse trees: as nested values, by linear programs, and with best thresholds."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray, product
from margintree.core import topology
from margintree.core.problem import Problem
from margintree.core.rules import Rules
from margintree.core.tree import ObliqueTree


@dataclass(frozen=True)
class Cut:
    """A split with its two sides: each is another split or the class of a leaf."""

    weights: FloatArray
    intercept: float
    left: "Cut | int"
    right: "Cut | int"


Node = Cut | int


def follow(node: Node, X: FloatArray) -> IntArray:
    """Return the class that a subtree predicts for each row."""
    if isinstance(node, int):
        return np.full(len(X), node)
    goes_right = product(X, node.weights) + node.intercept >= 0
    return np.where(goes_right, follow(node.right, X), follow(node.left, X))


def n_splits(node: Node) -> int:
    """Return the number of splits of a subtree."""
    return 0 if isinstance(node, int) else 1 + n_splits(node.left) + n_splits(node.right)


def to_node(tree: ObliqueTree, t: int = 1) -> Node:
    """Return the subtree of a tree at a node."""
    t = tree.first_stop(t)
    if t > len(tree.splits):
        return int(tree.leaf_classes[t - len(tree.leaf_classes)])
    return Cut(
        np.array(tree.weights[t - 1]),
        float(tree.intercepts[t - 1]),
        to_node(tree, topology.left(t)),
        to_node(tree, topology.right(t)),
    )


def to_tree(problem: Problem, node: Node) -> ObliqueTree:
    """Return the tree whose root is a node."""
    leaf = ObliqueTree.leaf(problem.depth, problem.n_features, problem.n_classes)
    raw = leaf.to_dict()

    def place(t: int, node: Node) -> None:
        if isinstance(node, Cut):
            raw["weights"][t - 1], raw["intercepts"][t - 1] = node.weights, node.intercept
            raw["splits"][t - 1] = True
            place(topology.left(t), node.left)
            place(topology.right(t), node.right)

    place(1, node)
    return replace(ObliqueTree.from_dict(raw), scaling=problem.scaling)


def sparse_weights(X: FloatArray, sides: FloatArray, pulls: FloatArray) -> FloatArray:
    """Return the weights ``w`` of ``min ||w||_1 + sum_i pulls_i * hinge(s_i (w @ x_i + b))``.

    ``sides`` holds the wanted sides ``s_i``, +1 or -1. The dual has fewer rows: ``max sum(a)``
    subject to ``0 <= a <= pulls``, ``sum_i a_i s_i = 0`` and every entry of ``sum_i a_i s_i x_i``
    between -1 and 1. The weights are the prices of these limits.

    Examples
    --------
    >>> X = np.array([[0.0, 0.3], [0.5, 0.8], [1.0, 0.4]])
    >>> sparse_weights(X, np.array([-1.0, 1.0, 1.0]), np.full(3, 9.0)).round(6)
    array([4., 0.])
    """
    import highspy  # loaded only when it is needed

    m, p = X.shape
    program = highspy.HighsLp()
    program.num_col_, program.num_row_ = m, p + 1
    program.col_cost_, program.col_lower_, program.col_upper_ = -np.ones(m), np.zeros(m), pulls
    limits = np.r_[np.ones(p), 0.0]
    program.row_lower_, program.row_upper_ = -limits, limits
    program.a_matrix_.start_ = np.arange(m + 1) * (p + 1)
    program.a_matrix_.index_ = np.tile(np.arange(p + 1), m)
    program.a_matrix_.value_ = (sides[:, None] * np.column_stack([X, np.ones(m)])).ravel()
    solver: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    solver.silent()
    solver.setOptionValue("presolve", "off")
    solver.passModel(program)
    solver.run()
    return -np.array(solver.getSolution().row_dual[:p])


def best_thresholds(
    values: FloatArray, left: FloatArray, right: FloatArray, mass: FloatArray, rules: Rules
) -> tuple[FloatArray, FloatArray]:
    """Return the least cost over all thresholds, and that threshold, for every column of values.

    Rows at or above the threshold go right. ``left`` and ``right``, of shape (m, k), hold the price
    of every row on each side for each of k options; ``mass`` holds the weights of the rows. The
    rules set the minimum weight of a side and the minimum distance between the sides.

    Examples
    --------
    >>> values, mass = np.array([[0.0], [0.2], [0.6]]), np.ones(3)
    >>> left, right = np.array([[0.0], [0.0], [1.0]]), np.array([[1.0], [1.0], [0.0]])
    >>> costs, thresholds = best_thresholds(values, left, right, mass, Rules(least_mass=1.0))
    >>> costs, thresholds.round(6)
    (array([0.]), array([0.4]))
    """
    if len(values) < 2:
        return np.full(values.shape[1], np.inf), np.zeros(values.shape[1])
    order = values.argsort(axis=0)
    ranked = np.take_along_axis(values, order, axis=0)
    on_left = left[order].cumsum(axis=0)[:-1].min(axis=2)
    on_right = right[order[::-1]].cumsum(axis=0)[::-1][1:].min(axis=2)
    lighter = mass[order].cumsum(axis=0)[:-1]
    lighter = np.minimum(lighter, mass.sum() - lighter)
    gaps = np.diff(ranked, axis=0)
    is_allowed = (gaps >= rules.separation) & (gaps > 1e-9) & (lighter >= rules.least_mass)
    costs = np.where(is_allowed, on_left + on_right, np.inf)
    best, columns = costs.argmin(axis=0), np.arange(values.shape[1])
    thresholds = (ranked[best, columns] + ranked[best + 1, columns]) / 2
    return costs[best, columns], thresholds
