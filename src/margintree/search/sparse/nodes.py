"""Trees as nested splits, which are easy to take apart and to put together."""

from dataclasses import dataclass, replace

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray
from margintree._lib.products import product
from margintree.core import topology
from margintree.core.problem import Problem
from margintree.core.tree import ObliqueTree


@dataclass(frozen=True)
class Cut:
    """A split, and what follows on its sides: another split, or the class of a leaf."""

    weights: FloatArray
    intercept: float
    left: "Cut | int"
    right: "Cut | int"


Node = Cut | int


def follow(node: Node, X: FloatArray) -> IntArray:
    """Return the class that a subtree gives to each row."""
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
