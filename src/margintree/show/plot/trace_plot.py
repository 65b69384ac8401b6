"""How objective and bound came together."""

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from margintree._lib.exceptions import InvalidInputError
from margintree.core.result import Result
from margintree.show.plot._style import INK, axes_or_new

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_OBJECTIVE, _BOUND, _BETWEEN = "#d55e00", "#0072b2", "#e4e4e4"
_HEADROOM = 0.6
"""Costs farther above the last one than this many times the widest gap are left out of sight."""


def plot_trace(model: Any, ax: "Axes | None" = None) -> "Axes":
    """Draw the best cost and the best bound that were known at every moment of a fit.

    No tree costs less than the bound, so the optimum lies in the grey area between the two lines;
    when they meet, the tree is proved optimal. The costs of the very first trees may lie above the
    picture.

    Parameters
    ----------
    model : TreeClassifier or Result
        A fitted classifier, or its ``result_``.
    ax : Axes, optional
        Where to draw; by default on a new figure.

    Returns
    -------
    Axes

    Examples
    --------
    >>> from margintree import MOCTSVMClassifier
    >>> from margintree.show.plot import plot_trace
    >>> clf = MOCTSVMClassifier(max_depth=1).fit([[0.0], [0.1], [1.0]], ["a", "a", "b"])
    >>> plot_trace(clf).get_xlabel()
    'seconds'
    """
    result = _result(model)
    if not result.trace:
        raise InvalidInputError(
            "A trace with at least one point is needed to draw it; this result has none. "
            "Give the classifier or the result of a fit."
        )
    seconds, costs, bounds = np.array([*result.trace, _last(result)]).T
    ax = axes_or_new(ax, 6.4, 4.0)
    ax.fill_between(seconds, bounds, costs, step="post", color=_BETWEEN, linewidth=0)
    ax.step(seconds, costs, where="post", color=_OBJECTIVE, label="cost of the best tree")
    ax.step(seconds, bounds, where="post", color=_BOUND, linestyle="--", label="bound")
    ax.set_ylim(*_limits(costs, bounds))
    ax.set_xlabel("seconds")
    ax.set_ylabel("cost")
    ax.set_title(_title(result), color=INK)
    ax.legend()
    return ax


def _result(model: Any) -> Result:
    if isinstance(model, Result):
        return model
    check_is_fitted(model)
    result: Result = model.result_
    return result


def _last(result: Result) -> tuple[float, float, float]:
    """Return the end of the fit, to which the last cost and bound hold."""
    return max(result.seconds, result.trace[-1].seconds), result.objective, result.bound


def _limits(costs: "np.ndarray[Any, Any]", bounds: "np.ndarray[Any, Any]") -> tuple[float, float]:
    """Return limits that show all bounds, and the costs as far as they do not dwarf the rest."""
    low = bounds[np.isfinite(bounds)].min(initial=costs[-1])
    gap = max(costs[-1] - low, 1e-3 * abs(costs[-1]), 1e-9)
    high = min(costs[np.isfinite(costs)].max(), costs[-1] + _HEADROOM * gap)
    return low - 0.08 * gap, high + 0.15 * gap


def _title(result: Result) -> str:
    if result.is_optimal:
        return f"proved optimal at {result.objective:.4g}"
    return f"best cost {result.objective:.4g}, bound {result.bound:.4g}, gap {result.gap:.1%}"
