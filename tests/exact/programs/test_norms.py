"""The models in the l1 and l-infinity norms: enumeration, SCIP, HiGHS and the judge agree."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from margintree.core.limits import Limits
from margintree.core.margin import NORMS
from margintree.core.tree import ObliqueTree
from margintree.exact.programs.norms import norm_cones, norm_rows, norm_shapes
from margintree.exact.solvers import get
from margintree.methods import METHODS
from margintree.testing.instances import tiny_problem
from margintree.testing.margin_oracles import cheapest_label_tree, cheapest_tree, tiny_label_problem
from strategies import problems_with_trees

MAKERS = {"moctsvm": tiny_problem, "octsvm": tiny_label_problem}
CASES = [("moctsvm", norm, number) for norm in ("l1", "linf") for number in range(20)]
CASES += [("octsvm", norm, number) for norm in ("l1", "linf") for number in range(8)]


@cache
def problem_of(method, norm, number):
    """Return a tiny problem in a norm; half of them have the plain margin term."""
    problem = MAKERS[method](np.random.default_rng([31, number]))
    return replace(problem, norm=norm, margin_term=("squared", "plain")[number % 2])


@cache
def enumerated(method, norm, number):
    """Return the cost of the cheapest tree, found once for both solvers."""
    problem = problem_of(method, norm, number)
    return cheapest_tree(problem).cost if method == "moctsvm" else cheapest_label_tree(problem)


@pytest.mark.parametrize("solver", ["scip", "highs"])
@pytest.mark.parametrize(("method", "norm", "number"), CASES)
def test_solvers_find_what_enumeration_finds(method, norm, number, solver):
    """The judge prices the solver's tree alike, and the tree fits back into the model."""
    problem, model = problem_of(method, norm, number), METHODS[method]
    leaf = ObliqueTree.leaf(problem.depth, problem.n_features, problem.n_classes)
    leaf = model.simplify(problem, leaf)
    program = model.formulation.build(problem, model.judge(problem, leaf).total)
    start = model.formulation.encode(problem, program, leaf)
    outcome = get(solver).solve(program, Limits(seconds=60.0, gap=1e-6), start)
    tree = model.formulation.decode(problem, program, outcome.values)
    cost = model.judge(problem, tree)
    assert cost.is_allowed
    assert cost.total == pytest.approx(enumerated(method, norm, number), rel=1e-5, abs=1e-8)
    assert program.violation(model.formulation.encode(problem, program, tree)) <= 1e-5


@given(problems_with_trees(), st.sampled_from([*NORMS]), st.sampled_from(["moctsvm", "octsvm"]))
def test_every_tree_fits_into_the_model_at_its_cost(pair, norm, name):
    """All rows, also those of pairs and big-Ms, hold for any tree without faults."""
    problem, tree = pair
    problem, method = replace(problem, norm=norm), METHODS[name]
    if name == "octsvm" and problem.n_classes != 2:
        return
    cost = method.judge(problem, method.simplify(problem, tree))
    if not cost.is_allowed:
        return
    tree = method.simplify(problem, tree)
    program = method.formulation.build(problem, cost.total)
    values = method.formulation.encode(problem, program, tree)
    assert program.evaluate(values) <= cost.total * (1 + 1e-9) + 1e-9
    assert program.violation(values) <= 1e-6 * max(1.0, float(np.abs(values).max()))


@given(problems_with_trees())
def test_the_euclidean_model_has_cones_only(pair):
    """Nothing of the other norms enters it."""
    problem, _ = pair
    method = METHODS["moctsvm"]
    program = method.formulation.build(problem, 10.0)
    assert not norm_shapes(problem, 1)
    assert not norm_rows(problem, program.blocks)
    assert [len(cone.vector) for cone in norm_cones(problem, program.blocks)] == [
        problem.n_features
    ] * (2**problem.depth - 1)


def test_the_plain_term_of_another_norm_is_linear():
    """Half a norm that is linear needs no cone."""
    problem = replace(problem_of("moctsvm", "l1", 0), margin_term="plain")
    assert not METHODS["moctsvm"].formulation.build(problem, 10.0).cones
