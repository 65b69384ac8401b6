"""Choices: the best of many scores."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from margintree.choice import place_of_best


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=8),
)
def test_ties_go_to_the_fewest_splits(scores):
    """Then to the first of the grid."""
    right, splits = np.array(scores, dtype=float).T
    best = max(scores, key=lambda score: (score[0], -score[1]))
    assert place_of_best(right, splits) == scores.index(best)
