"""Averages over candidates: shares by scores, and one tree whose values are averages."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_wine

from margintree import ClassTreeClassifier, MOCTSVMClassifier, TreeClassifierCV, from_json, to_json
from margintree._lib.exceptions import InvalidInputError
from margintree.core.limits import Limits
from margintree.core.problem import Problem
from margintree.core.result import Reason
from margintree.core.tree import ObliqueTree
from margintree.methods import METHODS
from margintree.methods.choose import Choice, Trial, averaging_shares
from margintree.methods.scoring import SCORES
from margintree.search.classes.averaging import averaged_tree

CLASS_TREE = METHODS["class-tree"]
SPACES = ["box", "whitened", "quadratic", "whitened-quadratic"]
CANDIDATES = {"space": SPACES, "C": [0.1, 10.0, 1000.0]}


@pytest.fixture(scope="module")
def wine():
    """Return three columns of wine."""
    X, y = load_wine(return_X_y=True)
    return X[:, [0, 6, 10]], y


def averaging(candidates=CANDIDATES, **options):
    return TreeClassifierCV(
        ClassTreeClassifier(), candidates, cv=3, scoring="soft", last_fit="average", **options
    )


def test_shares_fall_with_the_standard_errors_behind():
    """The formula, in a twin; equal scores have equal shares, hopeless ones none."""
    scores = np.array([0.9, 0.9, 0.88, 0.5, -np.inf])
    shares = averaging_shares(scores, 0, error := 0.03)
    third = np.exp(-((0.02 / (0.6 * error)) ** 2) / 2)
    np.testing.assert_allclose(shares, np.array([1, 1, third, 0, 0]) / (2 + third))


def test_none_counts_more_than_the_chosen_one():
    """The choice may keep another than the one with the highest score."""
    shares = averaging_shares(np.array([0.8, 0.9]), 0, 0.06)
    assert shares.tolist() == [0.5, 0.5]


def test_perfect_scores_leave_a_standard_error():
    """Otherwise every other candidate would be infinitely far behind."""
    choice = Choice([{"C": 1.0}, {"C": 2.0}], [[Trial(1.0, 1), Trial(0.999, 1)]], np.ones(1))
    assert 0.4 < replace(choice, n_rows=100.0).shares(0)[1] < 0.5


def test_values_of_the_tree_are_averages(wine):
    """Of the trees with the same hierarchy in all four spaces, on any row."""
    rows = Problem.from_data(*wine, n_classes=3, depth=1)
    problems = [CLASS_TREE.pose(rows, max_depth=3, C=5.0, space=space) for space in SPACES]
    best = CLASS_TREE.search(problems[0], Limits()).tree
    shares, scaling = np.array([0.4, 0.3, 0.2, 0.1]), rows.in_space("quadratic").scaling
    tree = averaged_tree(problems, shares, best, scaling)
    X = np.random.default_rng(0).normal(wine[0].mean(axis=0), wine[0].std(axis=0), (30, 3))
    values = [
        averaged_tree([problem], np.ones(1), best, scaling).split_values(scaling.apply(X))
        for problem in problems
    ]
    expected = sum(share * value for share, value in zip(shares, values, strict=True))
    np.testing.assert_allclose(tree.split_values(scaling.apply(X)), expected, atol=1e-8)
    assert (
        tree.leaf_classes.tolist()
        == averaged_tree(problems[:1], np.ones(1), best, scaling).leaf_classes.tolist()
    )


def test_one_candidate_is_its_own_average(wine):
    """The tree of a fresh fit, but without a proof."""
    alone = {"space": ["box"], "C": [10.0]}
    found = averaging(alone).fit(*wine)
    fresh = ClassTreeClassifier(C=10.0).fit(*wine)
    assert (found.predict(wine[0]) == fresh.predict(wine[0])).all()
    assert found.objective_ == pytest.approx(fresh.objective_, rel=1e-6)
    assert fresh.optimal_
    assert not found.optimal_
    assert found.bound_ == 0


def test_the_fitted_tree_is_one_tree_like_any_other(wine):
    """Over columns and products; judged, exported, restored, and no cheaper than the best one."""
    found = averaging().fit(*wine)
    tree = found.tree_
    assert tree.scaling.has_products
    assert tree.scaling.mix is None
    assert tree == tree.upright()
    assert tree.leaf_mass.sum() == len(wine[1])
    again = from_json(to_json(found))
    assert (again.predict(wine[0]) == found.predict(wine[0])).all()
    best = ClassTreeClassifier(C=found.best_params_["C"], space="quadratic").fit(*wine)
    assert found.objective_ >= best.objective_ * (1 - 1e-6)
    straight = averaging({"space": SPACES[:2], "C": [1.0, 10.0]}).fit(*wine)
    assert straight.tree_.scaling.is_box


def test_harder_splits_do_not_enter_the_average_of_simpler_ones():
    """A straight choice stays straight, and kernels are left out or alone."""
    X = np.random.default_rng(0).random((90, 2))
    straight = averaging({"space": ["box", "quadratic", "rbf"], "C": [1000.0]})
    straight.fit(X, X[:, 0] > X[:, 1])
    assert straight.best_params_["space"] == "box"
    assert straight.tree_.scaling.is_box
    y = (np.sin(9 * X[:, 0]) > 2 * X[:, 1] - 1).astype(int)
    radial = averaging({"space": ["box", "rbf"], "C": [100.0]}).fit(X, y)
    assert radial.best_params_["space"] == "rbf"
    assert radial.optimal_


def test_other_methods_cannot_be_averaged(wine):
    """The message says what can."""
    with pytest.raises(InvalidInputError, match="Only class trees can be averaged"):
        TreeClassifierCV(
            MOCTSVMClassifier(max_iter=1), [{"c1": 1.0}, {"c1": 10.0}], cv=2, last_fit="average"
        ).fit(*wine)


@pytest.mark.parametrize(
    ("scores", "best"),
    [
        ([0.80, 0.81, 0.815], 0),  # neither is clearly better than what is easier to read
        ([0.80, 0.90, 0.905], 1),
        ([0.80, 0.81, 0.95], 2),
        ([0.80, 0.70, 0.95], 2),
        ([0.90, 0.80, 0.80], 0),
    ],
)
def test_harder_splits_must_be_clearly_better(scores, best):
    """Level by level, by half a standard error over 100 rows."""
    trials = [[Trial(score, 1) for score in scores]]
    choice = Choice([{}] * 3, trials, np.ones(1), n_rows=100.0, levels=[0, 1, 2])
    assert choice.best == best
    assert choice.survivors[0] == 0
    in_any_order = Choice([{}] * 3, [trials[0][::-1]], np.ones(1), n_rows=100.0, levels=[2, 1, 0])
    assert in_any_order.best == 2 - best


def test_without_levels_the_best_score_is_chosen():
    """As where all candidates are in one space."""
    trials = [[Trial(score, 1) for score in (0.80, 0.81)]]
    assert Choice([{}] * 2, trials, np.ones(1), n_rows=100.0).best == 1


def test_class_trees_choose_among_spaces(wine):
    """Over columns and products by default; of many columns no products."""
    found = TreeClassifierCV(ClassTreeClassifier(), cv=3).fit(*wine)
    assert {point["space"] for point in found.cv_results_["params"]} == {*SPACES}
    X = np.random.default_rng(0).normal(size=(20, 150))
    wide = TreeClassifierCV(ClassTreeClassifier(), {"C": 1.0}, cv=2).fit(X, X[:, 0] > 0)
    assert {point["space"] for point in wide.cv_results_["params"]} == {"box", "whitened"}


def test_the_soft_score_is_the_product_along_the_way():
    """Of a tree of depth two, in a twin; a class without a leaf scores 0."""
    tree = ObliqueTree(
        [[2.0], [1.0], [-1.0]], [0.5, 0.0, 1.0], [True] * 3, [0, 1, 2, 0], np.ones((4, 4)),
        ObliqueTree.leaf(2, 1, 4).scaling,
    )  # fmt: skip
    X, y = np.array([[0.3], [-1.0], [0.7], [0.1]]), np.array([0, 1, 2, 3])
    problem = Problem.from_data([[0.0], [1.0]], [0, 1], n_classes=4, depth=2)

    def right(f):
        return 1 / (1 + np.exp(-2 * f))

    def shares(x):
        root, left, other = right(2 * x + 0.5), right(x), right(1 - x)
        ways = [(1 - root) * (1 - left), (1 - root) * left, root * (1 - other), root * other]
        return [ways[0] + ways[3], ways[1], ways[2], 0.0]

    expected = [shares(x)[k] for x, k in zip(X[:, 0], y, strict=True)]
    np.testing.assert_allclose(SCORES["soft"](problem, tree, X, y), expected)


def interrupt(_):
    """Stop a choice as Ctrl-C does."""
    raise KeyboardInterrupt


def test_an_interrupted_choice_without_scores_averages_nothing(wine):
    """The fit keeps the tree that it has."""
    found = averaging({"C": [1.0, 10.0]}, verbose=interrupt).fit(*wine)
    assert found.result_.reason is Reason.INTERRUPTED
    assert np.isfinite(found.tree_.weights).all()


def test_an_average_tells_which_limit_the_fit_met(wine):
    """The reason of the fit stays; only an optimal tree becomes a finished one."""
    cut_short = averaging({"C": [1.0, 10.0]}, time_limit=1e-3).fit(*wine).result_
    assert (cut_short.reason is Reason.LIMIT) == (cut_short.limit is not None)
    assert averaging({"C": [1.0, 10.0]}).fit(*wine).result_.reason is Reason.FINISHED
