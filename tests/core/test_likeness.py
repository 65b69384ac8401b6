"""The likeness of rows to landmarks: scikit-learn's kernels, and their square root."""

import json

import numpy as np
import pytest
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel

from margintree._lib.exceptions import InvalidInputError
from margintree.core.likeness import Likeness, median_gamma

ROWS = np.random.default_rng(0).random((30, 3))
OTHERS = np.random.default_rng(1).random((12, 3))


@pytest.mark.parametrize("degree", [0, 1, 2, 3])
def test_it_is_scikit_learns_kernel(degree):
    """Radial for degree 0, otherwise polynomial around the middle of the box."""
    found = Likeness(ROWS, 0.7, degree).of(OTHERS)
    if degree:
        expected = polynomial_kernel(OTHERS - 0.5, ROWS - 0.5, degree, gamma=0.7, coef0=1.0)
    else:
        expected = rbf_kernel(OTHERS, ROWS, gamma=0.7)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("degree", [0, 3])
def test_the_square_root_has_the_kernel_as_inner_product(degree):
    """Among the landmarks exactly; with fewer features if landmarks are dependent."""
    alike = Likeness(np.vstack([ROWS, ROWS[:5]]), 0.7, degree)
    root = alike.square_root()
    features = alike.of(alike.landmarks) @ root.T
    kernel = alike.of(alike.landmarks)
    np.testing.assert_allclose(features @ features.T, kernel, atol=1e-7 * kernel.max())
    assert len(root) <= 30


def test_gamma_is_one_over_the_median_squared_distance():
    """Of different rows, in a twin that loops; equal rows alone give 1."""
    squares = [((a - b) ** 2).sum() for i, a in enumerate(ROWS) for b in ROWS[:i]]
    assert median_gamma(ROWS) == pytest.approx(1 / np.median(squares))
    assert median_gamma(np.ones((4, 2))) == 1.0


def test_it_is_plain_data():
    """JSON gives it back to the last bit."""
    alike = Likeness(ROWS, 0.7, 3)
    again = Likeness.from_dict(json.loads(json.dumps(alike.to_dict())), 3)
    np.testing.assert_array_equal(again.landmarks, ROWS)
    assert (again.gamma, again.degree) == (0.7, 3)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("landmarks", [[1.0]], "rows of 3 finite numbers"),
        ("landmarks", [], "rows of 3 finite numbers"),
        ("landmarks", [[1.0, 2.0, float("inf")]], "rows of 3 finite numbers"),
        ("gamma", -1.0, "gamma must be a positive number"),
        ("gamma", True, "gamma must be a positive number"),
        ("degree", 4, r"0\.\.3"),
        ("degree", 1.0, r"0\.\.3"),
    ],
)
def test_odd_entries_are_refused(name, value, message):
    """Each with what is allowed."""
    with pytest.raises(InvalidInputError, match=message):
        Likeness.from_dict(Likeness(ROWS, 0.7).to_dict() | {name: value}, 3)
