"""A descent in one kernel is the sweeps and polishes that it is made of.

These tests also pass with ``NUMBA_DISABLE_JIT=1``; ``.ci/run`` runs them once that way.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from margintree.search.kernels.descent import ENOUGH, Plan, descend
from margintree.search.kernels.polish import polish
from margintree.search.kernels.sketch import price
from margintree.search.kernels.sweep import settle, sweep, trim
from margintree.search.workbench import ROUGHLY
from sketches import cases

few = settings(max_examples=40, deadline=None)


def by_turns(bench, plan, luck):
    """Do what a plan says, one small kernel after the other."""
    task, sketch, state = bench.task, bench.sketch, bench.state
    costs = [price(task, sketch, state.values)]
    for turn, top in enumerate(plan.tops):
        is_grown = turn < plan.n_growing and sketch.splits[top]
        if top and not is_grown:
            sweep(task, sketch, state, top, luck[turn])
        if turn < plan.n_loose - 1:
            continue
        if turn >= plan.n_loose:
            trim(task, sketch, state, 1)
            now = price(task, sketch, state.values)
            polish(task, sketch, state.values, 1, *ROUGHLY, now)
            settle(task, sketch, state, 1)
        costs.append(price(task, sketch, state.values))
        if turn >= plan.n_loose and costs[-1] > costs[-2] * (1 - ENOUGH):
            return costs[-1], turn
        if costs[-1] > plan.limit:
            return np.inf, turn
    return costs[-1], len(plan.tops)


@few
@given(cases(), st.data())
def test_a_descent_is_its_turns(case, data):
    """The same tree, cost and number of turns as with a call for every step."""
    tops = data.draw(st.lists(st.sampled_from([0, *case.branch_nodes]), max_size=6))
    n_loose = data.draw(st.integers(0, len(tops)))
    n_growing = data.draw(st.integers(0, n_loose))
    limit = data.draw(st.sampled_from([0.0, 3.0, np.inf]))
    plan = Plan(np.array(tops, dtype=np.int64), n_growing, n_loose, limit, *ROUGHLY)
    seed = data.draw(st.integers(0, 99))
    luck = np.random.default_rng(seed).random((len(tops), len(case.sketch.intercepts), 6))
    bench, twin = case.bench(), case.bench()
    found = descend(case.task, bench.sketch, bench.state, plan, luck)
    assert found == pytest.approx(by_turns(twin, plan, luck), rel=1e-9)
    np.testing.assert_array_equal(bench.sketch.splits, twin.sketch.splits)
    np.testing.assert_allclose(bench.sketch.weights, twin.sketch.weights, rtol=1e-6, atol=1e-9)


@few
@given(cases())
def test_a_descent_never_costs(case):
    """Sweeps and polishes accept nothing that is dearer, unless the routing margin was broken."""
    bench = case.bench()
    before = bench.price()
    after = bench.descend()
    assert after <= before * (1 + 1e-9)
    assert after == pytest.approx(bench.price(), rel=1e-9)


@few
@given(cases(), st.data())
def test_a_descent_above_its_limit_is_given_up(case, data):
    """After repairs, before anything else is done."""
    bench = case.bench()
    node = data.draw(st.sampled_from(case.branch_nodes))
    assert bench.descend([node], limit=-1.0) == np.inf


@few
@given(cases(), st.data())
def test_growing_leaves_splits_alone(case, data):
    """Where every node that may grow splits already, nothing changes."""
    bench = case.bench()
    node = data.draw(st.sampled_from(case.branch_nodes))
    before = bench.take()
    bench.grow(node)
    kept = before.splits.nonzero()[0]
    assert bench.sketch.splits[kept].all()
    if len(kept) == len(case.branch_nodes):
        np.testing.assert_array_equal(bench.sketch.weights, before.weights)
