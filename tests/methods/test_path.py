"""Paths: one training set under many costs."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from margintree.methods.tuning import (
    Pool,
    fit_cart_path,
    fit_moctsvm_path,
    fit_oct_path,
    fit_octh_path,
    fit_octsvm_path,
)

from margintree.core.judges import price_errors, price_labels, price_margins, relative_errors
from margintree.core.limits import Clock, Limits
from margintree.core.problem import Costs, Problem
from margintree.core.rules import Shape
from margintree.core.tree import ObliqueTree
from margintree.methods import fit_oct
from margintree.search.margin import search

GRID = [Costs(c1, c2, c3) for c1 in (1e-3, 1.0, 100.0) for c2 in (0.1, 10.0) for c3 in (0.1, 1.0)]
FEW = Limits(iterations=4)


def small_problem(n_classes=3, seed=0, n_rows=24):
    """Return overlapping classes in the plane."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_rows) % n_classes
    X = rng.normal(size=(n_rows, 2)) + 2 * np.column_stack([y, y % 2])
    return Problem.from_data(X, y, n_classes=n_classes, depth=2)


@pytest.fixture(scope="module")
def path():
    return fit_moctsvm_path(small_problem(), GRID, FEW)


def test_a_path_says_what_the_judge_says(path):
    """Every point of the grid has the costs of its own, and a bound below."""
    for costs, result in zip(GRID, path, strict=True):
        problem = replace(small_problem(), costs=costs)
        judged = price_margins(problem, result.tree)
        assert result.objective == judged.total
        assert judged.is_allowed
        assert result.bound <= result.objective
        assert result.objective <= problem.error_prices.sum(axis=0).min()


def test_a_path_without_iterations_searches_nothing():
    """Every combination gets a tree without splits."""
    results = fit_moctsvm_path(small_problem(), GRID, Limits(iterations=0))
    assert {(result.iterations, result.tree.n_splits) for result in results} == {(0, 0)}


def test_a_path_is_the_same_again_and_in_any_order(path):
    """Nothing but the training set, the grid and the limits decides it."""
    backwards = fit_moctsvm_path(small_problem(), GRID[::-1], FEW)[::-1]
    assert [result.tree for result in backwards] == [result.tree for result in path]


def test_a_path_is_better_than_single_fits(path):
    """With as many local searches at each point, warm starts cost no more in the mean."""
    cold = [search(replace(small_problem(), costs=costs), FEW).objective for costs in GRID]
    ratios = np.log([result.objective for result in path]) - np.log(cold)
    assert ratios.mean() <= 0
    assert ratios.max() < 0.1


def test_points_that_the_bound_proves_are_not_searched(path):
    """Errors so cheap that no split pays."""
    proved = [r for costs, r in zip(GRID, path, strict=True) if costs.errors == 1e-3]
    assert all(r.is_optimal and r.tree.n_splits == 0 and r.iterations == 0 for r in proved)


def test_many_rows_are_searched_by_way_of_samples():
    """What is shared belongs to all rows, and samples have their own."""
    problem = small_problem(n_rows=1100)
    (result,) = fit_moctsvm_path(problem, [Costs(1.0, 0.1, 1.0)], Limits(iterations=2))
    judged = price_margins(replace(problem, costs=Costs(1.0, 0.1, 1.0)), result.tree)
    assert result.objective == judged.total


def test_octsvm():
    """Its judge, its costs; two classes."""
    problem, grid = small_problem(n_classes=2), GRID[4:8]
    for costs, result in zip(grid, fit_octsvm_path(problem, grid, FEW), strict=True):
        judged = price_labels(replace(problem, costs=costs), result.tree)
        assert result.objective == judged.total
        assert judged.is_allowed


@settings(max_examples=10)
@given(seed=st.integers(0, 1000))
def test_oct_and_cart_by_number_of_splits(seed):
    """More splits never cost errors, OCT is as good as alone, and CART is never better."""
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 5, size=(20, 2)), rng.integers(0, 3, size=20)
    problem = relative_errors(X, y, n_classes=3, depth=2)
    shape = Shape.of(problem, 0.05)
    found = fit_oct_path(problem, shape, [3, 1, 2])
    costs = [found[k].objective for k in (1, 2, 0)]
    assert costs == sorted(costs, reverse=True)
    assert all(result.is_optimal for result in found)
    assert costs[-1] == fit_oct(problem, shape).objective
    for oct_, cart in zip(found, fit_cart_path(problem, shape, [3, 1, 2]), strict=True):
        assert cart.objective >= oct_.objective - 1e-9


def test_octh_by_price_of_a_feature():
    """Prices are those of the point, and dear features end in a single leaf."""
    rows = small_problem()
    problem = relative_errors(rows.X, rows.y, n_classes=3, depth=2)
    shape = Shape.of(problem, 0.05, axis_parallel=False, separation=0.001)
    grid = [1.0, 0.001, 0.1]
    path = fit_octh_path(problem, shape, grid, FEW)
    for alpha, result in zip(grid, path, strict=True):
        costs = replace(problem.costs, splits=alpha)
        judged = price_errors(replace(problem, costs=costs), shape, result.tree)
        assert result.objective == pytest.approx(judged.total)
        assert judged.is_allowed
    assert path[0].tree.n_splits == 0


@given(
    terms=st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1, max_size=12, unique=True),
    prices=st.tuples(*[st.integers(1, 5)] * 3),
)
def test_a_pool_prices_trees_at_any_costs(terms, prices):
    """The cheapest comes first, and no two with as many errors and splits."""
    trees = [ObliqueTree.leaf(1, 1, 2) for _ in terms]
    by_id = {id(tree): np.array(term, dtype=float) for tree, term in zip(trees, terms, strict=True)}
    pool = Pool(lambda tree: by_id[id(tree)])
    for tree in trees:
        pool.add(tree)
        pool.add(tree)
    prices = np.array(prices, dtype=float)
    chosen = [by_id[id(tree)] for tree in pool.cheapest(prices, count=3)]
    costs = [float(term @ prices) for term in chosen]
    assert costs == sorted(costs)
    assert costs[0] == pool.least_cost(prices) == min(np.array(terms) @ prices)
    assert len({term[0] for term in chosen}) == len(chosen) == min(3, len({t[0] for t in terms}))


def test_a_path_without_time_has_a_tree_for_every_combination():
    """A clock that never ends changes nothing; one that is over leaves the cheapest known trees."""
    problem = small_problem()
    unhurried = fit_moctsvm_path(problem, GRID, FEW, Clock(1e9))
    assert [r.tree for r in unhurried] == [r.tree for r in fit_moctsvm_path(problem, GRID, FEW)]
    hurried = fit_moctsvm_path(problem, GRID, FEW, Clock(0))
    assert not any(result.trace for result in hurried)  # the first search was the last
    for costs, result in zip(GRID, hurried, strict=True):
        assert result.limit == "time" or result.is_optimal
        assert result.objective == price_margins(replace(problem, costs=costs), result.tree).total
