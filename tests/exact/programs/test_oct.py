"""The model of OCT: trees fit into it at their cost, and come back."""

import numpy as np
import pytest

from margintree.core.judges import price_errors
from margintree.exact.programs import build_oct, decode_oct, encode_oct
from margintree.search.axis.cart import grow
from margintree.testing.error_oracles import tiny_axis_problem


@pytest.mark.parametrize("seed", range(25))
def test_a_tree_is_feasible_at_its_cost_and_comes_back(seed):
    """The values of a tree break no row, cost what the judge says, and decode to the tree."""
    problem = tiny_axis_problem(np.random.default_rng([3, seed]), max_depth=3)
    tree = grow(problem)
    program = build_oct(problem)
    values = encode_oct(problem, program, tree)
    assert program.violation(values) <= 1e-9
    assert program.evaluate(values) == pytest.approx(price_errors(problem, tree).total)
    assert decode_oct(problem, program, values) == tree


@pytest.mark.parametrize("seed", range(25))
def test_a_tree_that_breaks_a_rule_is_infeasible(seed):
    """Light leaves break the rows 'mass', splits too many 'size'."""
    problem = tiny_axis_problem(np.random.default_rng([3, seed]), max_depth=3)
    tree = grow(problem.with_rules(axis_parallel=True))
    for name, fault, rules in (
        ("mass", "light_leaves", {"min_samples_leaf": 0.4}),
        ("size", "extra_splits", {"max_splits": 1}),
    ):
        strict = problem.with_rules(axis_parallel=True, **rules)
        program = build_oct(strict)
        broken = program.violations(encode_oct(strict, program, tree))
        assert (broken[name] > 1e-9) == (price_errors(strict, tree).faults[fault] > 0)


def test_an_empty_side_is_left_out():
    """A solver may split where no row goes left; the tree that comes back does not."""
    problem = tiny_axis_problem(np.random.default_rng(1))
    program = build_oct(problem)
    values = np.zeros(program.n_variables)
    values[program.block("d")[0]] = values[program.block("a")[0, 0]] = 1.0
    for threshold in (0.0, 1.0 + 1e-6):
        values[program.block("b")[0]] = threshold
        splits = decode_oct(problem, program, values).n_splits
        assert splits == (threshold > 0)
