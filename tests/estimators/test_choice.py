"""Depth and costs chosen by cross-validation."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from margintree import (
    CARTClassifierCV,
    MOCTSVMClassifierCV,
    OCTClassifierCV,
    OCTHClassifierCV,
    OCTSVMClassifierCV,
    export_text,
    from_json,
    make_table_classifier,
    to_json,
)
from margintree._lib.exceptions import InvalidInputError, SolverMissingError
from margintree.core.result import Reason
from margintree.estimators import moctsvm_cv

IRIS = load_iris()
X, Y = IRIS.data[::3, 2:], IRIS.target_names[IRIS.target[::3]]


def small(**params):
    """Return an unfitted classifier with few combinations and short searches."""
    given = {"max_depth": (1, 2), "c1": (0.01, 10.0), "c2": (1.0, 10.0), "c3": 0.1}
    return MOCTSVMClassifierCV(**given | {"n_folds": 3, "path_iter": 2, "max_iter": 5} | params)


@pytest.fixture(scope="module")
def fitted():
    return small().fit(X, Y)


RIVALS = {
    "CART": CARTClassifierCV(max_splits=(0, 1, 2, None), n_folds=3),
    "OCT": OCTClassifierCV(max_depth=2, max_splits=(1, 2), n_folds=3),
    "OCT-H": OCTHClassifierCV(max_depth=(1, 2), alpha=(0.01, 10.0), n_folds=3, path_iter=2),
    "OCTSVM": OCTSVMClassifierCV(
        max_depth=(1, 2), c1=10.0, c2=(0.001, 10.0), n_folds=3, max_iter=5
    ),
}
MODELS = {"MOCTSVM": small(), **RIVALS}


@pytest.fixture(params=MODELS)
def model(request):
    """Return an unfitted classifier of every kind."""
    return clone(MODELS[request.param])


def labels_for(model):
    """Return the species, or whether it is setosa where a classifier takes two classes."""
    return Y if get_tags(model).classifier_tags.multi_class else np.where(Y == "setosa", Y, "other")


@parametrize_with_checks(
    [
        small(max_depth=2, c1=(1.0, 10.0), c2=1.0, n_folds=2, path_iter=1),
        CARTClassifierCV(n_folds=2),
        OCTClassifierCV(max_depth=2, max_splits=(1, 2), n_folds=2),
        OCTHClassifierCV(alpha=(0.01, 1.0), n_folds=2, path_iter=1, max_iter=2),
        OCTSVMClassifierCV(max_depth=2, c1=(1.0, 10.0), c2=10.0, n_folds=2, path_iter=1),
    ]
)
def test_scikit_learn_checks(estimator, check):
    """Every check of scikit-learn passes."""
    check(estimator)


def test_the_table_of_scores_is_consistent(fitted):
    """Means are over all rows, and the best has the fewest splits among the best."""
    table = fitted.cv_results_
    assert len(table["params"]) == 2 * 2 * 2
    right = table["mean_test_score"] * len(Y)
    np.testing.assert_allclose(right, right.round(), atol=1e-6)
    best = table["mean_test_score"] == table["mean_test_score"].max()
    assert best[fitted.best_index_]
    assert table["mean_splits"][fitted.best_index_] == table["mean_splits"][best].min()
    assert (table["rank_test_score"] == 1).tolist() == best.tolist()
    assert fitted.best_params_ == table["params"][fitted.best_index_]
    assert fitted.best_score_ == table["mean_test_score"][fitted.best_index_]
    assert fitted.best_params_["c1"] == 10.0
    assert fitted.choice_is_complete_


def test_the_fitted_tree_has_the_chosen_depth_and_costs(fitted):
    """It is what MOCTSVMClassifier would say about its cost."""
    best = fitted.best_estimator_
    assert fitted.tree_.depth == fitted.best_params_["max_depth"] == best.max_depth
    assert fitted.objective_ == pytest.approx(fitted.cost_.total)
    again = clone(best).set_params(start=fitted.tree_, time_limit=0).fit(X, Y)
    assert again.objective_ <= fitted.objective_ + 1e-9
    assert again.cost_type is type(fitted.cost_)
    np.testing.assert_array_equal(best.predict(X), fitted.predict(X))


@pytest.mark.parametrize("change", ["again", "order", "processes"])
def test_the_same_rows_give_the_same_choice(fitted, change):
    """Neither the order of the rows nor the number of processes matters."""
    order = np.random.default_rng(0).permutation(len(Y)) if change == "order" else slice(None)
    other = small(n_jobs=2 if change == "processes" else None).fit(X[order], Y[order])
    np.testing.assert_array_equal(
        other.cv_results_["mean_test_score"], fitted.cv_results_["mean_test_score"]
    )
    assert other.tree_ == fitted.tree_


def test_every_kind_chooses_what_does_best(model):
    """Of several, with the fewest splits; the tree is one of the plain classifier."""
    y = labels_for(model)
    model.fit(X, y)
    scores, splits = (model.cv_results_[name] for name in ("mean_test_score", "mean_splits"))
    best = scores == scores.max()
    assert best[model.best_index_]
    assert splits[model.best_index_] == splits[best].min()
    assert model.best_score_ > 0.8
    assert model.choice_is_complete_
    found = model.best_estimator_
    assert type(found) is model.plain
    assert {name: getattr(found, name) for name in model.chosen} == model.best_params_
    assert found.cost_ == found._judge(found._pose(X, *coded(y)), model.tree_)
    np.testing.assert_array_equal(from_json(to_json(model)).predict(X), model.predict(X))


def coded(labels):
    """Return the codes of labels, weights of 1 and the labels of the codes."""
    classes, codes = np.unique(labels, return_inverse=True)
    return codes, np.ones(len(labels)), classes


def test_of_many_rows_a_sample_is_learnt_from(monkeypatch):
    """It weighs as much as all of them, and every class has its share."""
    sizes = []

    def counted(problem, *args):
        sizes.append((problem.n_rows, problem.row_weights.sum(), *problem.class_mass()))
        return properly(problem, *args)

    properly = moctsvm_cv.fit_moctsvm_path
    monkeypatch.setattr(moctsvm_cv, "fit_moctsvm_path", counted)
    rows = np.random.default_rng(0).normal(size=(120, 2))
    small(path_rows=20, n_folds=2).fit(rows, np.arange(120) % 2)
    assert np.array(sizes) == pytest.approx(np.array([[20, 60.0, 30.0, 30.0]] * 4))


def test_a_row_twice_is_a_row_of_weight_two(model):
    """In the folds and in the scores as well."""
    y = labels_for(model)
    twice = clone(model).fit(np.vstack([X, X[:5]]), [*y, *y[:5]])
    weighted = model.fit(X, y, np.r_[np.full(5, 2.0), np.ones(len(Y) - 5)])
    np.testing.assert_array_equal(
        twice.cv_results_["mean_test_score"], weighted.cv_results_["mean_test_score"]
    )
    assert twice.tree_ == weighted.tree_


def test_scores_are_in_the_prices_of_errors():
    """Without a split, the dear class is predicted and every row of the other one costs 1."""
    labels = ["ill"] * 10 + ["well"] * 20
    model = small(c3=1e6, error_costs={"ill": {"well": 3.0}}).fit(np.arange(30.0)[:, None], labels)
    assert model.tree_.n_splits == 0
    assert model.best_score_ == pytest.approx(1 - 20 / 30)


@pytest.mark.parametrize("time_limit", [0, 0.3])
def test_a_time_limit_ends_the_choice_and_the_fit(time_limit):
    """There is a tree whatever the time, and it is said that the choice was cut short."""
    rng = np.random.default_rng(0)
    model = small(time_limit=time_limit, path_iter=10_000, max_iter=10_000).fit(
        rng.normal(size=(150, 4)), rng.integers(0, 3, 150)
    )
    assert not model.choice_is_complete_
    assert model.result_.seconds < time_limit + 1.0
    assert model.result_.limit == "time"


def test_every_kind_ends_with_its_time(model):
    """Without any, there is a tree, and it is said that the choice was cut short."""
    model.set_params(time_limit=0).fit(X, labels_for(model))
    assert not model.choice_is_complete_
    assert len(model.predict(X)) == len(X)


@pytest.mark.parametrize("n_paths", [0, 3, 5])
def test_an_interrupted_choice_uses_the_folds_that_are_done(monkeypatch, n_paths):
    """Ctrl-C gives the best tree so far, as everywhere."""
    paths = []

    def interrupted(*args):
        if len(paths) == n_paths:
            raise KeyboardInterrupt
        paths.append(args)
        return properly(*args)

    properly = moctsvm_cv.fit_moctsvm_path
    monkeypatch.setattr(moctsvm_cv, "fit_moctsvm_path", interrupted)
    model = small().fit(X, Y)
    n_folds = n_paths // 2
    assert sum(name.startswith("split") for name in model.cv_results_) == n_folds
    assert model.result_.reason is Reason.INTERRUPTED
    assert not model.choice_is_complete_
    assert (model.tree_.n_splits > 0) == (n_folds > 0)


def test_copies_and_model_files(fitted):
    """A model file holds what was chosen; a pickle holds everything."""
    copy = pickle.loads(pickle.dumps(fitted))
    assert copy.best_params_ == fitted.best_params_
    assert copy.tree_ == fitted.tree_
    read = from_json(to_json(fitted))
    assert read.tree_ == fitted.tree_
    assert {name: getattr(read, name) for name in fitted.best_params_} == fitted.best_params_
    assert export_text(read) == export_text(fitted)
    assert clone(fitted).get_params() == fitted.get_params()


def test_it_takes_tables_too():
    """Behind the encoder, and in its model file."""
    rows, labels = [["red"], ["blue"]] * 6, ["warm", "cold"] * 6
    rows = [[*row, k % 5] for k, row in enumerate(rows)]
    model = make_table_classifier(small(n_folds=2)).fit(rows, labels)
    assert from_json(to_json(model)).predict([["red", 1]]) == model.predict([["red", 1]]) == "warm"


@pytest.mark.parametrize(
    ("params", "named"),
    [
        ({"c1": ()}, "c1"),
        ({"c1": [[1.0], [3.0, 4.0]]}, "c1 must be a value or a list"),
        ({"c2": ("dear",)}, "c2"),
        ({"c3": (-1.0,)}, "c3"),
        ({"max_depth": (1.5,)}, "max_depth"),
        ({"max_depth": (0, 2)}, "depth"),
        ({"max_depth": (1, 11)}, "depth"),
        ({"n_folds": 1}, "n_folds"),
        ({"path_iter": 0}, "path_iter"),
    ],
)
def test_nonsense_is_refused(params, named):
    """The message names the parameter."""
    with pytest.raises(ValueError, match=named):
        small(**params).fit(X, Y)


def test_a_solver_that_is_missing_is_missed_before_the_choice(monkeypatch):
    """Nobody waits for a choice whose tree cannot be fitted."""
    monkeypatch.setattr(moctsvm_cv, "fit_moctsvm_path", None)
    with pytest.raises(SolverMissingError, match="guess"):
        small(method="exact", solver="guess").fit(X, Y)


def test_a_row_of_each_class_is_too_little():
    """There is nothing to leave out."""
    with pytest.raises(InvalidInputError, match="two different rows of some class"):
        small().fit([[0.0], [1.0]], ["a", "b"])


def test_progress_is_printed(capsys):
    """A line for every path."""
    small(verbose=1).fit(X, Y)
    lines = capsys.readouterr().out.splitlines()
    assert sum("best score" in line for line in lines) == 3 * 2
    assert "fold 1 of 3  depth 1" in lines[0]
