"""A lower bound on the cost of every tree, found in milliseconds and without a solver.

Three facts hold for every tree. With s splits it predicts at most s + 1 classes. Rows with equal
features get the same class. If two rows of different classes are both predicted correctly, some
hyperplane separates them, and this costs more the closer they are.
"""

from typing import NamedTuple

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray, product
from margintree.core.problem import Problem

MAX_ROWS = 600
"""Rows used in the search for close pairs; leaving out rows never raises the optimum."""
N_NORMS = 2000
"""Grid points for the norm, at which the cost of separating pairs is bounded."""


class Pairs(NamedTuple):
    """Disjoint pairs of rows of different classes, and the violations caused by separating them."""

    first: IntArray  # the rows of the pairs, of shape (n_pairs,)
    second: IntArray
    norms: FloatArray  # norms of hyperplanes, from 0 to infinity, of shape (n_norms,)
    violations: FloatArray  # least total violation of a separated pair, (n_norms, n_pairs)


def lower_bound(problem: Problem, pairs: Pairs | None = None) -> float:
    """Return a lower bound on the cost of any tree.

    Pass the `close_pairs` of these rows and this norm if they are known; they do not depend on the
    costs.

    Examples
    --------
    >>> from margintree.core.problem import Costs
    >>> problem = Problem.from_data([[0.0], [1.0]], [0, 1], n_classes=2, depth=1,
    ...                             costs=Costs(errors=10, violations=10, splits=0.1))
    >>> 2.0 < lower_bound(problem) <= 2.1
    True
    """
    return error_bound(problem, if_split=separation(problem, pairs))


def error_bound(problem: Problem, if_split: float = 0.0) -> float:
    """Return a lower bound on the cost of errors and splits of any tree.

    ``if_split`` is a lower bound on the cost, without splits, of a tree that has a split.

    Examples
    --------
    >>> problem = Problem.from_data([[0.0], [1.0], [2.0]], [0, 1, 2], n_classes=3, depth=2)
    >>> error_bound(problem.with_rules(max_splits=1))
    1.1
    """
    n_splits = range(1, problem.max_splits + 1)
    errors = np.maximum(contradictions(problem), [unnamed(problem, s + 1) for s in n_splits])
    of_one_feature = problem.feature_prices.min(initial=np.inf)
    price = problem.costs.splits + of_one_feature
    with_splits = price * np.array(n_splits) + np.maximum(errors, if_split)
    without = problem.error_prices.sum(axis=0).min()
    return float(min(without, with_splits.min(initial=np.inf)))


def contradictions(problem: Problem) -> float:
    """Return the least cost of the rows that have equal features but different classes.

    Such rows are neighbours, because a problem keeps its rows in lexicographic order.
    """
    groups = np.cumsum(np.r_[True, (problem.X[1:] != problem.X[:-1]).any(axis=1)]) - 1
    prices = np.zeros((groups[-1] + 1, problem.n_classes))
    np.add.at(prices, groups, problem.error_prices)
    return float(prices.min(axis=1).sum())


def unnamed(problem: Problem, n_leaves: int) -> float:
    """Return the least cost of the classes that find no leaf."""
    prices = np.bincount(problem.y, weights=cheapest_errors(problem), minlength=problem.n_classes)
    present = np.sort(prices[problem.class_mass() > 0])
    return float(present[: max(0, len(present) - n_leaves)].sum())


def cheapest_errors(problem: Problem) -> FloatArray:
    """Return, for every row, the least price of a class other than its own."""
    prices = problem.error_prices.copy()
    prices[np.arange(problem.n_rows), problem.y] = np.inf
    return np.asarray(prices.min(axis=1))


def separation(problem: Problem, pairs: Pairs | None = None) -> float:
    """Return a lower bound on the margin term plus the errors and violations of disjoint pairs.

    Let S be the largest norm of a hyperplane. A pair at distance d (in the dual norm) either pays
    for an error, or a hyperplane separates it. The values of the two rows then differ by at most
    S d, so their violations add up to at least 2 - S d. Between two neighbouring norms of a grid,
    the margin term is at least that of the smaller norm, and the price of the pairs is at least
    that of the larger.
    """
    first, second, norms, violations = close_pairs(problem) if pairs is None else pairs
    wrong, weights = cheapest_errors(problem), problem.row_weights
    errors = np.minimum(wrong[first], wrong[second])
    pulls = problem.costs.violations * np.minimum(weights[first], weights[second])
    prices = np.minimum(errors, pulls * violations).sum(axis=1)
    return float((problem.margin_price(norms[:-1]) + prices[1:]).min())


def _grid(distances: FloatArray) -> FloatArray:
    """Return norms from 0 to infinity, dense where pairs at these distances become free."""
    free = 2 / distances[distances > 0]
    if not len(free):
        return np.array([0.0, np.inf])
    low = np.geomspace(1e-2 * free.min(), free.min(), N_NORMS // 4)
    return np.unique(np.r_[0.0, low, np.quantile(free, np.linspace(0, 1, N_NORMS)), np.inf])


def close_pairs(problem: Problem) -> Pairs:
    """Return disjoint pairs of rows of different classes, closest pairs first.

    Any pairs give a valid bound; the Euclidean distance chooses them, whatever the norm is.
    """
    step = -(-problem.n_rows // MAX_ROWS)
    rows = np.arange(0, problem.n_rows, step)
    X, y = problem.X[rows], problem.y[rows]
    i, j = np.nonzero(np.triu(y[:, None] != y[None, :]))
    squared = (X**2).sum(axis=1)
    distances = np.sqrt(np.maximum(0.0, squared[i] + squared[j] - 2 * product(X, X.T)[i, j]))
    taken: set[int] = set()
    chosen = []
    order = np.argsort(distances, kind="stable")
    for k, one, other in zip(order.tolist(), i[order].tolist(), j[order].tolist(), strict=True):
        if one not in taken and other not in taken:
            taken |= {one, other}
            chosen.append(k)
    i, j = rows[i[chosen]], rows[j[chosen]]
    # Recompute without the cancellation that makes close rows seem closer than they are.
    distances = problem.distances(problem.X[i] - problem.X[j])
    norms = _grid(distances)
    with np.errstate(invalid="ignore"):
        apart = np.nan_to_num(np.outer(norms, distances), nan=0.0, posinf=np.inf)
    return Pairs(i, j, norms, np.maximum(0.0, 2 - apart))
