"""Certificates: what the engine proves is checked without it, and what is changed is refused."""

from dataclasses import replace

import numpy as np
import pytest

from margintree._lib.exceptions import InvalidInputError
from margintree.core.limits import Limits
from margintree.core.problem import Costs, Problem
from margintree.exact.certificate import ARRAYS, Certificate
from margintree.exact.proofs.certify import certify
from margintree.exact.proofs.engine import prove
from margintree.exact.verify import Refused, verify
from margintree.methods import MOCTSVM
from margintree.methods.solve import How, solve
from margintree.testing.instances import INSTANCES, tiny_problem
from margintree.testing.margin_oracles import cheapest_tree

WINE = INSTANCES[0].problem()


def certified(problem, limits=None):
    limits = limits or Limits()
    proof = prove(MOCTSVM(), problem, limits, has_history=True)
    return proof.result, certify("moctsvm", problem, limits, proof.history)


@pytest.fixture(scope="module")
def wine():
    return certified(WINE)[1]


@pytest.mark.parametrize("instance", INSTANCES, ids=lambda instance: instance.name)
def test_the_proofs_of_the_benchmark_are_certified(instance):
    """The certified bound closes the gap, but for a share of 1e-6."""
    problem = instance.problem()
    result, certificate = certified(problem)
    assert result.objective * (1 - 1.03e-4) <= certificate.bound <= result.objective
    verify(certificate, problem)


@pytest.mark.parametrize("block", range(0, 60, 20))
def test_tiny_proofs_are_certified(block):
    """Weights, error costs, both norms, ties and equal rows; the bound is below the optimum."""
    for seed in range(block, block + 20):
        problem = tiny_problem(np.random.default_rng([7, seed]))
        _, certificate = certified(problem)
        verify(certificate, problem)
        assert certificate.bound <= cheapest_tree(problem).cost * (1 + 1e-6)


def test_a_bound_above_the_optimum_is_refused(wine):
    """The steps of a certificate are checked against its bound, not against its digest."""
    with pytest.raises(Refused, match="may hold a tree"):
        verify(replace(wine, bound=wine.bound * (1 + 1e-3)), WINE)


def test_a_certificate_of_a_limit_proves_the_bound_at_the_limit():
    """Nodes that are open have bounds, too."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 40)
    X = rng.normal(size=(40, 3)) + 0.7 * y[:, None]
    problem = Problem.from_data(X, y, n_classes=3, depth=2, costs=Costs(1, 1, 0.1))
    result, certificate = certified(problem, Limits(nodes=900))
    assert not result.is_optimal
    assert 0 < certificate.bound <= result.bound
    verify(certificate, problem)


def test_more_classes_than_leaves_are_certified():
    """Sets of classes that are left out are checked, and so are refined bags."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(6), 3)
    X = rng.random((6, 2))[y] + rng.normal(0, 0.02, (18, 2))
    problem = Problem.from_data(X, y, n_classes=6, depth=2, costs=Costs(1.0, 0.1, 0.1))
    _, certificate = certified(problem)
    verify(certificate, problem)
    for k in range(len(certificate.forest)):
        fewer = certificate.forest[:k] + certificate.forest[k + 1 :]
        with pytest.raises(Refused):
            verify(replace(certificate, forest=fewer), problem)


@pytest.mark.parametrize("seed", range(20))
def test_a_file_with_one_changed_number_is_refused(wine, seed, tmp_path):
    """Whatever number is changed, reading it notices; digests are no part of what is changed."""
    rng = np.random.default_rng(seed)
    wine.save(tmp_path / "right.npz")
    assert Certificate.read(tmp_path / "right.npz").bound == wine.bound
    with np.load(tmp_path / "right.npz") as file:
        content = dict(file)
    name = [name for name in ARRAYS if content[name].size][seed % (len(ARRAYS) - 1)]
    place = rng.integers(content[name].size)
    content[name].flat[place] += 1
    np.savez(tmp_path / "wrong.npz", **content)
    with pytest.raises(InvalidInputError, match="digest"):
        Certificate.read(tmp_path / "wrong.npz")


@pytest.mark.parametrize("name", ["events", "splits", "rows", "pairs"])
def test_steps_that_do_not_follow_are_refused(wine, name):
    """A forged certificate without a digest fails at the step that was changed."""
    refused = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        array = getattr(wine, name).copy()
        array.flat[rng.integers(array.size)] += 1 if name != "events" else rng.integers(1, 3)
        try:
            verify(replace(wine, **{name: array}), WINE)
        except Refused:
            refused += 1
    assert refused >= 15


def test_lines_that_are_too_weak_are_refused(wine):
    """With all dual variables halved some node no longer reaches the bound."""
    with pytest.raises(Refused, match="may hold a tree"):
        verify(replace(wine, duals=wine.duals / 2), WINE)


def test_a_file_that_is_no_certificate_is_refused(tmp_path):
    """The message says how to get one."""
    (tmp_path / "c.npz").write_bytes(b"PK nothing")
    with pytest.raises(InvalidInputError, match="fit --certificate"):
        Certificate.read(tmp_path / "c.npz")


def test_a_solve_writes_its_certificate(tmp_path):
    """`How` takes the file; other solvers have none to write."""
    path = tmp_path / "c.npz"
    result = solve(MOCTSVM(), WINE, How("exact", certificate=path))
    certificate = Certificate.read(path)
    assert certificate.bound == pytest.approx(result.bound, rel=2e-6)
    verify(certificate, WINE)
    with pytest.raises(InvalidInputError, match="native proof engine"):
        solve(MOCTSVM(), WINE, How("exact", "scip", certificate=path))
    with pytest.raises(InvalidInputError, match="method='exact'"):
        solve(MOCTSVM(), WINE, How("search", certificate=path))
