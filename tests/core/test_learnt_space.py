"""Spaces learnt from training rows: their definitions, weights, and the way back to columns."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.covariance import ledoit_wolf
from sklearn.datasets import load_wine

from margintree._lib.exceptions import InvalidInputError
from margintree.core.learnt_space import MAX_LANDMARKS, SPACES, learnt_space, shrunk_covariance
from margintree.core.problem import Problem
from margintree.core.space import Space
from margintree.core.tree import ObliqueTree


def problem_of(seed, n_rows=12, n_columns=3, **options):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n_rows, n_columns)), np.arange(n_rows) % 3
    return Problem.from_data(X, y, n_classes=3, depth=2, **options)


@pytest.mark.parametrize("weights", [None, [1.0, 2.0, 3.0]])
def test_the_shrunk_covariance_is_that_of_scikit_learn(weights):
    """Rows with whole weights count as often."""
    rows = np.random.default_rng(0).normal(size=(9, 4)) * [1, 2, 3, 4]
    counts = np.resize([1.0] if weights is None else weights, 9)
    copies = np.repeat(rows, counts.astype(int), axis=0)
    rows, copies = rows - copies.mean(axis=0), copies - copies.mean(axis=0)
    expected, _ = ledoit_wolf(copies, assume_centered=True)
    np.testing.assert_allclose(shrunk_covariance(rows, counts), expected, rtol=1e-9)


def test_whitened_rows_follow_their_definition():
    """Standardised, times the power -1/4 of the covariance within the classes, over root p."""
    X, y = load_wine(return_X_y=True)
    problem = Problem.from_data(X, y, n_classes=3, depth=1)
    standard = (problem.X - problem.X.mean(axis=0)) / problem.X.std(axis=0)
    inside = np.vstack([standard[y_] - standard[y_].mean(axis=0) for y_ in _classes(problem)])
    S, _ = ledoit_wolf(inside, assume_centered=True)
    white = problem.in_space("whitened").X * np.sqrt(X.shape[1])
    np.testing.assert_allclose(white, standard @ _power(S, -0.25), atol=1e-9)


def _classes(problem):
    return [problem.y == k for k in range(problem.n_classes)]


def _power(S, exponent):
    sizes, directions = np.linalg.eigh(S)
    return directions * sizes**exponent @ directions.T


def test_the_blocks_have_their_lengths():
    """Whitened columns have mean squared length 1, products 0.09, both around 0."""
    problem = problem_of(0).in_space("whitened-quadratic")
    for block, length in ((problem.X[:, :3], 1.0), (problem.X[:, 3:], 0.09)):
        assert (block**2).sum(axis=1).mean() == pytest.approx(length)
        np.testing.assert_allclose(block.mean(axis=0), 0, atol=1e-12)


@pytest.mark.parametrize("space", ["rbf", "polynomial"])
def test_kernels_are_inner_products(space):
    """The features of the training rows have the kernel as inner product, up to their centre."""
    problem = problem_of(1).in_space(space)
    alike = problem.scaling.likeness
    kernel = alike.of(problem_of(1).X)
    centred = kernel - kernel.mean(axis=0) - kernel.mean(axis=1)[:, None] + kernel.mean()
    np.testing.assert_allclose(problem.X @ problem.X.T, centred, atol=1e-6)


def test_many_rows_are_compared_with_a_sample_of_them():
    """The same sample every time."""
    problem = problem_of(2, n_rows=MAX_LANDMARKS + 50)
    first, again = (problem.in_space("rbf").scaling for _ in range(2))
    assert len(first.likeness.landmarks) == MAX_LANDMARKS
    assert first == again
    assert {*map(tuple, first.likeness.landmarks)} <= {*map(tuple, problem.X)}


@pytest.mark.parametrize("space", SPACES)
@settings(max_examples=10)
@given(seed=st.integers(0, 2**32))
def test_a_tree_in_terms_sends_every_row_the_same_way(space, seed):
    """Also rows that were not seen; and it comes back to the space of its problem."""
    problem = problem_of(seed).in_space(space)
    weights = np.random.default_rng(seed).normal(size=problem.n_features)
    tree = replace(ObliqueTree.stump(weights, 0.1, [0, 1], 3), scaling=problem.scaling)
    X = np.random.default_rng(seed + 1).normal(size=(20, 3)) * 2
    terms = tree.in_terms()
    assert terms.scaling.mix is None
    values = tree.split_values(tree.scaling.apply(X))
    found = terms.split_values(terms.scaling.apply(X))
    np.testing.assert_allclose(found, values, atol=1e-9 * (1 + np.abs(terms.weights).sum()))
    back = terms.rescaled(problem.scaling)
    assert back.scaling == problem.scaling
    np.testing.assert_allclose(
        back.split_values(problem.X), tree.split_values(problem.X), atol=1e-4
    )


@pytest.mark.parametrize("space", SPACES)
def test_weights_count_as_copies(space):
    """A row of weight 2 gives the space of the row given twice, and row order does not matter."""
    rng = np.random.default_rng(0)
    X, y, weights = rng.normal(size=(12, 3)), np.arange(12) % 3, np.arange(12) % 2 + 1
    options = {"n_classes": 3, "depth": 1}
    by_weight = Problem.from_data(X, y, row_weights=weights.astype(float), **options)
    copies = rng.permutation(np.repeat(np.arange(12), weights))
    by_copy = Problem.from_data(X[copies], y[copies], **options)
    one, other = by_weight.in_space(space), by_copy.in_space(space)
    np.testing.assert_allclose(one.X, other.X, atol=1e-9)
    assert one.scaling == other.scaling


@pytest.mark.parametrize("space", SPACES)
def test_a_single_row_and_constant_columns_have_a_space(space):
    """All features are finite."""
    for X in ([[1.0, 2.0]], [[1.0, 2.0], [1.0, 3.0], [1.0, 4.0]]):
        problem = Problem.from_data(X, [0] * len(X), n_classes=1, depth=1).in_space(space)
        assert np.isfinite(problem.X).all()
        assert len(problem.X) == len(X)


@pytest.mark.parametrize("space", SPACES)
def test_constant_columns_add_nothing(space):
    """Rows lie as they do without them, and stay where they are if the column varies later."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 3)), np.arange(12) % 3
    with_constant, later = (
        np.insert(X, 1, 7.3, axis=1),
        np.insert(X, 1, rng.normal(size=12), axis=1),
    )
    plain, wide = (
        Problem.from_data(rows, y, n_classes=3, depth=1).in_space(space)
        for rows in (X, with_constant)
    )
    np.testing.assert_allclose(wide.X @ wide.X.T, plain.X @ plain.X.T, atol=1e-8)
    assert wide.scaling.constant == (1,)
    if space not in ("box", "quadratic"):  # where the column is a feature of its own
        np.testing.assert_array_equal(wide.scaling.apply(later), wide.scaling.apply(with_constant))


def test_a_space_is_learnt_once():
    """However often it is asked for; another training set has its own."""
    problem = problem_of(0)
    assert problem.in_space("rbf") is problem.in_space("rbf")
    assert problem.in_space("rbf") is not replace(problem, depth=1).in_space("rbf")


def test_unknown_spaces_are_refused():
    """The message lists the spaces."""
    with pytest.raises(InvalidInputError, match=r"space must be one of \['box', 'whitened'"):
        learnt_space("round", Space.identity(1), np.zeros((1, 1)), np.zeros(1), np.ones(1))
