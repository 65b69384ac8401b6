"""Sample weights and class weights become row weights."""

import numpy as np
import pytest

from margintree.estimators._given import class_factors, row_weights

X, CODES, CLASSES = np.zeros((4, 1)), np.array([0, 0, 0, 1]), np.array(["a", "b"])


def weights_of(sample_weight, class_weight):
    """Return the product of both kinds of weights."""
    weights = row_weights(sample_weight, X)
    return weights * class_factors(class_weight, CODES, weights, CLASSES)[CODES]


def test_nothing_given_is_one_each():
    """No weight is a weight of 1."""
    np.testing.assert_array_equal(weights_of(None, None), 1.0)


def test_balanced_classes_weigh_the_same_and_the_total_stays():
    """Also when rows have weights of their own."""
    weights = weights_of([1, 2, 0, 3], "balanced")
    assert weights[:3].sum() == pytest.approx(weights[3])
    assert weights.sum() == pytest.approx(6)


def test_a_class_without_weight_does_not_disturb_the_balance():
    """There is nothing to balance and no division by zero."""
    np.testing.assert_allclose(weights_of([1, 1, 1, 0], "balanced"), [1, 1, 1, 0])


def test_a_dict_may_leave_classes_out():
    """They weigh 1."""
    weights = weights_of(None, {"b": 5.0})
    np.testing.assert_array_equal(weights, [1, 1, 1, 5])
