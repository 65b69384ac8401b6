"""Enumeration, solver and judge agree; this is where exactness is shown."""

from functools import cache

import numpy as np
import pytest

from margintree.core.judges import price_margins
from margintree.core.limits import Limits
from margintree.core.problem import Costs, Problem
from margintree.core.result import Reason
from margintree.core.simplify import simplify
from margintree.core.tree import ObliqueTree
from margintree.exact.programs import build, decode, encode_tree
from margintree.exact.solvers import get
from margintree.testing.instances import INSTANCES, tiny_problems
from margintree.testing.margin_oracles import cheapest_tree, linear_divisions

TINY = list(tiny_problems(42))


@cache
def enumerated(number):
    """Return the oracle's answer, found once for all tests."""
    return cheapest_tree(TINY[number])


def no_split(problem):
    leaf = ObliqueTree.leaf(problem.depth, problem.n_features, problem.n_classes)
    return simplify(problem, leaf)


def solve(problem, solver="scip", seconds=60.0, gap=1e-6, strengthening=None):
    """Return the solver's outcome and its tree, started from the tree without splits."""
    start = no_split(problem)
    program = build(problem, price_margins(problem, start).total, strengthening)
    values = encode_tree(problem, program, start)
    outcome = get(solver).solve(program, Limits(seconds=seconds, gap=gap), values)
    return outcome, decode(problem, program, outcome.values)


def test_the_instances_are_varied():
    """The agreement below covers what a problem can be made of."""
    assert {problem.depth for problem in TINY} == {1, 2}
    assert {problem.n_features for problem in TINY} == {1, 2}
    assert {problem.n_classes for problem in TINY} == {2, 3, 4}
    assert {problem.margin_term for problem in TINY} == {"squared", "plain"}
    assert any(len(np.unique(problem.row_weights)) > 3 for problem in TINY)
    assert any(problem.error_costs.max() > 1 for problem in TINY)
    assert any(len(np.unique(problem.X, axis=0)) < problem.n_rows for problem in TINY)


@pytest.mark.parametrize("number", range(len(TINY)))
def test_scip_finds_what_enumeration_finds(number):
    """Enumeration, SCIP and the judge of SCIP's tree name the same cost."""
    problem = TINY[number]
    expected = enumerated(number).cost
    outcome, tree = solve(problem)
    cost = price_margins(problem, tree)
    assert outcome.reason is Reason.OPTIMAL
    assert outcome.objective == pytest.approx(expected, rel=1e-5)
    assert outcome.bound <= outcome.objective * (1 + 1e-9)
    assert cost.total == pytest.approx(expected, rel=1e-5)
    assert cost.is_allowed


@pytest.mark.parametrize("number", range(0, len(TINY), 6))
def test_highs_finds_what_enumeration_finds(number):
    """The outer approximation of HiGHS names the same cost as enumeration."""
    problem = TINY[number]
    _, tree = solve(problem, "highs")
    cost = price_margins(problem, tree)
    assert cost.total == pytest.approx(enumerated(number).cost, rel=1e-5)
    assert cost.is_allowed


@pytest.mark.parametrize("number", range(len(TINY)))
def test_the_judge_agrees_with_the_oracle(number):
    """The oracle's tree costs, by the judge, what the oracle says, and has no ties."""
    problem = TINY[number]
    optimum = enumerated(number)
    cost = price_margins(problem, optimum.tree)
    assert cost.total == pytest.approx(optimum.cost, rel=1e-6)
    assert cost.is_allowed


def test_divisions_of_a_square():
    """Four corners of a square have six divisions by a line: all but the two diagonals."""
    corners = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    found = {frozenset((rows, frozenset(range(4)) - rows)) for rows in linear_divisions(corners)}
    assert len(found) == 6


def test_an_oracle_in_three_dimensions_says_no():
    """More than two features are refused with a message that says what to do."""
    problem = Problem.from_data(np.eye(3), [0, 1, 1], n_classes=2, depth=1, costs=Costs(1, 1, 1))
    with pytest.raises(ValueError, match="one or two features"):
        cheapest_tree(problem)


def test_gurobi_agrees_on_a_toy():
    """Gurobi's free licence is enough for five points, and it finds the same tree."""
    pytest.importorskip("gurobipy")
    problem = Problem.from_data(
        [[0.0], [0.2], [0.6], [0.7], [1.0]],
        [0, 0, 1, 1, 0],
        n_classes=2,
        depth=1,
        costs=Costs(2, 1, 0.1),
    )
    _, tree = solve(problem, "gurobi")
    assert price_margins(problem, tree).total == pytest.approx(
        cheapest_tree(problem).cost, rel=1e-5
    )


def test_the_wine_optimum_is_proved():
    """Wine, 36 rows, depth 2, costs (10, 1, 1): the proved optimum is 8.814."""
    problem = INSTANCES[0].problem()
    assert problem.n_rows == 36
    outcome, tree = solve(problem, seconds=300.0, gap=1e-4)
    cost = price_margins(problem, tree)
    assert outcome.reason is Reason.OPTIMAL
    assert cost.total == pytest.approx(8.814, abs=0.005)
    assert cost.is_allowed
