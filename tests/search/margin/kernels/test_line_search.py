"""The exact line searches against twins that try every candidate place.

These tests also pass with ``NUMBA_DISABLE_JIT=1``; ``.ci/run`` runs them once that way.
"""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from margintree.core.judges import price_margins
from margintree.search.margin.kernels.line_search import (
    best_intercept,
    best_scale,
    best_step,
    merged_order,
    rescale,
    sorted_order,
)
from margintree.search.margin.kernels.working_tree import price
from margintree.testing import twins
from working_trees import cases, kernel_data_of, lines, small_problems

margins = st.sampled_from([1.013e-3, 0.0537, 0.3071])
few = settings(max_examples=80)


@few
@given(st.lists(st.sampled_from([-1.0, 0.0, 0.5, 2.0, np.inf]), max_size=20))
def test_sorting_keeps_the_turn_of_equal_keys(keys):
    """As NumPy's stable sort does."""
    expected = np.argsort(keys, kind="stable")
    for sort in (sorted_order, merged_order):
        assert sort(np.array(keys)).tolist() == expected.tolist()


@pytest.mark.parametrize(
    "stretch", [lambda x: x, np.exp, np.tan, np.round, lambda x: x**41, np.sign]
)
def test_sorting_takes_keys_however_they_lie(stretch):
    """Evenly, far apart, all but a few of them in one place, or equal: as NumPy's stable sort."""
    for seed, size in enumerate((1, 2, 3, 17, 100, 400)):
        keys = stretch(10 * np.random.default_rng(seed).standard_normal(size))
        assert sorted_order(keys).tolist() == np.argsort(keys, kind="stable").tolist()


@pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid")
@pytest.mark.parametrize("keys", [[5e-324, 0.0], [2e-310, 0.0, 1e-310], [1.7e308, 0.0, -1.7e308]])
def test_sorting_takes_keys_too_close_or_too_far_apart_for_cells(keys):
    """No cell can be computed for them, and nothing is written out of range."""
    assert sorted_order(np.array(keys)).tolist() == np.argsort(keys, kind="stable").tolist()


@pytest.mark.filterwarnings("ignore:invalid")
def test_keys_that_are_no_numbers_have_some_order():
    """Every position comes once, whatever the order."""
    assert sorted(sorted_order(np.array([0.0, np.nan, 1.0]))) == [0, 1, 2]


def intercept_of(line, eps, least_mass=0.0):
    """Return the best intercept of rows along a line, and its cost."""
    sides = line.left, line.right, line.pull, line.mass
    return best_intercept(line.values, *sides, eps, least_mass)


def lighter_side(line, place):
    """Return the weight of the lighter side of an intercept."""
    goes_right = line.values + place >= 0
    return min(line.mass[goes_right].sum(), line.mass[~goes_right].sum())


@few
@given(lines(), margins, st.sampled_from([0.5, 1.0, 2.0, 3.5]))
def test_an_intercept_leaves_no_side_too_light(line, eps, least_mass):
    """It is the best of those between two rows that leave enough weight on both sides."""
    place, cost = intercept_of(line, eps, least_mass)
    best = np.inf
    for cut in np.unique(line.values)[1:]:
        is_right = line.values >= cut
        if min(line.mass[is_right].sum(), line.mass[~is_right].sum()) >= least_mass:
            # With any other side so dear that nobody chooses it, the rule changes nothing.
            dear = 1e6 * np.ones(len(line.values))
            forced = line._replace(
                left=np.where(is_right, dear, line.left), right=np.where(is_right, line.right, dear)
            )
            least = intercept_of(forced, eps)[1]
            best = min(best, least if least < 1e6 else np.inf)
    assert cost == pytest.approx(best, rel=1e-9, abs=1e-9)
    if cost < np.inf:
        assert lighter_side(line, place) >= least_mass


@few
@given(lines(), margins)
def test_the_best_intercept_is_the_best_of_all_candidates(line, eps):
    """Its cost is the least possible, and it is what the intercept really costs."""
    sides = line.left, line.right, line.pull, eps
    place, cost = intercept_of(line, eps)
    expected = twins.best_intercept(line.values, *sides)
    assert cost == pytest.approx(expected, rel=1e-9, abs=1e-9)
    if cost < np.inf:
        moved = line.values + place
        assert moved.min() < 0 <= moved.max()
        assert twins.line_cost(moved, *sides) == pytest.approx(cost, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("values", [[0.4], [0.4, 0.4, 0.4], [0.4, 0.4005]])
def test_rows_that_cannot_be_parted_have_no_intercept(values):
    """One row, equal rows, and rows closer than twice the routing margin: infinity."""
    free = np.zeros(len(values))
    assert best_intercept(np.array(values), free, free, free + 1, free + 1, 1e-3, 0.0)[1] == np.inf


def test_rows_twice_the_routing_margin_apart_can_be_parted():
    """The intercept in the middle keeps both at the routing margin."""
    sides = np.array([0.0, 9.0]), np.array([9.0, 0.0])
    place, cost = best_intercept(
        np.array([0.25, 0.75]), *sides, np.ones(2), np.ones(2), 0.2499, 1.0
    )
    assert place == pytest.approx(-0.5, abs=1e-3)
    assert cost == pytest.approx(1.5)


@few
@given(lines(), margins, st.sampled_from([0.77, 2.31, 5.123]))
def test_the_best_step_is_the_best_of_all_candidates(line, eps, reach):
    """Its cost is the least possible, and it is what the step really costs."""
    sides = line.left, line.right, line.pull, eps
    place, cost = best_step(line.values, line.changes, *sides, reach)
    expected = twins.best_step(line.values, line.changes, *sides, reach)
    assert cost == pytest.approx(expected, rel=1e-9, abs=1e-9)
    if cost < np.inf:
        assert abs(place) < reach
        moved = line.values + place * line.changes
        assert twins.line_cost(moved, *sides) == pytest.approx(cost, rel=1e-9, abs=1e-9)


@few
@given(lines(), margins)
def test_a_step_along_ones_is_an_intercept(line, eps):
    """With unit changes the step search finds at least what the intercept search finds."""
    sides = line.left, line.right, line.pull, eps
    _, cost = intercept_of(line, eps)
    _, general = best_step(line.values, np.ones_like(line.values), *sides, 10.0)
    one_sided = min(line.left.sum(), line.right.sum())
    assert min(general, one_sided) == pytest.approx(min(cost, one_sided), rel=1e-9, abs=1e-9)


def test_rows_that_do_not_move_and_lie_too_close_forbid_every_step():
    """A row inside the routing margin that the step does not change stays there."""
    free = np.zeros(2)
    _, cost = best_step(np.array([0.0, 0.5]), np.array([0.0, 1.0]), free, free, free, 1e-3, 2.0)
    assert cost == np.inf


@settings(max_examples=40)
@given(small_problems(), st.data())
def test_the_best_scale_is_the_minimum_of_a_convex_function(problem, data):
    """No common norm above the smallest that keeps the routing margin costs less."""
    kernel_data = kernel_data_of(problem)
    count = data.draw(st.integers(1, 8))
    positive = st.sampled_from([1e-4, 0.003, 0.1, 0.25, 0.9])
    distances = np.array(data.draw(st.lists(positive, min_size=count, max_size=count)))
    pulls = np.resize(kernel_data.pull, count)
    found = best_scale(kernel_data, distances, pulls, distances.min())
    assert found >= kernel_data.eps / distances.min()
    cost = twins.scale_cost(kernel_data, distances, pulls, found)
    assert cost == pytest.approx(twins.best_scale(kernel_data, distances, pulls), rel=1e-8)


@settings(max_examples=40)
@given(cases())
def test_rescaling_never_costs_and_keeps_the_routing(case):
    """All hyperplanes get the best common norm; values, weights and intercepts follow."""
    kernel_data, working, state = case.kernel_data, case.working, case.state
    assume(working.splits.any())
    before, routing = (
        price(kernel_data, working, state.values),
        twins.terminals(kernel_data, working).tolist(),
    )
    met = [np.abs(state.values[t, r]) for t, r in visits(case)]
    assert rescale(kernel_data, working, state.values) == (min(met) > 1e-9 * working.scale[0])
    assume(min(met) > 1e-9)
    assert twins.terminals(kernel_data, working).tolist() == routing
    splitting = np.flatnonzero(working.splits)
    norms = np.linalg.norm(working.weights[splitting], axis=1)
    assert norms == pytest.approx(working.scale[0])
    assert state.values[splitting] == pytest.approx(
        twins.values(kernel_data, working)[splitting], abs=1e-6
    )
    after = price(kernel_data, working, state.values)
    assert after <= before * (1 + 1e-9)
    assert after == pytest.approx(price_margins(case.problem, case.tree).total, rel=1e-9)


def visits(case):
    """Yield every splitting node with every row that meets it."""
    for row in range(case.problem.n_rows):
        for node in twins.path(case.kernel_data, case.working, row)[:-1]:
            yield node, row
