"""Simpler forms of a tree that cost no more."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from margintree._lib.arrays import BoolArray, FloatArray, IntArray, product
from margintree.core import topology
from margintree.core.problem import Problem
from margintree.core.rules import closest_values
from margintree.core.tree import ObliqueTree

CLOSE = 1e-9
"""Two sides at most this far apart, for weights that add up to 1, count as touching."""


def simplify(problem: Problem, tree: ObliqueTree) -> ObliqueTree:
    """Return the tree without splits that do not pay, and with the cheapest classes.

    A split with an empty side is removed, a split below a node that does not split moves up, and a
    split above two leaves that costs as much as it saves is removed. Every leaf predicts the class
    that is cheapest for its rows. An empty leaf predicts the class that is cheapest for the rows of
    its closest ancestor with rows. The judge's cost never rises. Leaf masses are cleared, because
    rows may have moved; `with_leaf_mass` fills them again.

    Examples
    --------
    >>> from margintree.core.tree import ObliqueTree
    >>> problem = Problem.from_data([[0.0], [1.0]], [0, 1], n_classes=2, depth=1)
    >>> useless = ObliqueTree.stump([1.0], 5.0, leaf_classes=[0, 0], n_classes=2)
    >>> simplify(problem, useless).n_splits
    0
    """
    if not tree.splits.any():
        return with_cheapest_classes(
            problem, replace(tree, leaf_mass=np.zeros_like(tree.leaf_mass))
        )
    return with_cheapest_classes(problem, prune(problem, push_up(problem, tree)))


def with_leaf_mass(problem: Problem, tree: ObliqueTree) -> ObliqueTree:
    """Return the tree with the class weights of the problem's rows in its leaves."""
    mass = np.zeros((len(tree.leaf_classes), problem.n_classes))
    leaves = tree.apply(problem.X) - len(mass)
    np.add.at(mass, (leaves, problem.y), problem.row_weights)
    return replace(tree, leaf_mass=mass, scaling=problem.scaling)


def with_cheapest_classes(problem: Problem, tree: ObliqueTree) -> ObliqueTree:
    """Return the tree whose leaves predict the cheapest class for the problem's rows."""
    prices, counts = _leaf_prices(problem, tree)
    return replace(tree, leaf_classes=_borrowed(prices, counts).argmin(axis=1))


def _leaf_prices(problem: Problem, tree: ObliqueTree) -> tuple[FloatArray, IntArray]:
    """Return the price of each class in each leaf, and the number of rows there."""
    n_leaves = len(tree.leaf_classes)
    leaves = tree.apply(problem.X) - n_leaves
    prices = np.zeros((n_leaves, problem.n_classes))
    # Without c1, so that leaves name sensible classes even if errors cost nothing.
    np.add.at(prices, leaves, problem.row_weights[:, None] * problem.error_costs[problem.y])
    return prices, np.bincount(leaves, minlength=n_leaves)


def _borrowed(prices: FloatArray, counts: IntArray) -> FloatArray:
    """Return the prices of every leaf, or of its closest ancestor with rows if it is empty."""
    filled, missing = prices.copy(), counts == 0
    while len(counts) > 1 and missing.any():
        prices = prices[0::2] + prices[1::2]
        counts = counts[0::2] + counts[1::2]
        repeats = len(filled) // len(counts)
        takes = missing & np.repeat(counts > 0, repeats)
        filled[takes] = np.repeat(prices, repeats, axis=0)[takes]
        missing &= ~takes
    return filled


def prune(problem: Problem, tree: ObliqueTree) -> ObliqueTree:
    """Return the tree without splits above two leaves that cost as much as they save."""
    splits = tree.splits.copy()
    values = tree.split_values(problem.X)
    leaves = tree.leaves_of(values)
    prices = problem.costs.splits + problem.price_of_features(tree.weights)
    for t in reversed(topology.branch_nodes(tree.depth)):
        height = tree.depth - topology.depth_of(t)
        has_split_below = height > 1 and splits[[2 * t - 1, 2 * t]].any()
        rows = np.flatnonzero(leaves >> height == t)
        if splits[t - 1] and not has_split_below:
            splits[t - 1] = _pays(problem, rows, values[rows, t - 1], prices[t - 1])
    return replace(
        tree,
        weights=np.where(splits[:, None], tree.weights, 0.0),
        intercepts=np.where(splits, tree.intercepts, -1.0),
        splits=splits,
    )


def _pays(problem: Problem, rows: IntArray, values: FloatArray, price: float) -> bool:
    """Tell whether dividing the rows by the sign of the values saves more than it costs.

    ``price`` is that of the split and its features.
    """
    prices, right = problem.error_prices[rows], values >= 0
    violations = product(problem.row_weights[rows], np.maximum(0.0, 1.0 - np.abs(values)))
    total = price + problem.costs.violations * violations
    divided = prices[right].sum(axis=0).min() + prices[~right].sum(axis=0).min()
    return bool(divided + total < prices.sum(axis=0).min())


def centred(problem: Problem, tree: ObliqueTree) -> ObliqueTree:
    """Return the tree with hyperplanes half-way between the rows that they separate.

    Every split keeps its direction and its routing. It gets the value -1 at the closest row on its
    left and 1 at the closest row on its right. Splits whose sides touch stay as they are.

    Examples
    --------
    >>> problem = Problem.from_data([[0.0], [1.0], [2.0]], [0, 0, 1], n_classes=2, depth=1)
    >>> tree = ObliqueTree.stump([1.0], -0.6, leaf_classes=[0, 1], n_classes=2)
    >>> centred(problem, tree).weights, centred(problem, tree).intercepts
    (array([[4.]]), array([-3.]))
    """
    low, high = closest_values(problem.X, tree)
    sizes = np.abs(tree.weights).sum(axis=1)
    is_parted = tree.splits & np.isfinite(high - low) & (high - low > CLOSE * sizes)
    low, high = np.where(is_parted, low, -1.0), np.where(is_parted, high, 1.0)
    middles, factors = (low + high) / 2, 2 / (high - low)
    return replace(
        tree,
        weights=tree.weights * factors[:, None],
        intercepts=(tree.intercepts - middles) * factors,
    )


@dataclass(frozen=True)
class Visit:
    """A node of the old tree and the division of its rows, as `rearrange` shows it to ``flips``."""

    node: int
    left: int  # number of rows on the left
    right: int  # number of rows on the right
    first_goes_right: bool  # whether the first row of the node goes right

    @property
    def divides(self) -> bool:
        """Whether rows go to both sides."""
        return self.left > 0 and self.right > 0


def remove_empty_sides(problem: Problem, tree: ObliqueTree) -> ObliqueTree:
    """Return the tree without splits that have an empty side; their rows go left."""
    return rearrange(problem, tree, flips=lambda visit: visit.left == 0 and visit.right > 0)


def push_up(problem: Problem, tree: ObliqueTree) -> ObliqueTree:
    """Return the tree in which every split divides rows and has only splits above it."""
    return rearrange(problem, tree, flips=lambda _: False, descends=True)


def rearrange(
    problem: Problem, tree: ObliqueTree, flips: Callable[[Visit], bool], descends: bool = False
) -> ObliqueTree:
    """Return an equivalent tree with flipped or moved nodes; splits that do not divide are idle.

    ``flips`` tells for a `Visit` whether the node swaps its sides. With ``descends``, a node that
    does not divide its rows is left out, and the subtree below it moves up.
    """
    sides = tree.split_values(problem.X) >= 0
    n_leaves = len(tree.leaf_classes)
    old = np.ones(2 * n_leaves, dtype=np.int64)
    signs = np.zeros(n_leaves)
    members = {1: np.arange(problem.n_rows)}
    for t in range(1, n_leaves):
        rows = members.pop(t)
        if descends:
            old[t] = _first_division(int(old[t]), rows, sides)
        signs[t], old[[2 * t, 2 * t + 1]], children = _settle(int(old[t]), rows, sides, flips)
        members[2 * t], members[2 * t + 1] = children
    moved = tree.rearranged(old, signs[1:])
    return replace(moved, leaf_mass=np.zeros_like(tree.leaf_mass))


def _settle(
    node: int, rows: IntArray, sides: BoolArray, flips: Callable[[Visit], bool]
) -> tuple[float, tuple[int, int], tuple[IntArray, IntArray]]:
    """Return the sign (0 for an idle node), the old nodes and the rows of the two children."""
    if node > sides.shape[1]:
        return 0.0, (node, node), (rows, rows[:0])
    right = sides[rows, node - 1]
    visit = Visit(node, int((~right).sum()), int(right.sum()), bool(right[:1].any()))
    children, parts = (2 * node, 2 * node + 1), (rows[~right], rows[right])
    sign = 1.0 if visit.divides else 0.0
    if flips(visit):
        return -sign, children[::-1], parts[::-1]
    return sign, children, parts


def _first_division(node: int, rows: IntArray, sides: BoolArray) -> int:
    """Return the first node at or below ``node`` that divides the rows, or their leaf."""
    while node <= sides.shape[1]:
        right = sides[rows, node - 1]
        if right.any() and not right.all():
            break
        node = 2 * node + int(right.any())
    return node
