"""Class trees as nested splits: each class has a leaf of its own, or none."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy.optimize import linear_sum_assignment

from margintree._lib.arrays import FloatArray
from margintree.core import topology
from margintree.core.judges import leafless_prices, way_prices
from margintree.core.problem import Problem
from margintree.core.tree import ObliqueTree

SAVES = 1e-6
"""Share of the price of having no leaf that a class must save by its leaf."""


@dataclass(frozen=True, eq=False)
class Split:
    """A hyperplane and what is to the left and to the right of it."""

    weights: FloatArray
    intercept: float
    left: "Part"
    right: "Part"


Part: TypeAlias = Split | int
"""A part of a class tree: a split, or the class of a leaf."""


def height_of(part: Part) -> int:
    """Return the number of levels of splits.

    Examples
    --------
    >>> height_of(Split(np.ones(1), 0.0, 2, Split(np.ones(1), 1.0, 0, 1)))
    2
    """
    if isinstance(part, Split):
        return 1 + max(height_of(part.left), height_of(part.right))
    return 0


def to_tree(problem: Problem, part: Part) -> ObliqueTree:
    """Return a class tree as an oblique tree that is no deeper than it needs to be.

    Examples
    --------
    >>> problem = Problem.from_data([[0.0], [0.4], [1.0]], [0, 1, 2], n_classes=3, depth=4)
    >>> right = Split(np.array([2.0]), -1.4, 1, 2)
    >>> tree = to_tree(problem, Split(np.array([5.0]), -1.0, 0, right))
    >>> tree.depth, tree.predict(problem.X)
    (2, array([0, 1, 2]))
    """
    depth = max(1, height_of(part))
    leaf = ObliqueTree.leaf(depth, problem.n_features, problem.n_classes)
    weights, intercepts = leaf.weights.copy(), leaf.intercepts.copy()
    splits, classes = leaf.splits.copy(), np.zeros(2 * len(leaf.leaf_classes), dtype=np.int64)

    def place(node: int, part: Part) -> None:
        if isinstance(part, Split):
            weights[node - 1], intercepts[node - 1] = part.weights, part.intercept
            splits[node - 1] = True
            place(topology.left(node), part.left)
            place(topology.right(node), part.right)
        else:
            classes[list(topology.subtree(node, depth))] = part

    place(1, part)
    named = classes[len(leaf.leaf_classes) :]
    return ObliqueTree(weights, intercepts, splits, named, leaf.leaf_mass, problem.scaling)


def with_best_leaves(problem: Problem, tree: ObliqueTree) -> ObliqueTree:
    """Return the class tree with these hyperplanes whose violations cost least.

    Every leaf gets at most one class and every class at most one leaf. Splits above a leaf without
    a class are left out.

    Examples
    --------
    >>> problem = Problem.from_data([[0.0], [1.0]], [0, 1], n_classes=2, depth=3)
    >>> tree = ObliqueTree.stump([-4.0], 2.0, leaf_classes=[1, 1], n_classes=2).deepened(3)
    >>> best = with_best_leaves(problem, tree)
    >>> best.depth, best.leaf_classes
    (1, array([1, 0]))
    """
    leafless, heaviest = leafless_prices(problem), int(problem.class_mass().argmax())
    if not tree.splits.any():
        return to_tree(problem, heaviest)
    without = np.where(np.eye(len(leafless), dtype=bool), (1 - SAVES) * leafless[:, None], np.inf)
    prices = np.hstack([way_prices(problem, tree), without])
    classes, columns = linear_sum_assignment(prices)
    n_open = len(tree.open_leaves)
    has_leaf = (columns < n_open) & (problem.class_mass()[classes] > 0)
    leaves = tree.open_leaves[columns[has_leaf]].tolist()
    named = dict(zip(leaves, classes[has_leaf].tolist(), strict=True))

    def part_at(node: int) -> Part | None:
        node = tree.first_stop(node)
        if node > len(tree.splits):
            return named.get(node)
        left, right = part_at(topology.left(node)), part_at(topology.right(node))
        if left is None or right is None:
            return right if left is None else left
        return Split(tree.weights[node - 1], float(tree.intercepts[node - 1]), left, right)

    part = part_at(1)
    return to_tree(problem, heaviest if part is None else part)
