"""The kernels of a proof against slow twins: bounds below, and exact where they say so.

These tests also pass with ``NUMBA_DISABLE_JIT=1``.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from margintree._lib.svm import smo
from margintree.core.problem import Costs, Problem
from margintree.exact.proofs.kernels.ascent import ascend, least_margin, least_norm, measure
from margintree.exact.proofs.kernels.explore import norms_below
from margintree.exact.proofs.kernels.frame import frame_of, price_pairs
from margintree.exact.proofs.kernels.hulls import least_norm_of_sides
from margintree.exact.proofs.kernels.state import LAST
from margintree.exact.proofs.skeletons import Skeleton
from margintree.exact.proofs.workspace import (
    begin,
    grid_of,
    new_desk,
    new_stack,
    rows_of,
    squared_distances,
)

EPS = 0.01


def sides_of(rng, n, p):
    """Return rows on two sides, some overlapping, with prices of a violation."""
    sides = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    sides[:2] = 1.0, -1.0
    X = rng.random((n, p)) + 0.4 * (sides[:, None] > 0)
    X -= X.mean(axis=0)
    return X, sides, rng.choice([0.0, 0.1, 1.0, 10.0], n)


def raised(X, sides, pull, norm, max_steps):
    """Return duals after some steps, the intercept, G and the length of v."""
    n = len(X)
    duals, values, rise, fall = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n)
    members, apart, tails = np.arange(n), squared_distances(X), np.full(n, EPS)
    intercept, _ = ascend(
        apart,
        members,
        sides,
        n,
        pull,
        tails,
        norm,
        100.0,
        duals,
        values,
        rise,
        fall,
        max_steps,
        1e-9,
    )
    gain, length = measure(X, members, n, pull, tails, 10.0, duals)
    return duals, intercept, gain, length


@pytest.mark.parametrize("seed", range(20))
def test_any_duals_bound_the_violations_of_every_hyperplane_from_below(seed):
    """Weak duality: no hyperplane of the norm that keeps the sides pays less, however few steps."""
    rng = np.random.default_rng(seed)
    X, sides, pull = sides_of(rng, int(rng.integers(2, 12)), int(rng.integers(1, 4)))
    norm = float(rng.choice([0.5, 2.0, 8.0]))
    duals, _, gain, length = raised(X, sides, pull, norm, int(rng.integers(1, 60)))
    assert duals.sum() == pytest.approx(0.0, abs=1e-9)
    assert (sides * duals >= 0).all()
    assert length == pytest.approx(np.linalg.norm(duals @ X), abs=1e-9)
    for _ in range(300):
        w = rng.normal(size=X.shape[1])
        w *= norm * rng.random() / np.linalg.norm(w)
        f = sides * (X @ w + rng.normal())
        if f.min() >= EPS:
            assert (pull * np.maximum(0.0, 1 - f)).sum() >= gain - norm * length - 1e-9


@pytest.mark.parametrize("seed", range(10))
def test_duals_that_are_solved_to_the_end_give_the_best_bound(seed):
    """At the norm of a support vector machine the dual's value is that machine's violations."""
    rng = np.random.default_rng(seed)
    X, sides, pull = sides_of(rng, 8, 3)
    pull = np.maximum(pull, 0.1)
    beta = np.zeros(len(X))
    values, b = smo(X @ X.T, sides, pull, -np.inf, np.inf, 1.0, beta, 100_000, 1e-10)
    norm = float(np.linalg.norm(beta @ X))
    best = (pull * np.maximum(0.0, 1 - sides * (values + b))).sum()
    if (sides * (values + b)).min() < EPS:
        return  # the machine does not keep the sides, so it is no hyperplane of ours
    *_, gain, length = raised(X, sides, pull, norm, 100_000)
    assert gain - norm * length == pytest.approx(best, rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("seed", range(12))
def test_the_least_norm_of_sides_is_that_of_the_widest_margin(seed):
    """With no price of violations, the shortest normal vector with ``s f >= eps`` says it too."""
    rng = np.random.default_rng(seed)
    X, sides, _ = sides_of(rng, 7, 2)
    X += 0.8 * sides[:, None]
    n = len(X)
    beta = np.zeros(n)
    smo(X @ X.T, sides, np.zeros(n), EPS, np.inf, 1.0, beta, 100_000, 1e-12)
    exact = float(np.linalg.norm(beta @ X))
    weights = np.zeros(n)
    found = least_norm_of_sides(X @ X.T, np.arange(n), sides, n, EPS, 1e9, weights)
    assert found <= exact * (1 + 1e-6)
    # It may stop at a hyperplane that is known to be short enough, for instance at once.
    assert least_norm_of_sides(X @ X.T, np.arange(n), sides, n, EPS, 0.5 * exact, weights) > (
        0.5 * exact
    )


def test_sides_whose_hulls_meet_need_a_norm_beyond_any_other():
    """A row between two rows of the other side cannot be cut off."""
    X = np.array([[-1.0], [0.0], [1.0]])
    sides = np.array([1.0, -1.0, 1.0])
    found = least_norm_of_sides(X @ X.T, np.arange(3), sides, 3, EPS, 100.0, np.zeros(3))
    assert found > 100.0


@given(
    gain=st.floats(-5, 5),
    length=st.floats(0, 5),
    low=st.floats(0, 4),
    width=st.floats(0, 4),
    is_squared=st.booleans(),
)
@settings(deadline=None)
def test_the_least_margin_of_a_cell_is_that_of_a_fine_grid(gain, length, low, width, is_squared):
    """The closed form is the minimum, and it is taken where `least_norm` says."""

    def at(norm):
        return (norm**2 / 2 if is_squared else norm / 2) + gain - norm * length

    high = low + width
    least = least_margin(gain, length, low, high, is_squared)
    assert least <= at(np.linspace(low, high, 101)).min() + 1e-9
    norm = least_norm(length, low, high, is_squared)
    assert low <= norm <= high
    assert at(norm) == pytest.approx(least, abs=1e-9)


@given(rest=st.floats(-5, 5), length=st.floats(0, 5), is_squared=st.booleans())
@settings(deadline=None)
def test_norms_outside_the_interval_reach_the_cutoff(rest, length, is_squared):
    """``margin(S) + rest - S length`` is at least 0 wherever a norm is excluded."""
    low, high = norms_below(rest, length, is_squared)
    for norm in np.linspace(0.25, 20, 80):
        value = (norm**2 / 2 if is_squared else norm / 2) + rest - norm * length
        if not low < norm < high:
            assert value >= -1e-9


@pytest.mark.parametrize("seed", range(8))
def test_the_price_of_pairs_is_below_what_any_one_hyperplane_makes_them_pay(seed):
    """Errors and violations of random hyperplanes with two leaves cost at least the pairs."""
    rng = np.random.default_rng(seed)
    prices = rng.uniform(0.5, 3, (3, 3)) * (1 - np.eye(3))
    problem = Problem.from_data(
        rng.random((12, 2)),
        rng.integers(0, 3, 12),
        n_classes=3,
        depth=1,
        costs=Costs(1.0, 0.7, 0.0),
        row_weights=rng.uniform(0.5, 2, 12),
        error_costs=prices,
    )
    rows = rows_of(problem)
    grid = grid_of(problem, 50.0)
    frame = frame_of(rows, *Skeleton((0b010, 0b001), 1).arrays(), grid)
    stack, desk = new_stack(12, 1, 1), new_desk(12, 3, 1)
    begin(stack, frame, None, 0.0)
    price_pairs(rows, frame, stack, 0, -1, desk.nobody, desk.is_free, desk.pairs)
    least = problem.error_prices[:, :2].min(axis=1)
    for _ in range(300):
        w, b = rng.normal(size=2) * 4, rng.normal() * 2
        f = problem.X @ w + b
        cell = int(np.searchsorted(grid, np.linalg.norm(w))) - 1
        if not 0 <= cell < stack.moves[0, LAST]:
            continue
        errors = np.where(f > 0, problem.error_prices[:, 0], problem.error_prices[:, 1])
        violations = 0.7 * problem.row_weights * np.maximum(0.0, 1 - np.abs(f))
        assert (errors - least + violations).sum() >= desk.pairs[cell] - 1e-9
