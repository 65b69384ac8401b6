"""Starts: trees from groups of rows, and the best divisions against all of them."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from margin_searches import IRIS, PROBLEMS
from margintree.core.judges import price_margins
from margintree.search.margin.groupings import by_class, make_groupings
from margintree.search.margin.kernel_data import to_tree
from margintree.search.margin.starts import (
    best_divisions,
    from_best_divisions,
    from_random_groups,
    membership,
    parts_of,
)
from working_trees import corners, local_search_for


@given(st.integers(1, 127))
def test_parts_are_one_of_each_division(members):
    """Every way to divide a set in two appears once, by one of its parts, and no part is empty."""
    bits = [bit for bit in range(7) if members >> bit & 1]
    subsets = {
        sum(1 << bit for bit in chosen)
        for size in range(1, len(bits))
        for chosen in combinations(bits, size)
    }
    parts = parts_of(members).tolist()
    divisions = {frozenset((part, members ^ part)) for part in parts}
    assert len(divisions) == len(parts)
    assert divisions == {frozenset((part, members ^ part)) for part in subsets}


@given(st.lists(st.integers(0, 3), min_size=1))
def test_a_set_has_the_groups_of_its_bits(groups):
    """The rows of a bit mask are found by its columns."""
    groups = np.unique(groups, return_inverse=True)[1]
    belongs = membership(groups)
    for members in range(len(belongs)):
        expected = [bool(members >> group & 1) for group in groups]
        assert belongs[members, groups].astype(bool).tolist() == expected


def test_divisions_end_with_the_time(monkeypatch):
    """Every set of groups looks at the clock; then the others are not divided."""
    problem = IRIS
    local, groups = local_search_for(problem), by_class(problem)
    whole = best_divisions(local, groups)
    tried, real = [], local.propose
    monkeypatch.setattr(local, "propose", lambda *given: tried.append(1) or real(*given))
    local.is_over = lambda: len(tried) > 0
    part = best_divisions(local, groups)
    assert len(tried) > 0
    assert not part[-1].any()
    assert whole[-1].any()
    local.is_over = lambda: True
    assert not best_divisions(local, groups).any()


def cheapest_division(local, groups, members, height):
    """Return what a set of groups costs at least, by recursion over all divisions."""
    belongs = membership(groups)
    rows = np.flatnonzero(belongs[members, groups])
    best = local.data.prices[rows].sum(axis=0).min()
    if height == 0:
        return best
    for part in parts_of(members).tolist():
        sides = 2 * belongs[part] - belongs[members]
        cost = local.data.split_price + local.propose(1, rows, sides[groups[rows]])
        for half in (part, members ^ part):
            cost += cheapest_division(local, groups, half, height - 1)
        best = min(best, cost)
    return best


@pytest.mark.parametrize("scale", [2.0, 8.0])
@pytest.mark.parametrize("name", ["irisD=2(10,1,1)", "wineD=2(10,1,1)"])
def test_the_best_divisions_are_the_best_of_all(name, scale):
    """Dynamic programming and plain recursion agree on the cost of the whole set."""
    problem = PROBLEMS[name]
    local, groups = local_search_for(problem, scale), by_class(problem)
    parts, belongs = best_divisions(local, groups), membership(groups)

    def cost_of(members, height):
        rows = np.flatnonzero(belongs[members, groups])
        part = int(parts[members, height])
        if not part:
            return local.data.prices[rows].sum(axis=0).min()
        sides = 2 * belongs[part] - belongs[members]
        own = local.data.split_price + local.propose(1, rows, sides[groups[rows]])
        return own + cost_of(part, height - 1) + cost_of(members ^ part, height - 1)

    everything = len(belongs) - 1
    expected = cheapest_division(local, groups, everything, problem.depth)
    assert cost_of(everything, problem.depth) == pytest.approx(expected, rel=1e-3)


def test_the_corners_of_a_square_come_apart():
    """Four classes in four clouds: a start from the best divisions has no error."""
    problem = corners(depth=2)
    local = local_search_for(problem)
    from_best_divisions(local, by_class(problem))
    assert price_margins(problem, to_tree(problem, local.working)).errors == 0


@pytest.mark.parametrize("start", [from_random_groups, from_best_divisions])
@pytest.mark.parametrize("name", ["irisD=2(10,1,1)", "cloudsD=2(1,1,0.1)", "balanceD=2(10,1,1)"])
def test_a_start_is_a_tree_that_the_judge_prices_alike(start, name):
    """Whatever the grouping, the local search knows its cost and it keeps the routing margin."""
    problem = PROBLEMS[name]
    for seed, groups in enumerate(make_groupings(problem, 0)[:8]):
        local = local_search_for(problem, 4.0, seed)
        start(local, groups)
        judged = price_margins(problem, to_tree(problem, local.working))
        assert judged.is_allowed
        assert judged.total == pytest.approx(local.price())


@pytest.mark.parametrize("most", [0, 1, 2])
def test_a_start_keeps_the_number_of_splits(most):
    """Also where the best divisions would use more."""
    problem = PROBLEMS["cloudsD=2(1,1,0.1)"].with_rules(max_splits=most)
    for start in (from_random_groups, from_best_divisions):
        local = local_search_for(problem, 4.0)
        start(local, by_class(problem))
        assert local.working.splits.sum() <= most
