"""`ClassTreeClassifier`: the support vector machine of a hierarchy of classes."""

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris
from sklearn.svm import SVC

from margintree import ClassTreeClassifier, TreeClassifierCV, export_text, from_json, to_json
from margintree._lib.exceptions import InvalidInputError, ShallowTreeWarning


@pytest.mark.parametrize("C", [0.1, 1.0, 10.0])
def test_two_classes_are_a_linear_support_vector_machine(C):
    """Objective and signs of scikit-learn's SVC on the scaled rows."""
    X, y = load_iris(return_X_y=True)
    X, y = X[y > 0], y[y > 0]
    clf = ClassTreeClassifier(C=C).fit(X, y)
    scaled = clf.tree_.scaling.apply(X)
    svc = SVC(kernel="linear", C=C, tol=1e-7).fit(scaled, y)
    values = np.where(y == 2, 1, -1) * svc.decision_function(scaled)
    objective = (svc.coef_**2).sum() / 2 + C * np.maximum(0, 1 - values).sum()
    assert clf.objective_ == pytest.approx(objective, rel=1e-5)
    assert (clf.predict(X) == svc.predict(scaled)).mean() >= 0.99
    assert clf.optimal_


def test_ten_digits_are_proved():
    """Ten classes of 60 rows and 64 features: every class has a leaf, and the gap is closed."""
    X, y = load_digits(return_X_y=True)
    clf = ClassTreeClassifier(C=1.0).fit(X[:60], y[:60])
    assert clf.optimal_
    assert clf.tree_.n_splits == 9
    assert clf.score(X[:60], y[:60]) > 0.95
    assert from_json(to_json(clf)).tree_ == clf.tree_
    assert export_text(clf).count("(") >= 10


def test_its_cost_is_chosen_by_folds():
    """`TreeClassifierCV` takes it; labels may be text."""
    iris = load_iris()
    clf = TreeClassifierCV(ClassTreeClassifier(), cv=3).fit(
        iris.data, iris.target_names[iris.target]
    )
    assert clf.best_params_["C"] in (0.1, 1, 10, 100, 1000)
    assert clf.best_score_ > 0.93
    assert clf.optimal_


def test_a_hierarchy_that_does_not_fit_leaves_classes_out():
    """The warning says which depth is enough."""
    X, y = load_digits(return_X_y=True)
    with pytest.warns(ShallowTreeWarning, match="max_depth=4"):
        clf = ClassTreeClassifier(max_depth=2, C=1.0).fit(X[:60], y[:60])
    assert clf.optimal_
    assert len({*clf.predict(X)}) <= 4


@pytest.mark.parametrize("params", [{"C": -1.0}, {"C": "dear"}, {"max_depth": 11}])
def test_wrong_parameters_are_refused(params):
    """By scikit-learn's check, which names the parameter."""
    with pytest.raises(ValueError, match=next(iter(params))):
        ClassTreeClassifier(**params).fit([[0.0], [1.0]], [0, 1])


def test_violations_that_cost_nothing_need_no_splits():
    """The tree is the heaviest class."""
    clf = ClassTreeClassifier(C=0.0).fit([[0.0], [1.0], [2.0]], [0, 1, 1])
    assert clf.predict([[0.0]]) == [1]
    assert clf.objective_ == 0
    with pytest.raises(ValueError, match="'C'"):
        ClassTreeClassifier(C=np.inf).fit([[0.0], [1.0]], [0, 1])


def test_curved_splits_are_a_machine_over_products():
    """With two classes: scikit-learn's SVC on the scaled columns and their products."""
    X, y = load_iris(return_X_y=True)
    X, y = X[y > 0], y[y > 0]
    clf = ClassTreeClassifier(C=1.0, space="quadratic").fit(X, y)
    seen = clf.tree_.scaling.apply(X)
    svc = SVC(kernel="linear", C=1.0, tol=1e-7).fit(seen, y)
    values = np.where(y == 2, 1, -1) * svc.decision_function(seen)
    objective = (svc.coef_**2).sum() / 2 + np.maximum(0, 1 - values).sum()
    assert clf.objective_ == pytest.approx(objective, rel=1e-5)
    assert clf.n_features_in_ == 4
    assert seen.shape[1] == 14


def test_the_space_is_chosen_by_folds():
    """Each space has its own path; a chequerboard needs products."""
    rng = np.random.default_rng(0)
    X = rng.random((80, 2))
    y = (X[:, 0] > 0.5) ^ (X[:, 1] > 0.5)
    candidates = {"space": ["box", "quadratic"], "C": [10.0, 1000.0]}
    clf = TreeClassifierCV(ClassTreeClassifier(), candidates, cv=3).fit(X, y)
    assert clf.best_params_["space"] == "quadratic"
    assert len(clf.cv_results_["params"]) == 4
    assert clf.score(X, y) > 0.9


def test_a_straight_tree_starts_a_curved_one_and_not_the_other_way():
    """The message says why."""
    X, y = load_iris(return_X_y=True)
    straight = ClassTreeClassifier().fit(X, y)
    curved = ClassTreeClassifier(space="quadratic", start=straight).fit(X, y)
    with pytest.raises(InvalidInputError, match="products of features"):
        ClassTreeClassifier(start=curved).fit(X, y)
