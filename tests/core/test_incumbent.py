"""The best tree so far: what is kept, what is told, and why it ended."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from margintree.core.incumbent import ROUNDING, Incumbent
from margintree.core.limits import Clock, Limits
from margintree.core.problem import Costs, Problem
from margintree.core.result import Reason
from margintree.core.simplify import with_leaf_mass
from margintree.core.tree import ObliqueTree
from margintree.methods import CART, MOCTSVM, OCTH
from strategies import problems, trees

PROBLEM = Problem.from_data(
    [[0.0], [0.2], [0.8], [1.0]], [0, 0, 1, 1], n_classes=2, depth=2, costs=Costs(10.0, 1.0, 0.5)
)
LEAF = ObliqueTree.leaf(2, 1, 2)
STUMP = ObliqueTree.stump([4.0], -2.0, leaf_classes=[0, 1], n_classes=2).deepened(2)
STEEP = ObliqueTree.stump([5.0], -2.5, leaf_classes=[0, 1], n_classes=2).deepened(2)


def fresh(problem=PROBLEM, progress=None, method=None, clock=None):
    return Incumbent(method or MOCTSVM(), problem, clock or Clock(), progress)


def test_it_begins_with_the_best_tree_without_splits():
    """Nobody is told before the search begins."""
    seen = []
    incumbent = fresh(progress=seen.append)
    assert incumbent.tree.n_splits == 0
    assert incumbent.objective == incumbent.cost.total == 20.0
    assert (incumbent.bound, incumbent.gap, incumbent.iterations) == (0.0, 1.0, 0)
    assert seen == incumbent.trace == []


@given(problems(), st.data())
def test_it_keeps_the_cheapest_allowed_tree_that_it_is_offered(problem, data):
    """Among any trees for any problem, in their simplest form, the one without splits included."""
    method = data.draw(st.sampled_from([MOCTSVM(), OCTH()]))
    problem = problem.with_rules(max_splits=data.draw(st.integers(0, 3)))
    some = trees(problem.n_features, problem.n_classes, problem.depth, problem.scaling)
    offered = data.draw(st.lists(some, max_size=4))
    incumbent = fresh(problem, method=method)
    leaf = ObliqueTree.leaf(problem.depth, problem.n_features, problem.n_classes)
    simple = [method.simplify(problem, tree) for tree in (leaf, *offered)]
    costs = [method.judge(problem, tree) for tree in simple]
    assert [incumbent.offer(tree) for tree in offered] == simple[1:]
    assert incumbent.objective == min(cost.total for cost in costs if cost.is_allowed)
    assert incumbent.cost == method.judge(problem, incumbent.tree)
    assert incumbent.tree in simple


def test_of_trees_that_cost_the_same_the_first_is_kept():
    """Another one is no news."""
    incumbent = fresh()
    incumbent.offer(STUMP)
    flipped = ObliqueTree.stump([-4.0], 2.0, leaf_classes=[1, 0], n_classes=2).deepened(2)
    incumbent.offer(flipped)
    assert incumbent.tree == STUMP
    assert len(incumbent.trace) == 1


@pytest.mark.parametrize(
    "problem", [PROBLEM.with_rules(max_splits=0), PROBLEM.with_rules(separation=0.9)]
)
def test_a_tree_that_breaks_a_rule_is_not_kept(problem):
    """However cheap it is."""
    incumbent = fresh(problem)
    assert incumbent.offer(STUMP) == STUMP
    assert incumbent.tree.n_splits == 0
    assert incumbent.trace == []


def test_a_tree_with_ties_is_not_kept():
    """A row on a hyperplane could be sent to either side."""
    tied = ObliqueTree.stump([2.5], -2.0, leaf_classes=[0, 1], n_classes=2).deepened(2)
    incumbent = fresh()
    assert MOCTSVM().judge(PROBLEM, tied).total < incumbent.objective
    incumbent.offer(tied)
    assert incumbent.tree.n_splits == 0


def test_starts_are_told_of_after_the_first_tree():
    """The first point of a trace is the tree without splits; starts come back simplified."""
    seen = []
    incumbent = fresh(progress=seen.append)
    useless = ObliqueTree.stump([1.0], 5.0, leaf_classes=[0, 0], n_classes=2).deepened(2)
    simplest = incumbent.offer_all([useless, STEEP, STUMP, STEEP])
    assert [tree.n_splits for tree in simplest] == [0, 1, 1, 1]
    costs = [MOCTSVM().judge(PROBLEM, tree).total for tree in (LEAF, STEEP, STUMP)]
    assert [point.objective for point in seen] == [20.0, *costs[1:]]
    assert tuple(seen) == tuple(incumbent.trace)


def test_what_is_taken_is_taken_as_it_is():
    """A greedy method returns its tree even if it is dearer and could be simpler."""
    seen = []
    incumbent = fresh(method=CART(), progress=seen.append)
    pointless = ObliqueTree.stump([4.0], -0.4, leaf_classes=[0, 0], n_classes=2).deepened(2)
    incumbent.offer(STUMP)
    incumbent.take(pointless)
    assert incumbent.tree == pointless
    assert incumbent.objective == CART().judge(PROBLEM, pointless).total == 20.5
    assert [point.objective for point in seen] == [0.5, 20.5]


def test_a_bound_only_rises():
    """A worse bound is no news, a better one is told of."""
    seen = []
    incumbent = fresh(progress=seen.append)
    for bound in (3.0, 2.0, 3.0, 7.5, -np.inf):
        incumbent.raise_bound(bound)
    assert [point.bound for point in seen] == [3.0, 7.5]
    assert incumbent.bound == 7.5
    assert incumbent.gap == pytest.approx(0.625)


@pytest.mark.parametrize("factor", [1 - ROUNDING / 2, 1.0, 1 + ROUNDING, 2.0])
def test_no_bound_is_above_the_cost_of_a_known_tree(factor):
    """One that is as close as rounding goes closes the gap."""
    incumbent = fresh()
    incumbent.raise_bound(20.0 * factor)
    assert incumbent.bound == incumbent.objective
    assert incumbent.gap == 0.0


def test_a_callback_that_interrupts_loses_no_tree():
    """The better tree is kept before anybody is told of it."""

    def stop(_):
        raise KeyboardInterrupt

    incumbent = fresh(progress=stop)
    with pytest.raises(KeyboardInterrupt):
        incumbent.offer(STUMP)
    assert incumbent.tree == STUMP
    assert len(incumbent.trace) == 1


@pytest.mark.parametrize(
    ("bound", "clock", "iterations", "expected"),
    [
        (20.0, Clock(0.0), 5, (Reason.OPTIMAL, None)),
        (20.0 * (1 - 5e-5), Clock(), None, (Reason.OPTIMAL, None)),
        (19.0, Clock(0.0), 5, (Reason.LIMIT, "time")),
        (19.0, Clock(memory=1e-3), None, (Reason.LIMIT, "memory")),
        (19.0, Clock(), 5, (Reason.LIMIT, "iterations")),
        (19.0, Clock(), None, (Reason.FINISHED, None)),
    ],
)
def test_why_the_work_ended(bound, clock, iterations, expected):
    """A proof counts before any limit, and time and memory before iterations."""
    incumbent = fresh(clock=clock)
    incumbent.raise_bound(bound)
    assert incumbent.why_stopped(Limits(iterations=iterations)) == expected


def test_a_result_says_all_that_is_known():
    """The tree knows its rows, the cost is the judge's, and the clock is read."""
    times = iter([100.0, 100.5, 101.0, 102.5])  # an offer asks for the time that is left, too
    incumbent = fresh(clock=Clock(now=lambda: next(times)))
    incumbent.offer(STUMP)
    incumbent.bound, incumbent.iterations = 1e9, 7
    result = incumbent.result(Reason.FINISHED, None, 1e-3, "search", "1.2")
    assert result.tree == with_leaf_mass(PROBLEM, STUMP)
    assert result.tree.leaf_mass.sum() == 4.0
    assert result.cost == MOCTSVM().judge(PROBLEM, STUMP)
    assert result.bound == result.objective  # and not above it
    assert (result.reason, result.limit, result.gap_limit) == (Reason.FINISHED, None, 1e-3)
    assert (result.solver, result.version, result.iterations) == ("search", "1.2", 7)
    assert (result.seconds, result.trace[0].seconds) == (2.5, 1.0)
