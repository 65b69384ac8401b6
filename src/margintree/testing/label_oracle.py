"""The cheapest tree of OCTSVM by enumeration, for a handful of rows in one or two dimensions.

Sides have a meaning here, so a division and its mirror image are two. Rows on the side of the other
label are relabelled or not, which is enumerated too; then the hyperplanes are a convex problem.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product

import numpy as np

from margintree.core import topology
from margintree.core.judges.labels import idle_price, sides
from margintree.core.problem import Costs, Problem
from margintree.testing.convex_polish import Division, convex_polish
from margintree.testing.oracle import Rows, linear_divisions


@dataclass(frozen=True)
class Part:
    """A division, whose relabelled rows are known, and what it pays at least."""

    left: Rows
    right: Rows
    relabelled: Rows
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
    return _Oracle(problem).run()


class _Oracle:
    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.lines = linear_divisions(problem.X)
        self.wants_right = sides(problem) > 0
        self.parts = cache(self._parts)
        self.alone = cache(self._alone)

    def run(self) -> float:
        everything = frozenset(range(self.problem.n_rows))
        trees = [
            (price + _flat(parts), parts)
            for parts, price in self._trees(1, everything)
            if len(parts) <= self.problem.max_splits
        ]
        best = np.inf
        for least, parts in sorted(trees, key=lambda tree: tree[0]):
            if least >= best:
                break
            if least + self._margins(parts) < best:
                best = min(best, least - _flat(parts) + self._polish(parts))
        return best

    def _trees(self, node: int, rows: Rows) -> Iterator[tuple[tuple[Part, ...], float]]:
        """Yield the divisions of every subtree at ``node``, and what is paid without margins."""
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
                price = self.problem.costs.splits + changed + left_price + right_price
                yield (part, *left, *right), price

    def _idle(self, rows: Rows) -> float:
        ones = frozenset(i for i in rows if self.wants_right[i])
        return idle_price(self.problem) * min(self._mass(ones), self._mass(rows - ones))

    def _mass(self, rows: Rows) -> float:
        return float(self.problem.row_weights[sorted(rows)].sum())

    def _parts(self, rows: Rows) -> list[Part]:
        """Return all ways to divide the rows and to relabel those on the other side."""
        found = []
        cuts = {rows & line for line in self.lines}
        for right in (cuts | {rows - cut for cut in cuts}) - {frozenset(), rows}:
            left = rows - right
            ones = frozenset(i for i in rows if self.wants_right[i])
            wrong = sorted((left & ones) | (right - ones))
            for count in range(len(wrong) + 1):
                for chosen in combinations(wrong, count):
                    relabelled = frozenset(chosen)
                    kept = self._mass(frozenset(wrong) - relabelled)
                    found.append(
                        Part(left, right, relabelled, self.problem.costs.violations * kept)
                    )
        return found

    def _margins(self, parts: tuple[Part, ...]) -> float:
        """Return what the divisions pay at least beyond what is flat: the largest one's, alone."""
        return (1 - 1e-6) * max((self.alone(part) - part.flat for part in parts), default=0.0)

    def _alone(self, part: Part) -> float:
        return self._polish((part,))

    def _polish(self, parts: tuple[Part, ...]) -> float:
        if not parts:
            return 0.0
        return convex_polish(self.problem, [self._division(part) for part in parts]).cost

    def _division(self, part: Part) -> Division:
        here = part.left | part.right
        rows = np.array(sorted(here))
        is_right = np.isin(rows, list(part.right))
        wanted = self.wants_right[rows] ^ np.isin(rows, list(part.relabelled))
        for line, (normal, offset) in self.lines.items():
            for sign, cut in ((1.0, line), (-1.0, frozenset(range(self.problem.n_rows)) - line)):
                if cut & here == part.right:
                    return Division(rows, is_right, sign * normal, sign * offset, wanted)
        raise AssertionError("every division is part of a linear division of all rows")


def _flat(parts: tuple[Part, ...]) -> float:
    return sum(part.flat for part in parts)


def tiny_label_problem(rng: np.random.Generator) -> Problem:
    """Return a random problem of two classes, of depth one or two, for few enough rows.

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
        margin_norm="squared" if rng.random() < 0.7 else "plain",
    )
