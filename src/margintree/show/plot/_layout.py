"""Where the nodes of a tree are drawn, and who comes to them."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from margintree._lib.arrays import FloatArray
from margintree.core import topology
from margintree.core.tree import ObliqueTree
from margintree.show.export.rounded_splits import question


@dataclass(frozen=True)
class Card:
    """Where a node is drawn.

    Attributes
    ----------
    node : int
        The node: a split or a leaf.
    x : float
        The middle of its card, in columns; every leaf has a column of its own.
    level : int
        How many splits lie above it.
    children : pair of Card, or empty
        Where "no" leads, drawn on the left, and where "yes" leads.
    """

    node: int
    x: float
    level: int
    children: tuple["Card", ...] = ()

    def all(self) -> Iterator["Card"]:
        """Yield this card and all below it."""
        yield self
        for child in self.children:
            yield from child.all()

    def leaves(self) -> list["Card"]:
        """Return the leaves at or below this card, the leftmost first."""
        return [card for card in self.all() if not card.children]


def laid_out(tree: ObliqueTree, node: int = 1, level: int = 0, first: int = 0) -> Card:
    """Return the card of a subtree whose leaves take the columns from ``first`` on."""
    node = tree.first_stop(node)
    if node > len(tree.splits):
        return Card(node, first, level)
    ends = topology.left(node), topology.right(node)
    at_no, at_yes = reversed(ends) if question(tree, node).is_turned else ends
    no = laid_out(tree, at_no, level + 1, first)
    yes = laid_out(tree, at_yes, level + 1, first + len(no.leaves()))
    return Card(node, (first + yes.leaves()[-1].x) / 2, level, (no, yes))


def class_mass(tree: ObliqueTree, node: int) -> FloatArray:
    """Return the training weight of every class that comes to a node."""
    width = topology.n_leaves(tree.depth - topology.depth_of(node))
    first = node * width - topology.n_leaves(tree.depth)
    return np.asarray(tree.leaf_mass[first : first + width].sum(axis=0))
