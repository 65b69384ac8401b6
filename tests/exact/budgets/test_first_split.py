"""A first split with fixed sides: its bounds, and the trees that it offers."""

import numpy as np
import pytest

from margintree.core.problem import Costs, Problem
from margintree.exact.budgets.divisions import Divisions, PricedRows, members_of
from margintree.exact.budgets.first_split import FirstSplit, Side, Work
from margintree.exact.budgets.turning_lines import Planes
from margintree.methods import METHODS

MOCTSVM = METHODS["moctsvm"]


def first_splits(seed, depth):
    """Return the first splits of a random problem, its work, and the trees that they offer."""
    rng = np.random.default_rng([16, seed])
    posed = Problem.from_data(
        rng.random((9, 2)).round(2),
        rng.integers(0, 3, 9),
        n_classes=3,
        depth=depth,
        costs=Costs(5.0, 1.0, 0.5),
    ).with_rules(max_features_per_split=2)
    planes, rows = Planes.of(posed), PricedRows.of(posed)
    work = Work(posed, planes, rows, Divisions.room(5_000, posed.n_rows))
    listed = work.divisions(np.ones(posed.n_rows, bool), np.inf)
    if depth == 2:
        listed = listed._replace(paid=np.full(len(listed.paid), 0.5))
    offered = []
    for k in range(0, len(listed.paid), 6):
        sides = sides_of(posed, listed.sets[k]) if depth == 2 else []
        one = listed.only(slice(k, k + 1))
        yield posed, FirstSplit(work, one, sides, offered.append), members_of(one.sets[0], 9)


def sides_of(problem, words):
    """Return the two sides of a first split, with floors that are certainly right."""
    right = members_of(words, problem.n_rows)
    return [
        Side(node, members, float(problem.error_prices[members].sum(axis=0).min()), 0.0)
        for node, members in ((2, ~right), (3, right))
    ]


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("seed", range(4))
def test_no_offered_tree_costs_less_than_the_bound_at_its_norm(seed, depth):
    """The tree is priced by the judge, and divides the rows at the root as it should."""
    seen = 0
    for problem, split, right in first_splits(seed, depth):
        split.begin(0.0, 12.0)
        for interval in split.open:
            bound, trees = split.look_at(interval, cutoff=1e3)
            for tree in trees:
                norm = np.linalg.norm(tree.weights, axis=1).max()
                simple = MOCTSVM.simplify(problem, tree)
                cost = MOCTSVM.judge(problem, simple)
                is_same = simple.n_splits == tree.n_splits and cost.is_allowed
                if is_same and interval.low <= norm <= interval.high * (1 + 1e-9):
                    assert cost.total >= bound * (1 - 1e-9)
                    goes_right = tree.split_values(problem.X)[:, 0] >= 0
                    assert (goes_right == right).all()
                    seen += 1
    assert seen > 0


@pytest.mark.parametrize("seed", range(4))
def test_the_bound_of_half_an_interval_is_no_lower(seed):
    """So halving always makes progress, up to the tolerance of the duals."""
    for _, split, _ in first_splits(seed, 2):
        split.begin(0.0, 8.0)
        whole = split.open[1]
        middle = (whole.low + whole.high) / 2
        least = min(
            split.look_at(whole._replace(low=low, high=high), 1e3)[0]
            for low, high in ((whole.low, middle), (middle, whole.high))
        )
        assert least >= split.look_at(whole, 1e3)[0] - 1e-2


def test_norms_begin_where_two_rows_can_be_on_different_sides():
    """Intervals cover all norms from there to the highest, without a gap."""
    _, split, _ = next(first_splits(0, 1))
    split.begin(3.0, 10.0)
    assert split.open[0].low == pytest.approx(2e-3 / np.sqrt(2))
    assert split.open[-1].high == pytest.approx(10.0)
    assert [part.high for part in split.open[:-1]] == [part.low for part in split.open[1:]]
    assert {part.bound for part in split.open} == {3.0}


def test_a_side_whose_leaf_is_cheap_does_not_split():
    """What a leaf costs is the most that a side can cost, so nothing is listed."""
    problem, split, _ = next(first_splits(1, 2))
    side = split.sides[0]
    side.floor = side.leaf
    assert side.envelope(split.work, 1.0, 2.0, 100.0, 1e-3) == (side.leaf, side.leaf, None)
    assert side.divisions is None
    assert problem.n_rows == len(side.members)
