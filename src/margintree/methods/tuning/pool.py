"""Trees of one training set, known by the terms of their cost."""

from collections.abc import Callable
from dataclasses import replace
from operator import attrgetter
from typing import TypeAlias

import numpy as np

from margintree._lib.arrays import FloatArray
from margintree._lib.products import product
from margintree.core.incumbent import Price
from margintree.core.problem import Costs, Problem
from margintree.core.result import Reason, Result
from margintree.core.tree import ObliqueTree

N_STARTS = 3
"""Trees that a search begins from, beside one start of its own."""
GAIN = 1e-6
"""Share of a cost by which a tree from elsewhere must be cheaper to be worth a second look."""

Terms: TypeAlias = Callable[[ObliqueTree], FloatArray]
"""Returns the terms of a tree's cost, each at a price of 1."""


class Pool:
    """Trees of one training set, each known by the terms of its cost.

    Parameters
    ----------
    terms : callable
        Returns the terms of a tree's cost, each at a price of 1.

    Examples
    --------
    >>> pool = Pool(lambda tree: np.array([float(tree.n_splits), 3.0 - tree.n_splits]))
    >>> leaf = ObliqueTree.leaf(1, n_features=1, n_classes=2)
    >>> stump = ObliqueTree.stump([1.0], -0.5, leaf_classes=[0, 1], n_classes=2)
    >>> pool.add(leaf)
    >>> pool.add(stump)
    >>> [tree.n_splits for tree in pool.cheapest(np.array([1.0, 10.0]), count=2)]
    [1, 0]
    """

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self._trees: list[ObliqueTree] = []
        self._known: list[FloatArray] = []

    def add(self, tree: ObliqueTree) -> None:
        """Keep a tree, unless one with the same terms is there."""
        terms = self._terms(tree)
        if not self._known or not np.isclose(self._known, terms, rtol=GAIN).all(axis=1).any():
            self._trees.append(tree)
            self._known.append(terms)

    def cheapest(self, prices: FloatArray, count: int) -> list[ObliqueTree]:
        """Return the cheapest trees at some prices, no two with as many splits and errors."""
        chosen: dict[tuple[int, float], ObliqueTree] = {}
        for k in np.argsort(self._costs(prices), kind="stable"):
            tree = self._trees[k]
            chosen.setdefault((tree.n_splits, float(self._known[k][0])), tree)
            if len(chosen) == count:
                break
        return list(chosen.values())

    def least_cost(self, prices: FloatArray) -> float:
        """Return what the cheapest tree costs."""
        return float(self._costs(prices).min(initial=np.inf))

    def _costs(self, prices: FloatArray) -> FloatArray:
        return product(np.array(self._known).reshape(len(self._known), len(prices)), prices)


def unit_terms(
    judge: Callable[[Problem, ObliqueTree], Price], problem: Problem, *names: str
) -> Terms:
    """Return a function that tells terms of a tree's cost by their names, each at a price of 1."""
    unit, named = replace(problem, costs=Costs(1.0, 1.0, 1.0)), attrgetter(*names)
    return lambda tree: np.array(named(judge(unit, tree)))


def check_uninterrupted(result: Result) -> None:
    """End the whole path where a fit was interrupted: a path is known by its limits alone."""
    if result.reason is Reason.INTERRUPTED:
        raise KeyboardInterrupt
