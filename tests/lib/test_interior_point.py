"""The interior-point method: as cheap as scikit-learn's machine, with a bound that holds."""

import numpy as np
import pytest
from sklearn.svm import SVC

from margintree._lib.interior_point import solve_svm
from margintree._lib.svm import smo
from margintree.testing.class_oracles import hinge_cost


def random_rows(seed, n_rows, n_features, gap):
    """Return centred rows of two clouds, their sides and weights."""
    rng = np.random.default_rng(seed)
    sides = np.where(np.arange(n_rows) % 3 == 0, 1.0, -1.0)
    X = rng.normal(0, 0.3, (n_rows, n_features)) + gap * sides[:, None]
    return X - X.mean(axis=0), sides, rng.uniform(0.5, 2.0, n_rows)


def cost_of(plane, X, sides, box):
    """Return the cost of a hyperplane, term by term."""
    violations = np.maximum(0, 1 - sides * (X @ plane[:-1] + plane[-1]))
    return plane[:-1] @ plane[:-1] / 2 + box @ violations


@pytest.mark.parametrize("C", [0.01, 1.0, 10.0])
@pytest.mark.parametrize("gap", [0.0, 0.1])
@pytest.mark.parametrize(("n_rows", "n_features"), [(12, 1), (60, 5), (20, 30)])
def test_it_is_as_good_as_the_machine_of_scikit_learn(C, gap, n_rows, n_features):
    """Overlapping or not, with few rows or few features; the bound proves it."""
    X, sides, weights = random_rows(n_rows, n_rows, n_features, gap)
    plane, cost, bound = solve_svm(X, sides, C * weights, 1e-9)
    twin = SVC(kernel="linear", C=C, tol=1e-6)
    twin.fit(X, sides, sample_weight=weights)
    known = cost_of(np.append(twin.coef_[0], twin.intercept_), X, sides, C * weights)
    assert cost == pytest.approx(cost_of(plane, X, sides, C * weights), rel=1e-12)
    assert cost <= known * (1 + 1e-9)
    assert cost == pytest.approx(known, rel=1e-5)
    assert cost * (1 - 1e-9) <= bound <= cost


@pytest.mark.parametrize("seed", range(20))
def test_it_is_as_good_as_sequential_minimal_optimisation(seed):
    """The other machine of this package, which works on inner products."""
    rng = np.random.default_rng(seed)
    X, sides, weights = random_rows(seed, 15, int(rng.integers(1, 4)), rng.choice([0, 0.2]))
    box, duals = rng.choice([0.1, 1, 10]) * weights, np.zeros(15)
    _, cost, bound = solve_svm(X, sides, box, 1e-9)
    smo(X @ X.T, sides, box, -np.inf, np.inf, 1.0, duals, 10**6, 1e-9)
    assert hinge_cost(duals @ X, X, sides, box) == pytest.approx(cost, rel=1e-8)
    assert bound == pytest.approx(cost, rel=1e-8)


def test_equal_rows_of_both_sides_have_a_hyperplane_without_weights():
    """Then the lighter side pays 2 units per row."""
    X, sides, box = np.zeros((5, 2)), np.array([1.0, 1.0, 1.0, -1.0, -1.0]), np.full(5, 3.0)
    plane, cost, bound = solve_svm(X, sides, box, 1e-9)
    assert cost == pytest.approx(12.0, rel=1e-8)
    assert bound == pytest.approx(12.0, rel=1e-8)
    np.testing.assert_allclose(plane, [0, 0, 1], atol=1e-6)


def test_costs_of_any_size_need_few_digits_only():
    """A million times dearer or cheaper violations are as easy as others."""
    X, sides, weights = random_rows(7, 80, 4, 0.1)
    for C in (1e-6, 1e6):
        _, cost, bound = solve_svm(X, sides, C * weights, 1e-9)
        assert cost * (1 - 1e-9) <= bound <= cost


@pytest.mark.parametrize("seed", range(100))
def test_rows_and_costs_of_any_kind_are_solved(seed):
    """Equal rows, constant and tiny columns, weights over ten powers of ten: the gap closes."""
    rng = np.random.default_rng(seed)
    m, p = int(rng.integers(2, 40)), int(rng.integers(1, 15))
    X = rng.random((m, p)).round(rng.choice([0, 1, 8])) * 10 ** rng.choice([0.0, -3.0, -6.0])
    X[:, 0] *= rng.integers(2)
    X -= X.mean(axis=0)
    sides = np.where(rng.random(m) < 0.3, 1.0, -1.0)
    sides[[0, -1]] = 1.0, -1.0
    box = 10 ** rng.uniform(-8, 8) * 10 ** (rng.uniform(-1, 1, m) * rng.choice([0, 1, 5]))
    plane, cost, bound = solve_svm(X, sides, box, 1e-9)
    assert cost == pytest.approx(cost_of(plane, X, sides, box), rel=1e-7)
    assert cost * (1 - 1e-6) <= bound <= cost
