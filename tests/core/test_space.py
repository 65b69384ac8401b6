"""The map of raw features to the unit box."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from margintree import MOCTSVMClassifier, OCTClassifier
from margintree._lib.exceptions import InvalidInputError
from margintree.core.space import Space

tables = hnp.arrays(
    float, st.tuples(st.integers(1, 6), st.integers(1, 4)), elements=st.floats(-1e6, 1e6)
)


@given(tables)
def test_training_rows_fill_the_unit_box(X):
    """The smallest value of a feature becomes 0, the largest 1, a constant feature 0."""
    scaled = Space.learn(X).apply(X)
    np.testing.assert_array_equal(scaled.min(axis=0), 0.0)
    is_constant = X.min(axis=0) == X.max(axis=0)
    np.testing.assert_array_equal(scaled.max(axis=0), np.where(is_constant, 0.0, 1.0))


def test_identity_changes_nothing():
    """The identity gives back the rows."""
    X = np.array([[1.0, -2.0]])
    np.testing.assert_array_equal(Space.identity(2).apply(X), X)


def test_scalings_compare_by_value():
    """Two scalings of the same rows are equal, and a scaling is not equal to anything else."""
    X = np.array([[1.0], [3.0]])
    assert Space.learn(X) == Space.learn(X.copy())
    assert Space.learn(X) != Space.learn(2 * X)
    assert Space.learn(X) != "scaling"


@pytest.mark.parametrize("classifier", [MOCTSVMClassifier, OCTClassifier])
@pytest.mark.parametrize("method", ["predict", "decision_path", "report"])
def test_values_that_overflow_are_refused(classifier, method):
    """They would become NaN, also in a feature that no split uses, and NaN goes left."""
    clf = classifier(max_depth=1).fit(
        [[0.0, 0.0], [1.0, 0.1], [4.0, 0.0], [5.0, 0.1]], list("aabb")
    )
    labels = [["b", "b"]] if method == "report" else []
    getattr(clf, method)([[5.0, 0.05], [5.0, 1e100]], *labels)
    with pytest.raises(InvalidInputError, match=r"Feature 1 is 1e\+308 in row 1, too far from"):
        getattr(clf, method)([[5.0, 0.05], [5.0, 1e308]], *labels)


@pytest.mark.parametrize("listed", [[2], [-1], ["0"], [True], [[0]]])
def test_constant_columns_that_do_not_exist_are_refused(listed):
    """The message says which numbers are allowed."""
    content = Space.learn(np.array([[1.0, 5.0], [3.0, 5.0]])).to_dict()
    assert content["constant"] == [1]
    with pytest.raises(InvalidInputError, match=r"columns in 0\.\.1"):
        Space.from_dict({**content, "constant": listed})
