"""What users give to a choice of parameters, checked: combinations, divisions and scores."""

from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.model_selection import check_cv

from margintree._lib.exceptions import InvalidInputError
from margintree._lib.remedies import check_parameters
from margintree._lib.suggestion import did_you_mean
from margintree._lib.warn import warn_user
from margintree.estimators._plain import MethodClassifier
from margintree.methods.choose import DIVISION_SEED, Choice, Data, Division, divide
from margintree.methods.path import Point

WITHOUT_BUDGETS: Mapping[str, Any] = {
    "space": "box",
    "c4": 0.0,
    "max_features_per_split": None,
    "max_features": None,
    "points": None,
    "rounding": None,
    "start": None,
}
"""The parameters of a classifier whose splits may see products as well as columns."""


def has_no_budgets(plain: MethodClassifier) -> bool:
    """Tell whether splits of a classifier may see products in place of columns alone."""
    given = plain.get_params(deep=False)
    return all(given.get(name) == usual for name, usual in WITHOUT_BUDGETS.items())


def check_scores(choice: Choice) -> None:
    """Warn if scores of some combinations are NaN; raise InvalidInputError if all are."""
    n_unknown = int(np.isnan(choice.mean_scores).sum()) if choice.trials else 0
    remedy = (
        "Check that the score exists on every fold: some need rows of every class, or "
        "probabilities of two classes. Take another scoring or fewer folds (cv)."
    )
    if n_unknown == len(choice.points):
        raise InvalidInputError(f"scoring must give numbers; it gave NaN to all trees. {remedy}")
    if n_unknown:
        warn_user(
            f"scoring gave NaN to {n_unknown} of {len(choice.points)} combinations, which cannot "
            f"be chosen. {remedy}",
            UserWarning,
        )


def checked_divisions(divisions: Iterable[Division], data: Data) -> list[Division]:
    """Return divisions as lists of row numbers; raise InvalidInputError if one is of no use."""
    rows = np.arange(len(data.y))
    try:
        checked = [(rows[np.asarray(learn)], rows[np.asarray(test)]) for learn, test in divisions]
    except (IndexError, TypeError, ValueError) as error:
        raise InvalidInputError(
            f"cv must give pairs of row numbers from 0 to {len(rows) - 1}; taking rows by them "
            f"failed ({error}). Correct the numbers, or give a number of folds."
        ) from error
    if not checked or any(data.weights[part].sum() <= 0 for pair in checked for part in pair):
        raise InvalidInputError(
            f"cv must give at least one pair of rows to learn from and rows to test on, both with "
            f"a positive weight; {len(checked)} pairs were given. A generator can be used only "
            "once: give a list, or a number of folds."
        )
    return checked


def divisions_of(cv: Any, data: Data, name: str) -> list[Division]:
    """Return pairs of the rows to learn from and the rows to test on, whatever the seed.

    The name is that of the classifier, for messages.
    """
    if not isinstance(cv, Integral):
        return checked_divisions(check_cv(cv).split(data.X, data.y), data)
    most = int(np.bincount(data.y).max())
    if most < 2:
        raise InvalidInputError(
            "Cross-validation needs two different rows of some class; every class has one row, "
            f"n_samples = {len(data.y)}. Give more rows, or fit a {name} with fixed parameters."
        )
    folds = divide(data.y, min(int(cv), most), DIVISION_SEED)
    return [(others, fold) for fold, others in folds]


def is_count(size: Any) -> bool:
    """Tell whether this is a positive whole number."""
    return isinstance(size, Integral) and int(size) >= 1


def values_of(name: str, given: Any) -> list[Any]:
    """Return the values of a parameter to choose from."""
    is_list = isinstance(given, list | tuple | np.ndarray)
    values: list[Any] = (
        (given.tolist() if isinstance(given, np.ndarray) else list(given)) if is_list else [given]
    )
    if not values:
        raise InvalidInputError(
            f"candidates must give a value or a list of values to choose from for {name}; "
            f"{given!r} was given. Give at least one value, or omit {name} for its usual values."
        )
    return values


def check_list(given: Sequence[Any]) -> None:
    """Raise InvalidInputError unless these are combinations of the same parameters."""
    are_mappings = all(isinstance(point, Mapping) for point in given)
    if not given or not are_mappings or any({*point} != {*given[0]} for point in given):
        raise InvalidInputError(
            "candidates must be a mapping of names to values, or a list of mappings with the same "
            f"names; {given!r:.200} was given. Give every combination a value for every name."
        )


def check_point(point: Point, plain: MethodClassifier) -> None:
    """Raise InvalidInputError unless the classifier accepts these parameters."""
    allowed = plain._method.parameters
    for name in point:
        if name not in allowed or name not in plain._get_param_names():
            raise InvalidInputError(
                f"candidates must name parameters of the problem that a {type(plain).__name__} "
                f"solves, {', '.join(allowed)}; {name!r} was given. "
                f"{did_you_mean(name, allowed)}Set other parameters in the classifier itself, the "
                "estimator."
            )
    check_parameters(plain, point)


def is_same(one: Point, other: Point) -> bool:
    """Return whether two combinations have the same values, some of which may be arrays.

    Examples
    --------
    >>> is_same({"c1": 1.0, "prices": np.ones(3)}, {"c1": 1.0, "prices": np.ones(3)})
    True
    """
    return one.keys() == other.keys() and all(
        value is other[name] or np.array_equal(value, other[name]) for name, value in one.items()
    )


def index_of(chosen: Point, points: Sequence[Point]) -> int:
    """Return the index of a combination among several."""
    return next(k for k, point in enumerate(points) if is_same(point, chosen))


def place_of(usual: Point, points: Sequence[Point]) -> int:
    """Return the index of the usual combination."""
    matches = [
        k
        for k, point in enumerate(points)
        if all(name in point and point[name] == value for name, value in usual.items())
    ]
    if len(matches) == 1:
        return matches[0]
    raise InvalidInputError(
        f"usual must be one of the combinations of candidates; {dict(usual)!r} was given, which "
        f"fits {len(matches)} of them. Add it "
        "to the candidates, or leave usual out."
    )


def sizes_of_rounds(given: Any, divisions: Sequence[Division]) -> list[int | None]:
    """Return the maximum numbers of rows of the rounds, without rounds that change nothing."""
    sizes = [*given] if isinstance(given, Sequence) else [given]
    if not sizes or not all(size is None or is_count(size) for size in sizes):
        raise InvalidInputError(
            "path_rows must be a number of rows of at least 1, None for no limit, or a list of "
            f"such numbers; {given!r:.60} was given. Correct it or leave it out."
        )
    most = max(len(learn) for learn, _ in divisions)
    enough = [k for k, size in enumerate(sizes) if size is None or size >= most]
    return sizes[: enough[0] + 1] if enough else sizes


def best_elsewhere(rounds: Sequence[Choice], spaces: Sequence[str]) -> list[Point]:
    """Return the best combination of every depth in other spaces, ordered by depth."""
    best: dict[int, Point] = {}
    for choice in reversed(rounds):
        for k in choice.ranking:
            best.setdefault(int(choice.points[k]["max_depth"]), choice.points[k])
    return [{**best[depth], "space": space} for depth in sorted(best) for space in spaces]


def decisive(rounds: Sequence[Choice]) -> Choice:
    """Return the last round in which a fold was finished; the only round if there is one."""
    finished = [choice for choice in rounds if choice.trials]
    return finished[-1] if finished else rounds[0]
