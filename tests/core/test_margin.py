"""Norms of hyperplanes, their duals, and what judge and bound make of them."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from margintree._lib.exceptions import InvalidInputError
from margintree.core.bound import close_pairs, lower_bound
from margintree.core.judges import price_labels, price_margins
from margintree.core.margin import MARGINS, NORMS
from margintree.core.problem import Problem
from margintree.core.simplify import simplify
from margintree.testing.instances import tiny_problem
from margintree.testing.margin_oracles import cheapest_tree
from strategies import coordinates, problems_with_trees, trees
from working_trees import small_problems

OTHERS = ["l1", "linf"]
vectors = hnp.arrays(float, (3, 4), elements=coordinates)


@given(vectors)
def test_norms_are_those_of_their_names(W):
    """The Euclidean one, the sum and the largest of the absolute entries."""
    assert np.allclose(NORMS["l2"].of(W), np.sqrt((W**2).sum(axis=1)), rtol=1e-9)
    assert np.allclose(NORMS["l1"].of(W), np.abs(W).sum(axis=1))
    assert np.allclose(NORMS["linf"].of(W), np.abs(W).max(axis=1))


@given(vectors, vectors, st.sampled_from([*NORMS]))
def test_a_distance_bounds_how_far_values_are_apart(W, differences, name):
    """|w'd| is at most the norm of w times the dual norm of d, and it is reached."""
    norm = NORMS[name]
    products = np.abs((W * differences).sum(axis=1))
    assert (products <= norm.of(W) * norm.distance(differences) * (1 + 1e-9) + 1e-12).all()
    d = np.array([3.0, -4.0])
    best = {"l2": d / 5, "l1": np.array([0.0, -1.0]), "linf": np.sign(d)}[name]
    assert norm.of(best) == 1.0
    assert best @ d == pytest.approx(norm.distance(d))


@given(problems_with_trees(), st.sampled_from([*NORMS]))
def test_the_judges_price_the_largest_norm(pair, name):
    """The margin term alone depends on the norm, and "l2" is what it was without a choice."""
    problem, tree = pair
    sizes = {
        "l2": np.sqrt((tree.weights**2).sum(axis=1)),
        "l1": np.abs(tree.weights).sum(axis=1),
        "linf": np.abs(tree.weights).max(axis=1),
    }[name]
    margin = MARGINS[problem.margin_term].price(sizes[tree.splits].max(initial=0.0))
    posed = replace(problem, norm=name)
    for judge in (price_margins, price_labels) if problem.n_classes == 2 else (price_margins,):
        cost, euclidean = judge(posed, tree), judge(problem, tree)
        assert cost.margin == pytest.approx(margin, rel=1e-9)
        assert cost.faults == euclidean.faults
        others = [{k: v for k, v in c.terms.items() if k != "margin"} for c in (cost, euclidean)]
        assert others[0] == others[1]


@given(st.data(), st.sampled_from(OTHERS))
def test_no_tree_costs_less_than_the_bound(data, name):
    """Any tree on any small problem, in the other norms."""
    problem = replace(data.draw(small_problems()), norm=name)
    tree = data.draw(trees(problem.n_features, problem.n_classes, problem.depth))
    bound = lower_bound(problem)
    for candidate in (tree, simplify(problem, tree)):
        assert 0 <= bound <= price_margins(problem, candidate).total + 1e-9


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("name", OTHERS)
def test_the_bound_is_at_most_the_optimum(seed, name):
    """Enumeration of all trees never finds one below it, nor with pairs that were known."""
    problem = replace(tiny_problem(np.random.default_rng([7, seed])), norm=name)
    bound = lower_bound(problem)
    assert bound <= cheapest_tree(problem).cost * (1 + 1e-6)
    assert lower_bound(problem, close_pairs(problem)) == bound


def test_a_norm_has_one_of_three_names():
    """The message lists them."""
    problem = Problem.from_data([[0.0], [1.0]], [0, 1], n_classes=2, depth=1)
    assert problem.norm == "l2"
    with pytest.raises(InvalidInputError, match=r"norm must be one of .*'linf'\]; 'l3'"):
        replace(problem, norm="l3")
