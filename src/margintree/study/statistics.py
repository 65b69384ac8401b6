"""Tests of whether methods differ over data sets by more than chance.

All tests see one number per data set and method: they sample data sets, not repetitions (J. Demšar:
Statistical comparisons of classifiers over multiple data sets. Journal of Machine Learning Research
7 (2006), 1-30).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import stats

from margintree._lib.arrays import FloatArray
from margintree._lib.exceptions import InvalidInputError
from margintree._lib.extras import imported
from margintree.study.summary import DIGITS

LEVEL = 0.05
"""Significance level: the accepted chance of finding a difference where there is none."""
ROPE = 0.01
"""Accuracies that differ by at most this are practically equal."""


@dataclass(frozen=True)
class Ranking:
    """Results of Friedman's test, followed by Wilcoxon's test of all pairs."""

    ranks: tuple[float, ...]  # average rank of every method over the data sets; 1 is best
    statistic: float  # Friedman's chi square, corrected for ties
    p_value: float  # of Friedman's test; small if the methods are not all alike
    p_values: FloatArray  # of all pairs, with Holm's correction; shape (n_methods, n_methods)


class Comparison(NamedTuple):
    """Wilcoxon's signed-rank test of one method against another.

    The test uses the rank difference, which is above 0 if the first method is better. It does not
    use the mean difference: a single data set can change its sign.
    """

    difference: float  # the mean difference
    rank_difference: float  # ranks of the differences above 0 minus ranks of those below, by size
    wins: int  # number of data sets where the first method is above the second
    losses: int  # number of data sets where it is below
    p_value: float  # of the two-sided test, with Holm's correction for all comparisons


class Belief(NamedTuple):
    """Bayesian signed-rank test of one method against another.

    The probabilities add up to 1. They are for a further data set, and equal means that the scores
    differ by at most the rope.
    """

    better: float
    equal: float
    worse: float


def friedman(scores: FloatArray) -> Ranking:
    """Test whether all methods are alike, and which pairs differ.

    Pairs are compared by Wilcoxon's test, which unlike differences of average ranks does not depend
    on the other methods (A. Benavoli, G. Corani, F. Mangili: Should we really use post-hoc tests
    based on mean-ranks? Journal of Machine Learning Research 17 (2016), 1-10).

    Scores have shape (n_sets, n_methods); high is good. Raise InvalidInputError if there are fewer
    than three methods or two data sets, or if a score is missing.

    Examples
    --------
    >>> ranking = friedman(np.array([[0.7, 0.8, 0.9], [0.6, 0.7, 0.9], [0.7, 0.9, 0.8]]))
    >>> [round(rank, 2) for rank in ranking.ranks], float(ranking.p_values[0, 2])
    ([3.0, 1.67, 1.33], 0.75)
    """
    scores = _checked(scores, least_methods=3)
    ranks = stats.rankdata(-scores, axis=1).mean(axis=0)
    is_level = bool((scores == scores[:, :1]).all())
    statistic, p_value = (0.0, 1.0) if is_level else stats.friedmanchisquare(*scores.T)
    p_values = np.ones((scores.shape[1], scores.shape[1]))
    pairs = np.triu_indices_from(p_values, k=1)
    differences = (scores[:, pairs[0]] - scores[:, pairs[1]]).T
    p_values[pairs] = holm([_signed_rank_p_value(one) for one in differences])
    return Ranking(
        ranks=tuple(ranks.tolist()),
        statistic=float(statistic),
        p_value=float(p_value),
        p_values=np.minimum(p_values, p_values.T),
    )


def wilcoxon(scores: FloatArray, control: int) -> dict[int, Comparison]:
    """Compare one method with each other method, with Holm's correction of the p-values.

    Scores have shape (n_sets, n_methods); high is good. The comparisons are returned by the columns
    of the other methods. A data set with equal scores counts half for either method.

    Examples
    --------
    >>> scores = np.array([[0.9, 0.8, 0.9], [0.8, 0.7, 0.7], [0.9, 0.5, 0.8], [0.7, 0.4, 0.8]])
    >>> wilcoxon(scores, control=0)[1].p_value
    0.25
    """
    scores = _checked(scores, least_methods=2)
    others = [j for j in range(scores.shape[1]) if j != control]
    differences = {j: scores[:, control] - scores[:, j] for j in others}
    p_values = holm([_signed_rank_p_value(differences[j]) for j in others])
    return {
        j: Comparison(
            difference=float(differences[j].mean()),
            rank_difference=_rank_difference(differences[j]),
            wins=int((differences[j] > 0).sum()),
            losses=int((differences[j] < 0).sum()),
            p_value=p_value,
        )
        for j, p_value in zip(others, p_values, strict=True)
    }


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted so that the chance of any false discovery stays below the level.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p_values, kind="stable")
    factors = np.arange(len(order), 0, -1)
    adjusted = np.empty(len(order))
    adjusted[order] = np.maximum.accumulate(np.take(p_values, order) * factors)
    return [float(p_value) for p_value in np.minimum(adjusted, 1.0)]


def bayesian_signed_rank(one: FloatArray, other: FloatArray, rope: float = ROPE) -> Belief:
    """Return the probabilities that one method is better than, equal to or worse than another.

    The scores belong to the same data sets; high is good. Differences up to the rope count as
    equal. The test is that of Benavoli and others (2014), from their package baycomp. Raise
    MissingPackageError if baycomp, of the extra ``bayes``, is not installed.
    """
    test = imported("baycomp", extra="bayes").SignedRankTest
    better, equal, worse = test(one, other, rope=rope, random_state=0).probs()
    return Belief(float(better), float(equal), float(worse))


def _rank_difference(differences: FloatArray) -> float:
    """Return the ranks of the differences above 0 minus the ranks of those below, by size.

    Examples
    --------
    >>> _rank_difference(np.array([0.1, 0.2, -0.9]))
    0.0
    """
    return float(np.sign(differences) @ stats.rankdata(np.abs(differences)))


def _signed_rank_p_value(differences: FloatArray) -> float:
    if not differences.any():
        return 1.0
    return float(stats.wilcoxon(differences, zero_method="zsplit").pvalue)


def _checked(scores: FloatArray, least_methods: int) -> FloatArray:
    scores = np.round(np.asarray(scores, dtype=float), DIGITS)
    n_sets, n_methods = scores.shape
    if n_sets < 2 or n_methods < least_methods:
        raise InvalidInputError(
            f"A comparison needs at least 2 data sets and {least_methods} methods that have "
            f"numbers on all of them; there are {n_sets} and {n_methods}. Run more of the study."
        )
    if not np.isfinite(scores).all():
        raise InvalidInputError(
            "Every score must be a finite number; some are not. Leave those sets or methods out."
        )
    return scores
