"""The search for class trees: the proved best one for a few classes, a good one for more."""

from functools import cache
from itertools import count

import numpy as np
import pytest

from margintree.core.limits import Clock, Limits
from margintree.core.problem import Problem
from margintree.core.result import Reason
from margintree.methods import METHODS
from margintree.search.classes import engine
from margintree.testing.class_oracles import cheapest_class_tree, tiny_class_problem

CLASS_TREE = METHODS["class-tree"]
TINY = [tiny_class_problem(np.random.default_rng([3, seed])) for seed in range(40)]


@cache
def clouds(n_classes, n_rows=120, seed=0, spread=2):
    """Return rows in overlapping clouds, one per class."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_rows) % n_classes
    X = rng.normal(0, 0.4, (n_rows, 3)) + rng.random((n_classes, 3))[y] * spread
    return Problem.from_data(X, y, n_classes=n_classes, depth=1)


def search(problem, **limits):
    return CLASS_TREE.search(problem, Limits(**limits))


def test_the_instances_are_varied():
    """The agreement below covers what a class tree can be asked for."""
    assert {problem.depth for problem in TINY} == {1, 2}
    assert {problem.n_classes for problem in TINY} == {2, 3, 4}
    assert {problem.rules.max_splits for problem in TINY} == {None, 1, 2}
    assert any(len(np.unique(problem.row_weights)) > 3 for problem in TINY)
    assert any((problem.class_mass() == 0).any() for problem in TINY)


@pytest.mark.parametrize("number", range(len(TINY)))
def test_the_search_finds_and_proves_what_enumeration_finds(number):
    """The dynamic program, its bound and the judge of its tree name the same cost."""
    problem = TINY[number]
    result = search(problem)
    assert result.objective == pytest.approx(cheapest_class_tree(problem), rel=1e-6)
    assert result.bound == pytest.approx(result.objective, rel=1e-8)
    assert result.objective == pytest.approx(CLASS_TREE.judge(problem, result.tree).total)
    assert result.cost.is_allowed
    assert result.is_optimal


@pytest.mark.parametrize("seed", range(3))
def test_five_classes_are_proved_at_any_depth(seed):
    """Depth 3 allows fewer hierarchies than depth 4, and costs no less."""
    rows = clouds(5, 60, seed)
    costs = []
    for depth in (3, 4, 10):
        problem = CLASS_TREE.pose(rows, max_depth=depth, C=3.0)
        result = search(problem)
        assert result.is_optimal
        assert result.tree.depth <= min(depth, 4)
        assert result.objective == pytest.approx(cheapest_class_tree(problem), rel=1e-6)
        costs.append(result.objective)
    assert costs[0] >= costs[1] == costs[2]


@pytest.mark.parametrize("C", [0.3, 30.0])
@pytest.mark.parametrize("depth", [3, 10])
def test_windows_find_what_the_whole_program_proves(monkeypatch, C, depth):
    """Six classes as if they were many: four blocks at a time; the bound stays below."""
    problem = CLASS_TREE.pose(clouds(6), max_depth=depth, C=C)
    proved = search(problem)
    monkeypatch.setattr(engine, "MAX_BLOCKS", 5)
    monkeypatch.setattr(engine, "WINDOW", 4)
    found = search(problem)
    assert proved.is_optimal
    assert found.bound <= proved.objective * (1 + 1e-9)
    assert proved.objective <= found.objective * (1 + 1e-9) <= 1.05 * proved.objective
    again = CLASS_TREE.search(problem, Limits(), (proved.tree,))
    assert again.objective == pytest.approx(proved.objective)


@pytest.mark.parametrize("max_splits", [None, 9])
def test_more_than_ten_classes_get_a_tree_and_a_bound(max_splits):
    """Every class has its leaf unless the splits run out; nothing is claimed to be optimal."""
    problem = CLASS_TREE.pose(clouds(12, spread=9), max_depth=10, C=100.0, max_splits=max_splits)
    result = search(problem)
    named = {*result.tree.leaf_classes[result.tree.open_leaves - len(result.tree.leaf_classes)]}
    assert len(named) == result.tree.n_splits + 1 == (12 if max_splits is None else 10)
    assert 0 < result.bound < result.objective
    assert not result.is_optimal
    assert result.reason is Reason.FINISHED
    assert result.objective == pytest.approx(CLASS_TREE.judge(problem, result.tree).total)


def test_light_leaves_are_refused():
    """The rule is kept, and its price is not claimed to be least."""
    rows = clouds(4)
    free = search(CLASS_TREE.pose(rows, max_depth=3, C=1.0))
    problem = CLASS_TREE.pose(rows, max_depth=3, C=1.0, min_samples_leaf=0.3)
    held = search(problem)
    assert not CLASS_TREE.judge(problem, free.tree).is_allowed
    assert held.cost.is_allowed
    assert free.objective < held.objective
    assert free.bound <= held.bound * (1 + 1e-9) <= held.objective


@pytest.mark.parametrize("n_classes", [6, 12])
@pytest.mark.parametrize("seconds", [0, 20, 60])
def test_a_limit_of_time_gives_the_best_tree_so_far(monkeypatch, n_classes, seconds):
    """Also if it strikes between two hyperplanes; then the gap is honest."""
    problem = CLASS_TREE.pose(clouds(n_classes), max_depth=10, C=10.0)
    whole = search(problem)
    ticks = count()
    monkeypatch.setattr(Limits, "clock", lambda _: Clock(seconds, now=lambda: next(ticks), start=0))
    result = search(problem, seconds=seconds)
    assert result.reason is Reason.LIMIT
    assert result.limit == "time"
    assert result.bound <= whole.objective <= result.objective * (1 + 1e-9)


def test_an_interrupt_gives_the_best_tree_so_far():
    """A callback that stops at the second tree keeps it."""
    problem = CLASS_TREE.pose(clouds(5), max_depth=10, C=10.0)
    seen = []

    def stop(point):
        seen.append(point)
        if len(seen) == 3:
            raise KeyboardInterrupt

    result = CLASS_TREE.search(problem, Limits(), progress=stop)
    assert result.reason is Reason.INTERRUPTED
    assert result.objective == seen[-1].objective


def test_many_features_are_as_good_as_their_span():
    """More features than rows: the hyperplanes are those of the rows in the space they span."""
    wide = np.random.default_rng(1).normal(size=(12, 40))
    problem = Problem.from_data(wide, np.arange(12) % 3, n_classes=3, depth=2)
    problem = CLASS_TREE.pose(problem, max_depth=2, C=0.1)
    result = search(problem)
    assert result.is_optimal
    assert result.objective == pytest.approx(cheapest_class_tree(problem), rel=1e-6)
