"""The model of OCT-H: trees fit into it at their cost, come back, and its optimum is the best."""

from functools import cache

import numpy as np
import pytest

from margintree.core.judges import price_errors
from margintree.core.limits import Limits
from margintree.core.result import Reason
from margintree.core.simplify import simplify
from margintree.core.tree import ObliqueTree
from margintree.exact.programs import build_octh, decode_octh, encode_octh
from margintree.exact.solvers import get
from margintree.testing.error_oracles import (
    cheapest_oblique_tree,
    fewest_features,
    tiny_oblique_problem,
    widest,
)

TINY = [tiny_oblique_problem(np.random.default_rng([4, seed])) for seed in range(30)]


@cache
def enumerated(number):
    """Return the oracle's answer, found once for all tests."""
    return cheapest_oblique_tree(TINY[number])


def test_the_instances_are_varied():
    """The agreement below covers what OCT-H can be asked for."""
    assert {problem.depth for problem in TINY} == {1, 2}
    assert {problem.n_features for problem in TINY} == {1, 2}
    assert {problem.n_classes for problem in TINY} == {2, 3}
    assert {problem.rules.separation for problem in TINY} == {0.001, 0.05, 0.2}
    assert len({problem.max_splits for problem in TINY}) > 2
    assert {problem.costs.splits for problem in TINY} == {0, 0.05, 0.3}
    assert {problem.costs.features for problem in TINY} == {0, 0.05, 0.3}
    oblique = [problem for problem in TINY if problem.n_features == 2]
    assert any(problem.row_weights.max() != problem.row_weights.min() for problem in oblique)


@pytest.mark.parametrize("solver", ["highs", "scip"])
@pytest.mark.parametrize("number", range(len(TINY)))
def test_solvers_find_what_enumeration_finds(number, solver):
    """Enumeration, the solver and the judge of its tree name the same cost; trees come back."""
    problem = TINY[number]
    program = build_octh(problem)
    outcome = get(solver).solve(program, Limits(seconds=60.0, gap=1e-7))
    tree = decode_octh(problem, program, outcome.values)
    cost = price_errors(problem, simplify(problem, tree))
    assert outcome.reason is Reason.OPTIMAL
    assert outcome.objective == pytest.approx(enumerated(number), abs=1e-6)
    assert cost.total == pytest.approx(enumerated(number), abs=1e-9)
    assert cost.is_allowed
    again = encode_octh(problem, program, tree)
    assert program.violation(again) <= 1e-6
    assert program.evaluate(again) == pytest.approx(price_errors(problem, tree).total)
    same = decode_octh(problem, program, again)
    np.testing.assert_allclose(same.weights, tree.weights, rtol=1e-6)
    np.testing.assert_array_equal(same.apply(problem.X), tree.apply(problem.X))


def test_gurobi_agrees_on_a_toy():
    """Gurobi's free licence is enough for the smallest instances."""
    pytest.importorskip("gurobipy")
    number = min(range(len(TINY)), key=lambda k: TINY[k].n_rows * TINY[k].depth)
    problem = TINY[number]
    outcome = get("gurobi").solve(build_octh(problem), Limits(seconds=60.0, gap=1e-7))
    assert outcome.objective == pytest.approx(enumerated(number), abs=1e-6)


def test_sides_that_are_too_close_break_the_rows():
    """A tree whose sides are closer than the separation is infeasible on its left."""
    problem = TINY[0]
    feature = np.eye(problem.n_features)[0]
    values = np.unique(problem.X[:, 0])
    tree = ObliqueTree.stump(feature, -values[1], [0, 1], problem.n_classes)
    tree = tree.deepened(problem.depth)
    gap = values[1] - values[0]
    for separation, is_right in ((0.99 * gap, True), (1.01 * gap, False)):
        apart = problem.with_rules(separation=separation)
        program = build_octh(apart)
        broken = program.violations(encode_octh(apart, program, tree))
        assert (broken["left"] <= 1e-9) == is_right
        assert broken["right"] <= 1e-9


def test_two_features_part_what_one_cannot():
    """Points on two slanted lines are apart by half their distance along each feature."""
    left, right = np.array([[0.0, 0.0], [0.5, 0.5]]), np.array([[0.0, 0.4], [0.5, 0.9]])
    assert widest(left, right) == pytest.approx(0.2)
    assert fewest_features(left, right, 0.2) == 2
    assert fewest_features(left, right, 0.21) == 0
    assert fewest_features(left[:1], right, 0.4) == 1
