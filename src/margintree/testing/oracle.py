"""The cheapest tree by enumeration: the slow twin of everything exact, for a handful of rows.

Every split sends its rows to two sides by a hyperplane, so it is one of the linear divisions of the
training rows, and these can be listed in one and two dimensions. Which rows go where (the routing)
decides the errors and the splits; the margins follow from a convex problem.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, pairwise, product

import numpy as np

from margintree._lib.arrays import FloatArray
from margintree._lib.exceptions import InvalidInputError
from margintree.core import topology
from margintree.core.problem import Problem
from margintree.core.simplify import with_cheapest_classes
from margintree.core.tree import ObliqueTree
from margintree.testing.convex_polish import Division, Polished, convex_polish

Rows = frozenset[int]


@dataclass(frozen=True)
class Routing:
    """Which rows go where: the divisions by branch node, and what is paid without margins."""

    divisions: tuple[tuple[int, Rows, Rows], ...]
    price: float


@dataclass(frozen=True)
class Optimum:
    """The cost of the cheapest tree, and the tree."""

    cost: float
    tree: ObliqueTree


def cheapest_tree(problem: Problem) -> Optimum:
    """Return the cheapest of all trees.

    Parameters
    ----------
    problem : Problem
        A problem with one or two features and up to about nine rows.

    Examples
    --------
    >>> from margintree.core.problem import Costs
    >>> problem = Problem.from_data([[0.0], [1.0]], [0, 1], n_classes=2, depth=1,
    ...                             costs=Costs(errors=10, violations=10, splits=0.5))
    >>> round(cheapest_tree(problem).cost, 5)
    2.5
    """
    if not 1 <= problem.n_features <= 2:
        raise InvalidInputError(
            f"The oracle takes one or two features; {problem.n_features} were given. "
            "Compare with a solver instead."
        )
    return _Oracle(problem).run()


class _Oracle:
    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.lines = linear_divisions(problem.X)
        self.leaf_price = cache(self._leaf_price)
        self.divisions = cache(self._divisions)
        self.alone = cache(self._alone)
        self.closest = cache(self._closest)

    def run(self) -> Optimum:
        everything = frozenset(range(self.problem.n_rows))
        routings = [
            (self._roughly(routing), routing)
            for routing in self._routings(1, everything)
            if len(routing.divisions) <= self.problem.max_splits
        ]
        best, found = np.inf, None
        for rough, routing in sorted(routings, key=lambda pair: pair[0]):
            if rough >= best:
                break
            if self._least(routing) >= best:
                continue
            polished = self._polish([(left, right) for _, left, right in routing.divisions])
            if routing.price + polished.cost < best:
                best, found = routing.price + polished.cost, (routing, polished)
        assert found is not None
        return Optimum(best, self._tree(*found))

    def _leaf_price(self, rows: Rows) -> float:
        return float(self.problem.error_prices[sorted(rows)].sum(axis=0).min())

    def _divisions(self, rows: Rows) -> list[tuple[Rows, Rows]]:
        """Return all ways to divide the rows; a flipped division is the same."""
        pairs = {frozenset((rows & line, rows - line)) for line in self.lines}
        return [tuple(sorted(pair, key=sorted)) for pair in pairs if frozenset() not in pair]  # type: ignore[misc]

    def _routings(self, node: int, rows: Rows) -> Iterator[Routing]:
        """Yield all routings of the subtree at ``node`` without a leaf that is too light."""
        mass = self.problem.row_weights[sorted(rows)].sum()
        if node == 1 or mass >= self.problem.rules.least_mass:
            yield Routing((), self.leaf_price(rows))
        if topology.depth_of(node) == self.problem.depth:
            return
        for left, right in self.divisions(rows):
            parts = self._routings(topology.left(node), left)
            others = list(self._routings(topology.right(node), right))
            for a, b in product(parts, others):
                own = ((node, left, right),)
                price = self.problem.costs.splits + a.price + b.price
                yield Routing(own + a.divisions + b.divisions, price)

    def _roughly(self, routing: Routing) -> float:
        """Return a lower bound that is quick to find: two rows on different sides are enough."""
        close = [self.closest(left, right) for _, left, right in routing.divisions]
        return routing.price + max(close, default=0.0)

    def _closest(self, left: Rows, right: Rows) -> float:
        return max(_pair_price(self.problem, i, j) for i in left for j in right)

    def _least(self, routing: Routing) -> float:
        """Return a lower bound: the margin term is shared, but no division pays less than alone."""
        alone = [self.alone(left, right) for _, left, right in routing.divisions]
        return routing.price + max(alone, default=0.0) * (1 - 1e-6)

    def _alone(self, left: Rows, right: Rows) -> float:
        return self._polish([(left, right)]).cost

    def _polish(self, sides: Sequence[tuple[Rows, Rows]]) -> Polished:
        if not sides:
            return Polished(0.0, np.zeros((0, self.problem.n_features)), np.zeros(0))
        return convex_polish(self.problem, [self._division(left, right) for left, right in sides])

    def _division(self, left: Rows, right: Rows) -> Division:
        rows = np.array(sorted(left | right))
        for line, (normal, offset) in self.lines.items():
            if line & (left | right) in (left, right):
                sign = 1.0 if line & (left | right) == right else -1.0
                is_right = np.isin(rows, list(right))
                return Division(rows, is_right, sign * normal, sign * offset)
        raise AssertionError("every division is part of a linear division of all rows")

    def _tree(self, routing: Routing, polished: Polished) -> ObliqueTree:
        tree = ObliqueTree.leaf(
            self.problem.depth, self.problem.n_features, self.problem.n_classes
        ).to_dict()
        for place, (node, _, _) in enumerate(routing.divisions):
            tree["weights"][node - 1] = polished.weights[place]
            tree["intercepts"][node - 1] = polished.intercepts[place]
            tree["splits"][node - 1] = True
        return with_cheapest_classes(self.problem, ObliqueTree.from_dict(tree))


def _pair_price(problem: Problem, i: int, j: int) -> float:
    """Return what margin and violations cost at least if rows i and j are separated.

    That is the minimum over s of the margin price of s plus c (2 - s d), where d is the distance of
    the rows and c the smaller of their prices of a violation.
    """
    d = float(np.linalg.norm(problem.X[i] - problem.X[j]))
    c = problem.costs.violations * float(problem.row_weights[[i, j]].min())
    if problem.margin_norm == "plain":
        return min(2 * c, 1 / d)
    return 2 * c - (c * d) ** 2 / 2 if c * d * d <= 2 else 2 / d**2


def linear_divisions(X: FloatArray) -> dict[Rows, tuple[FloatArray, float]]:
    """Return every set of rows that a hyperplane cuts off, with such a hyperplane.

    Along a direction the rows have an order, and hyperplanes across it cut off a beginning of that
    order. The order only changes where two rows swap, that is where the direction is orthogonal to
    their difference. So one direction between any two such angles finds every division.

    Examples
    --------
    >>> import numpy as np
    >>> sorted(sorted(rows) for rows in linear_divisions(np.array([[0.0], [0.5], [1.0]])))
    [[1, 2], [2]]
    """
    found: dict[Rows, tuple[FloatArray, float]] = {}
    for normal in _directions(X):
        heights = X @ normal
        order = np.unique(heights)
        for low, high in pairwise(order):
            if high - low > 1e-9:
                threshold = (low + high) / 2
                rows = frozenset(np.flatnonzero(heights > threshold).tolist())
                found.setdefault(rows, (normal, -threshold))
    return found


def _directions(X: FloatArray) -> list[FloatArray]:
    if X.shape[1] == 1:
        return [np.array([1.0])]
    swaps = {0.0, np.pi}
    for a, b in combinations(np.unique(X, axis=0), 2):
        swaps.add(float(np.arctan2(a[0] - b[0], b[1] - a[1]) % np.pi))
    angles = np.array(sorted(swaps))
    middles = (angles[:-1] + angles[1:])[np.diff(angles) > 1e-9] / 2
    return [np.array([np.cos(angle), np.sin(angle)]) for angle in middles]
