"""Annealing of leaf groups: what moves, what stays the same, and what comes out."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from margintree.core.judges import price_margins
from margintree.core.problem import Costs
from margintree.search.margin import annealing, leaf_groups
from margintree.search.margin.kernel_data import to_tree
from margintree.search.margin.kernels.leaf_groups import arrange
from working_trees import corners, local_search_for, small_problems


@settings(deadline=None, max_examples=20)
@given(small_problems(), st.integers(0, 9))
def test_annealing_leaves_a_tree_that_costs_what_it_says(problem, seed):
    """Or infinity, for a tree that is not allowed; from any tree, that without splits included."""
    local = local_search_for(problem, 3.0, seed)
    cost, done = annealing.anneal(local, np.inf, 100)
    assert done == annealing.DESCENTS
    assert cost == pytest.approx(local.price())
    judged = price_margins(problem, to_tree(problem, local.working))
    assert judged.is_allowed == (cost < np.inf)
    if judged.is_allowed:
        assert judged.total == pytest.approx(cost, rel=1e-6, abs=1e-9)


def test_annealing_is_given_up_when_time_is_over():
    """What it would find then is another tree than without a limit."""
    local = local_search_for(corners())
    local.is_over = lambda: True
    assert annealing.anneal(local, np.inf, 100)[0] == np.inf


def test_annealing_finds_a_leaf_for_every_cloud():
    """Every cloud in its leaf, from a tree without splits, and the same with the same seed."""
    problem = corners(n_each=2)
    trees = []
    for _ in range(2):
        local = local_search_for(problem)
        before = local.descend()
        assert annealing.anneal(local, np.inf, 100)[0] < 10.0 < before
        trees.append(to_tree(problem, local.working))
    assert trees[0] == trees[1]


def test_groups_that_share_a_leaf_become_one():
    """Every node gets a way that divides its set, and the arrangement costs the same."""
    problem = replace(corners(), costs=Costs(0.01, 1.0, 50.0))
    local = local_search_for(problem)
    grouped = leaf_groups.new_groups(local, problem.y)
    cost = arrange(local.data, grouped, np.inf)
    assert (grouped.ways == -1).all()
    annealing.divide_everywhere(grouped)
    assert len(set(grouped.groups)) == 1
    assert (grouped.ways[1:] >= 0).all()
    masks = {1: 255}
    for node in range(1, 8):
        way = grouped.ways[node]
        assert grouped.wholes[way] == masks[node]
        masks[2 * node + 1] = grouped.halves[way]
        masks[2 * node] = masks[node] ^ masks[2 * node + 1]
    assert arrange(local.data, grouped, np.inf) == pytest.approx(cost)


def test_rows_may_join_groups_of_their_class_and_empty_ones(monkeypatch):
    """The first of four classes has two groups; the others one, and three groups are empty."""
    monkeypatch.setattr(annealing, "ANY_GROUP", 0.0)
    problem = replace(corners(n_each=2, depth=2), depth=3)
    local, groups = local_search_for(problem), problem.y.copy()
    groups[np.argmin(problem.y)] = 4
    rows, targets = annealing.useful_moves(local, groups)
    empty = {5, 6, 7}
    for row in range(problem.n_rows):
        own = {0: {0, 4}}.get(problem.y[row], {problem.y[row]})
        assert set(targets[rows == row].tolist()) == (own | empty) - {groups[row]}
    monkeypatch.setattr(annealing, "ANY_GROUP", 1.0)
    assert len(annealing.useful_moves(local, groups)[0]) == 7 * problem.n_rows
    monkeypatch.setattr(annealing, "WORK_BETWEEN_LOOKS", 5 * problem.n_rows)
    assert len(annealing.useful_moves(local, groups)[0]) == 5


def test_the_norm_moves_towards_the_best_one():
    """It shrinks where it is far too large and grows where it is far too small, in small steps."""
    problem = corners()
    for scale, towards in ((0.5, 1), (200.0, -1)):
        local = local_search_for(problem, scale=scale)
        grouped = leaf_groups.new_groups(local, problem.y)
        leaf_groups.move_all_rows(local, grouped, 1e-3)
        factor = annealing.norm_factor(local, grouped)
        assert factor == pytest.approx(1 + towards * annealing.NORM_CHANGE)
