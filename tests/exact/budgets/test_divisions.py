"""Planes, and the ways in which lines divide rows in them."""

from itertools import combinations

import numpy as np
import pytest

from margintree.core.problem import Costs, Problem
from margintree.exact.budgets.divisions import Divisions, PricedRows, divide, members_of, set_of
from margintree.exact.budgets.turning_lines import Planes
from margintree.testing.margin_oracles import linear_divisions


def problem_of(seed, n_features=2, digits=1, n=9, budget=2, price=0.0):
    """Return random rows on a coarse grid, where many lie on lines or at the same place."""
    rng = np.random.default_rng([11, seed])
    y = rng.integers(0, 3, n)
    posed = Problem.from_data(
        rng.random((n, n_features)).round(digits),
        y,
        n_classes=3,
        depth=2,
        costs=Costs(2.0, 1.0, 0.5, features=price),
        row_weights=rng.uniform(0.5, 2, n),
    )
    return posed.with_rules(max_features_per_split=budget)


def listed(problem, members=None, below=np.inf, enough=-np.inf, size=5_000):
    """Return the divisions of some rows."""
    members = np.ones(problem.n_rows, bool) if members is None else members
    room = Divisions.room(size, problem.n_rows)
    count = divide(Planes.of(problem), PricedRows.of(problem), members, below, enough, room)
    return room.only(slice(0, count))


def halves(problem, found):
    """Return the sets of rows of divisions, each with its mirror image, by plane."""
    everyone = frozenset(range(problem.n_rows))
    sets = (frozenset(np.flatnonzero(members_of(some, problem.n_rows))) for some in found.sets)
    return {
        (plane, half)
        for plane, rows in zip(found.planes.tolist(), sets, strict=True)
        for half in (rows, everyone - rows)
    }


@pytest.mark.parametrize("seed", range(40))
def test_every_division_by_a_line_is_listed_and_no_other(seed):
    """A slow enumeration of all directions finds the same sets, with rows in one place and not."""
    problem = problem_of(seed, digits=1 + seed % 3)
    everyone = frozenset(range(problem.n_rows))
    slow = {rows for rows in linear_divisions(problem.X) if rows and rows != everyone}
    assert {rows for _, rows in halves(problem, listed(problem))} == slow | {
        everyone - rows for rows in slow
    }


@pytest.mark.parametrize("seed", range(10))
def test_one_feature_is_divided_between_neighbours(seed):
    """With a budget of one feature every plane is a feature."""
    problem = problem_of(seed, n_features=3, budget=1)
    planes = Planes.of(problem)
    assert planes.features.tolist() == [[0, -1], [1, -1], [2, -1]]
    for plane in range(3):
        values = problem.X[:, plane]
        slow = {frozenset(np.flatnonzero(values > cut)) for cut in np.unique(values)[:-1]}
        fast = {rows for at, rows in halves(problem, listed(problem)) if at == plane}
        assert {rows for rows in fast if rows in slow} == slow
        assert len(fast) == 2 * len(slow)


def test_planes_are_the_pairs_and_with_a_price_the_single_features_too():
    """A feature that costs something may be left out; otherwise a second one does no harm."""
    pairs = [list(some) for some in combinations(range(4), 2)]
    assert Planes.of(problem_of(0, n_features=4)).features.tolist() == pairs
    priced = Planes.of(problem_of(0, n_features=4, price=0.5))
    assert priced.features.tolist() == [[j, -1] for j in range(4)] + pairs
    assert priced.prices.tolist() == [0.5] * 4 + [1.0] * 6


@pytest.mark.parametrize("seed", range(20))
def test_what_is_paid_is_the_split_and_the_errors_of_two_leaves(seed):
    """Also where only some of the rows are divided."""
    problem = problem_of(seed, n_features=3, price=0.25)
    members = np.random.default_rng(seed).random(problem.n_rows) < 0.7
    members[:2] = True
    planes, found = Planes.of(problem), listed(problem, members)
    for rows, plane, paid in zip(found.sets, found.planes, found.paid, strict=True):
        right = members_of(rows, problem.n_rows)
        assert not (right & ~members).any()
        errors = sum(
            problem.error_prices[some].sum(axis=0).min() for some in (right, members & ~right)
        )
        assert paid == pytest.approx(0.5 + planes.prices[plane] + errors)


@pytest.mark.parametrize("seed", range(10))
def test_with_room_for_one_the_cheapest_is_kept(seed):
    """Or the first that is cheap enough, or none below the limit."""
    problem = problem_of(seed)
    least = listed(problem).paid.min()
    assert listed(problem, size=1).paid.tolist() == pytest.approx([least])
    assert len(listed(problem, size=1, below=least - 1e-9).paid) == 0
    assert listed(problem, size=1, enough=least + 1.0).paid[0] <= least + 1.0
    below = listed(problem, below=least + 1.0).paid
    assert below.max() < least + 1.0


def test_distinct_divisions_are_sorted_by_price():
    """A line may be listed for two rows that it touches; then it is kept once."""
    problem = problem_of(3, n_features=3)
    found = listed(problem)
    distinct = found.distinct()
    assert halves(problem, distinct) == halves(problem, found)
    assert len(distinct.paid) == len(halves(problem, found)) // 2 < len(found.paid)
    assert (np.diff(distinct.paid) >= 0).all()


@pytest.mark.parametrize("n_rows", [1, 63, 64, 65, 130])
def test_sets_of_rows_have_as_many_words_as_they_need(n_rows):
    """A set can be read back, whatever the number of rows."""
    members = np.random.default_rng(n_rows).random(n_rows) < 0.5
    assert len(set_of(members)) == -(-n_rows // 64)
    np.testing.assert_array_equal(members_of(set_of(members), n_rows), members)


def test_more_rows_than_a_word_has_are_divided_alike():
    """The sets of 70 rows agree with the slow enumeration of their order along one feature."""
    rng = np.random.default_rng(0)
    posed = Problem.from_data(rng.random((70, 1)), rng.integers(0, 2, 70), n_classes=2, depth=1)
    found = listed(posed.with_rules(max_features_per_split=1))
    sizes = {int(members_of(rows, posed.n_rows).sum()) for rows in found.sets}
    assert len(found.distinct().paid) == posed.n_rows - 1
    assert max(sizes) == posed.n_rows - 1 or min(sizes) == 1
