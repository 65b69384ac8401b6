"""From rows to numbers: the results of each method on each data set under each reading.

The reading says which combination of parameters a repetition stands for:

- ``"grid"``: the one combination of the grid with the highest mean accuracy over the folds. Ties
  go to the fewest splits, then to the smallest parameters, compared in the order of their names;
- ``"fold"``: the combination that is best in this sense on each fold by itself;
- ``"nested"``: the combination that was chosen inside each training fold.

A repetition counts once it is finished on every fold of the specification.
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
"""Digits in comparisons of accuracies: rounding errors of a sum must not break a tie."""


class Key(NamedTuple):
    """The place of numbers: a data set, a method and a reading."""

    data_set: str
    method: str
    reading: str


@dataclass(frozen=True)
class Repetition:
    """One repetition, as means over its folds."""

    number: int  # from 0
    accuracy: float
    balanced_accuracy: float
    calibration_error: float  # NaN if the method gives no probabilities
    splits: float  # NaN if the method builds no tree
    coefficients: float  # NaN if they are unknown
    seconds: float  # to pose and fit one model
    parameters: str  # the chosen combination, as JSON; empty if every fold has its own


class Spread(NamedTuple):
    """Mean and standard deviation of a measure over repetitions."""

    mean: float
    sd: float  # of a sample (n - 1); NaN for a single repetition
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
        """Return mean and deviation in other units."""
        return Spread(factor * self.mean, factor * self.sd, self.repetitions)


@dataclass(frozen=True)
class Effort:
    """A number of fits or choices, and their seconds in total."""

    count: int = 0
    seconds: float = 0.0

    def __add__(self, other: "Effort") -> "Effort":
        return Effort(self.count + other.count, self.seconds + other.seconds)

    def per_second(self) -> float:
        """Return the number per second; NaN if the time is 0."""
        return self.count / self.seconds if self.seconds > 0 else math.nan

    def each(self) -> float:
        """Return the mean seconds; NaN if there are none."""
        return self.seconds / self.count if self.count else math.nan

    def minutes(self) -> float:
        """Return the minutes in total; NaN if there are none."""
        return self.seconds / 60 if self.count else math.nan


Efforts: TypeAlias = dict[tuple[str, str], Effort]
"""Efforts by data set and method."""


class Absence(NamedTuple):
    """Rows without numbers that share a reason: each of the methods on each of the data sets."""

    status: str  # "failed" or "skipped"
    message: str  # the reason
    methods: tuple[str, ...]
    data_sets: tuple[str, ...]
    n_rows: int


@dataclass(frozen=True)
class Summary:
    """The results of a study."""

    data_sets: tuple[str, ...]  # all that have rows, even without numbers
    methods: tuple[str, ...]  # all that have rows, even without numbers
    repetitions: dict[Key, tuple[Repetition, ...]]  # the complete ones
    absences: tuple[Absence, ...]
    planned: int  # repetitions of the specification; if that is unknown, the most in the rows
    spec: Spec | None = None

    @cached_property
    def readings(self) -> tuple[str, ...]:
        """The readings that have numbers."""
        found = {key.reading for key in self.repetitions}
        return tuple(reading for reading in READINGS if reading in found)

    def status(self, data_set: str, method: str) -> str:
        """Return ``"failed"`` or else ``"skipped"`` if there are such rows; otherwise ``""``."""
        return self._statuses.get((data_set, method), "")

    @cached_property
    def _statuses(self) -> dict[tuple[str, str], str]:
        # Absences are sorted. In reverse order failures come last and overwrite skipped rows.
        return {
            (data_set, method): absence.status
            for absence in reversed(self.absences)
            for data_set in absence.data_sets
            for method in absence.methods
        }

    def count(self, key: Key) -> int:
        """Return the number of complete repetitions."""
        return len(self.repetitions.get(key, ()))

    def values(self, key: Key, measure: str) -> dict[int, float]:
        """Return a measure by repetition."""
        return {one.number: getattr(one, measure) for one in self.repetitions.get(key, ())}

    def spread(self, key: Key, measure: str = "accuracy") -> Spread | None:
        """Return mean and standard deviation of a measure; None if it has no numbers."""
        values = list(self.values(key, measure).values())
        return Spread.of(values) if values and not any(map(math.isnan, values)) else None

    def means(self, reading: str, measure: str = "accuracy") -> FloatArray:
        """Return the means by data set (rows) and method (columns), with NaN for missing ones."""
        spreads = [
            [self.spread(Key(data_set, method, reading), measure) for method in self.methods]
            for data_set in self.data_sets
        ]
        means = [[math.nan if one is None else one.mean for one in line] for line in spreads]
        return np.array(means, dtype=float).reshape(len(self.data_sets), len(self.methods))


def summarise(rows: Iterable[Row], spec: Spec | None = None) -> Summary:
    """Summarise the rows of a study, which may come in any order.

    Without a specification, the rows define the folds and repetitions of the study, and it is
    unknown whether more are to come.

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
    """Yield the candidates of every repetition: the combinations that are done on all folds."""
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
        calibration_error=_mean(row.calibration_error for row in rows),
        splits=_mean(row.splits for row in rows),
        coefficients=_mean(row.coefficients for row in rows),
        seconds=_mean(map(_seconds, rows)),
        parameters=parameters,
    )


def _seconds(row: Row) -> float:
    return (row.build_seconds or 0.0) + (row.fit_seconds or 0.0)


def _mean(values: Iterable[float | None]) -> float:
    """Return the mean, the same for any order of the values; NaN if one is missing."""
    numbers = [math.nan if value is None else value for value in values]
    return math.fsum(numbers) / len(numbers)


def _preference(one: Repetition | Row) -> tuple[Any, ...]:
    """Return a sort key that is smallest for the preferred repetition or row."""
    splits = 0.0 if one.splits is None or math.isnan(one.splits) else one.splits
    accuracy = math.nan if one.accuracy is None else one.accuracy
    return -round(accuracy, DIGITS), round(splits, DIGITS), _in_grid(one.parameters)


@cache
def _in_grid(parameters: str) -> list[tuple[str, bool, float, str]]:
    """Return a sort key for a combination: parameters by name, numbers by size.

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
    """Return the failed and skipped rows, grouped by reason, methods and data sets."""
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
    """Return the number and time of the fits of the grid, with the time to pose the problems."""
    return _efforts(rows, "grid")


def choice_efforts(rows: Iterable[Row]) -> Efforts:
    """Return the number and time of the choices inside training folds, each with its last fit."""
    return _efforts(rows, "nested")


def _is_done(row: Row, reading: str) -> bool:
    return row.status == "done" and row.reading == reading


def _efforts(rows: Iterable[Row], reading: str) -> Efforts:
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row in rows:
        if _is_done(row, reading):
            found[row.data_set, row.method].append(_seconds(row))
    return {place: Effort(len(times), math.fsum(times)) for place, times in found.items()}


def best(values: Sequence[float]) -> set[int]:
    """Return the indices of the largest values; none if all are NaN.

    Examples
    --------
    >>> best([1.0, math.nan, 2.0, 2.0])
    {2, 3}
    """
    rounded = [round(value, DIGITS) for value in values]
    largest = max((value for value in rounded if not math.isnan(value)), default=math.nan)
    return {j for j, value in enumerate(rounded) if value == largest}


def notes(summary: Summary, readings: Sequence[str] = tuple(READINGS)) -> list[str]:
    """Return the notes below the tables: sources, readings, and missing numbers with reasons."""
    return [
        "Printed: Table 1 of Blanco, Japón and Puerto, https://doi.org/10.1007/s10994-023-06366-1.",
        "Best by fold: the combination of the grid with the highest accuracy on the test rows of "
        "each fold, an upper bound. Best by repetition: the one combination of the grid with the "
        "highest mean accuracy over the folds of a repetition. Nested: the combination that is "
        "chosen inside the training fold.",
        *_absence_notes(summary),
        *_unfinished_notes(summary, readings),
        *_unbegun_notes(summary),
    ]


def _absence_notes(summary: Summary) -> Iterator[str]:
    """Yield the failed and skipped rows with their number and reason."""
    for absence in summary.absences:
        methods = ", ".join(map(method_label, absence.methods))
        who = "all methods" if absence.methods == summary.methods else methods
        rows = "1 row" if absence.n_rows == 1 else f"{absence.n_rows} rows"
        where = ", ".join(absence.data_sets)
        why = absence.message or "no reason was given"
        yield f"{absence.status.capitalize()} ({rows}): {who} on {where}: {why}"


def _unfinished_notes(summary: Summary, readings: Sequence[str]) -> Iterator[str]:
    """Yield the methods with fewer repetitions than planned that were not skipped."""
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
    """Yield the methods and data sets of the specification that have no rows yet."""
    if summary.spec is None:
        yield (
            "The specification is not known, since the file of the sessions is not beside the file "
            "of the rows. More folds and repetitions may have been planned than are shown."
        )
        return
    wanted = {
        "methods": [method_label(m) for m in summary.spec.methods if m not in summary.methods],
        "data sets": [name for name in summary.spec.data_sets if name not in summary.data_sets],
    }
    for what, names in wanted.items():
        if names:
            yield f"No rows yet for the {what} {', '.join(names)}."
