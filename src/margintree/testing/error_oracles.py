"""The cheapest trees of OCT and OCT-H by enumeration, for very few rows."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial
from itertools import combinations

import numpy as np
from scipy.optimize import linprog

from margintree._lib.arrays import FloatArray
from margintree.core.problem import Costs, Problem
from margintree.testing.margin_oracles import linear_divisions

RowSet = tuple[int, ...]


def cheapest_axis_tree(problem: Problem) -> float:
    """Return the cost of the cheapest allowed axis-parallel tree.

    Examples
    --------
    >>> problem = Problem.from_data([[0.0], [1.0], [2.0]], [0, 1, 0], n_classes=2, depth=2,
    ...                             costs=Costs(errors=1, splits=0.25))
    >>> cheapest_axis_tree(problem)
    0.5
    """
    return cheapest_by_errors(problem, partial(divisions, problem))


def cheapest_by_errors(
    problem: Problem, divisions: Callable[[RowSet], Iterator[tuple[RowSet, RowSet, int]]]
) -> float:
    """Return the cost of the cheapest allowed tree, in errors, splits and features of splits.

    ``divisions`` yields all ways to divide rows, each with the number of features that it needs.
    """
    costs = problem.costs

    @cache
    def cheapest(rows: RowSet, depth: int, n_splits: int) -> float:
        prices = [leaf_price(rows)]
        if depth > 0 and n_splits > 0:
            for left, right, n_features in divisions(rows):
                for on_left in range(n_splits):
                    below = cheapest(left, depth - 1, on_left)
                    below += cheapest(right, depth - 1, n_splits - 1 - on_left)
                    prices.append(costs.splits + costs.features * n_features + below)
        return min(prices)

    def leaf_price(rows: RowSet) -> float:
        is_light = problem.row_weights[list(rows)].sum() < problem.rules.least_mass
        if is_light and len(rows) < problem.n_rows:
            return np.inf
        return float(problem.error_prices[list(rows)].sum(axis=0).min())

    return cheapest(tuple(range(problem.n_rows)), problem.depth, problem.max_splits)


def divisions(problem: Problem, rows: RowSet) -> Iterator[tuple[RowSet, RowSet, int]]:
    """Yield all ways to divide rows by a threshold, each with 1 as its number of features."""
    for values in problem.X.T:
        for threshold in np.unique(values[list(rows)])[1:]:
            left = tuple(i for i in rows if values[i] < threshold)
            yield left, tuple(i for i in rows if values[i] >= threshold), 1


def tiny_axis_problem(
    rng: np.random.Generator, max_depth: int = 2, max_features: int = 3
) -> Problem:
    """Return a random problem of 4 to 9 rows, with random options of OCT.

    Examples
    --------
    >>> tiny_axis_problem(np.random.default_rng(0)).n_rows <= 9
    True
    """
    n, K = int(rng.integers(4, 10)), int(rng.integers(2, 4))
    p = int(rng.integers(1, max_features + 1))
    # With one decimal, equal values and equal rows with different labels are likely.
    X = rng.random((n, p)).round(int(rng.choice([1, 3])))
    problem = Problem.from_data(
        X,
        rng.integers(0, K, n),
        n_classes=K,
        depth=int(rng.integers(1, max_depth + 1)),
        costs=Costs(errors=float(rng.choice([0.1, 1])), splits=float(rng.choice([0, 0.05, 0.3]))),
        row_weights=rng.uniform(0.5, 2, n) if rng.random() < 0.4 else None,
    )
    min_samples_leaf = float(rng.choice([0, 0.05, 0.2, 0.3]))
    max_splits = (None, 1, 2, 3, 5)[rng.integers(5)]
    return problem.with_rules(min_samples_leaf, max_splits, axis_parallel=True)


def cheapest_oblique_tree(problem: Problem) -> float:
    """Return the cost of the cheapest allowed tree, in errors, splits and features.

    Examples
    --------
    >>> from margintree.core.problem import Costs
    >>> problem = Problem.from_data([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1], n_classes=2,
    ...                             depth=1, costs=Costs(errors=1, splits=0, features=0.25))
    >>> cheapest_oblique_tree(problem.with_rules(separation=0.1))
    0.5
    """
    lines = list(linear_divisions(problem.X))

    @cache
    def n_needed(left: RowSet, right: RowSet) -> int:
        return fewest_features(
            problem.X[list(left)], problem.X[list(right)], problem.rules.separation
        )

    def divisions(rows: RowSet) -> Iterator[tuple[RowSet, RowSet, int]]:
        parts = {tuple(i for i in rows if i in line) for line in lines}
        for part in parts - {(), rows}:
            rest = tuple(i for i in rows if i not in part)
            n_features = n_needed(rest, part)
            if n_features:
                yield rest, part, n_features

    return cheapest_by_errors(problem, divisions)


def fewest_features(left: FloatArray, right: FloatArray, separation: float) -> int:
    """Return the number of features needed to separate two sets of rows; 0 if all are too few.

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
    """Return the largest gap between two sets of rows, for weights with absolute sum 1.

    A linear program over positive and negative parts of the weights, the threshold and the gap.
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
    """Return a random problem of 4 to 9 rows and one or two features, with options of OCT-H.

    Examples
    --------
    >>> problem = tiny_oblique_problem(np.random.default_rng(0))
    >>> problem.n_features <= 2, problem.rules.axis_parallel
    (True, False)
    """
    problem = tiny_axis_problem(rng, max_features=2)
    separation = float(rng.choice([0.001, 0.05, 0.2]))
    rules = replace(problem.rules, axis_parallel=False, separation=separation)
    price = problem.costs.splits
    splits, features = ((0.0, price), (price, 0.0), (price, price))[rng.integers(3)]
    costs = replace(problem.costs, splits=splits, features=features)
    return replace(problem, rules=rules, costs=costs)
