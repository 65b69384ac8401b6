"""Kicks and starts: whatever they change, tree and prices stay together."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from margintree.core.limits import Limits
from margintree.core.problem import Costs, Problem
from margintree.methods import MOCTSVM
from margintree.search.margin.chain import Parts
from margintree.search.margin.groupings import make_groupings
from margintree.search.margin.kernel_data import to_tree
from margintree.search.margin.kicks import (
    KICKS,
    flip,
    insert,
    promote,
    prune,
    random_sides,
    rebuild,
    regroup,
    reroute,
    reweigh,
    sink,
    tilt,
)
from margintree.search.margin.starts import (
    best_divisions,
    from_best_divisions,
    from_random_groups,
    membership,
    parts_of,
)
from margintree.testing import twins
from working_trees import cases, corners, local_search_for

few = settings(max_examples=25, deadline=None)


def kicked(case, kick, data):
    """Return a local search after a kick, the node that was kicked, and the tree before it."""
    local = case.local()
    local.rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    splitting = [int(t) for t in local.splitting_nodes() if len(local.rows(int(t)))]
    assume(splitting)
    node = data.draw(st.sampled_from(splitting))
    before = local.take()
    groupings = make_groupings(case.problem, 0)
    kick(local, node, data.draw(st.sampled_from(groupings)))
    return local, node, before


@pytest.mark.parametrize("kick", [*KICKS, reroute], ids=lambda kick: kick.__name__)
@few
@given(case=cases(), data=st.data())
def test_after_a_kick_everything_is_up_to_date(kick, case, data):
    """Rows are where their values send them, and every split is of the common norm."""
    local, _, before = kicked(case, kick, data)
    values = twins.values(local.data, local.working)
    splits = local.splitting_nodes()
    np.testing.assert_allclose(local.state.values[splits], values[splits], atol=1e-9)
    for row, stop in enumerate(local.state.terminals):
        node = 1
        while local.working.splits[node]:
            node = 2 * node + int(local.state.values[node, row] >= 0)
        assert node == stop
    norms = np.linalg.norm(local.working.weights[local.splitting_nodes()], axis=1)
    np.testing.assert_allclose(norms, local.scale, rtol=1e-6)
    if kick not in (reweigh, reroute):  # which look for another norm, too
        assert local.scale == before.scale[0]
    to_tree(case.problem, local.working)


@pytest.mark.parametrize(
    "kick", [regroup, flip, tilt, insert, promote, prune], ids=lambda kick: kick.__name__
)
@few
@given(case=cases(), data=st.data())
def test_a_kick_changes_nothing_outside_of_its_subtree(kick, case, data):
    """Other nodes keep their hyperplanes and whether they split."""
    local, node, before = kicked(case, kick, data)
    below = {t for t in range(1, len(before.splits)) if any(t >> k == node for k in range(8))}
    outside = [t for t in range(1, len(before.intercepts)) if t not in below]
    np.testing.assert_array_equal(local.working.weights[outside], before.weights[outside])
    np.testing.assert_array_equal(local.working.intercepts[outside], before.intercepts[outside])
    np.testing.assert_array_equal(local.working.splits[outside], before.splits[outside])


@few
@given(case=cases(), data=st.data())
def test_pruning_makes_a_node_terminal(case, data):
    """And no other node."""
    local, node, before = kicked(case, prune, data)
    assert not local.working.splits[node]
    assert (local.working.splits <= before.splits).all()


def test_a_subtree_sinks_as_a_whole():
    """The node's split is that of its child afterwards; the lowest level is lost."""
    local = local_search_for(corners())
    local.grow(1)
    before = local.take()
    sink(local.working, 1, 3)
    for source, target in ((1, 3), (2, 6), (3, 7)):
        np.testing.assert_array_equal(local.working.weights[target], before.weights[source])
        assert local.working.splits[target] == before.splits[source]


@given(st.integers(0, 999), st.integers(1, 5))
def test_rows_of_one_group_share_a_side(seed, n_groups):
    """And both sides have a group, where there are two."""
    rng = np.random.default_rng(seed)
    groups = rng.integers(0, n_groups, 12)
    sides = random_sides(rng.random((12, 2)), groups, rng)
    by_group = [{*sides[groups == group]} for group in np.unique(groups)]
    assert all(len(sides) == 1 for sides in by_group)
    assert {*sides} == ({0.0} if len(by_group) == 1 else {-1.0, 1.0})


@pytest.mark.parametrize("start", [from_random_groups, from_best_divisions])
def test_a_start_parts_the_groups(start):
    """Clouds at the corners of a square, each a group and a class: all are told apart."""
    problem = corners(depth=2)
    local = local_search_for(problem)
    start(local, problem.y)
    local.descend()
    assert len({*local.state.terminals.tolist()}) == 4
    assert local.price() < 50


def test_a_plan_is_the_cheapest_of_all():
    """A slow recursion over sets of groups, every division tried, names the same costs."""
    problem = corners(n_each=2, depth=2)
    local = local_search_for(problem, scale=3.0)
    groups = problem.y
    belongs = membership(groups)
    data = local.data

    def rows(members):
        return np.flatnonzero(belongs[members, groups])

    def cost_of_division(members, part):
        sides = np.where(belongs[part][groups[rows(members)]] > 0, 1.0, -1.0)
        return data.split_price + local.propose(1, rows(members), sides)

    def cheapest(members, height):
        costs = [data.prices[rows(members)].sum(axis=0).min()]
        for part in parts_of(members) if height else ():
            below = cheapest(int(part), height - 1) + cheapest(members ^ int(part), height - 1)
            if below + data.split_price < costs[0]:
                costs.append(below + cost_of_division(members, int(part)))
        return min(costs)

    def planned(members, height):
        part = int(plan[members, height])
        if not part:
            return data.prices[rows(members)].sum(axis=0).min()
        below = planned(part, height - 1) + planned(members ^ part, height - 1)
        return below + cost_of_division(members, part)

    plan = best_divisions(local, groups)
    for members in range(1, len(belongs)):
        for height in range(data.depth + 1):
            assert planned(members, height) == pytest.approx(cheapest(members, height))


@pytest.mark.parametrize("members", [0b1, 0b11, 0b1011, 0b11111])
def test_every_way_to_part_a_set_is_there_once(members):
    """As one of its two parts, never empty and never the whole."""
    parts = parts_of(members).tolist()
    bits = [1 << k for k in range(5) if members >> k & 1]
    sets = {sum(chosen) for size in range(1, len(bits)) for chosen in combinations(bits, size)}
    assert {frozenset((part, members ^ part)) for part in parts} == {
        frozenset((part, members ^ part)) for part in sets
    }
    assert len(parts) == len(sets) // 2


@pytest.mark.parametrize("seed", range(2))
def test_changed_sides_find_single_splits_where_features_are_many(seed):
    """Without them the search keeps errors that no tree needs to make."""
    rng = np.random.default_rng(seed)
    X = rng.random((40, 30))
    y = (X[:, 0] + 0.5 * rng.standard_normal(40) > 0.5).astype(int)
    problem = Problem.from_data(X, y, n_classes=2, depth=1, costs=Costs(1.0, 0.1, 0.1))
    limits = Limits(iterations=300)
    found = MOCTSVM().search(problem, limits)
    others = MOCTSVM().search(problem, limits, parts=Parts(kicks=(rebuild, reweigh)))
    assert found.cost.errors == 0 < others.cost.errors
    assert found.objective < 0.9 * others.objective
