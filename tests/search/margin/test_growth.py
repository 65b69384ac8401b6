"""Growth: trees from the top down, by margins between groups of rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from margin_searches import blobs
from margintree.core.problem import Problem
from margintree.search.margin.growth import divide, grow, purest_split, random_sides
from margintree.search.margin.kernel_data import (
    NO_GRAM,
    make_kernel_data,
    new_working_tree,
    to_tree,
)


def grown(problem, seed=0):
    """Return the tree that grows for all rows."""
    data = make_kernel_data(problem, NO_GRAM)
    working = new_working_tree(data, 8.0)
    rng = np.random.default_rng(seed)
    grow(problem, data, working, 1, np.arange(problem.n_rows), rng)
    return to_tree(problem, working)


def far_apart(n_classes, n_rows=600, seed=0):
    """Return rows of classes around the corners of a cube, which planes separate."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_rows) % n_classes
    corners = (y[:, None] >> np.arange(5)) & 1
    X = corners + 0.2 * rng.random((n_rows, 5))
    return Problem.from_data(X, y, n_classes=n_classes, depth=5)


@pytest.mark.parametrize("n_classes", [2, 5, 26])
def test_classes_far_apart_get_leaves_of_their_own(n_classes):
    """However many there are, nearly no row is wrong."""
    problem = far_apart(n_classes)
    tree = grown(problem)
    assert (tree.predict(problem.X) == problem.y).mean() > 0.97


def test_two_classes_in_many_places_are_divided_by_clusters():
    """A chessboard of four fields needs a first split that separates no classes."""
    rng = np.random.default_rng(0)
    X = np.floor(2 * rng.random((800, 2))) + 0.7 * rng.random((800, 2))
    y = X.astype(int).sum(axis=1) % 2
    problem = Problem.from_data(X, y, n_classes=2, depth=3)
    best = max((grown(problem, seed).predict(problem.X) == problem.y).mean() for seed in range(5))
    assert best > 0.97


@pytest.mark.parametrize("most", [0, 2])
def test_growth_ends_with_the_time(most):
    """Every split looks at the clock first; without any time there is none."""
    problem, looks = far_apart(5), iter(range(100))
    data = make_kernel_data(problem, NO_GRAM)
    working, rng = new_working_tree(data, 8.0), np.random.default_rng(0)
    everything = np.arange(problem.n_rows)
    grow(problem, data, working, 1, everything, rng, lambda: next(looks) >= most)
    assert to_tree(problem, working).n_splits == most


def test_pure_rows_do_not_split():
    """Where nothing is wrong there is nothing to gain."""
    problem = Problem.from_data(
        np.random.default_rng(0).random((50, 2)), [1] * 50, n_classes=2, depth=2
    )
    assert grown(problem).n_splits == 0
    assert (grown(problem).predict(problem.X) == 1).all()


def test_equal_rows_do_not_split():
    """No direction separates them."""
    problem = Problem.from_data(np.ones((40, 2)), np.arange(40) % 3, n_classes=3, depth=2)
    assert grown(problem).n_splits == 0


def test_rows_whose_errors_are_free_have_no_part():
    """A class that may be predicted as any other does not decide a split."""
    problem = Problem.from_data(
        np.random.default_rng(0).random((60, 2)),
        np.arange(60) % 2,
        n_classes=2,
        depth=2,
        error_costs=np.array([[0.0, 0.0], [1.0, 0.0]]),
    )
    split = purest_split(problem, np.flatnonzero(problem.y == 0), np.random.default_rng(0))
    assert split is None
    assert grown(problem).n_splits == 0


@settings(max_examples=20)
@given(st.integers(0, 99))
def test_sides_divide_the_groups(seed):
    """There is a group on either side, and later classes are rather on the right."""
    rng = np.random.default_rng(seed)
    problem = blobs(300)
    sides = random_sides(problem, problem.y, rng)
    assert set(sides) == {-1.0, 1.0}
    two = Problem.from_data(problem.X, problem.y > 0, n_classes=2, depth=1)
    assert list(random_sides(two, two.y, rng)) == [-1.0, 1.0]


@settings(max_examples=20)
@given(st.integers(0, 99))
def test_a_division_is_never_less_pure_than_none(seed):
    """Its impurity is that of its own split, and at most that of all rows together."""
    rng = np.random.default_rng(seed)
    problem = blobs(300)
    split, impurity = divide(problem, problem.y, random_sides(problem, problem.y, rng))
    masses = np.bincount(problem.y)
    whole = -(masses * np.log(masses / masses.sum())).sum()
    assert impurity <= whole + 1e-9
    is_right = problem.X @ split[0] + split[1] >= 0
    assert 0 < is_right.sum() < problem.n_rows
