"""Margin problems: SMO and coordinate descent against independent solvers.

These tests also pass with ``NUMBA_DISABLE_JIT=1``; ``.ci/run`` runs them once that way.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.svm import SVC, LinearSVC

from margintree._lib.svm import inner_products, repair_duals, smo, solve_by_rows
from margintree.core.problem import Costs, Problem
from margintree.testing.convex_polish import Division, convex_polish
from margintree.testing.twins import margin_cost

SEEDS = range(12)


def clouds(seed):
    """Return rows in two overlapping clouds, their sides and hinge prices; some rows are equal."""
    rng = np.random.default_rng(seed)
    m, p = int(rng.integers(2, 16)), int(rng.integers(1, 5))
    sides = np.where(rng.random(m) < 0.5, 1.0, -1.0)
    sides[:2] = 1.0, -1.0
    X = (rng.random((m, p)) + 0.3 * (sides[:, None] > 0)).round(1)
    return X, sides, rng.choice([0.01, 0.3, 1.0, 20.0], m), float(rng.choice([0.2, 1.0, 3.0]))


@pytest.mark.parametrize("seed", SEEDS)
def test_smo_solves_the_support_vector_machine(seed):
    """With a hard box its cost is that of scikit-learn's SVC, and its duals are feasible."""
    X, sides, box, regular = clouds(seed)
    beta = np.zeros(len(X))
    values, intercept = smo(X @ X.T, sides, box, -np.inf, np.inf, regular, beta, 20_000, 1e-8)
    weights = X.T @ beta / regular
    assert values == pytest.approx(X @ weights, abs=1e-7)
    assert beta.sum() == pytest.approx(0.0, abs=1e-9)
    assert (sides * beta >= 0).all()
    assert (sides * beta <= box * (1 + 1e-12)).all()
    other = SVC(kernel="linear", C=1.0, tol=1e-9).fit(X, sides, sample_weight=box / regular)
    expected = margin_cost(X, sides, box, regular, other.coef_[0], other.intercept_[0])
    found = margin_cost(X, sides, box, regular, weights, intercept)
    assert found == pytest.approx(expected, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("price", [0.0, 0.1, 1.0, 50.0])
def test_smo_keeps_the_sides_it_is_told_to_keep(seed, price):
    """With a hard demand beyond the box its cost is that of the interior-point method."""
    X, _, _, regular = clouds(seed)
    problem = Problem.from_data(
        X,
        np.zeros(len(X)),
        row_weights=np.resize([1.0, 0.5, 2.0], len(X)),
        n_classes=1,
        depth=1,
        costs=Costs(1.0, price, 1.0),
        routing_margin=0.01,
    )
    rows = np.arange(problem.n_rows)
    normal = np.ones(problem.n_features)
    levels = np.unique((problem.X @ normal).round(9))
    offset = -(levels[0] + levels[1]) / 2
    sides = np.where(problem.X @ normal + offset > 0, 1.0, -1.0)
    box = regular * price * problem.row_weights
    beta = np.zeros(len(rows))
    gram = problem.X @ problem.X.T
    _, intercept = smo(
        gram, sides, box, problem.routing_margin, np.inf, regular, beta, 50_000, 1e-9
    )
    weights = problem.X.T @ beta / regular
    assert (sides * (problem.X @ weights + intercept)).min() >= problem.routing_margin - 1e-6
    expected = convex_polish(problem, [Division(rows, sides > 0, normal, offset)]).cost
    found = margin_cost(problem.X, sides, box, regular, weights, intercept)
    assert found / regular == pytest.approx(expected, rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("excess", [0.0, 0.5, 100.0])
def test_smo_charges_for_the_wrong_side(seed, excess):
    """Both hinges together cost what the dual problem says, and no hyperplane nearby costs less."""
    X, sides, box, regular = clouds(seed)
    beyond, beta = -0.2, np.zeros(len(X))
    _, intercept = smo(X @ X.T, sides, box, beyond, excess, regular, beta, 50_000, 1e-9)
    weights = X.T @ beta / regular
    assert (sides * beta <= (box + excess) * (1 + 1e-12)).all()

    def cost(weights, intercept):
        short = np.maximum(0.0, beyond - sides * (X @ weights + intercept))
        return margin_cost(X, sides, box, regular, weights, intercept) + excess * short.sum()

    found = cost(weights, intercept)
    sizes, tops = sides * beta, np.minimum(sides * beta, box)
    dual = (tops + beyond * (sizes - tops)).sum() - weights @ weights * regular / 2
    assert found == pytest.approx(dual, rel=1e-6, abs=1e-6)
    rng = np.random.default_rng(seed)
    for _ in range(20):
        change = 0.1 * rng.standard_normal(len(weights) + 1)
        assert cost(weights + change[1:], intercept + change[0]) >= found - 1e-6


def test_smo_improves_what_it_is_given():
    """From the solution it makes no step; with few steps it returns feasible dual variables."""
    X, sides, box, regular = clouds(3)
    rough, fine = np.zeros(len(X)), np.zeros(len(X))
    smo(X @ X.T, sides, box, -np.inf, np.inf, regular, rough, 2, 1e-8)
    assert rough.sum() == pytest.approx(0.0, abs=1e-12)
    assert np.count_nonzero(rough) <= 4
    smo(X @ X.T, sides, box, -np.inf, np.inf, regular, fine, 20_000, 1e-8)
    again = fine.copy()
    smo(X @ X.T, sides, box, -np.inf, np.inf, regular, again, 20_000, 1e-8)
    assert again.tolist() == fine.tolist()


def test_rows_without_a_side_take_no_part():
    """A row with side and box 0 keeps a dual variable of 0 and does not change the others."""
    X, sides, box, regular = clouds(5)
    alone, beside = np.zeros(len(X)), np.zeros(len(X) + 1)
    smo(X @ X.T, sides, box, -np.inf, np.inf, regular, alone, 20_000, 1e-9)
    wider = np.vstack([X, X.mean(axis=0)])
    smo(
        wider @ wider.T,
        np.append(sides, 0.0),
        np.append(box, 0.0),
        -np.inf,
        np.inf,
        regular,
        beside,
        20_000,
        1e-9,
    )
    assert beside[-1] == 0.0
    assert wider.T @ beside == pytest.approx(X.T @ alone, abs=1e-6)


duals = st.lists(
    st.tuples(st.floats(-3, 3), st.sampled_from([-1.0, 0.0, 1.0]), st.floats(0, 2)),
    min_size=1,
    max_size=8,
)


@settings(max_examples=60)
@given(duals)
def test_repaired_duals_are_feasible(triples):
    """They keep to their side and box and sum to zero, and feasible ones stay as they are."""
    beta, sides, box = np.array(triples).T.copy()
    repair_duals(beta, sides, box)
    assert beta.sum() == pytest.approx(0.0, abs=1e-9)
    assert (sides * beta >= 0).all()
    assert (np.abs(beta) <= np.where(sides == 0, 0.0, box) * (1 + 1e-12)).all()
    again = beta.copy()
    repair_duals(again, sides, box)
    assert again == pytest.approx(beta, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("rows", [[0, 1, 2, 3], [2, 0], [3], []])
def test_inner_products_are_those_of_the_rows(rows):
    """In the order of the rows; all rows, some, one and none."""
    X = np.random.default_rng(0).random((4, 3))
    rows = np.array(rows, dtype=np.int64)
    assert (inner_products(X @ X.T, rows) == (X @ X.T)[np.ix_(rows, rows)]).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_climb_solves_the_machine_with_a_penalised_intercept(seed):
    """After many passes it is scikit-learn's LinearSVC on centred rows, which solves the same."""
    X, sides, box, regular = clouds(seed)
    beta = np.zeros(len(X))
    found = solve_by_rows(X, np.arange(len(X)), sides, box, regular, beta, 3000)
    other = LinearSVC(loss="hinge", C=1.0, tol=1e-10, max_iter=1_000_000, random_state=0)
    centred = X - X.mean(axis=0)
    expected = other.fit(centred, sides, sample_weight=box / regular).coef_[0]
    assert found == pytest.approx(expected, rel=1e-2, abs=1e-2 * np.linalg.norm(expected))
    assert found == pytest.approx(centred.T @ beta / regular)
    assert (sides * beta >= 0).all()
    assert (sides * beta <= box).all()


def test_climb_improves_what_it_is_given_and_leaves_rows_without_a_side_out():
    """Passes one by one end where the same passes at once do."""
    X, sides, box, regular = clouds(3)
    sides[2:4], rows = 0.0, np.arange(len(X))
    at_once, by_one = np.zeros(len(X)), np.zeros(len(X))
    expected = solve_by_rows(X, rows, sides, box, regular, at_once, 4)
    for _ in range(4):
        found = solve_by_rows(X, rows, sides, box, regular, by_one, 1)
    assert by_one == pytest.approx(at_once)
    assert found == pytest.approx(expected)
    assert not by_one[2:4].any()


def test_a_few_passes_of_climb_part_what_can_be_parted():
    """Two clouds with a gap between them: the direction separates them, for some rows of many."""
    rng = np.random.default_rng(1)
    sides = np.repeat([-1.0, 1.0], 20)
    X = rng.random((60, 2))
    rows = rng.choice(60, 40, replace=False)
    X[rows] = 0.4 * X[rows] + 0.6 * (sides[:, None] > 0)
    direction = solve_by_rows(X, rows, sides, np.full(40, 50.0), 1.0, np.zeros(40), 5)
    heights = X[rows] @ direction
    assert heights[sides < 0].max() < heights[sides > 0].min()
