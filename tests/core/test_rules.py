"""Rules on leaves and splits: counted in one place, by every judge."""

from dataclasses import replace

import numpy as np
import pytest

from margintree._lib.exceptions import InvalidInputError
from margintree.core.judges import price_errors, price_labels, price_margins
from margintree.core.problem import Problem
from margintree.core.rules import Rules, closest_values, leaf_masses, widths
from margintree.core.tree import ObliqueTree

FOUR = Problem.from_data([[0], [1], [2], [3]], [0, 0, 0, 1], n_classes=2, depth=2)
JUDGES = [price_errors, price_margins, price_labels]


def stump(weights, intercept, depth=2):
    return ObliqueTree.stump(weights, intercept, leaf_classes=[0, 1], n_classes=2).deepened(depth)


def faults(problem, tree):
    return problem.rules.faults(problem.X, problem.row_weights, tree)


@pytest.mark.parametrize("judge", JUDGES)
@pytest.mark.parametrize(
    ("rules", "tree", "expected"),
    [
        ({"min_samples_leaf": 0.25}, stump([1.0], -0.9), {"light_leaves": 0}),
        ({"min_samples_leaf": 0.26}, stump([1.0], -0.9), {"light_leaves": 1}),
        ({"min_samples_leaf": 2}, stump([1.0], -0.9), {"light_leaves": 1}),
        ({"min_samples_leaf": 0.5}, ObliqueTree.leaf(2, 1, 2), {"light_leaves": 0}),
        ({"max_splits": 0}, stump([1.0], -0.5), {"extra_splits": 1}),
        ({"max_splits": 1}, stump([1.0], -0.5), {"extra_splits": 0}),
        ({"max_splits": 9}, stump([1.0], -0.5), {"extra_splits": 0}),
    ],
)
def test_every_broken_rule_is_a_fault(judge, rules, tree, expected):
    """Light leaves, of those that rows can reach, and splits too many; every judge counts them."""
    problem = FOUR.with_rules(**rules)
    assert faults(problem, tree) == expected
    cost = judge(problem, tree)
    assert cost.faults.items() >= expected.items()
    assert cost.is_allowed == (not any(expected.values()))


@pytest.mark.parametrize("judge", JUDGES)
def test_rules_do_not_change_what_a_tree_costs(judge):
    """A broken rule is a fault, not a price."""
    tree = stump([1.0], -0.5)
    strict = FOUR.with_rules(0.5, 0, axis_parallel=True, separation=0.9)
    assert judge(strict, tree).terms == judge(FOUR, tree).terms
    assert {*Rules(1.0, 0, True, 0.1).faults(FOUR.X, FOUR.row_weights, tree)} == {
        "light_leaves",
        "extra_splits",
        "oblique_splits",
        "narrow_splits",
    }


def test_no_rule_is_no_fault():
    """Without rules nothing is counted."""
    assert faults(FOUR, stump([1.0], -0.5)) == {}


def test_an_oblique_split_is_a_fault_where_it_is_not_allowed():
    """Splits on one feature are."""
    problem = Problem.from_data([[0, 0], [1, 1]], [0, 1], n_classes=2, depth=1)
    oblique, straight = (stump(weights, -0.5, 1) for weights in ([1.0, 1.0], [0.0, 1.0]))
    strict = problem.with_rules(axis_parallel=True)
    assert faults(strict, oblique) == {"oblique_splits": 1}
    assert faults(strict, straight) == {"oblique_splits": 0}
    assert faults(problem.with_rules(axis_parallel=False), oblique) == {}


@pytest.mark.parametrize(("separation", "expected"), [(0.12, 0), (0.125, 0), (0.13, 1)])
def test_sides_that_are_too_close_are_a_fault(separation, expected):
    """They are an eighth apart for weights of 1/2 and -1/2, and for all multiples of them."""
    problem = Problem.from_data([[0, 0], [2, 1], [4, 4]], [0, 1, 1], n_classes=2, depth=1)
    problem = problem.with_rules(separation=separation)
    for factor in (0.1, 1.0, 10.0):
        tree = stump([factor, -factor], -0.01 * factor, 1)
        assert tree.apply(problem.X).tolist() == [2, 3, 2]
        assert faults(problem, tree) == {"narrow_splits": expected}


def test_a_share_that_rounds_up_is_granted():
    """0.07 of 100 rows is a little more than 7 in floating-point numbers."""
    X, y = np.arange(100.0)[:, None], np.arange(100) >= 93
    problem = Problem.from_data(X, y, n_classes=2, depth=1)
    tree = stump([1.0], -92.5 / 99, 1)
    assert 0.07 * 100 > 7
    assert faults(problem.with_rules(min_samples_leaf=0.07), tree) == {"light_leaves": 0}


@pytest.mark.parametrize(
    ("rules", "named"),
    [
        ({"min_samples_leaf": 0.6}, "0.6"),
        ({"min_samples_leaf": -0.1}, "-0.1"),
        ({"min_samples_leaf": 3}, "3"),
        ({"max_splits": -1}, "-1"),
    ],
)
def test_rules_that_make_no_sense_are_refused(rules, named):
    """The message says what was given."""
    with pytest.raises(InvalidInputError, match=f"{named} was given"):
        FOUR.with_rules(**rules)


def test_a_problem_has_the_rules_that_it_was_given_last():
    """Nothing of earlier rules is left, and the rows stay as they are."""
    strict = FOUR.with_rules(1, 2, axis_parallel=True, separation=0.1)
    assert strict.rules == Rules(pytest.approx(1.0), 2, True, 0.1)
    assert strict.with_rules().rules == FOUR.rules == Rules()
    assert strict.X is FOUR.X


@pytest.mark.parametrize(("max_splits", "most"), [(None, 3), (0, 0), (2, 2), (7, 3)])
def test_no_tree_has_more_splits_than_its_depth_allows(max_splits, most):
    """The rule counts only where it is stricter than the depth."""
    assert FOUR.with_rules(max_splits=max_splits).max_splits == most


def test_masses_are_those_of_leaves_that_a_row_can_reach():
    """To the right of a node that does not split there is no leaf to be filled."""
    weights = np.array([1.0, 2.0, 4.0, 8.0])
    assert leaf_masses(FOUR.X, weights, stump([1.0], -0.5)).tolist() == [3.0, 12.0]
    assert leaf_masses(FOUR.X, weights, ObliqueTree.leaf(2, 1, 2)).tolist() == [15.0]
    empty = stump([1.0], -5.0)
    assert leaf_masses(FOUR.X, weights, empty).tolist() == [15.0, 0.0]


def test_sides_are_measured_from_their_closest_rows():
    """Where a node does not split, or one side has no row, they are infinitely far apart."""
    tree = replace(
        stump([3.0], -1.2),
        weights=[[3.0], [0.0], [3.0]],
        intercepts=[-1.2, -1.0, 4.0],
        splits=[True, False, True],
    )
    low, high = closest_values(FOUR.X, tree)
    np.testing.assert_allclose(low, [-0.2, -np.inf, -np.inf])
    np.testing.assert_allclose(high, [0.8, np.inf, 6.0])
    np.testing.assert_allclose(widths(FOUR.X, tree), [1 / 3, np.inf, np.inf])
