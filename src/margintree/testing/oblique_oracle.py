"""The cheapest tree of OCT-H by enumeration, for a handful of rows in one or two dimensions."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import combinations

import numpy as np
from scipy.optimize import linprog

from margintree._lib.arrays import FloatArray
from margintree.core.problem import Problem
from margintree.testing.axis_oracle import Rows, cheapest_by_errors, tiny_axis_problem
from margintree.testing.oracle import linear_divisions


def cheapest_oblique_tree(problem: Problem) -> float:
    """Return what the cheapest of all allowed trees costs in errors and features.

    Examples
    --------
    >>> from margintree.core.problem import Costs
    >>> problem = Problem.from_data([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1], n_classes=2,
    ...                             depth=1, costs=Costs(errors=1, splits=0.25))
    >>> cheapest_oblique_tree(problem.with_rules(separation=0.1))
    0.5
    """
    lines = list(linear_divisions(problem.X))

    @cache
    def n_needed(left: Rows, right: Rows) -> int:
        return fewest_features(
            problem.X[list(left)], problem.X[list(right)], problem.rules.separation
        )

    def divisions(rows: Rows) -> Iterator[tuple[Rows, Rows, int]]:
        parts = {tuple(i for i in rows if i in line) for line in lines}
        for part in parts - {(), rows}:
            rest = tuple(i for i in rows if i not in part)
            n_features = n_needed(rest, part)
            if n_features:
                yield rest, part, n_features

    return cheapest_by_errors(problem, divisions)


def fewest_features(left: FloatArray, right: FloatArray, separation: float) -> int:
    """Return how many features it takes to part two sets of rows, 0 if all are not enough.

    Examples
    --------
    >>> low, high = np.array([[0.0, 0.0]]), np.array([[0.1, 0.1]])
    >>> fewest_features(low, high, 0.1), fewest_features(low, high, 0.2)
    (1, 0)
    """
    p = left.shape[1]
    for count in range(1, p + 1):
        for chosen in combinations(range(p), count):
            if widest(left[:, chosen], right[:, chosen]) >= separation * (1 - 1e-9):
                return count
    return 0


def widest(left: FloatArray, right: FloatArray) -> float:
    """Return how far two sets of rows can be parted by weights whose sizes add up to 1.

    A linear program over the two signs of the weights, the threshold and the width.
    """
    p = left.shape[1]
    on_left = np.hstack([left, -left, -np.ones((len(left), 1)), np.ones((len(left), 1))])
    on_right = np.hstack([-right, right, np.ones((len(right), 1)), np.zeros((len(right), 1))])
    size = np.hstack([np.ones((1, 2 * p)), np.zeros((1, 2))])
    found = linprog(
        np.r_[np.zeros(2 * p + 1), -1.0],
        A_ub=np.vstack([on_left, on_right, size]),
        b_ub=np.r_[np.zeros(len(left) + len(right)), 1.0],
        bounds=[(0, None)] * (2 * p) + [(None, None)] * 2,
    )
    return float(-found.fun)


def tiny_oblique_problem(rng: np.random.Generator) -> Problem:
    """Return a random problem of 4 to 9 rows in one or two dimensions, and all that OCT-H knows.

    Examples
    --------
    >>> problem = tiny_oblique_problem(np.random.default_rng(0))
    >>> problem.n_features <= 2, problem.rules.axis_parallel
    (True, False)
    """
    problem = tiny_axis_problem(rng, max_features=2)
    separation = float(rng.choice([0.001, 0.05, 0.2]))
    rules = replace(problem.rules, axis_parallel=False, separation=separation)
    return replace(problem, rules=rules)
