"""A simplified tree is simpler and never dearer."""

from dataclasses import replace

import numpy as np
from hypothesis import given

from margintree.core import topology
from margintree.core.judges import price_margins
from margintree.core.problem import Costs, Problem
from margintree.core.simplify import (
    push_up,
    remove_empty_sides,
    simplify,
    with_cheapest_classes,
    with_leaf_mass,
)
from margintree.core.tree import ObliqueTree
from strategies import problems_with_trees


def divides(problem, tree):
    """Return which splits have rows on both sides."""
    path = tree.decision_path(problem.X).toarray().astype(bool)
    return path[:, 1::2].any(axis=0) & path[:, 2::2].any(axis=0)


@given(problems_with_trees())
def test_simplifying_never_raises_the_cost(pair):
    """The judge never prices the simpler tree higher."""
    problem, tree = pair
    before, after = (
        price_margins(problem, tree).total,
        price_margins(problem, simplify(problem, tree)).total,
    )
    assert after <= before + 1e-9 * max(1.0, before)


@given(problems_with_trees())
def test_simple_trees_stay_as_they_are(pair):
    """To simplify twice is to simplify once."""
    problem, tree = pair
    once = simplify(problem, tree)
    assert simplify(problem, once) == once


@given(problems_with_trees())
def test_every_split_of_a_simple_tree_divides_and_has_a_splitting_parent(pair):
    """No split has an empty side, and none stands below an idle node."""
    problem, tree = pair
    simple = simplify(problem, tree)
    assert (divides(problem, simple) == simple.splits).all()
    for t in range(2, len(simple.splits) + 1):
        assert simple.splits[t // 2 - 1] or not simple.splits[t - 1]


@given(problems_with_trees())
def test_moving_nodes_keeps_the_predictions(pair):
    """Removing empty sides and pushing splits up changes no prediction of a training row."""
    problem, tree = pair
    expected = tree.predict(problem.X)
    assert (remove_empty_sides(problem, tree).predict(problem.X) == expected).all()
    assert (push_up(problem, tree).predict(problem.X) == expected).all()


def test_a_split_that_does_not_pay_is_removed():
    """A split that saves one error of price 1 but costs 2 goes."""
    costs = Costs(errors=1, violations=0, splits=2)
    problem = Problem.from_data([[0.0], [1.0]], [0, 1], n_classes=2, depth=1, costs=costs)
    tree = ObliqueTree.stump([2.0], -1.0, leaf_classes=[0, 1], n_classes=2)
    assert simplify(problem, tree).n_splits == 0


def test_an_empty_leaf_takes_the_class_of_its_closest_ancestor_with_rows():
    """An empty leaf predicts what is cheapest for the rows that came closest to it."""
    problem = Problem.from_data([[0.0], [0.1], [1.0]], [0, 0, 1], n_classes=2, depth=2)
    tree = ObliqueTree(
        weights=np.array([[2.0], [0.0], [0.0]]),
        intercepts=np.array([-1.0, -1.0, -1.0]),
        splits=np.array([True, False, False]),
        leaf_classes=np.array([1, 1, 0, 0]),
        leaf_mass=np.zeros((4, 2)),
        scaling=problem.scaling,
    )
    assert with_cheapest_classes(problem, tree).leaf_classes.tolist() == [0, 0, 1, 1]


@given(problems_with_trees())
def test_leaf_mass_is_the_weight_of_the_rows_that_arrive(pair):
    """All rows are counted once, in the leaf of apply, and the tree is otherwise unchanged."""
    problem, tree = pair
    noted = with_leaf_mass(problem, tree)
    first = topology.n_leaves(problem.depth)
    for leaf in topology.leaves(problem.depth):
        arrived = tree.apply(problem.X) == leaf
        np.testing.assert_array_equal(noted.leaf_mass[leaf - first], problem.class_mass(arrived))
    assert replace(noted, leaf_mass=tree.leaf_mass) == tree
