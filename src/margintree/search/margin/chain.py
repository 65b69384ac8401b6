"""One chain of the search: a start, then kicks, each followed by a descent."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from margintree._lib.arrays import IntArray
from margintree.search.margin import kicks, leaf_groups, starts
from margintree.search.margin.kernel_data import new_working_tree
from margintree.search.margin.kernels.working_tree import WorkingTree
from margintree.search.margin.kicks import Kick
from margintree.search.margin.local_search import LocalSearch
from margintree.search.margin.starts import Start

HOPELESS = 2.0
"""A kicked tree is given up if it costs this many times the current one after repair."""
GAIN = 1e-6
"""Relative gain that counts as an improvement."""
GROUP_SHARE = 3
"""A chain spends at most one in this many iterations on its leaf groups."""
CLOSE = 1.1
"""A tree from leaf groups is kicked if it costs at most this many times the worth of its chain."""


@dataclass(frozen=True)
class Parts:
    """The parts of a search: its starts, its kicks and when a chain ends."""

    starts: tuple[Start, ...] = (
        starts.from_random_groups,
        starts.from_best_divisions,
    )  # used in rotation
    kicks: tuple[Kick, ...] = tuple(kicks.KICKS)  # drawn at random
    max_failures: int = 60  # kicks in a row without a gain after which a chain ends

    @classmethod
    def usual(cls, depth: int) -> "Parts":
        """Return the default parts of a search."""
        return cls() if depth > 1 else cls(kicks=kicks.KICKS_OF_ONE_SPLIT)


@dataclass(frozen=True)
class Chain:
    """The task of one chain. Nothing else decides its course, so it can run on any thread."""

    number: int  # its position in the search
    seed: int  # the seed of the search
    origin: WorkingTree | None  # the tree to continue from; None to start afresh
    scale: float  # the first common norm of a fresh start
    max_iterations: int  # one improvement of leaf groups counts as `leaf_groups.DESCENTS`
    worth: float = np.inf
    """The best tree is polished exactly if it costs at most this much, because it may be the best
    of all. A tree far above is not kicked."""


@dataclass(frozen=True)
class Found:
    """The result of a chain: the cost of its best tree, the tree, and the iterations spent."""

    cost: float
    working: WorkingTree
    iterations: int


@dataclass(frozen=True)
class Step:
    """A way to change the tree of a local search, tried repeatedly.

    ``take`` changes the tree. It receives a cost above which it may give up, and a maximum number
    of descents. It returns the cost and the number of descents that the step counts as.
    """

    take: Callable[[float, int], tuple[float, int]]
    least: int  # the minimum number of remaining descents for a try
    max_failures: int  # steps in a row without a gain after which no more are tried


def run_chain(
    local: LocalSearch,
    chain: Chain,
    parts: Parts,
    groupings: Sequence[IntArray],
    is_over: Callable[[], bool],
) -> Found:
    """Run a chain until it is stuck, has used its iterations, or time is over.

    If there are leaf groups, the chain improves its own first. This changes the whole tree and
    takes long, while a kick is short and changes a part of the tree. If the result is far more
    expensive than the best tree, it is not kicked.
    """
    local.is_over = is_over
    begin(local, chain, parts, groupings)
    found = Found(local.descend(), local.take(), iterations=1)
    if has_room_for_groups(chain.max_iterations) and leaf_groups.has_groups(local.data):
        step = Step(
            partial(leaf_groups.rearrange, local),
            leaf_groups.LEAST_DESCENTS,
            leaf_groups.MAX_FAILED_ROUNDS,
        )
        laid = improve(local, found, step, chain.max_iterations // GROUP_SHARE)
        if laid.iterations > found.iterations and laid.cost > chain.worth * CLOSE:
            return laid
        found = laid
    kick = Step(partial(leap, local, parts, groupings), 1, parts.max_failures)
    found = improve(local, found, kick, chain.max_iterations)
    if found.cost <= chain.worth:
        return replace(found, cost=local.polish(), working=local.take())
    return found


def has_room_for_groups(max_iterations: int) -> bool:
    """Tell whether a chain with this many iterations can rearrange its first tree.

    Examples
    --------
    >>> has_room_for_groups(30), has_room_for_groups(300)
    (False, True)
    """
    return max_iterations // GROUP_SHARE >= 1 + leaf_groups.LEAST_DESCENTS


def improve(local: LocalSearch, found: Found, step: Step, max_iterations: int) -> Found:
    """Take steps until too many fail in a row; leave the best tree in the local search.

    Returns that tree and the total number of iterations, including those of ``found``.
    """
    cost, best, iterations, failures = found.cost, found.working, found.iterations, 0
    while failures < step.max_failures and iterations + step.least <= max_iterations:
        if local.is_over():
            break
        now, done = step.take(cost * HOPELESS, max_iterations - iterations)
        iterations += done
        if now < cost * (1 - GAIN):
            cost, best, failures = now, local.take(), 0
        else:
            local.put(best)
            failures += 1
    return Found(cost, best, iterations)


def begin(local: LocalSearch, chain: Chain, parts: Parts, groupings: Sequence[IntArray]) -> None:
    """Put the first tree of a chain into the local search."""
    local.rng = np.random.default_rng([chain.seed, chain.number])
    if chain.origin is not None:
        local.put(chain.origin)
        return
    local.put(new_working_tree(local.data, chain.scale * 2 ** local.rng.uniform(-1, 1)))
    start = parts.starts[chain.number // 2 % len(parts.starts)]
    start(local, groupings[int(local.rng.integers(len(groupings)))])


def leap(
    local: LocalSearch, parts: Parts, groupings: Sequence[IntArray], limit: float, _: int
) -> tuple[float, int]:
    """Kick, repair the subtree that was kicked, and descend if the result is promising."""
    rng, splitting = local.rng, local.splitting_nodes()
    if len(splitting):
        node = int(splitting[rng.integers(len(splitting))])
        kick = parts.kicks[rng.integers(len(parts.kicks))]
    else:
        node, kick = 1, kicks.rebuild
    kick(local, node, groupings[int(rng.integers(len(groupings)))])
    return local.descend([node, node], limit), 1
