"""The local search, node by node: what it promises is what it keeps.

These tests also pass with ``NUMBA_DISABLE_JIT=1``; ``.ci/run`` runs them once that way.
"""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from margintree.core.judges import price_margins
from margintree.core.problem import Costs, Problem
from margintree.search.margin.kernels.margin_split import margin_split, preferred_sides
from margintree.search.margin.kernels.sweep import (
    cheapest_label,
    settle,
    sweep,
    try_features,
    try_growing,
)
from margintree.search.margin.kernels.working_tree import gather, price, total_of
from margintree.testing import twins
from working_trees import cases, local_search_for

few = settings(max_examples=40)
numbers = st.sampled_from([-1.0, 0.0, 0.5, 2.0])


@few
@given(cases(splits=st.sampled_from([True, True, False])), st.data())
def test_a_margin_split_costs_what_it_says(case, data):
    """The cost returned is that of the hyperplane written, which has the common norm."""
    kernel_data, working, state = case.kernel_data, case.working, case.state
    node = data.draw(st.sampled_from(case.branch_nodes))
    rows = twins.rows_below(state.terminals, node)
    assume(len(rows) > 1)
    left, right = state.costs[2 * node, rows], state.costs[2 * node + 1, rows]
    sides = np.array(
        data.draw(
            st.lists(st.sampled_from([-1.0, 0.0, 1.0]), min_size=len(rows), max_size=len(rows))
        )
    )
    assume(sides.max() > 0 > sides.min())
    emphasis, limit = data.draw(st.sampled_from([(1.0, np.inf), (0.2, np.inf), (1.0, 5.0)]))
    planes = working.weights.copy(), working.intercepts.copy()
    cost = margin_split(kernel_data, working, node, rows, sides, left, right, emphasis, limit, 0.5)
    changed = [node] if cost < np.inf else []
    kept = np.setdiff1d(np.arange(len(working.intercepts)), changed)
    assert (working.weights[kept] == planes[0][kept]).all()
    assert (working.intercepts[kept] == planes[1][kept]).all()
    if changed:
        line = kernel_data.X[rows] @ working.weights[node] + working.intercepts[node]
        assert cost < limit
        assert np.linalg.norm(working.weights[node]) == pytest.approx(working.scale[0])
        expected = twins.line_cost(line, left, right, kernel_data.pull[rows], kernel_data.eps)
        assert cost == pytest.approx(expected, rel=1e-6, abs=1e-7)


def test_a_margin_split_is_measured_where_dual_variables_nearly_cancel():
    """Most digits of their products are lost there, and a row at the routing margin needs them."""
    X = [[0, 1 / 3], [0, 1], [0.5, 0], [0.5, 1 / 3], [0.5, 1 / 3], [1, 1 / 3]]
    y = [0, 0, 0, 0, 1, 0]
    problem = Problem.from_data(X, y, n_classes=2, depth=1, costs=Costs(1.0, 0.0, 0.0))
    local, rows = local_search_for(problem, scale=3.0), np.arange(6)
    kernel_data, working = local.data, local.working
    working.splits[1], working.shares[1] = True, 1.0
    sides = np.array([-1.0, -1.0, -1.0, 1.0, -1.0, -1.0])
    left, right = np.array([0, 0, 0, 0, 0.1, 0]), np.array([0.1, 0.1, 0.1, 0.3, 0, 0.1])
    cost = margin_split(kernel_data, working, 1, rows, sides, left, right, 1.0, np.inf, 0.5)
    line = kernel_data.X @ working.weights[1] + working.intercepts[1]
    assert cost == pytest.approx(
        twins.line_cost(line, left, right, kernel_data.pull, kernel_data.eps)
    )


@few
@given(st.lists(st.tuples(numbers, numbers, numbers), min_size=1, max_size=6))
def test_rows_prefer_their_cheaper_side(triples):
    """Rows to whom it is all one stay where they are, or take no part."""
    left, right, values = np.array(triples).T.copy()
    sides = np.empty(len(left))
    both = preferred_sides(left, right, values, sides)
    expected = np.sign(np.where(left == right, values, left - right))
    assert sides.tolist() == expected.tolist()
    assert both == (expected.max() > 0 > expected.min())


@few
@given(cases(), st.data())
def test_the_cheapest_label_is_the_first_of_equals(case, data):
    """For any rows, none included."""
    rows = np.flatnonzero(data.draw(st.lists(st.booleans(), max_size=case.problem.n_rows)))
    assert (
        cheapest_label(case.kernel_data, rows, 1)
        == case.kernel_data.prices[rows].sum(axis=0).argmin()
    )


@few
@given(cases())
def test_gathering_and_adding_up(case):
    """Entries of some rows, and their sum."""
    rows = twins.rows_below(case.state.terminals, 2)
    assert gather(case.kernel_data.pull, rows).tolist() == case.kernel_data.pull[rows].tolist()
    assert total_of(case.kernel_data.pull, rows) == pytest.approx(case.kernel_data.pull[rows].sum())


@few
@given(cases(), st.data())
def test_growing_keeps_its_promise(case, data):
    """A tree that has grown costs less than before; one that has not is as it was."""
    kernel_data, working, state = case.kernel_data, case.working, case.state
    settle(kernel_data, working, state, 1)
    node = data.draw(st.sampled_from(case.branch_nodes))
    rows = twins.rows_below(state.terminals, node)
    assume(len(rows) > 1 and not working.splits[2 * node] and not working.splits[2 * node + 1])
    luck = np.array(data.draw(st.lists(st.floats(0, 0.99), min_size=2, max_size=2)))
    before = price(kernel_data, working, state.values), twins.shape(working, 1, case.problem.depth)
    if try_growing(kernel_data, working, state, rows, node, luck):
        settle(kernel_data, working, state, node)
        assert [bool(working.splits[t]) for t in (node, 2 * node, 2 * node + 1)] == [1, 0, 0]
        # The price stays infinite while rows are in the routing margin of another split.
        assert price(kernel_data, working, state.values) < before[0] or before[0] == np.inf
    else:
        assert twins.shape(working, 1, case.problem.depth) == before[1]


@few
@given(cases(splits=st.sampled_from([True, True, False])), st.integers(0, 99), st.data())
def test_a_sweep_never_costs(case, seed, data):
    """The price does not rise, the state is up to date, and the judge agrees."""
    kernel_data, working, state = case.kernel_data, case.working, case.state
    settle(kernel_data, working, state, 1)
    before = price(kernel_data, working, state.values)
    luck = np.random.default_rng(seed).random((len(working.intercepts), 6))
    sweep(kernel_data, working, state, data.draw(st.sampled_from(case.branch_nodes)), luck)
    after = price(kernel_data, working, state.values)
    assert after <= before * (1 + 1e-9) + 1e-9
    assert state.terminals.tolist() == twins.terminals(kernel_data, working).tolist()
    cost = price_margins(case.problem, case.tree)
    assert after == pytest.approx(cost.total if cost.is_allowed else np.inf, rel=1e-9)
    norms = np.linalg.norm(working.weights[np.flatnonzero(working.splits)], axis=1)
    assert norms == pytest.approx(working.scale[0])


@few
@given(cases(splits=st.just(True)), st.integers(0, 99), st.data())
def test_a_sweep_stays_in_its_subtree(case, seed, data):
    """Nodes outside of the subtree keep their hyperplanes and splits."""
    kernel_data, working, state = case.kernel_data, case.working, case.state
    settle(kernel_data, working, state, 1)
    top = data.draw(st.sampled_from(case.branch_nodes))
    outside = np.setdiff1d(
        np.arange(1, len(working.intercepts)),
        twins.rows_below(np.arange(len(working.intercepts)), top),
    )
    before = working.weights[outside].tolist(), working.splits[outside].tolist()
    luck = np.random.default_rng(seed).random((len(working.intercepts), 6))
    sweep(kernel_data, working, state, top, luck)
    assert (working.weights[outside].tolist(), working.splits[outside].tolist()) == before


@few
@given(cases(splits=st.just(True)), st.data())
def test_tilting_leaves_a_hyperplane(case, data):
    """Whatever rows are said to pay, also where a step would leave nothing of the weights."""
    working, state = case.working, case.state
    state.costs[1] = 1000.0
    for child in (2, 3):
        state.costs[child] = data.draw(st.lists(numbers, min_size=1, max_size=1))
    rows = np.arange(case.problem.n_rows)
    luck = np.linspace(0, 0.999, 3)
    with np.errstate(divide="raise", invalid="raise"):
        try_features(case.kernel_data, working, state, rows, 1, luck)
    assert np.isfinite(working.intercepts).all()
    assert np.linalg.norm(working.weights[1]) == pytest.approx(working.scale[0])
