"""The values of the classes: the largest is that of the predicted class, also on a hyperplane."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from margintree import MOCTSVMClassifier, ObliqueTree
from margintree.core.class_values import class_values, decision_values
from strategies import trees


@given(trees())
def test_the_predicted_class_has_the_only_value_of_at_least_zero(tree):
    """For any tree, and for rows on its hyperplanes too."""
    X = np.random.default_rng(0).uniform(-1, 2, size=(20, tree.n_features)).round(1)
    if tree.splits[0]:
        tree = replace(tree, intercepts=np.append(-tree.weights[0] @ X[0], tree.intercepts[1:]))
    values, predicted = class_values(tree, X), tree.predict(X)
    assert np.isfinite(values).all()
    np.testing.assert_array_equal(values.argmax(axis=1), predicted)
    is_predicted = np.eye(tree.n_classes, dtype=bool)[predicted]
    assert (values[is_predicted] >= 0).all()
    assert (values[~is_predicted] < 0).all()


@given(trees())
def test_values_are_the_smallest_split_values_on_the_way(tree):
    """Compared with a walk to every leaf, one after the other."""
    X = np.random.default_rng(1).uniform(-1, 2, size=(5, tree.n_features))
    f, n_leaves = tree.split_values(X), len(tree.leaf_classes)
    slow = np.full((5, tree.n_classes), -np.inf)
    for leaf in range(n_leaves, 2 * n_leaves):
        way = np.full(5, np.inf)
        for height in range(1, tree.depth + 1):
            node, is_right = leaf >> height, (leaf >> (height - 1)) % 2
            idle = -np.inf if is_right else np.inf
            side = (f if is_right else -f)[:, node - 1] if tree.splits[node - 1] else idle
            way = np.minimum(way, side)
        k = tree.leaf_classes[leaf - n_leaves]
        slow[:, k] = np.maximum(slow[:, k], way)
    known = np.isfinite(slow)
    np.testing.assert_allclose(class_values(tree, X)[known], slow[known], atol=1e-12)


@given(trees(), st.sampled_from([0.0, 1.0]))
def test_decision_values_order_by_prediction_then_share_then_distance(tree, smoothing):
    """For every class, compared with sorting by the three one after the other."""
    X = np.random.default_rng(2).uniform(-1, 2, size=(15, tree.n_features))
    values, distances = decision_values(tree, X, smoothing), class_values(tree, X)
    leaves = tree.apply(X) - len(tree.leaf_classes)
    shares = tree.leaf_shares(smoothing)[leaves].round(10)
    for k in range(tree.n_classes):
        is_predicted = tree.predict(X) == k
        np.testing.assert_array_equal(values[:, k] > 0, is_predicted)
        np.testing.assert_array_equal(values[:, k] < 0, ~is_predicted)
        order = np.lexsort((distances[:, k], shares[:, k], is_predicted))
        assert (np.diff(values[order, k]) >= 0).all()
        same = (np.diff(shares[order, k]) == 0) & (np.diff(is_predicted[order]) == 0)
        moves = np.diff(values[order, k]) > 0
        assert moves[~same].all()
        assert moves[same & (np.diff(distances[order, k]) > 1e-3)].all()


def test_a_row_on_a_hyperplane_is_on_its_right_side():
    """Its decision value is above 0, even where its class has no training row in the leaf."""
    tree = ObliqueTree.stump([1.0], 0.0, leaf_classes=[0, 1], n_classes=2)
    for mass in (np.ones((2, 2)), np.array([[1.0, 0.0], [1.0, 0.0]])):
        (values,) = decision_values(replace(tree, leaf_mass=mass), np.zeros((1, 1)))
        assert values[0] < 0 < values[1]


def test_classifiers_give_them_in_the_order_of_their_classes():
    """The largest value is that of the predicted label."""
    X, y = load_iris(return_X_y=True)
    clf = MOCTSVMClassifier(2, c1=10.0, max_iter=2).fit(X[::3], np.array(["a", "b", "c"])[y[::3]])
    np.testing.assert_array_equal(clf.classes_[clf.class_values(X).argmax(axis=1)], clf.predict(X))
