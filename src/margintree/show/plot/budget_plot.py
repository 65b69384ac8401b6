"""The score of a parameter search over budgets of features."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from margintree._lib.exceptions import InvalidInputError
from margintree.show.plot._style import FAINT, INK, axes_or_new
from margintree.show.plot.score_plot import results_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_READ = "#0072b2"


def plot_budgets(
    search: Any, budget: str = "max_features_per_split", ax: "Axes | None" = None
) -> "Axes":
    """Draw the score over a budget of features, and how many coefficients there are to read.

    For every value of the budget the picture shows the best mean test score over all other
    parameters, with its standard error over the folds, and the mean number of coefficients of the
    trees. None, which sets no budget, is the last value.

    Parameters
    ----------
    search : TreeClassifierCV or mapping
        A fitted choice, or its ``cv_results_``.
    budget : str
        The parameter: ``"max_features_per_split"``, ``"max_features"`` or ``"c4"``.
    ax : Axes, optional
        The axes to draw on; by default those of a new figure.

    Returns
    -------
    Axes

    Examples
    --------
    >>> from margintree import MOCTSVMClassifierCV
    >>> from margintree.show.plot import plot_budgets
    >>> X, y = [[0, 1], [1, 0], [2, 1], [6, 0], [7, 1], [8, 0]], [0, 0, 0, 1, 1, 1]
    >>> candidates = {"max_depth": 1, "c1": 10.0, "max_features_per_split": [1, None]}
    >>> clf = MOCTSVMClassifierCV(candidates=candidates, cv=3).fit(X, y)
    >>> plot_budgets(clf).get_xlabel()
    'max_features_per_split'
    """
    search = results_of(search)
    if f"param_{budget}" not in search or "mean_coefficients" not in search:
        raise InvalidInputError(
            f"plot_budgets needs the scores of a TreeClassifierCV that has tried values of "
            f"{budget!r}; these results have not. Give it candidates for {budget!r}, or name "
            "another budget."
        )
    values = list(search[f"param_{budget}"])
    levels = sorted({*values}, key=lambda value: np.inf if value is None else value)
    best = [_best_at(search, values, level) for level in levels]
    n_folds = sum(name.startswith("split") and name.endswith("_test_score") for name in search)
    scores = np.asarray(search["mean_test_score"])[best]
    errors = np.asarray(search["std_test_score"])[best] / np.sqrt(max(n_folds, 1))
    ax = axes_or_new(ax, 1.6 + 0.7 * max(5, len(levels)), 3.4)
    places = np.arange(len(levels))
    ax.errorbar(places, scores, errors, color=INK, marker="o", capsize=3)
    ax.set_xticks(places, ["all" if level is None else f"{level:g}" for level in levels])
    ax.set_xlabel(budget)
    ax.set_ylabel("mean test score")
    read = ax.twinx()
    read.plot(places, np.asarray(search["mean_coefficients"])[best], color=_READ, linestyle="--")
    read.set_ylabel("coefficients to read", color=_READ)
    read.set_ylim(bottom=0)
    ax.grid(axis="y", color=FAINT, alpha=0.3)
    return ax


def _best_at(search: Mapping[str, Any], values: list[Any], level: Any) -> int:
    """Return the index of the best trial at a value of the budget."""
    scores = np.nan_to_num(np.asarray(search["mean_test_score"], dtype=float), nan=-np.inf)
    return max(
        (k for k, value in enumerate(values) if value == level), key=lambda k: float(scores[k])
    )
