"""The trees of a choice over budgets and prices of features, for the slider of a report."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from margintree.core.limits import Clock, Limits
from margintree.core.method import Method
from margintree.core.problem import Problem
from margintree.core.result import Reason, Result
from margintree.core.tree import ObliqueTree
from margintree.estimators._candidates import is_same
from margintree.estimators._given import adapted, why_unfit
from margintree.methods.choose import Choice
from margintree.methods.path import Point, path

BUDGETS = ("max_features_per_split", "max_features", "c4")


def best_of_budgets(points: Sequence[Point], tried: Mapping[str, Any], best: int) -> list[int]:
    """Return the index of the best point of every budget, from many features to few.

    Parameters
    ----------
    points : sequence of mapping
        Combinations of parameters.
    tried : mapping
        The ``cv_results_`` of the choice.
    best : int
        The index of the chosen point, which stands for its budget.

    Examples
    --------
    >>> points = [{"c1": c1, "max_features": most} for most in (1, None) for c1 in (1.0, 10.0)]
    >>> tried = {"params": points, "rank_test_score": [4, 3, 1, 2]}
    >>> best_of_budgets(points, tried, best=3)
    [3, 1]
    """
    chosen: dict[tuple[float, ...], int] = {}
    for k in sorted(range(len(points)), key=lambda k: (k != best, _rank(tried, points[k]))):
        chosen.setdefault(_strictness(points[k]), k)
    return [chosen[budget] for budget in sorted(chosen)]


def _strictness(point: Point) -> tuple[float, ...]:
    """Return budgets and price of a point as numbers that grow with what they ask for."""
    budgets = [point.get(name) or np.inf for name in BUDGETS[:2]]
    return (*(-float(budget) for budget in budgets), float(point.get("c4", 0.0)))


def _line(tried: Mapping[str, Any], point: Point) -> int:
    """Return the line of a point in the results of a choice, that of its last round."""
    lines = [k for k, other in enumerate(tried["params"]) if is_same(other, point)]
    return min(lines, key=lambda k: int(tried["rank_test_score"][k]))


def _rank(tried: Mapping[str, Any], point: Point) -> int:
    return int(tried["rank_test_score"][_line(tried, point)])


def score_of(tried: Mapping[str, Any], point: Point) -> tuple[float, float]:
    """Return the mean score of a point on rows left out, and its standard error over the folds.

    Examples
    --------
    >>> scores = {"split0_test_score": [0.8], "split1_test_score": [1.0]}
    >>> tried = {"params": [{}], "rank_test_score": [1], "mean_test_score": [0.9], **scores}
    >>> [float(round(number, 3)) for number in score_of(tried, {})]
    [0.9, 0.1]
    """
    k = _line(tried, point)
    by_fold = [line[k] for name, line in tried.items() if name.startswith("split")]
    scores = np.array([score for score in by_fold if not np.isnan(score)])
    error = scores.std(ddof=1) / np.sqrt(len(scores)) if len(scores) > 1 else np.nan
    return float(tried["mean_test_score"][k]), float(error)


def name_of(point: Point, result: Result) -> str:
    """Return the words for a point, which say so if its tree was not searched for to any end."""
    was_stopped = result.limit == "time" or result.reason is Reason.INTERRUPTED
    is_unsearched = was_stopped and not result.iterations and not result.is_optimal
    return words_of(point) + (", not finished" if is_unsearched else "")


def fair_path(
    method: Method, rows: Problem, points: Sequence[Point], limits: Limits, clock: Clock
) -> tuple[list[Result], bool]:
    """Return the results of a path whose searches share the time, and whether it was interrupted.

    Half a path is none, so an interrupt leaves results that were not searched for.
    """
    try:
        return path(method, rows, points, limits, clock, is_fair=True), False
    except KeyboardInterrupt:
        return path(method, rows, points, limits, Clock(0.0)), True


def known_trees(rounds: Sequence[Choice], point: Point) -> list[ObliqueTree]:
    """Return the trees of a point in the last round of a choice that tried it."""
    for choice in reversed(rounds):
        for k, other in enumerate(choice.points):
            if is_same(other, point) and choice.trials:
                return choice.trees(k)
    return []


def no_worse_than(
    trees: Sequence[ObliqueTree], method: Method, problem: Problem, result: Result
) -> Result:
    """Return a result that was cut short with the best of these trees, if it costs less."""
    known = [adapted(tree, problem) for tree in trees if not why_unfit(tree, problem)]
    if result.limit != "time" or not known:
        return result
    # Splits of other rows often run too close to some of these rows.
    known += [method.fitted_to(problem, tree) for tree in known]
    best = method.search(problem, Limits(seconds=0.0, gap=result.gap_limit), known)
    is_better = best.objective < result.objective
    return replace(result, tree=best.tree, cost=best.cost) if is_better else result


def words_of(point: Point) -> str:
    """Return the budgets and the price of a point in words.

    Examples
    --------
    >>> words_of({"max_features_per_split": 1}), words_of({"max_features_per_split": None})
    ('1 feature per split', 'all features')
    >>> words_of({"max_features": 5, "c4": 25.0})
    'at most 5 features in the tree, price 25'
    """
    words = []
    for name, place in zip(BUDGETS[:2], ("per split", "in the tree"), strict=True):
        if most := point.get(name):
            words.append(f"at most {most} features {place}" if most > 1 else f"1 feature {place}")
    if point.get("c4"):
        words.append(f"price {point['c4']:g}")
    return ", ".join(words) or "all features"
