"""Mixes: a hyperplane over features is one over terms, and the way back."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from margintree.core.mix import Mix

seeds = given(seed=st.integers(0, 2**32), n_mixed=st.integers(1, 4), n_others=st.integers(0, 3))


def any_mix(seed, n_mixed, n_others):
    """Return a mix of some terms beside others, and the generator that made it."""
    rng = np.random.default_rng(seed)
    matrix = rng.normal(size=(n_mixed, n_mixed)) + 3 * np.eye(n_mixed)
    return Mix(rng.normal(size=n_mixed + n_others), matrix, rng.uniform(0.1, 2.0)), rng


@seeds
def test_features_are_those_of_a_twin_that_loops(seed, n_mixed, n_others):
    """Mixed terms first, then every other term times the factor."""
    mix, rng = any_mix(seed, n_mixed, n_others)
    terms = rng.normal(size=(3, n_mixed + n_others))
    for row, features in zip(terms, mix.apply(terms), strict=True):
        moved = [t - c for t, c in zip(row, mix.centre, strict=True)]
        expected = [sum(m * t for m, t in zip(line, moved, strict=False)) for line in mix.matrix]
        expected += [mix.factor * t for t in moved[n_mixed:]]
        np.testing.assert_allclose(features, expected, atol=1e-12)
        assert len(features) == mix.n_features


@seeds
def test_folded_hyperplanes_have_the_same_values(seed, n_mixed, n_others):
    """On any row; and unfolding gives the hyperplanes back."""
    mix, rng = any_mix(seed, n_mixed, n_others)
    terms = rng.normal(size=(9, n_mixed + n_others))
    weights, intercepts = rng.normal(size=(2, mix.n_features)), rng.normal(size=2)
    folded, moved = mix.folded(weights, intercepts)
    values = mix.apply(terms) @ weights.T + intercepts
    np.testing.assert_allclose(terms @ folded.T + moved, values, atol=1e-9)
    again, back = mix.unfolded(folded, moved)
    np.testing.assert_allclose(again, weights, atol=1e-6)
    np.testing.assert_allclose(back, intercepts, atol=1e-6)


def test_a_mix_of_fewer_features_than_terms_counts_them():
    """As in the space of a kernel whose rows are nearly dependent."""
    assert Mix(np.zeros(4), np.ones((2, 3))).n_features == 3
