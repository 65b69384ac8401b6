"""OCTSVMClassifier and OCTHClassifier: what is theirs alone."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from margintree import CARTClassifier, OCTClassifier, OCTHClassifier, OCTSVMClassifier
from margintree._lib.exceptions import InvalidInputError

IRIS = load_iris()
X, Y = IRIS.data[::3], IRIS.target[::3]


def test_three_classes_are_refused_by_octsvm():
    """The message names the classifier that takes them."""
    with pytest.raises(InvalidInputError, match=r"3 classes were given\. Use MOCTSVMClassifier"):
        OCTSVMClassifier().fit(X, Y)


def test_noisy_labels_are_relabelled():
    """One wrong label in a clean set is paid for, and does not move the border."""
    rng = np.random.default_rng(0)
    rows = np.r_[rng.normal(0, 0.3, (20, 2)), rng.normal(2, 0.3, (20, 2))]
    clean = np.repeat([0, 1], 20)
    noisy = clean.copy()
    noisy[0] = 1
    model = OCTSVMClassifier(max_depth=1, c1=10.0, c2=5.0).fit(rows, noisy)
    assert model.cost_.relabelled == pytest.approx(5.0)
    np.testing.assert_array_equal(model.predict(rows), clean)


def test_without_relabelling_and_depth_octsvm_is_a_support_vector_machine():
    """At depth 1 and a price that nobody pays it is scikit-learn's linear SVM."""
    from sklearn.preprocessing import MinMaxScaler
    from sklearn.svm import SVC

    rows, labels = X[Y > 0], Y[Y > 0]
    model = OCTSVMClassifier(max_depth=1, c1=10.0, c2=1e4, c3=0.0).fit(rows, labels)
    scaled = MinMaxScaler().fit_transform(rows)
    machine = SVC(kernel="linear", C=10.0, tol=1e-8).fit(scaled, labels)
    hinges = np.maximum(0, 1 - np.where(labels == 2, 1, -1) * machine.decision_function(scaled))
    expected = (machine.coef_**2).sum() / 2 + 10.0 * hinges.sum()
    assert model.objective_ == pytest.approx(expected, rel=1e-3)


def test_octh_pays_for_every_feature():
    """A dear feature is not looked at; the cost counts those that are."""
    cheap, dear = (OCTHClassifier(alpha=alpha, max_iter=5).fit(X, Y) for alpha in (0.01, 1.0))
    n_features = np.count_nonzero(cheap.tree_.weights)
    assert cheap.cost_.features == pytest.approx(0.01 * n_features)
    assert n_features >= cheap.tree_.n_splits > 1
    assert dear.tree_.n_splits == 0


def test_octh_is_never_worse_than_trees_of_single_features():
    """A tree of OCT or CART is one of OCT-H, if its sides are far enough apart."""
    rules = {"alpha": 0.02, "min_samples_leaf": 0.05}
    ours = OCTHClassifier(2, **rules).fit(X, Y)
    assert ours.objective_ <= OCTClassifier(2, **rules).fit(X, Y).objective_ + 1e-9
    cart = CARTClassifier(2).fit(X, Y)
    assert ours.objective_ <= cart.objective_ + 0.02 * cart.tree_.n_splits + 1e-9


def test_octh_keeps_its_leaves_and_sides():
    """No leaf is lighter than allowed, and hyperplanes lie half-way between the rows."""
    rng = np.random.default_rng(1)
    rows, labels = rng.random((40, 2)), rng.integers(0, 2, 40)
    model = OCTHClassifier(2, min_samples_leaf=0.2, separation=0.02, max_iter=10).fit(rows, labels)
    assert model.tree_.n_splits > 0
    mass = model.tree_.leaf_mass.sum(axis=1)
    assert mass[mass > 0].min() >= 8
    values = model.split_values(rows)
    inside = model.decision_path(rows).toarray()[:, :3] > 0
    for node in np.flatnonzero(model.tree_.splits):
        here = values[inside[:, node], node]
        assert here[here > 0].min() == pytest.approx(1.0)
        assert here[here < 0].max() == pytest.approx(-1.0)
        assert 2 / np.abs(model.tree_.weights[node]).sum() >= 0.02 * 0.99
