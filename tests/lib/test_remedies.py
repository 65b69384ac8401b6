"""Remedies in messages about parameters."""

from typing import ClassVar

import pytest
from sklearn.utils._param_validation import InvalidParameterError

from margintree import ClassTreeClassifier, MOCTSVMClassifier
from margintree._lib.remedies import CheckedParameters
from margintree.data.preprocessing import TableEncoder

X, Y = [[0.0], [1.0]], [0, 1]


@pytest.mark.parametrize(
    ("estimator", "remedy"),
    [
        (MOCTSVMClassifier(c1=-1), "Give another value, or leave it out for the default, 10.0."),
        (MOCTSVMClassifier(points=0), "Give another value, or leave it out."),
        (MOCTSVMClassifier(method="exakt"), "Did you mean 'exact'? Give another value, or"),
        (ClassTreeClassifier(space="quadratik"), "Did you mean 'quadratic'? Give"),
        (TableEncoder(max_levels=0), "Give another value, or leave it out for the default, 20."),
    ],
)
def test_a_message_of_scikit_learn_says_what_to_do(estimator, remedy):
    """The default if there is one to name, and the word that was probably meant."""
    with pytest.raises(InvalidParameterError) as caught:
        estimator.fit(X, Y)
    assert f"instead. {remedy}" in str(caught.value)


def test_a_parameter_without_a_default_must_be_given():
    """There is nothing to leave out."""

    class Needy(CheckedParameters):
        _parameter_constraints: ClassVar = {"depth": [int]}

        def __init__(self, depth):
            self.depth = depth

    Needy(1)._validate_params()
    with pytest.raises(InvalidParameterError, match=r"instead\. Give another value\.$"):
        Needy(1.5)._validate_params()
