"""Small problems for tests and benchmarks."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from margintree._lib.arrays import AnyArray, FloatArray, IntArray
from margintree.core.problem import Costs, Problem


@dataclass(frozen=True)
class Instance:
    """A problem by name: raw rows and class codes, the depth of the tree, and c1, c2 and c3."""

    name: str
    rows: Callable[[], tuple[FloatArray, IntArray]]
    depth: int
    costs: tuple[float, float, float]

    def problem(self, **options: Any) -> Problem:
        """Return the problem."""
        X, y = self.rows()
        K, costs = int(y.max()) + 1, Costs(*self.costs)
        return Problem.from_data(X, y, n_classes=K, depth=self.depth, costs=costs, **options)


def first_fold(X: AnyArray, y: AnyArray) -> tuple[FloatArray, IntArray]:
    """Return a fifth of the rows: the test rows of the first of five stratified folds."""
    from sklearn.model_selection import StratifiedKFold

    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    _, rows = next(iter(folds.split(X, y)))
    return X[rows], y[rows]


def wine() -> tuple[FloatArray, IntArray]:
    """Return 36 rows of the wine data of scikit-learn."""
    from sklearn.datasets import load_wine

    return first_fold(*load_wine(return_X_y=True))


def iris() -> tuple[FloatArray, IntArray]:
    """Return 30 rows of the iris data of scikit-learn."""
    from sklearn.datasets import load_iris

    return first_fold(*load_iris(return_X_y=True))


def breast() -> tuple[FloatArray, IntArray]:
    """Return 23 rows and 10 features of the breast cancer data of scikit-learn."""
    from sklearn.datasets import load_breast_cancer

    X, y = first_fold(*load_breast_cancer(return_X_y=True))
    return first_fold(X[:, :10], y)


def balance() -> tuple[FloatArray, IntArray]:
    """Return 25 states of a balance scale: weight and distance on both sides, and the lower side.

    A rule gives the full table: the side with the larger product of weight and distance goes down.
    """
    X = np.array(list(product(range(1, 6), repeat=4)), dtype=np.float64)
    y = np.sign(X[:, 0] * X[:, 1] - X[:, 2] * X[:, 3]).astype(np.int64) + 1
    return first_fold(*first_fold(X, y))


def chequers() -> tuple[FloatArray, IntArray]:
    """Return 24 points on the four fields of a chequerboard, two classes."""
    rng = np.random.default_rng(0)
    X = rng.random((24, 2))
    return X, ((X[:, 0] > 0.5) ^ (X[:, 1] > 0.5)).astype(np.int64)


def clouds() -> tuple[FloatArray, IntArray]:
    """Return 28 points in four overlapping clouds, four classes."""
    rng = np.random.default_rng(1)
    y = np.repeat(np.arange(4), 7)
    centres = np.array([[0.0, 0.0], [1.0, 0.2], [0.2, 1.0], [1.1, 1.1]])
    return centres[y] + rng.normal(0, 0.25, (28, 2)), y


INSTANCES = tuple(
    Instance(f"{rows.__name__} D={depth} {costs}".replace(" ", ""), rows, depth, costs)
    for rows, depth, costs in (
        (wine, 2, (10, 1, 1)),
        (iris, 2, (10, 1, 1)),
        (iris, 2, (1, 1, 0.1)),
        (wine, 2, (100, 1, 1)),
        (iris, 2, (100, 1, 1)),
        (iris, 1, (10, 1, 1)),
        (wine, 1, (10, 1, 1)),
        (balance, 2, (10, 1, 1)),
        (chequers, 2, (1, 1, 0.1)),
        (clouds, 2, (1, 1, 0.1)),
        (breast, 1, (1, 1, 0.1)),
        (breast, 2, (10, 1, 1)),
        (balance, 1, (1, 1, 0.1)),
        (chequers, 2, (10, 1, 1)),
        (clouds, 2, (10, 1, 1)),
    )
)
"""The instances on which exact solving is measured."""


def tiny_problems(n_problems: int = 42, seed: int = 5) -> Iterator[Problem]:
    """Yield problems that the oracle can solve, with 5 to 9 rows; everything else varies.

    Examples
    --------
    >>> {problem.margin_term for problem in tiny_problems()} == {"squared", "plain"}
    True
    """
    rng = np.random.default_rng(seed)
    for _ in range(n_problems):
        yield tiny_problem(rng)


def tiny_problem(rng: np.random.Generator) -> Problem:
    """Return a random problem with one or two features and depth one or two."""
    n, p = int(rng.integers(5, 10)), int(rng.integers(1, 3))
    K, depth = int(rng.integers(2, 5)), int(rng.integers(1, 3))
    errors, violations = float(rng.choice([1, 5, 10, 100])), float(rng.choice([0.1, 1, 10]))
    costs = Costs(errors, violations, splits=float(rng.choice([0, 0.1, 1])))
    # One decimal makes equal rows with different labels likely.
    X = rng.random((n, p)).round(int(rng.choice([1, 3])))
    error_costs = rng.uniform(0.5, 3, (K, K)).round(1) * (1 - np.eye(K))
    return Problem.from_data(
        X,
        rng.integers(0, K, n),
        n_classes=K,
        depth=depth,
        costs=costs,
        row_weights=rng.uniform(0.5, 2, n) if rng.random() < 0.4 else None,
        error_costs=error_costs if rng.random() < 0.4 else None,
        margin_term="squared" if rng.random() < 0.5 else "plain",
    )
