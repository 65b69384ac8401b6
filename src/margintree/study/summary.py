"""Rows in, numbers out: what each method reached on each data set under each reading.

Under the reading ``"grid"`` a repetition stands for the one combination of the grid whose mean
accuracy over the folds is highest; among equals it is the one with the fewest splits, then the one
with the smallest parameters, compared by their names. Under ``"fold"`` it stands for the
combinations that are best in this sense on every fold by itself, under ``"nested"`` for those that
were chosen inside the training folds. A repetition counts once it is done on every fold of the
specification.
"""

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from statistics import fmean, stdev
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from margintree._lib.arrays import FloatArray
from margintree.study.names import READINGS, in_order, method_label
from margintree.study.spec import Spec
from margintree.study.store import Job, Row

DIGITS = 12
"""Digits to which two accuracies are compared: the order of a sum must not decide between them."""


class Key(NamedTuple):
    """Where numbers belong: a data set, a method and a reading."""

    data_set: str
    method: str
    reading: str


@dataclass(frozen=True)
class Repetition:
    """One repetition, as means over its folds.

    Attributes
    ----------
    number : int
        Which repetition, from 0.
    accuracy, balanced_accuracy : float
        Shares of the test rows.
    splits, seconds : float
        Splits used, NaN for what is no tree; seconds to pose and fit one model.
    parameters : str
        The chosen combination, as JSON; empty where every fold has its own.
    """

    number: int
    accuracy: float
    balanced_accuracy: float
    splits: float
    seconds: float
    parameters: str


class Spread(NamedTuple):
    """Mean and standard deviation of a measure over repetitions.

    Attributes
    ----------
    mean : float
        The mean.
    sd : float
        The standard deviation of a sample (n - 1); NaN for a single repetition.
    repetitions : int
        Over how many.
    """

    mean: float
    sd: float
    repetitions: int

    @classmethod
    def of(cls, values: Sequence[float]) -> "Spread":
        """Return mean and standard deviation of one or more values.

        Examples
        --------
        >>> Spread.of([1.0, 3.0])
        Spread(mean=2.0, sd=1.4142135623730951, repetitions=2)
        """
        sd = stdev(values) if len(values) > 1 else math.nan
        return cls(fmean(values), sd, len(values))

    def times(self, factor: float) -> "Spread":
        """Return the same in other units."""
        return Spread(factor * self.mean, factor * self.sd, self.repetitions)


@dataclass(frozen=True)
class Effort:
    """What was done, how often, and the seconds that it took in all."""

    count: int = 0
    seconds: float = 0.0

    def __add__(self, other: "Effort") -> "Effort":
        return Effort(self.count + other.count, self.seconds + other.seconds)

    def per_second(self) -> float:
        """Return how many per second; NaN where there are none."""
        return self.count / self.seconds if self.seconds > 0 else math.nan

    def each(self) -> float:
        """Return the mean seconds of one; NaN where there are none."""
        return self.seconds / self.count if self.count else math.nan

    def minutes(self) -> float:
        """Return the minutes in all; NaN where there are none."""
        return self.seconds / 60 if self.count else math.nan


Efforts: TypeAlias = dict[tuple[str, str], Effort]
"""Efforts by data set and method."""


class Absence(NamedTuple):
    """Rows without numbers that share a reason.

    Attributes
    ----------
    status : str
        ``"failed"`` or ``"skipped"``.
    message : str
        Why.
    methods, data_sets : tuple of str
        Which; every one of the methods on every one of the data sets.
    n_rows : int
        How many rows.
    """

    status: str
    message: str
    methods: tuple[str, ...]
    data_sets: tuple[str, ...]
    n_rows: int


@dataclass(frozen=True)
class Summary:
    """What came out of a study.

    Attributes
    ----------
    data_sets, methods : tuple of str
        All that have rows, also those whose rows have no numbers.
    repetitions : dict
        The repetitions that are complete, by `Key`.
    absences : tuple of Absence
        What failed or was skipped.
    planned : int
        How many repetitions there are to be; without a specification, the most that there are.
    spec : Spec or None
        What the study is to do, where that is known.
    """

    data_sets: tuple[str, ...]
    methods: tuple[str, ...]
    repetitions: dict[Key, tuple[Repetition, ...]]
    absences: tuple[Absence, ...]
    planned: int
    spec: Spec | None = None

    @cached_property
    def readings(self) -> tuple[str, ...]:
        """The readings that have numbers."""
        found = {key.reading for key in self.repetitions}
        return tuple(reading for reading in READINGS if reading in found)

    def status(self, data_set: str, method: str) -> str:
        """Return ``"failed"`` or ``"skipped"`` where rows are, failed first; otherwise nothing."""
        return self._statuses.get((data_set, method), "")

    @cached_property
    def _statuses(self) -> dict[tuple[str, str], str]:
        # Absences are sorted, so that what failed comes last here and stays.
        return {
            (data_set, method): absence.status
            for absence in reversed(self.absences)
            for data_set in absence.data_sets
            for method in absence.methods
        }

    def count(self, key: Key) -> int:
        """Return how many repetitions are complete."""
        return len(self.repetitions.get(key, ()))

    def values(self, key: Key, measure: str) -> dict[int, float]:
        """Return a measure by repetition."""
        return {one.number: getattr(one, measure) for one in self.repetitions.get(key, ())}

    def spread(self, key: Key, measure: str = "accuracy") -> Spread | None:
        """Return mean and standard deviation of a measure, None where it has no numbers."""
        values = list(self.values(key, measure).values())
        return Spread.of(values) if values and not any(map(math.isnan, values)) else None

    def means(self, reading: str, measure: str = "accuracy") -> FloatArray:
        """Return the means by data set (rows) and method (columns), NaN where there are none."""
        spreads = [
            [self.spread(Key(data_set, method, reading), measure) for method in self.methods]
            for data_set in self.data_sets
        ]
        means = [[math.nan if one is None else one.mean for one in line] for line in spreads]
        return np.array(means, dtype=float).reshape(len(self.data_sets), len(self.methods))


def summarise(rows: Iterable[Row], spec: Spec | None = None) -> Summary:
    """Summarise the rows of a study, in whatever order they come.

    Parameters
    ----------
    rows : iterable of Row
        The rows.
    spec : Spec, optional
        What the study is to do. Without it, its folds and repetitions are those of the rows, and
        nobody can tell what is still to come.

    Examples
    --------
    >>> def row(fold, cost, accuracy):
    ...     return Row("iris", 0, fold, "cart", "grid", f'{{"c": {cost}}}', 0, "{}", "done",
    ...                accuracy=accuracy, balanced_accuracy=accuracy, splits=2,
    ...                build_seconds=0.0, fit_seconds=0.1)
    >>> summary = summarise([row(0, 1, 0.9), row(1, 1, 0.8), row(0, 2, 0.7), row(1, 2, 0.9)])
    >>> (best,) = summary.repetitions[Key("iris", "cart", "grid")]
    >>> best.parameters, round(best.accuracy, 3)
    ('{"c": 1}', 0.85)
    """
    rows = list(rows)
    candidates: dict[tuple[Key, int], list[Repetition]] = defaultdict(list)
    folds = {row.fold for row in rows} if spec is None else {*range(spec.folds)}
    for (key, number), repetition in _candidates(rows, folds):
        candidates[key, number].append(repetition)
    chosen: dict[Key, list[Repetition]] = defaultdict(list)
    for key, number in sorted(candidates):
        chosen[key].append(min(candidates[key, number], key=_preference))
    most = max(map(len, chosen.values()), default=0)
    return Summary(
        data_sets=tuple(sorted({row.data_set for row in rows})),
        methods=tuple(in_order(row.method for row in rows)),
        repetitions={key: tuple(found) for key, found in chosen.items()},
        absences=_absences(rows),
        planned=most if spec is None else spec.repetitions,
        spec=spec,
    )


def _candidates(
    rows: Iterable[Row], folds: set[int]
) -> Iterable[tuple[tuple[Key, int], Repetition]]:
    """Yield the repetitions between which to choose: those that are done on all folds."""
    groups: dict[tuple[Key, int, str], list[Row]] = defaultdict(list)
    for row in rows:
        if row.status == "done":
            key = Key(row.data_set, row.method, row.reading)
            parameters = row.parameters if row.reading == "grid" else ""
            groups[key, row.repetition, parameters].append(row)
    for row in _best_in_folds(row for row in rows if _is_done(row, "grid")):
        groups[Key(row.data_set, row.method, "fold"), row.repetition, ""].append(row)
    for (key, number, parameters), group in groups.items():
        if sorted(row.fold for row in group) == sorted(folds):
            yield (key, number), _over_folds(number, parameters, group)


def _best_in_folds(rows: Iterable[Row]) -> Iterable[Row]:
    """Return the best row of every job."""
    by_job: dict[Job, list[Row]] = defaultdict(list)
    for row in rows:
        by_job[row.job].append(row)
    return [min(group, key=_preference) for group in by_job.values()]


def _over_folds(number: int, parameters: str, rows: Sequence[Row]) -> Repetition:
    return Repetition(
        number=number,
        accuracy=_mean(row.accuracy for row in rows),
        balanced_accuracy=_mean(row.balanced_accuracy for row in rows),
        splits=_mean(row.splits for row in rows),
        seconds=_mean(map(_seconds, rows)),
        parameters=parameters,
    )


def _seconds(row: Row) -> float:
    return (row.build_seconds or 0.0) + (row.fit_seconds or 0.0)


def _mean(values: Iterable[float | None]) -> float:
    """Return the mean, in whatever order the values come; NaN when one is missing."""
    numbers = [math.nan if value is None else value for value in values]
    return math.fsum(numbers) / len(numbers)


def _preference(one: Repetition | Row) -> tuple[Any, ...]:
    """Return what the chosen one of several repetitions, or rows, has the least of."""
    splits = 0.0 if one.splits is None or math.isnan(one.splits) else one.splits
    accuracy = math.nan if one.accuracy is None else one.accuracy
    return -round(accuracy, DIGITS), round(splits, DIGITS), _in_grid(one.parameters)


@cache
def _in_grid(parameters: str) -> list[tuple[str, bool, float, str]]:
    """Return the place of a combination in its grid: parameters by name, numbers by size.

    Examples
    --------
    >>> _in_grid('{"c": 10}') > _in_grid('{"c": 9}')
    True
    """
    values = json.loads(parameters or "{}")
    return [
        (name, False, float(value), "")
        if isinstance(value, int | float)
        else (name, True, 0.0, str(value))
        for name, value in sorted(values.items())
    ]


def _absences(rows: Iterable[Row]) -> tuple[Absence, ...]:
    """Return the failed and skipped rows, grouped by what they have in common."""
    counts: dict[tuple[str, str, str], dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for row in rows:
        if row.status != "done":
            counts[row.status, row.message, row.method][row.data_set] += 1
    groups: dict[tuple[str, str, tuple[str, ...]], dict[str, int]] = defaultdict(dict)
    for (status, message, method), by_set in counts.items():
        groups[status, message, tuple(sorted(by_set))][method] = sum(by_set.values())
    return tuple(
        Absence(status, message, tuple(in_order(by_method)), sets, sum(by_method.values()))
        for (status, message, sets), by_method in sorted(groups.items())
    )


def grid_efforts(rows: Iterable[Row]) -> Efforts:
    """Return the fits of the grid, posing included."""
    return _efforts((row, _seconds(row)) for row in rows if _is_done(row, "grid"))


def choice_efforts(rows: Iterable[Row]) -> Efforts:
    """Return the choices inside training folds, each with the fit of what it chose."""
    return _efforts((row, _seconds(row)) for row in rows if _is_done(row, "nested"))


def _is_done(row: Row, reading: str) -> bool:
    return row.status == "done" and row.reading == reading


def _efforts(times: Iterable[tuple[Row, float]]) -> Efforts:
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row, seconds in times:
        found[row.data_set, row.method].append(seconds)
    return {place: Effort(len(times), math.fsum(times)) for place, times in found.items()}


def best(values: Sequence[float]) -> set[int]:
    """Return which values are the largest; none where all are NaN.

    Examples
    --------
    >>> best([1.0, math.nan, 2.0, 2.0])
    {2, 3}
    """
    rounded = [round(value, DIGITS) for value in values]
    largest = max((value for value in rounded if not math.isnan(value)), default=math.nan)
    return {j for j, value in enumerate(rounded) if value == largest}


def notes(summary: Summary, readings: Sequence[str] = tuple(READINGS)) -> list[str]:
    """Return what a reader of the tables must know: what is missing, and why."""
    return [
        "Printed: Table 1 of Blanco, Japón and Puerto, https://doi.org/10.1007/s10994-023-06366-1.",
        "Best by fold: the combination of the grid with the highest accuracy on the test rows of a "
        "fold, an upper bound. Best by repetition: the one combination of the grid that is best "
        "for all folds of a repetition. Nested: chosen inside the training fold.",
        *_absence_notes(summary),
        *_unfinished_notes(summary, readings),
        *_unbegun_notes(summary),
    ]


def _absence_notes(summary: Summary) -> Iterator[str]:
    """Yield which rows failed or were skipped, how many, and why."""
    for absence in summary.absences:
        methods = ", ".join(map(method_label, absence.methods))
        who = "all methods" if absence.methods == summary.methods else methods
        rows = "1 row" if absence.n_rows == 1 else f"{absence.n_rows} rows"
        where = ", ".join(absence.data_sets)
        why = absence.message or "no reason was given"
        yield f"{absence.status.capitalize()} ({rows}): {who} on {where}: {why}"


def _unfinished_notes(summary: Summary, readings: Sequence[str]) -> Iterator[str]:
    """Yield what has fewer repetitions than planned though nothing is known to prevent them."""
    found: dict[tuple[str, str, int], list[str]] = defaultdict(list)
    for reading in readings:
        for method in summary.methods:
            for data_set in summary.data_sets:
                count = summary.count(Key(data_set, method, reading))
                if count < summary.planned and summary.status(data_set, method) != "skipped":
                    found[reading, method, count].append(data_set)
    groups: dict[tuple[str, int, str], list[str]] = defaultdict(list)
    for (reading, method, count), data_sets in found.items():
        groups[reading, count, ", ".join(data_sets)].append(method_label(method))
    for (reading, count, where), methods in groups.items():
        yield (
            f"Unfinished, {READINGS[reading]} ({count} of {summary.planned} repetitions): "
            f"{', '.join(methods)} on {where}"
        )


def _unbegun_notes(summary: Summary) -> Iterator[str]:
    """Yield what the specification has and the rows have not, or that nobody knows."""
    if summary.spec is None:
        yield (
            "The specification is not known, for the file of the sessions is not beside that of "
            "the rows: more folds and repetitions may have been planned than there are."
        )
        return
    wanted = {
        "methods": [method_label(m) for m in summary.spec.methods if m not in summary.methods],
        "data sets": [name for name in summary.spec.data_sets if name not in summary.data_sets],
    }
    for what, names in wanted.items():
        if names:
            yield f"No rows yet of the {what} {', '.join(names)}."
