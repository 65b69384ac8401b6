"""What users give beside the rows: prices, factors and starts, and errors that say what to do."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from margintree import CARTClassifier, MOCTSVMClassifier
from margintree._lib.exceptions import InvalidInputError
from margintree.core.problem import Problem
from margintree.core.space import Space
from margintree.core.tree import ObliqueTree
from margintree.estimators._given import (
    adapted,
    class_factors,
    error_matrix,
    errors_with_remedies,
    feature_factors,
    start_tree,
    why_unfit,
)
from strategies import problems_with_trees, trees

CLASSES = np.array(["a", "b", "c"])
PRICES = st.floats(0, 9)


@given(st.dictionaries(st.sampled_from("abc"), PRICES))
def test_class_weights_hold_for_their_class_alone(given_weights):
    """Every other class has the factor 1."""
    factors = class_factors(given_weights, np.array([0, 1, 2]), np.ones(3), CLASSES)
    assert factors.tolist() == [given_weights.get(label, 1.0) for label in CLASSES]


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(1, 5)), min_size=1, max_size=9))
def test_balanced_classes_weigh_the_same(drawn):
    """Every class with rows gets an equal part of the total weight, whatever rows weigh."""
    codes, weights = np.array(drawn).T
    factors = class_factors("balanced", codes, weights.astype(float), CLASSES)
    mass = np.bincount(codes, weights=weights * factors[codes], minlength=3)
    present = np.unique(codes)
    assert mass[present] == pytest.approx(weights.sum() / len(present))
    assert factors[np.setdiff1d(range(3), present)].tolist() == [0.0] * (3 - len(present))


def test_weights_of_all_known_classes_serve_rows_that_lack_one():
    """A fold may miss a class; a misspelt label among too few is an error."""
    two = np.array(["a", "b"])
    every = {"a": 1.0, "b": 2.0, "c": 3.0}
    assert class_factors(every, np.array([0, 1]), np.ones(2), two).tolist() == [1.0, 2.0]
    with pytest.raises(InvalidInputError, match="'B' is none of them"):
        class_factors({"a": 1.0, "B": 2.0}, np.array([0, 1]), np.ones(2), two)


@given(st.dictionaries(st.sampled_from("abc"), st.dictionaries(st.sampled_from("abc"), PRICES)))
def test_prices_by_label_are_the_matrix_of_their_places(prices):
    """Missing prices are 1 for an error and 0 for none, and a matrix means the same."""
    matrix = error_matrix(prices, CLASSES)
    for i, true in enumerate(CLASSES):
        for j, called in enumerate(CLASSES):
            assert matrix[i, j] == prices.get(true, {}).get(called, float(i != j))
    np.testing.assert_array_equal(error_matrix(matrix.tolist(), CLASSES), matrix)


@pytest.mark.parametrize(
    ("prices", "named"),
    [
        ({"d": {"a": 1.0}}, "'d' is none of them"),
        ({"a": {"d": 1.0}}, "'d' is none of them"),
        ({"a": 3.0}, r"write \{'a': \{other label: price\}\}"),
        ({"a": {"b": [1.0]}}, "a square matrix of numbers"),
        ([[0.0, "one"]], "a square matrix of numbers"),
        ([1.0, 2.0], "a square matrix of numbers"),
        ([[0.0], [1.0, 2.0]], "a square matrix of numbers"),
    ],
)
def test_prices_that_fit_no_matrix_are_refused(prices, named):
    """The message names the label, or shows how prices are written."""
    with pytest.raises(InvalidInputError, match=f"(?i){named}"):
        error_matrix(prices, CLASSES)


@given(st.dictionaries(st.sampled_from(["age", "sex", "x7"]), PRICES))
def test_factors_of_features_by_name_or_in_order(costs):
    """A dict may leave features out, a list may not."""
    names = ["age", "sex", "x7"]
    factors = feature_factors(costs, names)
    assert factors.tolist() == [costs.get(name, 1.0) for name in names]
    np.testing.assert_array_equal(feature_factors(factors.tolist(), names), factors)
    assert feature_factors(None, names) is None


@pytest.mark.parametrize("bad", [-1.0, np.inf, np.nan, "1", None, [1.0]])
@pytest.mark.parametrize(
    "convert",
    [
        lambda factors: feature_factors(factors, ["a", "b"]),
        lambda factors: class_factors(factors, np.array([0]), np.ones(1), CLASSES),
    ],
)
def test_a_factor_must_be_a_finite_number_of_at_least_0(bad, convert):
    """For features and for classes alike, with the name of the one that is wrong."""
    with pytest.raises(InvalidInputError, match=r"finite numbers of at least 0.*'b'"):
        convert({"b": bad})


def test_a_factor_of_an_unknown_feature_is_refused():
    """The message lists the features."""
    with pytest.raises(InvalidInputError, match=r"\['age', 'sex'\].*'height' is none"):
        feature_factors({"height": 2.0}, ["age", "sex"])
    with pytest.raises(InvalidInputError, match="a number for each feature"):
        feature_factors("cheap", ["age", "sex"])


@given(problems_with_trees())
def test_an_adapted_tree_predicts_as_before(drawn):
    """In the space of the problem and as deep as it, for raw rows of any scale."""
    problem, tree = drawn
    deeper = Problem(**{**vars(problem), "depth": problem.depth + 1})
    raw = problem.X * problem.scaling.span + problem.scaling.minimum
    changed = adapted(tree, deeper)
    assert changed.depth == deeper.depth
    assert changed.scaling == problem.scaling
    same = tree.predict(tree.scaling.apply(raw)) == changed.predict(problem.scaling.apply(raw))
    # Only rows on a hyperplane may change sides by rounding.
    values = np.abs(tree.split_values(tree.scaling.apply(raw)))
    assert same[~(values < 1e-9).any(axis=1)].all()


@given(trees(n_features=2, n_classes=3, depth=2))
def test_a_start_must_fit_the_problem(tree):
    """Features, classes and depth are compared, and the reason is part of the message."""
    rows = np.array([[0.0, 1.0], [1.0, 0.0], [4.0, 2.0]])

    def posed(p=2, k=3, depth=2):
        return Problem.from_data(
            np.resize(rows, (3, p)), [0, 1, min(2, k - 1)], n_classes=k, depth=depth
        )

    assert why_unfit(tree, posed()) == ""
    assert why_unfit(tree, posed(p=3)) == "it has 2 features where the data have 3"
    assert why_unfit(tree, posed(k=4)) == "it has 3 classes where the data have 4"
    assert why_unfit(tree, posed(depth=1)) == "its depth 2 is more than max_depth=1"
    with pytest.raises(InvalidInputError, match="2 features where the data have 3"):
        start_tree(tree, posed(p=3), CLASSES)
    assert start_tree(tree, posed(), CLASSES) == adapted(tree, posed())


def test_a_start_with_curved_splits_needs_a_curved_problem():
    """Products of features cannot be left out of a tree."""
    curved = Space(np.zeros(1), np.ones(1), has_products=True)
    tree = ObliqueTree.stump([1.0, 1.0], 0.0, leaf_classes=[0, 1], n_classes=2)
    tree = ObliqueTree(**{**vars(tree), "scaling": curved})
    straight = Problem.from_data([[0.0], [1.0]], [0, 1], n_classes=2, depth=1)
    assert why_unfit(tree, straight).startswith("its splits see products")


def test_a_classifier_as_a_start_must_be_fitted_on_the_same_classes():
    """Its tree is what starts the search."""
    X, y = [[0.0], [1.0], [2.0]], ["a", "b", "b"]
    problem = Problem.from_data(X, [0, 1, 1], n_classes=2, depth=2)
    fitted = CARTClassifier(1).fit(X, y)
    assert start_tree(fitted, problem, fitted.classes_) == adapted(fitted.tree_, problem)
    with pytest.raises(InvalidInputError, match=r"classes \['a', 'c'\]; it knows \['a', 'b'\]"):
        start_tree(fitted, problem, np.array(["a", "c"]))
    with pytest.raises(InvalidInputError, match="Call its fit first"):
        start_tree(CARTClassifier(), problem, fitted.classes_)


@pytest.mark.parametrize(
    ("X", "y", "named"),
    [
        (pd.DataFrame({"size": [1.0, 2.0], "hue": ["red", "3"]}), [0, 1], "'hue' holds 'red' in"),
        (pd.DataFrame({"size": [1.0, None]}), [0, 1], "'size' holds nan in row 2"),
        (pd.DataFrame({"n": pd.array([1, None], dtype="Int64")}), [0, 1], "'n' holds .* in row 2"),
        ([[1.0, 2.0], [np.inf, 0.0]], [0, 1], "'x0' holds inf in row 2"),
        ([[1.0], [2.0]], ["a", None], "that of row 2 is None"),
        ([[1.0], [2.0]], [0.0, np.nan], "that of row 2 is nan"),
        ([[1.0], [2.0]], [0.5, 1.7], "Group the numbers into a few classes"),
        ([[1.0], [2.0]], [0, 1, 0], "one label for each row"),
        (np.zeros((0, 2)), [], "at least one row"),
        (np.zeros((2, 0)), [0, 1], "at least one column"),
        (np.zeros((2, 2, 2)), [0, 1], "a table with one row for each sample"),
        ([[1.0], [2.0]], [[0, 1], [1, 0]], "one column of labels|one label for each row"),
    ],
)
def test_an_error_names_the_cell_and_what_to_do(X, y, named):
    """Whatever scikit-learn says first, the message ends with a remedy."""
    with pytest.raises(InvalidInputError, match=named):
        MOCTSVMClassifier(1, max_iter=1).fit(X, y)


def test_an_error_about_something_else_is_passed_on():
    """No cell and no label is at fault, so nothing is added."""
    with pytest.raises(ValueError, match=r"^boom$") as caught, errors_with_remedies([[1.0]], [0]):
        raise ValueError("boom")
    assert not isinstance(caught.value, InvalidInputError)
    with pytest.raises(TypeError), errors_with_remedies(object()):
        raise TypeError("no table at all")
