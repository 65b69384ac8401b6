"""The judge of class trees, beside a slow twin."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from margintree.core.judges import price_classes
from margintree.core.problem import Costs, Problem
from margintree.core.tree import ObliqueTree
from strategies import problems_with_trees


def slow_price(problem, tree):
    """Walk to every leaf with every row, and let each class take its cheapest leaf."""
    ways = []

    def walk(node, price):
        if node > len(tree.splits):
            ways.append((tree.leaf_classes[node - len(tree.leaf_classes)], price))
        elif not tree.splits[node - 1]:
            walk(2 * node, price)
        else:
            f = problem.X @ tree.weights[node - 1] + tree.intercepts[node - 1]
            walk(2 * node, price + np.maximum(0, 1 + f))
            walk(2 * node + 1, price + np.maximum(0, 1 - f))

    walk(1, np.zeros(problem.n_rows))
    total = 0.0
    for k in range(problem.n_classes):
        weights = problem.row_weights * (problem.y == k)
        prices = [weights @ price for label, price in ways if label == k]
        total += min(prices, default=2 * weights.sum())
    return problem.costs.violations * total, len(ways) - len({label for label, _ in ways})


@given(problems_with_trees())
def test_the_judge_prices_ways_as_its_slow_twin_does(drawn):
    """Violations on the way to the leaf of the class, and leaves too many."""
    problem, tree = drawn
    cost = price_classes(problem, tree)
    violations, extra = slow_price(problem, tree)
    assert cost.violations == pytest.approx(violations, rel=1e-9, abs=1e-9)
    norms = np.linalg.norm(tree.weights[tree.splits], axis=1)
    assert cost.margins == pytest.approx(sum(map(problem.margin_price, norms)))
    assert cost.faults["extra_leaves"] == extra


@given(problems_with_trees(), st.integers(0, 2))
def test_levels_that_do_not_split_cost_nothing(drawn, levels):
    """A deeper tree with the same splits has the same cost."""
    problem, tree = drawn
    deeper = tree.deepened(tree.depth + levels)
    assert price_classes(problem, deeper) == price_classes(problem, tree)


def test_a_class_without_a_leaf_pays_for_the_wrong_edge():
    """Two units per row, by weight; the same as at a hyperplane without weights."""
    problem = Problem.from_data(
        [[0.0], [1.0]], [0, 1], n_classes=2, depth=1, row_weights=[3, 5], costs=Costs(violations=10)
    )
    leaf = ObliqueTree.leaf(1, n_features=1, n_classes=2, label=1)
    flat = ObliqueTree.stump([0.0], 1.0, leaf_classes=[0, 1], n_classes=2)
    assert price_classes(problem, leaf).total == price_classes(problem, flat).total == 60.0
