"""Polish: the best hyperplanes of a routing, against an interior-point method.

These tests also pass with ``NUMBA_DISABLE_JIT=1``; ``.ci/run`` runs them once that way.
"""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

from margintree.objective import objective
from margintree.problem import Costs, Problem
from margintree.search.kernels.polish import set_hyperplane, share_again
from margintree.search.task import make_task, new_sketch, to_tree
from margintree.search.workbench import Workbench
from margintree.testing import twins
from margintree.testing.instances import tiny_problem
from sketches import cases, settled

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
    bench = case.bench()
    before, routing = bench.price(), bench.state.terminals.tolist()
    after = bench.polish(exactly)
    assert after <= before
    pairs = set(zip(routing, bench.state.terminals.tolist(), strict=True))
    assert len(pairs) == len(set(routing)) == len(set(bench.state.terminals))
    cost = objective(case.problem, to_tree(case.problem, bench.sketch))
    assert after == pytest.approx(np.inf if cost.ties else cost.total, rel=1e-9)


def check_exactness(case):
    """Compare an exact polish with the interior-point method."""
    bench = case.bench()
    after = bench.polish()
    tree = to_tree(case.problem, bench.sketch)
    cost = objective(case.problem, tree)
    if cost.ties == 0:
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
    """Return a workbench with random hyperplanes on a tiny problem."""
    rng = np.random.default_rng([5, seed])
    problem = replace(tiny_problem(rng), margin_norm=norm, depth=int(rng.integers(1, 4)))
    bench = Workbench(make_task(problem), rng)
    bench.clear(3.0)
    sketch = bench.sketch
    for node in range(1, len(sketch.intercepts)):
        direction = rng.standard_normal(problem.n_features)
        sketch.splits[node] = True
        sketch.weights[node] = 3 * direction / np.linalg.norm(direction)
        near = rng.choice(problem.X @ sketch.weights[node])
        sketch.intercepts[node] = rng.uniform(-0.2, 0.2) - near
    bench.settle()
    return problem, bench


@pytest.mark.parametrize("norm", ["squared", "plain"])
def test_polish_is_exact_on_random_routings(norm):
    """On every routing it reaches the least cost, moves no row, and returns what it now costs."""
    for seed in range(100):
        problem, bench = random_routing(seed, norm)
        if bench.price() == np.inf:
            continue
        before = objective(problem, to_tree(problem, bench.sketch))
        cost = bench.polish()
        tree = to_tree(problem, bench.sketch)
        after = objective(problem, tree)
        least = twins.polished_cost(problem, tree) + after.errors + after.splits
        assert after.errors == pytest.approx(before.errors), seed
        assert cost == pytest.approx(after.total, rel=1e-9), seed
        assert cost == pytest.approx(least, rel=1e-5, abs=1e-6), seed


def as_norm(case, norm):
    """Return the case with another norm in its margin term."""
    problem = replace(case.problem, margin_norm=norm)
    return settled(problem, make_task(problem), case.sketch)


def one_split(norm):
    """Return a problem with one good split, and the tree of that split with a poor hyperplane."""
    X, y = [[0.0, 0.0], [0.3, 0.1], [0.6, 1.0], [1.0, 0.8]], [0, 0, 1, 1]
    problem = Problem.from_data(
        X, y, n_classes=2, depth=1, costs=Costs(100.0, 1.0, 0.0), margin_norm=norm
    )
    task = make_task(problem)
    sketch = new_sketch(task, 5.0)
    sketch.splits[1], sketch.weights[1], sketch.intercepts[1] = True, (5.0, 0.0), -2.25
    sketch.labels[:] = 0, 0, 0, 1
    return settled(problem, task, sketch)


@pytest.mark.parametrize("norm", NORMS)
def test_a_single_hyperplane_is_polished_exactly(norm):
    """One node, where nothing has to be shared."""
    check_exactness(one_split(norm))


@pytest.mark.parametrize("norm", NORMS)
def test_the_shares_of_a_solution_stay(norm):
    """Where all norms agree and the shares add up to what they should, nothing is to be moved."""
    task = make_task(one_split(norm).problem)._replace(depth=2)
    sketch = new_sketch(task)
    sketch.splits[1:4], sketch.norms[1:4] = True, 3.0
    total = 1.0 if norm == "squared" else 1 / (2 * 3.0)
    shares = total * np.array([0.5, 0.3, 0.2])
    sketch.shares[1:4] = shares
    share_again(task, sketch, 1.8)
    assert sketch.shares[1:4] == pytest.approx(shares)


def test_shares_move_to_large_norms():
    """A node that would like a larger norm has to pay more for it."""
    task = make_task(one_split("squared").problem)._replace(depth=2)
    sketch = new_sketch(task)
    sketch.splits[1:4], sketch.shares[1:4] = True, 1 / 3
    sketch.norms[1:4] = 1.0, 2.0, 4.0
    share_again(task, sketch, 1.0)
    assert sketch.shares[1:4] == pytest.approx(np.array([1, 2, 4]) / 7)


@few
@given(cases(), st.data())
def test_a_hyperplane_is_made_of_its_dual_variables(case, data):
    """It has the direction of ``sum_i beta_i x_i`` and the norm it is told to have."""
    task, sketch = case.task, case.sketch
    rows = np.flatnonzero(data.draw(st.lists(st.booleans(), max_size=case.problem.n_rows)))
    beta = np.array(data.draw(st.lists(st.integers(-3, 3), min_size=len(rows), max_size=len(rows))))
    direction = task.X[rows].T @ beta.astype(float)
    assume(np.linalg.norm(direction) > 1e-6)
    sketch.shares[1] = 0.5
    norm = set_hyperplane(task, sketch, 1, rows, beta.astype(float), 1.5, 4.0)
    assert norm == pytest.approx(np.linalg.norm(direction) / 0.5)
    assert sketch.weights[1] == pytest.approx(4.0 * direction / np.linalg.norm(direction))
    assert sketch.intercepts[1] == pytest.approx(1.5 * 4.0 / norm)
    expected = np.zeros(case.problem.n_rows)
    expected[rows] = beta
    assert sketch.duals[1].tolist() == expected.tolist()


@pytest.mark.parametrize("norm", ["squared", "plain"])
def test_what_is_best_already_is_kept(norm):
    """Polishing twice is polishing once."""
    bench = one_split(norm).bench()
    once = bench.polish()
    assert bench.polish() == pytest.approx(once, rel=1e-6)
