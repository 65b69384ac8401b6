"""One chain of the search: a start, then kicks, each followed by a descent."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from margintree._typing import IntArray
from margintree.problem import Problem
from margintree.search import moves, starts
from margintree.search.groupings import make_groupings
from margintree.search.kernels.sketch import Sketch
from margintree.search.moves import Kick
from margintree.search.starts import Start
from margintree.search.workbench import Workbench

PATIENCE = 2.0
"""A kicked tree that costs this many times the current one, after repair, is given up."""
GAIN = 1e-6
"""Relative gain that counts as an improvement."""
FIRST_CHAINS = 8
"""Chains that all begin plainly; after them every other one begins with splits rewarded."""


@dataclass(frozen=True)
class Parts:
    """What a search is made of.

    Attributes
    ----------
    starts : sequence of callables
        Used in rotation by chains that begin afresh.
    kicks : sequence of callables
        Drawn at random.
    max_failures : int
        Kicks in a row without a gain after which a chain ends.
    make_groupings : callable
        Returns the groupings of the rows of a problem, for a seed, that starts and kicks draw from.
    """

    starts: tuple[Start, ...] = (starts.from_random_groups, starts.from_plan)
    kicks: tuple[Kick, ...] = tuple(moves.KICKS)
    max_failures: int = 60
    make_groupings: Callable[[Problem, int], Sequence[IntArray]] = make_groupings


@dataclass(frozen=True)
class Chain:
    """What one chain is to do; nothing else decides its course, so it can run on any thread.

    Attributes
    ----------
    number : int
        Its place in the search.
    seed : int
        The seed of the search.
    origin : Sketch or None
        The tree to continue from; None to begin afresh.
    scale : float
        The common norm to begin afresh with.
    max_iterations : int
        Descents it may make.
    worth : float
        The cost up to which its best tree is polished exactly, for it may be the best of all.
    """

    number: int
    seed: int
    origin: Sketch | None
    scale: float
    max_iterations: int
    worth: float = np.inf

    @property
    def rewards_splits(self) -> bool:
        """Whether it begins as if splits earned something: every other chain after the first."""
        return self.number > FIRST_CHAINS and self.number % 2 == 0


@dataclass(frozen=True)
class Found:
    """What a chain found: the cost of its best tree, the tree, and how many descents it made."""

    cost: float
    sketch: Sketch
    iterations: int


def climb(
    bench: Workbench,
    chain: Chain,
    parts: Parts,
    groupings: Sequence[IntArray],
    is_over: Callable[[], bool],
) -> Found:
    """Run a chain until it is stuck, has used up its iterations, or time is over.

    Some chains first look for trees as if splits earned something, where there may be several:
    where a few splits are good, all chains would end there, and better trees with more of them
    would not be found.
    """
    bench.is_over = is_over
    begin(bench, chain, parts, groupings)
    iterations = 0
    if chain.rewards_splits and bench.task.depth > 1 and chain.max_iterations > 1:
        with bench.rewarded_splits(chain.worth * bench.rng.random()):
            iterations = improve(bench, parts, groupings, chain.max_iterations - 1).iterations
    found = improve(bench, parts, groupings, chain.max_iterations - iterations)
    iterations += found.iterations
    if found.cost <= chain.worth:
        return Found(bench.polish(), bench.take(), iterations)
    return replace(found, iterations=iterations)


def improve(
    bench: Workbench, parts: Parts, groupings: Sequence[IntArray], max_iterations: int
) -> Found:
    """Descend, then kick until that fails too often; the best tree is on the bench at the end."""
    cost, best = bench.descend(), bench.take()
    iterations, failures = 1, 0
    while failures < parts.max_failures and iterations < max_iterations and not bench.is_over():
        now = leap(bench, parts, groupings, cost * PATIENCE)
        iterations += 1
        if now < cost * (1 - GAIN):
            cost, best, failures = now, bench.take(), 0
        else:
            bench.put(best)
            failures += 1
    bench.put(best)
    return Found(cost, best, iterations)


def begin(bench: Workbench, chain: Chain, parts: Parts, groupings: Sequence[IntArray]) -> None:
    """Lay down the first tree of a chain."""
    bench.rng = np.random.default_rng([chain.seed, chain.number])
    if chain.origin is not None:
        bench.put(chain.origin)
        return
    bench.clear(chain.scale * 2 ** bench.rng.uniform(-1, 1))
    start = parts.starts[chain.number // 2 % len(parts.starts)]
    start(bench, groupings[int(bench.rng.integers(len(groupings)))])


def leap(bench: Workbench, parts: Parts, groupings: Sequence[IntArray], limit: float) -> float:
    """Kick, repair the subtree that was kicked, and descend if that promises anything."""
    rng, splitting = bench.rng, bench.splitting_nodes()
    if len(splitting):
        node = int(splitting[rng.integers(len(splitting))])
        kick = parts.kicks[rng.integers(len(parts.kicks))]
    else:
        node, kick = 1, moves.rebuild
    kick(bench, node, groupings[int(rng.integers(len(groupings)))])
    return bench.descend([node, node], limit)
