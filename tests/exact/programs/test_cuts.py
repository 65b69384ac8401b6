"""Cuts: canonical trees satisfy them, and what they are made of agrees with plain loops."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from margintree.core.judges import price_margins
from margintree.core.problem import Costs, Problem
from margintree.core.tree import ObliqueTree
from margintree.exact.programs import Strengthening, build, encode_tree
from margintree.exact.programs.cuts import PAIRS_PER_ROW, close_pairs, far_clusters
from margintree.exact.programs.strengthening import canonical
from strategies import problems, problems_with_trees

CUTS = ("sibling_classes", "flip_symmetry", "no_idle_parent", "useful_leaves", "pair_margins")
DEFAULT = Strengthening.default()


@given(problems(), st.data())
def test_close_pairs_are_the_closest_of_other_classes(problem, data):
    """Each row among those asked for has its nearest such rows of other classes, once."""
    among = np.array(data.draw(st.lists(st.booleans(), min_size=8, max_size=8)))[: problem.n_rows]
    assume(among.any())
    first, second = close_pairs(problem, among)
    pairs = {*zip(first.tolist(), second.tolist(), strict=True)}
    assert len(pairs) == len(first)
    assert all(i < j for i, j in pairs)
    assert among[first].all()
    assert among[second].all()
    assert (problem.y[first] != problem.y[second]).all()
    for i in np.flatnonzero(among):
        others = np.flatnonzero(among & (problem.y != problem.y[i]))
        distances = np.linalg.norm(problem.X[others] - problem.X[i], axis=1)
        reach = np.sort(distances)[:PAIRS_PER_ROW][-1] if len(others) else 0.0
        for j in others[distances < reach * (1 - 1e-9)]:
            assert (min(i, j), max(i, j)) in pairs


@given(problems())
def test_the_two_clusters_are_apart_and_of_one_class_each(problem):
    """The second holds the row that is farthest from the centre of the first."""
    first, second = far_clusters(problem)
    assert first.any()
    assert not (first & second).any()
    for cluster in (first, second):
        assert len({*problem.y[cluster].tolist()}) <= 1


@given(problems_with_trees())
def test_a_tree_in_the_demanded_form_satisfies_every_cut(drawn):
    """All cuts at once, for any tree that the judge allows."""
    problem, tree = drawn
    cost = price_margins(problem, tree)
    assume(cost.is_allowed)
    program = build(problem, cost.total, DEFAULT)
    violations = program.violations(encode_tree(problem, program, tree))
    largest = max(1.0, float(np.abs(program.matrix.data).max()))
    assert {name: violations[name] for name in CUTS} == pytest.approx(
        dict.fromkeys(CUTS, 0.0), abs=1e-9 * largest
    )


LADDER = Problem.from_data(
    [[0.0], [0.1], [0.5], [0.6], [0.9], [1.0]],
    [0, 0, 1, 1, 2, 2],
    n_classes=3,
    depth=2,
    costs=Costs(100.0, 1.0, 1.0),
)

STEPS = ObliqueTree(
    weights=[[5.0], [0.0], [6.0]],
    intercepts=[-1.5, -1.0, -4.5],
    splits=[True, False, True],
    leaf_classes=[0, 0, 1, 2],
    leaf_mass=np.zeros((4, 3)),
    scaling=LADDER.scaling,
)
"""The root parts class 0 from the others, and its right child these."""


@pytest.mark.parametrize(
    ("names", "changes"),
    [
        # The order of the classes above two leaves is strict.
        (["sibling_classes", "flip_symmetry"], {("q", (1, 3)): 1.0, ("q", (2, 3)): 0.0}),
        (["no_idle_parent"], {("d", (0,)): 0.0}),
        (["flip_symmetry"], {("v", (0,)): 0.0}),
        (["useful_leaves"], {("L", (2, 2)): 1.0, ("L", (3, 2)): 1.0}),
    ],
)
def test_each_cut_cuts_off_its_own_kind_of_tree(names, changes):
    """A change of the values that only these cuts forbid."""
    program = build(LADDER, price_margins(LADDER, STEPS).total, DEFAULT)
    tree = canonical(LADDER, STEPS, DEFAULT)
    np.testing.assert_array_equal(tree.splits, STEPS.splits)
    values = encode_tree(LADDER, program, tree)
    assert program.violation(values) < 1e-6
    for (block, place), value in changes.items():
        values[program.block(block)[place]] = value
    found = program.violations(values)
    assert [cut for cut in CUTS if found[cut] > 1e-6] == names
