"""From values to kernel arrays and back: nothing is lost and nothing costs more."""

import numpy as np
import pytest
from hypothesis import assume, given

from margintree.core import topology
from margintree.core.judges import price_margins
from margintree.core.simplify import push_up, remove_empty_sides
from margintree.search.margin.kernel_data import (
    gram_of,
    make_kernel_data,
    new_state,
    share,
    to_tree,
    to_working_tree,
)
from margintree.search.margin.kernels.sweep import settle
from margintree.search.margin.kernels.working_tree import price
from strategies import problems, problems_with_trees
from working_trees import cases, kernel_data_of


@given(problems_with_trees())
def test_a_tree_on_the_way_through_kernels_routes_the_same_and_costs_no_more(drawn):
    """All normal vectors grow to the largest norm, so violations can only fall."""
    problem, tree = drawn
    tree = push_up(problem, remove_empty_sides(problem, tree))
    working = to_working_tree(kernel_data_of(problem), tree)
    again = to_tree(problem, working)
    np.testing.assert_array_equal(again.splits, tree.splits)
    np.testing.assert_array_equal(again.predict(problem.X), tree.predict(problem.X))
    norms = np.linalg.norm(again.weights[again.splits], axis=1)
    if len(norms):
        assert norms == pytest.approx(np.linalg.norm(tree.weights, axis=1).max())
        assert working.shares[1:][tree.splits].sum() == pytest.approx(1.0)
    before, after = (price_margins(problem, one) for one in (tree, again))
    assume(before.is_allowed)
    assert after.is_allowed
    assert after.violations <= before.violations + 1e-9
    assert after.total <= before.total + 1e-9 * max(1.0, before.total)


@given(cases())
def test_a_working_tree_becomes_a_tree_of_the_same_price(case):
    """The price of the kernels is that of the judge."""
    judged = price_margins(case.problem, case.tree)
    ours = price(case.kernel_data, case.working, case.state.values)
    assume(np.isfinite(ours))
    assert judged.is_allowed
    assert ours == pytest.approx(judged.total, rel=1e-9, abs=1e-9)


@given(cases())
def test_idle_nodes_of_a_tree_from_kernels_are_empty(case):
    """Weights of nodes that do not split do not reach the tree, whatever the arrays hold."""
    case.working.weights[~case.working.splits[: len(case.working.weights)]] = 7.0
    tree = case.tree
    idle = ~tree.splits
    assert not tree.weights[idle].any()
    assert (tree.intercepts[idle] == -1.0).all()


@given(problems())
def test_kernel_data_say_what_the_problem_says(problem):
    """Prices, pulls, rules and the size of the tree, in arrays of their own."""
    data = make_kernel_data(problem, gram_of(problem))
    np.testing.assert_array_equal(data.gram, data.gram.T)
    assert data.gram == pytest.approx(problem.X @ problem.X.T)
    assert data.pull == pytest.approx(problem.costs.violations * problem.row_weights)
    dearest = max(data.prices.max(), data.pull.max())
    assert data.barrier >= dearest
    for k in range(problem.n_classes):
        expected = problem.row_weights * problem.error_costs[problem.y, k] * problem.costs.errors
        assert data.prices[:, k] == pytest.approx(expected)
    assert len(data.stays) == len(data.tolls) == topology.n_nodes(problem.depth) + 1
    assert not np.shares_memory(data.X, problem.X)
    assert data.X.flags.c_contiguous


@given(problems())
def test_shared_data_fit_every_problem_of_the_rows(problem):
    """They know nothing of costs, and pairs are found once."""
    shared = share(problem, seed=3)
    np.testing.assert_array_equal(shared.gram, gram_of(problem))
    assert shared.pairs is shared.pairs
    assert all(len(groups) == problem.n_rows for groups in shared.groupings)


@given(cases())
def test_an_empty_state_settles_like_a_used_one(case):
    """The derived state depends on the working tree alone."""
    fresh = new_state(case.kernel_data)
    settle(case.kernel_data, case.working, fresh, 1)
    np.testing.assert_array_equal(fresh.terminals, case.state.terminals)
    np.testing.assert_array_equal(fresh.costs, case.state.costs)
