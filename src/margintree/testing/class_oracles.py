"""The cheapest class trees by enumeration of all hierarchies, for very few classes."""

from collections.abc import Iterator
from functools import cache
from itertools import combinations

import numpy as np

from margintree._lib.arrays import FloatArray, product
from margintree._lib.svm import smo
from margintree.core.judges import leafless_prices
from margintree.core.problem import Costs, Problem

Classes = tuple[int, ...]

MAX_STEPS, TOLERANCE = 1_000_000, 1e-9
"""When the optimisation of a hyperplane ends."""


def cheapest_class_tree(problem: Problem) -> float:
    """Return the cost of the cheapest class tree.

    Examples
    --------
    >>> problem = Problem.from_data([[0.0], [0.5], [1.0]], [0, 1, 2], n_classes=3, depth=2,
    ...                             costs=Costs(violations=100.0))
    >>> round(cheapest_class_tree(problem), 5)
    16.0
    """

    @cache
    def svm(left: Classes, right: Classes) -> float:
        return svm_cost(problem, left, right)

    present = tuple(np.flatnonzero(problem.class_mass()).tolist())
    without = leafless_prices(problem)
    costs = []
    for size in range(1, min(len(present), problem.max_splits + 1) + 1):
        for chosen in combinations(present, size):
            dropped = sum(without[k] for k in present if k not in chosen)
            for splits in hierarchies(chosen, problem.depth):
                costs.append(dropped + sum(svm(*split) for split in splits))  # noqa: PERF401
    return float(min(costs))


def hierarchies(classes: Classes, depth: int) -> Iterator[tuple[tuple[Classes, Classes], ...]]:
    """Yield the splits of every hierarchy of some classes, of at most this depth.

    Examples
    --------
    >>> len(list(hierarchies((0, 1, 2, 3), 3))), len(list(hierarchies((0, 1, 2, 3), 2)))
    (15, 3)
    """
    if len(classes) == 1:
        yield ()
    if len(classes) < 2 or depth == 0:
        return
    first, *others = classes
    for size in range(len(others)):
        for more in combinations(others, size):
            left = (first, *more)
            right = tuple(k for k in others if k not in more)
            for above in hierarchies(left, depth - 1):
                for below in hierarchies(right, depth - 1):
                    yield ((left, right), *above, *below)


def svm_cost(problem: Problem, left: Classes, right: Classes) -> float:
    """Return the cost of the best hyperplane between two groups of classes.

    By sequential minimal optimisation, with the best intercept for its weights.
    """
    rows = np.isin(problem.y, left + right)
    sides = np.where(np.isin(problem.y[rows], right), 1.0, -1.0)
    X, pulls = problem.X[rows], problem.costs.violations * problem.row_weights[rows]
    duals = np.zeros(len(X))
    smo(product(X, X.T), sides, pulls, -np.inf, np.inf, 1.0, duals, MAX_STEPS, TOLERANCE)
    return hinge_cost(product(duals, X), X, sides, pulls)


def hinge_cost(weights: FloatArray, X: FloatArray, sides: FloatArray, pulls: FloatArray) -> float:
    """Return the cost of a hyperplane with these weights and the best intercept.

    Examples
    --------
    >>> X, sides = np.array([[0.0], [1.0]]), np.array([-1.0, 1.0])
    >>> hinge_cost(np.array([2.0]), X, sides, np.ones(2))
    2.0
    """
    linear = (X * weights).sum(axis=1)
    # The cost is piecewise linear in the intercept, with a kink where a row is on its margin.
    values = linear + (sides - linear)[:, None]
    violations = (pulls * np.maximum(0, 1 - sides * values)).sum(axis=1)
    return float((weights**2).sum() / 2 + violations.min())


def tiny_class_problem(rng: np.random.Generator) -> Problem:
    """Return a random problem of two to four classes and 4 to 10 rows.

    Examples
    --------
    >>> tiny_class_problem(np.random.default_rng(0)).n_rows <= 10
    True
    """
    K, p, depth = int(rng.integers(2, 5)), int(rng.integers(1, 4)), int(rng.integers(1, 3))
    n = int(rng.integers(max(4, K), 11))
    problem = Problem.from_data(
        rng.random((n, p)).round(int(rng.choice([1, 3]))),
        rng.integers(0, K, n),
        n_classes=K,
        depth=depth,
        costs=Costs(errors=0.0, violations=float(rng.choice([0.3, 1, 10])), splits=0.0),
        row_weights=rng.uniform(0.5, 2, n) if rng.random() < 0.4 else None,
    )
    return problem.with_rules(max_splits=(None, None, 1, 2)[rng.integers(4)])
