"""The native search for oblique trees with few features: OCT-H.

Errors and features add up over a tree, so with its rows given every subtree is a problem of its
own. The search improves one split after the other with what is below it fixed, from trees of
several kinds, and rebuilds a random subtree when nothing improves any more. A split's weights come
from the weights it has, from single features, from a change of one weight, and from a linear
program that weighs errors against the sizes of the weights; its threshold is the best of all.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from margintree import topology
from margintree._typing import FloatArray, IntArray
from margintree.axis.cart import grow
from margintree.bound import error_bound
from margintree.incumbent import Incumbent
from margintree.judges import count_errors
from margintree.limits import Clock, Limits
from margintree.problem import Problem
from margintree.result import Progress, Reason, Result
from margintree.shape import Shape
from margintree.tidy import centred
from margintree.tree import ObliqueTree

DEFAULT_WORK = 60_000
"""Rebuilt subtrees, times rows and features, of a search that was given no limit of them."""
PATIENCE = 10
"""Rebuilt subtrees in a row without a gain after which the search goes on from another start."""
MAX_SWEEPS = 10
"""How often a descent improves all splits at most."""
MAX_CELLS = 5000
"""Rows times features up to which the best axis-parallel tree takes about a second."""
MAX_PROGRAM_ROWS = 300
"""Rows of a linear program."""
MAX_ENTRIES = 3_000_000
"""Rows, times directions and classes, that are looked at in one go."""
N_MARGIN_TREES = 2
"""Starts that are trees with maximum margins, each with another price of violations."""
MARGIN_ITERATIONS = 10
"""Local searches for each of them."""
GAIN = 1e-9
"""The gain that counts as one."""
ROUNDING = 1e-6
"""Share of the separation that rounding may take."""


@dataclass(frozen=True)
class Cut:
    """A split, and what follows on its sides: another split, or the class of a leaf."""

    weights: FloatArray
    intercept: float
    left: "Cut | int"
    right: "Cut | int"


Node = Cut | int


def search_sparse(
    problem: Problem,
    shape: Shape,
    limits: Limits,
    starts: Sequence[ObliqueTree] = (),
    progress: Progress | None = None,
) -> Result:
    """Return the best tree of OCT-H that local search finds.

    Parameters
    ----------
    problem : Problem
        The training set; a split costs the price of a split for every feature that it looks at.
    shape : Shape
        The least weight of a leaf, the number of splits and how far their sides are apart.
    limits : Limits
        When to stop. Without an iteration limit the search makes `default_iterations` descents.
    starts : sequence of ObliqueTree
        Known trees, in the scaled space of the problem.
    progress : callable, optional
        Told of every better tree.

    Examples
    --------
    >>> from margintree.problem import Costs
    >>> X, y = [[0, 0], [0, 2], [1, 0], [3, 4], [4, 1]], [0, 0, 0, 1, 1]
    >>> problem = Problem.from_data(X, y, n_classes=2, depth=1, costs=Costs(1, 0, 0.1))
    >>> shape = Shape.of(problem, axis_parallel=False, separation=0.005)
    >>> search_sparse(problem, shape, Limits()).objective
    0.1
    """
    judge = partial(count_errors, problem, shape)
    clock = limits.clock()
    bound = error_bound(problem, shape.max_splits)
    incumbent = Incumbent.without_splits(problem, judge, bound, clock, progress)
    reason, limit = Reason.INTERRUPTED, None
    with suppress(KeyboardInterrupt):
        incumbent.offer_all(starts)
        most = default_iterations(problem) if limits.iterations is None else limits.iterations
        descents = _descents(problem, shape, limits, starts, clock)
        while incumbent.iterations < most and incumbent.gap > limits.gap and not clock.is_over():
            incumbent.offer(centred(problem, next(descents)))
            incumbent.iterations += 1
        reason, limit = incumbent.why_search_stopped(limits)
    return incumbent.result(reason, limit, limits.gap, solver="search")


def default_iterations(problem: Problem) -> int:
    """Return how many descents a search makes that was given no limit.

    Examples
    --------
    >>> default_iterations(Problem.from_data([[0.0], [1.0]], [0, 1], n_classes=2, depth=1))
    60
    """
    return int(np.clip(DEFAULT_WORK // (problem.n_rows * problem.n_features), 40, 60))


def _descents(
    problem: Problem,
    shape: Shape,
    limits: Limits,
    starts: Sequence[ObliqueTree],
    clock: Clock,
) -> Iterator[ObliqueTree]:
    """Yield the trees that descents lead to, without end: at last from the best of them."""
    craft = Craft(problem, shape, np.random.default_rng(limits.seed), clock)
    ends = []
    for origin in _origins(problem, shape, limits, starts, clock):
        best, failures = craft.descend(to_node(origin)), 0
        yield to_tree(problem, best)
        while failures < PATIENCE:
            found = craft.descend(craft.rebuilt(best))
            yield to_tree(problem, found)
            best, failures = (found, 0) if craft.is_cheaper(found, best) else (best, failures + 1)
        ends.append(best)
    best = min(ends, key=craft.total)
    while True:
        found = craft.descend(craft.rebuilt(best))
        yield to_tree(problem, found)
        best = found if craft.is_cheaper(found, best) else best


def _origins(
    problem: Problem, shape: Shape, limits: Limits, starts: Sequence[ObliqueTree], clock: Clock
) -> Iterator[ObliqueTree]:
    """Yield trees to start from: known ones, of single features, of margins, and without splits."""
    from margintree.search import search  # compiled kernels are not loaded before they are needed

    yield from starts
    yield _axis_parallel(problem, shape, limits, clock)
    for number in range(N_MARGIN_TREES):
        margins = replace(problem.costs, violations=problem.costs.errors * 0.01**number)
        few = Limits(
            seconds=clock.remaining(),
            memory=limits.memory,
            iterations=MARGIN_ITERATIONS,
            seed=limits.seed,
        )
        yield search(replace(problem, costs=margins), few).tree
    yield ObliqueTree.leaf(problem.depth, problem.n_features, problem.n_classes)


def _axis_parallel(problem: Problem, shape: Shape, limits: Limits, clock: Clock) -> ObliqueTree:
    """Return the best tree with one feature per split; where that takes long, the tree of CART."""
    straight = replace(shape, axis_parallel=True, separation=0.0)
    if problem.depth > 3 or problem.n_rows * problem.n_features > MAX_CELLS:
        return grow(problem, straight, limits.seed)
    # Compiled kernels are not loaded before they are needed.
    from margintree.axis.native import branch_and_bound

    return branch_and_bound(problem, straight, replace(limits, seconds=clock.remaining())).tree


class Craft:
    """Improves trees, node after node."""

    def __init__(
        self, problem: Problem, shape: Shape, rng: np.random.Generator, clock: Clock
    ) -> None:
        self.problem, self.shape, self.rng, self.clock = problem, shape, rng, clock
        self.price = problem.costs.splits
        self.everything = np.arange(problem.n_rows)

    def descend(self, node: Node) -> Node:
        """Improve all splits until nothing improves any more, within the number of splits."""
        before = np.inf
        for _ in range(MAX_SWEEPS):
            node = self.improved(node, self.everything, self.problem.depth)
            cost = self.total(node)
            if cost >= before - GAIN or self.clock.is_over():
                break
            before = cost
        while n_splits(node) > self.shape.max_splits:
            node = self._with_one_split_less(node)
        return node

    def cost(self, node: Node, rows: IntArray) -> float:
        """Return what a subtree costs for its rows; infinity where it breaks the shape."""
        if isinstance(node, int):
            is_light = self.problem.row_weights[rows].sum() < self.shape.least_mass
            is_root = len(rows) == self.problem.n_rows
            return np.inf if is_light and not is_root else self._prices(rows)[:, node].sum()
        left, right = self._parted(node, rows)
        if not self._is_wide(node, left, right):
            return np.inf
        own = self.price * np.count_nonzero(node.weights)
        return float(own + self.cost(node.left, left) + self.cost(node.right, right))

    def total(self, node: Node) -> float:
        """Return what a whole tree costs."""
        return self.cost(node, self.everything)

    def is_cheaper(self, node: Node, other: Node) -> bool:
        """Tell whether one tree costs less than another."""
        return self.total(node) < self.total(other) - GAIN

    def _is_wide(self, node: Cut, left: IntArray, right: IntArray) -> bool:
        """Tell whether the sides of a split are far enough apart."""
        if not (len(left) and len(right)):
            return False
        values = self.problem.X @ node.weights / np.abs(node.weights).sum()
        width = values[right].min() - values[left].max()
        return bool(width >= self.shape.separation * (1 - ROUNDING))

    def improved(self, node: Node, rows: IntArray, height: int) -> Node:
        """Return a subtree that costs no more: first what is below, then the split itself."""
        label = int(self._prices(rows).sum(axis=0).argmin()) if len(rows) else 0
        if height == 0 or not len(rows) or self.clock.is_over():
            return label if isinstance(node, int) or height == 0 else node
        choices: list[Node] = [label]
        if isinstance(node, Cut):
            left, right = self._parted(node, rows)
            node = replace(
                node,
                left=self.improved(node.left, left, height - 1),
                right=self.improved(node.right, right, height - 1),
            )
            choices += [node, self._split(rows, node)]
        elif self.cost(label, rows) > self.price:
            grown = self._split(rows, Cut(np.zeros(self.problem.n_features), 0.0, label, label))
            choices.append(self._grown(grown, rows, height))
        return min(choices, key=lambda choice: self.cost(choice, rows))

    def rebuilt(self, node: Node) -> Node:
        """Return the tree with a random subtree split anew, between random classes."""
        return self._rebuilt(node, self.everything, self.problem.depth)

    def _rebuilt(self, node: Node, rows: IntArray, height: int) -> Node:
        if isinstance(node, Cut) and self.rng.random() > 1 / (1 + n_splits(node)):
            left, right = self._parted(node, rows)
            share = n_splits(node.left) / max(1, n_splits(node) - 1)
            if self.rng.random() < share:
                return replace(node, left=self._rebuilt(node.left, left, height - 1))
            return replace(node, right=self._rebuilt(node.right, right, height - 1))
        return self._split_at_random(node, rows, height)

    def _split_at_random(self, node: Node, rows: IntArray, height: int) -> Node:
        """Return a new subtree whose first split parts random classes, or keeps random rows."""
        present = np.unique(self.problem.y[rows])
        if height == 0 or len(present) < 2:
            return node
        goes_right = self.rng.random(self.problem.n_classes) < 0.5
        goes_right[self.rng.permutation(present)[:2]] = [False, True]
        sides = np.where(goes_right[self.problem.y[rows]], 1.0, -1.0)
        pulls = self.problem.row_weights[rows] * self.rng.random(len(rows))
        weights = self._sparse_weights(rows, sides, pulls / pulls.sum())
        if not weights.any():
            return node
        values = self.problem.X[rows] @ weights
        low, high = np.sort(self.rng.choice(values, 2)) if self.rng.random() < 0.3 else (0.0, 0.0)
        middle = self._middle(values, sides) if low == high else (low + high) / 2
        cut = Cut(weights, -middle, 0, 0)
        return self._grown(cut, rows, height)

    @staticmethod
    def _middle(values: FloatArray, sides: FloatArray) -> float:
        return float((values[sides > 0].mean() + values[sides < 0].mean()) / 2)

    def _grown(self, node: Node, rows: IntArray, height: int) -> Node:
        """Return the split with the best subtrees below it that single steps lead to."""
        if isinstance(node, int):
            return node
        left, right = self._parted(node, rows)
        return replace(
            node,
            left=self.improved(0, left, height - 1),
            right=self.improved(0, right, height - 1),
        )

    def _split(self, rows: IntArray, node: Cut) -> Node:
        """Return the best split of these rows that was found, with the subtrees of the given one.

        Where a side is a leaf, its class is free.
        """
        left, right = self._options(node.left, rows), self._options(node.right, rows)
        directions = np.array(list(self._directions(rows, node, left, right)))
        directions = directions[directions.any(axis=1)]
        if not len(directions):
            return node
        directions /= np.abs(directions).sum(axis=1, keepdims=True)
        values = self.problem.X[rows] @ directions.T
        mass = self.problem.row_weights[rows]
        costs, thresholds = self._best_thresholds(values, left, right, mass)
        costs += self.price * np.count_nonzero(directions, axis=1)
        best = int(costs.argmin())
        if not np.isfinite(costs[best]):
            return node
        goes_right = values[:, best] >= thresholds[best]
        return Cut(
            directions[best],
            -float(thresholds[best]),
            self._with_class(node.left, rows[~goes_right]),
            self._with_class(node.right, rows[goes_right]),
        )

    def _best_thresholds(
        self, values: FloatArray, left: FloatArray, right: FloatArray, mass: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the best thresholds, of as many directions at a time as memory allows."""
        width = max(1, MAX_ENTRIES // (len(values) * max(left.shape[1], right.shape[1])))
        found = [
            best_thresholds(values[:, k : k + width], left, right, mass, self.shape)
            for k in range(0, values.shape[1], width)
        ]
        costs, thresholds = zip(*found, strict=True)
        return np.concatenate(costs), np.concatenate(thresholds)

    def _directions(
        self, rows: IntArray, node: Cut, left: FloatArray, right: FloatArray
    ) -> Iterator[FloatArray]:
        """Yield weights that a split could have."""
        p = self.problem.n_features
        yield from np.eye(p)
        yield from -np.eye(p)
        yield node.weights
        for feature in np.flatnonzero(node.weights):
            yield np.where(np.arange(p) == feature, 0.0, node.weights)
        yield from self._tilted(rows, node, left, right)
        sides = self._wanted(left, right)
        pulls = np.abs(sides)
        if pulls.any():
            for strength in self.price * 10 ** self.rng.uniform(-2, 0.5, 2) + 1e-4 * pulls.sum():
                yield self._sparse_weights(rows, np.sign(sides), pulls / strength)

    def _wanted(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """Return how much cheaper the right side is for every row, for random classes of leaves."""
        chosen = self.rng.integers(left.shape[1]), self.rng.integers(right.shape[1])
        return np.asarray(left[:, chosen[0]] - right[:, chosen[1]])

    def _tilted(
        self, rows: IntArray, node: Cut, left: FloatArray, right: FloatArray
    ) -> Iterator[FloatArray]:
        """Yield the weights after the best change of each single one, the threshold fixed.

        Features are at least 0, so rows go right one after the other as a weight grows.
        """
        if not node.weights.any():
            return
        X = self.problem.X[rows]
        here = X @ node.weights + node.intercept
        with np.errstate(divide="ignore", invalid="ignore"):
            turns = np.where(
                X > 0, here[:, None] / X, np.where(here >= 0, np.inf, -np.inf)[:, None]
            )
        reach = 4 * np.abs(node.weights).sum()
        turns = np.clip(turns, -reach, reach)
        loose = replace(self.shape, separation=0.0)
        costs, steps = best_thresholds(turns, left, right, self.problem.row_weights[rows], loose)
        for feature in np.flatnonzero(np.isfinite(costs)):
            changed = node.weights.copy()
            changed[feature] -= steps[feature]
            yield changed

    def _sparse_weights(self, rows: IntArray, sides: FloatArray, pulls: FloatArray) -> FloatArray:
        """Return the weights whose sizes and violations of a margin cost least, row by row.

        Of many rows a sample is enough, in which each stands for several.
        """
        pulled = np.flatnonzero(pulls * np.abs(sides))
        if len(pulled) > MAX_PROGRAM_ROWS:
            pulls = pulls * (len(pulled) / MAX_PROGRAM_ROWS)
            pulled = self.rng.choice(pulled, MAX_PROGRAM_ROWS, replace=False)
        weights = sparse_weights(self.problem.X[rows[pulled]], sides[pulled], pulls[pulled])
        return np.where(np.abs(weights) > 1e-7 * np.abs(weights).sum(), weights, 0.0)

    def _options(self, node: Node, rows: IntArray) -> FloatArray:
        """Return what each row would pay below a side, of shape (n_rows, n_options)."""
        if isinstance(node, int):
            return self._prices(rows)
        labels = follow(node, self.problem.X[rows])
        return self._prices(rows)[np.arange(len(rows)), labels][:, None]

    def _with_class(self, node: Node, rows: IntArray) -> Node:
        return int(self._prices(rows).sum(axis=0).argmin()) if isinstance(node, int) else node

    def _prices(self, rows: IntArray) -> FloatArray:
        return np.asarray(self.problem.error_prices[rows])

    def _parted(self, node: Cut, rows: IntArray) -> tuple[IntArray, IntArray]:
        goes_right = self.problem.X[rows] @ node.weights + node.intercept >= 0
        return rows[~goes_right], rows[goes_right]

    def _with_one_split_less(self, node: Node) -> Node:
        """Return the cheapest tree that lacks one of the lowest splits."""
        return min(
            self._without_one(node, self.everything),
            key=self.total,
        )

    def _without_one(self, node: Node, rows: IntArray) -> Iterator[Node]:
        if isinstance(node, int):
            return
        left, right = self._parted(node, rows)
        if isinstance(node.left, int) and isinstance(node.right, int):
            yield self._with_class(0, rows)
        for other in self._without_one(node.left, left):
            yield replace(node, left=other)
        for other in self._without_one(node.right, right):
            yield replace(node, right=other)


def sparse_weights(X: FloatArray, sides: FloatArray, pulls: FloatArray) -> FloatArray:
    """Return the weights ``w`` of ``min ||w||_1 + sum_i pulls_i * hinge(s_i (w @ x_i + b))``.

    The dual has fewer rows: ``max sum(a)`` with ``0 <= a <= pulls``, ``sum_i a_i s_i = 0`` and no
    entry of ``sum_i a_i s_i x_i`` beyond -1 or 1. The weights are the prices of these limits.

    Parameters
    ----------
    X : ndarray of shape (m, p)
        The rows.
    sides, pulls : ndarray of shape (m,)
        Wanted sides (+1 or -1), and the prices of violations.

    Examples
    --------
    >>> X = np.array([[0.0, 0.3], [0.5, 0.8], [1.0, 0.4]])
    >>> sparse_weights(X, np.array([-1.0, 1.0, 1.0]), np.full(3, 9.0)).round(6)
    array([4., 0.])
    """
    import highspy  # not before it is needed

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
    values: FloatArray, left: FloatArray, right: FloatArray, mass: FloatArray, shape: Shape
) -> tuple[FloatArray, FloatArray]:
    """Return the least cost over all thresholds, and the threshold, for every column of values.

    Parameters
    ----------
    values : ndarray of shape (m, q)
        The values of every row in q directions; rows at or above the threshold go right.
    left, right : ndarray of shape (m, k)
        What every row pays on either side, for each of the k things that can be there.
    mass : ndarray of shape (m,)
        The weights of the rows.
    shape : Shape
        The least weight of a side, and how far the sides are apart.

    Examples
    --------
    >>> values, mass = np.array([[0.0], [0.2], [0.6]]), np.ones(3)
    >>> left, right = np.array([[0.0], [0.0], [1.0]]), np.array([[1.0], [1.0], [0.0]])
    >>> costs, thresholds = best_thresholds(values, left, right, mass, Shape(1.0, 1))
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
    is_allowed = (gaps >= shape.separation) & (gaps > 1e-9) & (lighter >= shape.least_mass)
    costs = np.where(is_allowed, on_left + on_right, np.inf)
    best, columns = costs.argmin(axis=0), np.arange(values.shape[1])
    thresholds = (ranked[best, columns] + ranked[best + 1, columns]) / 2
    return costs[best, columns], thresholds


def follow(node: Node, X: FloatArray) -> IntArray:
    """Return the class that a subtree gives to each row."""
    if isinstance(node, int):
        return np.full(len(X), node)
    goes_right = X @ node.weights + node.intercept >= 0
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
