"""The problem: checked once, and the same however its rows are given."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from margintree._lib.exceptions import InvalidInputError
from margintree.core.problem import MAX_DEPTH, Costs, Problem, can_name_all_classes
from strategies import problems, raw_data, settings

X, Y = [[0.0], [1.0], [4.0]], [0, 0, 1]


def assert_same(one, other):
    for name in ("X", "y", "row_weights"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert one.scaling == other.scaling


@given(raw_data(), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(data, random):
    """Shuffled rows make the same problem, also with weights whose sums are rounded."""
    X, y, weights, n_classes = data
    weights = weights / 10
    order = random.sample(range(len(X)), len(X))
    one = Problem.from_data(X, y, row_weights=weights, n_classes=n_classes, depth=1)
    other = Problem.from_data(
        X[order], y[order], row_weights=weights[order], n_classes=n_classes, depth=1
    )
    assert_same(one, other)


@given(raw_data())
def test_a_weight_is_the_same_as_copies(data):
    """A row of weight 3 is the row given three times."""
    X, y, weights, n_classes = data
    copies = np.repeat(np.arange(len(X)), weights.astype(int))
    one = Problem.from_data(X, y, row_weights=weights, n_classes=n_classes, depth=1)
    other = Problem.from_data(X[copies], y[copies], n_classes=n_classes, depth=1)
    assert_same(one, other)


@given(raw_data(), st.data())
def test_a_row_of_weight_zero_is_a_row_left_out(data, choices):
    """It does not even take part in the scaling."""
    X, y, weights, n_classes = data
    kept = choices.draw(st.sets(st.sampled_from(range(len(X))), min_size=1).map(sorted))
    lighter = np.zeros(len(X))
    lighter[kept] = weights[kept]
    one = Problem.from_data(X, y, row_weights=lighter, n_classes=n_classes, depth=1)
    other = Problem.from_data(
        X[kept], y[kept], row_weights=weights[kept], n_classes=n_classes, depth=1
    )
    assert_same(one, other)


@given(problems())
def test_rows_lie_in_the_unit_box_and_weights_add_up(problem):
    """Scaling and merging keep what they must keep."""
    assert problem.X.min() >= 0
    assert problem.X.max() <= 1
    assert problem.class_mass().sum() == problem.row_weights.sum()
    own = problem.error_prices[np.arange(problem.n_rows), problem.y]
    np.testing.assert_array_equal(own, 0.0)


@given(st.data())
def test_the_margin_term_and_its_inverse_agree(data):
    """norm_at_price undoes margin_price for both norms."""
    problem = Problem.from_data(X, Y, **data.draw(settings(2)))
    norm = data.draw(st.floats(0, 1e3))
    assert problem.norm_at_price(problem.margin_price(norm)) == pytest.approx(norm)


def test_arrays_are_frozen():
    """Nobody can change a problem by accident."""
    problem = Problem.from_data(X, Y, n_classes=2, depth=1)
    with pytest.raises(ValueError, match="read-only"):
        problem.X[0, 0] = 5.0


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"depth": 0}, "depth"),
        ({"depth": MAX_DEPTH + 1}, "depth"),
        ({"routing_margin": 0.0}, "routing_margin"),
        ({"routing_margin": 1.0}, "routing_margin"),
        ({"margin_term": "cubic"}, "margin_term"),
        ({"n_classes": 1}, "Class codes"),
        ({"error_costs": [[0, 1]]}, "square matrix"),
        ({"error_costs": [[1, 1], [1, 1]]}, "diagonal"),
        ({"error_costs": [[0, -1], [1, 0]]}, "at least 0"),
        ({"row_weights": [1, 1]}, "shapes"),
        ({"row_weights": [1, 1, -1]}, "-1.0 was given"),
        ({"row_weights": [1, np.inf, 0]}, "inf was given"),
        ({"row_weights": [1, 1, np.nan]}, "finite"),
        ({"row_weights": [0, 0, 0]}, "positive weight"),
        ({"X": [[0.0], [np.inf], [1.0]]}, "finite numbers"),
        ({"X": [[-1e308], [1e308], [0.0]]}, "Feature 0 spans"),
        ({"X": [0.0, 1.0, 2.0]}, "shapes"),
    ],
)
def test_what_makes_no_sense_is_refused(changes, named):
    """The message names what is wrong."""
    arguments = {"X": X, "y": Y, "n_classes": 2, "depth": 1} | changes
    with pytest.raises(InvalidInputError, match=named):
        Problem.from_data(**arguments)


@pytest.mark.parametrize("costs", [(-1, 1, 1), (1, np.nan, 1), (1, 1, np.inf)])
def test_costs_are_finite_and_not_negative(costs):
    """A negative, missing or infinite cost is refused."""
    with pytest.raises(InvalidInputError, match=r"c[123]"):
        Costs(*costs)


def test_a_tree_names_at_most_as_many_classes_as_it_has_leaves():
    """Two levels name four classes and no fifth."""
    assert can_name_all_classes(4, 2)
    assert not can_name_all_classes(5, 2)
