"""The order of splits that can change places: a rule decides it, and nothing else changes."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from margintree import MOCTSVMClassifier, ObliqueTree
from margintree.core.judges import price_margins
from margintree.core.problem import Problem
from margintree.core.question_order import TIE, in_order
from margintree.core.simplify import simplify, with_leaf_mass
from strategies import problems_with_trees


def ends_of_a_line(weights, first):
    """Return three groups of rows on a line, and the tree whose root cuts off the first or last."""
    problem = Problem.from_data(
        [[0.0], [4.0], [8.0]], [0, 1, 2], row_weights=weights, n_classes=3, depth=2
    )
    low, high = -1.0, -3.0  # intercepts: at 1/4 and 3/4 of the line
    splits = np.array([True, first == 2, first == 0])
    intercepts = [[low, -1.0, high], [], [high, low, -1.0]][first]
    leaves = [[0, 0, 1, 2], [], [0, 1, 2, 2]][first]
    tree = ObliqueTree(
        np.where(splits, 4.0, 0.0)[:, None],
        np.array(intercepts),
        splits,
        leaves,
        np.zeros((4, 3)),
        problem.scaling,
    )
    return problem, with_leaf_mass(problem, tree)


@given(case=problems_with_trees())
def test_no_row_changes_its_class_and_the_cost_stays(case):
    """For any tree without useless splits; asking again changes nothing."""
    problem, tree = case
    tree = simplify(problem, tree)
    ordered = in_order(problem, tree, price_margins)
    np.testing.assert_array_equal(ordered.predict(problem.X), tree.predict(problem.X))
    before, after = price_margins(problem, tree), price_margins(problem, ordered)
    assert after.total <= before.total * (1 + 2 * TIE)
    assert after.splits == before.splits
    assert after.is_allowed or not before.is_allowed
    assert in_order(problem, ordered, price_margins) == ordered


@given(weights=st.lists(st.integers(1, 9), min_size=3, max_size=3))
def test_both_orders_become_one(weights):
    """The end with more rows is cut off first; the first of two equal ones."""
    trees = []
    for first in (0, 2):
        problem, tree = ends_of_a_line([*map(float, weights)], first)
        trees.append(in_order(problem, tree, price_margins))
    assert trees[0] == trees[1]
    assert trees[0].intercepts[0] == (-1.0 if weights[0] >= weights[2] else -3.0)


def test_a_tree_that_would_cost_more_is_not_taken():
    """The rows of one end lie within the margin of the other split, which they do not pass yet."""
    X, weights = [[0.0, 1.0], [0.5, 0.0], [1.0, 1.0]], [1.0, 1.0, 5.0]
    problem = Problem.from_data(X, [0, 1, 2], row_weights=weights, n_classes=3, depth=2)
    splits, leaves = np.array([True, False, True]), [0, 0, 1, 2]
    planes = np.array([[4.0, 0.0], [0.0, 0.0], [1.5, 1.25]]), np.array([-1.0, -1.0, -1.75])
    tree = ObliqueTree(*planes, splits, leaves, np.zeros((4, 3)), problem.scaling)
    assert price_margins(problem, tree).violations == 0
    assert in_order(problem, tree, price_margins) == tree
    straight = replace(tree, weights=np.array([[4.0, 0.0], [0.0, 0.0], [4.0, 0.0]]))
    straight = replace(straight, intercepts=np.array([-1.0, -1.0, -3.0]))
    assert in_order(problem, straight, price_margins) != straight


def test_a_subtree_does_not_sink_below_the_last_level():
    """The left side has splits on the last level, so it cannot go one level down."""
    X = np.arange(8.0)[:, None]
    problem = Problem.from_data(X, range(8), n_classes=8, depth=3)
    cuts = np.array([4, 2, 6, 1, 3, 5, 7]) - 0.5
    tree = ObliqueTree(
        np.full((7, 1), 70.0),
        -70.0 * cuts / 7,
        np.ones(7, dtype=bool),
        range(8),
        np.zeros((8, 8)),
        problem.scaling,
    )
    assert in_order(problem, tree, price_margins) == tree


@pytest.mark.parametrize("start", [0, 2])
def test_fits_are_in_order(start):
    """Whichever order a fit starts from, it returns the same tree."""
    X, y = [[0.0], [0.1], [4.0], [8.0], [8.1], [8.2]], [0, 0, 1, 2, 2, 2]
    _, tree = ends_of_a_line([1.0, 1.0, 1.0], start)
    clf = MOCTSVMClassifier(2, c1=100.0, c3=1.0, start=tree, max_iter=0).fit(X, y)
    assert clf.tree_.splits.tolist() == [True, True, False]
    assert clf.tree_.leaf_classes.tolist() == [0, 1, 2, 2]
