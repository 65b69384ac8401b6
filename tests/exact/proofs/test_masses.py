"""Proofs with a least weight of leaves agree with enumeration and with SCIP, and are certified."""

import numpy as np
import pytest

from margintree.core.judges import price_margins
from margintree.core.limits import Limits
from margintree.core.problem import Costs, Problem
from margintree.exact.proofs.certify import certify
from margintree.exact.proofs.dive import Basics, Room
from margintree.exact.proofs.engine import ROUNDING, prove
from margintree.exact.proofs.kernels.masses import lacks_mass
from margintree.exact.proofs.skeletons import Skeleton
from margintree.exact.proofs.workspace import begin
from margintree.exact.verify import Refused, verify
from margintree.methods import MOCTSVM
from margintree.methods.solve import How, solve
from margintree.testing.instances import tiny_problem
from margintree.testing.margin_oracles import cheapest_tree

METHOD = MOCTSVM()
GAP, ORACLE = 1e-6, 1e-6


def tiny(seed):
    """Return a tiny problem whose leaves need between a tenth and half of the weight."""
    rng = np.random.default_rng([28, seed])
    return tiny_problem(rng).with_rules(min_samples_leaf=float(rng.choice([0.1, 0.2, 0.25, 0.4])))


def clouds(n, depth, least, seed=0):
    """Return rows of three classes, the last of them rare, whose leaves need some weight."""
    rng = np.random.default_rng([29, seed])
    y = np.minimum(rng.integers(0, 5, n) // 2, 2)
    X = rng.random((3, 3))[y] + rng.normal(0, 0.1, (n, 3))
    costs = Costs(10, 1, 0.1)
    problem = Problem.from_data(X, y, n_classes=3, depth=depth, costs=costs)
    return problem.with_rules(min_samples_leaf=least)


@pytest.mark.parametrize("block", range(0, 120, 20))
def test_a_proof_finds_what_enumeration_finds(block):
    """The optimum, a tree that keeps the rule, and no bound above the optimum on the way."""
    for seed in range(block, block + 20):
        problem = tiny(seed)
        expected, seen = cheapest_tree(problem).cost, []
        found = prove(METHOD, problem, Limits(gap=GAP), progress=seen.append).result
        assert found.is_optimal, f"seed {seed}: gap {found.gap}"
        assert price_margins(problem, found.tree).is_allowed
        assert found.objective == pytest.approx(expected, rel=2 * GAP + ORACLE, abs=1e-9)
        assert max(point.bound for point in seen) <= expected * (1 + ORACLE + ROUNDING)


def test_the_rule_binds_in_many_of_these_problems():
    """Otherwise the comparison with enumeration would say little."""
    free = [tiny(seed).with_rules() for seed in range(40)]
    bound = [cheapest_tree(tiny(seed)).cost for seed in range(40)]
    dearer = sum(b > cheapest_tree(f).cost * (1 + 1e-6) for f, b in zip(free, bound, strict=True))
    assert dearer >= 8


@pytest.mark.parametrize("seed", range(6))
def test_scip_proves_the_same(seed):
    """With some more rows, where the rule takes the leaf of the rare class away."""
    problem = clouds(18, 1 + seed % 2, 5, seed)
    native = solve(METHOD, problem, How("exact"))
    other = solve(METHOD, problem, How("exact", solver="scip", limits=Limits(seconds=20)))
    assert native.solver == "native"
    assert native.is_optimal
    assert other.bound <= native.objective * (1 + 1e-6)
    assert other.objective >= native.bound * (1 - 1e-6)


def test_a_rule_that_half_of_the_rows_must_keep():
    """Every leaf has exactly half of the rows, or there is one leaf."""
    problem = clouds(16, 2, 8)
    found = prove(METHOD, problem, Limits()).result
    masses = np.bincount(found.tree.apply(problem.X))
    assert found.is_optimal
    assert set(masses[masses > 0]) <= {8, 16}


@pytest.mark.parametrize("seed", range(4))
def test_proofs_with_the_rule_are_certified(seed):
    """Nodes that are closed by weights are in the certificate; the checker counts them itself."""
    problem, limits = clouds(18, 2, 5, seed), Limits()
    proof = prove(METHOD, problem, limits, has_history=True)
    certificate = certify(METHOD.name, problem, limits, proof.history)
    verify(certificate, problem)
    assert certificate.bound >= proof.result.bound * (1 - 2e-6)
    free = problem.with_rules()
    if prove(METHOD, free, limits).result.objective < certificate.bound:
        with pytest.raises(Refused):
            verify(certificate, free)


def test_a_bag_needs_weight_for_each_of_its_classes():
    """Rows that are decided count where they are; the others may go anywhere below them."""
    problem = clouds(20, 2, 5)
    basics = Basics(problem, 1e-4)
    room, missing = Room(basics), np.zeros(8)
    frame = basics.frame(Skeleton((0b001, 0b110), 2), 100.0)
    places = np.ones(20, dtype=np.int64)

    def lacks(n_left, n_right):
        places[:n_left], places[n_left : n_left + n_right] = 2, 3
        places[n_left + n_right :] = 1
        begin(room.stack(1), frame, places, 0.0)
        return lacks_mass(basics.rows, frame, room.stack(1), 0, missing)

    assert not lacks(0, 0)
    assert not lacks(10, 0)
    assert lacks(11, 0)
    assert not lacks(5, 15)
    assert lacks(4, 16)
