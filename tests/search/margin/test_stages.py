"""Stages: growing samples, rounds of new subtrees, and the same tree on any number of threads."""

import threading
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from margin_searches import blobs, check, no_split, search
from margintree import MOCTSVMClassifier
from margintree.core.incumbent import Incumbent
from margintree.core.judges import price_margins
from margintree.core.limits import Clock, Limits
from margintree.core.problem import Costs, Problem
from margintree.methods import MOCTSVM
from margintree.search.margin import stages
from margintree.search.margin.kernel_data import make_kernel_data
from margintree.search.margin.stages import MORE, STRUCTURE_ROWS, Stage, search_in_stages, sizes


@pytest.mark.parametrize("n_rows", [1_001, STRUCTURE_ROWS, STRUCTURE_ROWS + 1, 581_012])
def test_samples_grow_to_all_rows(n_rows):
    """By at most a factor, up from a number of rows at which a structure is found."""
    found = sizes(n_rows)
    assert found[-1] == n_rows
    assert found[0] <= STRUCTURE_ROWS
    assert all(a < b <= MORE**1.5 * a for a, b in pairwise(found))


@pytest.mark.parametrize("n_classes", [2, 6])
def test_structure_is_found_on_a_sample_and_refined_on_all_rows(n_classes, monkeypatch):
    """The result is valid on all rows, and does not depend on the number of threads."""
    monkeypatch.setattr(stages, "STRUCTURE_ROWS", 1200)
    problem = blobs(4000, n_classes=n_classes, depth=3)
    result = search(problem, Limits())
    check(problem, result)
    assert result.objective < 0.5 * price_margins(problem, no_split(problem)).total
    assert search(problem, Limits(threads=2)).tree == result.tree


def test_a_tree_in_conflict_with_other_rows_is_mended(monkeypatch):
    """It costs little but cannot be kept: rows that it has not seen are within the margin.

    Time is over when it is found. It gets other intercepts, and no other stage begins.
    """
    monkeypatch.setattr(stages, "STRUCTURE_ROWS", 1200)
    problem, clock, found = blobs(4000), Clock(), []
    monkeypatch.setattr(Limits, "clock", lambda _: clock)
    structured = Stage.structured

    def until_over(stage, trees):
        found.append(structured(stage, trees))
        clock.limit = 0.0
        return found[-1]

    monkeypatch.setattr(Stage, "structured", until_over)
    monkeypatch.setattr(Stage, "refined", lambda _, tree: found.append(tree) or tree)
    result = search(problem, Limits())
    check(problem, result)
    before = price_margins(problem, found[0])
    assert before.faults["ties"] > 0
    assert result.objective <= before.total
    assert len(found) == 1


def test_the_only_tree_is_mended_if_there_is_no_time_to_refine_it(monkeypatch):
    """Without samples, too: here the first row lies on every hyperplane."""
    problem, clock = blobs(2000), Clock()
    tree = search(problem, Limits(iterations=20)).tree
    on_first = tree.intercepts - tree.split_values(problem.X[:1])[0]
    bad = replace(tree, intercepts=np.where(tree.splits, on_first, -1.0))
    incumbent = Incumbent(MOCTSVM(), problem, clock)
    monkeypatch.setattr(Stage, "structured", lambda *_: bad)
    stage = Stage(problem, 0, make_kernel_data, print, clock.is_over, map, print)
    search_in_stages(stage, incumbent, [])
    assert incumbent.tree.n_splits == 0
    clock.limit = 0.0
    search_in_stages(stage, incumbent, [])
    assert incumbent.tree.n_splits > 0
    assert incumbent.objective < price_margins(problem, bad).total


def test_stages_of_samples_hear_of_an_interrupt(monkeypatch):
    """They end when all do, before their own share of the time is over."""
    monkeypatch.setattr(stages, "STRUCTURE_ROWS", 1200)
    problem, seen, stop = blobs(2000), [], threading.Event()

    def remember(stage, _):
        seen.append(stage)
        return no_split(problem)

    monkeypatch.setattr(Stage, "structured", remember)
    monkeypatch.setattr(Stage, "refined", remember)
    incumbent = Incumbent(MOCTSVM(), problem, Clock())
    stage = Stage(problem, 0, make_kernel_data, print, stop.is_set, map, incumbent.offer)
    search_in_stages(stage, incumbent, [])
    assert [one.problem.n_rows for one in seen] == [1200, 2000]
    assert not any(one.is_over() for one in seen)
    stop.set()
    assert all(one.is_over() for one in seen)


def test_rows_without_wide_gaps_still_get_splits():
    """Hyperplanes with the default routing margin find places between thousands of rows."""
    rng = np.random.default_rng(0)
    X = rng.random((6000, 3))
    y = (X.sum(axis=1) + 0.2 * rng.normal(size=6000) > 1.5).astype(int)
    tree = MOCTSVMClassifier(max_depth=2, c1=10.0, c2=0.001, c3=0.1, random_state=0).fit(X, y)
    assert tree.tree_.n_splits > 0
    assert tree.score(X, y) > 0.8


def test_many_classes_each_get_a_leaf():
    """Twenty classes in a tree of depth five, from a sample of few rows of each."""
    rng = np.random.default_rng(0)
    y = np.arange(3000) % 20
    X = rng.random((20, 6))[y] + 0.05 * rng.normal(size=(3000, 6))
    problem = Problem.from_data(X, y, n_classes=20, depth=5, costs=Costs(10.0, 0.001, 0.1))
    result = search(problem, Limits())
    check(problem, result)
    assert (result.tree.predict(problem.X) == problem.y).mean() > 0.95
