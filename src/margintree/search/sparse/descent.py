"""Local search on one tree: improve its splits, rebuild its subtrees."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray, product
from margintree.core.limits import Clock
from margintree.core.problem import Problem
from margintree.search.sparse.splits import (
    Cut,
    Node,
    best_thresholds,
    follow,
    n_splits,
    sparse_weights,
)

Change: TypeAlias = Callable[[Node, IntArray, int], Node]
"""Changes a subtree, given its rows and the levels that it may have."""
MAX_SWEEPS = 10
"""Maximum number of sweeps over all splits in a descent."""
MAX_PROGRAM_ROWS = 300
"""Maximum number of rows in a linear program."""
MAX_ENTRIES = 3_000_000
"""Maximum number of rows times directions and classes in one block of array operations."""
GAIN = 1e-9
"""Smallest decrease of the cost that counts as a gain."""
ROUNDING = 1e-6
"""Share of the separation that rounding may take."""
RANDOM_PULLS = 0.5, 2.5
"""Least and largest logarithm of the sum of pulls on a random split; with less there is none."""
N_THINNINGS = 3
"""Number of programs, one after the other, that look for a split with fewer features."""
IGNORED = 0.05
"""Share of the rows that a kick leaves out when it separates the sides of a split again."""
MOST_LOST = 1 / 3
"""Largest share of the features of a split that a kick takes away."""


class Descent:
    """Improves trees node by node."""

    def __init__(self, problem: Problem, rng: np.random.Generator, clock: Clock) -> None:
        self.problem, self.rules, self.rng, self.clock = problem, problem.rules, rng, clock
        self.costs = problem.costs
        self.least_price = problem.costs.splits + problem.costs.features
        self.everything = np.arange(problem.n_rows)

    def descend(self, node: Node) -> Node:
        """Improve all splits until nothing changes, then remove splits above the maximum number."""
        before = np.inf
        for _ in range(MAX_SWEEPS):
            node = self.improved(node, self.everything, self.problem.depth)
            cost = self.total(node)
            if cost >= before - GAIN or self.clock.is_over():
                break
            before = cost
        while n_splits(node) > self.problem.max_splits:
            node = self._with_one_split_less(node)
        return node

    def cost(self, node: Node, rows: IntArray) -> float:
        """Return the cost of a subtree for its rows; infinity if it breaks a rule."""
        if isinstance(node, int):
            is_light = self.problem.row_weights[rows].sum() < self.rules.least_mass
            is_root = len(rows) == self.problem.n_rows
            return np.inf if is_light and not is_root else self._prices(rows)[:, node].sum()
        left, right = self._parted(node, rows)
        if not self._is_wide(node, left, right):
            return np.inf
        own = self.costs.splits + self.costs.features * np.count_nonzero(node.weights)
        return float(own + self.cost(node.left, left) + self.cost(node.right, right))

    def total(self, node: Node) -> float:
        """Return the cost of a whole tree."""
        return self.cost(node, self.everything)

    def is_cheaper(self, node: Node, other: Node) -> bool:
        """Tell whether one tree costs less than another."""
        return self.total(node) < self.total(other) - GAIN

    def _is_wide(self, node: Cut, left: IntArray, right: IntArray) -> bool:
        """Tell whether the sides of a split are far enough apart."""
        if not (len(left) and len(right)):
            return False
        values = product(self.problem.X, node.weights) / np.abs(node.weights).sum()
        width = values[right].min() - values[left].max()
        return bool(width >= self.rules.separation * (1 - ROUNDING))

    def improved(self, node: Node, rows: IntArray, height: int) -> Node:
        """Return a subtree that costs no more: first improve its children, then its split."""
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
        elif self.cost(label, rows) > self.least_price:
            grown = self._split(rows, Cut(np.zeros(self.problem.n_features), 0.0, label, label))
            choices.append(self._grown(grown, rows, height))
        return min(choices, key=lambda choice: self.cost(choice, rows))

    def kicked(self, node: Node) -> Node:
        """Return the tree with a random change: a new subtree, or a split with other features.

        The first kind moves between trees, the second finds a split with fewer features.
        """
        change = self._split_at_random if self.rng.random() < 0.5 else self._thinned
        return self._changed(node, self.everything, self.problem.depth, change)

    def _changed(self, node: Node, rows: IntArray, height: int, change: Change) -> Node:
        """Return the tree with a change at a random node."""
        if isinstance(node, Cut) and self.rng.random() > 1 / (1 + n_splits(node)):
            left, right = self._parted(node, rows)
            share = n_splits(node.left) / max(1, n_splits(node) - 1)
            if self.rng.random() < share:
                return replace(node, left=self._changed(node.left, left, height - 1, change))
            return replace(node, right=self._changed(node.right, right, height - 1, change))
        return change(node, rows, height)

    def _split_at_random(self, node: Node, rows: IntArray, height: int) -> Node:
        """Return a new subtree whose first split separates random classes, or rows at random."""
        present = np.unique(self.problem.y[rows])
        if height == 0 or len(present) < 2:
            return node
        goes_right = self.rng.random(self.problem.n_classes) < 0.5
        goes_right[self.rng.permutation(present)[:2]] = [False, True]
        sides = np.where(goes_right[self.problem.y[rows]], 1.0, -1.0)
        pulls = self.problem.row_weights[rows] * self.rng.random(len(rows))
        total = 10 ** self.rng.uniform(*RANDOM_PULLS)
        weights = self._sparse_weights(rows, sides, pulls * (total / pulls.sum()))
        if not weights.any():
            return node
        values = product(self.problem.X[rows], weights)
        low, high = np.sort(self.rng.choice(values, 2)) if self.rng.random() < 0.3 else (0.0, 0.0)
        if low == high:
            low, high = values[sides < 0].mean(), values[sides > 0].mean()
        return self._grown(Cut(weights, -float((high + low) / 2), 0, 0), rows, height)

    def _thinned(self, node: Node, rows: IntArray, height: int) -> Node:
        """Return the split separated again without some of its features, perhaps with another one.

        A leaf is split at random.
        """
        if isinstance(node, int):
            return self._split_at_random(node, rows, height)
        ease = (node.weights != 0).astype(float)
        support = np.flatnonzero(ease)
        n_lost = 1 + int(self.rng.random() * MOST_LOST * len(support))
        if len(support) > 1:
            ease[self.rng.choice(support, n_lost, replace=False)] = 0.0
        unused = np.flatnonzero(ease == 0)
        if len(unused) and self.rng.random() < 0.5:
            ease[self.rng.choice(unused)] = 1.0
        left, right = self._options(node.left, rows), self._options(node.right, rows)
        sides, pulls = self._kept_sides(rows, node, left, right)
        pulls *= self.rng.random(len(rows)) >= IGNORED
        weights = self._sparse_weights(rows, sides, pulls, ease)
        if not weights.any():
            return node
        values = product(self.problem.X[rows], weights)[:, None]
        costs, thresholds = self._best_thresholds(
            values, left, right, self.problem.row_weights[rows]
        )
        if not np.isfinite(costs[0]):
            return node
        return replace(node, weights=weights, intercept=-float(thresholds[0]))

    def _grown(self, node: Node, rows: IntArray, height: int) -> Node:
        """Return the split with the best subtrees that single steps find below it."""
        if isinstance(node, int):
            return node
        left, right = self._parted(node, rows)
        return replace(
            node, left=self.improved(0, left, height - 1), right=self.improved(0, right, height - 1)
        )

    def _split(self, rows: IntArray, node: Cut) -> Node:
        """Return the best split found for these rows, with the subtrees of the given split.

        If a side is a leaf, its class is free.
        """
        left, right = self._options(node.left, rows), self._options(node.right, rows)
        directions = np.array(list(self._directions(rows, node, left, right)))
        directions = directions[directions.any(axis=1)]
        if not len(directions):
            return node
        directions /= np.abs(directions).sum(axis=1, keepdims=True)
        values = product(self.problem.X[rows], directions.T)
        mass = self.problem.row_weights[rows]
        costs, thresholds = self._best_thresholds(values, left, right, mass)
        costs += self.costs.splits + self.costs.features * np.count_nonzero(directions, axis=1)
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
        """Return the best thresholds, for as many directions at a time as memory allows."""
        width = max(1, MAX_ENTRIES // (len(values) * max(left.shape[1], right.shape[1])))
        found = [
            best_thresholds(values[:, k : k + width], left, right, mass, self.rules)
            for k in range(0, values.shape[1], width)
        ]
        costs, thresholds = zip(*found, strict=True)
        return np.concatenate(costs), np.concatenate(thresholds)

    def _directions(
        self, rows: IntArray, node: Cut, left: FloatArray, right: FloatArray
    ) -> Iterator[FloatArray]:
        """Yield candidate weights for a split."""
        p = self.problem.n_features
        yield from np.eye(p)
        yield from -np.eye(p)
        yield node.weights
        for feature in np.flatnonzero(node.weights):
            yield np.where(np.arange(p) == feature, 0.0, node.weights)
        yield from self._tilted(rows, node, left, right)
        yield from self._with_fewer_features(rows, node, left, right)
        sides = self._wanted(left, right)
        pulls = np.abs(sides)
        if pulls.any():
            strengths = self.least_price * 10 ** self.rng.uniform(-2, 0.5, 2)
            for strength in strengths + 1e-4 * pulls.sum():
                yield self._sparse_weights(rows, np.sign(sides), pulls / strength)

    def _with_fewer_features(
        self, rows: IntArray, node: Cut, left: FloatArray, right: FloatArray
    ) -> Iterator[FloatArray]:
        """Yield weights that keep the rows on their sides, with fewer and fewer features.

        The next absolute sum counts a weight by what it was, so small weights become 0.
        """
        if not node.weights.any():
            return
        sides, pulls = self._kept_sides(rows, node, left, right)
        ease = np.ones(self.problem.n_features)
        for _ in range(N_THINNINGS):
            weights = self._sparse_weights(rows, sides, pulls, ease)
            if not weights.any():
                return
            yield weights
            ease = np.abs(weights) / np.abs(weights).max()

    def _kept_sides(
        self, rows: IntArray, node: Cut, left: FloatArray, right: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the sides of the rows, and how strongly to keep those that are on the cheaper one.

        All others may go anywhere.
        """
        goes_right = product(self.problem.X[rows], node.weights) + node.intercept >= 0
        sides, wanted = np.where(goes_right, 1.0, -1.0), self._wanted(left, right)
        strength = self.least_price * 10 ** self.rng.uniform(-3, -1)
        strength += 1e-4 * np.abs(wanted).sum()  # prices of features may be 0
        pulls = np.where(np.sign(wanted) == sides, np.abs(wanted), 0.0)
        return sides, pulls / strength if pulls.any() else pulls

    def _wanted(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """Return how much cheaper the right side is for every row, for random classes of leaves."""
        chosen = self.rng.integers(left.shape[1]), self.rng.integers(right.shape[1])
        return np.asarray(left[:, chosen[0]] - right[:, chosen[1]])

    def _tilted(
        self, rows: IntArray, node: Cut, left: FloatArray, right: FloatArray
    ) -> Iterator[FloatArray]:
        """Yield the weights after the best change of each single weight, with the threshold fixed.

        Features are at least 0, so rows go right one after the other as a weight grows.
        """
        if not node.weights.any():
            return
        X = self.problem.X[rows]
        here = product(X, node.weights) + node.intercept
        with np.errstate(divide="ignore", invalid="ignore"):
            never = np.where(here >= 0, np.inf, -np.inf)[:, None]
            turns = np.where(X > 0, here[:, None] / X, never)
        reach = 4 * np.abs(node.weights).sum()
        turns = np.clip(turns, -reach, reach)
        loose = replace(self.rules, separation=0.0)
        costs, steps = best_thresholds(turns, left, right, self.problem.row_weights[rows], loose)
        for feature in np.flatnonzero(np.isfinite(costs)):
            changed = node.weights.copy()
            changed[feature] -= steps[feature]
            yield changed

    def _sparse_weights(
        self,
        rows: IntArray,
        sides: FloatArray,
        pulls: FloatArray,
        ease: FloatArray | float = 1.0,
    ) -> FloatArray:
        """Return the weights that minimise their absolute sum plus margin violations.

        The weight of a feature counts divided by its ``ease``; with 0 it stays 0. If there are many
        rows, a sample is enough, in which each row stands for several.
        """
        pulled = np.flatnonzero(pulls * np.abs(sides))
        if len(pulled) > MAX_PROGRAM_ROWS:
            pulls = pulls * (len(pulled) / MAX_PROGRAM_ROWS)
            pulled = self.rng.choice(pulled, MAX_PROGRAM_ROWS, replace=False)
        if not len(pulled):
            return np.zeros(self.problem.n_features)
        X = self.problem.X[rows[pulled]] * ease
        weights = ease * sparse_weights(X, sides[pulled], pulls[pulled])
        return np.where(np.abs(weights) > 1e-7 * np.abs(weights).sum(), weights, 0.0)

    def _options(self, node: Node, rows: IntArray) -> FloatArray:
        """Return the price of each row below a side, of shape (n_rows, n_options)."""
        if isinstance(node, int):
            return self._prices(rows)
        labels = follow(node, self.problem.X[rows])
        return self._prices(rows)[np.arange(len(rows)), labels][:, None]

    def _with_class(self, node: Node, rows: IntArray) -> Node:
        return int(self._prices(rows).sum(axis=0).argmin()) if isinstance(node, int) else node

    def _prices(self, rows: IntArray) -> FloatArray:
        return np.asarray(self.problem.error_prices[rows])

    def _parted(self, node: Cut, rows: IntArray) -> tuple[IntArray, IntArray]:
        goes_right = product(self.problem.X[rows], node.weights) + node.intercept >= 0
        return rows[~goes_right], rows[goes_right]

    def _with_one_split_less(self, node: Node) -> Node:
        """Return the cheapest tree that lacks one of the lowest splits."""
        return min(self._without_one(node, self.everything), key=self.total)

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
