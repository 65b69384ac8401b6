"""The trees of a choice over budgets and prices, from many features to few."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.exceptions import NotFittedError

from margintree import MOCTSVMClassifier, MOCTSVMClassifierCV
from margintree.core.limits import Clock, Limits
from margintree.core.problem import Problem
from margintree.core.result import Reason
from margintree.core.tree import ObliqueTree
from margintree.estimators import _stops
from margintree.estimators._stops import best_of_budgets, no_worse_than, score_of, words_of
from margintree.methods import MOCTSVM, choose
from margintree.methods.path import path

WINE = load_wine()
X, Y = WINE.data[::3], WINE.target[::3]


def chosen(candidates, last_fit="path", **params):
    """Return a quick choice, fitted."""
    plain = MOCTSVMClassifier(2, c1=100.0, c3=10.0, max_iter=4)
    return MOCTSVMClassifierCV(
        plain, candidates, cv=3, path_iter=1, last_fit=last_fit, **params
    ).fit(X, Y)


@pytest.fixture(scope="module")
def clf():
    """Return a choice over two costs and three budgets."""
    budgets = [1, None, 2]
    return chosen(
        [{"c1": c1, "max_features_per_split": most} for most in budgets for c1 in (1.0, 100.0)]
    )


def test_every_budget_has_one_tree_from_many_features_to_few(clf):
    """None, which sets no budget, comes first."""
    budgets = [stop.model.max_features_per_split for stop in clf.stops_]
    assert budgets == [None, 2, 1]
    for stop in clf.stops_:
        most = stop.model.max_features_per_split or X.shape[1]
        assert (stop.model.tree_.weights != 0).sum(axis=1).max() <= most
        assert stop.name == words_of(stop.model.get_params())


def test_the_tree_of_a_budget_is_that_with_the_best_score(clf):
    """The chosen tree stands for its own budget."""
    results = clf.cv_results_
    budgets = results["param_max_features_per_split"]
    for stop in clf.stops_:
        most = stop.model.max_features_per_split
        lines = [k for k, other in enumerate(budgets) if other == most]
        assert stop.score == max(results["mean_test_score"][lines])
        if (
            stop.model.c1 == clf.best_params_["c1"]
            and most == (clf.best_params_["max_features_per_split"])
        ):
            assert stop.model.result_ is clf.result_
    assert sum(stop.model.result_ is clf.result_ for stop in clf.stops_) == 1


def test_the_trees_are_classifiers_like_any(clf):
    """They predict, know their cost on the training rows, and survive a copy."""
    for stop in pickle.loads(pickle.dumps(clf)).stops_:
        problem = stop.model.problem_of(X, Y)
        judged = stop.model._method.judge(problem, stop.model.tree_)
        assert judged.total == pytest.approx(stop.model.objective_)
        assert judged.is_allowed
        assert stop.model.predict(X).shape == Y.shape


def test_there_are_none_without_budgets_or_without_a_path():
    """Trees of other budgets are known only on a path; one budget needs no slider."""
    assert chosen([{"c1": 1.0}, {"c1": 100.0}]).stops_ == []
    again = chosen([{"max_features_per_split": most} for most in (1, 2)])
    assert len(again.stops_) == 2
    assert again.set_params(last_fit="fresh").fit(X, Y).stops_ == []
    with pytest.raises(NotFittedError):
        MOCTSVMClassifierCV().report(X, Y)


def test_prices_and_rounded_trees_are_on_the_path():
    """Every tree has points if the estimator asks for them; higher prices come later."""
    plain = MOCTSVMClassifier(2, c1=100.0, max_iter=3, points=5)
    candidates = [{"c4": c4, "max_features": 4} for c4 in (50.0, 0.0, 5.0)]
    clf = MOCTSVMClassifierCV(plain, candidates, cv=2, path_iter=1, last_fit="path").fit(X, Y)
    assert [stop.model.c4 for stop in clf.stops_] == [0.0, 5.0, 50.0]
    assert clf.stops_[-1].name == "at most 4 features in the tree, price 50"
    for stop in clf.stops_:
        alone = stop.model._presented(stop.model.problem_of(X, Y), stop.model.result_)
        assert alone.objective <= stop.model.objective_ * (1 + 1e-9)


def test_the_last_round_of_a_choice_counts():
    """A combination that went on has the score of its last round."""
    points = [{"c4": 1.0}, {"c4": 2.0}]
    tried = {
        "params": [*points, points[1]],
        "rank_test_score": [3, 2, 1],
        "mean_test_score": [0.5, 0.6, 0.7],
        "split0_test_score": [0.5, 0.6, 0.6],
        "split1_test_score": [np.nan, np.nan, 0.8],
    }
    assert best_of_budgets(points, tried, best=1) == [0, 1]
    assert score_of(tried, points[1]) == pytest.approx((0.7, 0.1))
    assert score_of(tried, points[0]) == pytest.approx((0.5, np.nan), nan_ok=True)


BUDGETED = [{"max_features_per_split": most} for most in (None, 2, 1)]


def test_an_interrupted_path_leaves_the_trees_of_the_choice(monkeypatch):
    """They were not searched for on all rows, and their names say so; the choice is kept."""

    def interrupted(*args, **kwargs):
        if kwargs.get("is_fair") and args[-1].limit > 0:
            raise KeyboardInterrupt
        return path(*args, **kwargs)

    monkeypatch.setattr(_stops, "path", interrupted)
    clf = chosen(BUDGETED)
    assert clf.result_.reason is Reason.INTERRUPTED
    assert clf.choice_is_complete_
    for stop, most in zip(clf.stops_, (13, 2, 1), strict=True):
        assert stop.name.endswith(", not finished")
        assert stop.model.tree_.n_splits
        assert (stop.model.tree_.weights != 0).sum(axis=1).max() <= most
        problem = stop.model.problem_of(X, Y)
        assert stop.model._method.judge(problem, stop.model.tree_).is_allowed


def test_a_path_without_time_takes_the_trees_of_the_choice(monkeypatch):
    """A tree of a fold is better than none, and it is not shown as a finished one."""
    monkeypatch.setattr(_stops, "path", lambda *args, **_: path(*args[:-1], Clock(0.0)))
    clf = chosen(BUDGETED)
    assert all(stop.model.tree_.n_splits for stop in clf.stops_)
    assert all(stop.name.endswith(", not finished") for stop in clf.stops_)
    assert clf.score(X, Y) > 0.8


def test_the_searches_for_the_stops_share_the_time(monkeypatch):
    """None takes all of it; finished trees have plain names."""
    seen = []

    def noted(*args, **kwargs):
        seen.append(kwargs)
        return path(*args, **kwargs)

    monkeypatch.setattr(_stops, "path", noted)
    monkeypatch.setattr(choose, "path", noted)
    clf = chosen(BUDGETED)
    assert seen == [{"is_fair": True}] * 4  # three folds, and all rows
    seen.clear()
    chosen(BUDGETED, last_fit="fresh")
    assert seen == [{"is_fair": False}] * 3
    assert not any("not finished" in stop.name for stop in clf.stops_)


def test_a_known_tree_with_splits_too_close_to_rows_is_mended():
    """Trees of a fold often are; as they stand they would be refused, and a leaf be left."""
    method, rows = (
        MOCTSVM(),
        Problem.from_data([[0], [1], [5], [6]], [0, 0, 1, 1], n_classes=2, depth=1),
    )
    problem = method.pose(rows, max_depth=1, c1=10.0, c2=1.0, c3=0.1)
    on_a_row = ObliqueTree.stump([6.0], -5.0, leaf_classes=[0, 1], n_classes=2)
    known = replace(on_a_row, scaling=problem.scaling)
    assert not method.judge(problem, known).is_allowed
    leaf = method.search(problem, Limits(seconds=0.0))
    assert leaf.tree.n_splits == 0
    leaf = replace(leaf, reason=Reason.LIMIT, limit="time")
    found = no_worse_than([known], method, problem, leaf)
    assert found.tree.n_splits == 1
    assert found.cost == method.judge(problem, found.tree)
    assert found.limit == "time"
    assert no_worse_than([known], method, problem, replace(leaf, limit=None)).tree == leaf.tree
