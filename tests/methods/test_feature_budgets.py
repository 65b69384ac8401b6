"""Budgets and prices of features hold in the search, in the exact models and in enumeration."""

from itertools import pairwise

import numpy as np
import pytest

from margintree.core.limits import Limits
from margintree.core.problem import Costs, Problem
from margintree.methods import METHODS
from margintree.methods.path import path
from margintree.methods.solve import How, solve
from margintree.testing.margin_oracles import cheapest_label_tree, cheapest_tree

METHODS_WITH_MARGINS = {
    "moctsvm": lambda problem: cheapest_tree(problem).cost,
    "octsvm": cheapest_label_tree,
}
KINDS = 5
"""Kinds of rules and prices in `counting`."""


def counting(seed, n_classes=None):
    """Return a random problem of three features and few rows whose features are counted."""
    rng = np.random.default_rng([26, seed])
    depth = 2 if seed % 4 == 3 else 1
    n = int(rng.integers(6, 9)) if depth == 1 else 5
    y = rng.integers(0, n_classes or int(rng.integers(2, 4)), n)
    y[:2] = 0, 1
    problem = Problem.from_data(
        rng.random((n, 3)).round(2),
        y,
        n_classes=int(y.max()) + 1,
        depth=depth,
        costs=Costs(
            float(rng.choice([1, 10])), float(rng.choice([1, 10])), float(rng.choice([0.1, 1]))
        ),
        row_weights=rng.uniform(0.5, 2, n) if rng.random() < 0.3 else None,
        margin_term="squared" if rng.random() < 0.7 else "plain",
    )
    method = METHODS["moctsvm" if n_classes is None else "octsvm"]
    price, viol, split = problem.costs.errors, problem.costs.violations, problem.costs.splits
    if n_classes is not None:
        price, viol = viol, price
    kinds = (
        {"max_features_per_split": 1},
        {"max_features_per_split": 2},
        {"max_features_per_split": 2, "max_features": 2, "c4": 0.1},
        {"max_features_per_split": 2, "c4": 0.5, "feature_costs": [1.0, 3.0, 0.2]},
        {"max_features_per_split": 1, "feature_groups": [0, 1, 1], "c4": 0.2},
    )
    return method.pose(
        problem,
        max_depth=depth,
        c1=price,
        c2=viol,
        c3=split,
        margin_term=problem.margin_term,
        **kinds[seed % KINDS],
    )


def agrees(method, problem, best, solver):
    """Check that a solver proves the cost of enumeration; return what the search finds."""
    proved = solve(method, problem, How("exact", solver=solver, limits=Limits(gap=1e-6)))
    cost = method.judge(problem, proved.tree)
    assert cost.is_allowed
    assert cost.total == pytest.approx(best, rel=2e-4, abs=1e-4)
    found = solve(method, problem, How(limits=Limits(iterations=300)))
    assert method.judge(problem, found.tree).is_allowed
    assert found.objective >= best * (1 - 1e-6) - 1e-6
    return found.objective


@pytest.mark.parametrize("seed", range(32))
def test_enumeration_model_search_and_judge_agree(seed):
    """On MOCTSVM problems with budgets for a split and for the tree, prices and groups."""
    problem = counting(seed)
    solver = "scip" if seed % 3 else "highs"
    best = cheapest_tree(problem).cost
    found = agrees(METHODS["moctsvm"], problem, best, solver)
    assert found == pytest.approx(best, rel=2e-4, abs=1e-4)


@pytest.mark.parametrize("seed", [2, 4, 5, 6, 8, 12, 21, 22])
def test_they_agree_for_two_classes_with_noisy_labels(seed):
    """On OCTSVM problems, too."""
    problem = counting(seed, n_classes=2)
    best = cheapest_label_tree(problem)
    found = agrees(METHODS["octsvm"], problem, best, "scip")
    assert found == pytest.approx(best, rel=2e-4, abs=1e-4)


def test_a_search_of_many_rows_keeps_its_budgets():
    """Samples and sweeps over all rows do, and the tree is better than one without a split."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 6))
    y = (X[:, 0] + X[:, 1] > 0).astype(int) + (X[:, 2] > 1)
    plain = Problem.from_data(X, y, n_classes=3, depth=2)
    problem = METHODS["moctsvm"].pose(
        plain,
        max_depth=2,
        c1=10.0,
        c2=1.0,
        c3=1.0,
        c4=2.0,
        max_features_per_split=2,
        max_features=3,
    )
    result = solve(METHODS["moctsvm"], problem, How(limits=Limits(iterations=20)))
    assert result.cost.is_allowed
    assert result.cost.features == 2.0 * np.count_nonzero(result.tree.weights)
    assert result.cost.errors < 0.2 * 10.0 * 1500


def test_a_path_over_budgets_costs_more_with_fewer_features():
    """Along a path every tree keeps its own budget, and budgets never help."""
    rng = np.random.default_rng(1)
    X = rng.random((50, 5))
    y = (X @ [1.0, 1.0, -1.0, 0.5, 0.0] > 0.8).astype(int)
    rows = Problem.from_data(X, y, n_classes=2, depth=1)
    shared = {"max_depth": 1, "c1": 10.0, "c2": 1.0, "c3": 0.1}
    points = [{**shared, "max_features_per_split": most} for most in (1, 2, 3, None)]
    found = path(METHODS["moctsvm"], rows, points, Limits(iterations=40))
    costs = [result.objective for result in found]
    for point, result in zip(points, found, strict=True):
        problem = METHODS["moctsvm"].pose(rows, **point)
        assert METHODS["moctsvm"].judge(problem, result.tree).is_allowed
    assert all(fewer >= more * (1 - 1e-3) for fewer, more in pairwise(costs))
