"""The constraint families, one by one: each forbids its own kind of lie about a tree."""

from dataclasses import replace

import numpy as np
import pytest

from margintree.core import topology
from margintree.core.judges import price_margins
from margintree.core.problem import Costs, Problem
from margintree.core.simplify import remove_empty_sides
from margintree.core.tree import ObliqueTree
from margintree.exact.programs import Strengthening, build, encode_tree
from margintree.exact.programs.constraints import opened_by

LITERAL = Strengthening.none()
BY_ROW = Strengthening.of(("rowwise_c6", "rowwise_c8", "rowwise_r"))
PROJECTED = Strengthening.of(("project_variables", "rowwise_c6"))
BOTH_FORMS = pytest.mark.parametrize("form", [LITERAL, BY_ROW, PROJECTED])
N_CASES = 25


def case(seed):
    """Return a problem with three classes and a random tree that divides its rows well."""
    rng = np.random.default_rng([11, seed])
    X, y = rng.random((9, 2)).round(2), rng.permutation(np.resize(range(3), 9))
    weights = rng.uniform(0.5, 2, 9)
    problem = Problem.from_data(
        X, y, n_classes=3, depth=2, costs=Costs(3.0, 1.0, 0.5), row_weights=weights
    )
    W = rng.standard_normal((3, 2)) * rng.choice([1.0, 4.0])
    b = np.array([0.01 - np.median(problem.X @ w) for w in W])
    splits = rng.random(3) < [1, 0.8, 0.8]
    tree = ObliqueTree(
        np.where(splits[:, None], W, 0.0),
        np.where(splits, b, -1.0),
        splits,
        rng.integers(0, 3, 4),
        np.zeros((4, 3)),
        problem.scaling,
    )
    tree = remove_empty_sides(problem, tree)
    return problem, tree if price_margins(problem, tree).is_allowed else None


CASES = [(problem, tree) for problem, tree in map(case, range(N_CASES)) if tree is not None]


class Told:
    """A program with the values of a tree, and the places where the tree is really at work."""

    def __init__(self, problem, tree, form):
        self.problem, self.tree = problem, tree
        self.program = build(problem, price_margins(problem, tree).total, form)
        self.values = encode_tree(problem, self.program, tree)
        visits = tree.decision_path(problem.X).toarray() > 0
        self.in_branch = visits[:, : len(tree.splits)]
        self.goes_right = visits[:, 2::2]
        self.least = 1e-9 * max(1.0, float(np.abs(self.program.matrix.data).max()))

    def caught(self, **lies):
        """Return the families that are violated if variables have these values instead.

        A lie gives the place of a variable in its block, and its value.
        """
        lied = self.values.copy()
        for name, (place, value) in lies.items():
            lied[self.program.block(name)[place]] = value
        found = self.program.violations(lied)
        return {name for name in self.program.families if found[name] > self.least}


def places(mask):
    """Return all places of a mask."""
    return [tuple(place) for place in np.argwhere(mask).tolist()]


def tellers(form):
    """Return the told trees of all cases; none of them is caught before it lies."""
    told = [Told(problem, tree, form) for problem, tree in CASES]
    assert all(not one.caught() for one in told)
    return told


@BOTH_FORMS
def test_a_margin_violation_cannot_be_hidden(form):
    """C2: a row inside the margin of its node needs its e, on the right or on the left side."""
    caught = []
    for told in tellers(form):
        values = np.nan_to_num(told.tree.split_values(told.problem.X), nan=9.0)
        for place in places(told.in_branch & (np.abs(values) < 0.9)):
            expected = "c2a" if told.goes_right[place] else "c2b"
            assert told.caught(e=(place, 0.0)) == {expected}
            caught.append(expected)
    assert {*caught} == {"c2a", "c2b"}


@BOTH_FORMS
def test_a_row_cannot_leave_the_tree(form):
    """C3: it is in one leaf, and in no second one."""
    for told in tellers(form):
        z = told.values[told.program.block("z")]
        for row, leaf in np.ndindex(*z[:, 3:].shape):
            place = row, leaf + 3
            assert "c3" in told.caught(z=(place, 1.0 - z[place]))


def test_alpha_and_h_follow_the_way_of_a_row():
    """C5 and C6: neither may claim the other side, where the row is in the node."""
    for told in tellers(LITERAL):
        for place in places(told.in_branch & told.goes_right):
            assert "c6a" in told.caught(h=(place, 0.0))
            assert "c5a" in told.caught(h=(place, 0.0), alpha=(place, 0.0))
        for place in places(told.in_branch & ~told.goes_right):
            assert "c6b" in told.caught(h=(place, 1.0))
            assert "c5b" in told.caught(h=(place, 1.0), alpha=(place, 1.0))
        for place in places(~told.in_branch):
            assert "c6b" in told.caught(alpha=(place, 1.0))


@BOTH_FORMS
def test_a_node_that_divides_rows_splits(form):
    """C6c and C6d: rows on the left need v, and rows on the right then need d, which is paid."""
    for told in tellers(form):
        for (node,) in places(told.tree.splits):
            assert "c6c" in told.caught(v=(node, 0.0))
            assert "c6d" in told.caught(d=(node, 0.0))


@BOTH_FORMS
def test_errors_cannot_be_hidden(form):
    """C7 and C8: a leaf has one class, and what its rows cost under this class is counted."""
    n_hidden = 0
    for told in tellers(form):
        for place in places(told.values[told.program.block("L")] > 0):
            assert told.caught(L=(place, 0.0)) == {"c8"}
            column = slice(None), place[-1]
            assert told.caught(q=(column, 0.0)) >= {"c7"}
            assert told.caught(q=(column, 1.0)) >= {"c7"}
            n_hidden += 1
    assert n_hidden > len(CASES)


@BOTH_FORMS
def test_no_row_may_be_closer_to_a_split_than_the_routing_margin(form):
    """R: e stays below 1 - eps; by row, it is also 0 where the row is not or nothing splits."""
    for told in tellers(form):
        most = 1.0 - told.problem.routing_margin
        for place in places(told.in_branch & told.tree.splits):
            assert "r" in told.caught(e=(place, most + 1e-4))
            assert "r" not in told.caught(e=(place, most - 1e-4))
        for place in places(~(told.in_branch & told.tree.splits)):
            assert ("r" in told.caught(e=(place, 0.5))) == (form is BY_ROW)


def test_the_rules_are_families_of_their_own():
    """A tree that keeps a rule is feasible; one that breaks it violates exactly that family."""
    for problem, tree in CASES:
        leaves = tree.apply(problem.X)
        lightest = min(problem.row_weights[leaves == leaf].sum() for leaf in {*leaves.tolist()})
        for least in (0.999 * lightest, 1.001 * lightest):
            for most in (tree.n_splits, tree.n_splits - 1):
                rules = replace(problem.rules, least_mass=least, max_splits=most)
                told = Told(replace(problem, rules=rules), tree, LITERAL)
                expected = {"leaf_mass"} if least > lightest else set()
                expected |= {"size"} if most < tree.n_splits else set()
                assert told.caught() == expected


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_leaf_opens_exactly_with_its_last_turn_to_the_right(depth):
    """Over all trees whose idle nodes send rows left and have idle nodes below them."""
    n_branch = topology.n_branch_nodes(depth)
    for bits in range(2**n_branch):
        splits = np.array([bits >> k & 1 for k in range(n_branch)], dtype=bool)
        if any(splits[t - 1] and not splits[t // 2 - 1] for t in range(2, n_branch + 1)):
            continue
        leaf = ObliqueTree.leaf(depth, 1, 2)
        tree = replace(leaf, splits=splits, weights=np.where(splits, 1.0, 0.0)[:, None])
        for t in topology.leaves(depth):
            opener = opened_by(t)
            assert (t in tree.open_leaves) == (opener == 0 or splits[opener - 1])
