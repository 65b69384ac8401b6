"""The native search for OCT-H: its parts against plain twins, and its trees against enumeration."""

import time
from functools import cache

import numpy as np
import pytest
from scipy.optimize import linprog

from margintree.core.judges import price_errors
from margintree.core.limits import Limits
from margintree.core.problem import Costs, Problem
from margintree.core.result import Reason
from margintree.core.rules import Shape
from margintree.core.simplify import simplify
from margintree.methods import fit_oct, fit_octh
from margintree.search.margin import engine
from margintree.search.sparse import search_sparse
from margintree.search.sparse.splits import best_thresholds, sparse_weights, to_node, to_tree
from margintree.testing.error_oracles import cheapest_oblique_tree, tiny_oblique_problem


def slanted(n=40, p=3, seed=0):
    """Return rows of three classes parted by two slanted lines, and noise features."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, p))
    y = (X[:, 0] + X[:, 1] > 0.8).astype(int) + (X[:, 0] + X[:, 1] > 1.2)
    costs = Costs(errors=1 / (n - np.bincount(y).max()), violations=0.0, splits=0.01)
    problem = Problem.from_data(X, y, n_classes=3, depth=2, costs=costs)
    return problem, Shape.of(problem, 0.05, axis_parallel=False, separation=0.001)


@pytest.mark.parametrize("seed", range(20))
def test_the_best_threshold_is_the_best_of_all(seed):
    """Every gap is tried one by one, with every thing that can be on either side."""
    rng = np.random.default_rng(seed)
    m, shape = int(rng.integers(2, 9)), Shape(float(rng.choice([0, 2])), 1, False, 0.1)
    values, mass = rng.random((m, 3)).round(1), rng.uniform(0.5, 2, m)
    left, right = rng.random((m, int(rng.integers(1, 3)))), rng.random((m, 2))
    costs, thresholds = best_thresholds(values, left, right, mass, shape)
    for column, (cost, threshold) in enumerate(zip(costs, thresholds, strict=True)):
        best = np.inf
        for cut in np.unique(values[:, column])[1:]:
            goes_right = values[:, column] >= cut
            room = values[goes_right, column].min() - values[~goes_right, column].max()
            lighter = min(mass[goes_right].sum(), mass[~goes_right].sum())
            if room >= shape.separation and lighter >= shape.least_mass:
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


@pytest.mark.parametrize("seed", range(25))
def test_the_search_finds_the_optimum_of_tiny_problems(seed):
    """Its tree keeps the shape and costs what enumeration finds."""
    problem, shape = tiny_oblique_problem(np.random.default_rng([5, seed]))
    result = search_sparse(problem, shape, Limits(iterations=25))
    assert price_errors(problem, shape, result.tree).is_allowed
    assert result.objective == pytest.approx(cheapest_oblique_tree(problem, shape), abs=1e-9)
    assert result.bound <= result.objective


def test_slanted_borders_are_found():
    """Two splits of two features make no error; single features do."""
    problem, shape = slanted()
    result = search_sparse(problem, shape, Limits())
    cost = price_errors(problem, shape, result.tree)
    assert (cost.errors, cost.splits) == (0.0, pytest.approx(0.04))
    assert result.objective < fit_oct(problem, Shape.of(problem, 0.05)).objective


def test_the_number_of_splits_is_kept():
    """More splits are never worse, and no tree has more than allowed."""
    problem, shape = slanted()
    costs = []
    for max_splits in range(4):
        few = Shape(shape.least_mass, max_splits, False, shape.separation)
        result = search_sparse(problem, few, Limits(iterations=45))
        assert result.tree.n_splits <= max_splits
        costs.append(result.objective)
    assert costs == sorted(costs, reverse=True)
    assert costs[0] == pytest.approx(1.0)


def test_compilation_takes_nothing_of_the_time_limit(monkeypatch):
    """The seconds of a result, which limits are compared with, do not have it."""
    monkeypatch.setattr(engine, "compile_kernels", cache(lambda **_: time.sleep(0.5)))
    start = time.perf_counter()
    result = search_sparse(*slanted(), Limits(iterations=4))
    assert time.perf_counter() - start - result.seconds >= 0.5


def test_trees_and_nodes_are_the_same():
    """A tree becomes nodes and comes back."""
    problem, shape = slanted()
    tree = search_sparse(problem, shape, Limits(iterations=2)).tree
    again = simplify(problem, to_tree(problem, to_node(tree)))
    np.testing.assert_array_equal(again.weights, tree.weights)
    np.testing.assert_array_equal(again.leaf_classes, tree.leaf_classes)


def test_why_it_stopped_is_told():
    """Proof, limits of iterations and of time, and an end of its own are told apart."""
    problem, shape = slanted()
    assert search_sparse(problem, shape, Limits()).reason is Reason.FINISHED
    few = search_sparse(problem, shape, Limits(iterations=1))
    assert (few.reason, few.limit, few.iterations) == (Reason.LIMIT, "iterations", 1)
    none = search_sparse(problem, shape, Limits(seconds=0))
    assert (none.reason, none.limit, none.objective) == (Reason.LIMIT, "time", pytest.approx(1.0))
    easy = Problem.from_data([[0.0], [1.0]], [0, 1], n_classes=2, depth=1, costs=Costs(1, 0, 0))
    rules = Shape.of(easy, axis_parallel=False, separation=0.001)
    assert search_sparse(easy, rules, Limits()).reason is Reason.OPTIMAL


def test_the_exact_method_starts_from_the_search():
    """With no time for the solver it returns the tree of the search, and with time a proof."""
    problem, shape = slanted(n=12, p=2)
    found = fit_octh(problem, shape)
    exact = fit_octh(problem, shape, method="exact", solver="highs")
    assert exact.is_optimal
    assert exact.objective <= found.objective + 1e-9
    assert exact.trace[0].objective == found.trace[0].objective
