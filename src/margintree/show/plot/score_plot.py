"""The score of a parameter search over two of its parameters."""

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from margintree._lib.arrays import FloatArray, IntArray
from margintree._lib.exceptions import InvalidInputError
from margintree.show.plot._style import axes_or_new

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_NUMBERS = 150
"""Largest number of cells that show their scores as numbers."""
_CORNERS_X, _CORNERS_Y = np.array([[-0.5, 0.5, 0.5, -0.5], [-0.5, -0.5, 0.5, 0.5]])


def plot_scores(search: Any, x: str = "c1", y: str = "c2", ax: "Axes | None" = None) -> "Axes":
    """Draw the mean test score over two parameters, and mark the best.

    If other parameters were tried as well, a cell shows the best score over them. A combination
    that failed or was not tried leaves its cell empty.

    Parameters
    ----------
    search : GridSearchCV or mapping
        A fitted search, or its ``cv_results_``: a mapping with ``params`` and ``mean_test_score``.
    x, y : str
        The parameters. For a pipeline you may omit the name of the step: ``"c1"`` finds
        ``"moctsvmclassifier__c1"``.
    ax : Axes, optional
        The axes to draw on; by default those of a new figure.

    Returns
    -------
    Axes

    Examples
    --------
    >>> from margintree.show.plot import plot_scores
    >>> tried = [{"c1": a, "c2": b} for a in (1, 10) for b in (0.1, 1)]
    >>> ax = plot_scores({"params": tried, "mean_test_score": [0.7, 0.8, 0.9, 0.8]})
    >>> ax.get_title()
    'best 0.900 at c1 = 10, c2 = 0.1'
    """
    search = results_of(search)
    axis_x, axis_y = (_full_name(search["params"], name) for name in (x, y))
    params, scores = _trials(search, {axis_x, axis_y})
    if not np.isfinite(scores).any():
        raise InvalidInputError(
            "At least one mean_test_score must be a number; all are NaN. "
            "Set error_score='raise' in the search to see why."
        )
    columns, column = _levels(params, axis_x)
    rows, row = _levels(params, axis_y)
    surface = np.full((len(rows), len(columns)), np.nan)
    np.fmax.at(surface, (row, column), scores)
    best = int(np.nanargmax(scores))
    ax = axes_or_new(ax, 2.0 + 0.62 * max(5, len(columns)), 1.4 + 0.42 * max(5, len(rows)))
    _draw_surface(ax, surface, _label(params, {axis_x, axis_y}))
    x_best, y_best = column[best] + _CORNERS_X, row[best] + _CORNERS_Y
    ax.fill(x_best, y_best, fill=False, edgecolor="#d55e00", linewidth=3, clip_on=False, zorder=3)
    ax.set_xticks(range(len(columns)), [_shown(value) for value in columns])
    ax.set_yticks(range(len(rows)), [_shown(value) for value in rows])
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    where = ", ".join(f"{name.split('__')[-1]} = {_shown(v)}" for name, v in params[best].items())
    ax.set_title(f"best {scores[best]:.3f} at {where}")
    return ax


def results_of(search: Any) -> Mapping[str, Any]:
    """Return the ``cv_results_`` of a search over parameters, which may be given themselves."""
    if isinstance(search, Mapping):
        return search
    if hasattr(search, "fit"):
        check_is_fitted(search)
    if not hasattr(search, "cv_results_"):
        raise InvalidInputError(
            "The scores of a search over parameters are needed; a "
            f"{type(search).__name__} has none. Fit a GridSearchCV or a classifier whose name ends "
            "in CV."
        )
    results: Mapping[str, Any] = search.cv_results_
    return results


def _full_name(params: Sequence[Mapping[str, Any]], name: str) -> str:
    """Return the full name of a parameter in the search."""
    known = sorted({known for given in params for known in given})
    found = [known_ for known_ in known if known_ == name or known_.endswith(f"__{name}")]
    if len(found) != 1:
        raise InvalidInputError(
            f"The parameters to draw must be two of those searched, {known}; {name!r} was given. "
            "Give x and y by their full names."
        )
    return found[0]


def _trials(
    results: Mapping[str, Any], names: set[str]
) -> tuple[list[Mapping[str, Any]], FloatArray]:
    """Return parameters and scores of the trials that set the parameters of these names."""
    trials = zip(results["params"], results["mean_test_score"], strict=True)
    chosen = [(params, score) for params, score in trials if names <= params.keys()]
    if not chosen or len(names) != 2:
        raise InvalidInputError(
            f"The parameters to draw must be two that were tried together; {sorted(names)} were "
            "given. Choose another x or y."
        )
    return [params for params, _ in chosen], np.array([score for _, score in chosen], dtype=float)


def _levels(params: Sequence[Mapping[str, Any]], name: str) -> tuple[list[Any], IntArray]:
    """Return the values of a parameter, numbers first, and the position of each trial's value."""
    values = [given[name] for given in params]
    tried = list(dict.fromkeys(values))
    numbers = [value for value in tried if isinstance(value, Real)]
    levels = sorted(numbers) + [value for value in tried if not isinstance(value, Real)]
    return levels, np.array([levels.index(value) for value in values])


def _label(params: Sequence[Mapping[str, Any]], drawn: set[str]) -> str:
    others = sorted({name.split("__")[-1] for given in params for name in given.keys() - drawn})
    return "mean test score" + (f", best over {', '.join(others)}" if others else "")


def _draw_surface(ax: "Axes", surface: FloatArray, label: str) -> None:
    rows, columns = (np.arange(count + 1) - 0.5 for count in surface.shape)
    cells = ax.pcolormesh(columns, rows, surface, cmap="cividis")
    ax.figure.colorbar(cells, ax=ax, label=label)
    if surface.size > _MOST_NUMBERS:
        return
    middle = (np.nanmin(surface) + np.nanmax(surface)) / 2
    for row, column in np.argwhere(np.isfinite(surface)):
        value = surface[row, column]
        colour = "black" if value > middle else "white"
        ax.text(column, row, f"{value:.2f}", ha="center", va="center", size="small", color=colour)


def _shown(value: Any) -> str:
    """Return a number in few digits, and any other value as text.

    Examples
    --------
    >>> _shown(0.10000000000000002), _shown("search")
    ('0.1', 'search')
    """
    return f"{value:.4g}" if isinstance(value, int | float | np.number) else str(value)
