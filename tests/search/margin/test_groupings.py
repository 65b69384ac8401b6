"""Groupings: every row has a group, and groups respect the classes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from margin_searches import PROBLEMS
from margintree.core.problem import Problem
from margintree.search.margin.groupings import (
    MAX_GROUPS,
    N_GROUPINGS,
    by_class,
    by_cluster,
    make_groupings,
    nearest,
)
from strategies import problems

sizes, seeds = st.integers(2, MAX_GROUPS), st.integers(0, 5)


def has_no_gap(groups):
    """Tell whether groups are numbered 0, 1, 2 and so on."""
    return np.array_equal(np.unique(groups), np.arange(groups.max() + 1))


def refines(fine, coarse):
    """Tell whether no group of one grouping has rows of two groups of the other."""
    return len({*zip(fine, coarse, strict=True)}) == len({*fine})


@given(problems(), sizes, seeds)
def test_clusters_divide_classes_or_join_them(problem, size, seed):
    """With fewer classes than groups no cluster mixes classes; with more, none divides a class."""
    groups = by_cluster(problem, size, np.random.default_rng(seed))
    assert len(groups) == problem.n_rows
    assert has_no_gap(groups)
    assert groups.max() < size
    classes = by_class(problem)
    few_classes = classes.max() + 1 < size
    assert refines(groups, classes) if few_classes else refines(classes, groups)


@given(problems(), seeds)
def test_a_seed_decides_all_groupings(problem, seed):
    """As many of every size, and the classes themselves where there are few."""
    groupings = make_groupings(problem, seed)
    again = make_groupings(problem, seed)
    assert all(np.array_equal(*pair) for pair in zip(groupings, again, strict=True))
    n_by_class = N_GROUPINGS // 2 if problem.n_classes <= MAX_GROUPS else 0
    assert len(groupings) == N_GROUPINGS + n_by_class
    for groups in groupings[N_GROUPINGS:]:
        np.testing.assert_array_equal(groups, by_class(problem))


def test_another_seed_gives_other_clusters():
    """Otherwise a search with another seed would explore the same starts."""
    problem = PROBLEMS["wineD=2(10,1,1)"]
    first, second = (make_groupings(problem, seed)[:N_GROUPINGS] for seed in (0, 1))
    assert any(not np.array_equal(*pair) for pair in zip(first, second, strict=True))


@given(problems(), seeds)
def test_the_nearest_centre_is_the_nearest(problem, seed):
    """Compared with all distances; equally close centres are as good."""
    rng = np.random.default_rng(seed)
    centres = rng.random((4, problem.n_features))
    chosen = nearest(problem.X, centres)
    distances = np.linalg.norm(problem.X[:, None] - centres, axis=2)
    picked = distances[np.arange(len(chosen)), chosen]
    assert picked == pytest.approx(distances.min(axis=1), abs=1e-7)


def test_clouds_become_clusters():
    """Rows of one far cloud stay together, though their class has two of them."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.random((6, 2)) * 0.01 + corner for corner in ([0, 0], [1, 0], [0, 1])])
    problem = Problem.from_data(X, np.repeat([0, 0, 1], 6), n_classes=2, depth=2)
    clouds = (2 * problem.X[:, 1].round() + problem.X[:, 0].round()).astype(int)
    together = 0
    for seed in range(20):
        groups = by_cluster(problem, 3, np.random.default_rng(seed))
        together += refines(groups, clouds) and refines(clouds, groups)
    # One class is drawn for the extra cluster: the heavier one twice as often as the other.
    assert together >= 8
