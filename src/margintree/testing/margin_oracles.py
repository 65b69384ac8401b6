"""The cheapest trees of MOCTSVM and OCTSVM by enumeration, for very few rows.

A split divides its rows by a hyperplane, so it is one of the linear divisions of the training rows.
These can be listed in one and two dimensions. The routing decides the errors and the splits, and a
convex problem gives the margins.

If features are counted, every set of features that a split may use is enumerated, with its own
linear divisions.

In OCTSVM sides have a meaning, so a division and its mirror image differ. Every choice of
relabelled rows among those on the side of the other label is enumerated, too.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, pairwise, product

import numpy as np

from margintree._lib.arrays import BoolArray, FloatArray
from margintree._lib.exceptions import InvalidInputError
from margintree.core import topology
from margintree.core.judges import idle_price, sides
from margintree.core.problem import Costs, Problem
from margintree.core.simplify import with_cheapest_classes
from margintree.core.tree import ObliqueTree
from margintree.testing.convex_polish import Division, Polished
from margintree.testing.linear_polish import polish_in_norm

RowSet = frozenset[int]
Lines = dict[RowSet, tuple[FloatArray, float]]
Groups = tuple[int, ...]
"""The groups of features that a split uses."""
Halves = tuple[RowSet, RowSet, Groups]
"""The rows on the left, those on the right, and what the split uses."""


@dataclass(frozen=True)
class Routing:
    """The divisions by branch node, and the price of errors, splits and features."""

    divisions: tuple[tuple[int, Halves], ...]
    price: float


@dataclass(frozen=True)
class Optimum:
    """The cost of the cheapest tree, and the tree."""

    cost: float
    tree: ObliqueTree


def cheapest_tree(problem: Problem) -> Optimum:
    """Return the cheapest tree of a problem with up to about nine rows.

    It has one or two features, or rules by which a split may use at most two.

    Examples
    --------
    >>> from margintree.core.problem import Costs
    >>> problem = Problem.from_data([[0.0], [1.0]], [0, 1], n_classes=2, depth=1,
    ...                             costs=Costs(errors=10, violations=10, splits=0.5))
    >>> round(cheapest_tree(problem).cost, 5)
    2.5
    """
    return _Oracle(problem).run()


class _Oracle:
    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.lines = lines_by_groups(problem)
        self.leaf_price = cache(self._leaf_price)
        self.divisions = cache(self._divisions)
        self.alone = cache(lambda halves: self._polish([halves]).cost)
        self.closest = cache(self._closest)

    def run(self) -> Optimum:
        everything = frozenset(range(self.problem.n_rows))
        routings = [
            (self._roughly(routing), routing)
            for routing in self._routings(1, everything)
            if len(routing.divisions) <= self.problem.max_splits
            and _n_groups(halves[2] for _, halves in routing.divisions) <= self.problem.max_features
        ]
        best, found = np.inf, None
        for rough, routing in sorted(routings, key=lambda pair: pair[0]):
            if rough >= best:
                break
            if self._least(routing) >= best:
                continue
            polished = self._polish([halves for _, halves in routing.divisions])
            if routing.price + polished.cost < best:
                best, found = routing.price + polished.cost, (routing, polished)
        assert found is not None
        return Optimum(best, self._tree(*found))

    def _leaf_price(self, rows: RowSet) -> float:
        return float(self.problem.error_prices[sorted(rows)].sum(axis=0).min())

    def _divisions(self, rows: RowSet) -> list[Halves]:
        """Return all ways to divide the rows, without flipped ones."""
        found = []
        for groups, lines in self.lines.items():
            pairs = {frozenset((rows & line, rows - line)) for line in lines}
            found += [
                (*sorted(pair, key=sorted), groups) for pair in pairs if frozenset() not in pair
            ]
        return found  # type: ignore[return-value]

    def _routings(self, node: int, rows: RowSet) -> Iterator[Routing]:
        """Yield all routings of the subtree at ``node`` without a leaf that is too light."""
        mass = self.problem.row_weights[sorted(rows)].sum()
        if node == 1 or mass >= self.problem.rules.least_mass:
            yield Routing((), self.leaf_price(rows))
        if topology.depth_of(node) == self.problem.depth:
            return
        for halves in self.divisions(rows):
            left, right, groups = halves
            parts = self._routings(topology.left(node), left)
            others = list(self._routings(topology.right(node), right))
            for a, b in product(parts, others):
                price = split_price(self.problem, groups) + a.price + b.price
                yield Routing(((node, halves), *a.divisions, *b.divisions), price)

    def _roughly(self, routing: Routing) -> float:
        """Return a quick lower bound, from two rows on different sides of a division."""
        close = [self.closest(*halves[:2]) for _, halves in routing.divisions]
        return routing.price + max(close, default=0.0)

    def _closest(self, left: RowSet, right: RowSet) -> float:
        return max(_pair_price(self.problem, i, j) for i in left for j in right)

    def _least(self, routing: Routing) -> float:
        """Return a lower bound: divisions share the margin term, but none pays less than alone."""
        alone = [self.alone(halves) for _, halves in routing.divisions]
        return routing.price + max(alone, default=0.0) * (1 - 1e-6)

    def _polish(self, splits: Sequence[Halves]) -> Polished:
        if not splits:
            return Polished(0.0, np.zeros((0, self.problem.n_features)), np.zeros(0))
        return polish_in_norm(self.problem, [_division(self.lines, *halves) for halves in splits])

    def _tree(self, routing: Routing, polished: Polished) -> ObliqueTree:
        problem = self.problem
        tree = ObliqueTree.leaf(problem.depth, problem.n_features, problem.n_classes).to_dict()
        for place, (node, (_, _, groups)) in enumerate(routing.divisions):
            features = np.isin(problem.feature_groups, groups)
            tree["weights"][node - 1] = polished.weights[place] * features
            tree["intercepts"][node - 1] = polished.intercepts[place]
            tree["splits"][node - 1] = True
        return with_cheapest_classes(problem, ObliqueTree.from_dict(tree))


def _n_groups(splits: Iterable[Groups]) -> int:
    """Return the number of groups that some of the splits uses."""
    return len({group for groups in splits for group in groups})


def split_price(problem: Problem, groups: Groups) -> float:
    """Return the price of a split that uses these groups of features."""
    return problem.costs.splits + float(problem.feature_prices[list(groups)].sum())


def lines_by_groups(problem: Problem) -> dict[Groups, Lines]:
    """Return the linear divisions of the rows for every set of groups that a split may use.

    If features are not counted, this is one set: all of them.
    """
    n_groups, most = len(problem.feature_prices), problem.max_features_per_split
    sizes = range(1, most + 1) if problem.counts_features else [n_groups]
    found = {}
    for groups in (chosen for size in sizes for chosen in combinations(range(n_groups), size)):
        features = np.isin(problem.feature_groups, groups)
        if not 1 <= features.sum() <= 2:
            raise InvalidInputError(
                f"The oracle takes splits of one or two features; {features.sum()} may be used "
                "here. Compare with a solver instead."
            )
        found[groups] = {
            rows: (_spread(normal, features), offset)
            for rows, (normal, offset) in linear_divisions(problem.X[:, features]).items()
        }
    return found


def _spread(normal: FloatArray, features: BoolArray) -> FloatArray:
    """Return the normal vector with 0 for all other features."""
    full = np.zeros(len(features))
    full[features] = normal
    return full


def _division(
    lines: dict[Groups, Lines],
    left: RowSet,
    right: RowSet,
    groups: Groups,
    wanted: BoolArray | None = None,
) -> Division:
    """Return a division with a hyperplane from the lines."""
    here = left | right
    rows = np.array(sorted(here))
    used = np.any([normal != 0 for normal, _ in lines[groups].values()], axis=0)
    for line, (normal, offset) in lines[groups].items():
        if line & here in (left, right):
            sign = 1.0 if line & here == right else -1.0
            is_right = np.isin(rows, list(right))
            return Division(rows, is_right, sign * normal, sign * offset, wanted, used)
    raise AssertionError("every division is part of a linear division of all rows")


def _pair_price(problem: Problem, i: int, j: int) -> float:
    """Return the least cost of margin and violations if rows i and j are separated.

    This is the minimum over s of the margin price of s plus c (2 - s d), where d is the distance of
    the rows in the dual norm and c the smaller of their prices of a violation.
    """
    d = float(problem.distances(problem.X[i] - problem.X[j]))
    c = problem.costs.violations * float(problem.row_weights[[i, j]].min())
    if problem.margin_term == "plain":
        return min(2 * c, 1 / d)
    return 2 * c - (c * d) ** 2 / 2 if c * d * d <= 2 else 2 / d**2


def linear_divisions(X: FloatArray) -> Lines:
    """Return every set of rows that a hyperplane cuts off, with such a hyperplane.

    Hyperplanes across a direction cut off the end of the order of the rows along this direction.
    The order changes only where two rows swap, that is where the direction is orthogonal to their
    difference. So one direction between any two such angles finds every division.

    Examples
    --------
    >>> import numpy as np
    >>> sorted(sorted(rows) for rows in linear_divisions(np.array([[0.0], [0.5], [1.0]])))
    [[1, 2], [2]]
    """
    found: Lines = {}
    for normal in _directions(X):
        heights = X @ normal
        for low, high in pairwise(np.unique(heights)):
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


@dataclass(frozen=True)
class Part:
    """A division with its relabelled rows, and a lower bound on its cost."""

    left: RowSet
    right: RowSet
    groups: Groups
    relabelled: RowSet
    flat: float


def cheapest_label_tree(problem: Problem) -> float:
    """Return the cost of the cheapest of all trees of OCTSVM.

    Examples
    --------
    >>> problem = Problem.from_data([[0.0], [1.0]], [0, 1], n_classes=2, depth=1,
    ...                             costs=Costs(violations=10, errors=10, splits=0.5))
    >>> round(cheapest_label_tree(problem), 5)
    2.5
    """
    return _LabelOracle(problem).run()


class _LabelOracle:
    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.lines = lines_by_groups(problem)
        self.wants_right = sides(problem) > 0
        self.parts = cache(self._parts)
        self.alone = cache(lambda part: self._polish((part,)))

    def run(self) -> float:
        trees = [
            (price + _flat(parts), parts)
            for parts, price in self._trees(1, frozenset(range(self.problem.n_rows)))
            if len(parts) <= self.problem.max_splits
            and _n_groups(part.groups for part in parts) <= self.problem.max_features
        ]
        best = np.inf
        for least, parts in sorted(trees, key=lambda tree: tree[0]):
            if least >= best:
                break
            if least + self._margins(parts) < best:
                best = min(best, least - _flat(parts) + self._polish(parts))
        return best

    def _trees(self, node: int, rows: RowSet) -> Iterator[tuple[tuple[Part, ...], float]]:
        """Yield the divisions of every subtree at ``node``, and its price without margins."""
        height = self.problem.depth - topology.depth_of(node)
        if node == 1 or self._mass(rows) >= self.problem.rules.least_mass:
            yield (), height * self._idle(rows)
        if height == 0:
            return
        for part in self.parts(rows):
            lower = product(
                self._trees(topology.left(node), part.left),
                self._trees(topology.right(node), part.right),
            )
            for (left, left_price), (right, right_price) in lower:
                changed = self.problem.costs.errors * self._mass(part.relabelled)
                own = split_price(self.problem, part.groups)
                price = own + changed + left_price + right_price
                yield (part, *left, *right), price

    def _idle(self, rows: RowSet) -> float:
        ones = frozenset(i for i in rows if self.wants_right[i])
        return idle_price(self.problem) * min(self._mass(ones), self._mass(rows - ones))

    def _mass(self, rows: RowSet) -> float:
        return float(self.problem.row_weights[sorted(rows)].sum())

    def _parts(self, rows: RowSet) -> list[Part]:
        """Return all ways to divide the rows and to relabel those on the other side."""
        return [part for groups in self.lines for part in self._parts_in(rows, groups)]

    def _parts_in(self, rows: RowSet, groups: Groups) -> Iterator[Part]:
        cuts = {rows & line for line in self.lines[groups]}
        ones = frozenset(i for i in rows if self.wants_right[i])
        for right in (cuts | {rows - cut for cut in cuts}) - {frozenset(), rows}:
            left = rows - right
            wrong = sorted((left & ones) | (right - ones))
            for count in range(len(wrong) + 1):
                for relabelled in map(frozenset, combinations(wrong, count)):
                    kept = self._mass(frozenset(wrong) - relabelled)
                    flat = self.problem.costs.violations * kept
                    yield Part(left, right, groups, relabelled, flat)

    def _margins(self, parts: tuple[Part, ...]) -> float:
        """Return a lower bound on the cost beyond the flat part, from the largest part alone."""
        return (1 - 1e-6) * max((self.alone(part) - part.flat for part in parts), default=0.0)

    def _polish(self, parts: tuple[Part, ...]) -> float:
        if not parts:
            return 0.0
        return polish_in_norm(self.problem, [self._division(part) for part in parts]).cost

    def _division(self, part: Part) -> Division:
        rows = np.array(sorted(part.left | part.right))
        wanted = self.wants_right[rows] ^ np.isin(rows, list(part.relabelled))
        return _division(self.lines, part.left, part.right, part.groups, wanted)


def _flat(parts: tuple[Part, ...]) -> float:
    return sum(part.flat for part in parts)


def tiny_label_problem(rng: np.random.Generator) -> Problem:
    """Return a random problem of two classes and depth one or two, small enough to enumerate.

    Examples
    --------
    >>> tiny_label_problem(np.random.default_rng(0)).n_classes
    2
    """
    depth, p = int(rng.integers(1, 3)), int(rng.integers(1, 3))
    n = int(rng.integers(4, 9)) if depth == 1 else int(rng.integers(4, 7))
    costs = Costs(
        errors=float(rng.choice([1, 10, 100])),
        violations=float(rng.choice([1, 10, 100])),
        splits=float(rng.choice([0, 0.1, 1])),
    )
    y = rng.integers(0, 2, n)
    y[:2] = 0, 1
    return Problem.from_data(
        rng.random((n, p)).round(int(rng.choice([1, 3]))),
        y,
        n_classes=2,
        depth=depth,
        costs=costs,
        row_weights=rng.uniform(0.5, 2, n) if rng.random() < 0.4 else None,
        margin_term="squared" if rng.random() < 0.7 else "plain",
    )
