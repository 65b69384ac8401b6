"""Splits with few features: kernels keep to the budgets and know their prices.

These tests also pass with ``NUMBA_DISABLE_JIT=1``; ``.ci/run`` runs them once that way.
"""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from margintree.core.judges import price_margins
from margintree.core.rules import used_groups
from margintree.search.margin.kernels.features import (
    columns,
    exchange,
    features_of,
    groups_elsewhere,
    is_allowed,
    products_of,
    truncate,
)
from margintree.search.margin.kernels.margin_split import margin_split, preferred_sides
from margintree.search.margin.kernels.sweep import obey, settle, sweep
from margintree.search.margin.kernels.working_tree import features_price, price, splits_price
from margintree.testing import twins
from working_trees import cases, kernel_data_of, settled

few = settings(max_examples=30)
draws = st.floats(0, 0.999)


@st.composite
def counting_cases(draw):
    """Draw a working tree of a problem that counts features, in groups, with budgets and prices."""
    case = draw(cases(splits=st.sampled_from([True, True, False])))
    p = case.problem.n_features
    groups = draw(st.lists(st.integers(0, 2), min_size=p, max_size=p))
    problem = case.problem.with_rules(
        max_features_per_split=draw(st.integers(1, 3)),
        max_features=draw(st.sampled_from([None, 1, 2])),
        feature_groups=draw(st.sampled_from([None, groups])),
    )
    costs = replace(problem.costs, features=draw(st.sampled_from([0.0, 0.3, 5.0])))
    problem = replace(problem, costs=costs)
    return settled(problem, kernel_data_of(problem), case.working)


def used_by(case, node):
    """Return which groups a split uses."""
    return used_groups(case.working.weights[[node]], case.problem.feature_groups)[0]


def others_of(case, node):
    """Return which groups other splits use."""
    splits = np.flatnonzero(case.working.splits)
    others = case.working.weights[splits[splits != node]]
    return used_groups(others, case.problem.feature_groups).any(axis=0)


@few
@given(counting_cases(), st.data())
def test_the_groups_elsewhere_are_those_of_all_other_splits(case, data):
    """And a split is allowed by the budgets of a split and of the tree."""
    node = data.draw(st.sampled_from(case.branch_nodes))
    elsewhere = groups_elsewhere(case.kernel_data, case.working, node)
    assert elsewhere.tolist() == others_of(case, node).tolist()
    used = np.array(data.draw(st.lists(st.booleans(), min_size=len(elsewhere), max_size=9)))
    used = used[: len(elsewhere)]
    expected = used.sum() <= case.problem.max_features_per_split
    expected &= (used | elsewhere).sum() <= case.problem.max_features
    assert is_allowed(case.kernel_data, used, elsewhere) == expected


@few
@given(counting_cases())
def test_the_price_of_features_is_that_of_the_judge(case):
    """For every split, for the tree, and within the total."""
    settle(case.kernel_data, case.working, case.state, 1)
    for node in np.flatnonzero(case.working.splits):
        expected = case.problem.price_of_features(case.working.weights[[node]])[0]
        assert features_price(case.kernel_data, case.working, node) == pytest.approx(
            expected * case.kernel_data.is_sparse
        )
    cost = price_margins(case.problem, case.tree)
    total = cost.splits + cost.terms.get("features", 0.0)
    assert splits_price(case.kernel_data, case.working, 1) == pytest.approx(total)
    if cost.faults["ties"] == 0:
        now = price(case.kernel_data, case.working, case.state.values)
        assert now == pytest.approx(cost.total, rel=1e-9)


@few
@given(st.integers(0, 99), st.data())
def test_products_are_those_of_the_chosen_entries(seed, data):
    """Inner products of some rows in some features."""
    X = np.random.default_rng(seed).random((6, 4))
    rows = np.array(data.draw(st.lists(st.integers(0, 5), max_size=6)), dtype=np.int64)
    features = np.array(data.draw(st.lists(st.integers(0, 3), max_size=4)), dtype=np.int64)
    block = columns(X, rows, features)
    assert block.tolist() == X[rows][:, features].tolist()
    assert products_of(block) == pytest.approx(block @ block.T)


@few
@given(counting_cases(), draws, st.data())
def test_a_sparse_split_costs_what_it_says_and_is_allowed(case, luck, data):
    """With the price of its features; no other node changes."""
    kernel_data, working, state = case.kernel_data, case.working, case.state
    node = data.draw(st.sampled_from(case.branch_nodes))
    rows = twins.rows_below(state.terminals, node)
    sides = np.empty(len(rows))
    left, right = state.costs[2 * node, rows], state.costs[2 * node + 1, rows]
    if len(rows) < 2 or not preferred_sides(left, right, left - right, sides):
        return
    planes = working.weights.copy()
    cost = margin_split(kernel_data, working, node, rows, sides, left, right, 1.0, np.inf, luck)
    kept = np.setdiff1d(np.arange(len(planes)), [node] if cost < np.inf else [])
    assert (working.weights[kept] == planes[kept]).all()
    if cost < np.inf:
        line = kernel_data.X[rows] @ working.weights[node] + working.intercepts[node]
        expected = twins.line_cost(line, left, right, kernel_data.pull[rows], kernel_data.eps)
        expected += features_price(kernel_data, working, node)
        assert cost == pytest.approx(expected, rel=1e-6, abs=1e-7)
        assert np.linalg.norm(working.weights[node]) == pytest.approx(working.scale[0])
        if kernel_data.is_sparse:
            assert is_allowed(kernel_data, used_by(case, node), others_of(case, node))


@few
@given(counting_cases(), draws, st.data())
def test_an_exchange_is_allowed_or_infinitely_dear(case, luck, data):
    """A split that is allowed stays allowed, and the price is that of the changed split."""
    kernel_data, working = case.kernel_data, case.working
    truncate(kernel_data, working)
    splits = np.flatnonzero(working.splits)
    if not len(splits):
        return
    node = int(data.draw(st.sampled_from(splits.tolist())))
    feature, lost, dear = exchange(kernel_data, working, node, luck)
    weights = working.weights[node].copy()
    weights[feature], weights[lost] = 1.0, 0.0
    used = used_groups(weights[None], case.problem.feature_groups)[0]
    if dear < np.inf:
        assert is_allowed(kernel_data, used, others_of(case, node))
        assert dear == pytest.approx(case.problem.price_of_features(weights[None])[0])
    else:
        assert not is_allowed(kernel_data, used, others_of(case, node))
    assert set(lost) <= set(features_of(kernel_data, used_by(case, node)))


@few
@given(counting_cases(), st.integers(0, 99))
def test_a_tree_that_obeys_keeps_its_budgets_through_sweeps(case, seed):
    """Truncation brings every tree within the budgets, at the same norm, and sweeps stay there."""
    kernel_data, working, state = case.kernel_data, case.working, case.state
    settle(kernel_data, working, state, 1)
    rng = np.random.default_rng(seed)
    for _ in range(3):
        obey(kernel_data, working, state)
        faults = case.problem.rules.faults(case.problem.X, case.problem.row_weights, case.tree)
        assert not faults["wide_splits"]
        assert not faults.get("extra_features")
        norms = np.linalg.norm(working.weights[np.flatnonzero(working.splits)], axis=1)
        assert norms == pytest.approx(working.scale[0])
        before = price(kernel_data, working, state.values)
        sweep(kernel_data, working, state, 1, rng.random((len(working.intercepts), 6)))
        after = price(kernel_data, working, state.values)
        assert after <= before * (1 + 1e-9) + 1e-9
