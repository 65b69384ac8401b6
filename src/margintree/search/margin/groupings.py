"""Groupings: sets of rows that stay together when the search draws or divides at a split."""

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray, product
from margintree.core.problem import Problem

MAX_GROUPS = 7
"""Maximum number of groups; `best_divisions` examines every division of every set of groups."""
N_GROUPINGS = 24
"""Number of groupings by cluster in one search; half as many are groupings by class."""


def make_groupings(problem: Problem, seed: int) -> list[IntArray]:
    """Return groupings to draw from: clusters of many sizes and, if there are few, the classes."""
    rng = np.random.default_rng(seed)
    sizes = np.resize(np.arange(2, MAX_GROUPS + 1), N_GROUPINGS)
    clusters = [by_cluster(problem, int(size), rng) for size in sizes]
    return clusters + [by_class(problem)] * (N_GROUPINGS // 2 * (problem.n_classes <= MAX_GROUPS))


def by_class(problem: Problem) -> IntArray:
    """Return the classes as groups, numbered without gaps."""
    return _compact(problem.y)


def by_cluster(problem: Problem, n_groups: int, rng: np.random.Generator) -> IntArray:
    """Return about ``n_groups`` groups: clusters inside classes, or clusters of whole classes.

    If there are fewer classes than groups, classes are divided into clusters, heavier classes more
    often. If there are more classes than groups, classes with close means share a group.
    """
    classes = by_class(problem)
    n_classes = int(classes.max()) + 1
    if n_classes >= n_groups:
        means = np.array([problem.X[classes == k].mean(axis=0) for k in range(n_classes)])
        return _compact(nearest(means, _centres(means, n_groups, rng))[classes])
    mass = np.bincount(classes, weights=problem.row_weights)
    extra = rng.choice(n_classes, size=n_groups - n_classes, p=mass / mass.sum())
    groups = np.empty(problem.n_rows, dtype=np.int64)
    for k, count in enumerate(1 + np.bincount(extra, minlength=n_classes)):
        rows = np.flatnonzero(classes == k)
        X = problem.X[rows]
        groups[rows] = k * n_groups + nearest(X, _centres(X, count, rng))
    return _compact(groups)


def _centres(X: FloatArray, count: int, rng: np.random.Generator) -> FloatArray:
    """Return centres of the rows: random rows, moved to the mean of the rows closest to them."""
    centres = X[rng.choice(len(X), size=min(count, len(X)), replace=False)]
    for _ in range(2):
        closest = nearest(X, centres)
        kept = np.unique(closest)
        centres = np.array([X[closest == k].mean(axis=0) for k in kept])
    return centres


def nearest(X: FloatArray, centres: FloatArray) -> IntArray:
    """Return the closest centre of every row."""
    distances = (centres**2).sum(axis=1) - 2 * product(X, centres.T)
    return np.asarray(distances.argmin(axis=1))


def _compact(groups: IntArray) -> IntArray:
    """Return the groups numbered without gaps."""
    return np.unique(groups, return_inverse=True)[1].astype(np.int64)
