"""What every classifier promises, as users of scikit-learn know their classifiers."""

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.metrics import get_scorer, roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from margintree import (
    CARTClassifier,
    ClassTreeClassifier,
    MOCTSVMClassifier,
    ObliqueTree,
    OCTClassifier,
    OCTHClassifier,
    OCTSVMClassifier,
    ShallowTreeWarning,
    export_text,
    from_json,
    to_json,
)
from margintree._lib.exceptions import InvalidInputError
from margintree.core.result import Reason, TracePoint
from margintree.estimators import ESTIMATORS

IRIS = load_iris()
X, Y = IRIS.data[::5], IRIS.target_names[IRIS.target[::5]]
MODELS = {
    "MOCTSVM": MOCTSVMClassifier(2, c1=10.0, max_iter=20),
    "OCT": OCTClassifier(2),
    "OCT exact": OCTClassifier(2, max_splits=2, method="exact", solver="highs"),
    "OCT-H": OCTHClassifier(2, alpha=0.01, max_iter=5),
    "OCTSVM": OCTSVMClassifier(2, c1=10.0, c2=10.0, max_iter=20),
    "CART": CARTClassifier(2),
    "class tree": ClassTreeClassifier(2, C=100.0),
}
OPTIMISED = ["MOCTSVM", "OCT", "OCT-H", "OCTSVM", "class tree"]


def labels_for(model, labels=Y):
    """Return the labels, or whether they are the last one where a classifier takes two classes."""
    if get_tags(model).classifier_tags.multi_class:
        return labels
    return np.where(labels == labels[-1], labels[-1], labels[0])


@pytest.fixture(scope="module", params=MODELS)
def fitted(request):
    """Return a classifier of every kind, fitted to a fifth of iris."""
    model = clone(MODELS[request.param])
    return model.fit(X, labels_for(model))


@pytest.fixture(params=[name for name in MODELS if "exact" not in name])
def model(request):
    """Return an unfitted classifier of every kind."""
    return clone(MODELS[request.param])


@pytest.fixture(params=OPTIMISED)
def optimised(request):
    """Return an unfitted classifier of every kind that has limits and starts."""
    return clone(MODELS[request.param])


@parametrize_with_checks(
    [
        MOCTSVMClassifier(max_iter=20),
        OCTClassifier(),
        OCTHClassifier(max_iter=2),
        OCTSVMClassifier(max_iter=20),
        CARTClassifier(),
        ClassTreeClassifier(),
    ]
)
def test_scikit_learn_checks(estimator, check):
    """Every check of scikit-learn passes."""
    check(estimator)


def test_every_classifier_is_tested_here():
    """A new classifier must be added above."""
    assert {type(model).__name__ for model in MODELS.values()} == {*ESTIMATORS}


def test_fitted_attributes_agree_with_each_other(fitted):
    """Objective, bound, gap and cost tell one story."""
    assert fitted.objective_ == fitted.result_.objective == pytest.approx(fitted.cost_.total)
    assert 0 <= fitted.bound_ <= fitted.objective_ + 1e-9
    assert fitted.gap_ == fitted.result_.gap
    assert fitted.optimal_ == (fitted.gap_ <= fitted.result_.gap_limit)
    assert fitted.tree_ == fitted.result_.tree
    assert fitted.classes_.tolist() == sorted({*labels_for(fitted)})
    free = {"features"} - {*fitted.cost_.terms}  # a term only where features have a price
    assert {*fitted.cost_.terms} == {*fitted._method.terms} - free
    assert fitted.cost_.is_allowed


def test_the_tree_learns(fitted):
    """Iris is easy."""
    assert fitted.score(IRIS.data, labels_for(fitted, IRIS.target_names[IRIS.target])) > 0.9


def test_predictions_follow_from_split_values(fitted):
    """A row goes right where the value of a split is at least 0; leaves name classes."""
    values = fitted.split_values(X)
    node = np.ones(len(X), dtype=int)
    for _ in range(fitted.max_depth):
        node = 2 * node + (values[np.arange(len(X)), node - 1] >= 0)
    np.testing.assert_array_equal(fitted.apply(X), node)
    labels = fitted.classes_[fitted.tree_.leaf_classes[node - 4]]
    np.testing.assert_array_equal(fitted.predict(X), labels)
    path = fitted.decision_path(X)
    assert path.shape == (len(X), 7)
    assert path[np.arange(len(X)), node - 1].sum() == len(X)


def test_probabilities_are_the_shares_of_the_leaf(fitted):
    """They are the class counts of the training rows that arrive at the same leaf."""
    leaves, shares, labels = fitted.apply(X), fitted.predict_proba(X), labels_for(fitted)
    for leaf in set(leaves):
        counts = [(labels[leaves == leaf] == label).mean() for label in fitted.classes_]
        np.testing.assert_allclose(shares[leaves == leaf], [counts] * (leaves == leaf).sum())
    with np.errstate(divide="ignore"):
        np.testing.assert_array_equal(fitted.predict_log_proba(X), np.log(shares))


def test_decisions_agree_with_predictions_and_shares(fitted):
    """Signs follow the predicted label; rows with the same prediction are ordered by shares."""
    decisions, labels = fitted.decision_function(X), fitted.predict(X)
    if len(fitted.classes_) == 2:
        assert decisions.shape == (len(X),)
        decisions = np.c_[-decisions, decisions]
        np.testing.assert_array_equal(fitted.classes_[(decisions[:, 1] > 0) * 1], labels)
    np.testing.assert_array_equal(fitted.classes_[decisions.argmax(axis=1)], labels)
    last, shares = decisions[:, -1], fitted.predict_proba(X)[:, -1]
    for is_last in (labels == fitted.classes_[-1], labels != fitted.classes_[-1]):
        order = np.argsort(last[is_last])
        assert (np.diff(shares[is_last][order]) >= 0).all()


def test_decisions_rank_rows_within_leaves():
    """So the area under the curve is that of a linear machine where one split is enough."""
    two = IRIS.target > 0
    rows, labels = IRIS.data[two], IRIS.target[two]
    clf = MOCTSVMClassifier(1, max_iter=20).fit(rows, labels)
    ranked = roc_auc_score(labels, clf.decision_function(rows))
    assert ranked > roc_auc_score(labels, clf.predict_proba(rows)[:, 1])
    assert get_scorer("roc_auc")(clf, rows, labels) == ranked
    machine = SVC(kernel="linear").fit(clf.tree_.scaling.apply(rows), labels)
    of_machine = roc_auc_score(labels, machine.decision_function(clf.tree_.scaling.apply(rows)))
    assert ranked == pytest.approx(of_machine, abs=0.01)


def test_smoothing_changes_probabilities_and_not_predictions(fitted):
    """With Laplace's rule no class has a share of 0."""
    smooth = pickle.loads(pickle.dumps(fitted)).set_params(smoothing=1.0)
    assert smooth.predict_proba(X).min() > 0
    np.testing.assert_array_equal(smooth.predict(X), fitted.predict(X))


def test_fitting_twice_is_fitting_once(model):
    """Nothing of the first fit is left in the second, and random_state=None is deterministic."""
    labels = labels_for(model)
    once = clone(model).fit(X, labels)
    assert model.fit(X[::2], labels[::2]).fit(X, labels).tree_ == once.tree_


def test_the_global_random_state_is_left_alone(model):
    """A fit neither reads nor moves NumPy's global generator."""
    np.random.seed(3)  # noqa: NPY002
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    model.set_params(max_depth=1, random_state=1).fit(X, Y == "setosa")
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


def test_a_random_state_object_seeds_the_fit(model):
    """Equal generators give equal trees."""
    trees = [
        clone(model)
        .set_params(random_state=np.random.RandomState(7))
        .fit(X, labels_for(model))
        .tree_
        for _ in range(2)
    ]
    assert trees[0] == trees[1]


def test_pickles_clones_and_model_files(fitted):
    """A pickle and a model file predict alike; a clone has the parameters and no tree."""
    for copy in (pickle.loads(pickle.dumps(fitted)), from_json(to_json(fitted))):
        assert copy.tree_ == fitted.tree_
        assert copy.cost_ == fitted.cost_
        assert copy.get_params() == fitted.get_params()
    assert clone(fitted).get_params() == fitted.get_params()
    assert not hasattr(clone(fitted), "tree_")


def test_works_in_pipelines_and_searches(model):
    """Pipeline, cross_val_score and GridSearchCV take it like any classifier."""
    labels = labels_for(model)
    assert cross_val_score(make_pipeline(StandardScaler(), model), X, labels, cv=3).mean() > 0.8
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShallowTreeWarning)
        grid = GridSearchCV(model, {"max_depth": [1, 2]}, cv=3).fit(X, labels)
    assert grid.best_params_["max_depth"] == (2 if len({*labels}) > 2 else 1)


@pytest.mark.parametrize("library", [pd, pl], ids=["pandas", "polars"])
def test_frames_keep_their_column_names(library, fitted):
    """A frame is as good as an array, and other columns at prediction are refused."""
    frame = library.DataFrame(dict(zip(IRIS.feature_names, X.T, strict=True)))
    model = clone(fitted).fit(frame, library.Series(labels_for(fitted)))
    assert model.feature_names_in_.tolist() == IRIS.feature_names
    np.testing.assert_array_equal(model.predict(frame), fitted.predict(X))
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[IRIS.feature_names[::-1]])
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[IRIS.feature_names[:2]])


@pytest.mark.parametrize("labels", [Y, IRIS.target[::5], Y == "setosa", IRIS.target[::5] - 0.0])
def test_labels_keep_their_type(labels, model):
    """Text, integers, booleans and whole floats come back as they were given."""
    labels = labels_for(model, labels)
    predicted = model.fit(X, labels).predict(X)
    assert predicted.dtype == labels.dtype
    assert set(predicted) <= set(labels)


@pytest.mark.parametrize("class_weight", [None, "balanced", {"setosa": 2.0}], ids=str)
def test_a_weight_is_the_same_as_copies(class_weight, model):
    """Weights and repeated rows make the same tree, also with balanced classes."""
    weights, labels = np.arange(len(X)) % 3, labels_for(model)
    copies = np.repeat(np.arange(len(X)), weights)
    model.set_params(class_weight=class_weight)
    one = clone(model).fit(X, labels, sample_weight=weights)
    other = clone(model).fit(X[copies], labels[copies])
    assert one.tree_ == other.tree_


def test_heavy_classes_are_not_given_up(model):
    """On overlapping rows a single leaf's label follows the class weights."""
    overlapping, labels = np.zeros((3, 1)), [0, 0, 1]
    plain = clone(model).fit(overlapping, labels)
    heavy = clone(model).set_params(class_weight={1: 5.0}).fit(overlapping, labels)
    assert plain.predict([[0.0]]) == [0]
    assert heavy.predict([[0.0]]) == [1]


def test_too_few_leaves_for_the_classes_is_a_warning(model):
    """Depth 1 cannot name three classes, says so, and fits all the same."""
    if not get_tags(model).classifier_tags.multi_class:
        pytest.skip("two classes always find a leaf")
    with pytest.warns(ShallowTreeWarning, match="max_depth=2") as caught:
        model.set_params(max_depth=1).fit(X, Y)
    assert caught[0].filename == __file__
    assert len(set(model.predict(X))) <= 2


def test_the_tree_is_printed_in_original_units(fitted):
    """Every classifier has a tree that the text export takes."""
    text = export_text(fitted, feature_names=IRIS.feature_names)
    assert "petal" in text
    assert all(f" {label}  (" in text for label in fitted.classes_)


def test_nothing_is_printed_or_warned_by_default(model, capsys):
    """A library is silent."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(X, labels_for(model))
    assert capsys.readouterr() == ("", "")


def test_a_start_is_never_lost(optimised):
    """With no time at all, the fit is at least as good as its start, whatever its form."""
    labels = labels_for(optimised)
    known = clone(optimised).fit(X, labels)
    optimised.set_params(time_limit=0)
    for start in (known, known.tree_, known.tree_.in_original_units()):
        again = clone(optimised).set_params(start=start).fit(X, labels)
        assert again.objective_ <= known.objective_ + 1e-6


def test_no_memory_still_gives_a_tree(optimised):
    """A process that takes too much from the start ends every fit at once, with what is known."""
    labels = labels_for(optimised)
    known = clone(optimised).fit(X, labels)
    again = optimised.set_params(memory_limit=0.01, start=known).fit(X, labels)
    assert again.optimal_ or again.result_.limit == "memory"
    assert again.objective_ <= known.objective_ + 1e-6


def test_a_clone_keeps_its_start_fitted(optimised):
    """A grid search may begin every fit from a fitted classifier."""
    known = clone(optimised).fit(X, labels_for(optimised))
    assert clone(optimised.set_params(start=known)).start is known


def test_warm_start_goes_on_from_the_tree_of_the_fit_before(optimised):
    """Without time the old tree is kept; when it does not fit the data it is not used."""
    labels = labels_for(optimised)
    first = optimised.fit(X, labels).objective_
    optimised.set_params(warm_start=True, time_limit=0)
    assert optimised.fit(X, labels).objective_ <= first + 1e-6
    optimised.fit(X[:, :2], labels)
    assert optimised.tree_.n_features == 2
    optimised.fit(X[:, :2], Y == "setosa")
    assert optimised.tree_.n_classes == 2


@pytest.mark.parametrize(
    ("start", "named"),
    [
        (ObliqueTree.leaf(2, 3, 2), "3 features where the data have 4"),
        (ObliqueTree.leaf(2, 4, 3), "3 classes where the data have 2"),
        (ObliqueTree.leaf(3, 4, 2), "depth 3 is more than max_depth=2"),
        (MOCTSVMClassifier(), "not fitted"),
    ],
)
def test_a_start_that_does_not_fit_is_refused(start, named, optimised):
    """The message says what does not fit."""
    with pytest.raises(InvalidInputError, match=named):
        optimised.set_params(start=start).fit(X, Y == "setosa")


def test_a_start_of_other_classes_is_refused(optimised):
    """Codes of other labels would mean something else."""
    labels = labels_for(optimised)
    known = clone(optimised).fit(X, labels)
    with pytest.raises(InvalidInputError, match="knows"):
        optimised.set_params(start=known).fit(X, labels == labels[0])


def test_verbose_prints_or_calls(optimised, capsys):
    """1 prints lines; a callable is told of every point."""
    clone(optimised).set_params(verbose=1).fit(X, labels_for(optimised))
    assert "cost" in capsys.readouterr().out
    points = []
    optimised.set_params(verbose=points.append).fit(X, labels_for(optimised))
    assert points == [*optimised.result_.trace]
    assert all(isinstance(point, TracePoint) for point in points)


def test_a_callback_may_stop_the_fit(optimised):
    """KeyboardInterrupt, from a user or a callback, keeps the best tree so far."""

    def stop(_):
        raise KeyboardInterrupt

    optimised.set_params(verbose=stop).fit(X, labels_for(optimised))
    assert optimised.result_.reason is Reason.INTERRUPTED
    assert optimised.predict(X).shape == Y.shape
