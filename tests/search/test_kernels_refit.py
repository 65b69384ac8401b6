"""Refitting a tree, and the descents made of sweeps and refits.

These tests also pass with ``NUMBA_DISABLE_JIT=1``; ``.ci/run`` runs them once that way.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from margintree.search.kernels.polish import polish
from margintree.search.kernels.refit import refit
from margintree.search.kernels.sketch import price
from margintree.search.kernels.sweep import settle, trim
from margintree.search.workbench import ROUGHLY
from sketches import cases

few = settings(max_examples=40, deadline=None)


@few
@given(cases())
def test_a_refit_is_its_steps(case):
    """The same tree and cost as with a call for every step."""
    bench, twin = case.bench(), case.bench()
    found = refit(bench.task, bench.sketch, bench.state, *ROUGHLY)
    task, sketch, state = twin.task, twin.sketch, twin.state
    trim(task, sketch, state, 1)
    polish(task, sketch, state.values, 1, *ROUGHLY, price(task, sketch, state.values))
    settle(task, sketch, state, 1)
    assert found == pytest.approx(price(task, sketch, state.values), rel=1e-9)
    np.testing.assert_array_equal(bench.sketch.splits, sketch.splits)
    np.testing.assert_allclose(bench.sketch.weights, sketch.weights, rtol=1e-6, atol=1e-9)


@few
@given(cases())
def test_after_a_refit_both_sides_of_every_split_have_rows(case):
    """Splits with an empty side are gone, and nothing has become dearer."""
    bench = case.bench()
    before = bench.price()
    after = refit(bench.task, bench.sketch, bench.state, *ROUGHLY)
    assert after <= before * (1 + 1e-9)
    for node in bench.splitting_nodes():
        if node == 1 or bench.sketch.splits[node // 2]:
            assert len(bench.rows(2 * node))
            assert len(bench.rows(2 * node + 1))


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
