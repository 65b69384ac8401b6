"""From parameters to a solve: seeds, threads, starts from earlier fits, and the problem solved."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from margintree import CARTClassifier, MOCTSVMClassifier, OCTClassifier, OCTSVMClassifier
from margintree._lib.exceptions import InvalidInputError
from margintree.estimators import ESTIMATORS, _plain
from margintree.estimators._plain import MethodClassifier, n_threads, seed_of
from margintree.methods import METHODS

X = np.array([[0.0, 1.0], [0.2, 0.1], [0.4, 0.9], [0.6, 0.2], [0.8, 0.7], [1.0, 0.3]])
Y = np.array(["a", "a", "b", "b", "c", "c"])
PLAIN = [cls for cls in ESTIMATORS.values() if issubclass(cls, MethodClassifier)]


@pytest.mark.parametrize(
    ("state", "seed"), [(None, 0), (7, 7), (np.int64(3), 3), (np.random.RandomState(1), None)]
)
def test_a_seed_is_a_number(state, seed):
    """A RandomState gives its next number."""
    expected = np.random.RandomState(1).randint(np.iinfo(np.int32).max) if seed is None else seed
    found = seed_of(state)
    assert (type(found), found) == (int, expected)


def test_threads_count_from_one_or_back_from_all():
    """0 is refused in words."""
    assert (n_threads(None), n_threads(1), n_threads(3)) == (1, 1, 3)
    assert n_threads(-1) >= 1
    with pytest.raises(InvalidInputError, match=r"0 was given\. Use 1 for a single thread"):
        n_threads(0)


def test_a_clone_keeps_a_fitted_start():
    """scikit-learn clones every parameter that is an estimator; a start must stay fitted."""
    start = CARTClassifier(2).fit(X, Y)
    copy = clone(MOCTSVMClassifier(2, start=start))
    assert copy.start is start
    assert copy.fit(X, Y).tree_.n_splits >= 1


def test_a_warm_start_begins_with_the_tree_of_the_last_fit():
    """Even with no search at all the tree is as good; without a warm start it is a leaf."""
    model = MOCTSVMClassifier(2, c1=50.0, c2=5.0, max_iter=40, warm_start=True).fit(X, Y)
    found, cost = model.tree_, model.objective_
    again = model.set_params(max_iter=0, time_limit=0).fit(X, Y)
    assert again.objective_ == pytest.approx(cost)
    assert again.tree_.n_splits == found.n_splits
    cold = clone(model).set_params(warm_start=False).fit(X, Y)
    assert cold.objective_ > cost


def test_a_warm_start_that_does_not_fit_is_left_out():
    """Other classes, other columns, less depth: the fit begins afresh, without an error."""
    model = MOCTSVMClassifier(2, c1=50.0, max_iter=5, warm_start=True)
    model.fit(X, Y).fit(X, np.where(Y == "c", "a", Y))
    assert model.classes_.tolist() == ["a", "b"]
    model.fit(X[:, :1], Y)
    assert model.n_features_in_ == 1
    model.set_params(max_depth=1).fit(X[:, :1], np.where(Y == "c", "a", Y))
    assert model.tree_.depth == 1


@pytest.mark.parametrize("cls", PLAIN)
def test_the_problem_of_a_fit_is_the_one_it_has_solved(cls):
    """The judge of the method confirms the cost, with weights of rows and classes."""
    y = np.where(Y == "c", "a", Y)
    weights = np.array([1.0, 2.0, 1.0, 1.0, 0.5, 3.0])
    given = {"max_iter": 5} if "max_iter" in cls._get_param_names() else {}
    model = cls(max_depth=2, class_weight={"a": 2.0}, **given).fit(X, y, sample_weight=weights)
    problem = model.problem_of(X, y, weights)
    assert problem.row_weights.sum() == pytest.approx((weights * np.where(y == "a", 2, 1)).sum())
    assert METHODS[cls._method.name].judge(problem, model.tree_) == model.cost_


def test_prices_and_factors_by_name_reach_the_problem():
    """A dict by label becomes a matrix, and a dict by feature becomes factors."""
    frame = pd.DataFrame(X, columns=["age", "sex"])
    model = MOCTSVMClassifier(
        2, c4=2.0, max_iter=3, error_costs={"a": {"c": 7.0}}, feature_costs={"sex": 5.0}
    ).fit(frame, Y)
    problem = model.problem_of(X, Y)
    assert problem.error_costs.tolist() == [[0, 1, 7], [1, 0, 1], [1, 1, 0]]
    assert problem.feature_prices.tolist() == [2.0, 10.0]


def test_limits_are_those_of_the_parameters():
    """None means none, and what a classifier lacks has the usual value."""
    limits = MOCTSVMClassifier(time_limit=3, memory_limit=None, max_iter=9, n_jobs=2)._limits()
    assert (limits.seconds, limits.memory, limits.iterations, limits.threads) == (3, np.inf, 9, 2)
    assert CARTClassifier()._limits().seconds == np.inf


def test_tags_tell_scikit_learn_how_many_classes_there_may_be():
    """OCTSVM is for two classes."""
    tags = {cls: cls().__sklearn_tags__().classifier_tags.multi_class for cls in PLAIN}
    assert not tags[OCTSVMClassifier]
    assert tags[OCTClassifier]
    assert tags[MOCTSVMClassifier]


def test_round_numbers_have_a_part_of_the_time_limit(monkeypatch):
    """The search gets the rest, so that even a search that takes all its time leaves some."""
    given = {}

    def solve(method, problem, how):
        given["solve"] = how.limits.seconds
        return properly(method, problem, how)

    def rounded(*args):
        given["rounding"] = args[-1].limit
        return properly_rounded(*args)

    properly, properly_rounded = _plain.solve, _plain.with_round_numbers
    monkeypatch.setattr(_plain, "solve", solve)
    monkeypatch.setattr(_plain, "with_round_numbers", rounded)
    model = MOCTSVMClassifier(2, points=10, max_iter=2, time_limit=80.0).fit(X, Y)
    assert given["solve"] == 70.0
    assert 10.0 < given["rounding"] <= 80.0
    assert model.result_.limit != "time"
    for time_limit, most in ((None, np.inf), (80.0, 80.0)):
        MOCTSVMClassifier(2, max_iter=2, time_limit=time_limit).fit(X, Y)
        assert given["solve"] == most
