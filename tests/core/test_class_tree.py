"""Class trees as nested splits, and the best classes for given hyperplanes."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from margintree.core.class_tree import Split, height_of, to_tree, with_best_leaves
from margintree.core.judges import price_classes
from margintree.core.problem import Costs, Problem
from strategies import problems_with_trees

# Few binary digits, so that every way to add up a split's value gives the same number.
eighths = st.integers(-32, 32).map(lambda number: number / 8)
CORNERS = [[0.0, 1.0], [1.0, 0.0]]
ROWS = Problem.from_data(
    np.vstack([np.random.default_rng(0).integers(0, 9, (10, 2)) / 8, CORNERS]),
    np.arange(12) % 4,
    n_classes=4,
    depth=5,
)


@st.composite
def parts(draw, classes=(0, 1, 2, 3)):
    """Draw a class tree over some classes."""
    if len(classes) == 1:
        return classes[0]
    cut = draw(st.integers(1, len(classes) - 1))
    weights = np.array([draw(eighths), draw(eighths)])
    left, right = draw(parts(classes[:cut])), draw(parts(classes[cut:]))
    return Split(weights, draw(eighths), left, right)


def class_at(part, x):
    """Follow a row through nested splits."""
    while isinstance(part, Split):
        part = part.right if part.weights @ x + part.intercept >= 0 else part.left
    return part


@given(parts())
def test_a_tree_predicts_what_its_nested_splits_do(part):
    """As a complete binary tree of just the needed depth."""
    tree = to_tree(ROWS, part)
    assert tree.depth == height_of(part)
    assert tree.n_splits == 3
    assert tree.predict(ROWS.X).tolist() == [class_at(part, x) for x in ROWS.X]


def best_by_trying(problem, tree):
    """Return the least price of the violations over all ways to name the leaves, or not to."""
    ways = np.array([price_ways(problem, tree, k) for k in range(problem.n_classes)]).reshape(
        problem.n_classes, -1
    )
    least = np.inf
    for places in product(range(ways.shape[1]), repeat=problem.n_classes):
        named = [place for place in places if place < ways.shape[1] - 1]
        if len({*named}) == len(named):
            least = min(least, sum(ways[k, place] for k, place in enumerate(places)))
    return least


def price_ways(problem, tree, k):
    """Return the prices of a class at every leaf, and without one."""
    rows = problem.y == k
    weights = problem.costs.violations * problem.row_weights[rows]
    prices = []
    for leaf in tree.open_leaves.tolist():
        price, node = 0.0, leaf
        while node > 1:
            node, side = node // 2, node % 2
            if tree.splits[node - 1]:
                f = problem.X[rows] @ tree.weights[node - 1] + tree.intercepts[node - 1]
                price += weights @ np.maximum(0, 1 - f if side else 1 + f)
        prices.append(price)
    return [*prices, 2 * weights.sum()]


@settings(max_examples=40)
@given(problems_with_trees())
def test_leaves_get_the_classes_that_cost_least(drawn):
    """As found by trying all; splits that part no classes are gone, and it is done at once."""
    problem, tree = drawn
    best = with_best_leaves(problem, tree)
    cost = price_classes(problem, best)
    assert cost.faults["extra_leaves"] == 0
    if len(tree.open_leaves) <= 4:
        least = best_by_trying(problem, tree)
        margins = (tree.weights**2).sum() / 2
        assert cost.total <= (least + margins) * (1 + 1e-5) + 1e-9
    again = with_best_leaves(problem, best)
    assert price_classes(problem, again).total == pytest.approx(cost.total, rel=1e-5)
    assert len(again.open_leaves) == again.n_splits + 1


def test_a_tree_of_its_own_kind_costs_no_more():
    """A tree with one leaf per class keeps its leaves unless others are cheaper."""
    X, y = [[0.0], [0.1], [0.5], [0.6], [1.0]], [0, 0, 1, 1, 2]
    problem = Problem.from_data(X, y, n_classes=3, depth=2, costs=Costs(violations=9))
    part = Split(np.array([5.0]), -1.5, 0, Split(np.array([5.0]), -4.0, 1, 2))
    tree = to_tree(problem, part)
    assert with_best_leaves(problem, tree) == tree


def test_heavy_classes_keep_a_single_leaf():
    """Without splits the heaviest class is predicted."""
    problem = Problem.from_data([[0.0], [1.0]], [0, 1], n_classes=3, depth=2, row_weights=[1, 2])
    assert with_best_leaves(problem, to_tree(problem, 0)).leaf_classes.tolist() == [1, 1]
