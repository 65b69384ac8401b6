"""The native search for OCT-H: its trees against enumeration, its limits and its starts."""

import time
from dataclasses import replace
from functools import cache, partial

import numpy as np
import pytest

from margintree.core.judges import price_errors
from margintree.core.limits import Limits
from margintree.core.problem import Costs, Problem
from margintree.core.result import Reason
from margintree.core.rules import Rules
from margintree.core.tree import ObliqueTree
from margintree.methods import OCT, OCTH
from margintree.methods.solve import How, solve
from margintree.search.margin import engine
from margintree.search.sparse.engine import Find, search_sparse_trees
from margintree.testing.error_oracles import cheapest_oblique_tree, tiny_oblique_problem


def slanted(n=40, p=3, seed=0):
    """Return rows of three classes parted by two slanted lines, and noise features."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, p))
    y = (X[:, 0] + X[:, 1] > 0.8).astype(int) + (X[:, 0] + X[:, 1] > 1.2)
    costs = Costs(errors=1 / (n - np.bincount(y).max()), violations=0.0, splits=0.0, features=0.01)
    problem = Problem.from_data(X, y, n_classes=3, depth=2, costs=costs)
    return problem.with_rules(0.05, separation=0.001)


def search(problem, limits=None, **more):
    """Return what the search for OCT-H finds."""
    return OCTH().search(problem, limits or Limits(), **more)


@pytest.mark.parametrize("seed", range(25))
def test_the_search_finds_the_optimum_of_tiny_problems(seed):
    """Its tree keeps the rules and costs what enumeration finds."""
    problem = tiny_oblique_problem(np.random.default_rng([5, seed]))
    result = search(problem, Limits(iterations=25))
    assert price_errors(problem, result.tree).is_allowed
    assert result.objective == pytest.approx(cheapest_oblique_tree(problem), abs=1e-9)
    assert result.bound <= result.objective


def test_slanted_borders_are_found():
    """Two splits of two features make no error; single features do."""
    problem = slanted()
    result = search(problem)
    cost = price_errors(problem, result.tree)
    assert (cost.errors, cost.features) == (0.0, pytest.approx(0.04))
    straight = problem.with_rules(0.05, axis_parallel=True)
    costs = replace(problem.costs, splits=0.01, features=0.0)
    assert result.objective < solve(OCT(), replace(straight, costs=costs)).objective


def test_the_number_of_splits_is_kept():
    """More splits are never worse, and no tree has more than allowed."""
    problem = slanted()
    costs = []
    for max_splits in range(4):
        few = problem.with_rules(0.05, max_splits, separation=0.001)
        result = search(few, Limits(iterations=45))
        assert result.tree.n_splits <= max_splits
        costs.append(result.objective)
    assert costs == sorted(costs, reverse=True)
    assert costs[0] == pytest.approx(1.0)


def test_compilation_takes_nothing_of_the_time_limit(monkeypatch):
    """The seconds of a result, which limits are compared with, do not have it."""
    monkeypatch.setattr(engine, "compile_kernels", cache(lambda **_: time.sleep(0.5)))
    start = time.perf_counter()
    result = search(slanted(), Limits(iterations=4))
    assert time.perf_counter() - start - result.seconds >= 0.5


def test_why_it_stopped_is_told():
    """Proof, limits of iterations and of time, and an end of its own are told apart."""
    problem = slanted()
    assert search(problem).reason is Reason.FINISHED
    few = search(problem, Limits(iterations=1))
    assert (few.reason, few.limit, few.iterations) == (Reason.LIMIT, "iterations", 1)
    none = search(problem, Limits(seconds=0))
    assert (none.reason, none.limit, none.objective) == (Reason.LIMIT, "time", pytest.approx(1.0))
    easy = Problem.from_data([[0.0], [1.0]], [0, 1], n_classes=2, depth=1, costs=Costs(1, 0, 0))
    assert search(easy.with_rules(separation=0.001)).reason is Reason.OPTIMAL


def test_the_exact_method_starts_from_the_search():
    """With no time for the solver it returns the tree of the search, and with time a proof."""
    problem = slanted(n=12, p=2)
    found = solve(OCTH(), problem)
    exact = solve(OCTH(), problem, How("exact", "highs"))
    assert exact.is_optimal
    assert exact.objective <= found.objective + 1e-9
    assert exact.trace[0].objective == found.trace[0].objective


def test_it_starts_from_trees_of_other_kinds():
    """One with a feature per split, two with maximum margins; each keeps what it must keep."""
    asked, problem = [], slanted()

    def tree_of(kind, problem, limits):
        asked.append((kind, problem, limits))
        return ObliqueTree.leaf(problem.depth, problem.n_features, problem.n_classes)

    find = Find(partial(tree_of, "axis"), partial(tree_of, "margin"))
    limits = Limits(iterations=60, seed=3, memory=1000.0)
    search_sparse_trees(OCTH(), problem, limits, find=find)
    assert [kind for kind, _, _ in asked] == ["axis", "margin", "margin"]
    (_, straight, _), *margins = asked
    assert straight.rules == replace(problem.rules, axis_parallel=True, separation=0.0)
    assert [posed.rules for _, posed, _ in margins] == [Rules()] * 2
    assert len({posed.costs.violations for _, posed, _ in margins}) == 2
    assert {(limits.seed, limits.memory) for _, _, limits in asked} == {(3, 1000.0)}


def test_a_known_tree_is_kept():
    """Even without any time."""
    problem = slanted()
    known = search(problem)
    hurried = search(problem, Limits(seconds=0), starts=[known.tree])
    assert hurried.objective == pytest.approx(known.objective)
