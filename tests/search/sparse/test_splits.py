"""Sparse trees as nested splits; the weights and the threshold of one, against plain twins."""

import numpy as np
import pytest
from hypothesis import given
from scipy.optimize import linprog

from margintree.core.rules import Rules
from margintree.core.simplify import simplify
from margintree.search.sparse.splits import (
    best_thresholds,
    follow,
    n_splits,
    sparse_weights,
    to_node,
    to_tree,
)
from strategies import problems_with_trees


@pytest.mark.parametrize("seed", range(20))
def test_the_best_threshold_is_the_best_of_all(seed):
    """Every gap is tried one by one, with every thing that can be on either side."""
    rng = np.random.default_rng(seed)
    m, rules = int(rng.integers(2, 9)), Rules(float(rng.choice([0, 2])), separation=0.1)
    values, mass = rng.random((m, 3)).round(1), rng.uniform(0.5, 2, m)
    left, right = rng.random((m, int(rng.integers(1, 3)))), rng.random((m, 2))
    costs, thresholds = best_thresholds(values, left, right, mass, rules)
    for column, (cost, threshold) in enumerate(zip(costs, thresholds, strict=True)):
        best = np.inf
        for cut in np.unique(values[:, column])[1:]:
            goes_right = values[:, column] >= cut
            room = values[goes_right, column].min() - values[~goes_right, column].max()
            lighter = min(mass[goes_right].sum(), mass[~goes_right].sum())
            if room >= rules.separation and lighter >= rules.least_mass:
                paid = left[~goes_right].sum(axis=0).min() + right[goes_right].sum(axis=0).min()
                best = min(best, paid)
        assert cost == pytest.approx(best)
        if np.isfinite(best):
            goes_right = values[:, column] >= threshold
            paid = left[~goes_right].sum(axis=0).min() + right[goes_right].sum(axis=0).min()
            assert paid == pytest.approx(best)


@pytest.mark.parametrize("seed", range(20))
def test_sparse_weights_cost_as_little_as_those_of_the_primal_program(seed):
    """The twin writes the weights, the intercept and the violations as variables."""
    rng = np.random.default_rng(seed)
    m, p = int(rng.integers(2, 40)), int(rng.integers(1, 9))
    X, sides = rng.random((m, p)), rng.choice([-1.0, 1.0], m)
    pulls = rng.random(m) * 10 ** rng.uniform(-2, 3)
    signed = sides[:, None] * X
    twin = linprog(
        np.r_[np.ones(2 * p), 0.0, pulls],
        A_ub=-np.hstack([signed, -signed, sides[:, None], np.eye(m)]),
        b_ub=-np.ones(m),
        bounds=[(0, None)] * (2 * p) + [(None, None)] + [(0, None)] * m,
    )
    weights = sparse_weights(X, sides, pulls)
    values = X @ weights
    turns = sides - values  # the best intercept puts a row on its margin
    hinges = np.maximum(0.0, 1 - sides * (values + turns[:, None])) @ pulls
    assert np.abs(weights).sum() + hinges.min() == pytest.approx(twin.fun, rel=1e-6, abs=1e-9)


@given(problems_with_trees())
def test_trees_and_nodes_are_the_same(drawn):
    """A tree becomes nodes and comes back, and rows get the same classes on either side."""
    problem, tree = drawn
    tree = simplify(problem, tree)
    node = to_node(tree)
    again = simplify(problem, to_tree(problem, node))
    assert n_splits(node) == tree.n_splits
    np.testing.assert_array_equal(again.weights, tree.weights)
    np.testing.assert_array_equal(again.intercepts, tree.intercepts)
    np.testing.assert_array_equal(again.leaf_classes, tree.leaf_classes)
    np.testing.assert_array_equal(follow(node, problem.X), tree.predict(problem.X))
