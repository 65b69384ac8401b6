"""MOCTSVMClassifier as users of scikit-learn know their classifiers."""

import pickle
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from margintree import MOCTSVMClassifier, ObliqueTree, ShallowTreeWarning
from margintree.estimators._starts import adapted
from margintree.exceptions import InvalidInputError
from margintree.objective import objective
from margintree.problem import Costs, Problem
from margintree.result import Reason, TracePoint

IRIS = load_iris()
X, Y = IRIS.data[::5], IRIS.target_names[IRIS.target[::5]]


@pytest.fixture(scope="module")
def fitted():
    """Return a classifier fitted to a fifth of iris."""
    return MOCTSVMClassifier(c1=10.0).fit(X, Y)


@parametrize_with_checks([MOCTSVMClassifier(max_iter=20)])
def test_scikit_learn_checks(estimator, check):
    """Every check of scikit-learn passes."""
    check(estimator)


def test_fitted_attributes_agree_with_each_other(fitted):
    """Objective, bound, gap and cost tell one story."""
    assert fitted.objective_ == fitted.result_.objective == pytest.approx(fitted.cost_.total)
    assert 0 <= fitted.bound_ <= fitted.objective_ + 1e-9
    assert fitted.gap_ == fitted.result_.gap
    assert fitted.optimal_ == (fitted.gap_ <= fitted.gap)
    assert fitted.tree_ == fitted.result_.tree
    assert fitted.classes_.tolist() == ["setosa", "versicolor", "virginica"]
    assert fitted.cost_.ties == 0


def test_the_tree_learns(fitted):
    """Iris is easy."""
    assert fitted.score(IRIS.data, IRIS.target_names[IRIS.target]) > 0.9


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
    leaves, shares = fitted.apply(X), fitted.predict_proba(X)
    for leaf in set(leaves):
        counts = [(Y[leaves == leaf] == label).mean() for label in fitted.classes_]
        np.testing.assert_allclose(shares[leaves == leaf], [counts] * (leaves == leaf).sum())
    with np.errstate(divide="ignore"):
        np.testing.assert_array_equal(fitted.predict_log_proba(X), np.log(shares))


def test_smoothing_changes_probabilities_and_not_predictions(fitted):
    """With Laplace's rule no class has a share of 0."""
    smooth = pickle.loads(pickle.dumps(fitted)).set_params(smoothing=1.0)
    assert smooth.predict_proba(X).min() > 0
    np.testing.assert_array_equal(smooth.predict(X), fitted.predict(X))


def test_fitting_twice_is_fitting_once(fitted):
    """Nothing of the first fit is left in the second, and random_state=None is deterministic."""
    again = clone(fitted).fit(X[::2], Y[::2]).fit(X, Y)
    assert again.tree_ == fitted.tree_


def test_the_global_random_state_is_left_alone():
    """A fit neither reads nor moves NumPy's global generator."""
    np.random.seed(3)  # noqa: NPY002
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    MOCTSVMClassifier(max_depth=1, random_state=1).fit(X, Y == "setosa")
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


def test_a_random_state_object_seeds_the_fit():
    """Equal generators give equal trees."""
    trees = [
        MOCTSVMClassifier(max_iter=5, random_state=np.random.RandomState(7)).fit(X, Y).tree_
        for _ in range(2)
    ]
    assert trees[0] == trees[1]


def test_pickles_and_clones(fitted):
    """A pickle predicts alike; a clone has the parameters and no tree."""
    copy = pickle.loads(pickle.dumps(fitted))
    assert copy.tree_ == fitted.tree_
    assert clone(fitted).get_params() == fitted.get_params()
    assert not hasattr(clone(fitted), "tree_")


def test_works_in_pipelines_and_searches():
    """Pipeline, cross_val_score and GridSearchCV take it like any classifier."""
    model = make_pipeline(StandardScaler(), MOCTSVMClassifier(max_iter=5, c1=10))
    assert cross_val_score(model, X, Y, cv=3).mean() > 0.8
    grid = GridSearchCV(MOCTSVMClassifier(max_iter=5), {"c1": [0.1, 10.0]}, cv=3).fit(X, Y)
    assert grid.best_params_["c1"] == 10.0


@pytest.mark.parametrize("library", [pd, pl], ids=["pandas", "polars"])
def test_frames_keep_their_column_names(library, fitted):
    """A frame is as good as an array, and other columns at prediction are refused."""
    frame = library.DataFrame(dict(zip(IRIS.feature_names, X.T, strict=True)))
    model = clone(fitted).fit(frame, library.Series(Y))
    assert model.feature_names_in_.tolist() == IRIS.feature_names
    np.testing.assert_array_equal(model.predict(frame), fitted.predict(X))
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[IRIS.feature_names[::-1]])
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[IRIS.feature_names[:2]])


@pytest.mark.parametrize("labels", [Y, IRIS.target[::5], Y == "setosa", IRIS.target[::5] - 0.0])
def test_labels_keep_their_type(labels):
    """Text, integers, booleans and whole floats come back as they were given."""
    predicted = MOCTSVMClassifier(max_iter=5, c1=10).fit(X, labels).predict(X)
    assert predicted.dtype == labels.dtype
    assert set(predicted) <= set(labels)


def test_a_weight_is_the_same_as_copies():
    """Weights and repeated rows make the same tree, also with balanced classes."""
    weights = np.arange(len(X)) % 3
    copies = np.repeat(np.arange(len(X)), weights)
    for class_weight in (None, "balanced", {"setosa": 2.0}):
        model = MOCTSVMClassifier(max_iter=5, class_weight=class_weight)
        one = clone(model).fit(X, Y, sample_weight=weights)
        other = clone(model).fit(X[copies], Y[copies])
        assert one.tree_ == other.tree_


def test_heavy_classes_are_not_given_up():
    """On overlapping rows a single leaf's label follows the class weights."""
    overlapping, labels = np.zeros((3, 1)), [0, 0, 1]
    plain = MOCTSVMClassifier(1).fit(overlapping, labels)
    heavy = MOCTSVMClassifier(1, class_weight={1: 5.0}).fit(overlapping, labels)
    assert plain.predict([[0.0]]) == [0]
    assert heavy.predict([[0.0]]) == [1]


def test_too_few_leaves_for_the_classes_is_a_warning():
    """Depth 1 cannot name three classes, says so, and fits all the same."""
    with pytest.warns(ShallowTreeWarning, match="max_depth=2") as caught:
        model = MOCTSVMClassifier(1, max_iter=5).fit(X, Y)
    assert caught[0].filename == __file__
    assert len(set(model.predict(X))) <= 2


def test_a_start_is_never_lost(fitted):
    """With no time at all, the fit is at least as good as its start, whatever its form."""
    model = MOCTSVMClassifier(c1=10.0, time_limit=0)
    for start in (fitted, fitted.tree_, fitted.tree_.in_original_units()):
        again = clone(model).set_params(start=start).fit(X, Y)
        assert again.objective_ <= fitted.objective_ + 1e-6


def test_a_start_from_other_rows_and_less_depth_is_adapted(fitted):
    """A row far away changes the scaling; the start still routes as it did and is not lost."""
    far = 3 * X.max(axis=0)
    rows, labels = np.vstack([X, far]), np.append(Y, fitted.predict([far]))
    model = MOCTSVMClassifier(3, c1=10.0, time_limit=0, start=fitted).fit(rows, labels)
    problem = model._pose(rows, np.unique(labels, return_inverse=True)[1], np.ones(len(rows)), 3)
    start = adapted(fitted.tree_, problem)
    np.testing.assert_allclose(
        start.split_values(problem.scaling.apply(rows))[:, :3], fitted.split_values(rows)
    )
    assert model.objective_ <= objective(problem, start).total + 1e-9


def test_a_clone_keeps_its_start_fitted(fitted):
    """A grid search may begin every fit from a fitted classifier."""
    assert clone(MOCTSVMClassifier(start=fitted)).start is fitted


def test_warm_start_goes_on_from_the_tree_of_the_fit_before(fitted):
    """Without time the old tree is kept; when it does not fit the data it is not used."""
    model = pickle.loads(pickle.dumps(fitted)).set_params(warm_start=True, time_limit=0)
    assert model.fit(X, Y).objective_ <= fitted.objective_ + 1e-6
    model.fit(X[:, :2], Y)
    assert model.tree_.n_features == 2
    model.fit(X[:, :2], Y == "setosa")
    assert model.tree_.n_classes == 2


@pytest.mark.parametrize(
    ("start", "named"),
    [
        (ObliqueTree.leaf(2, 3, 3), "3 features where the data have 4"),
        (ObliqueTree.leaf(2, 4, 2), "2 classes where the data have 3"),
        (ObliqueTree.leaf(3, 4, 3), "depth 3 is more than max_depth=2"),
        (MOCTSVMClassifier(), "not fitted"),
    ],
)
def test_a_start_that_does_not_fit_is_refused(start, named):
    """The message says what does not fit."""
    with pytest.raises(InvalidInputError, match=named):
        MOCTSVMClassifier(start=start).fit(X, Y)


def test_a_start_of_other_classes_is_refused(fitted):
    """Codes of other labels would mean something else."""
    with pytest.raises(InvalidInputError, match="knows"):
        MOCTSVMClassifier(start=fitted).fit(X, IRIS.target[::5])


def test_verbose_prints_or_calls(capsys):
    """1 prints lines; a callable is told of every point."""
    MOCTSVMClassifier(max_iter=3, verbose=1).fit(X, Y)
    assert "cost" in capsys.readouterr().out
    points = []
    MOCTSVMClassifier(max_iter=3, verbose=points.append).fit(X, Y)
    assert points
    assert all(isinstance(point, TracePoint) for point in points)


def test_a_callback_may_stop_the_fit():
    """KeyboardInterrupt, from a user or a callback, keeps the best tree so far."""

    def stop(_):
        raise KeyboardInterrupt

    model = MOCTSVMClassifier(verbose=stop).fit(X, Y)
    assert model.result_.reason is Reason.INTERRUPTED
    assert model.predict(X).shape == Y.shape


@pytest.mark.parametrize("method", ["search", "exact"])
def test_no_time_still_gives_a_valid_tree(method):
    """A time limit of 0 is a result with a bound, not an error."""
    model = MOCTSVMClassifier(method=method, time_limit=0).fit(X, Y)
    assert model.cost_.ties == 0
    assert model.bound_ <= model.objective_ + 1e-9
    assert model.result_.reason in (Reason.LIMIT, Reason.OPTIMAL)


def test_exact_proves_a_small_tree():
    """Eight rows in one dimension are proved optimal in no time."""
    model = MOCTSVMClassifier(1, c1=10.0, method="exact").fit(
        np.arange(8)[:, None], [0] * 4 + [1] * 4
    )
    assert model.optimal_
    assert model.predict([[0.0], [7.0]]).tolist() == [0, 1]


def test_the_problem_posed_is_the_one_asked_for(monkeypatch):
    """Every parameter reaches the problem and the limits under its own name."""
    seen = {}

    def record(problem, **options):
        seen.update(options, problem=problem)
        raise RuntimeError("enough")

    monkeypatch.setattr("margintree.estimators.moctsvm.fit_tree", record)
    model = MOCTSVMClassifier(
        3,
        5.0,
        0.5,
        0.25,
        method="exact",
        solver="scip",
        time_limit=None,
        gap=0.01,
        max_iter=9,
        routing_margin=0.01,
        margin_norm="plain",
        random_state=4,
        n_jobs=2,
    )
    with pytest.raises(RuntimeError, match="enough"):
        model.fit(X, Y)
    problem, limits = seen["problem"], seen["limits"]
    assert (problem.depth, problem.costs) == (3, Costs(5.0, 0.5, 0.25))
    assert (problem.routing_margin, problem.margin_norm) == (0.01, "plain")
    assert (limits.seconds, limits.gap, limits.iterations) == (np.inf, 0.01, 9)
    assert (limits.threads, limits.seed) == (2, 4)
    assert (seen["method"], seen["solver"], list(seen["starts"])) == ("exact", "scip", [])


def test_default_costs_are_those_of_the_problem():
    """The defaults are written in two places and must not drift apart."""
    params = MOCTSVMClassifier().get_params()
    assert Costs() == Costs(params["c1"], params["c2"], params["c3"])
    problem = Problem.from_data([[0.0]], [0], n_classes=1, depth=1)
    assert (params["routing_margin"], params["margin_norm"]) == (
        problem.routing_margin,
        problem.margin_norm,
    )


def test_nothing_is_printed_or_warned_by_default(capsys):
    """A library is silent."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        MOCTSVMClassifier(max_iter=3).fit(X, Y)
    assert capsys.readouterr() == ("", "")


def test_a_tree_without_training_rows_predicts_certainties():
    """A tree made by hand has no leaf mass; its classes get everything."""
    tree = replace(ObliqueTree.leaf(1, 1, 2, label=1), leaf_mass=np.zeros((2, 2)))
    np.testing.assert_array_equal(tree.leaf_shares(), [[0, 1], [0, 1]])
