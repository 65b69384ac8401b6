"""Refitting a tree: trimming, polishing and settling in one call.

These tests also pass with ``NUMBA_DISABLE_JIT=1``; ``.ci/run`` runs them once that way.
"""

import numpy as np
import pytest
from hypothesis import given, settings

from margintree.search.margin.kernels.polish import polish
from margintree.search.margin.kernels.sweep import refit, settle, trim
from margintree.search.margin.kernels.working_tree import price
from margintree.search.margin.local_search import ROUGHLY
from working_trees import cases

few = settings(max_examples=40, deadline=None)


@few
@given(cases())
def test_a_refit_is_its_steps(case):
    """The same tree and cost as with a call for every step."""
    local, twin = case.local(), case.local()
    found = refit(local.data, local.working, local.state, *ROUGHLY)
    kernel_data, working, state = twin.data, twin.working, twin.state
    trim(kernel_data, working, state, 1)
    polish(
        kernel_data, working, state.values, 1, *ROUGHLY, price(kernel_data, working, state.values)
    )
    settle(kernel_data, working, state, 1)
    assert found == pytest.approx(price(kernel_data, working, state.values), rel=1e-9)
    np.testing.assert_array_equal(local.working.splits, working.splits)
    np.testing.assert_allclose(local.working.weights, working.weights, rtol=1e-6, atol=1e-9)


@few
@given(cases())
def test_after_a_refit_both_sides_of_every_split_have_rows(case):
    """Splits with an empty side are gone, and nothing has become dearer."""
    local = case.local()
    before = local.price()
    after = refit(local.data, local.working, local.state, *ROUGHLY)
    assert after <= before * (1 + 1e-9)
    for node in local.splitting_nodes():
        if node == 1 or local.working.splits[node // 2]:
            assert len(local.rows(2 * node))
            assert len(local.rows(2 * node + 1))
