"""The oracles themselves: no tree that can be built by hand costs less than they say."""

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog, minimize

from margintree.core.judges import price_errors, price_margins
from margintree.core.problem import Costs, Problem
from margintree.core.simplify import simplify
from margintree.core.tree import ObliqueTree
from margintree.testing.class_oracles import hierarchies
from margintree.testing.convex_polish import Division, convex_polish
from margintree.testing.error_oracles import (
    cheapest_axis_tree,
    cheapest_oblique_tree,
    fewest_features,
    tiny_axis_problem,
    tiny_oblique_problem,
    widest,
)
from margintree.testing.instances import tiny_problems
from margintree.testing.margin_oracles import cheapest_tree, linear_divisions

TINY = [problem for problem in tiny_problems(24, seed=3) if problem.n_rows <= 8][:10]


def random_tree(problem, rng):
    """Return any tree whose hyperplanes pass close to rows."""
    n_branch = 2**problem.depth - 1
    W = rng.standard_normal((n_branch, problem.n_features)) * 10 ** rng.uniform(-1, 2)
    rows = problem.X[rng.integers(0, problem.n_rows, n_branch)]
    b = rng.uniform(-2, 2, n_branch) - (W * rows).sum(axis=1)
    labels = rng.integers(0, problem.n_classes, n_branch + 1)
    mass = np.zeros((n_branch + 1, problem.n_classes))
    raw = ObliqueTree(W, b, np.ones(n_branch, dtype=bool), labels, mass, problem.scaling)
    return simplify(problem, raw)


@pytest.mark.parametrize("number", range(len(TINY)))
def test_no_margin_tree_costs_less_than_the_cheapest(number):
    """Of a thousand random trees, and the judge confirms the price of the one that is returned."""
    problem, rng = TINY[number], np.random.default_rng(number)
    optimum = cheapest_tree(problem)
    judged = price_margins(problem, optimum.tree)
    assert judged.is_allowed
    assert judged.total == pytest.approx(optimum.cost, rel=1e-5)
    costs = [price_margins(problem, random_tree(problem, rng)) for _ in range(1000)]
    allowed = [cost.total for cost in costs if cost.is_allowed]
    assert len(allowed) > 500
    assert min(allowed) >= optimum.cost * (1 - 1e-6)


@given(st.integers(1, 6), st.integers(1, 2), st.integers(0, 99))
def test_linear_divisions_are_those_that_a_program_can_separate(n, p, seed):
    """All subsets of the rows are tried, by linear programming, one after the other."""
    X = np.random.default_rng(seed).integers(0, 4, (n, p)).astype(float)
    found = {*linear_divisions(X)}
    everything = frozenset(range(n))
    for size in range(1, n):
        for chosen in map(frozenset, combinations(range(n), size)):
            signs = np.array([[1.0 if i in chosen else -1.0] for i in range(n)])
            ask = linprog(
                np.zeros(p + 1),
                A_ub=-signs * np.hstack([X, np.ones((n, 1))]),
                b_ub=-np.ones(n),
                bounds=[(None, None)] * (p + 1),
            )
            assert (ask.status == 0) == (chosen in found or everything - chosen in found)


@pytest.mark.parametrize("norm", ["squared", "plain"])
@pytest.mark.parametrize("seed", range(6))
def test_the_polish_is_the_minimum_of_its_own_formula(norm, seed):
    """Compared with a general optimiser that starts from its answer and from elsewhere."""
    rng = np.random.default_rng(seed)
    X = rng.random((8, 2))
    problem = Problem.from_data(
        X, rng.integers(0, 2, 8), n_classes=2, depth=1, costs=Costs(1, 3, 0), margin_term=norm
    )
    normal = rng.standard_normal(2)
    values = problem.X @ normal
    low, high = np.sort(values)[3:5]
    offset, right = -(low + high) / 2, values > (low + high) / 2
    polished = convex_polish(problem, [Division(np.arange(8), right, normal, offset)])
    signs = np.where(right, 1.0, -1.0)

    def formula(point):
        room = signs * (problem.X @ point[:2] + point[2])
        pulls = problem.costs.violations * problem.row_weights
        price = float(problem.margin_price(float(np.linalg.norm(point[:2]))))
        return price + pulls @ np.maximum(0.0, 1.0 - room)

    answer = np.r_[polished.weights[0], polished.intercepts[0]]
    assert formula(answer) == pytest.approx(polished.cost, rel=1e-5)
    eps = problem.routing_margin
    keeps = {"type": "ineq", "fun": lambda p: signs * (problem.X @ p[:2] + p[2]) - eps}
    scale = 2 / (high - low)
    for start in (answer, np.r_[normal, offset] * scale):
        other = minimize(formula, start, constraints=[keeps], method="SLSQP")
        assert polished.cost <= other.fun * (1 + 1e-5) or keeps["fun"](other.x).min() < -1e-9


@pytest.mark.parametrize("seed", range(12))
def test_no_axis_tree_costs_less_than_the_cheapest(seed):
    """All trees of depth one are listed: a feature, a gap, two classes."""
    problem = replace(tiny_axis_problem(np.random.default_rng(seed)), depth=1)
    problem = problem.with_rules(0, None, axis_parallel=True)
    costs = [min(problem.error_prices.sum(axis=0))]
    pairs = [*product(range(problem.n_classes), repeat=2)]
    for j, labels in product(range(problem.n_features), pairs):
        values = np.unique(problem.X[:, j])
        for threshold in (values[1:] + values[:-1]) / 2:
            weights = np.eye(problem.n_features)[j]
            tree = ObliqueTree.stump(
                weights, -threshold, leaf_classes=labels, n_classes=problem.n_classes
            )
            tree = replace(tree, scaling=problem.scaling)
            cost = price_errors(problem, tree)
            if cost.is_allowed:
                costs.append(cost.total)
    assert cheapest_axis_tree(problem) == pytest.approx(min(costs))


@pytest.mark.parametrize("seed", range(4))
def test_no_oblique_tree_costs_less_than_the_cheapest(seed):
    """Of a thousand random trees."""
    rng = np.random.default_rng(seed)
    problem = tiny_oblique_problem(rng)
    least = cheapest_oblique_tree(problem)
    costs = [price_errors(problem, random_tree(problem, rng)) for _ in range(1000)]
    assert min(cost.total for cost in costs if cost.is_allowed) >= least - 1e-9


@given(st.integers(0, 200))
def test_fewer_features_than_the_fewest_do_not_separate(seed):
    """Every smaller set of features has too small a gap, and one of this size has not."""
    rng = np.random.default_rng(seed)
    left, right = (rng.random((int(rng.integers(1, 4)), 3)).round(1) for _ in range(2))
    needed = fewest_features(left, right, 0.05)
    enough = [
        size
        for size in (1, 2, 3)
        for used in map(list, combinations(range(3), size))
        if widest(left[:, used], right[:, used]) >= 0.05 - 1e-9
    ]
    assert needed == min(enough, default=0)


@pytest.mark.parametrize(("n_classes", "depth"), [(2, 1), (3, 2), (4, 2), (4, 3), (5, 3), (5, 4)])
def test_hierarchies_are_all_of_them_once(n_classes, depth):
    """As many as the recursion over unordered divisions counts, each of legal depth."""

    def count(k, height):
        if k == 1:
            return 1
        if height == 0:
            return 0
        total = 0
        for size in range(1, k):
            ways = len([*combinations(range(k), size)])
            total += ways * count(size, height - 1) * count(k - size, height - 1)
        return total // 2

    found = [*hierarchies(tuple(range(n_classes)), depth)]
    assert len(found) == count(n_classes, depth)
    assert len({frozenset(splits) for splits in found}) == len(found)
    assert all(len(splits) == n_classes - 1 for splits in found)
