"""Many rows: find the structure on a sample of them, then improve it node by node on all.

A sample is searched with its weights scaled up, so that its trees cost about what they cost on all
rows. On all rows a node is improved as in the small search, but its direction comes from dual
coordinate descent, which needs no inner products and takes time in proportion to the rows.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from margintree._typing import FloatArray, IntArray
from margintree.problem import Problem
from margintree.search.kernels.dual_descent import dual_descent
from margintree.search.kernels.lines import best_intercept
from margintree.search.kernels.sketch import Task, rows_below
from margintree.search.kernels.sweep import relabel
from margintree.search.kernels.walk import walk_costs, walk_scale, walk_terminals
from margintree.search.task import to_sketch
from margintree.tree import ObliqueTree

SAMPLE_ROWS = 500
"""Rows of a sample: few enough that all inner products fit in the cache."""
MANY_ROWS = 1000
"""More rows than this are searched by way of a sample."""
PASSES = 5
"""Visits of every dual variable when a direction is looked for on all rows."""
STRENGTHS = (1.0, 0.01)
"""How strongly rows pull, in units of the regularity, in the margin problems on all rows."""
SHORT = 1e-9
"""Vectors shorter than this have no direction worth trying."""
MAX_SWEEPS = 12
ENOUGH = 1e-3
"""Relative gain of a sweep over all rows below which they end."""


def sample(problem: Problem, rng: np.random.Generator) -> Problem:
    """Return the problem of a random sample in which every class keeps its weight."""
    rows = []
    for label in np.flatnonzero(problem.class_mass()):
        members = np.flatnonzero(problem.y == label)
        size = max(5, round(SAMPLE_ROWS * len(members) / problem.n_rows))
        rows.append(rng.choice(members, size=min(size, len(members)), replace=False))
    chosen = np.sort(np.concatenate(rows))
    factors = problem.class_mass() / np.maximum(problem.class_mass(chosen), 1e-300)
    return replace(
        problem,
        X=problem.X[chosen],
        y=problem.y[chosen],
        row_weights=problem.row_weights[chosen] * factors[problem.y[chosen]],
    )


class Refiner:
    """Improves a tree on all rows of a large problem, node by node."""

    def __init__(self, task: Task, tree: ObliqueTree, seed: int) -> None:
        self.task = task
        self.sketch = to_sketch(self.task, tree)
        self.rng = np.random.default_rng(seed)
        self.terminals = np.ones(len(task.X), dtype=np.int64)
        self._settle()

    def sweep(self, is_over: Callable[[], bool] = lambda: False) -> None:
        """Improve every splitting node once, the lowest first, then the common norm."""
        for node in np.flatnonzero(self.sketch.splits)[::-1]:
            if is_over():
                return
            self._improve(int(node))
        scale = walk_scale(self.task, self.sketch)
        factor = scale / self.sketch.scale[0]
        for array in (self.sketch.weights, self.sketch.intercepts, self.sketch.scale):
            array *= factor

    def _settle(self) -> None:
        walk_terminals(self.task, self.sketch, self.terminals)
        relabel(self.task, self.sketch, self.terminals)

    def _improve(self, node: int) -> None:
        """Give a node a cheaper hyperplane, if one is found, with the subtrees below it fixed."""
        rows = rows_below(self.terminals, node)
        if len(rows) < 2:
            return
        cost = self._costs(rows, node).sum()
        left, right = self._costs(rows, 2 * node), self._costs(rows, 2 * node + 1)
        X = self.task.X[rows]
        changed = False
        for weights in self._directions(X, rows, node, left, right):
            weights = weights * (self.sketch.scale[0] / np.linalg.norm(weights))
            intercept, now = best_intercept(
                X @ weights, left, right, self.task.pull[rows], self.task.eps
            )
            if now < cost:
                cost, changed = now, True
                self.sketch.weights[node], self.sketch.intercepts[node] = weights, intercept
        if changed:
            self._settle()

    def _directions(
        self, X: FloatArray, rows: IntArray, node: int, left: FloatArray, right: FloatArray
    ) -> Iterator[FloatArray]:
        """Yield normal vectors worth a try: the present one, and large margins."""
        present = self.sketch.weights[node].copy()
        yield present
        kept = np.where(X @ present + self.sketch.intercepts[node] >= 0, 1.0, -1.0)
        sides = np.where(left == right, kept, np.where(left > right, 1.0, -1.0))
        box = self.task.pull[rows] + np.abs(left - right)
        if np.abs(sides.sum()) == len(sides) or not box.any():
            return
        for strength in STRENGTHS:
            order = self.rng.permutation(len(rows))
            found = dual_descent(
                self.task.X, rows, sides, strength * box / box.mean(), order, PASSES
            )
            between = _unit(found) + _unit(present)
            yield from (one for one in (found, between) if np.linalg.norm(one) > SHORT)

    def _costs(self, rows: IntArray, node: int) -> FloatArray:
        costs = np.empty(len(rows))
        walk_costs(self.task, self.sketch, rows, node, costs)
        return costs


def _unit(vector: FloatArray) -> FloatArray:
    """Return the vector with norm 1, or a vector too short to tell its direction as it is."""
    norm = np.linalg.norm(vector)
    return vector / norm if norm > SHORT else vector
