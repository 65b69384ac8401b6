"""CART: the tree of scikit-learn as a tree of ours."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

import folds
from margintree.core.judges import price_errors
from margintree.core.problem import Problem
from margintree.core.rules import Shape
from margintree.methods import fit_cart
from margintree.search.axis.cart import grow


def posed(X, y, depth=3, weights=None):
    return Problem.from_data(X, y, n_classes=int(y.max()) + 1, depth=depth, row_weights=weights)


@pytest.mark.parametrize("name", ["iris", "wine", "heart", "balance_scale", "zoo"])
@pytest.mark.parametrize("min_leaf", [0.0, 0.05])
def test_it_predicts_as_scikit_learn_does(name, min_leaf, shared_data):
    """On training rows, for the same seed; only the rows are in another order there."""
    X, y = folds.training_fold(name, shared_data)
    problem = posed(X, y)
    tree = grow(problem, Shape.of(problem, min_leaf))
    theirs = DecisionTreeClassifier(
        max_depth=3, min_weight_fraction_leaf=min_leaf, random_state=0
    ).fit(problem.X, problem.y, problem.row_weights)
    np.testing.assert_array_equal(tree.predict(problem.X), theirs.predict(problem.X))
    assert tree.n_splits == theirs.get_n_leaves() - 1


@pytest.mark.parametrize("max_splits", range(8))
def test_it_is_pruned_to_the_number_of_splits(max_splits, shared_data):
    """The largest tree of scikit-learn's own path with no more splits than allowed."""
    problem = posed(*folds.training_fold("balance_scale", shared_data))
    shape = Shape.of(problem, 0.05, max_splits)
    tree = grow(problem, shape)
    model = DecisionTreeClassifier(max_depth=3, min_weight_fraction_leaf=0.05, random_state=0)
    data = problem.X, problem.y, problem.row_weights
    sizes = [
        model.set_params(ccp_alpha=alpha).fit(*data).get_n_leaves() - 1
        for alpha in model.cost_complexity_pruning_path(*data).ccp_alphas
    ]
    assert tree.n_splits == max(size for size in sizes if size <= max_splits)
    assert price_errors(problem, shape, tree).is_allowed


def test_values_too_close_for_single_precision_are_told_apart():
    """scikit-learn alone would see two equal values."""
    X = np.array([[1.0], [1.0 + 1e-12], [0.0]])
    problem = posed(X, np.array([0, 1, 0]), depth=1)
    tree = grow(problem, Shape.of(problem))
    np.testing.assert_array_equal(tree.predict(problem.X), problem.y)


def test_its_result_claims_no_more_than_is_known():
    """Only where the bound happens to meet the cost the tree is called optimal."""
    rng = np.random.default_rng(0)
    problem = posed(rng.random((40, 2)), rng.integers(0, 2, 40))
    result = fit_cart(problem, Shape.of(problem))
    assert str(result.reason) == "finished"
    assert result.bound < result.objective
    assert not result.is_optimal
    easy = posed(np.array([[0.0], [0.0]]), np.array([0, 1]))
    assert fit_cart(easy, Shape.of(easy)).is_optimal
