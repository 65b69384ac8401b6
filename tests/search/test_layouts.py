"""Layouts and their trees: what becomes of groups of rows."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from margintree.objective import objective
from margintree.problem import Problem
from margintree.search import layouts
from margintree.search.aim import MARGINS
from margintree.search.labels import make_label_task
from margintree.search.task import make_task, to_tree
from sketches import bench_for, corners, small_problems


def test_a_layout_becomes_the_tree_it_stands_for():
    """The rows of a group share a leaf, and the tree is priced as the judge does."""
    problem = corners()
    bench = bench_for(problem)
    layouts.lay(bench, *layouts.improve_layout(bench, problem.y))
    pairs = set(zip(problem.y.tolist(), bench.state.terminals.tolist(), strict=True))
    assert len(pairs) == len({terminal for _, terminal in pairs}) == 8
    judged = objective(problem, to_tree(problem, bench.sketch))
    assert judged.is_allowed
    assert judged.total == pytest.approx(bench.price())
    assert judged.errors == 0.0


def test_groups_without_rows_leave_no_split():
    """Two clouds need one split, at the root, wherever their groups hang."""
    problem = replace(corners(depth=2), depth=3)
    bench = bench_for(problem)
    for groups in np.array([[0, 7], [2, 3], [5, 1]])[:, (problem.y > 1).astype(int)]:
        layouts.lay(bench, *layouts.improve_layout(bench_for(problem), groups))
        assert bench.sketch.splits[1]
        assert bench.price() < np.inf


@settings(deadline=None)
@given(small_problems(), st.integers(0, 9))
def test_a_shift_leaves_a_tree_that_costs_what_it_says(problem, seed):
    """Or infinity, for a tree that is not allowed; from any tree, that without splits included."""
    bench = bench_for(problem, 3.0, seed)
    for _ in range(3):
        cost = layouts.shift(bench, np.inf)
        assert cost == pytest.approx(bench.price())
        judged = objective(problem, to_tree(problem, bench.sketch))
        assert judged.is_allowed == (cost < np.inf)
        if judged.is_allowed:
            assert judged.total == pytest.approx(cost, rel=1e-6, abs=1e-9)


def test_shifts_find_a_leaf_for_every_cloud():
    """Every cloud in its leaf, from a tree without splits."""
    problem = corners(n_each=2)
    bench = bench_for(problem)
    costs = [layouts.shift(bench, np.inf) for _ in range(60)]
    assert min(costs) < 10.0 < costs[0]


def test_layouts_are_for_small_problems_with_labels_in_leaves():
    """Not for deep trees, many rows, or splits that see labels."""
    problem = corners(depth=2)
    assert layouts.has_layouts(MARGINS.make_task(problem))
    assert not layouts.has_layouts(make_task(problem, with_gram=False))
    assert not layouts.has_layouts(make_task(replace(problem, depth=4)))
    assert not layouts.has_layouts(make_task(corners(n_each=40, depth=3)))
    two = Problem.from_data([[0.0], [1.0]], [0, 1], n_classes=2, depth=1)
    assert not layouts.has_layouts(make_label_task(two))
