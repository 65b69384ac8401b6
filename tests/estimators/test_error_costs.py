"""Errors that cost differently, and weights, from the parameters of a classifier to its tree."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from margintree import Costs, MOCTSVMClassifier, Problem, from_json, to_json
from margintree._lib.exceptions import InvalidInputError
from margintree.core.judges import price_margins
from margintree.estimators._given import error_matrix
from margintree.testing.margin_oracles import cheapest_tree
from strategies import problems_with_trees

LABELS = np.array(["a", "b", "c"])
MATRIX = [[0.0, 1.0, 4.0], [2.5, 0.0, 1.0], [1.0, 3.0, 0.0]]
BY_LABEL = {"a": {"c": 4.0}, "b": {"a": 2.5}, "c": {"b": 3.0}}
CLASS_WEIGHT = {"a": 1.0, "b": 2.0, "c": 0.5}
METHODS = {"search": {"max_iter": 50}, "exact": {"method": "exact", "gap": 1e-5}}


def rows(seed, n=8):
    """Return few random rows, so that enumeration can find the cheapest tree."""
    rng = np.random.default_rng([7, seed])
    return rng.random((n, 2)).round(2), rng.permutation(np.resize(LABELS, n))


def classifier(how, **params):
    """Return an unfitted classifier whose errors cost differently."""
    given = {"max_depth": 2, "c1": 2.0, "c2": 0.1, "c3": 0.1, "error_costs": MATRIX}
    return MOCTSVMClassifier(**given | METHODS[how] | params)


@pytest.mark.parametrize("how", METHODS)
@pytest.mark.parametrize(
    ("seed", "class_weight"), [(0, None), (1, CLASS_WEIGHT), (2, "balanced"), (3, CLASS_WEIGHT)]
)
def test_search_and_exact_model_agree_with_enumeration(how, seed, class_weight):
    """The cheapest of all trees is found where errors and classes weigh differently."""
    X, y = rows(seed)
    factors = CLASS_WEIGHT
    if class_weight == "balanced":
        factors = {label: len(y) / (len(LABELS) * (y == label).sum()) for label in LABELS}
    problem = Problem.from_data(
        X,
        np.searchsorted(LABELS, y),
        n_classes=3,
        depth=2,
        costs=Costs(2.0, 0.1, 0.1),
        row_weights=None if class_weight is None else [factors[label] for label in y],
        error_costs=MATRIX,
    )
    found = classifier(how, class_weight=class_weight).fit(X, y)
    assert found.objective_ == pytest.approx(cheapest_tree(problem).cost, rel=1e-4)
    assert found.cost_ == price_margins(problem, found.tree_)


@pytest.mark.parametrize("how", METHODS)
@pytest.mark.parametrize("class_weight", [None, CLASS_WEIGHT, "balanced"])
def test_a_row_twice_is_a_row_of_weight_two(how, class_weight):
    """Judge, search and exact model see the same problem."""
    X, y = rows(4)
    twice = classifier(how, class_weight=class_weight).fit(np.vstack([X, X[:1]]), [*y, y[0]])
    weighted = classifier(how, class_weight=class_weight).fit(X, y, [2.0] + [1.0] * (len(y) - 1))
    assert weighted.tree_ == twice.tree_
    assert weighted.cost_ == twice.cost_
    assert weighted.bound_ == pytest.approx(twice.bound_)


@given(problems_with_trees(), st.integers(0, 3), st.floats(0, 8))
def test_where_margins_are_free_a_class_weight_is_a_line_of_the_matrix(pair, k, factor):
    """The judge multiplies the errors of a class by either."""
    problem, tree = pair
    free = replace(problem, costs=replace(problem.costs, violations=0.0))
    of_class = np.arange(problem.n_classes)[:, None] == k
    lines = replace(free, error_costs=np.where(of_class, factor, 1.0) * free.error_costs)
    weights = replace(free, row_weights=np.where(free.y == k, factor, 1.0) * free.row_weights)
    assert price_margins(lines, tree).errors == pytest.approx(price_margins(weights, tree).errors)


def test_a_dict_is_the_same_as_a_matrix():
    """What it leaves out costs 1."""
    np.testing.assert_array_equal(error_matrix(BY_LABEL, LABELS), MATRIX)
    np.testing.assert_array_equal(error_matrix(None, LABELS), 1 - np.eye(3))
    X, y = rows(5)
    assert classifier("search").fit(X, y).tree_ == (
        classifier("search", error_costs=BY_LABEL).fit(X, y).tree_
    )


def test_dear_errors_are_avoided():
    """Rows that nothing tells apart are called what costs least."""
    X, y = np.zeros((5, 1)), ["ill", "well", "well", "well", "well"]
    assert MOCTSVMClassifier(c1=1.0).fit(X, y).predict(X[:1]) == "well"
    careful = MOCTSVMClassifier(c1=1.0, error_costs={"ill": {"well": 5.0}}).fit(X, y)
    assert careful.predict(X[:1]) == "ill"
    assert careful.cost_.errors == 4.0


@pytest.mark.parametrize(
    ("error_costs", "named"),
    [
        ([[0.0, 1.0], [1.0, 0.0]], "3 classes; its shape is"),
        ([0.0, 1.0, 1.0], "square matrix"),
        ([["dear"] * 3] * 3, "dear"),
        (-np.array(MATRIX), "at least 0"),
        (np.ones((3, 3)), "diagonal"),
        (np.full((3, 3), np.nan), "finite"),
        ({"a": {"z": 1.0}}, "'z' is none of them"),
        ({0: {"a": 1.0}}, "0 is none of them"),
        ({"a": 2.0}, "for 'a' it gives 2.0"),
        ({"a": {"b": "much"}}, "'much' was given"),
        ({"a": {"b": [1.0, 2.0]}}, "1.0, 2.0"),
        ({"a": {"a": 1.0}}, "diagonal"),
        (3.0, "error_costs"),
    ],
)
def test_nonsense_is_refused(error_costs, named):
    """The message names the parameter and what is wrong with it."""
    with pytest.raises(ValueError, match=named) as caught:
        MOCTSVMClassifier(error_costs=error_costs).fit(*rows(0))
    assert "error_costs" in str(caught.value)


@pytest.mark.parametrize("error_costs", [MATRIX, np.array(MATRIX), BY_LABEL, [[0, 1], [5, 0]]])
def test_copies_and_model_files_keep_the_prices(error_costs):
    """A matrix of two classes is not taken for the pairs of a dict."""
    X, y = rows(6)
    y = y if len(error_costs) == 3 else np.where(y == "a", "a", "b")
    fitted = MOCTSVMClassifier(2, error_costs=error_costs, max_iter=2).fit(X, y)
    for copy in (from_json(to_json(fitted)), pickle.loads(pickle.dumps(fitted)), clone(fitted)):
        np.testing.assert_array_equal(
            error_matrix(copy.error_costs, fitted.classes_),
            error_matrix(error_costs, fitted.classes_),
        )
        assert copy.fit(X, y).tree_ == fitted.tree_


def test_lines_of_another_number_than_columns_are_refused():
    """It is an error of the input and not of NumPy."""
    with pytest.raises(InvalidInputError, match="square matrix"):
        MOCTSVMClassifier(error_costs=[[0.0, 1.0], [1.0]]).fit(*rows(0))
