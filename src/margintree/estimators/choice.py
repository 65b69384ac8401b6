"""Classifiers that choose parameters by cross-validation, for any tree classifier."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import groupby, product
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.base import MetaEstimatorMixin
from sklearn.model_selection import check_cv
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval, StrOptions, validate_parameter_constraints

from margintree._lib.arrays import AnyArray
from margintree._lib.exceptions import InvalidInputError
from margintree.core.limits import Clock, Limits
from margintree.core.method import Method
from margintree.core.result import Reason, Result
from margintree.estimators._base import TreeClassifier
from margintree.estimators._constraints import CONSTRAINTS
from margintree.estimators._given import adapted
from margintree.estimators._plain import MethodClassifier, n_threads
from margintree.estimators.moctsvm import MOCTSVMClassifier
from margintree.exact.solvers import get
from margintree.methods.choose import Choice, Data, Division, TreeCandidates, Trial, choose, divide
from margintree.methods.path import Point, path
from margintree.methods.scoring import SCORES
from margintree.methods.solve import EXACT, solve

CHOICE_SHARE = 0.75
"""Share of the time limit that the choice may take; the rest is for the last fit."""
POSITIVE = [Interval(Integral, 1, None, closed="left")]


class TreeClassifierCV(MetaEstimatorMixin, TreeClassifier):
    """A tree classifier with parameters chosen by cross-validation.

    For every division of the rows and every depth, trees of all combinations are fitted along one
    path, on which each search begins from the trees before it. The combination that does best on
    the rows left out is fitted to all rows. Of several that do equally well, the one with the
    fewest splits is taken.

    Parameters
    ----------
    estimator : tree classifier or None, default=None
        The classifier whose parameters are chosen, with the values of all others; None for a
        `MOCTSVMClassifier`. Its ``time_limit`` is a limit on the last fit alone.
    candidates : mapping, list of mappings or None, default=None
        Values to choose from, as a mapping of names to lists of values (or single values), of which
        all combinations are tried, or as a list of combinations. None means the usual values of the
        method: for MOCTSVM depths 1, 2 and 3, ``c1`` of 1, 10 and 100, ``c2`` of 0.1, 1, 10 and
        100, and ``c3`` of 1. A mapping replaces those that it names.
    cv : int or iterable, default=4
        Number of folds, or pairs of row numbers to learn from and to test on. With a number, equal
        rows are in the same fold, and fewer folds are made where no class has as many different
        rows.
    scoring : {"accuracy", "nearness"}, default="accuracy"
        How rows left out are counted. "accuracy" counts a row as 1 if it is predicted right, or,
        with ``error_costs``, as 1 less the price of its prediction. "nearness" counts rows close to
        a split in part, which tells trees apart where there are few rows.
    usual : mapping or None, default=None
        One of the combinations, which is kept unless another is better by more than half a standard
        error. None takes the best, however little better it is.
    path_iter : int or None, default=4
        Limit on the local searches of every fit of the choice; None for the search's own number.
    path_rows : int or None, default=200
        Limit on the rows that every fit of the choice learns from; None for no limit. Where there
        are more, it learns from a sample that weighs as much, and is scored on all rows left out.
    last_fit : {"fresh", "path"}, default="fresh"
        How the chosen combination is fitted to all rows: by a fit of its own that starts from its
        trees of the choice, or along a path of all combinations.
    time_limit : float or None, default=120.0
        Seconds of wall-clock time for all: the choice takes at most three quarters, shared among
        its paths; None for no limit. Where it strikes, combinations are judged by the best trees
        known for them.
    n_jobs : int or None, default=None
        Number of processes of the choice; None means 1, -1 one per core. The result does not depend
        on it.
    verbose : int or callable, default=0
        1 prints a line for every path of the choice. A callable is called with every such line. The
        progress of the last fit is told as ``verbose`` of the estimator says.

    Attributes
    ----------
    best_params_ : dict
        The combination that was chosen.
    best_score_ : float
        Its mean score on rows left out.
    best_index_ : int
        Its index in ``cv_results_``.
    cv_results_ : dict
        The scores of all combinations, as scikit-learn's `GridSearchCV` has them, and
        ``mean_splits``.
    choice_is_complete_ : bool
        Whether the choice ran its course: no time limit struck and nobody interrupted it.
    best_estimator_ : tree classifier
        The fitted tree as a classifier with the parameters that were chosen. A model file holds it.
    tree_, result_, cost_, objective_, bound_, gap_, optimal_, classes_
        Of the last fit, as `MOCTSVMClassifier` has them.
    n_features_in_, feature_names_in_
        The number of features, and their names when ``X`` had names.

    Examples
    --------
    >>> from margintree import OCTClassifier, TreeClassifierCV
    >>> X, y = [[0], [1], [2], [6], [7], [8]], ["low", "low", "low", "high", "high", "high"]
    >>> clf = TreeClassifierCV(OCTClassifier(), {"max_splits": [1, 2, 3]}, cv=3).fit(X, y)
    >>> clf.best_params_, clf.best_score_, clf.optimal_
    ({'max_depth': 3, 'max_splits': 1}, 1.0, True)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [MethodClassifier, None],
        "candidates": [Mapping, list, tuple, None],
        "cv": [Interval(Integral, 2, None, closed="left"), "cv_object"],
        "scoring": [StrOptions({*SCORES})],
        "usual": [Mapping, None],
        "path_iter": [*POSITIVE, None],
        "path_rows": [*POSITIVE, None],
        "last_fit": [StrOptions({"fresh", "path"})],
        "time_limit": CONSTRAINTS["time_limit"],
        "n_jobs": CONSTRAINTS["n_jobs"],
        "verbose": CONSTRAINTS["verbose"],
    }
    best_params_: Point
    best_score_: float

    def __init__(
        self,
        estimator: MethodClassifier | None = None,
        candidates: Any = None,
        *,
        cv: int | Iterable[Division] = 4,
        scoring: str = "accuracy",
        usual: Point | None = None,
        path_iter: int | None = 4,
        path_rows: int | None = 200,
        last_fit: str = "fresh",
        time_limit: float | None = 120.0,
        n_jobs: int | None = None,
        verbose: int | Callable[[str], None] = 0,
    ) -> None:
        self.estimator = estimator
        self.candidates = candidates
        self.cv = cv
        self.scoring = scoring
        self.usual = usual
        self.path_iter = path_iter
        self.path_rows = path_rows
        self.last_fit = last_fit
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.verbose = verbose

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self._method.max_classes != 2
        return tags

    @property
    def best_estimator_(self) -> MethodClassifier:
        """The fitted tree as a classifier with the parameters that were chosen."""
        estimator = self._with(self.best_params_)
        for name in ("classes_", "result_", "n_features_in_", "feature_names_in_"):
            if hasattr(self, name):
                setattr(estimator, name, getattr(self, name))
        return estimator

    @property
    def class_weight(self) -> Any:
        """Factors by which the rows of each class count, as the estimator has them."""
        return self._plain().class_weight

    @property
    def smoothing(self) -> float:  # type: ignore[override]
        """The weight that is added to every class of a leaf, as the estimator has it."""
        return self._plain().smoothing

    @property
    def _method(self) -> Method:
        return self._plain()._method

    def _plain(self) -> MethodClassifier:
        """Return the classifier whose parameters are chosen."""
        return MOCTSVMClassifier() if self.estimator is None else self.estimator

    def _with(self, point: Point) -> MethodClassifier:
        """Return an unfitted classifier with a combination of the parameters."""
        plain = self._plain()
        return type(plain)(**{**plain.get_params(deep=False), **point})

    def _depth(self) -> int:
        return max(int(point["max_depth"]) for point in self._points())

    def _points(self) -> list[Point]:
        """Return all combinations, those of one depth one after the other."""
        plain, given = self._plain(), self.candidates
        if isinstance(given, Sequence):
            _check_list(given)
            depth = {"max_depth": plain.max_depth}
            points = [depth | dict(point) for point in given]
        else:
            axes = {**self._method.candidates, **({} if given is None else given)}
            values = [_values(name, axis) for name, axis in axes.items()]
            points = [dict(zip(axes, point, strict=True)) for point in product(*values)]
        for point in points:
            _check_point(point, plain)
        return sorted(points, key=lambda point: int(point["max_depth"]))

    def _learn(self, data: Data, classes: AnyArray) -> Result:
        plain = self._plain()
        plain._validate_params()  # not only when the chosen combination is fitted
        self._method.check_classes(len(classes))
        given = plain.get_params(deep=False)
        if given.get("method") == EXACT:
            get(given.get("solver", "auto"))  # a missing solver is an error at once
        limits = self._limits()
        self._get_ready(data, limits)
        clock = limits.clock()
        points = self._points()
        posed = [self._with(point)._posing(classes) for point in points]
        choice = self._choose(points, posed, data, limits)
        self._keep(choice)
        if self.last_fit == "path":
            return self._fit_path(posed, data, choice.best)
        seconds = 0.0 if choice.was_interrupted else clock.remaining()
        result = self._fit_fresh(data, classes, choice, seconds)
        if choice.was_interrupted:
            return replace(result, reason=Reason.INTERRUPTED, limit=None)
        return result

    def _limits(self) -> Limits:
        """Return the limits of the choice and the last fit together."""
        seconds = np.inf if self.time_limit is None else self.time_limit
        n_threads(self.n_jobs)  # refuses 0
        return replace(self._plain()._limits(), seconds=seconds, threads=1)

    def _get_ready(self, data: Data, limits: Limits) -> None:
        """Compile kernels before the clock starts."""
        deepest = max(point["max_depth"] for point in self._points())
        problem = replace(data.problem(), depth=deepest)
        self._method.get_ready(problem, replace(limits, iterations=None))

    def _choose(
        self, points: Sequence[Point], posed: Sequence[Point], data: Data, limits: Limits
    ) -> Choice:
        """Return the choice, as far as it comes before Ctrl-C."""
        if isinstance(self.cv, Integral):
            data = data.distinct()
        divisions = self._divisions(data, limits.seed)
        of_each = replace(limits, iterations=self.path_iter if self._is_searched() else None)
        groups = [
            TreeCandidates(self._method, data, [*at_depth], of_each, self.scoring, self.path_rows)
            for _, at_depth in groupby(posed, key=lambda point: point["max_depth"])
        ]
        trials: list[list[Trial]] = []
        with suppress(KeyboardInterrupt):
            for fold in choose(
                groups,
                divisions,
                seconds=CHOICE_SHARE * limits.seconds,
                n_jobs=self.n_jobs,
                tell=self._tell(),
            ):
                trials.append(fold)  # noqa: PERF402
        weights = np.array([data.weights[test].sum() for _, test in divisions])
        usual = None if self.usual is None else _place(self.usual, points)
        return Choice(points, trials, weights, usual, n_rows=float(len(data.y)))

    def _is_searched(self) -> bool:
        return "max_iter" in self._plain()._get_param_names()

    def _divisions(self, data: Data, seed: int) -> list[Division]:
        """Return the rows to learn from and to test on."""
        if not isinstance(self.cv, Integral):
            return list(check_cv(self.cv).split(data.X, data.y))
        most = int(np.bincount(data.y).max())
        if most < 2:
            raise InvalidInputError(
                "Cross-validation needs two different rows of some class; every class has one row, "
                f"n_samples = {len(data.y)}. Give more rows, or fix the parameters in a "
                f"{type(self._plain()).__name__}."
            )
        folds = divide(data.y, min(int(self.cv), most), seed)
        return [(others, fold) for fold, others in folds]

    def _keep(self, choice: Choice) -> None:
        self.cv_results_ = choice.results()
        self.best_index_ = choice.best
        self.best_params_ = dict(choice.points[choice.best])
        self.best_score_ = float(choice.mean_scores[choice.best])
        self.choice_is_complete_ = choice.is_complete

    def _fit_fresh(self, data: Data, classes: AnyArray, choice: Choice, seconds: float) -> Result:
        """Return the result of the chosen combination on all rows, from its trees of the choice."""
        best = self._with(self.best_params_)
        problem = self._method.pose(data.problem(), **best._posing(classes))
        how = best._how(problem, classes)
        limits = replace(how.limits, seconds=min(how.limits.seconds, seconds))
        starts = [adapted(tree, problem) for tree in choice.best_trees]
        return solve(self._method, problem, replace(how, limits=limits, starts=tuple(starts)))

    def _fit_path(self, posed: Sequence[Point], data: Data, best: int) -> Result:
        """Return the result of the chosen combination on a path of all, on all rows."""
        depth = posed[best]["max_depth"]
        places = [k for k, point in enumerate(posed) if point["max_depth"] == depth]
        points = [posed[k] for k in places]
        results = path(self._method, data.problem(), points, self._plain()._limits())
        return results[places.index(best)]

    def _tell(self) -> Callable[[str], None]:
        """Return what is told of every path."""
        clock = Clock()

        def tell(line: str) -> None:
            print(f"margintree {clock.elapsed():8.2f} s  {line}", flush=True)

        if callable(self.verbose):
            return self.verbose
        return tell if self.verbose else _say_nothing


class MOCTSVMClassifierCV(TreeClassifierCV):
    """`MOCTSVMClassifier` with depth and costs chosen by cross-validation: a `TreeClassifierCV`.

    Examples
    --------
    >>> from margintree import MOCTSVMClassifierCV
    >>> X, y = [[0], [1], [2], [6], [7], [8]], ["low", "low", "low", "high", "high", "high"]
    >>> clf = MOCTSVMClassifierCV(candidates={"c1": [0.01, 10.0], "c2": 1.0, "c3": 0.1}, cv=3)
    >>> clf.fit(X, y).best_params_
    {'max_depth': 1, 'c1': 10.0, 'c2': 1.0, 'c3': 0.1}
    >>> clf.best_score_, clf.predict([[1.5], [6.5]]).tolist()
    (1.0, ['low', 'high'])
    """


def _values(name: str, given: Any) -> list[Any]:
    """Return the values of a parameter to choose from."""
    try:
        values: list[Any] = np.atleast_1d(given).tolist()
    except ValueError:  # lists of several lengths inside
        values = []
    if not values:
        raise InvalidInputError(
            f"candidates must give a value or a list of values to choose from for {name}; "
            f"{given!r} was given. Give at least one value, or leave {name} out for the usual ones."
        )
    return values


def _check_list(given: Sequence[Any]) -> None:
    """Raise InvalidInputError unless these are combinations of the same parameters."""
    are_mappings = all(isinstance(point, Mapping) for point in given)
    if not given or not are_mappings or any({*point} != {*given[0]} for point in given):
        raise InvalidInputError(
            "candidates must be a mapping of names to values, or a list of mappings that all have "
            f"the same names; {given!r:.200} was given. Give every combination a value for every "
            "name."
        )


def _check_point(point: Point, plain: MethodClassifier) -> None:
    """Raise InvalidInputError unless a classifier may have these parameters."""
    allowed = plain._method.parameters
    for name in point:
        if name not in allowed or name not in plain._get_param_names():
            raise InvalidInputError(
                f"candidates must name parameters that pose the problem of a "
                f"{type(plain).__name__}, {', '.join(allowed)}; {name!r} was given. Set other "
                "parameters in the classifier itself, the estimator."
            )
    validate_parameter_constraints(plain._parameter_constraints, point, type(plain).__name__)


def _place(usual: Point, points: Sequence[Point]) -> int:
    """Return the index of the combination that has the values of the usual one."""
    for k, point in enumerate(points):
        if all(point.get(name) == value for name, value in usual.items()):
            return k
    raise InvalidInputError(
        f"usual must be one of the combinations of candidates; {dict(usual)!r} was given. Add it "
        "to the candidates, or leave usual out."
    )


def _say_nothing(line: str) -> None:
    pass
