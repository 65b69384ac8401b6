"""Whether methods differ over data sets by more than chance.

All tests look at one number per data set and method, so that data sets, not repetitions, are what
is sampled (J. Demšar: Statistical comparisons of classifiers over multiple data sets. Journal of
Machine Learning Research 7 (2006), 1-30).
"""

import math
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
"""The chance of seeing a difference where there is none that the tests allow."""
ROPE = 0.01
"""Accuracies that are no farther apart than this are equal for all practical purposes."""


@dataclass(frozen=True)
class Ranking:
    """The Friedman test with Nemenyi's test after it.

    Attributes
    ----------
    ranks : tuple of float
        The average rank of every method over the data sets; 1 is best.
    statistic, p_value : float
        Friedman's chi square, corrected for ties, and its p-value: small when the methods are not
        all alike.
    critical_difference : float
        Two methods whose average ranks are at least this far apart differ.
    p_values : array of shape (n_methods, n_methods)
        Nemenyi's p-values of all pairs.
    """

    ranks: tuple[float, ...]
    statistic: float
    p_value: float
    critical_difference: float
    p_values: FloatArray


class Comparison(NamedTuple):
    """Wilcoxon's signed-rank test of one method against another.

    Attributes
    ----------
    difference : float
        The mean difference. The test does not look at it; one data set may turn its sign.
    rank_difference : float
        What the test looks at: the ranks, by size, of the differences above 0 less the ranks of
        those below; above 0 when the one is better.
    wins, losses : int
        On how many data sets the one is above and below the other.
    p_value : float
        Of the two-sided test, adjusted by Holm for all comparisons made together.
    """

    difference: float
    rank_difference: float
    wins: int
    losses: int
    p_value: float


class Belief(NamedTuple):
    """What the Bayesian signed-rank test believes of one method against another.

    Attributes
    ----------
    better, equal, worse : float
        Probabilities that on a further data set the one is above the other, neither is by more
        than the rope, or it is below; they add up to 1.
    """

    better: float
    equal: float
    worse: float


def friedman(scores: FloatArray, level: float = LEVEL) -> Ranking:
    """Test whether all methods are alike, and which pairs differ.

    Parameters
    ----------
    scores : array of shape (n_sets, n_methods)
        One score per data set and method; high is good.
    level : float
        The level of the critical difference.

    Raises
    ------
    InvalidInputError
        When there are fewer than three methods or two data sets, or a score is missing.

    Examples
    --------
    >>> ranking = friedman(np.array([[0.7, 0.8, 0.9], [0.6, 0.7, 0.9], [0.7, 0.9, 0.8]]))
    >>> [round(rank, 2) for rank in ranking.ranks], round(ranking.critical_difference, 2)
    ([3.0, 1.67, 1.33], 1.91)
    """
    scores = _checked(scores, least_methods=3)
    n_sets, n_methods = scores.shape
    ranks = stats.rankdata(-scores, axis=1).mean(axis=0)
    is_level = bool((scores == scores[:, :1]).all())
    statistic, p_value = (0.0, 1.0) if is_level else stats.friedmanchisquare(*scores.T)
    unit = math.sqrt(n_methods * (n_methods + 1) / (12 * n_sets))
    apart = np.abs(ranks[:, None] - ranks[None, :])
    return Ranking(
        ranks=tuple(ranks.tolist()),
        statistic=float(statistic),
        p_value=float(p_value),
        critical_difference=float(stats.studentized_range.isf(level, n_methods, np.inf) * unit),
        p_values=np.asarray(stats.studentized_range.sf(apart / unit, n_methods, np.inf)),
    )


def wilcoxon(scores: FloatArray, control: int) -> dict[int, Comparison]:
    """Compare one method with every other, and adjust the p-values by Holm.

    Data sets on which two methods are equal count half for either.

    Parameters
    ----------
    scores : array of shape (n_sets, n_methods)
        One score per data set and method; high is good.
    control : int
        The column of the method to compare with the others.

    Returns
    -------
    dict
        The comparisons by the columns of the others.

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
    """Adjust p-values so that the chance of even one false discovery stays below the level.

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
    """Return how probable it is that one method is better than another, or practically equal.

    The test is that of Benavoli and others (2014) as its authors' package baycomp has it.

    Parameters
    ----------
    one, other : array of shape (n_sets,)
        Scores of two methods on the same data sets; high is good.
    rope : float
        Differences of at most this size count as none.

    Raises
    ------
    MissingPackageError
        When baycomp, of the extra ``bayes``, is not installed.
    """
    test = imported("baycomp", extra="bayes").SignedRankTest
    better, equal, worse = test(one, other, rope=rope, random_state=0).probs()
    return Belief(float(better), float(equal), float(worse))


def _rank_difference(differences: FloatArray) -> float:
    """Return the ranks of the differences above 0 less the ranks of those below.

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
            "Every score must be a number; some are missing. Leave those data sets or methods out."
        )
    return scores
