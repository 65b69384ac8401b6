"""Classifiers in every space: what they predict, save and refuse, and the machines they equal."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.svm import SVC

from margintree import (
    ClassTreeClassifier,
    InvalidInputError,
    MOCTSVMClassifier,
    OCTSVMClassifier,
    TreeClassifierCV,
    export_dot,
    export_text,
    from_json,
    make_table_classifier,
    plot_tree,
    to_json,
    to_onnx,
    to_sql,
)
from margintree.core.learnt_space import MAX_COLUMNS, SPACES
from margintree.show.plot import plot_partition
from runners import RUNNERS

KERNELS = ("rbf", "polynomial")
QUICK = {"max_iter": 3}


@pytest.fixture(scope="module")
def wine():
    """Return three columns of wine and their labels."""
    data = load_wine(as_frame=True)
    return data.data[["alcohol", "hue", "flavanoids"]], data.target_names[data.target]


@pytest.fixture(scope="module", params=SPACES)
def curved(request, wine):
    """Return a class tree of wine in each space, and the rows."""
    return ClassTreeClassifier(C=10.0, space=request.param).fit(*wine), wine[0]


def test_fitted_trees_are_over_terms(curved):
    """No mix is left, largest weights are positive, and the cost is that of the space."""
    model, X = curved
    assert model.tree_.scaling.mix is None
    assert model.tree_ == model.tree_.upright()
    problem = model.problem_of(X, model.predict(X))
    assert model.tree_.n_features == problem.scaling.n_terms
    assert model.n_features_in_ == 3


def test_exports_agree_with_predict(curved):
    """On all rows and on rows around them; in SQL and ONNX if the splits are over columns."""
    model, X = curved
    around = np.random.default_rng(0).normal(X.mean(), 2 * X.std(), (60, 3))
    frame = pd.concat([X, pd.DataFrame(around, columns=X.columns)])
    runners = [*RUNNERS] if model.space not in KERNELS else ["python"]
    for name in runners:
        labels, shares = RUNNERS[name](model, frame)
        assert labels == model.predict(frame).tolist()
        np.testing.assert_allclose(shares, model.predict_proba(frame), atol=1e-6)
    again = from_json(to_json(model))
    assert again.tree_ == model.tree_
    assert again.space == model.space
    assert (again.predict(frame) == model.predict(frame)).all()


@pytest.mark.parametrize("export", [export_text, export_dot, plot_tree, to_sql, to_onnx])
def test_what_cannot_tell_of_likeness_says_so(curved, export):
    """And names the exports that can."""
    model, _ = curved
    if model.space not in KERNELS:
        assert export(model)
        return
    with pytest.raises(InvalidInputError, match=r"likeness to training rows.*to_python or to_json"):
        export(model)


def test_partitions_show_every_space(curved):
    """With the names of columns on the axes, the main ones by default."""
    model, X = curved
    ax = plot_partition(model, X, model.predict(X))
    assert {ax.get_xlabel(), ax.get_ylabel()} < {*X.columns}
    assert ax.collections


def test_importances_belong_to_columns(curved):
    """Products count for both of theirs; kernels have none."""
    model, _ = curved
    if model.space in KERNELS:
        assert not hasattr(model, "feature_importances_")
    else:
        assert model.feature_importances_.shape == (3,)
        assert model.feature_importances_.sum() == pytest.approx(1.0)


def test_whitened_texts_speak_of_columns(wine):
    """A whitened split is a sum of columns, so nothing of the mix is seen."""
    text = export_text(ClassTreeClassifier(C=10.0, space="whitened").fit(*wine))
    assert "alcohol *" in text
    assert "squared" not in text


@pytest.mark.parametrize("C", [1.0, 1e4])
def test_two_classes_and_rbf_are_scikit_learns_machine(C):
    """The values of SVC with the same gamma: a class tree at any cost."""
    X, y = two_classes()
    model = ClassTreeClassifier(C=C, space="rbf").fit(X, y)
    np.testing.assert_allclose(
        model.split_values(X)[:, 0], machine_values(model, X, y, C), atol=2e-3
    )


def test_a_stump_of_dear_violations_is_scikit_learns_machine():
    """MOCTSVM of depth 1 where no error and no violation is worth its price."""
    X, y = two_classes()
    model = MOCTSVMClassifier(max_depth=1, c1=1e6, c2=1e5, c3=0.0, space="rbf").fit(X, y)
    assert model.cost_.violations == pytest.approx(0, abs=1e-3)
    values = machine_values(model, X, y, 1e5)
    found = model.split_values(X)[:, 0]
    sign = np.sign(found @ values)
    np.testing.assert_allclose(sign * found, values, atol=2e-3)


def two_classes():
    """Return iris flowers of two classes that no straight split parts, but a radial one does."""
    X, y = load_iris(return_X_y=True)
    keep = (y > 0) & (np.arange(len(y)) % 2 == 0)
    rows, first = np.unique(X[keep], axis=0, return_index=True)
    return rows, y[keep][first]


def machine_values(model, X, y, C):
    scaling = model.tree_.scaling
    scaled = (X - scaling.minimum) / scaling.span
    svc = SVC(kernel="rbf", C=C, gamma=scaling.likeness.gamma, tol=1e-8).fit(scaled, y)
    values = svc.decision_function(scaled)
    return values * np.sign(values @ model.split_values(X)[:, 0])


@pytest.mark.parametrize("space", SPACES)
def test_margin_classifiers_take_every_space(space, wine):
    """MOCTSVM and OCTSVM; the judge prices the tree in its space as the fit did."""
    X, y = wine
    two = y != "class_2"
    for kind, rows in ((MOCTSVMClassifier, slice(None)), (OCTSVMClassifier, two)):
        model = kind(max_depth=2, space=space, **QUICK).fit(X[rows], y[rows])
        problem = model.problem_of(X[rows], y[rows])
        cost = model._method.judge(problem, model.tree_.rescaled(problem.scaling))
        assert cost.total == pytest.approx(model.objective_, rel=1e-6)
        assert model.score(X[rows], y[rows]) > 0.85


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("kind", [ClassTreeClassifier, MOCTSVMClassifier, OCTSVMClassifier])
def test_a_constant_column_never_matters(space, kind, wine):
    """Not even if it varies in new rows; exports agree."""
    options = {} if kind is ClassTreeClassifier else {"max_depth": 2, **QUICK}
    X, y = wine[0].assign(year=1991.3), wine[1] == "class_1"
    model = kind(space=space, **options).fit(X, y)
    later = X.assign(year=np.random.default_rng(0).normal(1991, 100, len(X)))
    np.testing.assert_array_equal(model.predict(later), model.predict(X))
    if space not in KERNELS:
        assert "year" not in export_text(model)
    for name in RUNNERS if space not in KERNELS else ["python"]:
        assert RUNNERS[name](model, later)[0] == model.predict(X).tolist()
    np.testing.assert_array_equal(from_json(to_json(model)).predict(later), model.predict(X))


@pytest.mark.parametrize("space", ["whitened", "rbf"])
def test_a_fitted_tree_starts_the_next_fit(space, wine):
    """It returns to the space of the problem; a tree of other rows of a kernel is refused."""
    X, y = wine
    first = MOCTSVMClassifier(max_depth=2, space=space, **QUICK).fit(X, y)
    again = MOCTSVMClassifier(max_depth=2, space=space, max_iter=1, start=first).fit(X, y)
    assert again.objective_ <= first.objective_ * (1 + 1e-6)
    again.set_params(start=None, warm_start=True).fit(X, y)
    assert again.objective_ <= first.objective_ * (1 + 1e-6)
    fewer = MOCTSVMClassifier(max_depth=2, space=space, start=first, **QUICK)
    if space == "rbf":
        with pytest.raises(InvalidInputError, match="likeness to rows"):
            fewer.fit(X[::2], y[::2])
    else:
        assert fewer.fit(X[::2], y[::2]).score(X, y) > 0.8


def test_a_checkpoint_continues_in_its_space(tmp_path, wine):
    """The file holds the tree over terms, and the solve gets it back in its space."""
    X, y = wine
    X, y = X[y != "class_2"][::6], y[y != "class_2"][::6]
    given = {"max_depth": 1, "method": "exact", "checkpoint": tmp_path / "c.json"}
    first = MOCTSVMClassifier(space="rbf", **given).fit(X, y)
    assert "likeness" in json.loads((tmp_path / "c.json").read_text())["tree"]["scaling"]
    again = MOCTSVMClassifier(space="rbf", **given).fit(X, y)
    assert again.objective_ == pytest.approx(first.objective_, rel=1e-6)
    with pytest.raises(InvalidInputError, match="other rows, costs or depth"):
        MOCTSVMClassifier(space="whitened", **given).fit(X, y)


def test_the_space_is_chosen_by_folds(wine):
    """One path per space; the chosen tree is over terms, too."""
    X, y = wine
    candidates = {"space": ["whitened", "rbf"], "C": [1.0, 100.0]}
    model = TreeClassifierCV(ClassTreeClassifier(), candidates, cv=3).fit(X, y)
    assert model.tree_.scaling.mix is None
    assert model.best_estimator_.space == model.best_params_["space"]
    assert model.score(X, y) > 0.9


@pytest.mark.parametrize("n_columns", [MAX_COLUMNS, MAX_COLUMNS + 1])
def test_what_is_tried_by_default_can_be_posed(n_columns):
    """Products are tried for as many columns as a quadratic space takes, and for no more."""
    X = np.random.default_rng(0).normal(size=(30, n_columns))
    model = TreeClassifierCV(ClassTreeClassifier(), {"C": 1.0}, cv=2).fit(X, X[:, 0] > 0)
    has_products = "quadratic" in model.cv_results_["param_space"]
    assert has_products == (n_columns == MAX_COLUMNS)
    if not has_products:
        with pytest.raises(InvalidInputError, match="Use fewer columns, or space='box'"):
            ClassTreeClassifier(space="quadratic").fit(X, X[:, 0] > 0)


def test_a_path_of_the_last_fit_stays_in_the_chosen_space(wine):
    """So the other spaces take none of its time, and the tree is as good as its score."""
    X, y = wine
    candidates = {"max_depth": 2, "c1": [10.0], "c2": 1.0, "space": ["box", "rbf"]}
    estimator = MOCTSVMClassifier(max_iter=10)
    model = TreeClassifierCV(estimator, candidates, cv=3, last_fit="path", time_limit=10)
    assert model.fit(X, y).score(X, y) > model.best_score_ - 0.05


def test_candidates_may_be_arrays():
    """The chosen combination is found among the others, whatever its values are."""
    X = np.random.default_rng(0).normal(size=(60, 3))
    prices = [np.full(3, 100.0), np.full(3, 0.01)]
    candidates = {"max_depth": 1, "c1": 10.0, "c2": 1.0, "feature_costs": prices}
    estimator = MOCTSVMClassifier(c4=3.0, max_iter=2)
    model = TreeClassifierCV(estimator, candidates, cv=3, last_fit="path").fit(X, X[:, 0] > 0)
    assert model.best_params_["feature_costs"] is prices[1]
    candidates |= {"max_features_per_split": [1, 3]}
    model = TreeClassifierCV(estimator, candidates, cv=3, last_fit="path").fit(X, X[:, 0] > 0)
    for copied in (model, pickle.loads(pickle.dumps(model))):
        assert [stop.model.max_features_per_split for stop in copied.stops_] == [3, 1]
        assert copied.stops_[1].name == "1 feature per split, price 3"


@pytest.mark.parametrize("rounds", [{"points": 10}, {"rounding": 0.01}])
def test_points_need_the_box(rounds, wine):
    """The message says which space to use."""
    with pytest.raises(InvalidInputError, match=r"points and rounding need space='box'.*rbf"):
        MOCTSVMClassifier(space="rbf", **rounds).fit(*wine)


def test_unknown_spaces_are_refused(wine):
    """By scikit-learn's check of parameters, with the spaces in their order."""
    with pytest.raises(ValueError, match=r"must be a str among \{'box', 'whitened', 'q"):
        MOCTSVMClassifier(space="round").fit(*wine)


@pytest.mark.parametrize("space", SPACES)
def test_tables_have_every_space(space):
    """Texts become conditions before the space is learnt; budgets may count products."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"island": rng.choice(list("abc"), 60), "size": rng.normal(size=60)})
    y = np.where((table["island"] == "a") ^ (table["size"] > 0), "yes", "no")
    budget = {"max_features_per_split": 2} if space in ("box", "quadratic") else {}
    plain = MOCTSVMClassifier(max_depth=2, space=space, **QUICK, **budget)
    model = make_table_classifier(plain).fit(table, y)
    assert RUNNERS["python"](model, table)[0] == model.predict(table).tolist()
