"""The judge that counts errors and splits."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from margintree.core.judges import errors_only, price_errors, with_relative_errors
from margintree.core.problem import Costs, Problem
from margintree.core.tree import ObliqueTree
from strategies import problems, problems_with_trees


@given(problems_with_trees())
def test_the_judge_counts_what_predict_gets_wrong(drawn):
    """Row by row, with weights and prices, and every split with its features."""
    problem, tree = drawn
    cost = price_errors(problem, tree)
    wrong = sum(
        problem.row_weights[i] * problem.error_costs[problem.y[i], label]
        for i, label in enumerate(tree.predict(problem.X))
    )
    assert cost.errors == pytest.approx(problem.costs.errors * wrong)
    assert cost.splits == pytest.approx(problem.costs.splits * tree.n_splits)
    features = problem.costs.features * np.count_nonzero(tree.weights)
    assert cost.total == pytest.approx(cost.errors + cost.splits + features)
    assert cost.faults == {}


def test_violations_cost_nothing_here():
    """Whatever is asked for a violation, only errors and splits are paid."""
    problem = Problem.from_data([[0], [1]], [0, 1], n_classes=2, depth=1, costs=Costs(1, 9, 2))
    tree = ObliqueTree.stump([1.0], -0.5, leaf_classes=[0, 1], n_classes=2)
    assert errors_only(problem).costs == Costs(1, 0, 2)
    assert price_errors(problem, tree) == price_errors(errors_only(problem), tree)


@given(problems())
def test_the_errors_of_the_best_single_leaf_cost_one(problem):
    """Unless it makes none; then an error costs 1, whatever it cost before."""
    problem = replace(problem, error_costs=1.0 - np.eye(problem.n_classes))
    posed = with_relative_errors(problem, splits=0.25)
    assert (posed.costs.violations, posed.costs.splits) == (0.0, 0.25)
    heaviest = int(problem.class_mass().argmax())
    leaf = ObliqueTree.leaf(problem.depth, problem.n_features, problem.n_classes, label=heaviest)
    if len(set(problem.y)) == 1:
        assert posed.costs.errors == 1.0
        assert price_errors(posed, leaf).total == 0.0
    else:
        assert price_errors(posed, leaf).total == pytest.approx(1.0)
    np.testing.assert_array_equal(posed.X, problem.X)
