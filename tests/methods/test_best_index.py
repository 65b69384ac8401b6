"""Which combination is the best: ties, and the usual one in doubt."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from margintree.methods.choose import best_index, share_errors


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=8),
)
def test_ties_go_to_the_fewest_splits(scores):
    """Then to the first of the grid."""
    right, splits = np.array(scores, dtype=float).T
    best = max(scores, key=lambda score: (score[0], -score[1]))
    assert best_index(right, splits) == scores.index(best)


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3)), min_size=1, max_size=8),
    st.integers(1, 40),
    st.data(),
)
def test_the_usual_combination_is_kept_in_doubt(scores, n_rows, data):
    """It gives way to the best alone, and only where that is more than half an error ahead."""
    right, splits = np.array(scores, dtype=float).T
    usual = data.draw(st.integers(0, len(scores) - 1))
    shares, best = right / 9, best_index(right, splits)
    place = best_index(shares, splits, usual, share_errors(shares, n_rows))
    error = np.sqrt(shares[best] * (1 - shares[best]) / n_rows)
    assert place == (usual if shares[best] - shares[usual] <= error / 2 else best)
    assert best_index(shares, splits, usual, share_errors(shares, 10**9)) == (
        usual if right[usual] == right[best] else best
    )
