"""Splits that see products of columns: the same functions in every space."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from margintree._lib.exceptions import InvalidInputError
from margintree.core.problem import Problem
from margintree.core.quadratic import monomial_box
from margintree.core.space import Space, factors
from margintree.core.tree import ObliqueTree


def curved_tree(rng, n_columns, depth=2, n_classes=3):
    """Return a tree over columns and products with any numbers."""
    box = Space(rng.normal(size=n_columns), rng.uniform(0.1, 9.0, n_columns))
    scaling, n_branch = box.with_products(), 2**depth - 1
    return ObliqueTree(
        rng.normal(size=(n_branch, scaling.n_features)),
        rng.normal(size=n_branch),
        np.ones(n_branch, dtype=bool),
        rng.integers(n_classes, size=2**depth),
        rng.uniform(size=(2**depth, n_classes)),
        scaling,
    )


cases = given(seed=st.integers(0, 2**32), n_columns=st.integers(1, 4))


def values(tree, X):
    return tree.split_values(tree.scaling.apply(X))


def test_products_are_measured_from_the_middle():
    """In a twin that loops: 2 (s_i - 1/2) (s_j - 1/2), in the order of `factors`."""
    X = np.random.default_rng(0).random((5, 3))
    scaling = Space.learn(X)
    s = scaling.apply(X)
    seen = scaling.with_products().apply(X)
    pairs = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]
    assert list(zip(*map(list, factors(3)), strict=True)) == pairs
    for k, (i, j) in enumerate(pairs):
        np.testing.assert_allclose(seen[:, 3 + k], 2 * (s[:, i] - 0.5) * (s[:, j] - 0.5))
    assert seen.shape[1] == scaling.with_products().n_features == 9
    assert scaling != scaling.with_products()


@cases
def test_another_box_gives_the_same_values(seed, n_columns):
    """Of any rows; and the way back leads to the same numbers."""
    rng = np.random.default_rng(seed)
    tree = curved_tree(rng, n_columns)
    other = Space(rng.normal(size=n_columns), rng.uniform(0.1, 9.0, n_columns)).with_products()
    X = rng.normal(size=(20, n_columns)) * 3
    moved = tree.rescaled(other)
    size = 1 + np.abs(values(tree, X)).max()
    np.testing.assert_allclose(values(moved, X), values(tree, X), rtol=0, atol=1e-7 * size)
    back = moved.rescaled(tree.scaling)
    np.testing.assert_allclose(back.weights, tree.weights, atol=1e-7 * size)
    assert tree.rescaled(tree.scaling) is tree


@cases
def test_original_units_are_raw_columns_and_their_products(seed, n_columns):
    """The same values, from raw rows followed by x_i x_j."""
    rng = np.random.default_rng(seed)
    tree = curved_tree(rng, n_columns)
    X = rng.normal(size=(20, n_columns)) * 3
    first, second = factors(n_columns)
    raw = np.hstack([X, X[:, first] * X[:, second]])
    found = tree.in_original_units().split_values(raw)
    size = 1 + np.abs(values(tree, X)).max()
    np.testing.assert_allclose(found, values(tree, X), rtol=0, atol=1e-7 * size)


@cases
def test_the_box_of_products_holds_them(seed, n_columns):
    """Of all rows in the box of the columns, and no wider box than needed at its corners."""
    rng = np.random.default_rng(seed)
    scaling = Space(rng.normal(size=n_columns), rng.uniform(0.1, 3.0, n_columns))
    X = scaling.minimum + scaling.span * rng.integers(0, 3, (200, n_columns)) / 2
    first, second = factors(n_columns)
    raw, box = np.hstack([X, X[:, first] * X[:, second]]), monomial_box(scaling)
    assert (raw >= box.minimum - 1e-9).all()
    assert (raw <= box.minimum + box.span + 1e-9).all()


def test_a_straight_split_becomes_a_curved_one_and_not_the_other_way():
    """A straight tree may start a search among curved ones."""
    tree = ObliqueTree.stump([2.0, -1.0], 0.3, leaf_classes=[0, 1], n_classes=2)
    scaling = Space(np.array([-1.0, 2.0]), np.array([3.0, 0.5])).with_products()
    curved = tree.rescaled(scaling)
    X = np.random.default_rng(0).random((9, 2))
    np.testing.assert_allclose(values(curved, X), values(tree, X), atol=1e-12)
    with pytest.raises(InvalidInputError, match=r"products.*space='quadratic'"):
        curved.rescaled(Space.identity(2))


def test_products_of_columns_that_are_constant_elsewhere_become_sums():
    """On rows with these constants the values are the same, and no product with them is left."""
    rng = np.random.default_rng(0)
    tree, X = curved_tree(rng, 3), np.insert(rng.normal(size=(9, 2)), 1, 4.2, axis=1)
    scaling = Space.learn(X).with_products()
    moved = tree.rescaled(scaling)
    np.testing.assert_allclose(values(moved, X), values(tree, X), atol=1e-9)
    first, second = factors(3)
    assert not moved.weights[:, 3:][:, (first == 1) | (second == 1)].any()
    np.testing.assert_allclose(values(moved.rescaled(tree.scaling), X), values(tree, X), atol=1e-9)


def test_too_many_products_are_refused():
    """The message says how many there would be."""
    rows = Problem.from_data(np.eye(2, 300), [0, 1], n_classes=2, depth=1)
    with pytest.raises(InvalidInputError, match=r"300 columns make 45,450 features.*space='box'"):
        rows.in_space("quadratic")


def test_values_whose_products_would_overflow_are_refused():
    """With products the limit is lower."""
    scaling = Space.identity(1)
    assert scaling.apply(np.array([[1e100]])) == 1e100
    with pytest.raises(InvalidInputError, match="too far from the training rows"):
        scaling.with_products().apply(np.array([[1e100]]))


def test_trees_with_products_are_plain_data():
    """They are restored to the last bit, and an odd entry is refused."""
    tree = curved_tree(np.random.default_rng(1), 3)
    content = tree.to_dict()
    assert ObliqueTree.from_dict(content) == tree
    content["scaling"]["products"] = 1
    with pytest.raises(InvalidInputError, match="true or false"):
        ObliqueTree.from_dict(content)
    del content["scaling"]["products"]
    with pytest.raises(InvalidInputError, match="gives 3"):
        ObliqueTree.from_dict(content)
