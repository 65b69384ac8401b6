"""What a study compares: labels, reasons to skip, and how a combination is chosen."""

import numpy as np
import pytest

from margintree.core.limits import Limits
from margintree.data.datasets import load
from margintree.estimators import MOCTSVMClassifier, MOCTSVMClassifierCV, TreeClassifierCV
from margintree.methods import METHODS
from margintree.methods.choose import Data, TreeCandidates, divide
from margintree.methods.scoring import half_spacing, margins_of, shares_right
from margintree.study import learners as module
from margintree.study.jobs import canonical
from margintree.study.learners import NestedChoice, Settings, learners
from margintree.study.names import in_order, method_label
from margintree.study.references import REFERENCES

COSTS = {"c1": 1.0, "c2": 1.0, "c3": 0.1}
LIMITS = Limits(iterations=2, seed=0)


def iris():
    """Return iris as the study has it."""
    X, y = canonical(load("iris"))
    return X, np.unique(y, return_inverse=True)[1]


def test_learners_are_the_methods_their_variants_and_then_the_references():
    """A method or a reference says by itself what it is called and what its grid tries."""
    known = learners()
    assert [*known] == [
        *METHODS,
        "octh-margin",
        "moctsvm-default",
        "class-tree-products",
        *REFERENCES,
    ]
    assert known["octh-margin"].label == method_label("octh-margin") == "OCT-H margin"
    for name, source in {**METHODS, **REFERENCES}.items():
        assert known[name].label == method_label(name) == source.label
    assert known["moctsvm"].parameters == ("c1", "c2", "c3")
    assert known["stree"].parameters == REFERENCES["stree"].parameters
    assert in_order(["stree", "octsvm", "cart"]) == ["cart", "octsvm", "stree"]


def test_the_default_learner_is_the_classifier_with_nothing_set():
    """The same tree, in the grid and as the choice, and no parameters."""
    X, y = iris()
    rows = slice(None, None, 5)
    settings = Settings(depth=1, min_leaf=0.05, limits=Limits(seed=3))
    (fit,) = learners()["moctsvm-default"].fit_grid(X[rows], y[rows], [{}], settings)
    plain = MOCTSVMClassifier(random_state=3, time_limit=None)
    expected = MOCTSVMClassifierCV(plain, time_limit=None).fit(X[rows], y[rows])
    assert fit.objective == expected.objective_
    assert fit.coefficients == expected.tree_.n_coefficients
    assert np.array_equal(fit.predict(X), expected.predict(X))
    assert fit.confidence(X) == pytest.approx(expected.predict_proba(X).max(axis=1))


def test_references_count_what_a_person_would_read():
    """Coefficients of all hyperplanes; a split of ConTree has one; others are not counted."""
    X, y = iris()
    settings = Settings(depth=2, min_leaf=0.05, limits=Limits())

    def count(name, point):
        (fit,) = learners()[name].fit_grid(X, y, [point], settings)
        return fit.coefficients

    assert count("svm-ovo", {"C": 1.0}) == 3 * 4  # three pairs of classes
    assert count("svm-ova", {"C": 1.0}) == 3 * 4  # three classes
    assert count("svm-crammer-singer", {"C": 1.0}) == 3 * 4
    assert count("svm-rbf", {"C": 1.0, "gamma": 1.0}) is None
    (fit,) = learners()["contree"].fit_grid(X, y, [{"complexity_cost": 0.0}], settings)
    assert fit.coefficients == fit.splits <= 3


def test_a_new_method_is_in_the_study_at_once(monkeypatch):
    """The list of learners is made when it is asked for."""
    monkeypatch.setitem(METHODS, "mine", METHODS["cart"])
    assert learners()["mine"].label == METHODS["cart"].label


def test_why_a_method_cannot_be_used():
    """Too many classes or columns; nothing is said where it can."""
    known = learners()
    assert known["octsvm"].why_not(3, 1) == "for at most 2 classes; the set has 3"
    assert known["class-tree-products"].why_not(3, 140) == (
        "for at most 139 columns; the set has 140"
    )
    for name, *size in (("octsvm", 2, 9), ("moctsvm", 30, 999), ("class-tree-products", 30, 139)):
        assert known[name].why_not(*size) == ""


@pytest.mark.parametrize(
    ("method", "scoring", "point"),
    [("moctsvm", "nearness", COSTS), ("cart", "accuracy", {"max_splits": 2})],
)
def test_a_class_that_was_not_learnt_is_never_right(method, scoring, point):
    """Neither by its side of a split nor by its label."""
    X, y = iris()
    known, unknown = np.flatnonzero(y != 0), np.flatnonzero(y == 0)
    data = Data(X, y, np.ones(len(y)), 3)
    candidates = TreeCandidates(METHODS[method], data, [{"max_depth": 2} | point], LIMITS, scoring)
    assert candidates.try_on((known, unknown), np.inf)[0].score == 0
    assert 0.8 < candidates.try_on((known, known), np.inf)[0].score <= 1


@pytest.mark.parametrize("method", ["moctsvm", "octsvm"])
def test_rows_near_a_split_count_on_both_sides(method):
    """Near is half way to a neighbour and, as another opinion, inside the margin."""
    X, y = iris()
    X, y = X[y != 0], y[y != 0] - 1
    learn, test = np.arange(0, len(y), 2), np.arange(1, len(y), 2)
    data = Data(X, y, np.ones(len(y)), 2)
    points = [{"max_depth": 2} | COSTS]
    candidates = TreeCandidates(METHODS[method], data, points, LIMITS, "nearness")
    (trial,) = candidates.try_on((learn, test), np.inf)
    tree = trial.tree
    rows = tree.scaling.apply(X[test])
    reaches = half_spacing(tree.scaling.apply(X[learn])), margins_of(tree)
    opinions = [shares_right(tree, rows, y[test], reach).mean() for reach in reaches]
    assert trial.score == pytest.approx(np.mean(opinions))
    assert trial.score != (tree.predict(rows) == y[test]).mean()


@pytest.mark.parametrize(
    ("method", "points", "rule"),
    [
        (
            "moctsvm",
            [{"c1": c1, "c2": 1.0, "c3": 0.1} for c1 in (0.01, 10.0)],
            {"scoring": "nearness"},
        ),
        ("cart", [{"max_splits": 1}, {"max_splits": 2}], {}),
        (
            "class-tree-products",
            [{"C": 0.01, "space": "box"}, {"C": 10.0, "space": "quadratic"}],
            {"last_fit": "average"},
        ),
    ],
)
def test_a_study_chooses_with_the_class_that_users_call(monkeypatch, method, points, rule):
    """With the score and the last fit of the specification."""
    made = []

    class Recorded(TreeClassifierCV):
        def fit(self, *rows):
            made.append(self)
            return super().fit(*rows)

    monkeypatch.setattr(module, "TreeClassifierCV", Recorded)
    X, y = iris()
    divisions = [(others, fold) for fold, others in divide(y, 2, seed=0)]
    nested = NestedChoice(points, divisions, None, 1, **rule)
    point, fit = learners()[method].fit_chosen(X, y, nested, Settings(2, 0.05, LIMITS))
    (chooser,) = made
    rule = {"scoring": "accuracy", "last_fit": "path"} | rule
    assert {name: getattr(chooser, name) for name in rule} == rule
    assert point == points[1]
    assert fit.splits == chooser.tree_.n_splits
    assert (fit.predict(X) == y).mean() > 0.9


@pytest.mark.parametrize("name", ["iris", "wine", "thyroid", "zoo"])
def test_margin_planes_never_cost_more_than_the_tree_before_they_were_placed(name):
    """Along the whole grid of a study, where trees of one price start the search at the next."""
    X, labels = canonical(load(name))
    y = np.unique(labels, return_inverse=True)[1]
    rows = slice(None, None, 4)
    grid = [{"alpha": alpha} for alpha in (0.001, 0.03, 0.1)]
    settings = Settings(depth=2, min_leaf=0.05, limits=Limits(iterations=4))
    margin = learners()["octh-margin"]
    fixed = {"complexity": "splits", "planes": "centred"}
    centred = module.TreeLearner(margin.method, margin.kind, "centred", fixed)
    before, after = (
        learner.fit_grid(X[rows], y[rows], grid, settings) for learner in (centred, margin)
    )
    for one, other in zip(before, after, strict=True):
        assert other.objective <= one.objective + 1e-12
        assert other.splits <= one.splits
