"""A working tree and the steps that change it: each keeps tree and prices together."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from margintree.core.judges import price_margins
from margintree.search.margin.kernel_data import to_tree
from margintree.search.margin.local_search import LocalSearch
from margintree.testing import twins
from working_trees import cases, corners, local_search_for

few = settings(max_examples=40, deadline=None)


def check(case, local):
    """Assert that all that follows from the working tree is up to date."""
    stops = twins.terminals(local.data, local.working)
    np.testing.assert_array_equal(local.state.terminals, stops)
    judged = price_margins(case.problem, to_tree(case.problem, local.working))
    expected = judged.total if judged.is_allowed else np.inf
    assert local.price() == pytest.approx(expected, rel=1e-9, abs=1e-12)


@few
@given(cases())
def test_what_is_put_can_be_taken(case):
    """As a copy: neither side sees what becomes of the other."""
    local = case.local()
    taken = local.take()
    for mine, other in zip(taken, case.working, strict=True):
        if other is not case.working.labels:
            np.testing.assert_array_equal(mine, other)
        assert not np.shares_memory(mine, other)
    before = taken.weights.copy()
    local.clear(2.0)
    assert local.scale == 2.0
    assert not len(local.splitting_nodes())
    np.testing.assert_array_equal(taken.weights, before)
    check(case, local)


@few
@given(cases())
def test_putting_a_tree_gives_its_leaves_the_cheapest_classes(case):
    """And so never costs."""
    local = case.local()
    expected = twins.cheapest_labels(local.data, local.working, local.state.terminals)
    stops = np.unique(local.state.terminals)
    np.testing.assert_array_equal(local.working.labels[stops], expected[stops])
    check(case, local)


@few
@given(cases(), st.data())
def test_every_row_is_below_the_nodes_on_its_way(case, data):
    """Rows of a node are those that arrive there, and after a cut they stop there."""
    local = case.local()
    node = data.draw(st.sampled_from(case.branch_nodes))
    rows = local.rows(node)
    expected = twins.rows_below(local.state.terminals, node)
    np.testing.assert_array_equal(rows, expected)
    assume(len(rows))
    local.cut(node)
    assert (local.state.terminals[rows] == node).all()
    assert not local.working.splits[node]
    check(case, local)


@few
@given(cases(), st.data())
def test_a_part_sends_rows_where_they_are_wanted_or_says_no(case, data):
    """Without two sides there is nothing to part, and the tree stays as it is."""
    local = case.local()
    node = data.draw(st.sampled_from(case.branch_nodes))
    rows = local.rows(node)
    assume(len(rows))
    some = st.sampled_from([-1.0, 0.0, 1.0])
    sides = np.array(data.draw(st.lists(some, min_size=len(rows), max_size=len(rows))))
    before = local.take()
    is_parted = local.part(node, sides)
    if is_parted:
        assert local.working.splits[node]
        assert np.linalg.norm(local.working.weights[node]) == pytest.approx(local.scale)
    else:
        np.testing.assert_array_equal(local.working.splits, before.splits)
    if not ((sides > 0).any() and (sides < 0).any()):
        assert not is_parted
        np.testing.assert_array_equal(local.working.weights, before.weights)


def test_a_proposal_changes_no_row():
    """It writes a hyperplane and says what it costs; rows stay where they are."""
    problem = corners(depth=2)
    local = local_search_for(problem)
    sides = np.where(problem.X[:, 0] > 0.5, 1.0, -1.0)
    cost = local.propose(1, np.arange(problem.n_rows), sides)
    assert cost == pytest.approx(0.0, abs=1e-9)
    assert (local.state.terminals == 1).all()
    assert local.propose(1, np.arange(problem.n_rows), np.abs(sides)) == np.inf
    assert local.part(1, sides)
    assert {*local.state.terminals.tolist()} == {2, 3}


@few
@given(cases(), st.integers(0, 9))
def test_wandering_leaves_the_weights_of_the_rows_as_they_were(case, seed):
    """Only the tree is another one, priced as ever."""
    local = case.local()
    local.rng = np.random.default_rng(seed)
    data = local.data
    local.wander(local.rng.lognormal(sigma=0.8, size=case.problem.n_rows))
    assert local.data is data
    check(case, local)


def test_nothing_is_done_when_time_is_over():
    """A descent ends at once, with the cost of the tree as it is."""
    local = local_search_for(corners(), scale=3.0)
    local.grow(1)
    before = local.take()
    local.is_over = lambda: True
    assert local.descend() == local.price()
    local.grow(1)
    for mine, other in zip(local.take(), before, strict=True):
        np.testing.assert_array_equal(mine, other)


def test_a_descent_from_a_split_is_the_same_again():
    """The same seed leads to the same tree, which costs less than the one without the split."""
    trees, problem = [], corners(depth=2)
    for _ in range(2):
        local = local_search_for(problem)
        without_splits = local.price()
        assert local.part(1, np.where(problem.X[:, 0] > 0.5, 1.0, -1.0))
        assert local.descend() < without_splits
        trees.append(local.take().weights)
    np.testing.assert_array_equal(*trees)


def test_the_clock_is_looked_at_more_often_where_sweeps_take_longer():
    """After about as many rows, and after one sweep at least."""
    looks = []
    for n_each in (3, 300, 3000):
        local = LocalSearch.__new__(LocalSearch)
        local.data = local_search_for(corners(depth=1)).data._replace(X=np.zeros((2 * n_each, 1)))
        looks.append(local.n_between_looks)
    assert looks == [500, 5, 1]


@few
@given(cases())
def test_a_descent_never_costs(case):
    """Sweeps and polishes accept nothing that is dearer, unless the routing margin was broken."""
    local = case.local()
    before = local.price()
    after = local.descend()
    assert after <= before * (1 + 1e-9)
    assert after == pytest.approx(local.price(), rel=1e-9)


@few
@given(cases(), st.data())
def test_a_descent_above_its_limit_is_given_up(case, data):
    """After repairs, before anything else is done."""
    local = case.local()
    node = data.draw(st.sampled_from(case.branch_nodes))
    assert local.descend([node], limit=-1.0) == np.inf


@few
@given(cases(), st.data())
def test_growing_leaves_splits_alone(case, data):
    """Where every node that may grow splits already, nothing changes."""
    local = case.local()
    node = data.draw(st.sampled_from(case.branch_nodes))
    before = local.take()
    local.grow(node)
    kept = before.splits.nonzero()[0]
    assert local.working.splits[kept].all()
    if len(kept) == len(case.branch_nodes):
        np.testing.assert_array_equal(local.working.weights, before.weights)
