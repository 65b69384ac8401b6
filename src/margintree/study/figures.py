"""Pictures of a study; a method has the same colour and marker in all of them."""

import io
import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from margintree._lib.arrays import AnyArray, BoolArray
from margintree._lib.exceptions import InvalidInputError
from margintree._lib.extras import imported
from margintree.show.plot._style import FAINT, INK, axes_or_new
from margintree.study.compare import contest
from margintree.study.names import READINGS, method_label
from margintree.study.result_tables import printed
from margintree.study.statistics import LEVEL, friedman
from margintree.study.summary import Key, Summary

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LOOKS = {
    "cart": ("#0072b2", "o"),
    "oct": ("#56b4e9", "s"),
    "octh": ("#009e73", "^"),
    "octh-margin": ("#009e73", "v"),
    "moctsvm": ("#d55e00", "D"),
    "moctsvm-default": ("#d55e00", "o"),
    "class-tree": ("#d55e00", "s"),
    "class-tree-products": ("#d55e00", "^"),
    "octsvm": ("#e69f00", "v"),
    "svm-ovo": (INK, "P"),
    "svm-ova": (FAINT, "X"),
    "svm-crammer-singer": (FAINT, "P"),
    "svm-rbf": (INK, "*"),
    "forest": (INK, "d"),
    "stree": ("#cc79a7", "<"),
    "contree": ("#f0e442", ">"),
}
"""Colours of Okabe and Ito, and markers for readers who cannot tell the colours apart."""
_OTHER = (FAINT, "h")
_METADATA: dict[str, dict[str, None]] = {
    "png": {"Software": None},
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
}
"""Metadata to leave out, so that the same rows give the same file."""
_LEAST = {"seconds": 1e-6, "coefficients": 1.0}
"""The least values on logarithmic axes: a clock may measure 0 seconds, and a tree may not split."""
_HAIR: dict[str, Any] = {"color": "#dddddd", "linewidth": 0.8, "zorder": 0}


def plot_accuracies(summary: Summary, reading: str, ax: "Axes | None" = None) -> "Axes":
    """Draw the accuracy of every method on every data set.

    A marker is the mean over the repetitions, and its bar is one standard deviation to either
    side. A black stroke is the number that the paper prints for the method.
    """
    names, methods = _with_numbers(summary, reading)
    step = 0.8 / len(methods)
    ax = axes_or_new(ax, 9.0, 1.4 + len(names) * (0.09 * len(methods) + 0.12))
    strokes: list[tuple[float, float]] = []
    for j, method in enumerate(methods):
        heights = np.arange(float(len(names))) + step * (j - (len(methods) - 1) / 2)
        spreads = [summary.spread(Key(name, method, reading)) for name in names]
        known = [(y, 100 * s.mean, 100 * s.sd) for y, s in zip(heights, spreads, strict=True) if s]
        y, mean, sd = np.array(known).T
        colour, marker = _look(method)
        ax.errorbar(
            mean,
            y,
            xerr=np.nan_to_num(sd),
            fmt=marker,
            color=colour,
            markeredgecolor=INK,
            markeredgewidth=0.4,
            markersize=5,
            ecolor=FAINT,
            elinewidth=1,
            label=method_label(method),
        )
        strokes += _strokes(names, method, heights)
    if strokes:
        ax.plot(*np.array(strokes).T, "|", color="black", markeredgewidth=1.6, label="printed")
    for border in np.arange(len(names) + 1) - 0.5:
        ax.axhline(border, **_HAIR)
    ax.set_yticks(range(len(names)), [name.replace("_", " ") for name in names])
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.set_xlabel("accuracy on the test rows (%)")
    ax.set_title(f"Accuracy by method and data set, {READINGS[reading]}")
    _legend_beside(ax)
    return ax


def plot_ranks(summary: Summary, reading: str, ax: "Axes | None" = None) -> "Axes":
    """Draw the average ranks of the methods; a bar joins methods that do not differ.

    No two methods under one bar differ by Wilcoxon's test with Holm's correction for all pairs.
    Raise InvalidInputError if fewer than three methods share two data sets.
    """
    found = contest(summary, reading)
    ranking = friedman(found.scores)
    ranks = np.array(ranking.ranks)
    order = np.argsort(ranks, kind="stable")
    runs = list(_runs(ranking.p_values[np.ix_(order, order)] > LEVEL))
    n_methods = len(ranks)
    first = 0.7 + 0.3 * len(runs)
    n_left = (n_methods + 1) // 2
    ax = axes_or_new(ax, 8.0, 1.0 + 0.28 * (first + n_left))
    for place, j in enumerate(order):
        is_left = place < n_left
        level = -first - (place if is_left else n_methods - 1 - place)
        _draw_method(ax, found.methods[j], ranks[j], level, 0.8 if is_left else n_methods + 0.2)
    for i, run in enumerate(runs):
        low, high = ranks[order[list(run)]]
        height = -0.45 - 0.3 * i
        ax.plot([low - 0.03, high + 0.03], [height, height], color=INK, linewidth=4, zorder=3)
    _draw_rank_axis(ax, n_methods)
    ax.set_xlim(-0.1 * n_methods, 1.1 * n_methods + 1)
    ax.set_ylim(-first - n_left + 0.3, 1.2)
    ax.set_axis_off()
    ax.set_title(
        f"Average ranks over {len(found.data_sets)} data sets, {READINGS[reading]}: methods that a "
        f"bar joins do not differ (Wilcoxon, Holm, {LEVEL:.0%})",
        fontsize="medium",
    )
    return ax


def plot_splits(summary: Summary, reading: str, ax: "Axes | None" = None) -> "Axes":
    """Draw the accuracy of every method against the number of splits of its trees."""
    ax = _scatter(summary, reading, "splits", ax)
    ax.set_xlim(left=0)
    ax.set_xlabel("splits of a tree, mean over repetitions")
    ax.set_title(f"Accuracy against size, {READINGS[reading]}")
    return ax


def plot_coefficients(summary: Summary, reading: str, ax: "Axes | None" = None) -> "Axes":
    """Draw the accuracy of every method against the number of its coefficients."""
    ax = _scatter(summary, reading, "coefficients", ax)
    ax.set_xlabel("coefficients that are not 0, mean over repetitions")
    ax.set_title(f"Accuracy against what there is to read, {READINGS[reading]}")
    return ax


def plot_seconds(summary: Summary, reading: str, ax: "Axes | None" = None) -> "Axes":
    """Draw the accuracy of every method against the time of a fit."""
    ax = _scatter(summary, reading, "seconds", ax)
    what = "a choice and its fit" if reading == "nested" else "a fit"
    ax.set_xlabel(f"seconds of {what}, mean over repetitions")
    ax.set_title(f"Accuracy against time, {READINGS[reading]}")
    return ax


FIGURES: dict[str, Callable[[Summary, str], "Axes"]] = {
    "accuracy": plot_accuracies,
    "ranks": plot_ranks,
    "splits": plot_splits,
    "coefficients": plot_coefficients,
    "seconds": plot_seconds,
}
"""The pictures of a study by the names of their files."""


def picture(
    draw: Callable[[Summary, str], "Axes"], summary: Summary, reading: str, kind: str
) -> bytes:
    """Return the file of one of `FIGURES` as png, svg or pdf, the same for the same rows."""
    pyplot = imported("matplotlib.pyplot", extra="plot")
    file = io.BytesIO()
    with pyplot.rc_context({"svg.hashsalt": "margintree"}):
        figure: Any = draw(summary, reading).figure
        figure.savefig(file, format=kind, dpi=150, metadata=_METADATA[kind])
    pyplot.close(figure)
    return file.getvalue()


def _look(method: str) -> tuple[str, str]:
    return _LOOKS.get(method, _OTHER)


def _with_numbers(summary: Summary, reading: str) -> tuple[list[str], list[str]]:
    """Return the data sets and methods that have numbers."""
    is_known = ~np.isnan(summary.means(reading))
    if not is_known.any():
        raise InvalidInputError(
            f"A picture needs numbers of the reading {reading!r}; there are none yet. "
            "Run more of the study."
        )
    names = np.array(summary.data_sets, dtype=object)[is_known.any(axis=1)]
    methods = np.array(summary.methods, dtype=object)[is_known.any(axis=0)]
    return names.tolist(), methods.tolist()


def _strokes(names: list[str], method: str, heights: AnyArray) -> list[tuple[float, float]]:
    """Return the positions of the paper's accuracies of a method."""
    found = [(printed().get((name, method)), y) for name, y in zip(names, heights, strict=True)]
    return [(number.mean, y) for number, y in found if number is not None]


def _legend_beside(ax: "Axes") -> None:
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)


def _runs(are_alike: BoolArray) -> Iterator[tuple[int, int]]:
    """Yield the first and last place of the longest runs in which all methods are alike.

    Examples
    --------
    >>> list(_runs(np.abs(np.subtract.outer([1.0, 1.5, 2.4, 4.0], [1.0, 1.5, 2.4, 4.0])) < 1))
    [(0, 1), (1, 2)]
    """
    last = 0
    for i in range(len(are_alike)):
        j = i
        while j + 1 < len(are_alike) and are_alike[i : j + 2, i : j + 2].all():
            j += 1
        if j > max(i, last):
            yield i, j
            last = j


def _draw_method(ax: "Axes", method: str, rank: float, level: float, side: float) -> None:
    """Draw a line from the rank of a method down to its name at the side."""
    colour, marker = _look(method)
    ax.plot([rank, rank, side], [0, level, level], color=INK, linewidth=0.9)
    ax.plot(rank, 0, marker, color=colour, markeredgecolor=INK, markersize=7, zorder=4)
    is_left = side < rank
    name = method_label(method)
    text = f"{name}  {rank:.2f}" if is_left else f"{rank:.2f}  {name}"
    ax.text(side, level, f" {text} ", ha="right" if is_left else "left", va="center", color=INK)


def _draw_rank_axis(ax: "Axes", n_methods: int) -> None:
    ax.plot([1, n_methods], [0, 0], color=INK, linewidth=1.2)
    for rank in range(1, n_methods + 1):
        ax.plot([rank, rank], [0, 0.25], color=INK, linewidth=1.2)
        ax.text(rank, 0.4, str(rank), ha="center", va="bottom", color=INK)


def _scatter(summary: Summary, reading: str, measure: str, ax: "Axes | None") -> "Axes":
    """Draw accuracy against another measure: data sets as small markers, their mean as a large one.

    Accuracies are differences from the mean of all methods on the same data set. Otherwise easy
    and hard data sets would hide the differences between methods.
    """
    _with_numbers(summary, reading)
    accuracies = 100 * summary.means(reading)
    is_known = ~np.isnan(accuracies)
    totals = np.where(is_known, accuracies, 0.0).sum(axis=1)
    above = accuracies - (totals / np.maximum(is_known.sum(axis=1), 1))[:, None]
    values = summary.means(reading, measure)
    if np.isnan(values).all():
        raise InvalidInputError(
            f"A picture of accuracy against {measure} needs rows that have both; there are none of "
            f"the reading {reading!r}. Run the study again with this version."
        )
    is_log = measure in _LEAST
    if is_log:
        values = np.maximum(values, _LEAST[measure])
    ax = axes_or_new(ax, 7.0, 4.6)
    for j, method in enumerate(summary.methods):
        is_shown = ~np.isnan(above[:, j] + values[:, j])
        if not is_shown.any():
            continue
        x, y = values[is_shown, j], above[is_shown, j]
        colour, marker = _look(method)
        ax.plot(x, y, marker, color=colour, markersize=4, alpha=0.35, markeredgewidth=0)
        middle = math.exp(np.log(x).mean()) if is_log else x.mean()
        ax.plot(
            middle,
            y.mean(),
            marker,
            color=colour,
            markersize=11,
            markeredgecolor=INK,
            label=method_label(method),
            zorder=4,
        )
    ax.axhline(0.0, **_HAIR)
    if is_log:
        ax.set_xscale("log")
    ax.set_ylabel("accuracy above the mean of all methods (points)")
    _legend_beside(ax)
    return ax
