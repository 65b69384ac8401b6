"""Sample weights and class weights become row weights."""

import numpy as np
import pytest

from margintree.estimators._given import row_weights

X, CODES, CLASSES = np.zeros((4, 1)), np.array([0, 0, 0, 1]), np.array(["a", "b"])


def test_nothing_given_is_one_each():
    """No weight is a weight of 1."""
    np.testing.assert_array_equal(row_weights(None, None, X, CODES, CLASSES), 1.0)


def test_balanced_classes_weigh_the_same_and_the_total_stays():
    """Also when rows have weights of their own."""
    weights = row_weights([1, 2, 0, 3], "balanced", X, CODES, CLASSES)
    assert weights[:3].sum() == pytest.approx(weights[3])
    assert weights.sum() == pytest.approx(6)


def test_a_class_without_weight_does_not_disturb_the_balance():
    """There is nothing to balance and no division by zero."""
    np.testing.assert_allclose(
        row_weights([1, 1, 1, 0], "balanced", X, CODES, CLASSES), [1, 1, 1, 0]
    )


def test_a_dict_may_leave_classes_out():
    """They weigh 1."""
    weights = row_weights(None, {"b": 5.0}, X, CODES, CLASSES)
    np.testing.assert_array_equal(weights, [1, 1, 1, 5])
