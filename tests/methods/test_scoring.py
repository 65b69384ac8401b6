"""How trees are scored: in whole rows, and in parts of rows that are near a split."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import strategies
from margintree.core import topology
from margintree.core.problem import Problem
from margintree.core.tree import ObliqueTree
from margintree.methods.scoring import (
    SCORES,
    accuracy,
    half_spacing,
    margins_of,
    nearness,
    shares_right,
    soft,
)

REACH = st.floats(0.01, 10.0)


def distances_of(tree, X):
    """Return how far every row is from every split, negative on its left."""
    norms = [np.sqrt(weights @ weights) or 1.0 for weights in tree.weights]
    return tree.split_values(X) / norms


def share_right(tree, distances, label, node=1):
    """Return the share of one row that arrives at leaves of its class, node by node."""
    if node > len(tree.splits):
        return float(tree.leaf_classes[node - len(tree.leaf_classes)] == label)
    left = share_right(tree, distances, label, topology.left(node))
    if not tree.splits[node - 1]:
        return left
    right = share_right(tree, distances, label, topology.right(node))
    share = min(1.0, max(0.0, (1 + distances[node - 1]) / 2))
    return (1 - share) * left + share * right


@given(strategies.trees(), st.integers(0, 2**32 - 1), REACH)
def test_shares_follow_from_the_distances_of_the_splits(tree, seed, reach):
    """As a slow walk down the tree says; all classes together have the whole row."""
    X = np.random.default_rng(seed).normal(size=(5, tree.n_features))
    ways = distances_of(tree, X) / reach
    labels = range(tree.n_classes)
    shares = np.array([shares_right(tree, X, np.full(len(X), label), reach) for label in labels])
    slow = [[share_right(tree, row, label) for row in ways] for label in labels]
    np.testing.assert_allclose(shares, slow, atol=1e-12)
    np.testing.assert_allclose(shares.sum(axis=0), 1.0)


@given(strategies.trees(), st.integers(0, 2**32 - 1), REACH)
def test_rows_far_from_all_splits_are_right_or_wrong(tree, seed, reach):
    """Just as they are predicted."""
    X = np.random.default_rng(seed).normal(size=(5, tree.n_features))
    is_near = np.abs(distances_of(tree, X)) < 1.001 * reach
    is_clear = ~(is_near & tree.splits).any(axis=1)
    predicted = tree.predict(X)
    for label in range(tree.n_classes):
        shares = shares_right(tree, X, np.full(len(X), label), reach)
        np.testing.assert_array_equal(shares[is_clear], (predicted == label)[is_clear])


@given(strategies.trees(n_features=2))
def test_no_class_no_share(tree):
    """A code that stands for a class the tree does not know is never right."""
    assert shares_right(tree, np.zeros((1, 2)), np.array([-1]), 0.5) == 0


@given(strategies.trees(), st.floats(0.01, 100.0), st.integers(0, 2**32 - 1))
def test_shares_do_not_depend_on_how_a_hyperplane_is_written(tree, factor, seed):
    """Unless its margin is what counts as near: that is wider the smaller its numbers."""
    assume(tree.weights[tree.splits].any(axis=1).all())
    X = np.random.default_rng(seed).normal(size=(5, tree.n_features))
    y = np.zeros(len(X), dtype=int)
    intercepts = np.where(tree.splits, factor, 1.0) * tree.intercepts
    other = replace(tree, weights=factor * tree.weights, intercepts=intercepts)
    np.testing.assert_allclose(
        shares_right(other, X, y, 0.3), shares_right(tree, X, y, 0.3), atol=1e-9
    )
    np.testing.assert_allclose(
        shares_right(other, X, y, margins_of(other)),
        shares_right(tree, X, y, margins_of(tree) / np.where(tree.splits, factor, 1.0)),
        atol=1e-9,
    )


@given(
    st.lists(st.tuples(*[st.integers(-3, 3)] * 2), min_size=1, max_size=12),
    st.integers(0, 2**32 - 1),
)
def test_the_spacing_is_half_way_to_the_nearest_other_row(rows, seed):
    """As all pairs say, whatever the order of the rows and however often they are there."""
    X = np.array(rows, dtype=float)
    unlike = {*rows}
    nearest = [
        min(np.hypot(a - c, b - d) for c, d in unlike - {(a, b)})
        for a, b in unlike
        if len(unlike) > 1
    ]
    expected = np.median(nearest) / 2 if nearest else 1.0
    assert half_spacing(X) == pytest.approx(expected)
    again = np.random.default_rng(seed).permutation(np.vstack([X, X[:3]]))
    assert half_spacing(again) == half_spacing(X)


def test_rows_that_are_too_close_for_a_distance_are_in_one_place():
    """The squares of their differences are 0."""
    assert half_spacing(np.array([[0.0], [1e-200]])) == 1.0
    assert half_spacing(np.array([[0.0], [1e-200], [0.5]])) == 0.25


@given(strategies.problems_with_trees(), st.integers(0, 2**32 - 1))
def test_accuracy_is_one_less_the_price_of_an_error(drawn, seed):
    """Raw rows are scaled as the tree says; a row that is right counts 1."""
    problem, tree = drawn
    rng = np.random.default_rng(seed)
    raw = problem.scaling.minimum + rng.random((6, problem.n_features)) * problem.scaling.span
    y = rng.integers(0, problem.n_classes, 6)
    found = accuracy(problem, tree, raw, y)
    predicted = tree.predict(tree.scaling.apply(raw))
    assert found.tolist() == [
        1 - problem.error_costs[k, k_] for k, k_ in zip(y, predicted, strict=True)
    ]
    assert (found[predicted == y] == 1).all()


def test_nearness_is_the_mean_over_two_widths():
    """Half the distance of neighbouring rows, and the margin."""
    problem = Problem.from_data([[0.0], [4.0], [6.0], [10.0]], [0, 0, 1, 1], n_classes=2, depth=1)
    tree = ObliqueTree.stump([2.0], -1.0, leaf_classes=[0, 1], n_classes=2)
    tree = replace(tree, scaling=problem.scaling)
    raw, y = np.array([[5.0], [6.0], [10.0], [-10.0]]), np.array([1, 1, 1, 1])
    spacing, margin = half_spacing(problem.X), margins_of(tree)
    assert (spacing, margin.tolist()) == (pytest.approx(0.15), [0.5])
    np.testing.assert_allclose(nearness(problem, tree, raw, y), [0.5, (5 / 6 + 0.6) / 2, 1.0, 0.0])


@pytest.mark.parametrize("space", ["whitened", "whitened-quadratic", "rbf"])
def test_nearness_measures_in_the_space_of_the_problem(space):
    """Also for a tree that is written over its terms."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 2)), np.arange(12) % 2
    problem = Problem.from_data(X, y, n_classes=2, depth=1).in_space(space)
    tree = ObliqueTree.stump(rng.normal(size=problem.n_features), 0.1, [0, 1], n_classes=2)
    tree, raw = replace(tree, scaling=problem.scaling), rng.normal(size=(9, 2))
    reaches, seen = (half_spacing(problem.X), margins_of(tree)), problem.scaling.apply(raw)
    expected = np.mean([shares_right(tree, seen, y[:9], reach) for reach in reaches], axis=0)
    np.testing.assert_allclose(nearness(problem, tree, raw, y[:9]), expected)
    np.testing.assert_allclose(nearness(problem, tree.in_terms(), raw, y[:9]), expected, atol=1e-4)


def test_scores_have_names():
    """Those that a choice can be asked for."""
    assert {"accuracy": accuracy, "nearness": nearness, "soft": soft} == SCORES
