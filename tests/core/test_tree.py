"""The fitted tree as data."""

import json
import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from margintree._lib.exceptions import InvalidInputError
from margintree.core import topology
from margintree.core.likeness import Likeness
from margintree.core.space import Space
from margintree.core.tree import ObliqueTree
from strategies import scalings, trees

TREE = ObliqueTree.stump([2.0, 0.0], -1.0, leaf_classes=[0, 1], n_classes=2)


def rows_for(tree, seed=0, n_rows=25):
    return np.random.default_rng(seed).uniform(-0.5, 1.5, (n_rows, tree.n_features))


def leaf_by_hand(tree, x):
    """Follow one row down the tree, one node at a time."""
    t = 1
    while t < len(tree.leaf_classes):
        value = tree.weights[t - 1] @ x + tree.intercepts[t - 1]
        t = topology.right(t) if tree.splits[t - 1] and value >= 0 else topology.left(t)
    return t


@given(trees())
def test_rows_go_where_a_person_would_send_them(tree):
    """apply, decision_path and predict agree with following each row by hand."""
    X = rows_for(tree)
    leaves = [leaf_by_hand(tree, x) for x in X]
    np.testing.assert_array_equal(tree.apply(X), leaves)
    paths = [{t, *topology.ancestors(t)} for t in leaves]
    visited = tree.decision_path(X).toarray()
    assert [set(np.flatnonzero(row) + 1) for row in visited] == paths
    first = topology.n_leaves(tree.depth)
    np.testing.assert_array_equal(tree.predict(X), [tree.leaf_classes[t - first] for t in leaves])


@given(st.integers(0, 2**32), st.integers(1, 12))
def test_rows_on_a_hyperplane_take_the_side_of_the_plain_sum(seed, n_features):
    """Where rounding decides, any batch gives the sign of the sum taken feature by feature."""
    rng = np.random.default_rng(seed)
    X, w = rng.normal(size=(40, n_features)), rng.normal(size=n_features)
    for x in X[:5]:
        tree = ObliqueTree.stump(w, -(w @ x), leaf_classes=[0, 1], n_classes=2)
        plain = sum((a * b for a, b in zip(w, x, strict=True)), start=tree.intercepts[0])
        sides = tree.predict(np.vstack([X, x]))
        assert sides[-1] == tree.predict(x[None])[0] == (plain >= 0)
        assert [tree.predict(row[None])[0] for row in X] == sides[:-1].tolist()


@given(trees())
def test_split_values_are_nan_exactly_where_nothing_splits(tree):
    """Every splitting node has a value for every row."""
    is_nan = np.isnan(tree.split_values(rows_for(tree)))
    np.testing.assert_array_equal(is_nan, np.broadcast_to(~tree.splits, is_nan.shape))


def test_blocks_of_rows_change_nothing(monkeypatch):
    """Rows looked at a few at a time go where they go all at once."""
    X = rows_for(TREE, n_rows=50)
    expected = TREE.apply(X)
    monkeypatch.setattr("margintree.core.tree._BLOCK_ROWS", 7)
    np.testing.assert_array_equal(TREE.apply(X), expected)


@given(trees())
def test_a_tree_survives_being_written_down(tree):
    """to_dict and from_dict, through JSON, and pickle change nothing."""
    assert ObliqueTree.from_dict(json.loads(json.dumps(tree.to_dict()))) == tree
    assert pickle.loads(pickle.dumps(tree)) == tree


@given(trees())
def test_original_units_route_raw_rows_alike(tree):
    """A raw row takes the same way through the tree in original units, unless it is on a split."""
    raw = rows_for(tree) * tree.scaling.span + tree.scaling.minimum
    X = tree.scaling.apply(raw)
    clear = ~(np.abs(tree.split_values(X)) < 1e-9).any(axis=1)
    np.testing.assert_array_equal(tree.in_original_units().apply(raw)[clear], tree.apply(X)[clear])


def test_rows_of_another_width_are_refused():
    """The message says how wide they must be and what to give."""
    with pytest.raises(InvalidInputError, match=r"2 features of the hyperplanes.*\(4, 3\).*Give"):
        TREE.apply(np.zeros((4, 3)))


def test_trees_of_kernels_have_no_original_units():
    """They are no hyperplanes over columns."""
    scaling = replace(Space.identity(2), likeness=Likeness(np.zeros((1, 2)), gamma=1.0))
    tree = replace(ObliqueTree.stump([1.0], 0.0, [0, 1], 2), scaling=scaling)
    with pytest.raises(InvalidInputError, match=r"no hyperplanes over raw rows.*split_values"):
        tree.in_original_units()


@given(trees(n_features=2), scalings(2))
def test_another_scaling_gives_the_same_split_values(tree, scaling):
    """Rescaling moves the hyperplanes along with the rows; its own scaling moves nothing."""
    raw = rows_for(tree)
    expected = tree.split_values(tree.scaling.apply(raw))
    values = tree.rescaled(scaling).split_values(scaling.apply(raw))
    np.testing.assert_allclose(values, expected, atol=1e-9)
    assert tree.rescaled(tree.scaling) == tree


@given(trees(), st.integers(0, 2))
def test_a_deeper_tree_predicts_the_same(tree, n_more):
    """New levels without splits change neither predictions nor class shares."""
    X, deeper = rows_for(tree), tree.deepened(tree.depth + n_more)
    assert deeper.depth == tree.depth + n_more
    np.testing.assert_array_equal(deeper.predict(X), tree.predict(X))
    shares, expected = deeper.leaf_shares()[:: 2**n_more], tree.leaf_shares()
    np.testing.assert_allclose(shares, expected)


@given(trees(), st.floats(0, 5))
def test_leaf_shares_are_shares(tree, smoothing):
    """Each row of shares is at least 0 and adds up to 1."""
    shares = tree.leaf_shares(smoothing)
    assert (shares >= 0).all()
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)


def test_an_empty_leaf_borrows_from_its_closest_ancestor_with_rows():
    """The sibling's rows come first, then those of the whole tree, then the predicted class."""
    tree = ObliqueTree.leaf(2, 1, 2, label=1)
    np.testing.assert_array_equal(tree.leaf_shares(), [[0, 1]] * 4)
    mass = np.array([[0, 0], [3, 1], [0, 0], [0, 0]])
    np.testing.assert_array_equal(replace(tree, leaf_mass=mass).leaf_shares(), [[0.75, 0.25]] * 4)


def test_smoothing_pulls_shares_together():
    """Laplace's rule gives an unseen class a share."""
    tree = replace(TREE, leaf_mass=np.array([[2.0, 0.0], [0.0, 2.0]]))
    np.testing.assert_allclose(tree.leaf_shares(1.0), [[0.75, 0.25], [0.25, 0.75]])


def test_arrays_are_frozen():
    """Nobody can change a fitted tree by accident."""
    with pytest.raises(ValueError, match="read-only"):
        TREE.weights[0, 0] = 5.0


def test_trees_compare_by_value():
    """Equal arrays make equal trees; a tree equals nothing else."""
    assert replace(TREE) == TREE
    assert replace(TREE, leaf_classes=[1, 0]) != TREE
    assert TREE != "tree"


@pytest.mark.parametrize(
    "broken",
    [
        {"leaf_classes": [0, 1, 0]},
        {"leaf_classes": [[0, 1]]},
        {"leaf_classes": [0, 2]},
        {"leaf_classes": [0, -1]},
        {"leaf_classes": [0.5, 1.0]},
        {"leaf_classes": []},
        {"weights": [[2.0, 0.0], [1.0, 1.0]]},
        {"weights": [2.0, 0.0]},
        {"weights": [[2.0], [1.0, 0.0]]},
        {"weights": [["2.0", "0.0"]]},
        {"weights": [[np.nan, 0.0]]},
        {"weights": {"a": 1}},
        {"intercepts": [np.inf]},
        {"intercepts": [[-1.0]]},
        {"splits": [1]},
        {"splits": [False]},
        {"leaf_mass": [[0.0, 0.0]]},
        {"leaf_mass": [[-1.0, 0.0], [0.0, 0.0]]},
        {"scaling": {"minimum": [0.0], "span": [1.0]}},
        {"scaling": {"minimum": [0.0, 0.0], "span": [1.0, 0.0]}},
        {"scaling": {"minimum": [0.0, 0.0]}},
        {"scaling": None},
    ],
)
def test_descriptions_that_make_no_sense_are_refused(broken):
    """Wrong shapes, types and numbers never become a tree."""
    with pytest.raises(InvalidInputError):
        ObliqueTree.from_dict(TREE.to_dict() | broken)


def test_a_missing_entry_is_named():
    """The message says what is needed."""
    description = TREE.to_dict()
    del description["splits"]
    with pytest.raises(InvalidInputError, match="splits"):
        ObliqueTree.from_dict(description)


def test_influences_and_lengths_of_paths():
    """A split gives its training weight to its features; idle nodes are no part of a path."""
    tree = ObliqueTree.stump([3.0, -1.0], -1.0, leaf_classes=[0, 1], n_classes=2).deepened(2)
    data = tree.to_dict()
    data["weights"][2], data["intercepts"][2], data["splits"][2] = [0.0, 2.0], -1.0, True
    data["leaf_mass"] = [[3.0, 0.0], [0.0, 0.0], [0.0, 2.0], [1.0, 2.0]]
    tree = ObliqueTree.from_dict(data)
    expected = (8 * np.array([0.75, 0.25]) + 5 * np.array([0.0, 1.0])) / 13
    assert tree.influences() == pytest.approx(expected)
    assert [tree.longest_path(node) for node in (1, 2, 3, 7)] == [2, 0, 1, 0]
    leaf = ObliqueTree.leaf(2, n_features=2, n_classes=2)
    assert leaf.influences().tolist() == [0.0, 0.0]
    assert leaf.longest_path() == 0
