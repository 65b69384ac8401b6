"""Solving by any method: which way is taken, and which wishes do not go together."""

from dataclasses import replace

import numpy as np
import pytest

from margintree._lib.exceptions import CheckpointWarning, InvalidInputError, SolverError
from margintree.core.limits import Limits
from margintree.core.problem import Costs, Problem
from margintree.core.result import Reason
from margintree.methods import CART, METHODS, MOCTSVM, OCT, OCTH, OCTSVM
from margintree.methods.solve import How, solve
from margintree.testing.margin_oracles import cheapest_tree

ROWS = Problem.from_data(
    [[0.0, 0.3], [0.2, 0.9], [0.5, 0.1], [0.7, 0.8], [1.0, 0.4]],
    [0, 1, 0, 1, 1],
    n_classes=2,
    depth=1,
    costs=Costs(5.0, 1.0, 0.1),
)
POSED = {
    "moctsvm": {"c1": 5.0, "c2": 1.0, "c3": 0.1},
    "octsvm": {"c1": 5.0, "c2": 1.0, "c3": 0.1},
    "oct": {"alpha": 0.01},
    "octh": {"alpha": 0.01},
    "cart": {},
    "class_tree": {"C": 1.0},
}


def problem_of(name):
    """Return the small problem as a method poses it."""
    method = METHODS[name]
    return method.pose(ROWS, max_depth=1, **POSED[name.replace("-", "_")])


@pytest.mark.parametrize("name", METHODS)
def test_the_first_way_of_a_method_is_the_usual_one(name):
    """Without a wish it is taken; the result is judged, and no proof is above the cost."""
    method, problem = METHODS[name], problem_of(name)
    plain = solve(method, problem)
    wished = solve(method, problem, How(method.ways[0]))
    assert plain.objective == wished.objective
    assert method.judge(problem, plain.tree) == plain.cost
    assert plain.bound <= plain.objective + 1e-9


@pytest.mark.parametrize("name", METHODS)
def test_every_way_of_a_method_solves_a_small_problem(name):
    """And an exact one proves that no other way is better."""
    method, problem = METHODS[name], problem_of(name)
    costs = {way: solve(method, problem, How(way)) for way in method.ways}
    if "exact" in costs:
        assert costs["exact"].is_optimal
        assert all(costs["exact"].objective <= c.objective + 1e-6 for c in costs.values())


@pytest.mark.parametrize("name", METHODS)
def test_a_way_that_a_method_does_not_have_is_refused(name):
    """The message says which there are."""
    method = METHODS[name]
    with pytest.raises(InvalidInputError, match=f"{method.ways[0]}.*'guess' was given"):
        solve(method, problem_of(name), How("guess"))


@pytest.mark.parametrize("wish", ["checkpoint", "certificate"])
def test_files_of_a_proof_need_the_exact_way(wish, tmp_path):
    """A search has nothing to write into them."""
    how = How("search", **{wish: tmp_path / "file"})
    with pytest.raises(InvalidInputError, match=f"{wish} is only allowed with method='exact'"):
        solve(MOCTSVM(), problem_of("moctsvm"), how)
    assert not (tmp_path / "file").exists()


def test_an_unknown_solver_is_refused_even_by_a_search():
    """It would be a surprise to learn of it later."""
    with pytest.raises(SolverError, match="nonsense"):
        solve(MOCTSVM(), problem_of("moctsvm"), How("search", "nonsense"))


def test_all_solvers_of_the_exact_way_agree_with_enumeration():
    """The native engine, SCIP and HiGHS, and auto is one of them."""
    problem = problem_of("moctsvm")
    least = cheapest_tree(problem).cost
    for solver in ("auto", "native", "scip", "highs"):
        result = solve(MOCTSVM(), problem, How("exact", solver))
        assert result.is_optimal
        assert result.objective == pytest.approx(least, rel=1e-4)
    assert solve(MOCTSVM(), problem, How("exact")).solver.startswith("native")


@pytest.mark.parametrize("method", [OCT(), OCTH(), OCTSVM()])
def test_a_method_that_the_engine_cannot_take_goes_to_scip(method):
    """And asking for the engine says why it cannot."""
    problem = problem_of(method.name)
    assert "native" not in solve(method, problem, How("exact")).solver
    with pytest.raises(InvalidInputError, match=f"{method.label} was given. Use solver='scip'"):
        solve(method, problem, How("exact", "native"))


def test_only_the_engine_writes_certificates(tmp_path):
    """For a problem that it cannot take, the message says why."""
    path = tmp_path / "proof"
    with pytest.raises(InvalidInputError, match=r"solver='scip' was given\. Leave the certificate"):
        solve(MOCTSVM(), problem_of("moctsvm"), How("exact", "scip", certificate=path))
    with pytest.raises(InvalidInputError, match="Only the native proof engine"):
        solve(OCT(), problem_of("oct"), How("exact", certificate=path))
    assert not path.exists()
    solve(MOCTSVM(), problem_of("moctsvm"), How("exact", certificate=path))
    assert path.stat().st_size > 0


def test_a_certificate_that_cannot_be_made_is_a_warning(tmp_path, monkeypatch):
    """The tree is proved all the same, and no file is left behind."""
    from margintree.exact.proofs import certify

    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(certify, "certify", interrupt)
    how = How("exact", certificate=tmp_path / "proof")
    with pytest.warns(CheckpointWarning, match="it was interrupted The result is not affected"):
        result = solve(MOCTSVM(), problem_of("moctsvm"), how)
    assert result.is_optimal
    assert not [*tmp_path.iterdir()]


def test_a_known_tree_is_never_lost():
    """Without any time, the start is the result, on every way."""
    problem = problem_of("moctsvm")
    best = solve(MOCTSVM(), problem, How("exact"))
    for way in ("search", "exact"):
        hurried = How(way, limits=Limits(seconds=0.0), starts=(best.tree,))
        result = solve(MOCTSVM(), problem, hurried)
        assert result.objective == pytest.approx(best.objective)
        assert result.reason in (Reason.LIMIT, Reason.OPTIMAL)


def test_progress_hears_what_the_result_remembers():
    """Every better tree and bound, in order, ending with those of the result."""
    heard = []
    result = solve(MOCTSVM(), problem_of("moctsvm"), How("exact", "scip", progress=heard.append))
    assert heard
    assert heard[-1].objective == pytest.approx(result.objective)
    objectives = [point.objective for point in heard]
    assert objectives == sorted(objectives, reverse=True)


def test_cart_has_one_way_and_keeps_its_rules():
    """It is not optimal, but no leaf is too light."""
    problem = replace(problem_of("cart"), depth=3).with_rules(0.4, None, axis_parallel=True)
    tree = solve(CART(), problem).tree
    mass = tree.leaf_mass.sum(axis=1)
    assert mass[mass > 0].min() >= 0.4 * problem.row_weights.sum() - 1e-9
    assert np.count_nonzero(tree.weights, axis=1).max() <= 1
