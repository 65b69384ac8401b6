"""Hyperplanes of linear programs: as cheap as those of the slow twin, on the right sides."""

from dataclasses import replace

import numpy as np
import pytest

from margintree.core.problem import Costs, Problem
from margintree.search.margin.linear_fit import SplitRows, _LinearFit, as_routed, fit_hyperplanes
from margintree.testing.convex_polish import Division
from margintree.testing.linear_polish import polish_in_norm

NORMS, TERMS = ("l1", "linf"), ("squared", "plain")


def problem_of(seed, norm, term, n_rows=12):
    """Return a problem in a norm, and two hyperplanes that divide its rows."""
    rng = np.random.default_rng([3, seed])
    X = rng.random((n_rows, int(rng.integers(1, 4))))
    costs = Costs(errors=10.0, violations=float(rng.choice([0.3, 3.0])), splits=1.0)
    weights = rng.uniform(0.5, 2.0, n_rows)
    problem = Problem.from_data(
        X, np.arange(n_rows) % 2, row_weights=weights, n_classes=2, depth=2, costs=costs
    )
    return replace(problem, norm=norm, margin_term=term), rng


def a_division(problem, rng):
    """Return a random hyperplane through the middle of the rows, as (normal, offset)."""
    normal = rng.normal(size=problem.n_features)
    return normal, -float(np.median(problem.X @ normal)) + 1e-3


def price(problem, splits, weights, intercepts):
    """Return margin and violations of the wanted sides."""
    total = problem.margin_price(float(problem.norms_of(weights).max()))
    for split, w, b in zip(splits, weights, intercepts, strict=True):
        lack = np.maximum(0.0, 1 - split.wanted * (problem.X[split.rows] @ w + b))
        total += problem.costs.violations * float(problem.row_weights[split.rows] @ lack)
    return total


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("term", TERMS)
@pytest.mark.parametrize("seed", range(5))
def test_two_splits_cost_what_the_twin_finds(norm, term, seed):
    """Splits share one margin term; rows that want the other side still go where they must."""
    problem, rng = problem_of(seed, norm, term)
    divisions, splits = [], []
    for k in range(2):
        normal, offset = a_division(problem, rng)
        rows = np.arange(k, problem.n_rows)
        right = problem.X[rows] @ normal + offset > 0
        wanted = right ^ (rng.random(len(rows)) < 0.2 * k)
        divisions.append(Division(rows, right, normal, offset, wanted))
        sides, wishes = (np.where(which, 1.0, -1.0) for which in (right, wanted))
        splits.append(SplitRows(rows, wishes, sides, np.ones(problem.n_features, dtype=bool)))
    weights, intercepts = fit_hyperplanes(problem, splits)
    found = price(problem, splits, weights, intercepts)
    assert found == pytest.approx(polish_in_norm(problem, divisions).cost, rel=1e-5)
    for split, w, b in zip(splits, weights, intercepts, strict=True):
        distances = split.sides * (problem.X[split.rows] @ w + b)
        assert (distances >= problem.routing_margin).all()


@pytest.mark.parametrize("norm", NORMS)
def test_free_rows_cost_no_more(norm):
    """Without sides to keep, the fit can only be cheaper."""
    problem, rng = problem_of(0, norm, "squared")
    normal, offset = a_division(problem, rng)
    sides = as_routed(problem, problem.X @ normal + offset)
    kept = SplitRows(np.arange(problem.n_rows), sides, sides, normal != 0)
    free = replace(kept, sides=None)
    costs = [price(problem, [one], *fit_hyperplanes(problem, [one])) for one in (free, kept)]
    assert costs[0] <= costs[1] * (1 + 1e-6)


def test_only_the_features_that_may_be_used_have_weights():
    """A split keeps to its features."""
    problem, _ = problem_of(1, "linf", "plain")
    sides = as_routed(problem, problem.X[:, 0] - np.median(problem.X[:, 0]) - 1e-3)
    features = np.arange(problem.n_features) == 0
    split = SplitRows(np.arange(problem.n_rows), sides, sides, features)
    weights, _ = fit_hyperplanes(problem, [split])
    assert weights[0, 0] > 0
    assert not weights[:, ~features].any()


def test_sides_that_no_hyperplane_keeps_have_no_fit():
    """Three rows on a line whose middle one goes the other way."""
    problem = Problem.from_data([[0.0], [0.5], [1.0]], [0, 1, 0], n_classes=2, depth=1)
    sides = np.array([-1.0, 1.0, -1.0])
    split = SplitRows(np.arange(3), sides, sides, np.ones(1, dtype=bool))
    assert fit_hyperplanes(replace(problem, norm="l1"), [split]) is None


def test_the_last_solution_counts_if_time_is_over(monkeypatch):
    """One tangent short of the best, it still keeps the sides and costs something finite."""
    problem, rng = problem_of(2, "l1", "squared", n_rows=50)
    normal, offset = a_division(problem, rng)
    sides = as_routed(problem, problem.X @ normal + offset)
    split = SplitRows(np.arange(problem.n_rows), sides, sides, normal != 0)
    best, real, solved = fit_hyperplanes(problem, [split]), _LinearFit.solve, []

    def solve_once(program):
        solved.append(1)
        return len(solved) == 1 and real(program)

    monkeypatch.setattr(_LinearFit, "solve", solve_once)
    found = fit_hyperplanes(problem, [split])
    assert len(solved) == 2
    assert price(problem, [split], *best) < price(problem, [split], *found) < np.inf
    assert ((problem.X @ found[0][0] + found[1][0] > 0) == (sides > 0)).all()


def test_no_time_means_no_fit():
    """A fit that runs out of time is given up."""
    problem, rng = problem_of(2, "l1", "squared", n_rows=200)
    normal, offset = a_division(problem, rng)
    sides = as_routed(problem, problem.X @ normal + offset)
    split = SplitRows(np.arange(problem.n_rows), sides, sides, normal != 0)
    assert fit_hyperplanes(problem, [split], seconds=0.0) is None
