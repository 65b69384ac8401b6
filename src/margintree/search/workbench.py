"""A sketch with all that follows from it, and the steps that change it."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from margintree._typing import FloatArray, IntArray
from margintree.search.kernels.polish import polish
from margintree.search.kernels.sketch import Sketch, Task, clear_below, price, rows_below
from margintree.search.kernels.sweep import (
    State,
    margin_split,
    settle,
    sweep,
    trim,
)
from margintree.search.task import new_sketch, new_state

MAX_SWEEPS = 30
ENOUGH = 1e-4
"""Relative gain of a sweep below which a descent ends."""
N_FEATURES = 3
"""Features along which a sweep tilts each hyperplane."""


@dataclass
class Workbench:
    """One sketch in work. Every thread has its own; they share the task, which nobody changes."""

    task: Task
    rng: np.random.Generator = field(default_factory=np.random.default_rng)
    is_over: Callable[[], bool] = lambda: False
    sketch: Sketch = field(init=False)
    state: State = field(init=False)

    def __post_init__(self) -> None:
        self.sketch, self.state = new_sketch(self.task), new_state(self.task)

    def put(self, sketch: Sketch) -> None:
        """Lay a copy of a sketch on the bench."""
        _overwrite(self.sketch, sketch)
        self.settle()

    def take(self) -> Sketch:
        """Return a copy of the sketch."""
        copy = new_sketch(self.task)
        _overwrite(copy, self.sketch)
        return copy

    def clear(self, scale: float) -> None:
        """Start from a tree without splits."""
        self.put(new_sketch(self.task, scale))

    @property
    def scale(self) -> float:
        """The common norm of the hyperplanes."""
        return float(self.sketch.scale[0])

    def price(self) -> float:
        """Return what the sketch costs; infinity where it breaks the routing margin."""
        return float(price(self.task, self.sketch, self.state.values))

    def settle(self, node: int = 1) -> None:
        """Bring everything up to date after a change at or below a node."""
        settle(self.task, self.sketch, self.state, node)

    def rows(self, node: int) -> IntArray:
        """Return the rows that arrive at a node."""
        return rows_below(self.state.terminals, node)

    def splitting_nodes(self) -> IntArray:
        """Return the nodes that split."""
        return np.flatnonzero(self.sketch.splits)

    def cut(self, node: int) -> None:
        """Make a node terminal."""
        self.sketch.splits[node] = False
        clear_below(self.sketch, node)
        self.settle(node)

    def part(self, node: int, sides: FloatArray) -> bool:
        """Split a node so that its rows go to the sides wanted for them (+1, -1, or 0: either).

        What is below the node stays. Returns whether such a split was found.
        """
        if not self.sketch.splits[node]:
            self.sketch.shares[node] = 1.0 / (1 + len(self.splitting_nodes()))
        if self.propose(node, self.rows(node), sides) == np.inf:
            return False
        self.sketch.splits[node] = True
        self.settle(node)
        return True

    def propose(self, node: int, rows: IntArray, sides: FloatArray) -> float:
        """Write a hyperplane that parts some rows as wanted into a node, and nothing else.

        Returns what it costs these rows, a row on the wrong side counting as an error; infinity
        where there is none.
        """
        if sides.max(initial=-1) <= 0 or sides.min(initial=1) >= 0:
            return np.inf
        wrong = self.task.prices[rows].max(axis=1)
        self.sketch.duals[node] = 0.0
        cost = margin_split(
            self.task,
            self.sketch,
            node,
            rows,
            sides,
            np.where(sides > 0, wrong, 0.0),
            np.where(sides < 0, wrong, 0.0),
            1.0,
            np.inf,
        )
        return float(cost)

    def grow(self, top: int, attempts: int = 3) -> None:
        """Split the terminal nodes of a subtree, top down, wherever that pays."""
        first, width = top, 1
        while first < len(self.sketch.intercepts):
            for node in range(first, first + width):
                if node == 1 or self.sketch.splits[node // 2]:
                    self._grow_node(node, attempts)
            first, width = 2 * first, 2 * width

    def _grow_node(self, node: int, attempts: int) -> None:
        for _ in range(attempts):
            if self.sketch.splits[node] or self.is_over():
                return
            self.sweep(node)

    def sweep(self, top: int = 1) -> None:
        """Improve every node of a subtree once."""
        luck = self.rng.random((len(self.sketch.intercepts), 3 + N_FEATURES))
        sweep(self.task, self.sketch, self.state, top, luck)

    def polish(self, exactly: bool = False) -> float:
        """Improve the hyperplanes for the routing as it is, and return the cost."""
        how = (300, 1e-6, 100, 1.8) if exactly else (20, 1e-3, 1, 1.5)
        trim(self.task, self.sketch, self.state, 1)
        polish(self.task, self.sketch, self.state.values, 1, *how, self.price())
        self.settle()
        return self.price()

    def descend(self) -> float:
        """Sweep and polish until nothing improves, and return the cost."""
        cost = self.price()
        for _ in range(MAX_SWEEPS):
            self.sweep()
            now = self.polish()
            if now > cost * (1 - ENOUGH) or self.is_over():
                return now
            cost = now
        return cost


def _overwrite(target: Sketch, source: Sketch) -> None:
    for mine, other in zip(target, source, strict=True):
        np.copyto(mine, other)
