"""CART: the tree of scikit-learn as a tree of ours."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

import folds
from margintree.core.judges import price_errors
from margintree.core.limits import Limits
from margintree.core.problem import Costs, Problem
from margintree.core.tree import ObliqueTree
from margintree.methods import CART
from margintree.search.axis.cart import grow


def posed(X, y, depth=3, weights=None):
    return Problem.from_data(X, y, n_classes=int(y.max()) + 1, depth=depth, row_weights=weights)


@pytest.mark.parametrize("name", ["iris", "wine", "heart", "balance_scale", "zoo"])
@pytest.mark.parametrize("min_leaf", [0.0, 0.05])
def test_it_predicts_as_scikit_learn_does(name, min_leaf, shared_data):
    """On training rows, for the same seed; only the rows are in another order there."""
    X, y = folds.training_fold(name, shared_data)
    problem = posed(X, y)
    tree = grow(problem.with_rules(min_leaf))
    theirs = DecisionTreeClassifier(
        max_depth=3, min_weight_fraction_leaf=min_leaf, random_state=0
    ).fit(problem.X, problem.y, problem.row_weights)
    np.testing.assert_array_equal(tree.predict(problem.X), theirs.predict(problem.X))
    assert tree.n_splits == theirs.get_n_leaves() - 1


@pytest.mark.parametrize("max_splits", range(8))
def test_it_is_pruned_to_the_number_of_splits(max_splits, shared_data):
    """The largest tree of scikit-learn's own path with no more splits than allowed."""
    problem = posed(*folds.training_fold("balance_scale", shared_data))
    problem = problem.with_rules(0.05, max_splits, axis_parallel=True)
    tree = grow(problem)
    model = DecisionTreeClassifier(max_depth=3, min_weight_fraction_leaf=0.05, random_state=0)
    data = problem.X, problem.y, problem.row_weights
    sizes = [
        model.set_params(ccp_alpha=alpha).fit(*data).get_n_leaves() - 1
        for alpha in model.cost_complexity_pruning_path(*data).ccp_alphas
    ]
    assert tree.n_splits == max(size for size in sizes if size <= max_splits)
    assert price_errors(problem, tree).is_allowed


def test_values_too_close_for_single_precision_are_told_apart():
    """scikit-learn alone would see two equal values."""
    X = np.array([[1.0], [1.0 + 1e-12], [0.0]])
    problem = posed(X, np.array([0, 1, 0]), depth=1)
    tree = grow(problem)
    np.testing.assert_array_equal(tree.predict(problem.X), problem.y)


def test_its_result_claims_no_more_than_is_known():
    """Only where the bound happens to meet the cost the tree is called optimal."""
    rng = np.random.default_rng(0)
    problem = posed(rng.random((40, 2)), rng.integers(0, 2, 40))
    result = CART().search(problem, Limits())
    assert str(result.reason) == "finished"
    assert result.bound < result.objective
    assert not result.is_optimal
    easy = posed(np.array([[0.0], [0.0]]), np.array([0, 1]))
    assert CART().search(easy, Limits()).is_optimal


def test_its_tree_is_taken_as_it_is():
    """Also where a split costs more than it saves, and a single leaf would be cheaper."""
    rng = np.random.default_rng(0)
    problem = posed(rng.random((40, 2)), rng.integers(0, 2, 40), depth=2)
    grown = grow(problem)
    leaf = ObliqueTree.leaf(2, 2, 2, label=int(problem.class_mass().argmax()))
    saved = price_errors(problem, leaf).errors - price_errors(problem, grown).errors
    dear = replace(problem, costs=Costs(errors=1.0, splits=saved / grown.n_splits + 0.5))
    result = CART().search(dear, Limits())
    assert result.tree.n_splits == grown.n_splits > 0
    assert result.cost == price_errors(dear, result.tree)
    assert result.objective > price_errors(dear, leaf).total >= result.bound


def test_it_has_no_limits_to_reach():
    """Growing a tree takes no iterations, and no time to speak of."""
    rng = np.random.default_rng(0)
    problem = posed(rng.random((40, 2)), rng.integers(0, 2, 40))
    for limits in (Limits(iterations=5), Limits(seconds=0)):
        result = CART().search(problem, limits)
        assert (str(result.reason), result.limit) == ("finished", None)
        assert result.tree.n_splits == grow(problem).n_splits
