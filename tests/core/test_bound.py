"""The lower bound without a solver: never above the optimum, and each of its facts at work."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from margintree.core.bound import contradictions, lower_bound, separation, unnamed
from margintree.core.judges import price_margins
from margintree.core.problem import Costs, Problem
from margintree.core.simplify import simplify
from margintree.core.tree import ObliqueTree
from margintree.testing.instances import tiny_problem
from margintree.testing.margin_oracles import cheapest_tree
from strategies import trees
from working_trees import small_problems

ROUNDING = 1e-9


@pytest.mark.parametrize("seed", range(60))
def test_the_bound_is_at_most_the_optimum(seed):
    """Enumeration of all trees never finds one below it; weights, prices and both norms vary."""
    problem = tiny_problem(np.random.default_rng([7, seed]))
    assert lower_bound(problem) <= cheapest_tree(problem).cost * (1 + 1e-6)


@given(st.data())
def test_no_tree_costs_less_than_the_bound(data):
    """Any tree on any small problem, free terms, equal rows and constant columns included."""
    problem = data.draw(small_problems())
    tree = data.draw(trees(problem.n_features, problem.n_classes, problem.depth))
    bound = lower_bound(problem)
    for candidate in (tree, simplify(problem, tree)):
        assert 0 <= bound <= price_margins(problem, candidate).total + ROUNDING


def test_the_tree_without_splits_is_proved_where_splits_cannot_pay():
    """Where a split costs more than all errors, the bound is the cost of the best class."""
    problem = Problem.from_data(
        [[0.0], [0.5], [1.0]], [0, 0, 1], n_classes=2, depth=2, costs=Costs(1.0, 1.0, 50.0)
    )
    leaf = simplify(problem, ObliqueTree.leaf(2, 1, 2))
    assert lower_bound(problem) == price_margins(problem, leaf).total == 1.0


def four_classes(depth=1, **changes):
    """Return a problem with a row at every corner of a square, each of its own class."""
    return Problem.from_data(
        [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]],
        [0, 1, 2, 3],
        n_classes=4,
        depth=depth,
        **{"costs": Costs(10.0, 0.01, 1.0), "row_weights": [1.0, 2.0, 3.0, 4.0]} | changes,
    )


def test_classes_without_a_leaf_are_binding():
    """One split names two of four classes; the two lightest pay, and that is the bound."""
    problem = four_classes()
    assert [unnamed(problem, leaves) for leaves in (1, 2, 3, 4)] == [60.0, 30.0, 10.0, 0.0]
    assert contradictions(problem) == 0
    assert separation(problem) < 1
    assert lower_bound(problem) == 1.0 + 30.0
    assert lower_bound(problem) == pytest.approx(cheapest_tree(problem).cost, rel=0.01)


def test_more_splits_are_weighed_against_fewer_errors():
    """At depth two the bound pays three splits rather than a class without a leaf."""
    assert lower_bound(four_classes(depth=2)) == pytest.approx(3.0, abs=0.1)


def test_classes_that_are_absent_need_no_leaf():
    """A class code without rows is no reason for a split or an error."""
    problem = four_classes(row_weights=[1.0, 0.0, 0.0, 4.0])
    assert unnamed(problem, 2) == 0


def test_the_cheapest_wrong_class_is_what_an_unnamed_class_pays():
    """With a matrix of error prices each row counts with its smallest entry."""
    prices = np.array([[0, 5, 2, 9], [4, 0, 6, 3], [7, 8, 0, 1], [9, 9, 9, 0]], dtype=float)
    problem = four_classes(error_costs=prices, row_weights=None)
    assert unnamed(problem, 3) == 10.0
    assert unnamed(problem, 1) == 60.0


def contradiction(**changes):
    """Return a problem whose rows at 0 have two classes, far from the row at 1."""
    return Problem.from_data(
        [[0.0], [0.0], [1.0]],
        [0, 1, 1],
        n_classes=2,
        depth=1,
        **{"costs": Costs(10.0, 0.01, 0.1), "row_weights": [2.0, 3.0, 7.0]} | changes,
    )


def test_contradicting_rows_are_binding():
    """Equal rows get one class, so the lighter of them pays whatever the tree."""
    problem = contradiction()
    assert contradictions(problem) == 20.0
    assert lower_bound(problem) == 20.0
    assert lower_bound(problem) == pytest.approx(cheapest_tree(problem).cost)


def test_contradicting_rows_may_agree_on_a_third_class():
    """With a matrix of error prices the common class may be neither of their own."""
    prices = np.array([[0, 9, 1], [9, 0, 1], [9, 9, 0]], dtype=float)
    problem = Problem.from_data(
        [[0.0], [0.0], [1.0]], [0, 1, 2], n_classes=3, depth=1, error_costs=prices
    )
    assert contradictions(problem) == 2.0


@pytest.mark.parametrize(("norm", "expected"), [("squared", 2 / 0.25), ("plain", 1 / 0.5)])
def test_separated_pairs_are_binding(norm, expected):
    """Two pairs half a unit apart: the margin term of the smallest norm that separates them."""
    problem = Problem.from_data(
        [[0.0, 0.0], [0.5, 0.0], [0.0, 1.0], [0.5, 1.0]],
        [0, 1, 0, 1],
        n_classes=2,
        depth=1,
        costs=Costs(1000.0, 1000.0, 0.0),
        margin_term=norm,
    )
    # The constant-width problem is scaled to the unit square, where the pairs are one unit apart.
    expected = expected / 4 if norm == "squared" else expected / 2
    bound = separation(problem)
    assert contradictions(problem) == unnamed(problem, 2) == 0
    assert 0.98 * expected <= bound <= expected
    assert lower_bound(problem) == bound <= cheapest_tree(problem).cost
    assert cheapest_tree(problem).cost == pytest.approx(expected, rel=1e-5)


def test_a_pair_may_pay_in_violations_instead():
    """Where violations are cheap the bound is what the pair violates at the best norm."""
    problem = Problem.from_data(
        [[0.0], [1.0]], [0, 1], n_classes=2, depth=1, costs=Costs(100.0, 0.5, 0.0)
    )
    # The minimum of s^2 / 2 + c (2 - s) is 2 c - c^2 / 2.
    expected = 2 * 0.5 - 0.5**2 / 2
    assert 0.98 * expected <= lower_bound(problem) <= expected
    assert cheapest_tree(problem).cost == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("seed", [194])
def test_one_contradiction_does_not_spoil_the_pairs(seed):
    """Equal rows of two classes, at a distance of 3e-8 by rounding, leave the other pairs alone."""
    rng = np.random.default_rng(seed)
    n_features = int(rng.integers(1, 9))
    X = rng.random((21, n_features))
    X[0] = X[1]
    y = np.r_[1, 0, rng.integers(0, 2, 19)]
    with_it, without = (
        separation(Problem.from_data(X[k:], y[k:], n_classes=2, depth=2, costs=Costs(10.0, 1.0)))
        for k in (0, 1)
    )
    assert with_it >= 0.9 * without


def test_one_close_pair_does_not_spoil_the_others():
    """Two rows of different classes that almost coincide raise the bound rather than lower it."""
    X, y = np.linspace(0, 1, 11), np.arange(11) % 2
    bounds = [
        separation(
            Problem.from_data(
                np.append(X, 0.5 + gap)[:, None],
                np.append(y, 1 - y[5]),
                n_classes=2,
                depth=3,
                costs=Costs(10.0, 1.0),
            )
        )
        for gap in (1e-2, 1e-5)
    ]
    assert bounds[1] >= 0.9 * bounds[0]


def test_few_rows_of_many_are_enough():
    """More rows than are looked at: still a bound, and still quick."""
    rng = np.random.default_rng(3)
    X, y = rng.random((3000, 4)), rng.integers(0, 5, 3000)
    problem = Problem.from_data(X, y, n_classes=5, depth=2, costs=Costs(1.0, 1.0, 0.1))
    leaf = simplify(problem, ObliqueTree.leaf(2, 4, 5))
    assert 0 < lower_bound(problem) <= price_margins(problem, leaf).total


@pytest.mark.parametrize("X", [[[0.0]], [[0.0], [1.0], [2.0]]])
def test_a_single_class_costs_nothing(X):
    """One class, one row or three: the bound is zero, and so is the optimum."""
    problem = Problem.from_data(X, [0] * len(X), n_classes=1, depth=2)
    assert lower_bound(problem) == 0.0
