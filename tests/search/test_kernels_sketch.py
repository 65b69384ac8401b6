"""Routing, pricing and rearranging of sketches, against the judge and the slow twins.

These tests also pass with ``NUMBA_DISABLE_JIT=1``, which shows that a kernel means the same as the
Python it is written in; ``.ci/run`` runs them once that way.
"""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from margintree import topology
from margintree.objective import objective
from margintree.problem import Problem
from margintree.search.kernels.sketch import (
    clear_below,
    count_splits,
    lift,
    price,
    price_of_label,
    refresh_values,
    rows_below,
    smallest,
    subtree_costs,
    terminal_of_rows,
)
from margintree.search.kernels.sweep import relabel, settle, trim
from margintree.search.kernels.walk import value_at, walk_costs, walk_scale, walk_terminals
from margintree.search.task import make_task, new_state, to_sketch, to_tree
from margintree.testing import twins
from margintree.tree import ObliqueTree
from sketches import cases, prices, tasks

few = settings(max_examples=30)


@few
@given(cases())
def test_values_are_those_of_the_hyperplanes(case):
    """Every splitting node holds ``w @ x + b`` of every row."""
    found = np.zeros_like(case.state.values)
    refresh_values(case.task, case.sketch, found, 1)
    expected = twins.values(case.task, case.sketch)
    assert found == pytest.approx(expected, abs=1e-9)


@few
@given(cases(), st.data())
def test_values_are_refreshed_below_a_node_only(case, data):
    """Nodes outside of the subtree keep what was noted for them."""
    top = data.draw(st.sampled_from(case.branch_nodes))
    found = np.full_like(case.state.values, np.nan)
    refresh_values(case.task, case.sketch, found, top)
    inside = twins.rows_below(np.arange(len(found)), top)
    written = np.flatnonzero(~np.isnan(found).all(axis=1))
    assert written.tolist() == [node for node in inside if case.sketch.splits[node]]


@few
@given(cases())
def test_rows_stop_where_the_tree_sends_them(case):
    """Terminals by kernel, by walking and by the sign rule are the same."""
    by_values, by_walking = np.empty_like(case.state.terminals), np.empty_like(case.state.terminals)
    terminal_of_rows(case.sketch, case.state.values, by_values)
    walk_terminals(case.task, case.sketch, by_walking)
    expected = twins.terminals(case.task, case.sketch)
    assert by_values.tolist() == by_walking.tolist() == expected.tolist()
    leaves = case.tree.apply(case.problem.X)
    assert [twins.rows_below(leaves, node).tolist() for node in set(expected)] == [
        np.flatnonzero(expected == node).tolist() for node in set(expected)
    ]


@few
@given(cases())
def test_a_sketch_is_priced_as_the_judge_prices_its_tree(case):
    """The judge's price, and infinity exactly where the routing margin is broken."""
    found = price(case.task, case.sketch, case.state.values)
    cost = objective(case.problem, case.tree)
    assert found == pytest.approx(np.inf if cost.ties else cost.total, rel=1e-12)


@few
@given(cases())
def test_subtree_costs_are_what_rows_pay_from_a_node_on(case):
    """By kernel and by walking, for every row and every node, also where the row never comes."""
    expected = twins.subtree_costs(case.task, case.sketch)
    found = np.zeros_like(expected)
    subtree_costs(case.task, case.sketch, case.state.values, found)
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)
    rows = np.arange(case.problem.n_rows)[::-1].copy()
    for node in range(1, len(expected)):
        walked = np.empty(len(rows))
        walk_costs(case.task, case.sketch, rows, node, walked)
        assert walked == pytest.approx(expected[node, rows], rel=1e-9, abs=1e-9)


@few
@given(cases())
def test_the_walk_sees_the_same_values(case):
    """A value computed on the way is the value kept in the state."""
    for node in np.flatnonzero(case.sketch.splits):
        found = [value_at(case.task, case.sketch, node, i) for i in range(case.problem.n_rows)]
        assert found == pytest.approx(case.state.values[node], abs=1e-9)


@few
@given(cases())
def test_the_walk_finds_the_best_scale(case):
    """No other common norm makes the same routing cheaper."""
    assume(case.sketch.splits[1])
    found = walk_scale(case.task, case.sketch)
    distances, pulls = met(case)
    assume(distances.min() > 1e-6)
    cost = twins.scale_cost(case.task, distances, pulls, found)
    assert cost == pytest.approx(twins.best_scale(case.task, distances, pulls), rel=1e-8)


def met(case):
    """Return distance and pull of every row at every hyperplane it meets, at norm 1."""
    pairs = [
        (abs(twins.value(case.task, case.sketch, node, row)), case.task.pull[row])
        for row in range(case.problem.n_rows)
        for node in twins.path(case.task, case.sketch, row)[:-1]
    ]
    distances, pulls = np.array(pairs).T
    return distances / case.sketch.scale[0], pulls


@few
@given(cases(splits=st.just(False)))
def test_the_walk_keeps_the_scale_of_a_tree_without_splits(case):
    """Nothing to scale, nothing changed."""
    assert walk_scale(case.task, case.sketch) == case.sketch.scale[0]


@few
@given(cases(), st.data())
def test_rows_below_are_those_that_pass_a_node(case, data):
    """Also for nodes that no row reaches."""
    node = data.draw(st.integers(1, len(case.sketch.splits) - 1))
    found = rows_below(case.state.terminals, node)
    assert found.tolist() == twins.rows_below(case.state.terminals, node).tolist()


@few
@given(cases(), st.data())
def test_splits_are_counted_below_a_node(case, data):
    """The count of a subtree, a leaf included."""
    node = data.draw(st.integers(1, len(case.sketch.splits) - 1))
    assert count_splits(case.sketch, node) == twins.subtree_splits(case.sketch, node)


@few
@given(cases(splits=st.just(True)), st.data())
def test_clearing_leaves_one_split(case, data):
    """Below the node nothing splits any more; the node and all else stay."""
    node = data.draw(st.sampled_from(case.branch_nodes))
    below = twins.rows_below(np.arange(1, len(case.sketch.splits)), node)[1:] + 1
    expected = case.sketch.splits.copy()
    expected[below] = False
    clear_below(case.sketch, node)
    assert case.sketch.splits.tolist() == expected.tolist()


@few
@given(cases(), st.data())
def test_a_lifted_subtree_replaces_its_ancestor(case, data):
    """The subtree is the same in its new place, and nothing else of the tree changes."""
    child = data.draw(st.integers(2, len(case.sketch.splits) - 1))
    node = data.draw(st.sampled_from(sorted(topology.ancestors(child))))
    levels = case.problem.depth
    subtree, rest = twins.shape(case.sketch, child, levels), others(case.sketch, node)
    lift(case.sketch, child, node)
    assert twins.shape(case.sketch, node, levels) == subtree
    assert others(case.sketch, node) == rest


def others(sketch, node):
    """Return splits and labels of all nodes outside of a subtree."""
    outside = [
        t for t in range(1, len(sketch.splits)) if t != node and node not in topology.ancestors(t)
    ]
    return sketch.splits[outside].tolist(), sketch.labels[outside].tolist()


@few
@given(cases())
def test_every_terminal_node_takes_its_cheapest_class(case):
    """The first of equals; nodes without rows keep theirs."""
    expected = twins.cheapest_labels(case.task, case.sketch, case.state.terminals)
    relabel(case.task, case.sketch, case.state.terminals)
    assert case.sketch.labels.tolist() == expected.tolist()


@few
@given(cases())
def test_settling_brings_all_up_to_date(case):
    """Whatever was noted before, values, terminals, labels and costs are right afterwards."""
    state = new_state(case.task)
    state.values[:], state.costs[:], state.terminals[:] = np.nan, np.nan, 1
    settle(case.task, case.sketch, state, 1)
    stops = twins.terminals(case.task, case.sketch)
    assert state.terminals.tolist() == stops.tolist()
    labels = twins.cheapest_labels(case.task, case.sketch, stops)
    assert case.sketch.labels.tolist() == labels.tolist()
    expected = twins.subtree_costs(case.task, case.sketch)
    assert state.costs[1:] == pytest.approx(expected[1:], rel=1e-9, abs=1e-9)


@few
@given(cases())
def test_trimming_removes_empty_sides_and_costs_nothing(case):
    """Afterwards every split divides rows, and no row pays more."""
    settle(case.task, case.sketch, case.state, 1)
    before = objective(case.problem, case.tree)
    trim(case.task, case.sketch, case.state, 1)
    for node in np.flatnonzero(case.sketch.splits):
        for child in (2 * node, 2 * node + 1):
            assert len(twins.rows_below(case.state.terminals, child))
    after = objective(case.problem, case.tree)
    assert after.total <= before.total + 1e-9 * before.total
    assert after.errors == pytest.approx(before.errors)


@few
@given(cases())
def test_a_tree_becomes_a_sketch_and_a_sketch_a_tree(case):
    """Hyperplanes get one norm; routing, labels and margin term stay, and nothing costs more."""
    tree = case.tree
    sketch = to_sketch(case.task, tree)
    again = case._replace(sketch=sketch).tree
    assert again.apply(case.problem.X).tolist() == tree.apply(case.problem.X).tolist()
    assert again.leaf_classes.tolist() == tree.leaf_classes.tolist()
    assert again.weights == pytest.approx(tree.weights, rel=1e-12)


def test_a_sketch_has_one_norm():
    """A tree whose hyperplanes differ in norm is scaled up to the largest."""
    problem = Problem.from_data([[0.0], [0.4], [1.0]], [0, 1, 0], n_classes=2, depth=2)
    raw = ObliqueTree.leaf(2, 1, 2).to_dict()
    raw |= {"weights": [[8.0], [0.0], [2.0]], "intercepts": [-1.6, -1.0, -1.4]}
    raw |= {"splits": [True, False, True], "leaf_classes": [0, 0, 1, 0]}
    tree = ObliqueTree.from_dict(raw)
    sketch = to_sketch(make_task(problem), tree)
    again = to_tree(problem, sketch)
    assert np.linalg.norm(again.weights[[0, 2]], axis=1).tolist() == [8.0, 8.0]
    before, after = objective(problem, tree), objective(problem, again)
    assert (after.margin, after.errors) == (before.margin, before.errors)
    assert after.violations < before.violations


@few
@given(st.lists(prices, min_size=1, max_size=6))
def test_the_smallest_is_the_first_of_equals(totals):
    """As in NumPy."""
    assert smallest(np.array(totals)) == np.argmin(totals)


@few
@given(cases(), st.data())
def test_a_label_costs_what_its_rows_pay(case, data):
    """The price of one class for a set of rows, the empty set included."""
    rows = np.flatnonzero(data.draw(st.lists(st.booleans(), max_size=case.problem.n_rows)))
    label = data.draw(st.integers(0, case.problem.n_classes - 1))
    node = data.draw(st.integers(1, len(case.sketch.splits) - 1))
    task = data.draw(tasks(case))
    expected = sum(twins.stop_price(task, row, node, label) for row in rows)
    assert price_of_label(task, rows, node, label) == pytest.approx(expected)


@few
@given(cases(), st.data())
def test_tolls_are_paid_where_rows_stop(case, data):
    """Rows may pay several times for their last class, and for what they were called before."""
    task = data.draw(tasks(case))
    costs = np.zeros_like(case.state.costs)
    subtree_costs(task, case.sketch, case.state.values, costs)
    expected = twins.subtree_costs(task, case.sketch)
    assert costs[1:] == pytest.approx(expected[1:], rel=1e-9, abs=1e-9)
    total = price(task, case.sketch, case.state.values)
    if np.isfinite(total):
        plain = twins.subtree_costs(case.task, case.sketch)[1].sum()
        rest = price(case.task, case.sketch, case.state.values) - plain
        assert total == pytest.approx(costs[1].sum() + rest, rel=1e-6, abs=1e-6)
