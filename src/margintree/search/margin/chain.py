"""One chain of the search: a start, then kicks, each followed by a descent."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from margintree._lib.arrays import IntArray
from margintree.core.problem import Problem
from margintree.search.margin import annealing, kicks, leaf_groups, starts
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
"""A chain spends at most one in this many of its remaining iterations on its leaf groups."""
ENOUGH = 1e-4
"""Leaf groups and kicks follow each other again if they gained more than this share."""
SLACK = 0.03
"""Mean share by which a kicked tree may cost more than the last one and be kicked itself."""
MOST_ABOVE = 0.15
"""A tree is not kicked further if it costs more than the best of its chain by this share."""


@dataclass(frozen=True)
class Parts:
    """The parts of a search: its starts, its kicks and when a chain ends."""

    starts: tuple[Start, ...] = (
        starts.from_random_groups,
        starts.from_best_divisions,
    )  # used in rotation
    kicks: tuple[Kick, ...] = tuple(kicks.KICKS)  # drawn at random
    max_failures: int = 80  # kicks in a row without a gain after which a chain ends

    @classmethod
    def usual(cls, problem: Problem) -> "Parts":
        """Return the default parts of a search.

        Where features have a price or a limit, a split cannot divide its rows in any way, and none
        are rerouted.
        """
        used = kicks.KICKS if problem.depth > 1 else kicks.KICKS_OF_ONE_SPLIT
        is_possible = not problem.counts_features
        return cls(kicks=tuple(kick for kick in used if is_possible or kick is not kicks.reroute))


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
    of all."""
    known: float = 0.0
    """The best cost of earlier chains, with a tolerance. A chain that began elsewhere and reaches
    it ends, because it would only repeat them."""
    anneals: bool = False  # whether it anneals its leaf groups first


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
    slack: float = 0.0  # mean share by which a step may lose and still be followed by another


def run_chain(
    local: LocalSearch,
    chain: Chain,
    parts: Parts,
    groupings: Sequence[IntArray],
    is_over: Callable[[], bool],
) -> Found:
    """Run a chain until it is stuck, has used its iterations, or time is over.

    It rearranges its leaf groups, if there are any, and kicks its tree in turn. The first changes
    the whole tree and takes long, while a kick is short and changes a part of it. The chain is
    stuck when both in a row gain nothing.

    If time is over before it begins, it finds nothing, at an infinite cost. Only the first chain
    always finds a tree.
    """
    groups = Step(
        partial(leaf_groups.rearrange, local),
        leaf_groups.LEAST_DESCENTS,
        leaf_groups.MAX_FAILED_ROUNDS,
    )
    kick = Step(partial(leap, local, parts, groupings), 1, parts.max_failures, SLACK)
    known = chain.known if chain.origin is None else 0.0
    local.is_over = is_over
    if chain.number > 1 and is_over():  # it was due to begin before an earlier one had ended
        return Found(np.inf, local.take(), iterations=0)
    begin(local, chain, parts, groupings)
    found, before = Found(local.descend(), local.take(), iterations=1), np.inf
    if chain.anneals:
        anneal = Step(partial(annealing.anneal, local), annealing.DESCENTS, max_failures=1)
        most = min(chain.max_iterations, found.iterations + annealing.DESCENTS)
        found = improve(local, found, anneal, most)
    if not leaf_groups.has_groups(local.data):
        found = improve(local, found, kick, chain.max_iterations, known)
        before = 0.0
    while found.cost < before * (1 - ENOUGH):
        before, left = found.cost, chain.max_iterations - found.iterations
        most = found.iterations + left // GROUP_SHARE
        found = improve(local, found, groups, most, known)
        found = improve(local, found, kick, chain.max_iterations, known)
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
    return (max_iterations - 1) // GROUP_SHARE >= leaf_groups.LEAST_DESCENTS


def improve(
    local: LocalSearch, found: Found, step: Step, max_iterations: int, known: float = 0.0
) -> Found:
    """Take steps until too many fail in a row; leave the best tree in the local search.

    None are taken from a tree that costs at most ``known``. Returns the best tree and the total
    number of iterations, including those of ``found``.
    """
    cost, best, iterations, failures = found.cost, found.working, found.iterations, 0
    last, working = cost, best
    while failures < step.max_failures and iterations + step.least <= max_iterations:
        if cost <= known or local.is_over():
            break
        now, done = step.take(last * HOPELESS, max_iterations - iterations)
        iterations += done
        failures += 1
        if now < cost * (1 - GAIN):
            cost, failures = now, 0
            last, working = cost, best = now, local.take()
        elif step.slack and now < min(
            last * (1 + step.slack * local.rng.exponential()), cost * (1 + MOST_ABOVE)
        ):
            last, working = now, local.take()
        else:
            local.put(working)
    local.put(best)
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
