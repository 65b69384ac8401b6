"""Leaf groups and their trees: what becomes of groups of rows."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from margintree.core.judges import price_margins
from margintree.core.problem import Costs, Problem
from margintree.search.margin import leaf_groups
from margintree.search.margin.kernel_data import NO_GRAM, make_kernel_data, to_tree
from margintree.search.margin.kernels.leaf_groups import arrange
from margintree.search.margin.label_trees import make_label_data
from working_trees import corners, local_search_for, small_problems


def test_leaf_groups_become_the_tree_they_stand_for():
    """The rows of a group share a leaf, and the tree is priced as the judge does."""
    problem = corners()
    local = local_search_for(problem)
    grouped = leaf_groups.new_groups(local, problem.y)
    leaf_groups.improve_groups(local, grouped)
    leaf_groups.lay(local, grouped)
    pairs = set(zip(problem.y.tolist(), local.state.terminals.tolist(), strict=True))
    assert len(pairs) == len({terminal for _, terminal in pairs}) == 8
    judged = price_margins(problem, to_tree(problem, local.working))
    assert judged.is_allowed
    assert judged.total == pytest.approx(local.price())
    assert judged.errors == 0.0


@pytest.mark.parametrize("places", [(0, 7), (2, 3), (5, 1)])
def test_groups_without_rows_leave_no_split(places):
    """Two clouds need one split, at the root, wherever their groups hang."""
    problem = replace(corners(depth=1), depth=3)
    local = local_search_for(problem, scale=3.0)
    grouped = leaf_groups.new_groups(local, np.array(places)[problem.y])
    assert arrange(local.data, grouped, np.inf) < 10.0
    leaf_groups.lay_below(local, grouped, 1, 1)
    assert np.flatnonzero(local.working.splits).tolist() == [1]


@settings(deadline=None)
@given(small_problems(), st.integers(0, 9))
def test_rearranging_leaves_a_tree_that_costs_what_it_says(problem, seed):
    """Or infinity, for a tree that is not allowed; from any tree, that without splits included."""
    local = local_search_for(problem, 3.0, seed)
    for _ in range(3):
        cost, done = leaf_groups.rearrange(local, np.inf, 9)
        assert 0 < done <= 9
        assert cost == pytest.approx(local.price())
        judged = price_margins(problem, to_tree(problem, local.working))
        assert judged.is_allowed == (cost < np.inf)
        if judged.is_allowed:
            assert judged.total == pytest.approx(cost, rel=1e-6, abs=1e-9)


def test_rearranging_is_given_up_when_time_is_over():
    """What it would find then is another tree than without a limit."""
    local = local_search_for(corners())
    local.is_over = lambda: True
    cost, _ = leaf_groups.rearrange(local, np.inf, 100)
    assert cost == np.inf


@pytest.mark.parametrize("depth", [1, 3])
@pytest.mark.parametrize("change", [leaf_groups.replace_group, leaf_groups.send_row])
def test_there_is_always_another_group(change, depth):
    """Also where all rows share one."""
    problem = corners(depth=depth)
    local = local_search_for(problem)
    for _ in range(9):
        groups = change(local, np.zeros(problem.n_rows, dtype=np.int64))
        assert len(set(groups)) == 2


def test_a_row_is_sent_to_a_group_of_its_class_or_an_empty_one():
    """One row, never where it was; the first of four classes has two groups, three are empty."""
    problem = replace(corners(n_each=2, depth=2), depth=3)
    local, before = local_search_for(problem), problem.y.copy()
    before[np.argmin(problem.y)] = 4
    targets = {0: {0, 4, 5, 6, 7}, 1: {5, 6, 7}, 2: {5, 6, 7}, 3: {5, 6, 7}}
    seen = {label: set() for label in targets}
    for _ in range(200):
        after = leaf_groups.send_row(local, before.copy())
        (row,) = np.flatnonzero(after != before)
        seen[problem.y[row]].add(int(after[row]))
    assert seen == targets


def test_shifts_find_a_leaf_for_every_cloud():
    """Every cloud in its leaf, from a tree without splits."""
    problem = corners(n_each=2)
    local = local_search_for(problem)
    before = local.descend()
    costs = [leaf_groups.rearrange(local, np.inf, 60)[0] for _ in range(3)]
    assert min(costs) < 10.0 < before


def test_leaf_groups_are_for_small_problems_with_labels_in_leaves():
    """Not for one split, deep trees, many rows, or splits that see labels."""

    def has_groups(problem, make_data=make_kernel_data):
        return leaf_groups.has_groups(make_data(problem, NO_GRAM))

    problem = corners(depth=2)
    assert has_groups(problem)
    assert has_groups(replace(problem, depth=3))
    assert not has_groups(replace(problem, depth=4))
    assert not has_groups(replace(problem, depth=1))
    assert not has_groups(corners(n_each=40, depth=3))
    two = Problem.from_data([[0.0], [1.0]], [0, 1], n_classes=2, depth=2)
    assert has_groups(two)
    assert not has_groups(two, make_label_data)


def test_leaf_groups_without_splits_have_no_norm_to_pay():
    """So another norm is no gain, and shifts soon end."""
    problem = replace(corners(n_each=2), costs=Costs(0.01, 1.0, 50.0))
    local = local_search_for(problem)
    grouped = leaf_groups.new_groups(local, np.zeros(problem.n_rows, dtype=np.int64))
    assert leaf_groups.improve_groups(local, grouped) == pytest.approx(0.01 * 14)
    _, done = leaf_groups.rearrange(local, np.inf, 1000)
    assert done == leaf_groups.LEAST_DESCENTS
