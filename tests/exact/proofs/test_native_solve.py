"""The native engine as a solver: what it takes, what it refuses, and that the others agree."""

from dataclasses import replace

import numpy as np
import pytest

from margintree import MOCTSVMClassifier
from margintree._lib.exceptions import InvalidInputError
from margintree.core.judges import price_margins
from margintree.core.limits import Limits
from margintree.core.problem import Costs, Problem
from margintree.core.result import Reason
from margintree.exact.proofs import engine
from margintree.methods import MOCTSVM, OCTSVM
from margintree.methods.solve import How, solve
from margintree.testing.instances import INSTANCES, tiny_problem
from margintree.testing.margin_oracles import cheapest_tree

CLOUDS = next(i for i in INSTANCES if i.name == "cloudsD=2(10,1,1)").problem()


def exact(problem, solver="auto", **options):
    return solve(MOCTSVM(), problem, How("exact", solver=solver, **options))


def overlapping(n, n_classes, depth, seed=0):
    """Return rows of overlapping classes, on which proofs are long."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    X = rng.normal(size=(n, 3)) + 0.7 * y[:, None]
    return Problem.from_data(X, y, n_classes=n_classes, depth=depth, costs=Costs(1, 1, 0.1))


def random_problem(seed):
    """Return a problem of 15 to 30 rows."""
    rng = np.random.default_rng([27, seed])
    n, K = int(rng.integers(15, 31)), int(rng.integers(2, 4))
    centres = rng.random((K, 3))
    y = rng.integers(0, K, n)
    return Problem.from_data(
        centres[y] + rng.normal(0, 0.12, (n, 3)),
        y,
        n_classes=K,
        depth=1 if seed % 2 else 2,
        costs=Costs(float(rng.choice([1, 10])), float(rng.choice([0.5, 1])), 0.1),
        row_weights=rng.uniform(0.5, 2, n) if seed % 5 == 0 else None,
        margin_term="plain" if seed % 7 == 0 else "squared",
    )


def test_the_engine_is_the_default_of_moctsvm():
    """A classifier with method="exact" is proved natively."""
    X, y = INSTANCES[0].rows()
    fitted = MOCTSVMClassifier(2, c1=10, c3=1, method="exact").fit(X, y)
    assert fitted.optimal_
    assert fitted.result_.solver == "native"


def test_rules_that_the_engine_does_not_know_go_to_scip():
    """A distance between sides is refused by name, and left to SCIP otherwise."""
    problem = CLOUDS.with_rules(separation=0.01)
    with pytest.raises(InvalidInputError, match=r"not know separation.* Use solver='scip'"):
        exact(problem, "native")
    assert exact(problem, limits=Limits(seconds=2, iterations=1)).solver == "scip"


def test_a_price_of_features_goes_to_scip():
    """A cost that the engine does not know is refused like a rule."""
    problem = replace(CLOUDS, costs=Costs(10, 1, 1, features=0.5))
    with pytest.raises(InvalidInputError, match="not know c4"):
        exact(problem, "native")


def test_methods_other_than_moctsvm_go_to_a_solver_of_programs():
    """OCTSVM has no native proof."""
    problem = Problem.from_data([[0.0], [1.0]], [0, 1], n_classes=2, depth=1)
    with pytest.raises(InvalidInputError, match="MOCTSVM trees only"):
        solve(OCTSVM(), problem, How("exact", solver="native"))
    assert solve(OCTSVM(), problem, How("exact")).solver != "native"


@pytest.mark.parametrize("seed", range(12))
def test_a_number_of_splits_is_kept_and_proved(seed):
    """Enumeration with the same rule agrees."""
    problem = tiny_problem(np.random.default_rng([31, seed])).with_rules(max_splits=1 + seed % 2)
    found = exact(problem, "native", limits=Limits(gap=1e-6))
    assert found.is_optimal
    assert found.objective == pytest.approx(cheapest_tree(problem).cost, rel=1e-5, abs=1e-9)


@pytest.mark.parametrize("seed", range(40))
def test_native_scip_and_highs_agree(seed):
    """The three prove the same optimum; where a model takes long, its bound and tree still fit."""
    problem = random_problem(seed)
    native = exact(problem, "native")
    assert native.is_optimal
    is_quick = problem.depth == 1
    for solver in ("scip", "highs") if is_quick or seed < 8 else ("scip",):
        other = exact(problem, solver, limits=Limits(seconds=20 if is_quick else 2))
        assert other.bound <= native.objective * (1 + 1e-6)
        assert other.objective >= native.bound * (1 - 1e-6)
        if is_quick or other.is_optimal:
            assert other.objective == pytest.approx(native.objective, rel=2e-4)


def test_the_result_is_the_same_on_any_number_of_threads(monkeypatch):
    """Dives that may run at once begin with the same best cost, whatever the number of threads."""
    monkeypatch.setattr(engine, "LONG", 50)
    problem = overlapping(34, 3, 2)
    first, *others = (
        exact(problem, limits=Limits(threads=threads, nodes=20_000)) for threads in (1, 2, 3)
    )
    for other in others:
        assert other.tree == first.tree
        assert other.bound == first.bound


def test_a_time_limit_leaves_a_tree_a_bound_and_a_reason():
    """A long proof ends in time, and its tree is priced by the judge."""
    problem = overlapping(120, 3, 3)
    found = exact(problem, limits=Limits(seconds=1.5))
    assert found.reason is Reason.LIMIT
    assert found.limit == "time"
    assert 0 < found.bound < found.objective
    assert found.cost == price_margins(problem, found.tree)
    assert found.seconds < 4


def test_a_time_limit_holds_for_many_rows_at_depth_three():
    """A limit of 5 s is kept where a node takes long, with its search for a better tree."""
    found = exact(overlapping(275, 2, 3), limits=Limits(seconds=5))
    assert found.limit == "time"
    assert found.seconds < 7


def test_the_search_helps_a_long_proof(monkeypatch):
    """After some nodes the search is asked, later once more for longer; what it finds is kept."""
    problem = overlapping(60, 3, 2)
    monkeypatch.setattr(engine, "SEARCHES", ((300, 3), (900, None)))
    first, both = (exact(problem, limits=Limits(nodes=nodes, iterations=5)) for nodes in (10, 40))
    assert 0 < first.iterations <= 3 < both.iterations <= 8
    assert both.objective <= first.objective
