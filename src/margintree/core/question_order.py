"""The order of two splits, where either order costs the same."""

from collections.abc import Callable, Iterator

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray
from margintree.core.cost import Cost
from margintree.core.problem import Problem
from margintree.core.simplify import with_leaf_mass
from margintree.core.topology import sibling
from margintree.core.tree import ObliqueTree

TIE = 1e-9
"""Trees whose costs differ by a smaller share cost the same."""


def in_order(
    problem: Problem, tree: ObliqueTree, judge: Callable[[Problem, ObliqueTree], Cost]
) -> ObliqueTree:
    """Return the tree of the same cost in which a question comes first that settles more rows.

    Two splits, one below the other, can often change places: every row still meets the questions
    that tell its leaf. Rounding must not decide which of them comes first. So the one that has more
    training weight beyond the other comes first, or else the one with the first row there; rows
    have an order, see `Problem.from_data`. No row changes its leaf, and the cost stays the same.

    Examples
    --------
    >>> from margintree.core.judges import price_margins
    >>> problem = Problem.from_data([[0.0], [4.0], [8.0]], [0, 1, 2], n_classes=3, depth=2)
    >>> weights, splits = np.array([[4.0], [4.0], [0.0]]), np.array([True, True, False])
    >>> leaves, intercepts = [0, 1, 2, 2], [-3.0, -1.0, -1.0]  # the right end first
    >>> args = leaves, np.zeros((4, 3)), problem.scaling
    >>> in_order(problem, ObliqueTree(weights, intercepts, splits, *args), price_margins).intercepts
    array([-1., -1., -3.])
    """
    limit = judge(problem, tree).total * (1 + TIE)
    for _ in range(len(tree.splits) ** 2):  # more exchanges than a tree can need
        exchanged = (
            with_leaf_mass(problem, other)
            for other in _exchanges(problem, tree)
            if (cost := judge(problem, other)).total <= limit and cost.is_allowed
        )
        better = next(exchanged, None)
        if better is None:
            break
        tree = better
    return tree


def _exchanges(problem: Problem, tree: ObliqueTree) -> Iterator[ObliqueTree]:
    """Yield the trees in which a split has changed places with one that should come before it."""
    values = tree.split_values(problem.X)
    leaves = tree.leaves_of(values)

    def rows_at(node: int) -> IntArray:
        return np.flatnonzero(leaves >> tree.depth + 1 - node.bit_length() == node)

    for lower in range(2, len(tree.splits) + 1):
        beside = rows_at(sibling(lower))
        sides = values[beside, lower - 1] >= 0
        both_split = tree.splits[lower - 1] and tree.splits[lower // 2 - 1]
        if not both_split or not len(beside) or sides.any() != sides.all():
            continue
        side = int(sides[0])
        beyond = rows_at(2 * lower + 1 - side)
        settles_more = _settles_more(problem.row_weights, beyond, beside)
        if settles_more and _has_room(tree, sibling(lower)):
            yield _exchanged(tree, lower, side)


def _has_room(tree: ObliqueTree, node: int) -> bool:
    """Tell whether the subtree of a node can go one level down: its last level does not split."""
    n_levels = tree.depth - node.bit_length()
    return not tree.splits[(node << n_levels) - 1 : (node + 1 << n_levels) - 1].any()


def _settles_more(weights: FloatArray, rows: IntArray, others: IntArray) -> bool:
    """Tell whether rows weigh more than others, or the same and the first of them comes first."""
    weight, other = weights[rows].sum(), weights[others].sum()
    if np.isclose(weight, other, rtol=TIE, atol=0.0):
        return bool(rows[:1] < others[:1]) if len(rows) else False
    return bool(weight > other)


def _exchanged(tree: ObliqueTree, lower: int, side: int) -> ObliqueTree:
    """Return the tree in which a split has changed places with the one above it.

    All rows of the lower split's sibling are on this side of it.
    """
    upper, n_leaves = lower // 2, len(tree.leaf_classes)
    nodes = np.arange(2 * n_leaves)

    def place(new: int, old: int) -> None:
        """Put the subtree of an old node at a new one, above or below its old level."""
        nodes[new] = old
        if new < n_leaves:
            ends = (2 * old, 2 * old + 1) if old < n_leaves else (old, old)
            place(2 * new, ends[0])
            place(2 * new + 1, ends[1])
        elif old < n_leaves:
            place(new, 2 * old)  # nothing below it splits

    below = 2 * upper + side
    nodes[upper], nodes[below] = lower, upper
    place(2 * upper + 1 - side, 2 * lower + 1 - side)
    place(2 * below + lower % 2, 2 * lower + side)
    place(2 * below + 1 - lower % 2, sibling(lower))
    return tree.rearranged(nodes, np.ones(n_leaves - 1))
