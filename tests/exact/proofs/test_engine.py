"""Proofs agree with enumeration, and are right wherever they stop."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from margintree.core.judges import price_margins
from margintree.core.limits import Limits
from margintree.core.problem import Costs, Problem
from margintree.core.result import Reason
from margintree.core.tree import ObliqueTree
from margintree.exact.proofs import dive
from margintree.exact.proofs.engine import ROUNDING, ProofPoint
from margintree.exact.proofs.engine import prove as prove_by
from margintree.methods import MOCTSVM
from margintree.testing.instances import INSTANCES, tiny_problem
from margintree.testing.margin_oracles import cheapest_tree

N_TINY = 300
GAP = 1e-6
ORACLE = 1e-6
"""To this share of the cost the enumeration solves its convex problems."""


def leaf(problem):
    return ObliqueTree.leaf(problem.depth, problem.n_features, problem.n_classes)


def prove(problem, limits, starts=(), progress=None):
    return prove_by(MOCTSVM(), problem, limits, starts, progress)


def tiny(seed):
    return tiny_problem(np.random.default_rng([7, seed]))


def deep(seed):
    """Return a problem of depth three with few rows and a wide routing margin now and then."""
    rng = np.random.default_rng([8, seed])
    n, p, K = int(rng.integers(3, 6)), int(rng.integers(1, 3)), int(rng.integers(2, 5))
    return Problem.from_data(
        rng.random((n, p)).round(int(rng.choice([1, 3]))),
        rng.integers(0, K, n),
        n_classes=K,
        depth=3,
        costs=Costs(float(rng.choice([1, 10])), float(rng.choice([0.1, 1])), 0.1),
        row_weights=rng.uniform(0.5, 2, n) if rng.random() < 0.4 else None,
        margin_term="squared" if rng.random() < 0.5 else "plain",
        routing_margin=float(rng.choice([1e-3, 0.1])),
    )


@pytest.fixture
def eager(monkeypatch):
    """Let a proof stop and tell of its bound after every few nodes."""
    monkeypatch.setattr(dive, "FIRST_PAUSE", 50)
    monkeypatch.setattr(dive, "PAUSE", 0.0)


def check(problem):
    """Compare a proof with enumeration, at its end and wherever it told of its bound."""
    expected = cheapest_tree(problem).cost
    seen = []
    proof = prove(problem, Limits(gap=GAP), progress=seen.append).result
    assert proof.objective == price_margins(problem, proof.tree).total
    assert price_margins(problem, proof.tree).is_allowed
    assert proof.objective == pytest.approx(expected, rel=2 * GAP + ORACLE, abs=1e-9)
    assert max(point.bound for point in seen) <= expected * (1 + ORACLE + ROUNDING)
    assert all(a.bound <= b.bound * (1 + 1e-12) for a, b in pairwise(seen))
    return proof, expected


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("block", range(0, N_TINY, 30))
def test_a_proof_finds_what_enumeration_finds(block):
    """Weights, error costs, both norms, ties and equal rows at depths one and two, 30 at a time."""
    for seed in range(block, block + 30):
        proof, _ = check(tiny(seed))
        assert proof.reason is Reason.OPTIMAL, f"seed {seed}: gap {proof.gap}"


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("seed", range(12))
def test_a_proof_at_depth_three_finds_what_enumeration_finds(seed):
    """Few rows at depth three, with narrow and wide routing margins."""
    check(deep(seed))


@pytest.mark.parametrize("nodes", [0, 1, 3, 10, 30])
def test_a_limit_of_nodes_leaves_a_bound_that_holds(nodes):
    """Whatever the limit, the bound is below the optimum and the tree no worse than given."""
    for seed in range(20):
        problem = tiny(seed)
        expected = cheapest_tree(problem).cost
        proof = prove(problem, Limits(nodes=nodes)).result
        assert proof.bound <= expected * (1 + ORACLE + ROUNDING)
        assert proof.objective <= price_margins(problem, leaf(problem)).total
        assert proof.limit in (None, "nodes")


def test_no_time_gives_the_start_back():
    """A time limit of 0 returns the tree that was given, with a bound that holds."""
    problem = INSTANCES[0].problem()
    best = prove(problem, Limits(seconds=20)).result
    again = prove(problem, Limits(seconds=0), [best.tree]).result
    assert again.objective == best.objective
    assert again.reason is Reason.LIMIT
    assert again.limit == "time"
    assert again.bound <= best.objective


def test_an_interrupt_returns_the_best_so_far():
    """A callback that raises KeyboardInterrupt stops the proof, and nothing found is lost."""
    problem = INSTANCES[7].problem()
    seen = []

    def stop(point):
        seen.append(point)
        if len(seen) == 5:
            raise KeyboardInterrupt

    proof = prove(problem, Limits(seconds=20), progress=stop).result
    assert proof.reason is Reason.INTERRUPTED
    assert proof.objective <= seen[-1].objective
    assert proof.bound >= seen[-1].bound


def test_a_memory_limit_stops_a_proof():
    """A limit below what the process takes already is reached at once."""
    problem = INSTANCES[0].problem()
    proof = prove(problem, Limits(memory=1e-3)).result
    assert proof.limit == "memory"


@pytest.mark.parametrize("instance", INSTANCES, ids=lambda instance: instance.name)
def test_the_instances_of_the_benchmark_are_proved(instance):
    """Every instance on which exact solving is measured is proved from the tree without splits."""
    problem = instance.problem()
    proof = prove(problem, Limits(seconds=60)).result
    assert proof.reason is Reason.OPTIMAL
    assert proof.gap <= 1e-4


def test_more_classes_than_leaves_are_no_obstacle():
    """Seven classes at depth two: only the sets of four that matter are looked at."""
    rng = np.random.default_rng(0)
    centres = rng.random((7, 2))
    y = np.repeat(np.arange(7), 3)
    X = centres[y] + rng.normal(0, 0.02, (21, 2))
    problem = Problem.from_data(X, y, n_classes=7, depth=2, costs=Costs(1.0, 0.1, 0.1))
    proof = prove(problem, Limits(seconds=60)).result
    assert proof.reason is Reason.OPTIMAL
    assert proof.objective < price_margins(problem, leaf(problem)).total


def test_one_class_needs_no_search():
    """Rows of one class are proved without a node."""
    problem = Problem.from_data([[0.0], [1.0]], [1, 1], n_classes=2, depth=2)
    proof = prove(problem, Limits())
    assert proof.result.objective == 0.0
    assert proof.nodes == 0
    assert proof.result.reason is Reason.OPTIMAL


def test_equal_rows_of_two_classes_are_proved():
    """Contradictions must be paid for; no hyperplane parts them."""
    problem = Problem.from_data(
        [[0.0], [0.0], [1.0], [1.0]], [0, 1, 0, 1], n_classes=2, depth=2, row_weights=[2, 1, 1, 2]
    )
    proof, expected = check(problem)
    assert proof.objective == pytest.approx(expected)


def test_progress_tells_of_nodes_share_and_time_left():
    """The share of the closed search rises to one, and what is left follows from it."""
    problem = INSTANCES[2].problem()
    seen = []
    prove(problem, Limits(seconds=20), progress=seen.append)
    shares = [point.share for point in seen]
    assert shares == sorted(shares)
    assert seen[-1].nodes > 0
    assert ProofPoint(10.0, 2.0, 1.0).seconds_left == np.inf


@given(seed=st.integers(0, 10**6), scale=st.sampled_from([1.0, 3.0]))
@hypothesis_settings(deadline=None, max_examples=30)
def test_a_deeper_tree_is_never_proved_dearer(seed, scale):
    """Optimum and bound at depth two are no higher than the optimum at depth one."""
    rng = np.random.default_rng(seed)
    X, y = rng.random((8, 2)), rng.integers(0, 3, 8)
    costs = Costs(scale, 1.0, 0.1)
    one, two = (
        prove(problem, Limits()).result
        for problem in (
            Problem.from_data(X, y, n_classes=3, depth=depth, costs=costs) for depth in (1, 2)
        )
    )
    assert two.objective <= one.objective * (1 + 1e-4)
    assert two.bound <= one.objective * (1 + ROUNDING)
