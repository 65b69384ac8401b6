"""From a tree to values and back."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings

from margintree.core.judges import price_margins
from margintree.core.limits import Limits
from margintree.core.simplify import remove_empty_sides
from margintree.core.tree import ObliqueTree
from margintree.exact.programs import Strengthening, build, decode, encode_tree
from margintree.exact.programs.strengthening import canonical
from margintree.exact.solvers import get
from strategies import problems_with_trees

LITERAL, DEFAULT = Strengthening.none(), Strengthening.default()


def encoded(problem, tree, strengthening):
    program = build(problem, price_margins(problem, tree).total, strengthening)
    return program, encode_tree(problem, program, tree)


def tolerance(program):
    return 1e-9 * max(1.0, float(np.abs(program.matrix.data).max()))


@given(problems_with_trees())
def test_the_literal_program_gives_every_tree_back(pair):
    """decode(encode_tree(t)) is t, whatever t is, once splits with an empty side are idle."""
    problem, tree = pair
    tree = remove_empty_sides(problem, tree)
    assume(price_margins(problem, tree).is_allowed)
    program, values = encoded(problem, tree, LITERAL)
    assert program.violation(values) <= tolerance(program)
    assert decode(problem, program, values) == tree


@given(problems_with_trees())
def test_the_strengthened_program_gives_canonical_trees_back(pair):
    """Canonical trees survive the strengthened program."""
    problem, tree = pair
    assume(price_margins(problem, tree).is_allowed)
    tree = canonical(problem, tree, DEFAULT)
    program, values = encoded(problem, tree, DEFAULT)
    assert program.violation(values) <= tolerance(program)
    assert decode(problem, program, values) == tree


@given(problems_with_trees())
def test_an_encoding_is_feasible_and_tells_the_truth(pair):
    """Values of any tree are feasible and cost what the judge says of the decoded tree."""
    problem, tree = pair
    assume(price_margins(problem, tree).is_allowed)
    for strengthening in (LITERAL, DEFAULT):
        program, values = encoded(problem, tree, strengthening)
        assert program.violation(values) <= tolerance(program)
        cost = price_margins(problem, decode(problem, program, values)).total
        assert program.evaluate(values) == pytest.approx(cost, rel=1e-9, abs=1e-9)
        assert cost <= price_margins(problem, tree).total * (1 + 1e-9) + 1e-9


@given(problems_with_trees())
def test_the_canonical_form_costs_no_more(pair):
    """Flipping, pushing up and pruning never raise the judge's cost."""
    problem, tree = pair
    before = price_margins(problem, tree)
    assume(before.is_allowed)
    after = price_margins(problem, canonical(problem, tree, DEFAULT))
    assert after.total <= before.total * (1 + 1e-9) + 1e-9


@settings(max_examples=25)
@given(problems_with_trees())
def test_a_fixed_tree_costs_no_more_than_the_judge_says(pair):
    """Fixing the integers of a tree and solving gives hyperplanes at least as cheap."""
    problem, tree = pair
    assume(price_margins(problem, tree).is_allowed)
    program, values = encoded(problem, tree, LITERAL)
    whole = program.integrality
    fixed = replace(
        program,
        lower=np.where(whole, np.round(values), program.lower),
        upper=np.where(whole, np.round(values), program.upper),
    )
    outcome = get("scip").solve(fixed, Limits(seconds=20))
    judged = price_margins(problem, tree).total
    assert outcome.objective <= judged + 1e-5 * max(1.0, judged)
    solved = price_margins(problem, decode(problem, program, outcome.values))
    assert solved.total <= judged + 1e-5 * max(1.0, judged)
    assert solved.is_allowed


def test_decode_mirrors_what_an_idle_node_sends_right():
    """A node with all rows on the right becomes idle, and its subtrees change places."""
    from margintree.core.problem import Problem

    problem = Problem.from_data([[0.0], [1.0]], [1, 1], n_classes=2, depth=1)
    program = build(problem, 2.0, LITERAL)
    leaf = ObliqueTree.leaf(1, 1, 2, label=1)
    values = encode_tree(problem, program, leaf)
    values[program.block("z")] = [[1, 0, 1], [1, 0, 1]]
    values[program.block("alpha")] = values[program.block("h")] = 1
    values[program.block("v")], values[program.block("b")] = 0, 1
    values[program.block("q")] = [[1, 0], [0, 1]]
    assert program.violation(values) == 0
    tree = decode(problem, program, values)
    assert tree.n_splits == 0
    assert tree.leaf_classes.tolist() == [1, 0]
