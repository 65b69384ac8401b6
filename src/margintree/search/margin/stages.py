"""The stages of a search with many rows: the structure on few rows, then refinement on more.

The first tree is the best of several: one that chains find on a small sample, one that is grown,
and those that are given. Rounds of new subtrees follow, first grown ones, then those that chains
find on samples of the rows that arrive at a node. Each kind is repeated while it gains enough.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from margintree._lib.arrays import BoolArray, IntArray
from margintree.core.incumbent import Incumbent
from margintree.core.limits import Clock
from margintree.core.problem import Problem
from margintree.core.tree import ObliqueTree
from margintree.search.margin.growth import grow
from margintree.search.margin.intercepts import with_best_intercepts
from margintree.search.margin.kernel_data import NO_GRAM, MakeKernelData, to_working_tree
from margintree.search.margin.many_rows import (
    FIRST_SWEEPS,
    SAMPLE_ROWS,
    Each,
    Refiner,
    Renew,
    graft,
    sample,
)

SearchSample: TypeAlias = Callable[[Problem], ObliqueTree | None]
"""Returns the tree that chains find for a sample; None if they may not search any more."""

STRUCTURE_ROWS = 20_000
"""With more rows than this the structure is found on a sample of about this size."""
MORE = 5
"""Factor, roughly, by which samples grow until they hold all rows."""
PART_SHARE = 0.5
"""Share of the remaining time for each of these samples."""
MAX_ROUNDS = 4
"""Maximum number of rounds of each kind of new subtrees."""
WORTH = 0.005
"""Least relative gain of a round that is followed by another one of its kind."""
MOST_SEARCHED, HIGHEST = 15, 4
"""Maximum number and height of the subtrees that chains search in a round: all those of a tree of
this depth. A sample has too few rows for a higher subtree."""


@dataclass(frozen=True)
class Stage:
    """A problem with many rows, all of them or a sample, and the means to find a tree for it."""

    problem: Problem
    seed: int
    make_data: MakeKernelData
    search_sample: SearchSample
    is_over: Callable[[], bool]
    each: Each  # applies a function to some nodes, perhaps on several threads
    offer: Callable[[ObliqueTree], object]  # takes every better tree

    def refined(self, tree: ObliqueTree) -> ObliqueTree:
        """Return a tree that costs no more, with the same structure."""
        refiner = self._refiner(tree)
        self._refine(refiner)
        return refiner.tree()

    def structured(self, origins: Sequence[ObliqueTree]) -> ObliqueTree:
        """Return a good tree, found from nothing or from some trees."""
        depth, everything = self.problem.depth, np.arange(self.problem.n_rows)
        plain = np.zeros(len(everything), dtype=np.bool_)
        found = self.search_sample(self.sample(everything, plain, depth))
        refiners = [self._refiner(tree) for tree in (*origins, found) if tree is not None]
        grows = not self.problem.counts_features
        if grows:
            leaf = ObliqueTree.leaf(depth, self.problem.n_features, self.problem.n_classes)
            refiners.append(self._refiner(leaf))
            self._by_growth(0)(refiners[-1], 1, everything)
            refiners[-1].settle()
        for refiner in refiners:
            refiner.refine(most=FIRST_SWEEPS)
        best = min(refiners, key=Refiner.price)
        self._refine(best)
        if grows:
            self._rounds(best, self._grow)
        self._rounds(best, self._search)
        return best.tree()

    def sample(
        self, rows: IntArray, is_wrong: BoolArray, depth: int, size: int = SAMPLE_ROWS, lot: int = 0
    ) -> Problem:
        """Return the problem of a random sample of some rows."""
        rng = np.random.default_rng([self.seed, depth, lot])
        return sample(self.problem, rows, is_wrong, depth, rng, size)

    def _refiner(self, tree: ObliqueTree) -> Refiner:
        data = self.make_data(self.problem, NO_GRAM)
        return Refiner(self.problem, data, tree, self.is_over, self.each)

    def _refine(self, refiner: Refiner) -> None:
        refiner.refine(lambda: self.offer(refiner.tree()))

    def _rounds(self, refiner: Refiner, renew_all: Callable[[Refiner, int], None]) -> None:
        """Try new subtrees and refine the tree, again and again while it pays."""
        for number in range(MAX_ROUNDS):
            before = refiner.price()
            renew_all(refiner, number)
            self._refine(refiner)
            if refiner.price() >= before * (1 - WORTH) or self.is_over():
                break

    def _grow(self, refiner: Refiner, number: int) -> None:
        """Grow new subtrees, each with random numbers of its own, so that threads do not matter."""
        refiner.regrow(self._by_growth(1 + number), refiner.nodes(), self.each)

    def _by_growth(self, number: int) -> Renew:
        def renew(refiner: Refiner, node: int, rows: IntArray) -> None:
            rng = np.random.default_rng([self.seed, number, node])
            grow(self.problem, refiner.data, refiner.working, node, rows, rng, self.is_over)

        return renew

    def _search(self, refiner: Refiner, number: int) -> None:
        """Search for new subtrees where rows cost most.

        Plain samples alternate with samples in which half of the rows are wrong in the present
        tree.
        """
        depth = self.problem.depth

        def renew(refiner: Refiner, node: int, rows: IntArray) -> None:
            is_wrong = refiner.costs(rows, node) >= refiner.data.prices[rows].max(axis=1)
            height = depth + 1 - node.bit_length()
            part = self.sample(rows, is_wrong & (number % 2 == 1), height, lot=node)
            found = self.search_sample(part)
            if found is not None:
                graft(to_working_tree(refiner.data, found.deepened(depth)), refiner.working, node)

        low = [node for node in refiner.nodes() if depth < node.bit_length() + HIGHEST]
        low.sort(key=lambda node: -refiner.loss(node))
        refiner.regrow(renew, low[:MOST_SEARCHED], map)


def search_in_stages(stage: Stage, incumbent: Incumbent, origins: Sequence[ObliqueTree]) -> None:
    """Offer better and better trees for the problem of the last stage to an incumbent.

    The structure is found on a sample if there are very many rows. Then the tree is refined on
    larger and larger samples and at last on all rows.
    """
    trees = [*origins]
    for k, size in enumerate(sizes(stage.problem.n_rows)):
        if k and stage.is_over():
            break
        present = stage if size == stage.problem.n_rows else _on_sample(stage, size, incumbent)
        tree = present.refined(trees[0]) if k else present.structured(trees)
        trees = [tree]  # as it was found: the next stage refines it further than a shifted one
        if present is not stage or (not k and stage.is_over()):
            tree = with_best_intercepts(stage.problem, tree, stage.make_data, stage.each)
        incumbent.offer(tree)


def _on_sample(stage: Stage, size: int, incumbent: Incumbent) -> Stage:
    """Return the stage of a sample, with a share of the time that is left."""
    clock, n_rows = incumbent.clock, stage.problem.n_rows
    limit = Clock(PART_SHARE * clock.remaining(), clock.memory)
    nothing = np.zeros(n_rows, dtype=np.bool_)
    part = stage.sample(np.arange(n_rows), nothing, stage.problem.depth, size)
    return replace(
        stage,
        problem=part,
        is_over=lambda: limit.is_over() or stage.is_over(),  # interrupts count, too
        offer=lambda _: None,
    )


def sizes(n_rows: int) -> list[int]:
    """Return the numbers of rows of all stages.

    Examples
    --------
    >>> sizes(9_000), sizes(300_000)
    ([9000], [20000, 77460, 300000])
    """
    ratio = max(1.0, n_rows / STRUCTURE_ROWS)
    n_steps = max(1, round(np.log(ratio) / np.log(MORE)))
    growing = [round(n_rows / ratio ** (k / n_steps)) for k in range(n_steps, 0, -1)]
    return [*growing, n_rows] if ratio > 1 else [n_rows]
