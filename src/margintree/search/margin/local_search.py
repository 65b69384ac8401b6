"""A working tree with its derived state, and the steps that change it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray
from margintree._lib.svm import inner_products, smo
from margintree.search.margin.kernel_data import new_state, new_working_tree
from margintree.search.margin.kernels.margin_split import margin_split
from margintree.search.margin.kernels.polish import set_hyperplane
from margintree.search.margin.kernels.sweep import (
    State,
    obey,
    refit,
    settle,
    sweep,
)
from margintree.search.margin.kernels.working_tree import (
    KernelData,
    WorkingTree,
    clear_below,
    price,
    rows_below,
)

MAX_SWEEPS = 30
ENOUGH = 1e-4
"""A descent ends if a sweep and a polish together gain less than this share."""
ROWS_BETWEEN_LOOKS = 3000
"""Rows times sweeps between two checks of the clock."""
ATTEMPTS = 3
"""Number of attempts to grow a terminal node."""
WANDERING = 3
"""Number of sweeps with other weights of the rows."""
ROUGHLY, EXACTLY = (20, 1e-3, 1, 1.5), (300, 1e-6, 100, 1.8)
ROUGHLY_OF_MANY, EXACTLY_OF_MANY = (6, 1e-2, 1, 1.5), (60, 1e-4, 5, 1.8)
"""Settings of a polish: rounds, tolerance, patience and power; looser with many rows."""
FEW = 100
"""With more rows than this the polish is loose: an exact one would take most of the time."""
SEPARATE_STEPS, SEPARATE_TO = 40, 1e-3
"""Steps per row, and tolerance, of a margin problem with rows that must not change sides."""
N_FEATURES = 3
"""Number of features along which a sweep tilts each hyperplane."""


@dataclass
class LocalSearch:
    """A working tree and the steps that change it.

    Every thread has its own. Threads share the kernel data, which never changes.
    """

    data: KernelData
    rng: np.random.Generator = field(default_factory=np.random.default_rng)
    is_over: Callable[[], bool] = lambda: False
    working: WorkingTree = field(init=False)
    state: State = field(init=False)
    dearest: FloatArray = field(init=False)
    settings: tuple[tuple[int, float, int, float], ...] = field(init=False)

    def __post_init__(self) -> None:
        self.working, self.state = new_working_tree(self.data), new_state(self.data)
        self.dearest = self.data.prices.max(axis=1)
        has_many = len(self.data.X) > FEW
        self.settings = (ROUGHLY_OF_MANY, EXACTLY_OF_MANY) if has_many else (ROUGHLY, EXACTLY)

    def put(self, working: WorkingTree) -> None:
        """Copy a working tree into the local search."""
        _overwrite(self.working, working)
        settle(self.data, self.working, self.state, 1)

    def take(self) -> WorkingTree:
        """Return a copy of the working tree."""
        copy = new_working_tree(self.data)
        _overwrite(copy, self.working)
        return copy

    def clear(self, scale: float) -> None:
        """Start from a tree without splits."""
        self.put(new_working_tree(self.data, scale))

    @property
    def n_between_looks(self) -> int:
        """The number of sweeps between two checks of the clock."""
        return max(1, ROWS_BETWEEN_LOOKS // len(self.data.X))

    @property
    def limits_splits(self) -> bool:
        """Whether the rules allow fewer splits than the depth does."""
        return bool(self.data.max_splits < 2**self.data.depth - 1)

    @property
    def has_room(self) -> bool:
        """Whether the rules allow another split."""
        n_splits = int(self.working.splits.sum())
        return not self.limits_splits or n_splits < self.data.max_splits

    @property
    def scale(self) -> float:
        """The common norm of the hyperplanes."""
        return float(self.working.scale[0])

    def price(self) -> float:
        """Return the cost of the working tree; infinity if it breaks the routing margin."""
        return float(price(self.data, self.working, self.state.values))

    def settle(self, node: int = 1) -> None:
        """Update the derived state after a change at or below a node."""
        settle(self.data, self.working, self.state, node)

    def rows(self, node: int) -> IntArray:
        """Return the rows that arrive at a node."""
        return rows_below(self.state.terminals, node)

    def splitting_nodes(self) -> IntArray:
        """Return the nodes that split."""
        return np.flatnonzero(self.working.splits)

    def cut(self, node: int) -> None:
        """Make a node terminal."""
        self.working.splits[node] = False
        clear_below(self.working, node)
        self.settle(node)

    def part(self, node: int, sides: FloatArray) -> bool:
        """Split a node so that its rows go to their wanted sides (+1, -1, or 0 for either).

        The subtrees below the node stay. Returns whether such a split was found.
        """
        if not self.working.splits[node]:
            if not self.has_room:
                return False
            self.working.shares[node] = 1.0 / (1 + len(self.splitting_nodes()))
        if self.propose(node, self.rows(node), sides) == np.inf:
            return False
        self.working.splits[node] = True
        self.settle(node)
        return True

    def propose(self, node: int, rows: IntArray, sides: FloatArray) -> float:
        """Write a hyperplane that divides these rows as wanted into a node; change nothing else.

        Returns its cost for these rows, where a row on the wrong side counts as an error. Returns
        infinity if there is no such hyperplane.
        """
        wants_right, wants_left = sides > 0, sides < 0
        if not (wants_right.any() and wants_left.any()):
            return np.inf
        wrong = self.dearest[rows]
        prices = wrong * wants_right, wrong * wants_left
        self.working.duals[node] = 0.0
        luck = self.rng.random() if self.data.is_sparse else 0.0
        cost = margin_split(self.data, self.working, node, rows, sides, *prices, 1.0, np.inf, luck)
        return float(cost)

    def separate(self, node: int, sides: FloatArray) -> None:
        """Give a splitting node the hyperplane of the widest margin between its rows of two sides.

        Rows on the wrong side are not allowed, whatever they would save. If there is no such
        hyperplane, the result is as close as a limited number of steps comes.
        """
        rows = self.rows(node)
        if abs(sides.sum()) == len(rows):
            return
        beta, box = np.zeros(len(rows)), self.data.pull[rows]
        regular, beyond = self.working.shares[node], self.data.eps + SEPARATE_TO / 2
        gram, steps = inner_products(self.data.gram, rows), SEPARATE_STEPS * len(rows)
        _, intercept = smo(gram, sides, box, beyond, np.inf, regular, beta, steps, SEPARATE_TO)
        set_hyperplane(self.data, self.working, node, rows, beta, intercept, self.scale)
        self.settle(node)
        self.polish(exactly=False)

    def grow(self, top: int) -> None:
        """Split the terminal nodes of a subtree, top down, wherever this pays."""
        first, width = top, 1
        while first < len(self.working.intercepts):
            self._grow_level(range(first, first + width))
            first, width = 2 * first, 2 * width

    def _grow_level(self, nodes: Sequence[int]) -> None:
        splits = self.working.splits
        terminals = [t for t in nodes if not splits[t] and (t == 1 or splits[t // 2])]
        tops = [t for t in terminals for _ in range(ATTEMPTS)]
        for k in range(0, len(tops), self.n_between_looks):
            if not self.is_over():
                some = tops[k : k + self.n_between_looks]
                self._descend(some, n_growing=len(some), n_loose=len(some))

    def wander(self, factors: FloatArray) -> None:
        """Improve the tree a little as if the row weights were multiplied by these factors."""
        data = self.data
        prices, pull = data.prices * factors[:, None], data.pull * factors
        self.data = data._replace(prices=prices, pull=pull)
        self.settle()
        self._descend([1] * WANDERING, n_loose=WANDERING)
        self.data = data
        self.settle()

    def polish(self, exactly: bool = True) -> float:
        """Find the best hyperplanes for the present routing, and return the cost."""
        return self._descend([0], exactly=exactly)[0]

    def descend(self, repairs: Sequence[int] = (), limit: float = np.inf) -> float:
        """Sweep the subtrees of some nodes, then sweep and polish the whole tree while that pays.

        Returns the cost, or infinity if it exceeds the limit after the repairs.
        """
        cost, left = self.price(), MAX_SWEEPS
        while left > 0 and not self.is_over():
            tops = [*repairs] + [1] * min(left, self.n_between_looks)
            cost, done = self._descend(tops, n_loose=len(repairs), limit=limit)
            if done < len(tops):
                break
            left, repairs, limit = left - self.n_between_looks, (), np.inf
        return cost

    def _descend(
        self,
        tops: Sequence[int],
        n_growing: int = 0,
        n_loose: int = 0,
        limit: float = np.inf,
        exactly: bool = False,
    ) -> tuple[float, int]:
        """Sweep subtrees and polish in turn; return the cost and the number of turns.

        Each of ``tops`` is the top of a subtree to sweep, or 0 for none. The first ``n_growing``
        sweeps are skipped if their top splits already. The first ``n_loose`` sweeps, which include
        those for growing, are not followed by a polish. If the cost after them exceeds the limit,
        the descent is given up and the cost is infinite. Fewer turns than ``tops`` mean that the
        descent ended early. ``how`` holds the settings of the polish.
        """
        if self.data.least_mass > 0 or self.limits_splits or self.data.is_sparse:
            obey(self.data, self.working, self.state)
        how = self.settings[exactly]
        luck = self.rng.random((len(tops), len(self.working.intercepts), 3 + N_FEATURES))
        cost = self.price()
        for turn, top in enumerate(tops):
            if top > 0 and not (turn < n_growing and self.working.splits[top]):
                sweep(self.data, self.working, self.state, top, luck[turn])
            if turn + 1 < n_loose:
                continue
            if turn < n_loose:
                now = self.price()
            else:
                now = float(refit(self.data, self.working, self.state, *how))
                if now > cost * (1 - ENOUGH):
                    return now, turn
            if now > limit:
                return np.inf, turn
            cost = now
        return cost, len(tops)


def _overwrite(target: WorkingTree, source: WorkingTree) -> None:
    for mine, other in zip(target, source, strict=True):
        np.copyto(mine, other)
