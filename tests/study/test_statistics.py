"""The tests of significance against published examples, tables and brute force."""

import itertools
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from margintree._lib.exceptions import InvalidInputError, MissingPackageError
from margintree.study.statistics import bayesian_signed_rank, friedman, holm, wilcoxon

DEMSAR = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.97501, 0.975],
        [0.957, 0.978, 0.946, 0.970],
    ]
)
"""Table 6 of Demšar (2006). His ranks on the last but one set show which 0.975 was the larger."""

matrices = st.integers(0, 999).map(lambda seed: np.random.default_rng(seed).normal(size=(7, 4)))


def test_friedman_on_the_worked_example():
    """Ranks and chi square as printed; chi square there is without the correction for ties."""
    ranking = friedman(DEMSAR)
    assert ranking.ranks == pytest.approx([3.143, 2.000, 2.893, 1.964], abs=5e-4)
    n, k = DEMSAR.shape
    ties = 2 * (2**3 - 2) + (2**3 - 2) + (4**3 - 4)  # three pairs, and one set where all are equal
    uncorrected = ranking.statistic * (1 - ties / (n * (k**3 - k)))
    assert uncorrected == pytest.approx(9.28, abs=5e-3)
    assert ranking.p_value < 0.05


@given(matrices)
def test_all_pairs_are_compared_with_one_correction(scores):
    """By Wilcoxon's test each, and by Holm's correction for all of them together."""
    ranking, k = friedman(scores), scores.shape[1]
    pairs = list(itertools.combinations(range(k), 2))
    alone = [wilcoxon(scores[:, pair], control=0)[1].p_value for pair in pairs]
    assert [ranking.p_values[pair] for pair in pairs] == holm(alone)
    assert np.array_equal(ranking.p_values, ranking.p_values.T)
    assert (ranking.p_values.diagonal() == 1).all()


@given(matrices)
def test_a_further_method_only_makes_the_test_of_a_pair_more_cautious(scores):
    """Average ranks, in contrast, can change in either direction."""
    few, many = friedman(scores[:, :3]).p_values, friedman(scores).p_values[:3, :3]
    assert (few <= many + 1e-12).all()


def signed_rank_p_value(differences):
    """Return the share of all patterns of signs that are at least as extreme, zeros split."""
    ranks = stats.rankdata(np.abs(differences))
    signs = np.array(list(itertools.product([0, 1], repeat=len(ranks))))
    sums, seen = signs @ ranks, ranks @ (np.sign(differences) + 1) / 2
    return min(1.0, 2 * min((sums <= seen).mean(), (sums >= seen).mean())), seen


def test_wilcoxon_on_the_worked_example():
    """Rank sums of 12 and 93 as printed, which differ at 5%; ties make the p-value approximate."""
    p_value, rank_sum = signed_rank_p_value(DEMSAR[:, 1] - DEMSAR[:, 0])
    assert rank_sum == 93
    comparison = wilcoxon(DEMSAR[:, :2], control=1)[0]
    assert (comparison.wins, comparison.losses) == (10, 2)
    assert comparison.p_value == pytest.approx(p_value, abs=0.005)
    assert comparison.p_value < 0.05


def test_equal_means_are_equal_whatever_their_last_bit():
    """Neither a rank nor a win may depend on the order of a sum."""
    scores = np.array([[0.3, 0.1 + 0.2, 0.5], [0.1 + 0.2, 0.3, 0.6], [0.7, 0.7, 0.8]])
    assert friedman(scores).ranks == (2.5, 2.5, 1.0)
    assert wilcoxon(scores, control=0)[1] == (0.0, 0.0, 0, 0, 1.0)


@given(st.integers(0, 999))
def test_wilcoxon_is_what_counting_all_signs_gives(seed):
    """Without ties the p-value is exact: the share of sign patterns at least as extreme."""
    differences = np.random.default_rng(seed).normal(0.3, 1.0, size=7)
    scores = np.column_stack([differences, np.zeros(7)])
    expected, _ = signed_rank_p_value(differences)
    assert wilcoxon(scores, control=0)[1].p_value == pytest.approx(expected)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_holm_is_the_closure_of_bonferroni(p_values):
    """A hypothesis is rejected when Bonferroni rejects every set of hypotheses with it."""
    indices = range(len(p_values))
    subsets = [s for size in indices for s in itertools.combinations(indices, size + 1)]
    expected = [
        min(1.0, max(len(s) * min(p_values[i] for i in s) for s in subsets if j in s))
        for j in indices
    ]
    assert holm(p_values) == pytest.approx(expected)


@given(matrices, st.permutations(range(7)))
def test_the_order_of_data_sets_does_not_matter(scores, order):
    """For any of the tests."""
    shuffled = scores[list(order)]
    assert friedman(shuffled).p_value == pytest.approx(friedman(scores).p_value)
    ours, theirs = wilcoxon(shuffled, 0), wilcoxon(scores, 0)
    assert all(ours[j].p_value == pytest.approx(theirs[j].p_value) for j in theirs)


def test_methods_that_are_all_alike_do_not_differ():
    """No division by zero, and no discovery."""
    scores = np.full((5, 3), 0.9)
    assert friedman(scores).p_value == 1.0
    assert wilcoxon(scores, 0)[1].p_value == 1.0


@pytest.mark.parametrize("scores", [np.zeros((1, 3)), np.zeros((5, 2)), np.full((5, 3), np.nan)])
def test_too_little_to_compare_is_said(scores):
    """How much is needed, and how much is there."""
    with pytest.raises(InvalidInputError, match=r"at least 2 data sets|must be a finite number"):
        friedman(scores)


def simulated(differences, rope, n_samples, seed):
    """Return the beliefs of the Bayesian test, from its definition.

    The differences and one pseudo-observation of 0 with weight 1/2 get Dirichlet weights; two
    draws with these weights are on the average above, within or below the rope.
    """
    rng = np.random.default_rng(seed)
    z = np.append(differences, 0.0)
    weights = rng.dirichlet([1.0] * len(differences) + [0.5], n_samples)
    middles = (z[:, None] + z[None, :]) / 2
    regions = [middles > rope, np.abs(middles) <= rope, middles < -rope]
    shares = np.array([np.einsum("si,ij,sj->s", weights, region, weights) for region in regions])
    return np.bincount(shares.argmax(axis=0), minlength=3) / n_samples


@pytest.mark.parametrize("seed", range(2))
def test_the_bayesian_test_is_what_its_definition_gives(seed):
    """Within what sampling allows."""
    pytest.importorskip("baycomp")
    rng = np.random.default_rng(seed)
    one = rng.uniform(0.7, 0.9, size=13)
    other = one - rng.normal(0.01 * seed, 0.03, size=13)
    belief = bayesian_signed_rank(one, other)
    assert sum(belief) == pytest.approx(1.0)
    assert belief == pytest.approx(simulated(one - other, 0.01, 20_000, seed), abs=0.02)


def test_without_its_package_the_bayesian_test_says_what_to_install(monkeypatch):
    """The other tests do not need it."""
    monkeypatch.setitem(sys.modules, "baycomp", None)
    with pytest.raises(MissingPackageError, match=r"margintree\[bayes\]"):
        bayesian_signed_rank(np.zeros(3), np.ones(3))
