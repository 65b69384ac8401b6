"""A dive: the depth-first search below one open node, within a number of steps.

Its outcome depends on the node and on the best cost at its start alone, so dives can run on any
number of threads without changing what is found.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray
from margintree.core.judges import price_margins
from margintree.core.problem import Problem
from margintree.core.simplify import with_cheapest_classes
from margintree.core.tree import ObliqueTree
from margintree.exact.proofs.kernels.explore import (
    ADVANCE,
    BOUND,
    CLOSED,
    CREDIT,
    DONE,
    FOUND,
    FULL,
    IS_OPEN,
    LEAST,
    LEVEL,
    LOGGED,
    MOST_CREDIT,
    NODES,
    PAUSED,
    PHASE,
    PRICE,
    STEPS,
    STUCK,
    explore,
)
from margintree.exact.proofs.kernels.frame import frame_of
from margintree.exact.proofs.kernels.state import LOW, NEXT, ROW, SHARE, Frame, RowData, Stack
from margintree.exact.proofs.skeletons import Skeleton
from margintree.exact.proofs.workspace import (
    begin,
    grid_of,
    grown,
    new_desk,
    new_stack,
    rows_of,
    tree_of,
)

PAUSE = 0.05
"""Seconds between two looks at limits and interrupts."""
FIRST_PAUSE = 10_000
"""Steps before the first look."""
MAX_STEPS = 500_000
"""Steps of a dive, some tenths of a second. More than that and the node with the least bound waits
too long; fewer, and much time goes into bounds that are computed a second time."""
PARTIAL_NODES = 20
"""Nodes of a dive into a skeleton with bags. What is open then is refined."""
BETTER = 1e-3
"""Share of the gap by which a tree must be cheaper than the best one to be looked at."""
DEAR_SHARE = 0.25
"""Share of the gap that rows left undecided at a leaf may cost together."""
TOLERANCE_SHARE, LEAST_TOLERANCE, MOST_TOLERANCE = 1e-3, 1e-9, 1e-7
"""To this share of the gap, within limits, are the values of rows at leaves exact."""
FIRST_LOG = 1024
"""Entries of a new log; it grows when they are used up."""

MustStop: TypeAlias = Callable[[], bool]
"""Called at every pause; tells whether to stop at once."""


class OpenNode(NamedTuple):
    """A node of the search that waits, in the order in which nodes are taken.

    Attributes
    ----------
    bound : float
        Lower bound on the cost of its trees.
    order : tuple of int
        Decides between equal bounds: the splits of the skeleton, then the number of the node.
    skeleton : Skeleton
        The shape of its trees.
    places : int ndarray or None
        The node of the tree that each row is known to reach; None if nothing is decided.
    share : float
        Its share of the whole search.
    """

    bound: float
    order: tuple[int, int]
    skeleton: Skeleton
    places: IntArray | None
    share: float


class Leftover(NamedTuple):
    """A node that a dive leaves open: its bound, what is decided and its share of the search."""

    bound: float
    places: IntArray | None
    share: float


@dataclass
class Dived:
    """What a dive found.

    Attributes
    ----------
    tree, objective : ObliqueTree or None, float
        The best tree, if it is better than the one known before, and the best cost.
    leftovers : list of Leftover
        The nodes that it leaves open.
    must_refine : bool
        Whether a bag of the skeleton must be refined.
    bound : float
        Lower bound on the cost of all trees that are not in closed nodes.
    closed : float
        The share of the whole search that it closed.
    nodes, stuck : int
        Nodes, and leaves that could not be solved to the gap asked for.
    least_stuck : float
        The least bound of such leaves.
    log : int ndarray
        What was decided, if that is asked for; see `margintree.exact.proofs.kernels.explore`.
    """

    tree: ObliqueTree | None
    objective: float
    leftovers: list[Leftover] = field(default_factory=list)
    must_refine: bool = False
    bound: float = -np.inf
    closed: float = 0.0
    nodes: int = 0
    stuck: int = 0
    least_stuck: float = np.inf
    log: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))


@dataclass
class History:
    """What was decided in all dives of a proof, by the numbers of their nodes.

    Attributes
    ----------
    roots : list of (int, Skeleton)
        The first skeletons.
    refined : dict of int to list of (int, Skeleton)
        The refinements of a skeleton with bags.
    dives : dict of int to (int ndarray, list of int)
        The log of a dive, and the numbers of the nodes that it left open, in their order there.
    bound : float
        The bound that follows.
    """

    roots: list[tuple[int, Skeleton]] = field(default_factory=list)
    refined: dict[int, list[tuple[int, Skeleton]]] = field(default_factory=dict)
    dives: dict[int, tuple[IntArray, list[int]]] = field(default_factory=dict)
    bound: float = 0.0


class Basics:
    """What all dives into a problem share: its rows, and the frames of its skeletons."""

    def __init__(self, problem: Problem, gap: float, *, has_log: bool = False) -> None:
        self.problem, self.gap, self.has_log = problem, gap, has_log
        self.rows: RowData = rows_of(problem, may_lean=not has_log)
        self.tolerance = min(max(TOLERANCE_SHARE * gap, LEAST_TOLERANCE), MOST_TOLERANCE)

    def cutoff(self, objective: float) -> float:
        """Return the cost below which a tree matters."""
        return objective * (1 - self.gap)

    def paid(self, skeleton: Skeleton) -> float:
        """Return what every tree of a skeleton pays for splits and for classes it does not name."""
        names = [k for k in range(self.problem.n_classes) if skeleton.classes >> k & 1]
        errors = self.problem.error_prices[:, names].min(axis=1).sum()
        return self.problem.costs.splits * skeleton.n_splits + float(errors)

    def frame(self, skeleton: Skeleton, cutoff: float) -> Frame:
        """Return a skeleton as the kernels want it, for trees that cost less than the cutoff."""
        grid: FloatArray = grid_of(self.problem, cutoff - self.paid(skeleton))
        return frame_of(self.rows, *skeleton.arrays(), grid)


class Room:
    """The memory of one dive at a time."""

    def __init__(self, basics: Basics) -> None:
        problem = basics.problem
        self.depth, self.n_rows = problem.depth, problem.n_rows
        self.desk = new_desk(problem.n_rows, problem.n_classes, problem.depth)
        self.stacks: dict[int, Stack] = {}
        self.log = np.empty(FIRST_LOG if basics.has_log else 0, dtype=np.int64)

    def stack(self, n_splits: int) -> Stack:
        """Return a stack for skeletons with this many splits."""
        if n_splits not in self.stacks:
            self.stacks[n_splits] = new_stack(self.n_rows, n_splits, self.depth)
        return self.stacks[n_splits]

    def grow(self, n_splits: int) -> None:
        """Make more room for levels and for the log."""
        self.stacks[n_splits] = grown(self.stacks[n_splits])
        self.log = np.concatenate([self.log, np.empty_like(self.log)])


class Dive:
    """The search below one open node."""

    def __init__(self, basics: Basics, room: Room, node: OpenNode, objective: float) -> None:
        self.basics, self.room, self.node = basics, room, node
        self.found = Dived(None, objective)
        self.known = objective
        self.counts, self.reals = np.zeros(7, dtype=np.int64), np.zeros(6)
        self.counts[PHASE], self.reals[LEAST], self.reals[CREDIT] = BOUND, np.inf, MOST_CREDIT
        self.pause = FIRST_PAUSE
        self.frame = basics.frame(node.skeleton, basics.cutoff(objective))
        self.n_splits = int(self.frame.is_split.sum())
        room.desk.hulls[:] = room.desk.lambdas[:] = 0.0
        begin(room.stack(self.n_splits), self.frame, node.places, basics.paid(node.skeleton))
        room.stack(self.n_splits).cells[0, 0] = node.bound

    @property
    def stack(self) -> Stack:
        """The path to the present node."""
        return self.room.stack(self.n_splits)

    def run(self, must_stop: MustStop, max_nodes: int) -> Dived:
        """Search until nothing is left, the steps or nodes are used up, or it must stop."""
        is_complete = self.node.skeleton.is_complete
        max_nodes = max_nodes if is_complete else min(max_nodes, PARTIAL_NODES)
        while not must_stop():
            status = self._go_on(max_nodes)
            if status == FULL:
                self.room.grow(self.n_splits)
            elif status == FOUND:
                self._take_tree()
            elif status != PAUSED:
                break
        else:
            status = PAUSED
        self._sum_up()
        if status != DONE and not is_complete:
            # Refinements begin anew, so what is closed here does not count.
            self.found.must_refine = status != PAUSED
            self.found.leftovers = [Leftover(self.found.bound, None, self.node.share)]
            self.found.closed, self.found.log = 0.0, np.array([IS_OPEN])
        return self.found

    def _go_on(self, max_nodes: int) -> int:
        """Call the compiled search once, for about as long as a pause may last."""
        basics, objective = self.basics, self.found.objective
        cutoff = basics.cutoff(objective)
        before, began = int(self.counts[STEPS]), time.perf_counter()
        status = explore(
            basics.rows,
            self.frame,
            self.stack,
            self.room.desk,
            self.room.log,
            self.counts,
            self.reals,
            cutoff,
            min(self.known, objective * (1 - BETTER * basics.gap)),
            DEAR_SHARE * basics.gap * cutoff / basics.problem.n_rows,
            basics.tolerance,
            self.node.skeleton.is_complete,
            before + self.pause,
            MAX_STEPS,
            max_nodes,
        )
        if status == PAUSED:
            seconds = time.perf_counter() - began
            self.pause = int(self.pause * min(2.0, PAUSE / max(seconds, 1e-6))) + 1
        return int(status)

    def _take_tree(self) -> None:
        """Keep the tree at hand; if the judge does not agree, ask for a cheaper one next time."""
        problem, level = self.basics.problem, int(self.counts[LEVEL])
        tree = tree_of(problem, self.frame, self.stack, self.room.desk, level)
        tree = with_cheapest_classes(problem, tree)
        cost = price_margins(problem, tree)
        if cost.is_allowed and cost.total < self.found.objective:
            self.found.tree, self.found.objective = tree, cost.total
        else:
            self.known = min(self.known, float(self.reals[PRICE])) * (1 - 1e-6)

    def _sum_up(self) -> None:
        found, counts = self.found, self.counts
        found.leftovers = list(self._open_nodes())
        found.nodes, found.stuck = int(counts[NODES]), int(counts[STUCK])
        found.least_stuck = float(self.reals[LEAST])
        found.closed = float(self.reals[CLOSED]) * self.node.share
        least = min((left.bound for left in found.leftovers), default=np.inf)
        found.bound = max(self.node.bound, min(least, found.least_stuck))
        if self.basics.has_log:
            still_open = np.full(len(found.leftovers), IS_OPEN)
            found.log = np.concatenate([self.room.log[: counts[LOGGED]], still_open])

    def _open_nodes(self) -> Iterator[Leftover]:
        """Yield the nodes that are open, in the order in which the search would take them."""
        stack, level = self.stack, int(self.counts[LEVEL])
        if level >= 0 and self.counts[PHASE] != ADVANCE:
            yield self._leftover(level, stack.levels[level, SHARE], stack.places[level])
            level -= 1
        for above in range(level, -1, -1):
            row, n_ways, first = stack.moves[above, ROW : NEXT + 1]
            for to in stack.options[above, first:n_ways]:
                places = stack.places[above].copy()
                places[row] = to
                yield self._leftover(above, stack.levels[above, SHARE] / n_ways, places)

    def _leftover(self, level: int, share: float, places: IntArray) -> Leftover:
        bound = max(float(self.stack.levels[level, LOW]), self.node.bound)
        return Leftover(bound, places.astype(np.int16), float(share) * self.node.share)
