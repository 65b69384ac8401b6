"""Routing, pricing and rearranging of working_trees, against the judge and the slow twins.

These tests also pass with ``NUMBA_DISABLE_JIT=1``, which shows that a kernel means the same as the
Python it is written in; ``.ci/run`` runs them once that way.
"""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from margintree.core import topology
from margintree.core.judges import price_margins
from margintree.core.problem import Problem
from margintree.core.tree import ObliqueTree
from margintree.search.margin.kernel_data import (
    new_state,
    to_tree,
    to_working_tree,
)
from margintree.search.margin.kernels.many_rows import (
    route_costs,
    route_scale,
    route_terminals,
    value_at,
)
from margintree.search.margin.kernels.sweep import relabel, settle, trim
from margintree.search.margin.kernels.working_tree import (
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
from margintree.testing import twins
from working_trees import cases, data_with_tolls, kernel_data_of, prices

few = settings(max_examples=30)


@few
@given(cases())
def test_values_are_those_of_the_hyperplanes(case):
    """Every splitting node holds ``w @ x + b`` of every row."""
    found = np.zeros_like(case.state.values)
    refresh_values(case.kernel_data, case.working, found, 1)
    expected = twins.values(case.kernel_data, case.working)
    assert found == pytest.approx(expected, abs=1e-9)


@few
@given(cases(), st.data())
def test_values_are_refreshed_below_a_node_only(case, data):
    """Nodes outside of the subtree keep what was noted for them."""
    top = data.draw(st.sampled_from(case.branch_nodes))
    found = np.full_like(case.state.values, np.nan)
    refresh_values(case.kernel_data, case.working, found, top)
    inside = twins.rows_below(np.arange(len(found)), top)
    written = np.flatnonzero(~np.isnan(found).all(axis=1))
    assert written.tolist() == [node for node in inside if case.working.splits[node]]


@few
@given(cases())
def test_rows_stop_where_the_tree_sends_them(case):
    """Terminals by kernel, by walking and by the sign rule are the same."""
    by_values, by_walking = np.empty_like(case.state.terminals), np.empty_like(case.state.terminals)
    terminal_of_rows(case.working, case.state.values, by_values)
    route_terminals(case.kernel_data, case.working, by_walking)
    expected = twins.terminals(case.kernel_data, case.working)
    assert by_values.tolist() == by_walking.tolist() == expected.tolist()
    leaves = case.tree.apply(case.problem.X)
    assert [twins.rows_below(leaves, node).tolist() for node in set(expected)] == [
        np.flatnonzero(expected == node).tolist() for node in set(expected)
    ]


@few
@given(cases())
def test_a_working_tree_is_priced_as_the_judge_prices_its_tree(case):
    """The judge's price, and infinity exactly where the routing margin is broken."""
    found = price(case.kernel_data, case.working, case.state.values)
    cost = price_margins(case.problem, case.tree)
    assert found == pytest.approx(cost.total if cost.is_allowed else np.inf, rel=1e-12)


@few
@given(cases())
def test_subtree_costs_are_what_rows_pay_from_a_node_on(case):
    """By kernel and by walking, for every row and every node, also where the row never comes."""
    expected = twins.subtree_costs(case.kernel_data, case.working)
    found = np.zeros_like(expected)
    subtree_costs(case.kernel_data, case.working, case.state.values, found)
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)
    rows = np.arange(case.problem.n_rows)[::-1].copy()
    for node in range(1, len(expected)):
        walked = np.empty(len(rows))
        route_costs(case.kernel_data, case.working, rows, node, walked)
        assert walked == pytest.approx(expected[node, rows], rel=1e-9, abs=1e-9)


@few
@given(cases())
def test_routing_row_by_row_sees_the_same_values(case):
    """A value computed on the way is the value kept in the state."""
    for node in np.flatnonzero(case.working.splits):
        found = [
            value_at(case.kernel_data, case.working, node, i) for i in range(case.problem.n_rows)
        ]
        assert found == pytest.approx(case.state.values[node], abs=1e-9)


@few
@given(cases())
def test_routing_row_by_row_finds_the_best_scale(case):
    """No other common norm makes the same routing cheaper."""
    assume(case.working.splits[1])
    found = route_scale(case.kernel_data, case.working)
    distances, pulls = met(case)
    assume(distances.min() > 1e-6)
    cost = twins.scale_cost(case.kernel_data, distances, pulls, found)
    assert cost == pytest.approx(twins.best_scale(case.kernel_data, distances, pulls), rel=1e-8)


def met(case):
    """Return distance and pull of every row at every hyperplane it meets, at norm 1."""
    pairs = [
        (abs(twins.value(case.kernel_data, case.working, node, row)), case.kernel_data.pull[row])
        for row in range(case.problem.n_rows)
        for node in twins.path(case.kernel_data, case.working, row)[:-1]
    ]
    distances, pulls = np.array(pairs).T
    return distances / case.working.scale[0], pulls


@few
@given(cases(splits=st.just(False)))
def test_routing_row_by_row_keeps_the_scale_of_a_tree_without_splits(case):
    """Nothing to scale, nothing changed."""
    assert route_scale(case.kernel_data, case.working) == case.working.scale[0]


@few
@given(cases(), st.data())
def test_rows_below_are_those_that_pass_a_node(case, data):
    """Also for nodes that no row reaches."""
    node = data.draw(st.integers(1, len(case.working.splits) - 1))
    found = rows_below(case.state.terminals, node)
    assert found.tolist() == twins.rows_below(case.state.terminals, node).tolist()


@few
@given(cases(), st.data())
def test_splits_are_counted_below_a_node(case, data):
    """The count of a subtree, a leaf included."""
    node = data.draw(st.integers(1, len(case.working.splits) - 1))
    assert count_splits(case.working, node) == twins.subtree_splits(case.working, node)


@few
@given(cases(splits=st.just(True)), st.data())
def test_clearing_leaves_one_split(case, data):
    """Below the node nothing splits any more; the node and all else stay."""
    node = data.draw(st.sampled_from(case.branch_nodes))
    below = twins.rows_below(np.arange(1, len(case.working.splits)), node)[1:] + 1
    expected = case.working.splits.copy()
    expected[below] = False
    clear_below(case.working, node)
    assert case.working.splits.tolist() == expected.tolist()


@few
@given(cases(), st.data())
def test_a_lifted_subtree_replaces_its_ancestor(case, data):
    """The subtree is the same in its new place, and nothing else of the tree changes."""
    child = data.draw(st.integers(2, len(case.working.splits) - 1))
    node = data.draw(st.sampled_from(sorted(topology.ancestors(child))))
    levels = case.problem.depth
    subtree, rest = twins.shape(case.working, child, levels), others(case.working, node)
    lift(case.working, child, node)
    assert twins.shape(case.working, node, levels) == subtree
    assert others(case.working, node) == rest


def others(working, node):
    """Return splits and labels of all nodes outside of a subtree."""
    outside = [
        t for t in range(1, len(working.splits)) if t != node and node not in topology.ancestors(t)
    ]
    return working.splits[outside].tolist(), working.labels[outside].tolist()


@few
@given(cases())
def test_every_terminal_node_takes_its_cheapest_class(case):
    """The first of equals; nodes without rows keep theirs."""
    expected = twins.cheapest_labels(case.kernel_data, case.working, case.state.terminals)
    relabel(case.kernel_data, case.working, case.state.terminals)
    assert case.working.labels.tolist() == expected.tolist()


@few
@given(cases())
def test_settling_brings_all_up_to_date(case):
    """Whatever was noted before, values, terminals, labels and costs are right afterwards."""
    state = new_state(case.kernel_data)
    state.values[:], state.costs[:], state.terminals[:] = np.nan, np.nan, 1
    settle(case.kernel_data, case.working, state, 1)
    stops = twins.terminals(case.kernel_data, case.working)
    assert state.terminals.tolist() == stops.tolist()
    labels = twins.cheapest_labels(case.kernel_data, case.working, stops)
    assert case.working.labels.tolist() == labels.tolist()
    expected = twins.subtree_costs(case.kernel_data, case.working)
    assert state.costs[1:] == pytest.approx(expected[1:], rel=1e-9, abs=1e-9)


@few
@given(cases())
def test_trimming_removes_empty_sides_and_costs_nothing(case):
    """Afterwards every split divides rows, and no row pays more."""
    settle(case.kernel_data, case.working, case.state, 1)
    before = price_margins(case.problem, case.tree)
    trim(case.kernel_data, case.working, case.state, 1)
    for node in np.flatnonzero(case.working.splits):
        for child in (2 * node, 2 * node + 1):
            assert len(twins.rows_below(case.state.terminals, child))
    after = price_margins(case.problem, case.tree)
    assert after.total <= before.total + 1e-9 * before.total
    assert after.errors == pytest.approx(before.errors)


@few
@given(cases())
def test_a_tree_becomes_a_working_tree_and_a_working_tree_a_tree(case):
    """Hyperplanes get one norm; routing, labels and margin term stay, and nothing costs more."""
    tree = case.tree
    working = to_working_tree(case.kernel_data, tree)
    again = case._replace(working=working).tree
    assert again.apply(case.problem.X).tolist() == tree.apply(case.problem.X).tolist()
    assert again.leaf_classes.tolist() == tree.leaf_classes.tolist()
    assert again.weights == pytest.approx(tree.weights, rel=1e-12)


def test_a_working_tree_has_one_norm():
    """A tree whose hyperplanes differ in norm is scaled up to the largest."""
    problem = Problem.from_data([[0.0], [0.4], [1.0]], [0, 1, 0], n_classes=2, depth=2)
    raw = ObliqueTree.leaf(2, 1, 2).to_dict()
    raw |= {"weights": [[8.0], [0.0], [2.0]], "intercepts": [-1.6, -1.0, -1.4]}
    raw |= {"splits": [True, False, True], "leaf_classes": [0, 0, 1, 0]}
    tree = ObliqueTree.from_dict(raw)
    working = to_working_tree(kernel_data_of(problem), tree)
    again = to_tree(problem, working)
    assert np.linalg.norm(again.weights[[0, 2]], axis=1).tolist() == [8.0, 8.0]
    before, after = price_margins(problem, tree), price_margins(problem, again)
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
    node = data.draw(st.integers(1, len(case.working.splits) - 1))
    kernel_data = data.draw(data_with_tolls(case))
    expected = sum(twins.stop_price(kernel_data, row, node, label) for row in rows)
    assert price_of_label(kernel_data, rows, node, label) == pytest.approx(expected)


@few
@given(cases(), st.data())
def test_tolls_are_paid_where_rows_stop(case, data):
    """Rows may pay several times for their last class, and for what they were called before."""
    kernel_data = data.draw(data_with_tolls(case))
    costs = np.zeros_like(case.state.costs)
    subtree_costs(kernel_data, case.working, case.state.values, costs)
    expected = twins.subtree_costs(kernel_data, case.working)
    assert costs[1:] == pytest.approx(expected[1:], rel=1e-9, abs=1e-9)
    total = price(kernel_data, case.working, case.state.values)
    if np.isfinite(total):
        plain = twins.subtree_costs(case.kernel_data, case.working)[1].sum()
        rest = price(case.kernel_data, case.working, case.state.values) - plain
        assert total == pytest.approx(costs[1].sum() + rest, rel=1e-6, abs=1e-6)
