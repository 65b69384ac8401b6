"""Where the nodes of a tree are drawn, and who comes to them."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from margintree import topology
from margintree._typing import FloatArray
from margintree.tree import ObliqueTree


@dataclass(frozen=True)
class Card:
    """Where a node is drawn: the middle of its card, the level, and what lies below it."""

    node: int
    x: float
    level: int
    children: tuple["Card", ...] = ()

    def all(self) -> Iterator["Card"]:
        yield self
        for child in self.children:
            yield from child.all()


def laid_out(tree: ObliqueTree, node: int = 1, level: int = 0, first: int = 0) -> Card:
    """Return the card of a subtree whose leaves take the columns from ``first`` on."""
    node = tree.first_stop(node)
    if node > len(tree.splits):
        return Card(node, first, level)
    left = laid_out(tree, topology.left(node), level + 1, first)
    middle = first + sum(1 for card in left.all() if not card.children)
    right = laid_out(tree, topology.right(node), level + 1, middle)
    last = max(card.x for card in right.all() if not card.children)
    return Card(node, (first + last) / 2, level, (left, right))


def class_mass(tree: ObliqueTree, node: int) -> FloatArray:
    """Return the training weight of every class that comes to a node."""
    width = topology.n_leaves(tree.depth - topology.depth_of(node))
    first = node * width - topology.n_leaves(tree.depth)
    return np.asarray(tree.leaf_mass[first : first + width].sum(axis=0))
