"""Suggestions for mistyped names."""

import pytest

from margintree._lib.suggestion import did_you_mean


@pytest.mark.parametrize(
    ("given", "known", "question"),
    [
        ("slq", ["text", "sql"], "Did you mean 'sql'? "),
        ("pickle", ["text", "sql"], ""),
        ("", ["text"], ""),
        (3, [30, 4], "Did you mean '30'? "),
    ],
)
def test_only_a_similar_name_is_suggested(given, known, question):
    """Names need not be text."""
    assert did_you_mean(given, known) == question


def test_the_beginning_of_a_name_means_that_name():
    """Before names that are more alike; one or two letters mean nothing."""
    assert did_you_mean("acc", ["jaccard", "accuracy"]) == "Did you mean 'accuracy'? "
    assert did_you_mean("ac", ["accuracy"]) == ""
