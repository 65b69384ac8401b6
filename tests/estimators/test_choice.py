"""Parameters chosen by cross-validation, for any of our classifiers."""

import pickle
import re
from dataclasses import replace

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, f1_score, make_scorer
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from margintree import (
    CARTClassifier,
    ClassTreeClassifier,
    MOCTSVMClassifier,
    MOCTSVMClassifierCV,
    OCTClassifier,
    OCTHClassifier,
    OCTSVMClassifier,
    TreeClassifierCV,
    export_text,
    from_json,
    make_table_classifier,
    to_json,
)
from margintree._lib.exceptions import InvalidInputError, SolverMissingError
from margintree.core.limits import Limits
from margintree.core.problem import Problem
from margintree.core.result import Reason
from margintree.estimators import ESTIMATORS, _plain, choice
from margintree.methods import choose, moctsvm
from margintree.methods.scoring import nearness

IRIS = load_iris()
X, Y = IRIS.data[::3, 2:], IRIS.target_names[IRIS.target[::3]]
AXES = {"max_depth": [1, 2], "c1": [0.01, 10.0], "c2": [1.0, 10.0], "c3": 0.1}


def small(axes=None, plain=None, **params):
    """Return an unfitted MOCTSVMClassifierCV with few combinations and short searches."""
    plain = {"max_iter": 5} | (plain or {})
    given = {"cv": 3, "path_iter": 2} | params
    return MOCTSVMClassifierCV(MOCTSVMClassifier(**plain), AXES | (axes or {}), **given)


@pytest.fixture(scope="module")
def fitted():
    return small().fit(X, Y)


MODELS = {
    "MOCTSVM": small(),
    "CART": TreeClassifierCV(CARTClassifier(), {"max_splits": [0, 1, 2, 7]}, cv=3),
    "class tree": TreeClassifierCV(
        ClassTreeClassifier(), {"max_depth": 2, "C": [1e-3, 10.0]}, cv=3
    ),
    "OCT": TreeClassifierCV(OCTClassifier(), {"max_depth": 2, "max_splits": [1, 2]}, cv=3),
    "OCT-H": TreeClassifierCV(
        OCTHClassifier(), {"max_depth": [1, 2], "alpha": [0.01, 10.0]}, cv=3, path_iter=2
    ),
    "OCTSVM": TreeClassifierCV(
        OCTSVMClassifier(max_iter=5), {"max_depth": [1, 2], "c1": 10.0, "c2": [0.001, 10.0]}, cv=3
    ),
}


@pytest.fixture(params=MODELS)
def model(request):
    """Return an unfitted choice for a classifier of every kind."""
    return clone(MODELS[request.param])


def labels_for(model):
    """Return the species, or whether it is setosa where a classifier takes two classes."""
    return Y if get_tags(model).classifier_tags.multi_class else np.where(Y == "setosa", Y, "other")


def scores(model):
    return model.cv_results_["mean_test_score"]


@parametrize_with_checks(
    [
        MOCTSVMClassifierCV(
            candidates={"max_depth": 2, "c1": [1.0, 10.0], "c2": 1.0}, cv=2, path_iter=1
        ),
        TreeClassifierCV(candidates=[{"c1": 1.0}, {"c1": 10.0}], cv=2, path_iter=1),
        TreeClassifierCV(CARTClassifier(), cv=2),
        TreeClassifierCV(OCTClassifier(), {"max_depth": 2, "max_splits": [1, 2]}, cv=2),
        TreeClassifierCV(
            OCTHClassifier(max_iter=2), {"alpha": [0.01, 1.0], "max_depth": 2}, cv=2, path_iter=1
        ),
        TreeClassifierCV(
            OCTSVMClassifier(),
            {"max_depth": 2, "c1": [1.0, 10.0], "c2": 10.0},
            cv=2,
            path_iter=1,
        ),
    ]
)
def test_scikit_learn_checks(estimator, check):
    """Every check of scikit-learn passes."""
    check(estimator)


def test_a_choice_is_tested_for_every_classifier():
    """A new classifier must be added above."""
    assert {type(model._plain()).__name__ for model in MODELS.values()} == {*ESTIMATORS}


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
    for name in AXES:
        assert table[f"param_{name}"].tolist() == [point[name] for point in table["params"]]
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
    np.testing.assert_array_equal(best.predict(X), fitted.predict(X))


def usual_points(model):
    """Return what a model tries on three classes and the features of X."""
    model.n_features_in_ = X.shape[1]
    return model._points(3)


def test_the_short_name_is_the_same_class_with_another_name():
    """Both have one signature; without a classifier, depth and costs of MOCTSVM are chosen."""
    assert MOCTSVMClassifierCV().get_params() == TreeClassifierCV().get_params()
    usual = usual_points(MOCTSVMClassifierCV())
    assert usual == usual_points(TreeClassifierCV(MOCTSVMClassifier()))
    assert len(usual) == 3 * 2 * 4
    assert {point["max_depth"] for point in usual} == {2, 3, 5}
    assert (
        small().fit(X, Y).tree_
        == TreeClassifierCV(**small().get_params(deep=False)).fit(X, Y).tree_
    )


@pytest.mark.parametrize("change", ["again", "order"])
def test_the_same_rows_give_the_same_choice(fitted, change):
    """The order of the rows does not matter."""
    order = np.random.default_rng(0).permutation(len(Y)) if change == "order" else slice(None)
    other = small().fit(X[order], Y[order])
    np.testing.assert_array_equal(scores(other), scores(fitted))
    assert other.tree_ == fitted.tree_


@pytest.mark.parametrize("n_jobs", [2, -1])
@pytest.mark.parametrize("last_fit", ["fresh", "path"])
def test_the_number_of_processes_changes_nothing(n_jobs, last_fit):
    """Scores and tree are those of one process."""
    one, many = (small(n_jobs=n, last_fit=last_fit).fit(X, Y) for n in (None, n_jobs))
    np.testing.assert_array_equal(scores(one), scores(many))
    assert one.tree_ == many.tree_


def test_every_kind_chooses_what_does_best(model):
    """Of several, with the fewest splits; the tree is one of the plain classifier."""
    y = labels_for(model)
    model.fit(X, y)
    splits = model.cv_results_["mean_splits"]
    best = scores(model) == scores(model).max()
    assert best[model.best_index_]
    assert splits[model.best_index_] == splits[best].min()
    assert model.best_score_ > 0.8
    assert model.choice_is_complete_
    found = model.best_estimator_
    assert type(found) is type(model.estimator)
    assert {name: getattr(found, name) for name in model.best_params_} == model.best_params_
    classes, codes = np.unique(y, return_inverse=True)
    rows = Problem.from_data(X, codes, n_classes=len(classes), depth=1)
    posed = found._method.pose(rows, **found._posing(classes, model._features()))
    cost = found._method.judge(posed, model.tree_.rescaled(posed.scaling))
    assert found.cost_.terms == pytest.approx(cost.terms)
    assert found.cost_.faults == cost.faults
    np.testing.assert_array_equal(from_json(to_json(model)).predict(X), model.predict(X))


def test_of_many_rows_a_sample_is_learnt_from(monkeypatch):
    """Its rows keep their weights, and every class has its share."""
    sizes = []

    def counted(method, rows, *args, **more):
        sizes.append((rows.n_rows, rows.row_weights.sum(), *rows.class_mass()))
        return properly(method, rows, *args, **more)

    properly = choose.path
    monkeypatch.setattr(choose, "path", counted)
    rows = np.random.default_rng(0).normal(size=(120, 2))
    small(path_rows=20, cv=2).fit(rows, np.arange(120) % 2)
    assert np.array(sizes) == pytest.approx(np.array([[20, 20.0, 10.0, 10.0]] * 4))


def test_a_row_twice_is_a_row_of_weight_two(model):
    """In the folds and in the scores as well."""
    y = labels_for(model)
    twice = clone(model).fit(np.vstack([X, X[:5]]), [*y, *y[:5]])
    weighted = model.fit(X, y, np.r_[np.full(5, 2.0), np.ones(len(Y) - 5)])
    np.testing.assert_array_equal(scores(twice), scores(weighted))
    assert twice.tree_ == weighted.tree_


def test_class_weights_are_those_of_the_classifier():
    """They weigh rows in the search and in the scores, as sample weights do."""
    by_class = small(plain={"class_weight": {"setosa": 3.0}}).fit(X, Y)
    by_row = small().fit(X, Y, np.where(Y == "setosa", 3.0, 1.0))
    np.testing.assert_array_equal(scores(by_class), scores(by_row))
    assert by_class.tree_ == by_row.tree_
    assert by_class.class_weight == {"setosa": 3.0}


def test_scores_are_in_the_prices_of_errors():
    """Without a split, the dear class is predicted and every row of the other one costs 1."""
    labels = ["ill"] * 10 + ["well"] * 20
    model = small({"c3": 1e6}, {"error_costs": {"ill": {"well": 3.0}}})
    model.fit(np.arange(30.0)[:, None], labels)
    assert model.tree_.n_splits == 0
    assert model.best_score_ == pytest.approx(1 - 20 / 30)


DIVIDED = [*StratifiedKFold(3, shuffle=True, random_state=1).split(X, Y)]


@pytest.mark.parametrize(
    "cv", [StratifiedKFold(3, shuffle=True, random_state=1), DIVIDED, iter(DIVIDED)], ids=type
)
def test_folds_may_be_given(cv):
    """As a splitter of scikit-learn, and as pairs of row numbers; rows are tested as they are."""
    plain = CARTClassifier(2)
    model = TreeClassifierCV(plain, [{"max_splits": 0}, {"max_splits": 1}], cv=cv).fit(X, Y)
    table = model.cv_results_
    for k, (learn, test) in enumerate(DIVIDED):
        for place, n_splits in enumerate((0, 1)):
            tree = clone(plain).set_params(max_splits=n_splits).fit(X[learn], Y[learn])
            right = tree.score(X[test], Y[test])
            assert table[f"split{k}_test_score"][place] == pytest.approx(right)


def test_one_division_is_enough():
    """A set for validation is a list of one pair."""
    learn, test = np.arange(0, len(Y), 2), np.arange(1, len(Y), 2)
    model = small(cv=[(learn, test)]).fit(X, Y)
    assert "split0_test_score" in model.cv_results_
    assert "split1_test_score" not in model.cv_results_
    assert model.best_score_ == model.cv_results_["split0_test_score"][model.best_index_]


def test_the_usual_combination_is_kept_in_doubt():
    """It gives way where another is clearly better."""
    point = {"max_depth": 2, "c1": 10.0, "c2": 10.0, "c3": 0.1}
    kept = small(usual=point).fit(X, Y)
    assert kept.best_params_ == point
    poor = point | {"c1": 0.01}
    assert small(usual=poor).fit(X, Y).best_params_["c1"] == 10.0
    by_name = small(usual={"max_depth": 2, "c1": 10.0, "c2": 10.0}).fit(X, Y)
    assert by_name.best_params_ == point


def test_rows_near_a_split_may_count_in_part():
    """The score is the mean of `nearness` over the rows left out."""
    points = [{"max_depth": 2, "c1": 10.0, "c2": 1.0, "c3": 0.1}]
    model = TreeClassifierCV(candidates=points, cv=DIVIDED, scoring="nearness", path_iter=2)
    model.fit(X, Y)
    codes = np.unique(Y, return_inverse=True)[1]
    method, found = model._method, []
    for learn, test in DIVIDED:
        rows = Problem.from_data(X[learn], codes[learn], n_classes=3, depth=2)
        (result,) = choose.path(method, rows, points, Limits(iterations=2))
        found.append(nearness(method.pose(rows, **points[0]), result.tree, X[test], codes[test]))
    assert model.best_score_ == pytest.approx(np.concatenate(found).mean())
    plain = clone(model).set_params(scoring="accuracy").fit(X, Y)
    assert plain.best_score_ != model.best_score_


def by_splits(given):
    """Return a scorer that gives one value to trees with few splits and another to the others."""
    few, many = given
    return lambda estimator, *_: few if estimator.tree_.n_splits < 2 else many


def test_scores_that_are_no_numbers_are_told_of():
    """Their combinations are not chosen; a score that never is a number is an error."""
    points = [{"max_depth": 2, "c1": c1, "c2": 1.0, "c3": 0.1} for c1 in (0.01, 10.0)]
    options = {"candidates": points, "cv": DIVIDED, "path_iter": 2}
    partly = TreeClassifierCV(scoring=by_splits((np.nan, -5.0)), **options)
    with pytest.warns(UserWarning, match=r"NaN to 1 of 2 combinations.*Take another scoring"):
        assert partly.fit(X, Y).best_params_["c1"] == 10.0
    with pytest.raises(InvalidInputError, match="it gave NaN to all trees"):
        TreeClassifierCV(scoring=by_splits((np.nan, np.nan)), **options).fit(X, Y)


def test_the_last_fit_may_be_one_on_the_path():
    """It is the search of the chosen combination between all others of its depth."""
    model = small(last_fit="path").fit(X, Y)
    fresh = small().fit(X, Y)
    np.testing.assert_array_equal(scores(model), scores(fresh))
    assert model.best_params_ == fresh.best_params_
    codes = np.unique(Y, return_inverse=True)[1]
    rows = Problem.from_data(X, codes, n_classes=3, depth=1)
    points = [p for p in model.cv_results_["params"] if p["max_depth"] == model.tree_.depth]
    results = choose.path(model._method, rows, points, model.estimator._limits())
    assert model.tree_ == results[points.index(model.best_params_)].tree


def test_candidates_may_be_a_list_of_combinations():
    """They are tried as they are, in their order; the depth is the classifier's own."""
    points = [{"c1": 10.0, "c2": 1.0, "c3": 0.1}, {"c1": 0.01, "c2": 1.0, "c3": 0.1}]
    model = TreeClassifierCV(MOCTSVMClassifier(1), points, cv=2, path_iter=1)
    table = model.fit(X, Y == "setosa").cv_results_
    assert table["params"] == [{"max_depth": 1} | point for point in points]


@pytest.mark.parametrize("last_fit", ["fresh", "path"])
def test_prices_of_errors_may_be_chosen_too(last_fit):
    """As a dict by label they become a matrix, like those of a classifier."""
    labels = np.array(["ill", "ill", "ill", "well"] * 8)
    dear = {"error_costs": {"ill": {"well": 3.0}}}
    points = [{"error_costs": None}, dear]
    model = TreeClassifierCV(MOCTSVMClassifier(1, c3=1e6), points, cv=2, last_fit=last_fit)
    model.fit(np.zeros((32, 1)) + np.arange(32)[:, None], labels)
    assert scores(model).tolist() == pytest.approx([0.75, 0.75])
    assert model.best_params_ == {"max_depth": 1, "error_costs": None}


def test_rules_may_be_chosen_too():
    """Any parameter that poses the problem: here the least weight of a leaf."""
    axes = {"max_splits": 3, "min_samples_leaf": [0.0, 0.45]}
    model = TreeClassifierCV(CARTClassifier(2), axes, cv=3).fit(X, Y)
    assert model.best_params_ == {"max_depth": 3, "max_splits": 3, "min_samples_leaf": 0.0}


@pytest.mark.parametrize("time_limit", [0, 0.3])
def test_a_time_limit_ends_the_choice_and_the_fit(time_limit):
    """There is a tree whatever the time, and it is said that the choice was cut short."""
    rng = np.random.default_rng(0)
    model = small(plain={"max_iter": 10_000}, time_limit=time_limit, path_iter=10_000).fit(
        rng.normal(size=(150, 4)), rng.integers(0, 3, 150)
    )
    assert not model.choice_is_complete_
    assert model.result_.seconds < time_limit + 1.0
    assert model.result_.limit == "time"


def test_the_time_limit_of_the_classifier_is_one_on_the_last_fit():
    """The choice runs its course, and the last fit has no time."""
    model = small(plain={"time_limit": 0}).fit(X, Y)
    assert model.choice_is_complete_
    assert model.result_.limit == "time" or model.optimal_


def test_every_kind_ends_with_its_time(model):
    """Without any, there is a tree, and it is said that the choice was cut short."""
    model.set_params(time_limit=0).fit(X, labels_for(model))
    assert not model.choice_is_complete_
    assert len(model.predict(X)) == len(X)


@pytest.mark.parametrize("n_paths", [0, 3, 5])
def test_an_interrupted_choice_uses_the_folds_that_are_done(monkeypatch, n_paths):
    """Ctrl-C gives the best tree so far, as everywhere."""
    paths = []

    def interrupted(*args, **more):
        if len(paths) == n_paths:
            raise KeyboardInterrupt
        paths.append(args)
        return properly(*args, **more)

    properly = choose.path
    monkeypatch.setattr(choose, "path", interrupted)
    model = small().fit(X, Y)
    n_folds = n_paths // 2
    assert sum(name.startswith("split") for name in model.cv_results_) == n_folds
    assert model.result_.reason is Reason.INTERRUPTED
    assert not model.choice_is_complete_
    assert (model.tree_.n_splits > 0) == (n_folds > 0)  # with the first costs splits do not pay


def test_a_choice_that_is_interrupted_before_it_knows_a_tree_looks_for_one(monkeypatch):
    """For a moment, at the first costs."""

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(choose, "path", interrupted)
    model = MOCTSVMClassifierCV(candidates={"max_depth": [2], "c1": [10.0, 100.0], "c3": 1.0})
    assert model.fit(X, Y).score(X, Y) > 0.9
    assert model.best_params_["c1"] == 10.0
    assert model.result_.reason is Reason.INTERRUPTED
    assert model.result_.seconds < 2 * choice.FIRST_TREE


def test_copies_and_model_files(fitted):
    """A model file holds what was chosen; a pickle holds everything."""
    copy = pickle.loads(pickle.dumps(fitted))
    assert copy.best_params_ == fitted.best_params_
    assert copy.tree_ == fitted.tree_
    read = from_json(to_json(fitted))
    assert read.tree_ == fitted.tree_
    assert {name: getattr(read, name) for name in fitted.best_params_} == fitted.best_params_
    assert export_text(read) == export_text(fitted)
    copied = clone(fitted).get_params()
    assert {**copied, "estimator": 0} == {**fitted.get_params(), "estimator": 0}
    assert not hasattr(clone(fitted), "result_")


def test_parameters_of_the_classifier_are_reached_through_the_choice():
    """As in scikit-learn's searches."""
    model = small().set_params(estimator__random_state=3, estimator__margin_term="plain")
    best = model.fit(X, Y).best_estimator_
    assert (best.random_state, best.margin_term) == (3, "plain")


def test_it_takes_tables_too():
    """Behind the encoder, and in its model file."""
    rows, labels = [["red"], ["blue"]] * 6, ["warm", "cold"] * 6
    rows = [[*row, k % 5] for k, row in enumerate(rows)]
    model = make_table_classifier(small(cv=2)).fit(rows, labels)
    assert from_json(to_json(model)).predict([["red", 1]]) == model.predict([["red", 1]]) == "warm"


@pytest.mark.parametrize(
    ("axes", "named"),
    [
        ({"c1": []}, r"list of values to choose from for c1; \[\] was given\. Give"),
        ({"c1": [[1.0], [3.0, 4.0]]}, r"'c1'.*\[1.0\]"),
        ({"c2": ["dear"]}, "'c2'.*'dear'"),
        ({"c3": [-1.0]}, "'c3'.*-1.0"),
        ({"max_depth": [1.5]}, "'max_depth'.*1.5"),
        ({"max_depth": [0, 2]}, "'max_depth'.*0"),
        ({"max_depth": [1, 11]}, "'max_depth'.*11"),
        ({"c9": [1.0]}, "max_depth, c1, c2.*'c9' was given"),
        ({"max_iter": [1]}, "'max_iter' was given.*the classifier itself"),
    ],
)
def test_bad_candidates_are_refused(axes, named):
    """The message says what is wrong, what is allowed and what was given."""
    with pytest.raises(ValueError, match=named):
        small(axes).fit(X, Y)


@pytest.mark.parametrize(
    ("params", "named"),
    [
        ({"candidates": 3}, "'candidates'"),
        ({"candidates": []}, "candidates must"),
        ({"candidates": [3]}, "candidates must"),
        ({"candidates": [{"c1": 1.0}, {"c2": 1.0}]}, "candidates must"),
        ({"cv": 1}, "'cv'"),
        ({"cv": "many"}, "'cv'"),
        ({"estimator": LogisticRegression()}, "'estimator'"),
        ({"scoring": 3}, "'scoring'"),
        ({"usual": {"c1": 5.0}}, r"usual must be one of the combinations.*\{'c1': 5.0\} was given"),
        ({"path_iter": 0}, "'path_iter'"),
        ({"path_rows": 0}, "'path_rows'"),
        ({"last_fit": "none"}, "'last_fit'"),
        ({"time_limit": -1}, "'time_limit'"),
        ({"n_jobs": 0}, "n_jobs"),
    ],
)
def test_nonsense_is_refused(params, named):
    """The message names the parameter."""
    with pytest.raises(ValueError, match=named):
        small().set_params(**params).fit(X, Y)


@pytest.mark.parametrize(
    ("plain", "named"),
    [
        ({"method": "guess"}, "'method'"),
        ({"margin_term": "cubic"}, "'margin_term'"),
        ({"memory_limit": -1}, "'memory_limit'"),
        ({"gap": 2.0}, "'gap'"),
    ],
)
def test_nonsense_in_the_classifier_is_refused_before_the_choice(plain, named, monkeypatch):
    """The message is the one of the classifier."""
    monkeypatch.setattr(choose, "path", None)
    with pytest.raises(ValueError, match=f"{named} parameter of MOCTSVMClassifier"):
        small(plain=plain).fit(X, Y)


def test_a_solver_that_is_missing_is_missed_before_the_choice(monkeypatch):
    """Nobody waits for a choice whose tree cannot be fitted."""
    monkeypatch.setattr(choose, "path", None)
    with pytest.raises(SolverMissingError, match="guess"):
        small(plain={"method": "exact", "solver": "guess"}).fit(X, Y)


def test_the_last_fit_may_be_exact():
    """The choice is searched all the same, and the tree is proved."""
    axes = {"max_depth": 1, "c1": [0.01, 10.0], "c2": 1.0, "c3": 0.1}
    rows, labels = np.arange(8.0)[:, None], [0] * 4 + [1] * 4
    model = TreeClassifierCV(MOCTSVMClassifier(method="exact"), axes, cv=2).fit(rows, labels)
    assert model.optimal_
    assert model.best_params_["c1"] == 10.0


def test_more_classes_than_a_method_takes_are_refused():
    """Before anything is fitted; the message names the classifier that takes them."""
    with pytest.raises(InvalidInputError, match=r"3 classes were given\. Use MOCTSVMClassifier"):
        TreeClassifierCV(OCTSVMClassifier()).fit(X, Y)


def test_a_row_of_each_class_is_too_little():
    """There is nothing to leave out."""
    with pytest.raises(InvalidInputError, match="two different rows of some class"):
        small().fit([[0.0], [1.0]], ["a", "b"])


def test_progress_is_printed_or_told(capsys):
    """A line for every path; a callable gets the same lines."""
    small(verbose=1).fit(X, Y)
    lines = capsys.readouterr().out.splitlines()
    assert sum("best on a fold" in line for line in lines) == 3 * 2
    assert "1 of 6 searches done, about " in lines[0]
    assert "(fold 1 of 3, depth 1)" in lines[0]
    told = []
    small(verbose=told.append).fit(X, Y)
    assert capsys.readouterr().out == ""
    printed = [line.split("margintree")[-1].split(" s  ")[-1] for line in lines]
    # The seconds that are left differ from run to run.
    assert [re.sub(r"about \d+", "", line) for line in printed] == [
        re.sub(r"about \d+", "", line) for line in told
    ]


@pytest.mark.parametrize(
    ("cv", "message"),
    [
        ([], "0 pairs were given"),
        ([(range(4), [])], "positive weight"),
        ([(range(4), [999])], "taking rows by them failed"),
    ],
)
def test_divisions_of_no_use_are_refused(cv, message):
    """No pairs, a side without rows, and rows that are not there."""
    divisions = [(np.array(learn), np.array(test, dtype=int)) for learn, test in cv]
    with pytest.raises(InvalidInputError, match=message):
        TreeClassifierCV(CARTClassifier(), cv=divisions).fit(X, Y)


def test_values_keep_their_types():
    """An integer weight of a leaf and a share are two things; a matrix is one value."""
    axes = {"max_depth": 2, "min_samples_leaf": [2, 0.1], "max_splits": 1}
    chosen = TreeClassifierCV(CARTClassifier(), axes, cv=3).fit(X, Y)
    tried = [point["min_samples_leaf"] for point in chosen.cv_results_["params"]]
    assert [type(value) for value in tried] == [int, float]


def test_a_path_for_the_last_fit_obeys_the_time_limit():
    """Without time every point of the path gets a known tree."""
    model = TreeClassifierCV(MOCTSVMClassifier(), cv=2, last_fit="path", time_limit=0.0).fit(X, Y)
    assert model.result_.limit == "time"


def test_any_scorer_of_scikit_learn_compares_candidates():
    """By name, as a scorer or as a callable: the score of the predictions for rows left out."""
    points = [{"max_depth": 2, "c1": 10.0, "c2": 1.0, "c3": c3} for c3 in (0.1, 1e6)]
    rare = np.where(np.arange(len(Y)) < 12, "few", "many")
    rows = X + 0.3 * np.random.default_rng(0).normal(size=X.shape)
    by_name = TreeClassifierCV(candidates=points, cv=DIVIDED, scoring="balanced_accuracy")
    by_name.fit(rows, rare)
    expected = []
    for learn, test in DIVIDED:
        tree = MOCTSVMClassifier(**points[1]).fit(rows[learn], rare[learn])
        expected.append(balanced_accuracy_score(rare[test], tree.predict(rows[test])))
    table = by_name.cv_results_
    folds = [table[f"split{k}_test_score"][1] for k in range(len(DIVIDED))]
    np.testing.assert_allclose(folds, expected)
    for scoring, n_jobs in ((make_scorer(balanced_accuracy_score), 2), (_balanced, 1)):
        other = clone(by_name).set_params(scoring=scoring, n_jobs=n_jobs).fit(rows, rare)
        np.testing.assert_array_equal(scores(other), scores(by_name))


def _balanced(estimator, X, y):
    return balanced_accuracy_score(y, estimator.predict(X))


def test_a_score_may_need_probabilities_and_be_negative():
    """The best log loss is the one closest to 0."""
    plain = MOCTSVMClassifier(max_depth=2, smoothing=1.0)
    points = [{"c1": 10.0, "c2": 1.0, "c3": c3} for c3 in (1e6, 0.1)]
    model = TreeClassifierCV(plain, points, cv=3, scoring="neg_log_loss").fit(X, Y)
    assert model.best_params_["c3"] == 0.1
    assert scores(model).max() < 0


def test_scores_of_scikit_learn_weigh_rows_but_not_classes():
    """Balanced class weights change the tree, not what its score means."""
    weights = np.where(np.arange(len(Y)) % 3, 1.0, 2.0)
    points = [{"max_depth": 1, "c1": 10.0, "c2": 1.0, "c3": 1e6}]
    labels = np.where(Y == "setosa", "rare", "common")
    model = TreeClassifierCV(
        MOCTSVMClassifier(class_weight={"rare": 10.0}), points, cv=DIVIDED, scoring="f1_macro"
    ).fit(X, labels, weights)
    expected = [
        f1_score(labels[test], ["rare"] * len(test), average="macro", sample_weight=weights[test])
        for _, test in DIVIDED
    ]
    table = model.cv_results_
    np.testing.assert_allclose([table[f"split{k}_test_score"][0] for k in range(3)], expected)


def test_an_unknown_score_is_refused():
    """The message says where the names are listed."""
    with pytest.raises(InvalidInputError, match="get_scorer_names"):
        small(scoring="nicest").fit(X, Y)


def test_a_choice_may_take_rounds():
    """Later rounds compare the better third on more rows, and on all folds only at last."""
    many = np.random.default_rng(0).normal(size=(200, 2))
    labels = (many[:, 0] * many[:, 1] > 0).astype(int)
    axes = {"max_depth": [1, 2], "c1": [0.01, 1.0, 10.0], "c2": [0.1, 1.0], "c3": 0.1}
    model = small(axes, path_rows=(40, 80, None, 500), cv=4).fit(many, labels)
    table = model.cv_results_
    assert np.bincount(table["iter"]).tolist() == [12, 4, 4]
    last = table["iter"] == 2
    assert table["iter"][model.best_index_] == 2
    assert table["rank_test_score"][model.best_index_] == 1
    assert table["mean_test_score"][model.best_index_] == table["mean_test_score"][last].max()
    assert table["params"][model.best_index_] == model.best_params_
    assert np.isnan(table["split2_test_score"]).tolist() == (~last).tolist()
    again = clone(model).set_params(n_jobs=2).fit(many, labels)
    assert again.tree_ == model.tree_


def test_a_round_on_the_same_rows_is_left_out():
    """Of few rows all are used at once."""
    assert np.unique(small(path_rows=(100, 1000)).fit(X, Y).cv_results_["iter"]).tolist() == [0]


def test_a_tree_that_breaks_its_promise_is_not_returned(monkeypatch):
    """The next best combination is fitted to all rows instead."""
    properly = _plain.solve
    fits = []

    def poor_at_first(method, problem, how):
        fits.append(problem.costs)
        limits = replace(how.limits, seconds=0.0)
        without = replace(how, limits=limits, starts=())
        return properly(method, problem, without if len(fits) == 1 else how)

    monkeypatch.setattr(_plain, "solve", poor_at_first)
    model = small().fit(X, Y)
    assert len(fits) == 2
    assert model.tree_.n_splits
    assert model.score(X, Y) > 0.9
    assert model.cv_results_["params"][model.best_index_] == model.best_params_
    assert model.best_params_["c1"] == fits[1].errors


def test_a_dask_cluster_serves_a_choice():
    """It goes through joblib, so the workers find the same scores and the same tree."""
    distributed = pytest.importorskip("distributed")
    alone = small().fit(X, Y)
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster),
        joblib.parallel_config("dask"),
    ):
        together = small(n_jobs=2).fit(X, Y)
    np.testing.assert_array_equal(scores(together), scores(alone))
    assert together.tree_ == alone.tree_


def ring():
    """Return rows inside and outside a circle, which no straight split parts."""
    rows = np.random.default_rng(1).uniform(-1, 1, size=(80, 2))
    return rows, np.where((rows**2).sum(axis=1) < 0.6, "inside", "outside")


def test_a_choice_with_nothing_set_tries_products_and_takes_them_where_they_are_better():
    """One combination of every depth is tried with products, after all straight ones."""
    rows, labels = ring()
    model = MOCTSVMClassifierCV(MOCTSVMClassifier(max_iter=4)).fit(rows, labels)
    tried = model.cv_results_["param_space"].tolist()
    assert tried == ["box"] * 24 + ["quadratic"] * 3
    assert model.cv_results_["param_max_depth"][24:].tolist() == [1, 2, 4]
    assert model.best_params_["space"] == "quadratic"
    assert model.tree_.scaling.has_products
    assert model.score(rows, labels) > 0.95
    assert model.best_score_ == model.cv_results_["mean_test_score"][model.best_index_]
    assert model.choice_is_complete_
    again = MOCTSVMClassifierCV(MOCTSVMClassifier(max_iter=4), n_jobs=2).fit(rows, labels)
    assert again.tree_ == model.tree_


def test_products_come_after_the_last_round():
    """They are compared with the straight splits that were left, on the same rows."""
    rows, labels = ring()
    model = MOCTSVMClassifierCV(MOCTSVMClassifier(max_iter=4), path_rows=(20, 40)).fit(rows, labels)
    table = model.cv_results_
    assert np.bincount(table["iter"]).tolist() == [24, 8 + 3]
    assert table["param_space"][-3:].tolist() == ["quadratic"] * 3
    assert table["params"][model.best_index_] == model.best_params_


@pytest.mark.parametrize(
    "plain",
    [
        {"space": "whitened"},
        {"c4": 0.1},
        {"max_features_per_split": 1},
        {"max_features": 2},
        {"points": 10},
        {"rounding": 0.1},
    ],
)
def test_what_speaks_of_columns_keeps_splits_straight(plain):
    """So do candidates, and more columns than have some hundred products."""
    model = MOCTSVMClassifierCV(MOCTSVMClassifier(**plain))
    model.n_features_in_ = 4
    assert model._spaces_beyond() == ()
    free = MOCTSVMClassifierCV()
    free.n_features_in_ = 33
    assert free._spaces_beyond() == ("quadratic",)
    free.n_features_in_ = 34
    assert free._spaces_beyond() == ()
    assert MOCTSVMClassifierCV(candidates={"space": "box"})._spaces_beyond() == ()
    assert MOCTSVMClassifierCV(last_fit="path")._spaces_beyond() == ()
    assert TreeClassifierCV(CARTClassifier())._spaces_beyond() == ()


def test_products_of_too_many_rows_are_not_tried():
    """They would take gigabytes; `space="box"` in the classifier itself is no choice of a space."""
    free = MOCTSVMClassifierCV(MOCTSVMClassifier(space="box"))
    free.n_features_in_ = 33
    assert free._spaces_beyond(5000) == free._spaces_beyond(50_000) == ("quadratic",)
    assert free._spaces_beyond(51_000) == ()
    free.n_features_in_ = 4
    assert free._spaces_beyond(1_000_000) == ("quadratic",)


def test_the_rows_of_a_fit_decide_whether_products_are_tried(monkeypatch):
    """Different rows count, for a copy is no further row of the problem."""
    rows, labels = ring()
    copies = np.vstack([rows, rows]), np.concatenate([labels, labels])
    tried = {}
    for most in (80 * 5, 80 * 5 - 1):
        monkeypatch.setattr(moctsvm, "MOST_NUMBERS", most)
        model = MOCTSVMClassifierCV(MOCTSVMClassifier(max_iter=1), time_limit=0.0).fit(*copies)
        tried[most] = "param_space" in model.cv_results_
    assert tried == {400: True, 399: False}


def test_an_interrupt_while_the_last_tree_is_scored_keeps_it():
    """The choice and the fitted tree are there, and the reason tells of the interrupt."""
    calls = []

    def impatient(estimator, X, y, sample_weight=None):
        if len(X) == len(Y):
            calls.append(len(X))
            raise KeyboardInterrupt
        return estimator.score(X, y, sample_weight)

    model = small(scoring=impatient).fit(X, Y)
    assert calls == [len(Y)]
    assert model.result_.reason is Reason.INTERRUPTED
    assert model.tree_ == small().fit(X, Y).tree_
    assert model.choice_is_complete_


def test_a_score_of_ones_own_sees_the_parameters_of_the_combination():
    """Not only its tree: here the score is a parameter itself."""
    points = [{"max_depth": depth, "c1": 10.0 * depth} for depth in (1, 2)]
    model = TreeClassifierCV(MOCTSVMClassifier(3, max_iter=1), points, cv=2, scoring=_its_c1).fit(
        X, Y
    )
    assert scores(model).tolist() == [10.0, 20.0]
    assert model.best_params_["max_depth"] == 2


def _its_c1(estimator, X, y, sample_weight=None):  # noqa: ARG001
    return estimator.c1 if estimator.max_depth == estimator.tree_.depth else np.nan


def test_an_interrupt_among_products_leaves_the_straight_ones(monkeypatch):
    """Their scores decide, and the choice is not complete."""
    properly = choice.choose
    calls = []

    def interrupted(*args, **kwargs):
        calls.append(args)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return properly(*args, **kwargs)

    monkeypatch.setattr(choice, "choose", interrupted)
    rows, labels = ring()
    model = MOCTSVMClassifierCV(MOCTSVMClassifier(max_iter=2)).fit(rows, labels)
    assert model.best_params_["space"] == "box"
    assert not model.choice_is_complete_
    assert model.result_.reason is Reason.INTERRUPTED
    assert model.cv_results_["params"][model.best_index_] == model.best_params_


def test_folds_do_not_depend_on_the_seed_of_the_search(monkeypatch):
    """The seed decides how trees are searched for, not which rows they are scored on."""
    properly = choice.choose
    seen = []

    def noted(groups, divisions, **kwargs):
        seen.append(divisions)
        return properly(groups, divisions, **kwargs)

    monkeypatch.setattr(choice, "choose", noted)
    for seed in (0, 1):
        small(plain={"random_state": seed}).fit(X, Y)
    for one, other in zip(*seen, strict=True):
        np.testing.assert_array_equal(one[0], other[0])
        np.testing.assert_array_equal(one[1], other[1])
