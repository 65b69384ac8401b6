"""Axis-parallel trees as features and ranks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from margintree.core.axis_tree import AxisTree, feature_ranks, halved, to_axis_tree, to_tree
from margintree.core.problem import Problem
from strategies import raw_data


@st.composite
def problems_with_plans(draw):
    """Draw a problem and an axis tree whose every split parts its rows."""
    X, y, weights, n_classes = draw(raw_data(max_rows=12))
    depth = draw(st.integers(1, 3))
    problem = Problem.from_data(X, y, n_classes=n_classes, depth=depth, row_weights=weights)
    ranks = feature_ranks(problem.X)

    def axis_tree(rows, depth):
        cuts = [(j, r) for j, own in enumerate(ranks[:, rows]) for r in np.unique(own)[1:]]
        if depth == 0 or not cuts or draw(st.integers(0, 3)) == 0:
            return None
        feature, rank = draw(st.sampled_from(cuts))
        right = ranks[feature, rows] >= rank
        below = axis_tree(rows[~right], depth - 1), axis_tree(rows[right], depth - 1)
        return AxisTree(feature, int(ranks[feature, rows[right]].min()), *below)

    return problem, ranks, axis_tree(np.arange(problem.n_rows), depth)


@given(problems_with_plans())
def test_a_tree_of_a_plan_has_that_plan(drawn):
    """And its splits keep -1 and 1 on the training rows, so there is no tie."""
    problem, ranks, axis_tree = drawn
    tree = to_tree(problem, ranks, axis_tree)
    assert to_axis_tree(problem, ranks, tree) == axis_tree
    assert halved(problem, tree) == tree
    assert (np.count_nonzero(tree.weights, axis=1) == tree.splits).all()
    inside = tree.decision_path(problem.X).toarray()[:, : len(tree.splits)].astype(bool)
    values = np.abs(tree.split_values(problem.X)[inside & tree.splits])
    assert values.min(initial=1.0) >= 1 - 1e-6


@given(problems_with_plans())
def test_the_units_of_a_tree_do_not_matter(drawn):
    """A tree in original units and back has the same axis tree."""
    problem, ranks, axis_tree = drawn
    tree = to_tree(problem, ranks, axis_tree)
    assert (
        to_axis_tree(problem, ranks, tree.in_original_units().rescaled(problem.scaling))
        == axis_tree
    )


@pytest.mark.parametrize("gap", [1e-3, 1e-9, 1e-13, np.spacing(0.5)])
def test_neighbours_of_any_distance_are_parted(gap):
    """Down to two numbers with none between them."""
    X = np.array([[0.0], [0.5], [0.5 + gap], [1.0]])
    problem = Problem.from_data(X, [0, 0, 1, 1], n_classes=2, depth=1)
    tree = to_tree(problem, feature_ranks(problem.X), AxisTree(feature=0, rank=2))
    np.testing.assert_array_equal(tree.predict(problem.X), [0, 0, 1, 1])
