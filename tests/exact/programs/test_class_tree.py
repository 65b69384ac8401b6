"""The model of class trees: trees fit into it at their cost, and its optimum is the best."""

import numpy as np
import pytest

from margintree._lib.exceptions import InvalidInputError
from margintree.core.judges import price_classes
from margintree.core.limits import Limits
from margintree.core.result import Reason
from margintree.core.tree import ObliqueTree
from margintree.exact.programs import build_class_tree, decode_class_tree, encode_class_tree
from margintree.exact.solvers import get
from margintree.methods import METHODS
from margintree.methods.solve import How, solve
from margintree.testing.class_oracles import cheapest_class_tree, tiny_class_problem

CLASS_TREE = METHODS["class-tree"]
TINY = [tiny_class_problem(np.random.default_rng([3, seed])) for seed in range(40)]


def solved(problem, solver):
    """Return the program, the outcome from the tree without splits, and its tree."""
    leaf = ObliqueTree.leaf(problem.depth, problem.n_features, problem.n_classes)
    leaf = CLASS_TREE.simplify(problem, leaf)
    program = build_class_tree(problem, price_classes(problem, leaf).total)
    start = encode_class_tree(problem, program, leaf)
    assert program.violation(start) <= 1e-9
    assert program.evaluate(start) == pytest.approx(price_classes(problem, leaf).total)
    outcome = get(solver).solve(program, Limits(seconds=60.0, gap=1e-6), start)
    return program, outcome, decode_class_tree(problem, program, outcome.values)


@pytest.mark.parametrize("number", range(len(TINY)))
def test_scip_finds_what_enumeration_and_search_find(number):
    """All four name the same cost, and the tree of the search fits into the model."""
    problem = TINY[number]
    best, found = cheapest_class_tree(problem), CLASS_TREE.search(problem, Limits())
    program, outcome, tree = solved(problem, "scip")
    assert outcome.reason is Reason.OPTIMAL
    assert outcome.objective == pytest.approx(best, rel=1e-5)
    assert price_classes(problem, tree).total == pytest.approx(best, rel=1e-5)
    assert found.objective == pytest.approx(best, rel=1e-6)
    values = encode_class_tree(problem, program, found.tree)
    assert program.violation(values) <= 1e-6
    assert program.evaluate(values) == pytest.approx(found.objective, rel=1e-9)
    assert decode_class_tree(problem, program, values).predict(problem.X).tolist() == (
        found.tree.predict(problem.X).tolist()
    )


@pytest.mark.parametrize("number", [1, 4])
def test_highs_finds_what_enumeration_finds(number):
    """The outer approximation of HiGHS leads to the same cost."""
    _, _, tree = solved(TINY[number], "highs")
    best = cheapest_class_tree(TINY[number])
    assert price_classes(TINY[number], tree).total == pytest.approx(best, rel=1e-5)


def test_the_exact_way_starts_from_a_proof():
    """The search proves its tree, so no solver is needed."""
    result = solve(CLASS_TREE, TINY[0], How("exact"))
    assert result.is_optimal
    assert result.cost == CLASS_TREE.judge(TINY[0], result.tree)


def test_a_rule_that_the_model_does_not_know_is_refused():
    """The message says what to do."""
    problem = TINY[0].with_rules(min_samples_leaf=0.2)
    with pytest.raises(InvalidInputError, match=r"min_samples_leaf must be 0.*Leave it out"):
        build_class_tree(problem, 1.0)
