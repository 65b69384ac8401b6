"""What a method is: every registered one answers all questions alike."""

import inspect

import numpy as np
import pytest

from margintree._lib.exceptions import InvalidInputError
from margintree.core.limits import Limits
from margintree.core.method import Method
from margintree.core.problem import Costs, Problem
from margintree.core.rules import Rules
from margintree.methods import CART, METHODS, MOCTSVM, OCT, OCTH, OCTSVM
from margintree.methods.solve import How, solve

ROWS = Problem.from_data(
    np.random.default_rng(0).random((20, 2)), np.arange(20) % 2, n_classes=2, depth=1
)
THREE = Problem.from_data(
    np.random.default_rng(0).random((20, 2)), np.arange(20) % 3, n_classes=3, depth=1
)
COSTS = {"c1": 2.0, "c2": 3.0, "c3": 4.0}


def posed(method, rows=ROWS, **parameters):
    """Return the problem of a method with depth 3 and, where it has them, some costs."""
    costs = {name: cost for name, cost in COSTS.items() if name in method.parameters}
    return method.pose(rows, max_depth=3, **costs | parameters)


every_method = pytest.mark.parametrize("method", METHODS.values(), ids=METHODS.keys())


@every_method
def test_a_method_is_complete(method):
    """It has a name of its own, a label, its ways, terms and candidates that it can pose."""
    assert METHODS[method.name] is method
    assert isinstance(method, Method)
    assert method.label
    assert (method.formulation is not None) == ("exact" in method.ways)
    assert next(iter(method.candidates)) == "max_depth"
    assert {*method.candidates} <= {*method.parameters}
    assert {*method.terms.values()} - {""} <= {"errors", "violations", "splits", "features"}
    first = {name: values[0] for name, values in method.candidates.items()}
    problem = method.pose(ROWS, **first)
    assert problem.depth == first["max_depth"]


@every_method
def test_parameters_are_those_that_pose_a_problem(method):
    """By name and in their order, all to be given by keyword."""
    given = inspect.signature(method.pose).parameters
    assert method.parameters == tuple(name for name in given if name != "problem")
    assert all(given[name].kind is inspect.Parameter.KEYWORD_ONLY for name in method.parameters)
    assert "problem" not in method.parameters


@every_method
def test_posing_keeps_the_rows(method):
    """Depth, costs and rules are new; nothing that the rows had before is left."""
    strict = ROWS.with_rules(0.3, 1, axis_parallel=True, separation=0.7)
    problem = posed(method, strict)
    assert problem.X is ROWS.X
    assert problem.depth == 3
    assert problem.rules == posed(method).rules
    assert problem.costs == posed(method).costs


@every_method
def test_rules_are_parameters_of_every_method(method):
    """The least weight of a leaf and the number of splits, by the same names."""
    rules = posed(method, min_samples_leaf=0.25, max_splits=2).rules
    assert (rules.least_mass, rules.max_splits) == (pytest.approx(5.0), 2)
    assert rules.axis_parallel == (method.name in ("cart", "oct"))
    with pytest.raises(InvalidInputError, match="min_samples_leaf"):
        posed(method, min_samples_leaf=11)


def test_costs_are_what_each_paper_calls_them():
    """c1 is the price of an error in one paper, and of a violation in the other."""
    assert posed(MOCTSVM()).costs == Costs(errors=2.0, violations=3.0, splits=4.0)
    assert posed(OCTSVM()).costs == Costs(violations=2.0, errors=3.0, splits=4.0)
    for method in (CART(), OCT()):
        costs = posed(method, alpha=0.5).costs
        assert costs == Costs(errors=0.1, violations=0.0, splits=0.5)
    of_features = posed(OCTH(), alpha=0.5).costs
    assert of_features == Costs(errors=0.1, violations=0.0, splits=0.0, features=0.5)
    assert posed(OCTH(), alpha=0.5, complexity="splits").costs == costs


def test_margins_are_free_of_rules_unless_asked():
    """Others keep a twentieth of the rows in every leaf."""
    assert posed(MOCTSVM()).rules == posed(OCTSVM()).rules == Rules()
    assert posed(OCTH()).rules.separation == 0.001
    for method in (CART(), OCT(), OCTH()):
        assert posed(method).rules.least_mass == pytest.approx(1.0)


@every_method
def test_bound_and_simple_trees_are_in_terms_of_its_judge(method):
    """No tree of its search costs less than its bound, and it is as simple as it gets."""
    problem = posed(method)
    result = method.search(problem, Limits(iterations=3))
    shared = method.share(problem, Limits())
    assert 0 <= method.bound(problem) <= result.objective
    assert method.bound(problem, shared) == method.bound(problem)
    cost = method.judge(problem, method.simplify(problem, result.tree))
    assert cost.total <= result.objective * (1 + 1e-9)


def test_classes_beyond_the_method_are_refused():
    """The message says who takes them."""
    for method in METHODS.values():
        if method.max_classes is None:
            method.check_classes(1000)
    with pytest.raises(InvalidInputError, match=r"binary.*OCTSVM; 3 classes.*MOCTSVMClassifier"):
        posed(OCTSVM(), THREE)
    assert posed(MOCTSVM(), THREE).n_classes == 3


@every_method
def test_the_first_way_is_the_usual_one(method):
    """An unknown one is refused, and the message says what the first is for."""
    problem = posed(method)
    found = solve(method, problem)
    assert found.tree == solve(method, problem, How(method.ways[0])).tree
    with pytest.raises(InvalidInputError, match=rf"'magic' was given. Use '{method.ways[0]}'"):
        solve(method, problem, How("magic"))
