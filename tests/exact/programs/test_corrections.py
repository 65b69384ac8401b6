"""The nine places where the printed model is wrong: it gives a wrong answer, ours the right one."""

from dataclasses import replace

import numpy as np
import pytest

import printed_variants as printed
from margintree.core.judges import price_margins
from margintree.core.tree import ObliqueTree
from margintree.exact.programs import Strengthening, build, encode_tree
from margintree.exact.solvers import get
from margintree.testing.margin_oracles import cheapest_tree
from printed_variants import EXACT, LINE, PLANE, SEVEN, judged, literal, optimum, problem_of


def assert_ours_is_right(problem):
    """Literal and strengthened model both find the oracle's optimum, with a tree that keeps it."""
    expected = pytest.approx(cheapest_tree(problem).cost, rel=1e-5)
    for program in (literal(problem), build(problem, 1.01 * cheapest_tree(problem).cost)):
        assert optimum(program) == expected
        cost = judged(problem, program)
        assert cost.total == expected
        assert cost.is_allowed


@pytest.mark.parametrize("norm", ["squared", "plain"])
def test_1_both_norms_are_offered(norm):
    """The squared norm of the text and the plain norm of the assembled model differ; both work."""
    problem = problem_of(PLANE, (10, 1, 0.5), margin_term=norm)
    other = replace(problem, margin_term="plain" if norm == "squared" else "squared")
    assert cheapest_tree(problem).cost != pytest.approx(cheapest_tree(other).cost, rel=1e-2)
    assert_ours_is_right(problem)


def test_2_c2_needs_a_big_m():
    """With coefficient 1, rows outside a node are charged and the optimum rises."""
    problem = problem_of(SEVEN, (10, 1, 0.1), depth=2)
    true_cost = cheapest_tree(problem).cost
    wrong = printed.c2_without_big_m(literal(problem))
    assert optimum(wrong) > 1.4 * true_cost
    assert judged(problem, wrong).total > 1.4 * true_cost
    assert_ours_is_right(problem)


@pytest.mark.parametrize(
    ("wrong", "costs"),
    [
        (printed.without_routing_margin, (20, 0.3, 0.1)),
        (printed.with_e_up_to_one, (20, 0.1, 0.1)),
    ],
)
@pytest.mark.parametrize("data", [LINE, PLANE])
def test_3_side_and_sign_must_agree(data, wrong, costs):
    """Without the routing margin the model claims no error for a tree that predicts badly."""
    problem = problem_of(data, costs)
    program = wrong(literal(problem))
    assert optimum(program) < 0.1 * cheapest_tree(problem).cost
    assert judged(problem, program).total > 2 * cheapest_tree(problem).cost
    assert_ours_is_right(problem)


def test_4_c5_holds_at_the_leaves():
    """Without it rows choose their leaf and nothing is ever wrong."""
    problem = problem_of(PLANE, (10, 1, 0.5))
    assert optimum(printed.c5_at_branch_nodes_only(literal(problem))) == pytest.approx(0, abs=1e-6)
    assert_ours_is_right(problem)


def test_4_positive_goes_right():
    """The constraints stand against the figure: rows with f >= 0 go right."""
    problem = problem_of(([[0.0], [1.0]], [0, 1]), (10, 1, 0.5))
    program = literal(problem)
    values = get("scip").solve(program, EXACT).values
    positive = values[program.block("w")][0, 0] * problem.X[:, 0] + values[program.block("b")] > 0
    assert (values[program.block("z")][:, 2].round().astype(bool) == positive).all()


def test_5_c6b_must_make_h_a_product():
    """As printed, h may be 1 on the left side, and a split is never charged."""
    problem = problem_of(PLANE, (10, 1, 5))
    true_cost = cheapest_tree(problem).cost
    assert optimum(printed.c6b_as_printed(literal(problem))) < true_cost - 4.9
    assert_ours_is_right(problem)


def test_6_c8_is_reduced_class_by_class():
    """With n - max n_k the tree that finds the one row of a class is cut off."""
    problem = problem_of((PLANE[0], [0, 0, 0, 0, 0, 1]), (10, 1, 0.1))
    true_cost = cheapest_tree(problem).cost
    wrong = printed.c8_with_reduced_constant(literal(problem), problem)
    assert optimum(wrong) > 3 * true_cost
    assert_ours_is_right(problem)


def test_7_companions_part_below_other_nodes():
    """z_is + z_js <= z_it + z_jt is wrong unless s is below t."""
    problem = problem_of(PLANE, (10, 1, 0.1))
    wrong = printed.with_companions(literal(problem), problem)
    assert optimum(wrong) > 1.5 * cheapest_tree(problem).cost
    assert_ours_is_right(problem)


def test_7_not_every_class_owns_a_leaf():
    """A class with one row amid another is cheaper without a leaf of its own."""
    X = [[0.0], [1.0], [4.0], [5.0], [6.0], [9.0], [10.0], [4.5]]
    problem = problem_of((X, [0, 0, 1, 1, 1, 2, 2, 3]), (10, 1, 1), depth=2)
    true_cost = cheapest_tree(problem).cost
    owns = replace(Strengthening.default(), every_class_owns_leaf=True)
    assert optimum(build(problem, 100.0, owns)) > 1.2 * true_cost
    assert_ours_is_right(problem)


def test_8_fixing_clusters_is_a_heuristic():
    """Sending far clusters to the outer leaves cuts off the tree without a split."""
    problem = problem_of(([[0.0], [0.1], [9.9], [10.0]], [0, 0, 0, 1]), (1, 1, 1))
    fixing = replace(Strengthening.none(), cluster_fixing=True)
    assert optimum(build(problem, 10.0, fixing)) > 1.5 * cheapest_tree(problem).cost
    assert_ours_is_right(problem)


def test_8_flips_are_free():
    """A flipped tree costs the same, and encoding it gives the same values."""
    problem = problem_of(([[0.0], [1.0]], [0, 1]), (10, 1, 0.5))
    tree = ObliqueTree.stump([2.0], -1.0, leaf_classes=[0, 1], n_classes=2)
    flipped = ObliqueTree.stump([-2.0], 1.0, leaf_classes=[1, 0], n_classes=2)
    assert price_margins(problem, tree) == price_margins(problem, flipped)
    program = build(problem, 3.0)
    assert np.array_equal(*(encode_tree(problem, program, t) for t in (tree, flipped)))


def test_9_only_branch_nodes_are_summed():
    """Violations and splits exist at the branch nodes, errors at the leaves."""
    problem = problem_of(PLANE, (10, 1, 0.5), depth=2)
    program = literal(problem)
    assert program.block("e").shape == (6, 3)
    assert program.block("d").shape == (3,)
    assert program.block("L").shape == (4,)
