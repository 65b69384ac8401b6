"""One descent: it never costs more and keeps the rules; kicks and programs do what they say."""

from dataclasses import replace

import numpy as np
import pytest

from margintree.core.judges import price_errors
from margintree.core.limits import Clock, Limits
from margintree.core.problem import Costs, Problem
from margintree.core.simplify import centred, with_cheapest_classes
from margintree.methods import OCTH
from margintree.search.sparse.descent import MAX_PROGRAM_ROWS, Descent
from margintree.search.sparse.splits import Cut, follow, n_splits, to_tree
from margintree.testing.error_oracles import cheapest_oblique_tree, tiny_oblique_problem

SEEDS = range(20)


def rng_of(seed):
    """Return a generator of these tests."""
    return np.random.default_rng(np.ravel([8, *np.ravel(seed)]))


def descent_of(problem, seed=0):
    """Return a descent without limits."""
    return Descent(problem, np.random.default_rng(seed), Clock())


def wide_problem(seed, n=60, p=8, price=0.01, **costs):
    """Return a problem of many features, of which two part the classes."""
    rng = rng_of(seed)
    X = rng.random((n, p))
    y = (X[:, 0] + 2 * X[:, 3] > 1.5).astype(int)
    prices = {"errors": 1 / max(1, min(np.bincount(y))), "violations": 0.0, "splits": 0.0}
    problem = Problem.from_data(
        X, y, n_classes=2, depth=2, costs=Costs(**prices | costs, features=price)
    )
    return problem.with_rules(0.05, separation=0.001)


def random_node(problem, seed):
    """Return a random tree of the depth of the problem whose splits divide the rows."""
    rng = rng_of(seed)

    def grow(rows, height):
        if height == 0 or len(rows) < 2 or rng.random() < 0.2:
            return int(problem.error_prices[rows].sum(axis=0).argmin())
        weights = rng.standard_normal(problem.n_features)
        values = problem.X[rows] @ weights
        middle = float(np.median(values)) + 1e-6
        goes_right = values >= middle
        if goes_right.all() or not goes_right.any():
            return int(problem.error_prices[rows].sum(axis=0).argmin())
        return Cut(
            weights,
            -middle,
            grow(rows[~goes_right], height - 1),
            grow(rows[goes_right], height - 1),
        )

    return grow(np.arange(problem.n_rows), problem.depth)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_cost_of_a_node_is_that_of_the_judge(seed):
    """Where a tree keeps the rules; otherwise it is infinite."""
    problem = tiny_oblique_problem(rng_of(seed))
    descent = descent_of(problem)
    for k in range(20):
        node = random_node(problem, [seed, k])
        tree = with_cheapest_classes(problem, to_tree(problem, node))
        cost = price_errors(problem, tree)
        if n_splits(node) > problem.max_splits:
            continue  # it is descend that removes splits
        expected = cost.total if cost.is_allowed else np.inf
        assert descent.total(node) == pytest.approx(expected)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_descent_ends_in_a_tree_that_keeps_the_rules_and_costs_no_less_than_the_best(seed):
    """From any tree, also one that breaks rules; and a tree in order never gets worse."""
    problem = tiny_oblique_problem(rng_of(seed))
    descent = descent_of(problem, seed)
    least = cheapest_oblique_tree(problem)
    for k in range(5):
        start = random_node(problem, [seed, k])
        end = descent.descend(start)
        tree = centred(problem, to_tree(problem, end))
        assert price_errors(problem, tree).is_allowed
        assert descent.total(end) >= least - 1e-9
        if n_splits(start) <= problem.max_splits:
            assert descent.total(end) <= descent.total(start) + 1e-9


@pytest.mark.parametrize("seed", range(6))
def test_splits_above_the_number_are_removed_at_the_least_loss(seed):
    """One after the other, each time the one whose loss costs least."""
    problem = wide_problem(seed, splits=0.001)
    descent = descent_of(problem)
    node = random_node(problem, seed)
    count = n_splits(node)
    for most in range(count, -1, -1):
        ruled = descent_of(problem.with_rules(0.0, most))
        ruled.problem = replace(ruled.problem, depth=problem.depth)
        while n_splits(node) > most:
            candidates = [*descent._without_one(node, descent.everything)]
            assert all(n_splits(one) == n_splits(node) - 1 for one in candidates)
            node = descent._with_one_split_less(node)
            assert descent.total(node) == min(map(descent.total, candidates))
    assert n_splits(node) == 0


@pytest.mark.parametrize("seed", range(10))
def test_weights_stay_0_where_a_feature_has_no_ease(seed):
    """And a program with all features at equal ease is the plain one."""
    problem, rng = wide_problem(seed), rng_of(seed)
    sides = np.where(problem.y == 1, 1.0, -1.0)
    pulls = np.full(problem.n_rows, 5.0)
    rows = np.arange(problem.n_rows)
    descent = descent_of(problem)
    ease = (rng.random(problem.n_features) < 0.5).astype(float)
    ease[[0, 3]] = 1.0
    weights = descent._sparse_weights(rows, sides, pulls, ease)
    assert weights.any()
    assert not weights[ease == 0].any()
    plain = descent._sparse_weights(rows, sides, pulls)
    same = descent._sparse_weights(rows, sides, pulls, np.ones(problem.n_features))
    np.testing.assert_array_equal(plain, same)
    halved = descent._sparse_weights(rows, sides, pulls / 2, np.full(problem.n_features, 2.0))
    # Twice the ease at half the pull is the same problem, in other units.
    assert halved == pytest.approx(plain, rel=1e-6, abs=1e-6)


def test_without_a_pull_there_are_no_weights():
    """No row wants anything, so no program is solved."""
    problem = wide_problem(0)
    rows, nothing = np.arange(problem.n_rows), np.zeros(problem.n_rows)
    assert not descent_of(problem)._sparse_weights(rows, np.ones(problem.n_rows), nothing).any()


def test_many_rows_are_sampled_and_each_stands_for_several():
    """The weights still part the classes that two features part."""
    X = rng_of(1).random((5 * MAX_PROGRAM_ROWS, 3))
    y = (X[:, 0] + X[:, 1] > 1).astype(int)
    problem = Problem.from_data(X, y, n_classes=2, depth=1)
    sides = np.where(problem.y == 1, 1.0, -1.0)
    weights = descent_of(problem)._sparse_weights(
        np.arange(problem.n_rows), sides, np.full(problem.n_rows, 10.0)
    )
    values = problem.X @ weights
    middle = (values[sides > 0].min() + values[sides < 0].max()) / 2
    assert ((values > middle) == (sides > 0)).mean() > 0.98


@pytest.mark.parametrize("seed", range(10))
def test_fewer_features_keep_the_rows_that_were_right(seed):
    """Each direction uses only features of the one before, and can part the same two sides."""
    problem = wide_problem(seed)
    descent = descent_of(problem, seed)
    rng = rng_of(seed)
    dense = np.array([1.0, 0, 0, 2.0, 0, 0, 0, 0]) + 0.02 * rng.standard_normal(8)
    node = Cut(dense, -1.5, 0, 1)
    rows = np.arange(problem.n_rows)
    options = descent._options(0, rows), descent._options(1, rows)
    found = [*descent._with_fewer_features(rows, node, *options)]
    sizes = [np.count_nonzero(weights) for weights in found]
    assert sizes == sorted(sizes, reverse=True)
    for before, after in zip([dense, *found], found, strict=False):
        assert not after[before == 0].any()
    if found:
        assert sizes[-1] <= 4 < np.count_nonzero(dense)


@pytest.mark.parametrize("seed", range(10))
def test_a_side_is_kept_only_where_it_is_the_cheaper_one(seed):
    """Rows on the dearer side, and rows to which sides do not matter, may go anywhere."""
    problem = wide_problem(seed)
    descent = descent_of(problem, seed)
    node = Cut(rng_of(seed).standard_normal(8), -0.5, 0, 1)
    rows = np.arange(problem.n_rows)
    goes_right = follow(node, problem.X) == 1
    left, right = (descent._prices(rows)[:, [k]] for k in (0, 1))
    sides, pulls = descent._kept_sides(rows, node, left, right)
    np.testing.assert_array_equal(sides > 0, goes_right)
    cheaper_is_right = left[:, 0] > right[:, 0]
    np.testing.assert_array_equal(pulls > 0, goes_right == cheaper_is_right)


@pytest.mark.parametrize("seed", range(12))
def test_a_kick_changes_one_subtree_or_one_split(seed):
    """What is not below the change stays, and thinning never makes a tree larger."""
    problem = wide_problem(seed)
    descent = descent_of(problem, seed)
    start = descent.descend(random_node(problem, seed))
    kicked = [descent.kicked(start) for _ in range(20)]
    assert max(map(n_splits, kicked)) <= 2**problem.depth - 1
    assert not all(same(node, start) for node in kicked)
    if isinstance(start, Cut):
        thinned = descent._thinned(start, descent.everything, problem.depth)
        assert n_splits(thinned) == n_splits(start)
        assert same(thinned.left, start.left)
        assert same(thinned.right, start.right)
        added = np.count_nonzero((thinned.weights != 0) & (start.weights == 0))
        assert added <= 1


@pytest.mark.parametrize("seed", range(6))
def test_a_random_split_is_a_split_of_its_own(seed):
    """Rows pull so strongly that there nearly always is one, and no two are alike."""
    problem = wide_problem(seed)
    descent = descent_of(problem, seed)
    found = [descent._split_at_random(0, descent.everything, 2) for _ in range(20)]
    splits = [node for node in found if isinstance(node, Cut)]
    assert len(splits) >= 15
    assert len({tuple(node.weights.round(6)) for node in splits}) >= len(splits) - 8


def same(one, other):
    """Tell whether two subtrees are equal."""
    if isinstance(one, int) or isinstance(other, int):
        return one is other or (isinstance(one, int) and one == other)
    is_same = np.array_equal(one.weights, other.weights) and one.intercept == other.intercept
    return is_same and same(one.left, other.left) and same(one.right, other.right)


def test_free_splits_and_features_do_no_harm():
    """With nothing to pay there is no strength to weigh rows against."""
    problem = wide_problem(2, price=0.0)
    result = OCTH().search(problem, Limits(iterations=12))
    assert result.objective == pytest.approx(0.0)


@pytest.mark.parametrize("seed", range(3))
def test_a_dense_split_becomes_a_sparse_one(seed):
    """Of many features that all help a little, the search keeps the two that suffice."""
    problem = wide_problem(seed, n=120, p=14)
    found = OCTH().search(problem, Limits(iterations=40))
    assert found.objective <= 0.02 + 0.02 + 1e-9
    assert found.tree.n_coefficients <= 4
