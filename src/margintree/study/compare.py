"""Tests of significance between the methods of a study, in words and tables."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from margintree._lib.arrays import BoolArray, FloatArray
from margintree._lib.exceptions import InvalidInputError, MissingPackageError
from margintree.study.names import READINGS, method_label
from margintree.study.result_tables import OURS, Cell, ResultTable, signed
from margintree.study.statistics import (
    LEVEL,
    ROPE,
    Belief,
    Comparison,
    Ranking,
    bayesian_signed_rank,
    friedman,
    wilcoxon,
)
from margintree.study.summary import Key, Summary


@dataclass(frozen=True)
class Contest:
    """Methods that have numbers on the same data sets."""

    methods: tuple[str, ...]
    data_sets: tuple[str, ...]
    scores: FloatArray  # mean accuracies, of shape (n_sets, n_methods)
    left_out: tuple[str, ...]  # sentences about methods and data sets that are not compared


def contest(summary: Summary, reading: str) -> Contest:
    """Return the methods and data sets that can be compared under a reading.

    A method that lacks data sets is left out if more numbers are compared without it: what it adds
    is less than what the others lose. Then data sets are left out if one of the remaining methods
    has no number there.
    """
    means = summary.means(reading)
    has_some = ~np.isnan(means).all(axis=1)
    is_known = ~np.isnan(means[has_some])
    counts, n_sets = is_known.sum(axis=0), int(has_some.sum())
    stays = _complete_enough(is_known)
    is_common = has_some & ~np.isnan(means[:, stays]).any(axis=1)
    told = [
        f"{method_label(method)} is left out: it has numbers on {count} of {n_sets} data sets."
        for method, count, keep in zip(summary.methods, counts, stays, strict=True)
        if not keep
    ]
    lost = np.array(summary.data_sets, dtype=object)[~is_common].tolist()
    if lost:
        told.append(f"Left out, since not all methods have numbers there: {', '.join(lost)}.")
    return Contest(
        methods=tuple(np.array(summary.methods, dtype=object)[stays]),
        data_sets=tuple(np.array(summary.data_sets, dtype=object)[is_common]),
        scores=means[np.ix_(is_common, stays)],
        left_out=tuple(told),
    )


def _complete_enough(is_known: BoolArray) -> BoolArray:
    """Return the methods, those on most data sets first, that share the most numbers.

    Examples
    --------
    >>> full, half = [True, True, True, True], [True, True, False, False]
    >>> _complete_enough(np.array([full, full, half]).T)
    array([ True,  True, False])
    """
    order = np.argsort(-is_known.sum(axis=0), kind="stable")
    n_common = np.logical_and.accumulate(is_known[:, order], axis=1).sum(axis=0)
    n_numbers = n_common * np.arange(1, len(order) + 1)
    stays = np.zeros(len(order), dtype=np.bool_)
    if n_numbers.any():
        last = len(order) - 1 - int(n_numbers[::-1].argmax())
        stays[order[: last + 1]] = True
    return stays


def comparison(
    summary: Summary, reading: str, control: str = OURS
) -> tuple[list[ResultTable], list[str]]:
    """Return tables and sentences on whether methods differ by more than chance.

    The control is compared with each other method. Raise InvalidInputError if it has too few
    numbers.
    """
    found = contest(summary, reading)
    if control not in found.methods:
        raise InvalidInputError(
            f"The method to compare must be one of {', '.join(found.methods) or 'none yet'}, which "
            f"have numbers on most data sets; {control!r} was given. Choose another one."
        )
    column = found.methods.index(control)
    comparisons = wilcoxon(found.scores, column)
    beliefs, why_not = _beliefs(found.scores, column)
    tables = [_pairs_table(found, control, reading, comparisons, beliefs)]
    sentences = [*found.left_out, *_unfinished_words(summary, found, reading)]
    if len(found.methods) > 2:
        ranking = friedman(found.scores)
        tables.insert(0, _ranks_table(found, reading, ranking))
        sentences += _friedman_words(found, ranking)
    sentences += _wilcoxon_words(found, control, comparisons)
    sentences += [*_belief_words(control, beliefs), *why_not]
    if reading != "nested":
        sentences.append(
            "This reading chooses the parameters on the test rows, which flatters methods with "
            f"large grids. The reading {READINGS['nested']!r} is the fair one."
        )
    return tables, [f"{READINGS[reading].capitalize()}. {sentence}" for sentence in sentences]


def _unfinished_words(summary: Summary, found: Contest, reading: str) -> Iterator[str]:
    keys = (Key(name, method, reading) for name in found.data_sets for method in found.methods)
    n_short = sum(summary.count(key) < summary.planned for key in keys)
    if n_short:
        yield (
            f"The study is unfinished: {n_short} of {found.scores.size} means are over fewer than "
            f"{summary.planned} repetitions."
        )


def _beliefs(scores: FloatArray, column: int) -> tuple[dict[int, Belief], list[str]]:
    """Return Bayesian tests of one method against each other method, or why there are none."""
    others = [j for j in range(scores.shape[1]) if j != column]
    try:
        return {j: bayesian_signed_rank(scores[:, column], scores[:, j]) for j in others}, []
    except MissingPackageError as error:
        return {}, [f"No Bayesian comparison: {error}"]


def _ranks_table(found: Contest, reading: str, ranking: Ranking) -> ResultTable:
    means = 100.0 * found.scores.mean(axis=0)
    order = np.argsort(ranking.ranks, kind="stable")
    rows = [
        (
            method_label(found.methods[j]),
            f"{ranking.ranks[j]:.2f}",
            f"{means[j]:.2f}",
            _behind(found, ranking, j),
        )
        for j in order
    ]
    return ResultTable(
        title=f"Average ranks over {len(found.data_sets)} data sets, {READINGS[reading]}",
        columns=("method", "average rank", "mean accuracy (%)", "significantly better than"),
        rows=tuple(tuple(map(Cell, row)) for row in rows),
        foot=(),
    )


def _behind(found: Contest, ranking: Ranking, j: int) -> str:
    """Return the methods of lower rank that differ from one by more than chance."""
    behind = [
        method
        for method, rank, p_value in zip(
            found.methods, ranking.ranks, ranking.p_values[j], strict=True
        )
        if rank > ranking.ranks[j] and p_value <= LEVEL
    ]
    return ", ".join(map(method_label, behind)) or "–"


def _pairs_table(
    found: Contest,
    control: str,
    reading: str,
    comparisons: dict[int, Comparison],
    beliefs: dict[int, Belief],
) -> ResultTable:
    rows = []
    for j, result in comparisons.items():
        cells = [
            method_label(found.methods[j]),
            signed(100.0 * result.difference),
            f"{result.wins} : {result.losses}",
            p_text(result.p_value),
        ]
        if beliefs:
            cells += [f"{share:.2f}" for share in beliefs[j]]
        rows.append(tuple(map(Cell, cells)))
    heads = ["against", "mean difference (points)", "wins : losses", "p (Wilcoxon, Holm)"]
    if beliefs:
        heads += ["P(better)", "P(equal)", "P(worse)"]
    return ResultTable(
        title=f"{method_label(control)} against each other method, {READINGS[reading]}",
        columns=tuple(heads),
        rows=tuple(rows),
        foot=(),
    )


def _friedman_words(found: Contest, ranking: Ranking) -> Iterator[str]:
    verdict = (
        "the methods are not all alike"
        if ranking.p_value <= LEVEL
        else "no difference between the methods can be shown"
    )
    yield (
        f"Friedman's test over {len(found.data_sets)} data sets and {len(found.methods)} methods: "
        f"{verdict} (chi square {ranking.statistic:.2f}, p-value {p_text(ranking.p_value)})."
    )
    yield (
        "Wilcoxon's test of all pairs with Holm's correction says which methods are significantly "
        f"better than others, at the {LEVEL:.0%} level."
    )


def _wilcoxon_words(
    found: Contest, control: str, comparisons: dict[int, Comparison]
) -> Iterator[str]:
    """Yield one sentence for the methods below, one for those above and one for the rest."""
    verdicts: dict[str, list[str]] = {"better than": [], "worse than": [], "": []}
    for j, result in comparisons.items():
        side = "better than" if result.rank_difference > 0 else "worse than"
        verdicts[side if result.p_value <= LEVEL else ""].append(method_label(found.methods[j]))
    name = method_label(control)
    for side in ("better than", "worse than"):
        if verdicts[side]:
            yield (
                f"Wilcoxon's test with Holm's correction: {name} is {side} "
                f"{', '.join(verdicts[side])} by more than chance would explain."
            )
    if verdicts[""]:
        yield (
            "Wilcoxon's test with Holm's correction: no difference can be shown between "
            f"{name} and {', '.join(verdicts[''])}."
        )


def _belief_words(control: str, beliefs: dict[int, Belief]) -> Iterator[str]:
    if beliefs:
        yield (
            f"Bayesian signed-rank test: P(better), P(equal) and P(worse) are the probabilities "
            f"that {method_label(control)} is better, practically equal (within {ROPE:.0%}) or "
            "worse on a further data set."
        )


def p_text(p_value: float) -> str:
    """Return a p-value in two digits.

    Examples
    --------
    >>> p_text(0.01234), p_text(1e-9)
    ('0.012', '< 0.0001')
    """
    return "< 0.0001" if p_value < 1e-4 else f"{p_value:.2g}"
