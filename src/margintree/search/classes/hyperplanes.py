"""The best hyperplanes between groups of classes, each found once."""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from margintree._lib.arrays import BoolArray, FloatArray, IntArray, product
from margintree._lib.interior_point import solve_svm
from margintree.core import topology
from margintree.core.class_tree import Part, Split
from margintree.core.judges import leafless_prices
from margintree.core.problem import Problem
from margintree.core.tree import ObliqueTree

TOLERANCE = 1e-9
"""Share by which the cost of a hyperplane may exceed that of the best one."""

Groups: TypeAlias = "int | tuple[Groups, Groups]"
"""A hierarchy of classes: a class, or a pair of hierarchies, first that with the lowest class."""


class OutOfTime(Exception):  # noqa: N818
    """The clock is over; no further hyperplane is computed."""


class Hyperplane(NamedTuple):
    """A hyperplane between two groups of classes, its cost, and a bound on any such cost."""

    weights: FloatArray
    intercept: float
    cost: float
    bound: float


class Hyperplanes:
    """The support vector machines between groups of classes of a problem.

    A set of classes is an integer whose bits are the classes. Once ``is_over`` returns true, asking
    for a new hyperplane raises `OutOfTime`.

    Examples
    --------
    >>> from margintree.core.problem import Costs
    >>> problem = Problem.from_data([[0.0], [0.5], [1.0]], [0, 1, 2], n_classes=3, depth=2,
    ...                             costs=Costs(violations=100.0))
    >>> planes = Hyperplanes(problem)
    >>> round(planes.between(0b001, 0b110).cost, 6), round(planes.cost_of((0, (1, 2))), 6)
    (8.0, 16.0)
    """

    def __init__(self, problem: Problem, is_over: Callable[[], bool] = lambda: False) -> None:
        self.problem, self.is_over = problem, is_over
        self._centre = problem.X.mean(axis=0)
        rows = problem.X - self._centre
        # Rows of many features are as well described by their places in the space they span.
        self._axes = np.linalg.qr(rows.T)[0] if rows.shape[1] > len(rows) else None
        self._rows = rows if self._axes is None else product(rows, self._axes)
        self._pulls = problem.costs.violations * problem.row_weights
        self._leafless = leafless_prices(problem)
        self._found: dict[tuple[int, int], Hyperplane] = {}

    def between(self, left: int, right: int) -> Hyperplane:
        """Return the best hyperplane between two sets of classes."""
        if (left, right) not in self._found:
            if self.is_over():
                raise OutOfTime
            self._found[left, right] = self._solve(left, right)
        return self._found[left, right]

    def _solve(self, left: int, right: int) -> Hyperplane:
        sides = (self._has(right).astype(float) - self._has(left))[self.problem.y]
        rows = np.flatnonzero(sides)
        plane, cost, bound = solve_svm(self._rows[rows], sides[rows], self._pulls[rows], TOLERANCE)
        weights = plane[:-1] if self._axes is None else product(self._axes, plane[:-1])
        intercept = float(plane[-1] - product(weights, self._centre))
        return Hyperplane(weights, intercept, cost, bound)

    def _has(self, classes: int) -> BoolArray:
        """Return which classes a set has."""
        return np.array([classes >> k & 1 == 1 for k in range(self.problem.n_classes)])

    def leafless(self, classes: int) -> float:
        """Return the price of having no leaf for a set of classes."""
        return float(self._leafless[self._has(classes)].sum())

    def part_of(self, groups: Groups) -> Part:
        """Return a hierarchy with its best hyperplanes."""
        if not isinstance(groups, tuple):
            return groups
        plane = self.between(*map(classes_of, groups))
        left, right = map(self.part_of, groups)
        return Split(plane.weights, plane.intercept, left, right)

    def cost_of(self, groups: Groups) -> float:
        """Return the cost of the best hyperplanes of a hierarchy."""
        if not isinstance(groups, tuple):
            return 0.0
        return self.between(*map(classes_of, groups)).cost + sum(map(self.cost_of, groups))


def classes_of(groups: Groups) -> int:
    """Return the set of the classes in a hierarchy.

    Examples
    --------
    >>> bin(classes_of((0, (2, 3))))
    '0b1101'
    """
    if isinstance(groups, tuple):
        return classes_of(groups[0]) | classes_of(groups[1])
    return 1 << groups


def set_of(classes: IntArray) -> int:
    """Return an array of classes as a set.

    Examples
    --------
    >>> bin(set_of(np.array([0, 3])))
    '0b1001'
    """
    return sum(1 << label for label in classes.tolist())


def lowest_class(groups: Groups) -> int:
    """Return the lowest class in a hierarchy."""
    return lowest_class(groups[0]) if isinstance(groups, tuple) else groups


def pair(one: Groups, other: Groups) -> Groups:
    """Return the hierarchy of two hierarchies, first that with the lowest class.

    Examples
    --------
    >>> pair((1, 3), 0)
    (0, (1, 3))
    """
    first, second = sorted((one, other), key=lowest_class)
    return first, second


def groups_of(tree: ObliqueTree) -> Groups:
    """Return the hierarchy of a class tree.

    Examples
    --------
    >>> tree = ObliqueTree.stump([1.0], 0.0, leaf_classes=[1, 0], n_classes=2)
    >>> groups_of(tree.deepened(2))
    (0, 1)
    """

    def below(node: int) -> Groups:
        node = tree.first_stop(node)
        if node > len(tree.splits):
            return int(tree.leaf_classes[node - len(tree.leaf_classes)])
        return pair(below(topology.left(node)), below(topology.right(node)))

    return below(1)


def height_of(groups: Groups) -> int:
    """Return the number of levels of splits.

    Examples
    --------
    >>> height_of((0, (2, 3)))
    2
    """
    return 1 + max(map(height_of, groups)) if isinstance(groups, tuple) else 0
