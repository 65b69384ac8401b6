"""Round numbers: whole points, short thresholds, and a cost that hardly rises."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from margintree.core.limits import Clock, Limits
from margintree.core.problem import Costs, Problem
from margintree.core.result import Reason
from margintree.core.rules import used_groups
from margintree.core.tree import ObliqueTree
from margintree.methods import METHODS
from margintree.methods.rounding import with_round_numbers
from margintree.methods.solve import How, solve
from margintree.search.margin.points import _Rounding, rounded
from margintree.testing.instances import INSTANCES

WINE = next(instance for instance in INSTANCES if instance.name == "wineD=2(100,1,1)").problem()


def points_of(tree, node):
    """Return the points of a split, the value of a point, and the threshold in points."""
    sizes = tree.weights[node] / tree.scaling.span * tree.scaling.units
    largest = np.abs(sizes).max()
    for count in range(1, 1001):
        points = sizes / largest * count
        if np.abs(points - np.round(points)).max() < 1e-8:
            value = largest / count
            return np.round(points), value, -tree.in_original_units().intercepts[node] / value
    raise AssertionError("no whole points")


@pytest.mark.parametrize("most", [1, 3, 10])
def test_a_tree_in_points_has_whole_points_and_short_thresholds(most):
    """At most as many as asked for, in the features of the tree, without a common divisor."""
    problem = WINE.with_rules(max_features_per_split=3)
    tree = solve(METHODS["moctsvm"], problem, How(limits=Limits(iterations=60))).tree
    short = rounded(problem, tree, most)
    assert METHODS["moctsvm"].judge(problem, short).is_allowed
    for node in np.flatnonzero(short.splits):
        points, _, threshold = points_of(short, node)
        assert np.abs(points).max() <= most
        assert np.gcd.reduce(points.astype(int)) == 1
        assert threshold == pytest.approx(round(threshold, 6), abs=1e-9)


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.sampled_from([1, 2, 10, 100]))
def test_points_hold_for_random_problems_and_trees(seed, most):
    """Any tree becomes one of whole points that uses no other feature."""
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(4, 30)), int(rng.integers(1, 5))
    X = rng.normal(size=(n, p)) * 10.0 ** rng.integers(-4, 5, p)
    y = rng.integers(0, 3, n)
    problem = Problem.from_data(X, y, n_classes=3, depth=2, costs=Costs(10.0, 1.0, 0.1))
    tree = solve(METHODS["moctsvm"], problem, How(limits=Limits(iterations=5))).tree
    short = rounded(problem, tree, most)
    assert METHODS["moctsvm"].judge(problem, short).is_allowed
    used, before = (used_groups(t.weights, problem.feature_groups) for t in (short, tree))
    assert used.sum() <= before.sum()
    for node in np.flatnonzero(short.splits):
        assert np.abs(points_of(short, node)[0]).max() <= most


def test_more_points_cost_less_and_a_share_is_kept():
    """The fewest points within one per cent of the cost; a thousand come close to no rounding."""
    method = METHODS["moctsvm"]
    result = solve(method, WINE, How(limits=Limits(iterations=60)))
    fine, near = (with_round_numbers(method, WINE, result, share=share) for share in (1e-2, 0.2))
    assert result.objective * (1 - 1e-9) <= fine.objective <= 1.01 * result.objective
    assert fine.cost == method.judge(WINE, fine.tree)
    assert near.objective <= 1.2 * result.objective
    largest = [
        max(np.abs(points_of(one.tree, t)[0]).max() for t in np.flatnonzero(one.tree.splits))
        for one in (fine, near)
    ]
    assert largest[0] > largest[1]


def test_a_sum_that_equals_the_threshold_by_hand_goes_right():
    """Rows exactly on the hyperplane of whole numbers follow "yes", as they read."""
    rng = np.random.default_rng(3)
    X = rng.integers(0, 8, (40, 2)) * 3.0
    y = (2 * X[:, 0] - X[:, 1] >= 7).astype(int)
    problem = Problem.from_data(X, y, n_classes=2, depth=1, costs=Costs(10.0, 1.0, 0.1))
    tree = ObliqueTree.stump([21.0, -10.5], -3.5, leaf_classes=[0, 1], n_classes=2)
    short = rounded(problem, replace(tree, scaling=problem.scaling), 10)
    points, _, threshold = points_of(short, 0)
    a = np.arange(-60, 60) / 2
    b = (points[0] / short.scaling.units[0] * a - round(threshold, 6)) / (
        -points[1] / short.scaling.units[1]
    )
    rows = problem.scaling.apply(np.column_stack([a, b]))
    assert (short.apply(rows) == 3).all()


def test_a_proof_is_not_claimed_for_a_rounded_tree_that_costs_more():
    """The bound stays, and the reason says that nothing is proved of the rounded tree."""
    method = METHODS["moctsvm"]
    problem = Problem.from_data(
        [[0.0, 0.3], [0.31, 0.2], [0.64, 0.9], [1.0, 0.55]], [0, 0, 1, 1], n_classes=2, depth=1
    )
    proved = solve(method, problem, How("exact", limits=Limits(gap=1e-6)))
    short = with_round_numbers(method, problem, proved, points=1)
    assert proved.is_optimal
    assert short.bound == proved.bound <= short.objective
    assert short.is_optimal == (short.gap <= short.gap_limit)
    assert short.ended != "proved optimal" or short.is_optimal


@pytest.mark.parametrize("looks", [0, 1, 2, 10, 40, 200])
def test_a_rounding_that_runs_out_of_time_still_gives_whole_points(looks):
    """Whenever the time ends; what is left is cut off."""
    method, left = METHODS["moctsvm"], [looks]

    def is_over():
        left[0] -= 1
        return left[0] < 0

    result = solve(method, WINE, How(limits=Limits(iterations=20)))
    short = method.rounded(WINE, result.tree, 10, is_over)
    assert left[0] < 0
    assert method.judge(WINE, short).is_allowed
    for node in np.flatnonzero(short.splits):
        assert np.abs(points_of(short, node)[0]).max() <= 10


@pytest.mark.parametrize(("points", "share"), [(10, None), (None, 0.01)])
def test_a_rounding_without_time_is_told_of(points, share):
    """The tree is rounded simply, at no more than the share, and its seconds count."""
    method = METHODS["moctsvm"]
    result = solve(method, WINE, How(limits=Limits(iterations=20)))
    short = with_round_numbers(method, WINE, result, points, share, Clock(0.0))
    assert (short.reason, short.limit) == (Reason.LIMIT, "time")
    assert short.cost == method.judge(WINE, short.tree)
    assert short.tree != result.tree
    assert share is None or short.objective <= (1 + share) * result.objective
    assert short.seconds > result.seconds
    unhurried = with_round_numbers(method, WINE, result, points, share, Clock(1e9))
    assert unhurried.tree == with_round_numbers(method, WINE, result, points, share).tree
    assert (unhurried.reason, unhurried.limit) == (result.reason, result.limit)


@pytest.mark.parametrize("presses", [1, 2])
def test_an_interrupt_of_the_rounding_keeps_the_tree(presses, monkeypatch):
    """Rounded simply, or as it was if Ctrl-C is pressed again."""
    method, left = METHODS["moctsvm"], [presses]
    result = solve(method, WINE, How(limits=Limits(iterations=20)))
    properly = _Rounding._choose_points

    def interrupted(self, node):
        left[0] -= 1
        if left[0] >= 0:
            raise KeyboardInterrupt
        properly(self, node)

    monkeypatch.setattr(_Rounding, "_choose_points", interrupted)
    short = with_round_numbers(method, WINE, result, points=10)
    assert (short.reason, short.limit) == (Reason.INTERRUPTED, None)
    assert (short.tree == result.tree) == (presses == 2)
    assert short.cost == method.judge(WINE, short.tree)
