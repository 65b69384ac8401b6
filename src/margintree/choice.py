"""The choice of parameters by cross-validation: rows in folds, and the best of many scores."""

import warnings
from collections.abc import Iterator

import numpy as np
from sklearn.model_selection import StratifiedKFold

from margintree._typing import AnyArray, FloatArray, IntArray


def divide(y: AnyArray, n_folds: int, seed: int) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield the rows of every fold and all others; every fold has its share of every class.

    Examples
    --------
    >>> y = np.array(["a", "b"] * 4)
    >>> [(len(fold), len(others)) for fold, others in divide(y, 4, seed=0)]
    [(2, 6), (2, 6), (2, 6), (2, 6)]
    """
    with warnings.catch_warnings():
        # Classes with fewer rows than folds are in some folds and not in others.
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        folds = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
        for others, fold in folds.split(np.empty((len(y), 0)), y):
            yield fold, others


def thin(y: AnyArray, size: int, seed: int) -> IntArray:
    """Return the places of some rows, in order; every class keeps its share of them.

    Examples
    --------
    >>> y = np.array(["a", "b", "b"] * 100)
    >>> rows = thin(y, 30, seed=0)
    >>> len(set(rows)), int((y[rows] == "a").sum())
    (30, 10)
    """
    if len(y) <= size:
        return np.arange(len(y))
    by_class = np.lexsort((np.random.default_rng(seed).random(len(y)), y))
    return np.sort(by_class[np.linspace(0, len(y) - 1, size).round().astype(np.int64)])


def place_of_best(right: FloatArray, splits: FloatArray) -> int:
    """Return the place of what is right most often; of several, the fewest splits, then the first.

    Examples
    --------
    >>> place_of_best(np.array([7, 9, 9, 9]), np.array([1, 3, 2, 2]))
    2
    """
    return int(np.lexsort((splits, -right))[0])
