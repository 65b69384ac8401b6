"""Stages: growing samples, rounds of new subtrees, and the same tree on any number of threads."""

from itertools import pairwise

import numpy as np
import pytest

from margin_searches import blobs, check, no_split, search
from margintree import MOCTSVMClassifier
from margintree.core.judges import price_margins
from margintree.core.limits import Limits
from margintree.core.problem import Costs, Problem
from margintree.search.margin import stages
from margintree.search.margin.stages import MORE, STRUCTURE_ROWS, sizes


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
