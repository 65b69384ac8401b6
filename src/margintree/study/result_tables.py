"""The tables of a study, laid out like Table 1 of the paper; `formats` writes them."""

import csv
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from statistics import fmean
from typing import NamedTuple

from margintree.study.names import MEASURES, READINGS, SCORES, SHARES, method_label
from margintree.study.store import Row
from margintree.study.summary import (
    Effort,
    Efforts,
    Key,
    Spread,
    Summary,
    best,
    choice_efforts,
    grid_efforts,
)

PRINTED_METHODS = ("cart", "oct", "octh", "moctsvm")
"""The methods of the printed table."""
_REPETITIONS = 5


@cache
def printed() -> dict[tuple[str, str], Spread]:
    """Return the printed numbers, in per cent, by data set and method.

    Examples
    --------
    >>> printed()["iris", "moctsvm"]
    Spread(mean=95.72, sd=1.79, repetitions=5)
    """
    text = files("margintree.study").joinpath("printed.csv").read_text(encoding="utf-8")
    return {
        (line["dataset"], method): Spread(
            float(line[method]), float(line[f"{method}_sd"]), _REPETITIONS
        )
        for line in csv.DictReader(text.splitlines())
        for method in PRINTED_METHODS
    }


OURS = "moctsvm"
"""The method that is compared with the others."""
RIVALS = (*(method for method in PRINTED_METHODS if method != OURS), "octh-margin")
"""The methods that the paper compares it with, and OCT-H at its best."""
PRINTED = "printed"
"""Stands for the numbers of the paper, in place of a reading."""
_NOTHING = "–"


class Cell(NamedTuple):
    """A cell: its text, and whether it is the best in its line."""

    text: str
    is_best: bool = False


Line = tuple[Cell, ...]


@dataclass(frozen=True)
class ResultTable:
    """A table to be shown."""

    title: str
    columns: tuple[str, ...]  # their headings
    rows: tuple[Line, ...]
    foot: tuple[Line, ...]  # lines below the body, such as means
    n_names: int = 1  # number of columns, from the left, that hold names; the others hold numbers


@dataclass(frozen=True)
class _View:
    """One measure of a summary: shares in per cent, with the printed numbers as a reading."""

    summary: Summary
    measure: str

    @property
    def is_share(self) -> bool:
        return self.measure in SHARES

    @property
    def is_score(self) -> bool:
        return self.measure in SCORES

    def number(self, data_set: str, method: str, reading: str) -> Spread | None:
        """Return mean and standard deviation; None if there are none."""
        if reading == PRINTED:
            return printed().get((data_set, method)) if self.measure == "accuracy" else None
        spread = self.summary.spread(Key(data_set, method, reading), self.measure)
        return spread.times(100.0) if spread and self.is_share else spread

    def means(self, reading: str, data_set: str) -> list[float]:
        """Return the means of all methods on a data set, with NaN for missing ones."""
        found = [self.number(data_set, method, reading) for method in self.summary.methods]
        return [math.nan if one is None else one.mean for one in found]

    def cells(self, data_set: str, reading: str) -> Iterator[Cell]:
        """Yield the number of every method on a data set, or its status if it has none."""
        winners = best(self.means(reading, data_set)) if self.is_score else set()
        for j, method in enumerate(self.summary.methods):
            number = self.number(data_set, method, reading)
            if number is not None:
                extent = "" if reading == PRINTED else self._extent(number)
                yield Cell(_spread(number, self.is_share) + extent, j in winners)
            elif reading == PRINTED:
                yield Cell("")
            else:
                yield Cell(self.summary.status(data_set, method) or _NOTHING)

    def _extent(self, number: Spread) -> str:
        """Return the number of repetitions if some are missing."""
        done, planned = number.repetitions, self.summary.planned
        return "" if done == planned else f" ({done} of {planned})"

    def gain(self, data_set: str, reading: str) -> Cell:
        """Return the lead of our method over the best of its rivals."""
        ours = self.number(data_set, OURS, reading)
        theirs = [(self.number(data_set, rival, reading), rival) for rival in RIVALS]
        known = [(number.mean, rival) for number, rival in theirs if number is not None]
        if ours is None or not known:
            return Cell("")
        mean, rival = max(known)
        keys = (Key(data_set, method, reading) for method in (OURS, rival))
        mine, other = (self.summary.values(key, self.measure) for key in keys)
        gains = [100.0 * (mine[number] - other[number]) for number in mine.keys() & other.keys()]
        sd = Spread.of(gains).sd if gains else math.nan
        return Cell(signed(ours.mean - mean) + _deviation(sd, ".2f"))

    def mean(self, method: str, reading: str) -> str:
        """Return the mean over the data sets, with their number if some are missing."""
        found = [self.number(name, method, reading) for name in self.summary.data_sets]
        known = [number.mean for number in found if number is not None]
        if not known:
            return ""
        extent = "" if len(known) == len(found) else f" ({len(known)} sets)"
        return f"{_shown(fmean(known), self.is_share)}{extent}"

    def wins(self, reading: str) -> list[float]:
        """Return the number of wins of every method; methods that tie share the data set."""
        wins = [0.0] * len(self.summary.methods)
        for data_set in self.summary.data_sets:
            winners = best(self.means(reading, data_set))
            for j in winners:
                wins[j] += 1 / len(winners)
        return wins


def results_table(
    summary: Summary, readings: Sequence[str] = tuple(READINGS), measure: str = "accuracy"
) -> ResultTable:
    """Return the table of a measure by data set; accuracies stand below the printed ones."""
    view = _View(summary, measure)
    methods = summary.methods
    kinds = [PRINTED, *readings] if measure == "accuracy" else list(readings)
    rivals = [method_label(rival) for rival in RIVALS if rival in methods]
    has_gain = view.is_score and OURS in methods and bool(rivals)
    rows: list[Line] = []
    for data_set in summary.data_sets:
        for i, kind in enumerate(kinds):
            gain = [view.gain(data_set, kind)] if has_gain else []
            name = Cell("" if i else data_set)
            rows.append((name, _kind(kind), *view.cells(data_set, kind), *gain))
    foot = [
        _foot("mean", kind, [view.mean(method, kind) for method in methods], has_gain)
        for kind in kinds
    ]
    if view.is_score:
        for kind in kinds:
            wins = [f"{count:.3g}" if count else "" for count in view.wins(kind)]
            foot.append(_foot("wins", kind, wins, has_gain))
    title = f"{MEASURES[measure]}: mean ± standard deviation over repetitions"
    heads = [f"{method_label(OURS)} − best of {', '.join(rivals)}"] if has_gain else []
    return ResultTable(
        title=title[0].upper() + title[1:],
        columns=("data set", "reading", *map(method_label, methods), *heads),
        rows=tuple(rows),
        foot=tuple(foot),
        n_names=2,
    )


def differences_table(
    summary: Summary, readings: Sequence[str] = tuple(READINGS)
) -> ResultTable | None:
    """Return our accuracies minus the printed ones; None if none can be compared."""
    view = _View(summary, "accuracy")
    columns = [(m, r) for r in readings for m in summary.methods if m in PRINTED_METHODS]
    data_sets = [name for name in summary.data_sets if (name, OURS) in printed()]
    found = [[_difference(view, name, *column) for column in columns] for name in data_sets]
    by_column = [[one for one in line if one is not None] for line in zip(*found, strict=True)]
    if not any(by_column):
        return None
    heads = (f"{method_label(method)}, {READINGS[reading]}" for method, reading in columns)
    means = (signed(fmean(known)) if known else "" for known in by_column)
    counts = (
        f"{sum(one >= 0 for one in known)} of {len(known)}" if known else "" for known in by_column
    )
    return ResultTable(
        title="Accuracy − printed accuracy, in points",
        columns=("data set", *heads),
        rows=tuple(
            (Cell(name), *(Cell(_NOTHING if one is None else signed(one)) for one in line))
            for name, line in zip(data_sets, found, strict=True)
        ),
        foot=(
            (Cell("mean"), *map(Cell, means)),
            (Cell("at or above printed"), *map(Cell, counts)),
        ),
    )


def speed_tables(rows: Sequence[Row], methods: Sequence[str]) -> list[ResultTable]:
    """Return the speed of methods by data set: of fits of the grid, and of nested choices."""
    fits, choices = grid_efforts(rows), choice_efforts(rows)
    return [
        _effort_table(title, efforts, methods, figure)
        for title, efforts, figure in (
            ("Fits of the grid per second and core, posing included", fits, Effort.per_second),
            ("Minutes of one core for all fits of the grid", fits, Effort.minutes),
            (
                "Seconds of one core for a choice inside a training fold and its fit",
                choices,
                Effort.each,
            ),
        )
        if efforts
    ]


def _effort_table(
    title: str, efforts: Efforts, methods: Sequence[str], figure: Callable[[Effort], float]
) -> ResultTable:
    data_sets = sorted({data_set for data_set, _ in efforts})

    def line(name: str, sets: Sequence[str]) -> Line:
        found = [[efforts.get((one, method), Effort()) for one in sets] for method in methods]
        figures = [figure(sum(by_set, start=Effort())) for by_set in found]
        return (Cell(name), *(Cell(_NOTHING if math.isnan(x) else f"{x:.3g}") for x in figures))

    return ResultTable(
        title=title,
        columns=("data set", *map(method_label, methods)),
        rows=tuple(line(name, [name]) for name in data_sets),
        foot=(line("all", data_sets),),
    )


def numbers(
    summary: Summary, readings: Sequence[str] = tuple(READINGS)
) -> tuple[list[str], list[list[object]]]:
    """Return columns and rows of all numbers for programs, with accuracies in per cent.

    If a method has no numbers on a data set, its cells are empty and its status says why. With the
    status ``"unfinished"`` the numbers are over fewer repetitions than planned.
    """
    columns = ["data_set", "method", "reading", "status", "repetitions", "planned"]
    columns += [name for measure in MEASURES for name in (measure, f"{measure}_sd")]
    columns += ["printed", "printed_sd", "difference"]
    views = [_View(summary, measure) for measure in MEASURES]
    rows: list[list[object]] = []
    for data_set in summary.data_sets:
        for method in summary.methods:
            for reading in readings:
                key = Key(data_set, method, reading)
                spreads = [view.number(*key) for view in views]
                row: list[object] = [*key, _status(summary, key), summary.count(key)]
                row.append(summary.planned)
                for spread in (*spreads, views[0].number(data_set, method, PRINTED)):
                    row += ["", ""] if spread is None else [_plain(spread.mean), _plain(spread.sd)]
                difference = _difference(views[0], *key)
                rows.append([*row, "" if difference is None else _plain(difference)])
    return columns, rows


def _status(summary: Summary, key: Key) -> str:
    """Return the progress of a method on a data set in one word."""
    count = summary.count(key)
    if not count:
        return summary.status(key.data_set, key.method) or "missing"
    return "done" if count == summary.planned else "unfinished"


def _difference(view: _View, data_set: str, method: str, reading: str) -> float | None:
    """Return our accuracy minus the printed one, in points."""
    ours, theirs = (view.number(data_set, method, kind) for kind in (reading, PRINTED))
    return None if ours is None or theirs is None else ours.mean - theirs.mean


def _kind(kind: str) -> Cell:
    return Cell(READINGS.get(kind, kind))


def _foot(name: str, kind: str, texts: Sequence[str], has_gain: bool) -> Line:
    return (Cell(name), _kind(kind), *map(Cell, texts), *([Cell("")] if has_gain else []))


def _spread(number: Spread, is_share: bool) -> str:
    """Return mean and standard deviation as text.

    Examples
    --------
    >>> _spread(Spread(95.719, 1.79, 5), is_share=True)
    '95.72 ±1.79'
    """
    return _shown(number.mean, is_share) + _deviation(number.sd, ".2f" if is_share else ".2g")


def _shown(value: float, is_share: bool) -> str:
    return f"{value:.2f}" if is_share else f"{value:.3g}"


def _deviation(sd: float, form: str) -> str:
    return "" if math.isnan(sd) else f" ±{sd:{form}}"


def signed(value: float) -> str:
    """Return a difference with its sign.

    Examples
    --------
    >>> signed(1.234), signed(-0.5)
    ('+1.23', '−0.50')
    """
    return f"{value:+.2f}".replace("-", "−")


def _plain(value: float) -> str:
    """Return a number as text for programs; NaN gives an empty text.

    Examples
    --------
    >>> _plain(95.0), _plain(math.nan)
    ('95', '')
    """
    return "" if math.isnan(value) else f"{value:.12g}"
