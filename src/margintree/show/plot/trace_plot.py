"""Cost and bound over the time of a fit."""

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
"""Largest height of visible costs above the last cost, as a multiple of the widest gap."""


def plot_trace(model: Any, ax: "Axes | None" = None) -> "Axes":
    """Draw the best cost and the best bound at every moment of a fit.

    The bound is a lower bound on the cost of any tree, so the optimum is in the grey area between
    the two lines. When they meet, the tree is proved optimal. The costs of the first trees may be
    above the picture.

    Parameters
    ----------
    model : TreeClassifier or Result
        A fitted classifier, or its ``result_``.
    ax : Axes, optional
        The axes to draw on; by default those of a new figure.

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
    if not isinstance(model, Result):
        check_is_fitted(model)
    result: Result = model if isinstance(model, Result) else model.result_
    if not result.trace:
        raise InvalidInputError(
            "A trace must have at least one point; this result has none. "
            "Give the classifier or the result of a fit."
        )
    # The last cost and bound hold until the end of the fit.
    end = max(result.seconds, result.trace[-1].seconds), result.objective, result.bound
    seconds, costs, bounds = np.array([*result.trace, end]).T
    ax = axes_or_new(ax, 6.4, 4.0)
    ax.fill_between(seconds, bounds, costs, step="post", color=_BETWEEN, linewidth=0)
    ax.step(seconds, costs, where="post", color=_OBJECTIVE, label="cost of the best tree")
    ax.step(seconds, bounds, where="post", color=_BOUND, linestyle="--", label="bound")
    ax.set_ylim(*_limits(costs, bounds))
    ax.set_xlabel("seconds")
    ax.set_ylabel("cost")
    known = f"best cost {result.objective:.4g}, bound {result.bound:.4g}, gap {result.gap:.1%}"
    proved = f"proved optimal at {result.objective:.4g}"
    ax.set_title(proved if result.is_optimal else known, color=INK)
    ax.legend()
    return ax


def _limits(costs: "np.ndarray[Any, Any]", bounds: "np.ndarray[Any, Any]") -> tuple[float, float]:
    """Return limits that show all bounds, and all costs that do not dwarf the rest."""
    low = bounds[np.isfinite(bounds)].min(initial=costs[-1])
    gap = max(costs[-1] - low, 1e-3 * abs(costs[-1]), 1e-9)
    high = min(costs[np.isfinite(costs)].max(), costs[-1] + _HEADROOM * gap)
    return low - 0.08 * gap, high + 0.15 * gap
