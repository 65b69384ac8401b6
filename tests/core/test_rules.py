"""Rules on leaves and splits, and the judge that counts errors."""

import numpy as np
import pytest
from hypothesis import given

from margintree._lib.exceptions import InvalidInputError
from margintree.core.judges import price_errors, errors_only
from margintree.core.problem import Costs, Problem
from margintree.core.rules import Shape
from margintree.core.tree import ObliqueTree
from strategies import problems_with_trees

FOUR = Problem.from_data([[0], [1], [2], [3]], [0, 0, 0, 1], n_classes=2, depth=2)


def stump(weights, intercept, depth=2):
    return ObliqueTree.stump(weights, intercept, leaf_classes=[0, 1], n_classes=2).deepened(depth)


@given(problems_with_trees())
def test_the_judge_counts_what_predict_gets_wrong(drawn):
    """Row by row, with weights and prices, and every split once for every feature it looks at."""
    problem, tree = drawn
    cost = price_errors(problem, Shape.of(problem), tree)
    wrong = sum(
        problem.row_weights[i] * problem.error_costs[problem.y[i], label]
        for i, label in enumerate(tree.predict(problem.X))
    )
    assert cost.errors == pytest.approx(problem.costs.errors * wrong)
    n_features = sum(max(1, np.count_nonzero(tree.weights[t])) for t in np.flatnonzero(tree.splits))
    assert cost.splits == pytest.approx(problem.costs.splits * n_features)
    assert cost.total == cost.errors + cost.splits


def test_violations_cost_nothing_here():
    """Whatever is asked for a violation, only errors and splits are paid."""
    problem = Problem.from_data([[0], [1]], [0, 1], n_classes=2, depth=1, costs=Costs(1, 9, 2))
    assert errors_only(problem).costs == Costs(1, 0, 2)


@pytest.mark.parametrize(
    ("rules", "tree", "faults"),
    [
        ({"min_leaf": 0.25}, stump([1.0], -0.9), 0),
        ({"min_leaf": 0.26}, stump([1.0], -0.9), 1),
        ({"min_leaf": 0.5}, ObliqueTree.leaf(2, 1, 2), 0),
        ({"max_splits": 0}, stump([1.0], -0.5), 1),
        ({"max_splits": 1}, stump([1.0], -0.5), 0),
        ({"max_splits": 9}, stump([1.0], -0.5), 0),
    ],
)
def test_every_broken_rule_is_a_fault(rules, tree, faults):
    """Light leaves, of those that rows can reach, and splits too many."""
    shape = Shape.of(FOUR, **rules)
    assert shape.faults(FOUR, tree) == faults
    assert price_errors(FOUR, shape, tree).is_allowed == (faults == 0)


def test_an_oblique_split_is_a_fault_where_it_is_not_allowed():
    """Splits on one feature are."""
    problem = Problem.from_data([[0, 0], [1, 1]], [0, 1], n_classes=2, depth=1)
    oblique, straight = (stump(weights, -0.5, 1) for weights in ([1.0, 1.0], [0.0, 1.0]))
    assert Shape.of(problem).faults(problem, oblique) == 1
    assert Shape.of(problem).faults(problem, straight) == 0
    assert Shape.of(problem, axis_parallel=False).faults(problem, oblique) == 0


@pytest.mark.parametrize(("separation", "faults"), [(0.12, 0), (0.125, 0), (0.13, 1)])
def test_sides_that_are_too_close_are_a_fault(separation, faults):
    """They are an eighth apart for weights of 1/2 and -1/2, and for all multiples of them."""
    problem = Problem.from_data([[0, 0], [2, 1], [4, 4]], [0, 1, 1], n_classes=2, depth=1)
    shape = Shape.of(problem, axis_parallel=False, separation=separation)
    for factor in (0.1, 1.0, 10.0):
        tree = stump([factor, -factor], -0.01 * factor, 1)
        assert tree.apply(problem.X).tolist() == [2, 3, 2]
        assert shape.faults(problem, tree) == faults


def test_a_share_that_rounds_up_is_granted():
    """0.07 of 100 rows is a little more than 7 in floating-point numbers."""
    X, y = np.arange(100.0)[:, None], np.arange(100) >= 93
    problem = Problem.from_data(X, y, n_classes=2, depth=1)
    tree = stump([1.0], -92.5 / 99, 1)
    assert 0.07 * 100 > 7
    assert Shape.of(problem, min_samples_leaf=0.07).faults(problem, tree) == 0


@pytest.mark.parametrize(
    ("rules", "named"), [({"min_leaf": 0.6}, "0.6"), ({"max_splits": -1}, "-1")]
)
def test_rules_that_make_no_sense_are_refused(rules, named):
    """The message says what was given."""
    with pytest.raises(InvalidInputError, match=f"{named} was given"):
        Shape.of(FOUR, **rules)
