"""The model of OCTSVM: trees fit into it at their cost, come back, and its optimum is the best."""

from functools import cache

import numpy as np
import pytest

from margintree.core.judges import price_labels
from margintree.core.limits import Limits
from margintree.core.problem import Costs, Problem
from margintree.core.result import Reason
from margintree.core.tree import ObliqueTree
from margintree.exact.programs import build_octsvm, decode_octsvm, encode_octsvm
from margintree.exact.solvers import get
from margintree.testing.margin_oracles import cheapest_label_tree, tiny_label_problem

TINY = [tiny_label_problem(np.random.default_rng([7, seed])) for seed in range(30)]


@cache
def enumerated(number):
    """Return the oracle's answer, found once for all tests."""
    return cheapest_label_tree(TINY[number])


def solve(problem, solver):
    """Return the solver's outcome and its tree, started from the tree without splits."""
    leaf = ObliqueTree.leaf(problem.depth, problem.n_features, 2)
    program = build_octsvm(problem, price_labels(problem, leaf).total)
    start = encode_octsvm(problem, program, leaf)
    assert program.violation(start) <= 1e-9
    assert program.evaluate(start) == pytest.approx(price_labels(problem, leaf).total)
    outcome = get(solver).solve(program, Limits(seconds=60.0, gap=1e-6), start)
    return program, outcome, decode_octsvm(problem, program, outcome.values)


def test_the_instances_are_varied():
    """The agreement below covers what OCTSVM can be asked for."""
    assert {problem.depth for problem in TINY} == {1, 2}
    assert {problem.n_features for problem in TINY} == {1, 2}
    assert {problem.margin_term for problem in TINY} == {"squared", "plain"}
    dear = [problem.costs.errors > 2 * problem.costs.violations for problem in TINY]
    assert {*dear} == {True, False}
    assert any(len(np.unique(problem.row_weights)) > 3 for problem in TINY)
    assert any(len(np.unique(problem.X, axis=0)) < problem.n_rows for problem in TINY)


@pytest.mark.parametrize("number", range(len(TINY)))
def test_scip_finds_what_enumeration_finds(number):
    """Enumeration, SCIP and the judge of SCIP's tree name the same cost; the tree comes back."""
    problem = TINY[number]
    program, outcome, tree = solve(problem, "scip")
    cost = price_labels(problem, tree)
    assert outcome.reason is Reason.OPTIMAL
    assert outcome.objective == pytest.approx(enumerated(number), rel=1e-5)
    assert cost.total == pytest.approx(enumerated(number), rel=1e-5)
    assert cost.is_allowed
    values = encode_octsvm(problem, program, tree)
    assert program.violation(values) <= 1e-5
    assert program.evaluate(values) == pytest.approx(cost.total)
    assert decode_octsvm(problem, program, values) == tree


@pytest.mark.parametrize("number", range(0, len(TINY), 6))
def test_highs_finds_what_enumeration_finds(number):
    """The outer approximation of HiGHS leads to the same cost."""
    problem = TINY[number]
    _, _, tree = solve(problem, "highs")
    assert price_labels(problem, tree).total == pytest.approx(enumerated(number), rel=1e-5)


def test_gurobi_agrees_on_a_toy():
    """Gurobi's free licence is enough for four points."""
    pytest.importorskip("gurobipy")
    problem = Problem.from_data(
        [[0.0], [0.3], [0.7], [1.0]], [0, 1, 1, 0], n_classes=2, depth=1, costs=Costs(3, 10, 0.1)
    )
    _, _, tree = solve(problem, "gurobi")
    expected = cheapest_label_tree(problem)
    assert price_labels(problem, tree).total == pytest.approx(expected, rel=1e-5)
