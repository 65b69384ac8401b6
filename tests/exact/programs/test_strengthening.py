"""Strengthening leaves the optimum where it is; the paper's heuristics may not."""

from dataclasses import fields, replace

import numpy as np
import pytest

from margintree.core.judges import price_margins
from margintree.core.limits import Limits
from margintree.core.problem import Costs, Problem
from margintree.core.simplify import simplify
from margintree.core.tree import ObliqueTree
from margintree.exact.programs import Strengthening, build, decode, encode_tree
from margintree.exact.solvers import get
from margintree.testing.instances import tiny_problems
from margintree.testing.margin_oracles import cheapest_tree

HEURISTICS = ("every_class_owns_leaf", "cluster_fixing")
VALID = [field.name for field in fields(Strengthening) if field.name not in HEURISTICS]
NEEDS = {"label_used_leaves": {"flip_symmetry", "no_idle_parent"}, "pair_margins": {"rowwise_c8"}}
PROBLEMS = [problem for problem in tiny_problems(12, seed=11) if problem.n_rows <= 8][:6]


def optimum(problem, strengthening):
    leaf = simplify(problem, ObliqueTree.leaf(problem.depth, problem.n_features, problem.n_classes))
    program = build(problem, price_margins(problem, leaf).total, strengthening)
    start = encode_tree(problem, program, leaf)
    outcome = get("scip").solve(program, Limits(seconds=60, gap=1e-6), start)
    if outcome.values is None:
        return np.inf
    cost = price_margins(problem, decode(problem, program, outcome.values))
    assert cost.is_allowed
    return cost.total


def without(name):
    """Return the default without one part and without what needs it."""
    off = {name} | {other for other, needs in NEEDS.items() if name in needs}
    return Strengthening.of(Strengthening.default().names - off)


def only(name):
    """Return one part alone, with what it needs."""
    return Strengthening.of({name} | NEEDS.get(name, set()))


@pytest.mark.parametrize("name", VALID)
@pytest.mark.parametrize("variant", [only, without])
def test_no_valid_part_changes_the_optimum(name, variant):
    """Each part, alone and taken out of the default, keeps the optimum of the oracle."""
    for problem in PROBLEMS:
        expected = cheapest_tree(problem).cost
        assert optimum(problem, variant(name)) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("strengthening", [Strengthening.none(), Strengthening.default()])
def test_all_or_nothing_keeps_the_optimum(strengthening):
    """So do all parts together and none."""
    for problem in PROBLEMS:
        expected = cheapest_tree(problem).cost
        assert optimum(problem, strengthening) == pytest.approx(expected, rel=1e-5)


def test_a_leaf_for_every_class_can_be_too_dear():
    """Four classes on two leaves: every class owning a leaf leaves nothing feasible."""
    X = [[0.0], [0.3], [0.6], [1.0]]
    problem = Problem.from_data(X, [0, 1, 2, 3], n_classes=4, depth=1, costs=Costs(10, 1, 1))
    owns = replace(Strengthening.default(), every_class_owns_leaf=True)
    assert np.isfinite(optimum(problem, Strengthening.default()))
    assert optimum(problem, owns) == np.inf


def test_fixing_clusters_can_be_too_dear():
    """Far clusters of one class need no split, but fixing demands one."""
    X = [[0.0], [0.01], [0.02], [0.98], [0.99], [1.0]]
    problem = Problem.from_data(X, [0, 0, 0, 0, 0, 0], n_classes=2, depth=1, costs=Costs(1, 1, 1))
    fixing = replace(Strengthening.none(), cluster_fixing=True)
    assert optimum(problem, Strengthening.none()) == 0.0
    assert optimum(problem, fixing) > 1.0


@pytest.mark.parametrize(
    "names", [{"label_used_leaves"}, {"pair_margins"}, {"cluster_fixing", "flip_symmetry"}]
)
def test_parts_that_do_not_fit_together_are_refused(names):
    """A part without what it needs, or two that contradict each other, are an error."""
    with pytest.raises(ValueError, match="Switch"):
        Strengthening.of(names)
