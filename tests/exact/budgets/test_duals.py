"""Bounds of duals, and what first splits and their sides pay at least."""

import numpy as np
import pytest

from margintree.core.judges import TIE_SLACK
from margintree.core.problem import Costs, Problem
from margintree.exact.budgets.divisions import Divisions, PricedRows, divide, members_of, set_of
from margintree.exact.budgets.duals import bound_line, envelope, free_bound
from margintree.exact.budgets.first_split import intercept
from margintree.exact.budgets.floors import Floors
from margintree.exact.budgets.turning_lines import Planes

EPS = 1e-3


def two_sides(seed, n=12):
    """Return points in a plane, what kernels know of them, and the ones on the right of a line."""
    rng = np.random.default_rng([12, seed])
    X = rng.random((n, 2))
    problem = Problem.from_data(
        X, rng.integers(0, 2, n), n_classes=2, depth=1, costs=Costs(1.0, 3.0, 0.1)
    )
    normal = rng.normal(size=2)
    heights = problem.X @ normal
    right = heights > np.median(heights)
    return problem, PricedRows.of(problem), right, rng


def violations(problem, right, weights, b):
    """Return the violations of a hyperplane, infinite if a row is too close to it."""
    distances = np.where(right, 1.0, -1.0) * (problem.X @ weights + b)
    if (distances < EPS * (1 - TIE_SLACK)).any():
        return np.inf
    return float(3.0 * (problem.row_weights * np.maximum(0.0, 1 - distances)).sum())


@pytest.mark.parametrize("seed", range(20))
def test_no_hyperplane_pays_less_than_the_line(seed):
    """At the norms between, for many hyperplanes that divide the rows as they should."""
    problem, rows, right, rng = two_sides(seed)
    everyone, low, high = np.ones(len(right), bool), 1.0, 6.0
    gain, length, normal = bound_line(
        problem.X, rows, everyone, set_of(right), low, high, np.inf, np.inf, 1e-6
    )
    assert np.linalg.norm(normal) == pytest.approx(length)
    tried = 0
    for norm in np.linspace(low, high, 40):
        for turn in rng.normal(scale=0.3, size=20):
            direction = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
            weights = direction @ normal * norm / length
            b = intercept(problem.X @ weights, right, rows.pull, EPS)
            paid = violations(problem, right, weights, b)
            tried += np.isfinite(paid)
            assert gain - norm * length <= paid + 1e-9
    assert tried > 20


@pytest.mark.parametrize("seed", range(10))
def test_the_line_meets_the_best_hyperplane_at_the_middle_norm(seed):
    """The dual is solved, so the bound at the middle norm is what its own hyperplane pays."""
    problem, rows, right, _ = two_sides(seed)
    everyone, norm = np.ones(len(right), bool), 5.0
    gain, length, normal = bound_line(
        problem.X, rows, everyone, set_of(right), norm, norm, np.inf, np.inf, 1e-8
    )
    weights = normal * norm / length
    b = intercept(problem.X @ weights, right, rows.pull, EPS)
    assert violations(problem, right, weights, b) == pytest.approx(
        gain - norm * length, rel=1e-4, abs=1e-4
    )


@pytest.mark.parametrize("seed", range(10))
def test_a_bound_at_any_norm_is_the_least_over_all_norms(seed):
    """Raised at a few norms, it comes close to the least of the bounds at many norms."""
    problem, rows, right, _ = two_sides(seed)
    everyone, words = np.ones(len(right), bool), set_of(right)
    free = free_bound(problem.X, rows, everyone, words, 20.0, 1e3, 1e-6)
    least = np.inf
    for norm in np.linspace(0.1, 20.0, 200):
        gain, length, _ = bound_line(problem.X, rows, everyone, words, norm, norm, 1e3, 1e3, 1e-6)
        least = min(least, norm**2 / 2 + gain - norm * length)
    assert least * 0.9 <= free <= least * (1 + 1e-3)


@pytest.mark.parametrize("seed", range(10))
def test_an_envelope_is_below_every_line_that_it_covers(seed):
    """Also of divisions that were not looked at closely because they pay too much."""
    problem, rows, _, _ = two_sides(seed)
    problem = problem.with_rules(max_features_per_split=2)
    planes, everyone = Planes.of(problem), np.ones(problem.n_rows, bool)
    room = Divisions.room(2_000, problem.n_rows)
    found = room.only(slice(0, divide(planes, rows, everyone, np.inf, -np.inf, room))).distinct()
    low, high, limit = 2.0, 3.0, 30.0
    at_low, at_high, best = envelope(
        planes, rows, everyone, found, 0, len(found.paid), low, high, limit, limit, 1e-4
    )
    assert best >= 0
    for norm in (low, 2.2, 2.8, high):
        chord = at_low + (norm - low) / (high - low) * (at_high - at_low)
        for k, words in enumerate(found.sets):
            gain, length, _ = bound_line(
                planes.places[0], rows, everyone, words, norm, norm, 1e3, 1e3, 1e-6
            )
            assert chord <= max(found.paid[k] + gain - norm * length, limit) + 1e-3


@pytest.mark.parametrize("seed", range(6))
def test_floors_are_what_the_errors_below_cost(seed):
    """After all are looked at they are exact, with cores and without, and never above before."""
    rng = np.random.default_rng([13, seed])
    problem = Problem.from_data(
        rng.random((10, 2)).round(2), rng.integers(0, 3, 10), n_classes=3, depth=2,
        costs=Costs(2.0, 1.0, 0.5),
    ).with_rules(max_features_per_split=2)  # fmt: skip
    planes, rows = Planes.of(problem), PricedRows.of(problem)
    everyone, room = np.ones(10, bool), Divisions.room(2_000, 10)
    sets = (
        room.only(slice(0, divide(planes, rows, everyone, np.inf, -np.inf, room))).distinct().sets
    )
    sets = np.unique(sets, axis=0)
    floors = Floors(planes, rows, sets)
    before, own = floors.values.copy(), np.zeros(len(sets))
    slow = np.array([[cheapest(problem, side) for side in sides(words)] for words in sets])
    floors.balance = 10**6 if seed % 2 else -1
    cutoff = float(slow.sum(axis=1).min()) + 2.0
    left = floors.raise_all(own, np.arange(len(sets)), cutoff, lambda: True)
    assert (before <= slow + 1e-9).all()
    assert (floors.values <= slow + 1e-9).all()
    np.testing.assert_allclose(floors.values[left], slow[left])
    assert left.tolist() == np.flatnonzero(slow.sum(axis=1) < cutoff).tolist()


def sides(words):
    """Return the rows on the left and on the right of a division of ten rows."""
    right = members_of(words, 10)
    return ~right, right


def cheapest(problem, members):
    """Return the cheapest leaf or split of some rows, margins aside, from all divisions."""
    leaf = problem.error_prices[members].sum(axis=0).min()
    room = Divisions.room(2_000, 10)
    count = divide(Planes.of(problem), PricedRows.of(problem), members, np.inf, -np.inf, room)
    return min([leaf, *room.paid[:count]])


def test_an_intercept_is_the_cheapest_of_all_that_keep_the_routing_margin():
    """A fine grid finds nothing cheaper."""
    rng = np.random.default_rng(4)
    values, right = np.sort(rng.random(9)) * 3, np.arange(9) > 3
    pull = rng.random(9)
    best = intercept(values, right, pull, EPS)
    grid = np.linspace(-values[4] + EPS, -values[3] - EPS, 2_001)

    def paid(b):
        return (pull * np.maximum(0, 1 - np.where(right, 1, -1) * (values + b))).sum()

    assert paid(best) <= min(map(paid, grid)) + 1e-12


def test_sides_that_are_too_close_get_the_middle():
    """The judge counts such rows as ties, so the tree is not used."""
    found = intercept(np.array([0.0, 0.001]), np.array([False, True]), np.ones(2), 1.0)
    assert found == pytest.approx(-0.0005)
