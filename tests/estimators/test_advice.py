"""Warnings about trees without a split and trees that never predict a class."""

import warnings

import numpy as np
import pytest

from margintree import (
    CARTClassifier,
    MOCTSVMClassifier,
    MOCTSVMClassifierCV,
    OCTHClassifier,
    PoorTreeWarning,
)

X = np.arange(20.0)[:, None]
Y = np.where(X[:, 0] < 14, "no", "yes")
RARE = np.where(X[:, 0] < 1, "rare", Y)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (MOCTSVMClassifier(c1=0.01), "proved that every split .* at c1=0.01, c2=1, c3=10"),
        (MOCTSVMClassifier(c1=0.01), "Raise c1, or lower c2 or c3"),
        (MOCTSVMClassifier(c3=1e6, min_samples_leaf=2), "Lower min_samples_leaf=2"),
        (MOCTSVMClassifier(max_splits=0), "max_splits=0 allows no other tree"),
        (MOCTSVMClassifier(c1=100.0, time_limit=0), "The time limit ended the search"),
        (CARTClassifier(max_splits=0), "max_splits=0 allows no other tree"),
        (OCTHClassifier(alpha=1e6), "at alpha=1e\\+06"),
        (MOCTSVMClassifierCV(candidates={"c3": 1e6}, cv=2), "c3=1e\\+06. No other candidate"),
    ],
    ids=str,
)
def test_a_tree_without_a_split_is_a_warning(model, words):
    """It says what the tree predicts, why, and what to do; it points to the line of the user."""
    with pytest.warns(PoorTreeWarning, match=words) as caught:
        model.fit(X, Y)
    assert "predicts 'no' for every row, which is right for 70.0%" in str(caught[0].message)
    assert caught[0].filename == __file__


def test_a_class_that_is_never_predicted_is_a_warning():
    """A class of one row in twenty is given up if a leaf for it is dear."""
    model = MOCTSVMClassifier(2, c1=1.0, c2=0.01, c3=2.0)
    with pytest.warns(PoorTreeWarning, match="never predicts 'rare', 5.0% of the training weight"):
        model.fit(X, RARE)
    assert "rare" not in model.predict(X)


def test_many_classes_are_counted():
    """A warning is a sentence, not a page."""
    model = MOCTSVMClassifier(4, c1=1.0, c2=0.001, c3=1.5)
    labels = [*range(8), *[8] * 6, *[9] * 6]
    with pytest.warns(PoorTreeWarning, match="never predicts 0, 1, 2, 3, 4 and 3 more"):
        model.fit(X, labels)


@pytest.mark.parametrize(
    ("labels", "params"),
    [(Y, {}), (RARE, {"c3": 0.1}), (np.zeros(20), {}), (RARE, {"max_depth": 1})],
    ids=["a split", "all classes", "one class", "too shallow"],
)
@pytest.mark.filterwarnings("ignore::margintree.ShallowTreeWarning")
def test_other_trees_are_no_reason_to_warn(labels, params):
    """Nor a tree that is too shallow for all classes, which has a warning of its own."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", PoorTreeWarning)
        MOCTSVMClassifier(**{"max_depth": 2, "c1": 10.0, "c2": 0.1} | params).fit(X, labels)
