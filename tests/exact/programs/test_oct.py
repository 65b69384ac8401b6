"""The model of OCT: trees fit into it at their cost, and come back."""

import numpy as np
import pytest

from margintree.core.judges import price_errors
from margintree.core.rules import Shape
from margintree.exact.programs import build_oct, decode_oct, encode_oct
from margintree.search.axis.cart import grow
from margintree.testing.error_oracles import tiny_axis_problem


@pytest.mark.parametrize("seed", range(25))
def test_a_tree_is_feasible_at_its_cost_and_comes_back(seed):
    """The values of a tree break no row, cost what the judge says, and decode to the tree."""
    problem, shape = tiny_axis_problem(np.random.default_rng([3, seed]), max_depth=3)
    tree = grow(problem, shape)
    program = build_oct(problem, shape)
    values = encode_oct(problem, program, tree)
    assert program.violation(values) <= 1e-9
    assert program.evaluate(values) == pytest.approx(price_errors(problem, shape, tree).total)
    assert decode_oct(problem, program, values) == tree


@pytest.mark.parametrize("seed", range(25))
def test_a_tree_that_breaks_the_shape_is_infeasible(seed):
    """Light leaves break the rows 'mass', splits too many 'size'."""
    problem, _ = tiny_axis_problem(np.random.default_rng([3, seed]), max_depth=3)
    tree = grow(problem, Shape.of(problem))
    for name, shape in (
        ("mass", Shape.of(problem, min_samples_leaf=0.4)),
        ("size", Shape.of(problem, max_splits=1)),
    ):
        program = build_oct(problem, shape)
        broken = program.violations(encode_oct(problem, program, tree))
        assert (broken[name] > 1e-9) == (shape.faults(problem, tree) > 0)


def test_an_empty_side_is_left_out():
    """A solver may split where no row goes left; the tree that comes back does not."""
    problem, shape = tiny_axis_problem(np.random.default_rng(1))
    program = build_oct(problem, shape)
    values = np.zeros(program.n_variables)
    values[program.block("d")[0]] = values[program.block("a")[0, 0]] = 1.0
    for threshold in (0.0, 1.0 + 1e-6):
        values[program.block("b")[0]] = threshold
        splits = decode_oct(problem, program, values).n_splits
        assert splits == (threshold > 0)
