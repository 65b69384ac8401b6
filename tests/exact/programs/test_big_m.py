"""Big-M and what it rests on."""

import numpy as np
import pytest
from hypothesis import given

from margintree.core.judges import price_margins
from margintree.core.problem import Costs, Problem
from margintree.core.simplify import simplify
from margintree.exact.programs import Strengthening, bounds, build
from margintree.exact.programs.big_m import derive_bounds, least_errors
from strategies import problems_with_trees


@given(problems_with_trees())
def test_bounds_hold_for_every_tidy_tree(pair):
    """Norms, values and intercepts of a tidy tree stay within the bounds its cost implies."""
    problem, tree = pair
    tree = simplify(problem, tree)
    cost = price_margins(problem, tree)
    limits = derive_bounds(problem, cost.total, no_idle_parent=True)
    on = tree.splits
    slack = 1 + 1e-9
    assert (np.linalg.norm(tree.weights, axis=1)[on] <= limits.norms[on] * slack).all()
    assert (np.abs(tree.intercepts)[on] <= limits.intercepts[on] * slack).all()
    values = np.abs(tree.split_values(problem.X))[:, on]
    assert (values <= limits.values[:, on] * slack).all()
    assert cost.margin <= limits.margin * slack


@given(problems_with_trees())
def test_no_tree_has_fewer_errors_than_the_least(pair):
    """The lower bound on errors is one."""
    problem, tree = pair
    assert price_margins(problem, simplify(problem, tree)).errors >= least_errors(problem) - 1e-9


def test_twins_with_different_labels_cost_an_error():
    """Equal rows with different labels share a leaf, so one of them is wrong."""
    problem = Problem.from_data([[0.0], [0.0], [1.0]], [0, 1, 1], n_classes=2, depth=1)
    assert least_errors(problem) == pytest.approx(problem.costs.errors)


def test_classes_without_a_leaf_cost_errors():
    """Three classes on two leaves: the smallest class is wrong."""
    problem = Problem.from_data(
        [[0.0], [0.2], [0.5], [0.7], [1.0]], [0, 0, 1, 1, 2], n_classes=3, depth=1
    )
    assert least_errors(problem) == pytest.approx(problem.costs.errors)


def test_a_better_tree_tightens_every_big_m():
    """Half the cost gives smaller constants in C2."""
    problem = Problem.from_data(
        [[0.0], [0.4], [1.0]], [0, 1, 0], n_classes=2, depth=1, costs=Costs(10, 1, 1)
    )
    dear, cheap = (build(problem, bound, Strengthening.none()) for bound in (20.0, 10.0))
    family = dear.families["c2a"]
    assert (dear.row_lower[family] < cheap.row_lower[family]).all()
    assert dear.upper[dear.block("delta")] > cheap.upper[cheap.block("delta")]


def test_the_distance_for_many_rows_is_never_too_small(monkeypatch):
    """The corner of the box is at least as far away as the farthest row."""
    X = np.random.default_rng(0).random((30, 3))
    exact = bounds.farthest(X)
    monkeypatch.setattr(bounds, "MANY_ROWS", 10)
    assert (bounds.farthest(X) >= exact).all()
