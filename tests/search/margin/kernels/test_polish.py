"""Polish: the best hyperplanes of a routing, against an interior-point method.

These tests also pass with ``NUMBA_DISABLE_JIT=1``; ``.ci/run`` runs them once that way.
"""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

from margintree.core.judges import price_margins
from margintree.core.problem import Costs, Problem
from margintree.search.margin.kernel_data import new_working_tree, to_tree
from margintree.search.margin.kernels.polish import set_hyperplane, share_again
from margintree.search.margin.local_search import LocalSearch
from margintree.testing import twins
from margintree.testing.instances import tiny_problem
from working_trees import cases, kernel_data_of, settled

# Without shrinking: an inexact polish is as well seen on the first example as on the smallest.
few = settings(max_examples=40, phases=[Phase.generate])
mostly = st.sampled_from([True, True, False])
NORMS = ["squared", "plain"]


@few
@given(cases(), st.booleans())
def test_polish_never_costs_and_keeps_the_routing(case, exactly):
    """Its cost is at most what it was, the judge agrees with it, and no two rows are parted anew.

    A split with an empty side is removed first, so rows may stop at a higher node than before.
    """
    local = case.local()
    before, routing = local.price(), local.state.terminals.tolist()
    after = local.polish(exactly)
    assert after <= before
    pairs = set(zip(routing, local.state.terminals.tolist(), strict=True))
    assert len(pairs) == len(set(routing)) == len(set(local.state.terminals))
    cost = price_margins(case.problem, to_tree(case.problem, local.working))
    assert after == pytest.approx(cost.total if cost.is_allowed else np.inf, rel=1e-9)


def check_exactness(case):
    """Compare an exact polish with the interior-point method."""
    local = case.local()
    after = local.polish()
    tree = to_tree(case.problem, local.working)
    cost = price_margins(case.problem, tree)
    if cost.is_allowed:
        least = twins.polished_cost(case.problem, tree) + cost.errors + cost.splits
        assert after == pytest.approx(least, rel=1e-5, abs=1e-6)


@few
@given(cases(splits=mostly))
def test_polish_is_exact_for_the_squared_norm(case):
    """It finds the least cost over all hyperplanes with the same routing."""
    check_exactness(as_norm(case, "squared"))


@few
@given(cases(splits=mostly))
def test_polish_is_exact_for_the_plain_norm(case):
    """It finds the least cost over all hyperplanes with the same routing."""
    check_exactness(as_norm(case, "plain"))


def random_routing(seed, norm):
    """Return a local search with random hyperplanes on a tiny problem."""
    rng = np.random.default_rng([5, seed])
    problem = replace(tiny_problem(rng), margin_term=norm, depth=int(rng.integers(1, 4)))
    local = LocalSearch(kernel_data_of(problem), rng)
    local.clear(3.0)
    working = local.working
    for node in range(1, len(working.intercepts)):
        direction = rng.standard_normal(problem.n_features)
        working.splits[node] = True
        working.weights[node] = 3 * direction / np.linalg.norm(direction)
        near = rng.choice(problem.X @ working.weights[node])
        working.intercepts[node] = rng.uniform(-0.2, 0.2) - near
    local.settle()
    return problem, local


@pytest.mark.parametrize("norm", ["squared", "plain"])
def test_polish_is_exact_on_random_routings(norm):
    """On every routing it reaches the least cost, moves no row, and returns what it now costs."""
    for seed in range(100):
        problem, local = random_routing(seed, norm)
        if local.price() == np.inf:
            continue
        before = price_margins(problem, to_tree(problem, local.working))
        cost = local.polish()
        tree = to_tree(problem, local.working)
        after = price_margins(problem, tree)
        least = twins.polished_cost(problem, tree) + after.errors + after.splits
        assert after.errors == pytest.approx(before.errors), seed
        assert cost == pytest.approx(after.total, rel=1e-9), seed
        assert cost == pytest.approx(least, rel=1e-5, abs=1e-6), seed


def as_norm(case, norm):
    """Return the case with another norm in its margin term."""
    problem = replace(case.problem, margin_term=norm)
    return settled(problem, kernel_data_of(problem), case.working)


def one_split(norm):
    """Return a problem with one good split, and the tree of that split with a poor hyperplane."""
    X, y = [[0.0, 0.0], [0.3, 0.1], [0.6, 1.0], [1.0, 0.8]], [0, 0, 1, 1]
    problem = Problem.from_data(
        X, y, n_classes=2, depth=1, costs=Costs(100.0, 1.0, 0.0), margin_term=norm
    )
    kernel_data = kernel_data_of(problem)
    working = new_working_tree(kernel_data, 5.0)
    working.splits[1], working.weights[1], working.intercepts[1] = True, (5.0, 0.0), -2.25
    working.labels[:] = 0, 0, 0, 1
    return settled(problem, kernel_data, working)


@pytest.mark.parametrize("norm", NORMS)
def test_a_single_hyperplane_is_polished_exactly(norm):
    """One node, where nothing has to be shared."""
    check_exactness(one_split(norm))


@pytest.mark.parametrize("norm", NORMS)
def test_the_shares_of_a_solution_stay(norm):
    """Where all norms agree and the shares add up to what they should, nothing is to be moved."""
    kernel_data = kernel_data_of(one_split(norm).problem)._replace(depth=2)
    working = new_working_tree(kernel_data)
    working.splits[1:4], working.norms[1:4] = True, 3.0
    total = 1.0 if norm == "squared" else 1 / (2 * 3.0)
    shares = total * np.array([0.5, 0.3, 0.2])
    working.shares[1:4] = shares
    share_again(kernel_data, working, 1.8)
    assert working.shares[1:4] == pytest.approx(shares)


def test_shares_move_to_large_norms():
    """A node that would like a larger norm has to pay more for it."""
    kernel_data = kernel_data_of(one_split("squared").problem)._replace(depth=2)
    working = new_working_tree(kernel_data)
    working.splits[1:4], working.shares[1:4] = True, 1 / 3
    working.norms[1:4] = 1.0, 2.0, 4.0
    share_again(kernel_data, working, 1.0)
    assert working.shares[1:4] == pytest.approx(np.array([1, 2, 4]) / 7)


@few
@given(cases(), st.data())
def test_a_hyperplane_is_made_of_its_dual_variables(case, data):
    """It has the direction of ``sum_i beta_i x_i`` and the norm it is told to have."""
    kernel_data, working = case.kernel_data, case.working
    rows = np.flatnonzero(data.draw(st.lists(st.booleans(), max_size=case.problem.n_rows)))
    beta = np.array(data.draw(st.lists(st.integers(-3, 3), min_size=len(rows), max_size=len(rows))))
    direction = kernel_data.X[rows].T @ beta.astype(float)
    assume(np.linalg.norm(direction) > 1e-6)
    working.shares[1] = 0.5
    norm = set_hyperplane(kernel_data, working, 1, rows, beta.astype(float), 1.5, 4.0)
    assert norm == pytest.approx(np.linalg.norm(direction) / 0.5)
    assert working.weights[1] == pytest.approx(4.0 * direction / np.linalg.norm(direction))
    assert working.intercepts[1] == pytest.approx(1.5 * 4.0 / norm)
    expected = np.zeros(case.problem.n_rows)
    expected[rows] = beta
    assert working.duals[1].tolist() == expected.tolist()


@pytest.mark.parametrize("norm", ["squared", "plain"])
def test_what_is_best_already_is_kept(norm):
    """Polishing twice is polishing once."""
    local = one_split(norm).local()
    once = local.polish()
    assert local.polish() == pytest.approx(once, rel=1e-6)
