"""Kernels of leaf groups: prices against hyperplanes, the order of groups against all orders.

These tests also pass with ``NUMBA_DISABLE_JIT=1``; ``.ci/run`` runs them once that way.
"""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from margintree._lib.svm import repair_duals
from margintree.core.problem import Costs, Problem
from margintree.search.margin import leaf_groups
from margintree.search.margin.kernels.leaf_groups import (
    arrange,
    gain_of_row,
    least_price,
    move_rows,
    part_price,
    solve_part,
)
from working_trees import corners, directions, local_search_for, small_problems

ROUNDING = 1e-6
"""The length of a vector that ought to be zero is the root of a rounding error."""
NORM_OF_4 = 4.0**2 / 2
"""What a tree pays for a common norm of 4."""


@st.composite
def laid_out(draw):
    """Draw a small problem with groups of its rows."""
    problem = draw(small_problems())
    any_group = st.integers(0, 2**problem.depth - 1)
    return problem, draw(hnp.arrays(np.int64, problem.n_rows, elements=any_group))


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_every_set_is_parted_in_every_way_once(depth):
    """Sets of 2, 4, ... groups, small ones first, and never a half with its counterpart."""
    wholes, halves = leaf_groups.halvings(depth)
    sizes = [int(whole).bit_count() for whole in wholes]
    assert sizes == sorted(sizes)
    assert [2 * int(half).bit_count() for half in halves] == sizes
    assert (halves & ~wholes == 0).all()
    pairs = {frozenset([int(h), int(w ^ h)]) for w, h in zip(wholes, halves, strict=True)}
    assert len(pairs) == len(wholes) == {1: 1, 2: 9, 3: 273}[depth]


def rows_and_sides(grouped, way):
    """Return the rows that a way parts, and where they go."""
    rows = np.flatnonzero(grouped.wholes[way] >> grouped.groups & 1)
    return rows, np.where(grouped.halves[way] >> grouped.groups[rows] & 1, 1.0, -1.0)


@settings(deadline=None)
@given(laid_out(), st.sampled_from([0.5, 3.0, 20.0]), st.data())
def test_no_hyperplane_of_the_norm_costs_less_than_a_part(case, scale, data):
    """The price is a lower bound, whatever was solved before, and so is what is known of it."""
    problem, groups = case
    local = local_search_for(problem, scale)
    kernel_data, grouped = local.data, leaf_groups.new_groups(local, groups)
    way = data.draw(st.integers(0, len(grouped.wholes) - 1))
    moved = data.draw(st.integers(0, problem.n_rows - 1))
    grouped.groups[moved] = data.draw(st.integers(0, 2**problem.depth - 1))
    part_price(kernel_data, grouped, way, np.inf)
    grouped.groups[moved] = groups[moved]
    known = least_price(kernel_data, grouped, way)
    first = part_price(kernel_data, grouped, way, np.inf)
    price = (
        max(known, first, part_price(kernel_data, grouped, way, np.inf)) - kernel_data.split_price
    )
    rows, sides = rows_and_sides(grouped, way)
    if not len(rows) or abs(sides.sum()) == len(rows):
        assert known == first == 0.0
        return
    weights = data.draw(directions(problem.n_features)) * scale
    row = data.draw(st.integers(0, len(rows) - 1))
    intercept = data.draw(st.sampled_from([-1.0, 0.0, 1.0])) - weights @ kernel_data.X[rows[row]]
    values = sides * (kernel_data.X[rows] @ weights + intercept)
    paid = kernel_data.pull[rows] @ np.maximum(0.0, 1 - values)
    paid += grouped.wrong * np.maximum(0.0, kernel_data.eps - values).sum()
    assert price <= paid * (1 + 1e-9) + ROUNDING


@settings(deadline=None)
@given(laid_out(), st.sampled_from([0.5, 3.0, 20.0]), st.floats(0.0, 5.0), st.data())
def test_a_limit_spares_steps_and_changes_no_price_below_it(case, scale, limit, data):
    """Beyond it the price is between the limit and what it is without one."""
    problem, groups = case
    local = local_search_for(problem, scale)
    kernel_data = local.data
    grouped, other = (leaf_groups.new_groups(local, groups) for _ in range(2))
    way = data.draw(st.integers(0, len(grouped.wholes) - 1))
    price = part_price(kernel_data, grouped, way, np.inf)
    cut = part_price(kernel_data, other, way, limit)
    assert cut == price if price < limit else limit <= cut <= price


@settings(deadline=None)
@given(laid_out(), st.sampled_from([0.5, 3.0, 20.0]), st.data())
def test_a_trial_leaves_what_is_known_as_it_is(case, scale, data):
    """Also where all rows are on one side."""
    problem, groups = case
    local = local_search_for(problem, scale)
    grouped = leaf_groups.new_groups(local, groups)
    grouped.planes[:] = 1.0
    way = data.draw(st.integers(0, len(grouped.wholes) - 1))
    known = grouped.duals.copy(), grouped.regularity.copy(), grouped.planes.copy()
    price, *_ = solve_part(local.data, grouped, way, np.inf)
    for before, after in zip(
        known, (grouped.duals, grouped.regularity, grouped.planes), strict=True
    ):
        assert (before == after).all()
    assert price == part_price(local.data, grouped, way, np.inf)


@settings(deadline=None)
@given(laid_out(), st.sampled_from([0.5, 3.0, 20.0]), st.data())
def test_what_is_known_is_the_value_of_the_dual_variables(case, scale, data):
    """As `repair_duals` leaves them after a row has moved; less where one is beyond its box."""
    problem, groups = case
    local = local_search_for(problem, scale)
    kernel_data, grouped = local.data, leaf_groups.new_groups(local, groups)
    way = data.draw(st.integers(0, len(grouped.wholes) - 1))
    price = part_price(kernel_data, grouped, way, np.inf)
    assert least_price(kernel_data, grouped, way) <= price * (1 + 1e-9) + ROUNDING
    moved = data.draw(st.integers(0, problem.n_rows - 1))
    grouped.groups[moved] = data.draw(st.integers(0, 2**problem.depth - 1))
    rows, sides = rows_and_sides(grouped, way)
    beta, box = grouped.duals[way, rows], kernel_data.pull[rows]
    is_beyond = (np.abs(beta) > box).any()
    repair_duals(beta, sides, box + grouped.wrong)
    least = least_price(kernel_data, grouped, way)
    if not beta.any():
        assert least == 0.0
        return
    sizes = np.abs(beta)
    value = (np.minimum(sizes, box) + kernel_data.eps * np.maximum(sizes - box, 0.0)).sum()
    value -= scale * np.linalg.norm(beta @ kernel_data.X[rows])
    value = max(value, 0.0) + kernel_data.split_price
    assert least <= value * (1 + 1e-9) + ROUNDING
    assert is_beyond or least == pytest.approx(value, rel=1e-9, abs=ROUNDING)


def test_a_part_costs_about_what_its_best_hyperplane_costs():
    """Two clouds on a line, a street wider than the norm allows: violations are known."""
    X = np.array([[0.0], [0.4], [0.6], [1.0]])
    problem = Problem.from_data(X, [0, 0, 1, 1], n_classes=2, depth=1, costs=Costs(9.0, 1.0, 0.5))
    local = local_search_for(problem, scale=5.0)
    grouped = leaf_groups.new_groups(local, np.array([0, 0, 1, 1]))
    for _ in range(5):
        price = part_price(local.data, grouped, 0, np.inf)
    assert price == pytest.approx(0.5 + 2 * (1 - 5.0 * 0.1), abs=0.05)
    weight, intercept = grouped.planes[0]
    assert weight == pytest.approx(5.0, rel=0.2)
    assert -intercept / weight == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize("seed", range(6))
def test_groups_hang_as_well_as_in_any_order(seed):
    """Against all orders of the groups, splits left out where one leaf for all is cheaper."""
    rng = np.random.default_rng(seed)
    X, y = rng.random((14, 2)), rng.integers(0, 3, 14)
    costs = Costs(float(rng.choice([0.3, 10.0])), 1.0, 0.1)
    problem = Problem.from_data(X, y, n_classes=3, depth=2, costs=costs)
    local = local_search_for(problem, 4.0)
    groups = rng.integers(0, 4, 14)
    found = arrange(local.data, leaf_groups.new_groups(local, groups), np.inf)
    numbers = {
        (int(w), int(h)): k for k, (w, h) in enumerate(zip(*leaf_groups.halvings(2), strict=True))
    }

    def cheapest_leaf(members):
        return local.data.prices[np.isin(groups, members)].sum(axis=0).min()

    def price(order):
        if len(order) == 1:
            return cheapest_leaf(order)
        left, right = order[: len(order) // 2], order[len(order) // 2 :]
        masks = [sum(1 << group for group in side) for side in (left, right)]
        half = next(mask for mask in masks if (sum(masks), mask) in numbers)
        fresh = leaf_groups.new_groups(local, groups)
        way = numbers[sum(masks), half]
        parted = part_price(local.data, fresh, way, np.inf)
        parted += NORM_OF_4 if len(order) == 4 else 0.0
        return min(cheapest_leaf(order), price(left) + price(right) + parted)

    assert found == pytest.approx(min(price(order) for order in permutations(range(4))))


@pytest.mark.parametrize("n_times", [1, 20])
@pytest.mark.parametrize("seed", range(6))
def test_eight_groups_hang_as_well_as_in_all_273_ways(seed, n_times):
    """What bounds leave out does not matter, however well margin problems have been solved."""
    rng = np.random.default_rng(seed)
    X, y = rng.random((40, 3)), rng.integers(0, 3, 40)
    costs = Costs(float(rng.choice([1.0, 10.0])), 1.0, 0.1)
    problem = Problem.from_data(X, y, n_classes=3, depth=3, costs=costs)
    local = local_search_for(problem, 4.0)
    groups = rng.integers(0, 8, 40)
    grouped, slow = (leaf_groups.new_groups(local, groups) for _ in range(2))
    ways = range(len(slow.wholes))
    for _ in range(n_times):
        found = arrange(local.data, grouped, np.inf)
        parted = [part_price(local.data, slow, way, np.inf) for way in ways]
    cheapest = [local.data.prices[mask >> groups & 1 == 1].sum(axis=0).min() for mask in range(256)]
    for price, whole, half in zip(parted, slow.wholes, slow.halves, strict=True):
        cost = cheapest[half] + cheapest[whole ^ half] + price
        cost += NORM_OF_4 if whole == 255 else 0.0
        cheapest[whole] = min(cheapest[whole], cost)
    assert found == pytest.approx(cheapest[255], rel=0.02)


@pytest.mark.parametrize("share", [0.5, 0.99, 1.01, 2.0])
@pytest.mark.parametrize("seed", range(4))
def test_groups_hang_alike_with_a_limit_and_stay_where_they_are_beyond_it(seed, share):
    """The limit is the cost of what is not below it."""
    rng = np.random.default_rng(seed)
    X, groups = rng.random((40, 3)), rng.integers(0, 8, 40)
    costs = Costs(100.0, 1.0, 0.1)
    problem = Problem.from_data(X, groups % 3, n_classes=3, depth=3, costs=costs)
    local = local_search_for(problem, 4.0)
    free, limited = (leaf_groups.new_groups(local, groups) for _ in range(2))
    limited.ways[:] = -1
    cost = arrange(local.data, free, np.inf)
    found = arrange(local.data, limited, share * cost)
    if share > 1:
        assert found == pytest.approx(cost, rel=0.02)
        assert (limited.ways >= 0).any()
    else:
        assert found == share * cost
        assert (limited.ways == -1).all()


EVERYWHERE = np.array([[row, target] for row in range(24) for target in range(8)]).T.copy()


def gains_of(least):
    """Return the limits of these moves if each must gain at least this much."""
    return np.full(EVERYWHERE.shape[1], -least)


def test_rows_go_to_the_group_of_their_likes():
    """Rows in a wrong cloud go back; none moves where that gains too little."""
    problem = corners()
    local = local_search_for(problem)
    grouped = leaf_groups.new_groups(local, problem.y)
    arrange(local.data, grouped, np.inf)
    grouped.groups[[0, 10]] = problem.y[[3, 13]]
    before = grouped.groups.copy()
    assert move_rows(local.data, grouped, *EVERYWHERE, gains_of(np.inf), 1.0) == 0.0
    assert grouped.groups.tolist() == before.tolist()
    assert move_rows(local.data, grouped, *EVERYWHERE, gains_of(1e-3), 1.0) > 10.0
    assert grouped.groups.tolist() == problem.y.tolist()


def test_groups_without_a_split_part_for_nothing():
    """Rows of another class find a group of their own, for `arrange` to look at."""
    problem = replace(corners(), costs=Costs(0.01, 1.0, 50.0))
    local = local_search_for(problem)
    grouped = leaf_groups.new_groups(local, np.zeros(24, dtype=np.int64))
    assert arrange(local.data, grouped, np.inf) == pytest.approx(0.01 * 21)
    assert (grouped.ways == -1).all()
    assert move_rows(local.data, grouped, *EVERYWHERE, gains_of(1e-3), 1.0) > 0
    assert len(set(zip(problem.y, grouped.groups, strict=True))) == len(set(grouped.groups)) == 8
    assert arrange(local.data, grouped, np.inf) == pytest.approx(0.01 * 21)


@pytest.mark.parametrize("seed", range(8))
def test_moves_gain_what_they_say(seed):
    """As the sum of what leaves and splits cost before and after, solved well."""
    rng = np.random.default_rng(seed)
    problem = corners(n_each=3)
    local = local_search_for(problem, scale=4.0)
    grouped = leaf_groups.new_groups(local, problem.y)
    arrange(local.data, grouped, np.inf)
    grouped.groups[rng.choice(24, size=2, replace=False)] = rng.integers(0, 8, 2)

    def price():
        for _ in range(30):
            splits = [
                part_price(local.data, grouped, way, np.inf) for way in grouped.ways if way >= 0
            ]
        classes = [local.data.prices[grouped.groups == k].sum(axis=0).min() for k in range(8)]
        return sum(splits) + sum(classes)

    before = price()
    gain = move_rows(local.data, grouped, *EVERYWHERE[:, rng.permutation(192)], gains_of(0.01), 1.0)
    assert gain > 0
    assert gain == pytest.approx(before - price(), rel=0.1)


@settings(deadline=None)
@given(laid_out(), st.sampled_from([0.5, 3.0, 20.0]), st.data())
def test_a_pair_step_never_promises_too_much(case, scale, data):
    """With a row that joins, no hyperplane of the norm costs less than price and gain together."""
    problem, groups = case
    local = local_search_for(problem, scale)
    kernel_data, grouped = local.data, leaf_groups.new_groups(local, groups)
    way = data.draw(st.integers(0, len(grouped.wholes) - 1))
    moved = data.draw(st.integers(0, problem.n_rows - 1))
    price = part_price(kernel_data, grouped, way, np.inf)
    grouped.groups[moved] = data.draw(st.integers(0, 2**problem.depth - 1))
    if grouped.wholes[way] >> groups[moved] & 1:
        return
    bound = price + gain_of_row(kernel_data, grouped, way, moved) - kernel_data.split_price
    rows, sides = rows_and_sides(grouped, way)
    if not len(rows) or abs(sides.sum()) == len(rows):
        return
    weights = data.draw(directions(problem.n_features)) * scale
    row = data.draw(st.integers(0, len(rows) - 1))
    intercept = data.draw(st.sampled_from([-1.0, 0.0, 1.0])) - weights @ kernel_data.X[rows[row]]
    values = sides * (kernel_data.X[rows] @ weights + intercept)
    paid = kernel_data.pull[rows] @ np.maximum(0.0, 1 - values)
    paid += grouped.wrong * np.maximum(0.0, kernel_data.eps - values).sum()
    assert bound <= paid * (1 + 1e-9) + ROUNDING


def test_a_row_on_the_wrong_side_gains_and_one_beyond_the_margin_does_not():
    """A row of a cloud on one side of the root joins clouds on the other side and on its own."""
    problem = corners()
    local = local_search_for(problem, scale=4.0)
    grouped = leaf_groups.new_groups(local, problem.y)
    arrange(local.data, grouped, np.inf)
    way = grouped.ways[1]
    right = [k for k in range(8) if grouped.halves[way] >> k & 1]
    left = [k for k in range(8) if k not in right]
    part_price(local.data, grouped, way, np.inf)
    grouped.duals[way, :3] = 0.0
    own, other = (left, right) if problem.y[0] in left else (right, left)
    grouped.groups[0] = other[0]
    assert gain_of_row(local.data, grouped, way, 0) > 0.0
    plane = grouped.planes[way]
    values = np.abs(local.data.X @ plane[:-1] + plane[-1])
    grouped.groups[0] = own[0]
    assert (gain_of_row(local.data, grouped, way, 0) > 0.0) == (values[0] < 1)


def test_a_row_moves_where_its_limit_allows_a_loss():
    """With high limits everything within reach moves; without reach nothing does."""
    problem = corners()
    local = local_search_for(problem)
    grouped = leaf_groups.new_groups(local, problem.y)
    arrange(local.data, grouped, np.inf)
    before, limits = grouped.groups.copy(), np.full(EVERYWHERE.shape[1], 1e9)
    assert move_rows(local.data, grouped, *EVERYWHERE, limits, -1e9) == 0.0
    assert grouped.groups.tolist() == before.tolist()
    assert move_rows(local.data, grouped, *EVERYWHERE, limits, 1e9) < 0.0
    assert grouped.groups.tolist() != before.tolist()
