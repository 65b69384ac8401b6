"""Trees that a person can read: budgets, prices, points, and their exports."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split

from margintree import (
    InvalidInputError,
    MOCTSVMClassifier,
    MOCTSVMClassifierCV,
    OCTSVMClassifier,
    export_text,
    from_json,
    make_table_classifier,
    to_json,
    to_python,
)
from margintree.core.space import Space
from margintree.core.tree import ObliqueTree

WINE = load_wine(as_frame=True)
PARTS = train_test_split(WINE.data, WINE.target, train_size=60, random_state=0)
X_TRAIN, X_TEST, Y_TRAIN, Y_TEST = PARTS


def fitted(**params):
    """Return a tree fitted to 60 rows of the wine data."""
    return MOCTSVMClassifier(c1=100.0, c3=10.0, max_iter=60, **params).fit(X_TRAIN, Y_TRAIN)


def n_features(clf):
    """Return how many features each split uses."""
    return np.count_nonzero(clf.tree_.weights[clf.tree_.splits], axis=1)


def test_a_tree_on_2000_columns_fits_on_a_screen():
    """The budget finds the columns that matter; rules are at most 24 lines of 80 letters."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(140, 2000))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    y += (y == 1) * (X[:, 2] > 0)
    clf = MOCTSVMClassifier(2, max_features_per_split=5, max_iter=4).fit(X, y)
    assert clf.tree_.n_splits >= 2
    assert n_features(clf).max() <= 5
    lines = export_text(clf, width=80).splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    assert {0, 1, 2} <= {*np.flatnonzero(clf.feature_importances_).tolist()}


def test_budgets_prices_and_points_together():
    """Splits are short, the judge prices them, and all exports agree with `predict`."""
    clf = fitted(max_features_per_split=3, max_features=5, c4=0.5, points=10)
    assert clf.cost_.is_allowed
    assert clf.cost_.features == pytest.approx(0.5 * n_features(clf).sum())
    assert n_features(clf).max() <= 3
    assert np.count_nonzero(clf.feature_importances_) <= 5
    assert clf.feature_importances_.sum() == pytest.approx(1.0)
    assert clf.get_n_leaves() == clf.tree_.n_splits + 1
    assert 1 <= clf.get_depth() <= 2
    again = from_json(to_json(clf))
    assert again.predict(X_TEST).tolist() == clf.predict(X_TEST).tolist()
    assert again.get_params()["points"] == 10
    module = {}
    exec(to_python(clf), module)
    rows = X_TEST.to_numpy().tolist()
    assert [module["predict"](row) for row in rows] == clf.predict(X_TEST).tolist()


def test_what_is_read_is_what_is_computed():
    """Following the printed points by hand gives the predicted class of every row."""
    clf = fitted(max_features_per_split=3, points=10)
    raw = clf.tree_.in_original_units()
    text = export_text(clf)
    for node in np.flatnonzero(clf.tree_.splits):
        line = next(line for line in text.splitlines() if f"[{node + 1}]" in line)
        asked = line.split("] ", 1)[1]
        left, threshold = asked.removesuffix(" ?").split(" >= ")
        value = eval(left.replace("/", "_"), {}, {n.replace("/", "_"): X_TEST[n] for n in X_TEST})
        by_hand = value >= float(threshold)
        assert by_hand.tolist() == (X_TEST @ raw.weights[node] + raw.intercepts[node] >= 0).tolist()


def test_features_have_prices_by_name():
    """A feature that is far too dear is not used; an unknown name is an error."""
    free = fitted(max_features_per_split=2, c4=0.1)
    used = WINE.feature_names[int(free.feature_importances_.argmax())]
    dear = fitted(max_features_per_split=2, c4=0.1, feature_costs={used: 1e5})
    assert dear.feature_importances_[WINE.feature_names.index(used)] == 0
    with pytest.raises(InvalidInputError, match="feature_costs must name features of X"):
        fitted(c4=0.1, feature_costs={"taste": 2.0})
    with pytest.raises(InvalidInputError, match="one finite number of at least 0 for each"):
        fitted(c4=0.1, feature_costs=[1.0])
    with pytest.raises(InvalidInputError, match="feature_groups must hold one number"):
        fitted(feature_groups=[1, 2])


def test_features_of_one_group_count_once():
    """A split may use all features of one group, but not features of two."""
    groups = np.repeat([7, 3], [6, 7])
    clf = fitted(max_features_per_split=1, feature_groups=groups)
    for weights in clf.tree_.weights[clf.tree_.splits]:
        assert len({*groups[np.flatnonzero(weights)]}) == 1
    assert n_features(clf).max() > 1


def test_rounding_keeps_its_share():
    """Fewer digits for at most one per cent of the cost."""
    plain, short = fitted(), fitted(rounding=0.01)
    assert plain.objective_ <= short.objective_ <= 1.01 * plain.objective_
    assert len(export_text(short)) < len(export_text(plain))


def test_budgets_hold_for_two_classes_with_noisy_labels():
    """OCTSVM has them, too, and its sides keep their meaning in points."""
    X, y = X_TRAIN[Y_TRAIN < 2], Y_TRAIN[Y_TRAIN < 2]
    clf = OCTSVMClassifier(2, 10.0, 5.0, max_features_per_split=2, points=10, max_iter=40)
    clf.fit(X, y)
    assert clf.cost_.is_allowed
    assert n_features(clf).max() <= 2
    assert clf.score(X, y) > 0.85


def test_a_limit_of_terms_says_what_the_rest_adds():
    """No row of the training data is outside of the printed range."""
    clf = fitted()
    text = export_text(clf, max_terms=2)
    assert "+ 11 more that add" in text
    assert max(map(len, text.splitlines())) <= 100
    with pytest.raises(InvalidInputError, match="max_terms must be at least 1"):
        export_text(clf, max_terms=0)


def test_features_of_one_column_of_a_table_count_once():
    """A split on one column may use all of its conditions; prices name columns."""
    rng = np.random.default_rng(0)
    colours = rng.choice(["red", "green", "blue", "grey"], 200)
    rows = [
        [str(colour), float(size)] for colour, size in zip(colours, rng.random(200), strict=True)
    ]
    y = [int(colour in ("red", "blue")) for colour in colours]
    plain = MOCTSVMClassifier(1, c1=100.0, max_features_per_split=1, max_iter=30)
    table = make_table_classifier(plain).fit(rows, y)
    assert table.score(rows, y) == 1.0
    assert np.count_nonzero(table.tree_.weights) > 1
    assert plain.feature_groups is None
    priced = make_table_classifier(
        MOCTSVMClassifier(1, c1=100.0, c4=1.0, feature_costs={"x0": 1e6}, max_iter=30)
    ).fit(rows, y)
    assert not priced.tree_.weights[:, priced.encoding_.groups == 0].any()
    chosen = make_table_classifier(
        MOCTSVMClassifierCV(candidates={"max_depth": 1, "max_features_per_split": [1, 2]}, cv=2)
    ).fit(rows, y)
    assert chosen.score(rows, y) == 1.0
    assert chosen[-1].estimator is None or chosen[-1].estimator.feature_groups is None


def test_a_threshold_of_zero_is_printed_as_zero():
    """And not as a rounding error."""
    X = np.array([[0.3, 0.1], [0.9, 0.2], [0.1, 0.35], [0.2, 0.95]])
    tree = ObliqueTree.stump([0.6, -0.6], 1e-17, leaf_classes=[0, 1], n_classes=2)
    tree = replace(tree, scaling=Space.learn(X))
    raw = tree.scaling.minimum / tree.scaling.span
    tree = replace(tree, intercepts=[float(0.6 * raw[0] - 0.6 * raw[1]) + 1e-16])
    assert ">= 0 ?" in export_text(tree)
