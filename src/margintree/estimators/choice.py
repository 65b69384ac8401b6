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
from sklearn.utils._param_validation import StrOptions, validate_parameter_constraints

from margintree._lib.arrays import AnyArray
from margintree._lib.exceptions import InvalidInputError
from margintree.core.learnt_space import LEVELS
from margintree.core.limits import Clock, Limits
from margintree.core.method import Method
from margintree.core.result import Reason, Result
from margintree.estimators._base import TreeClassifier
from margintree.estimators._given import adapted, why_unfit
from margintree.estimators._parameters import AT_LEAST_0, CONSTRAINTS, POSITIVE_COUNT, AnInstance
from margintree.estimators._plain import MethodClassifier, n_threads
from margintree.estimators._scorer import scoring_of
from margintree.estimators.moctsvm import MOCTSVMClassifier
from margintree.exact.solvers import check_name
from margintree.methods.choose import (
    Choice,
    Data,
    Division,
    TreeCandidates,
    choose,
    divide,
    results,
)
from margintree.methods.path import Point, path
from margintree.methods.solve import solve

CHOICE_SHARE = 0.75
"""Share of the time limit for the choice; the rest is for the last fit."""
FIRST_TREE = 1.0
"""Seconds for a tree if the choice is interrupted before it knows any; Ctrl-C again ends them."""
MOST_FITS = 3
"""Maximum number of combinations that are fitted to all rows until one keeps its promise."""


class TreeClassifierCV(MetaEstimatorMixin, TreeClassifier):
    """A tree classifier with parameters chosen by cross-validation.

    For every fold and every depth, the trees of all combinations are fitted along one path, on
    which each search begins from the trees before it. The combination with the best score on the
    rows left out is fitted to all rows. Among equally good combinations the one with the fewest
    splits is chosen. If the fitted tree does clearly worse on all rows than was promised, the next
    best combination takes its place.

    Parameters
    ----------
    estimator : tree classifier or None, default=None
        The classifier whose parameters are chosen; it also sets all other parameters. None means a
        `MOCTSVMClassifier`. Its ``time_limit`` applies to the last fit alone.
    candidates : mapping, list of mappings or None, default=None
        Values to choose from: a mapping of names to values or lists of values, whose combinations
        are all tried, or a list of combinations. None means the usual values of the method. Those
        of MOCTSVM are the least depth with a leaf for every class and one and three levels more,
        ``c1`` of 1, 10 and 100, ``c2`` of 0.01, 0.1, 1 and 10, and ``c3`` of 1. Those of class
        trees are ``C`` from 0.1 to 1000 and the spaces over columns and products. A mapping
        replaces the values that it names. If there are several spaces, straight splits are chosen
        unless quadratic ones are better by half a standard error, and these unless kernels are.
    cv : int or iterable, default=4
        Number of folds, or pairs of row numbers to learn from and to test on. With a number, equal
        rows are in the same fold, unless most rows are copies of others. There are never more folds
        than different rows in the largest class.
    scoring : str or callable, default="accuracy"
        Score of the rows left out. "accuracy" gives 1 to a correct row, or, with ``error_costs``, 1
        minus the cost of its prediction. "nearness" gives part of that to rows close to a split,
        which distinguishes trees when there are few rows; "soft" lets every split of value ``f``
        send the share ``1 / (1 + exp(-2 f))`` of a row to the right. In all three, rows have the
        weights of their classes. Any scorer of scikit-learn is allowed, too: a name such as
        "balanced_accuracy", "f1_macro" or "neg_log_loss", or a callable with arguments
        ``(estimator, X, y)``. It gets ``sample_weight`` if there are weights, without those of the
        classes.
    usual : mapping or None, default=None
        One of the combinations. It is kept unless another is better by more than half a standard
        error. None takes the best, however small its lead.
    simplest_within : float, default=0.0
        Standard errors, over the folds, within which a combination is as good as the best. Of these
        the one whose trees have the fewest coefficients is chosen: 0.5 or 1 for trees that are
        short to read, with budgets of features among the candidates. 0 takes the best.
    path_iter : int or None, default=4
        Maximum number of local searches in every fit of the choice; None for the search's default.
    path_rows : int, sequence of int or None, default=(250, 1000)
        Maximum number of rows in every fit of the choice; None for no limit. If there are more
        rows, the fit uses a sample; scores still use all rows left out. Several numbers make a
        choice in rounds: after each but the last, the better third of the combinations goes on, and
        only the last uses all folds. A round that would use the same rows as the one before is left
        out.
    last_fit : {"fresh", "path"}, default="fresh"
        How the chosen combination is fitted to all rows: "fresh" starts from its trees of the
        choice, "path" follows a path of all combinations. "average", for class trees only: every
        split is the average of those of all combinations on the hierarchy of the best one, with
        weights that fall with the score. Combinations whose splits are harder to read than those of
        the best one are left out, and kernels are not averaged. The tree then minimises no single
        objective and has no bound; its cost is that of the best combination's parameters.
    time_limit : float or None, default=120.0
        Seconds of wall-clock time for everything; None for no limit. The choice takes at most three
        quarters, shared among its paths. If the time ends, the best trees so far decide.
    n_jobs : int or None, default=None
        Number of processes of the choice: None means 1, -1 one per core. The result does not depend
        on it.
    verbose : int or callable, default=0
        1 prints a line for every path of the choice. A callable receives every such line. The
        estimator's own ``verbose`` applies to the last fit.

    Attributes
    ----------
    best_params_ : dict
        The chosen combination.
    best_score_ : float
        Its mean score on the rows left out.
    best_index_ : int
        Its index in ``cv_results_``.
    cv_results_ : dict
        The scores of all combinations, as in scikit-learn's `GridSearchCV`, ``mean_splits`` and
        ``mean_coefficients``.
    choice_is_complete_ : bool
        Whether the choice was completed: it met no time limit and was not interrupted.
    best_estimator_ : tree classifier
        The fitted tree as a classifier with the chosen parameters. A model file holds it.
    tree_, result_, cost_, objective_, bound_, gap_, optimal_, classes_
        As in `MOCTSVMClassifier`, of the last fit.
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
        "estimator": [AnInstance(MethodClassifier, "a classifier of margintree"), None],
        "candidates": [Mapping, list, tuple, None],
        "cv": ["cv_object"],
        "scoring": [str, callable],
        "usual": [Mapping, None],
        "simplest_within": AT_LEAST_0,
        "path_iter": [POSITIVE_COUNT, None],
        "path_rows": [POSITIVE_COUNT, list, tuple, None],
        "last_fit": [StrOptions({"fresh", "path", "average"})],
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
        scoring: str | Callable[..., float] = "accuracy",
        usual: Point | None = None,
        simplest_within: float = 0.0,
        path_iter: int | None = 4,
        path_rows: int | Sequence[int | None] | None = (250, 1000),
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
        self.simplest_within = simplest_within
        self.path_iter = path_iter
        self.path_rows = path_rows
        self.last_fit = last_fit
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.verbose = verbose

    @property
    def best_estimator_(self) -> MethodClassifier:
        """The fitted tree as a classifier with the chosen parameters."""
        estimator = self._with(self.best_params_)
        for name in ("classes_", "result_", "n_features_in_", "feature_names_in_"):
            if hasattr(self, name):
                setattr(estimator, name, getattr(self, name))
        return estimator

    @property
    def class_weight(self) -> Any:
        """The estimator's factors for the weights of each class."""
        return self._plain().class_weight

    @property
    def smoothing(self) -> float:  # type: ignore[override]
        """The estimator's weight that is added to every class of a leaf."""
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

    def _params_of_tree(self) -> dict[str, Any]:
        chosen = {**self._plain().get_params(deep=False), **self.best_params_}
        return chosen | {"candidates": self.candidates}

    def _depth(self, n_classes: int) -> int:
        return max(int(point["max_depth"]) for point in self._points(n_classes))

    def _points(self, n_classes: int) -> list[Point]:
        """Return all combinations, ordered by depth."""
        plain, given = self._plain(), self.candidates
        if isinstance(given, Sequence):
            _check_list(given)
            depth = {"max_depth": plain.max_depth}
            points = [depth | dict(point) for point in given]
        else:
            usual = self._method.candidates_for(n_classes, getattr(self, "n_features_in_", 0))
            axes = {**usual, **({} if given is None else given)}
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
        check_name(given.get("solver", "auto"))  # an unknown solver is an error at once
        limits = self._limits()
        points = self._points(len(classes))
        usual = None if self.usual is None else _place(self.usual, points)
        # Kernels are compiled before the clock starts.
        deepest = replace(data.problem(), depth=max(point["max_depth"] for point in points))
        self._method.get_ready(deepest, replace(limits, iterations=None))
        clock = limits.clock()
        rounds = self._choose(points, data, classes, limits, usual)
        self._keep(rounds)
        was_interrupted = rounds[-1].was_interrupted
        if was_interrupted:
            clock = Clock(0.0 if _decisive(rounds).trials else min(FIRST_TREE, clock.remaining()))
        if self.last_fit == "path":
            result = self._fit_path(points, data, classes, clock)
        else:
            result = self._fit_fresh(data, classes, rounds, clock)
        if self.last_fit == "average" and _decisive(rounds).trials:
            result = self._average(data, classes, _decisive(rounds), result)
        if was_interrupted:
            return replace(result, reason=Reason.INTERRUPTED, limit=None)
        return result

    def _limits(self) -> Limits:
        """Return the limits of the choice and the last fit together."""
        seconds = np.inf if self.time_limit is None else self.time_limit
        n_threads(self.n_jobs)  # refuses 0
        return replace(self._plain()._limits(), seconds=seconds, threads=1)

    def _choose(
        self,
        points: Sequence[Point],
        data: Data,
        classes: AnyArray,
        limits: Limits,
        usual: int | None,
    ) -> list[Choice]:
        """Return the rounds of the choice; Ctrl-C ends it early."""
        if isinstance(self.cv, Integral):
            data = data.distinct(int(self.cv))
        divisions, clock = self._divisions(data, limits.seed), Clock(CHOICE_SHARE * limits.seconds)
        sizes = self._sizes(divisions)
        kept, rounds = [*range(len(points))], []
        for left in range(len(sizes), 0, -1):
            some = divisions[: -(-len(divisions) // 2)] if left > 1 else divisions
            choice = Choice(
                [points[k] for k in kept],
                [],
                np.array([data.weights[test].sum() for _, test in some]),
                kept.index(usual) if usual is not None else None,
                n_rows=float(len(data.y)),
                simplest_within=self.simplest_within,
                levels=[LEVELS[points[k].get("space", "box")] for k in kept],
            )
            groups = self._groups(choice.points, data, classes, limits, sizes[-left])
            with suppress(KeyboardInterrupt):
                for fold in choose(
                    groups,
                    some,
                    seconds=clock.remaining() / left,
                    n_jobs=self.n_jobs,
                    tell=self._tell(),
                ):
                    choice = replace(choice, trials=[*choice.trials, fold])
            rounds.append(choice)
            if choice.was_interrupted:
                break
            kept = [kept[k] for k in choice.survivors]
        return rounds

    def _sizes(self, divisions: Sequence[Division]) -> list[int | None]:
        """Return the maximum numbers of rows of the rounds, without rounds that change nothing."""
        given = self.path_rows
        sizes = [*given] if isinstance(given, Sequence) else [given]
        if not sizes or not all(size is None or _is_count(size) for size in sizes):
            raise InvalidInputError(
                "path_rows must be a number of rows of at least 1, None for no limit, or a list of "
                f"such numbers; {given!r:.60} was given. Correct it or leave it out."
            )
        most = max(len(learn) for learn, _ in divisions)
        enough = [k for k, size in enumerate(sizes) if size is None or size >= most]
        return sizes[: enough[0] + 1] if enough else sizes

    def _groups(
        self,
        points: Sequence[Point],
        data: Data,
        classes: AnyArray,
        limits: Limits,
        most_rows: int | None,
    ) -> list[TreeCandidates]:
        """Return the combinations in groups of the same depth."""
        scoring = scoring_of(self.scoring, self._plain(), classes)
        is_searched = "max_iter" in self._plain()._get_param_names()
        of_each = replace(limits, iterations=self.path_iter if is_searched else None)
        posed = [self._with(point)._posing(classes, self._features()) for point in points]
        return [
            TreeCandidates(self._method, data, [*at_depth], of_each, scoring, most_rows)
            for _, at_depth in groupby(posed, key=lambda point: point["max_depth"])
        ]

    def _divisions(self, data: Data, seed: int) -> list[Division]:
        """Return pairs of the rows to learn from and the rows to test on."""
        if not isinstance(self.cv, Integral):
            return _checked(check_cv(self.cv).split(data.X, data.y), data)
        most = int(np.bincount(data.y).max())
        if most < 2:
            raise InvalidInputError(
                "Cross-validation needs two different rows of some class; every class has one row, "
                f"n_samples = {len(data.y)}. Give more rows, or fit a "
                f"{type(self._plain()).__name__} with fixed parameters."
            )
        folds = divide(data.y, min(int(self.cv), most), seed)
        return [(others, fold) for fold, others in folds]

    def _keep(self, rounds: Sequence[Choice]) -> None:
        """Set the attributes that describe the choice."""
        self.cv_results_ = results(rounds)
        self._keep_best(rounds, _decisive(rounds).best)
        self.choice_is_complete_ = all(choice.is_complete for choice in rounds)

    def _keep_best(self, rounds: Sequence[Choice], best: int) -> None:
        """Set the attributes that describe the chosen combination of the decisive round."""
        choice = _decisive(rounds)
        before = [len(earlier.points) for earlier in rounds if earlier is not choice]
        self.best_index_ = (sum(before) if choice is rounds[-1] else sum(before[:-1])) + best
        self.best_params_ = dict(choice.points[best])
        self.best_score_ = float(choice.mean_scores[best])

    def _fit_fresh(
        self, data: Data, classes: AnyArray, rounds: Sequence[Choice], clock: Clock
    ) -> Result:
        """Return the result on all rows of the best point, started from its trees of the choice.

        If its score on all rows breaks the promise of the choice, the next best points are tried.
        """
        choice = _decisive(rounds)
        tried: list[tuple[float, Result, int]] = []
        for k in choice.ranking[:MOST_FITS]:
            result, score = self._fit_point(data, classes, choice, k, clock)
            tried.append((score, result, k))
            if choice.is_kept_by(score, k) or result.reason is Reason.INTERRUPTED:
                break
        else:
            score, result, k = max(tried, key=lambda one: one[0])
        self._keep_best(rounds, k)
        return result

    def _fit_point(
        self, data: Data, classes: AnyArray, choice: Choice, k: int, clock: Clock
    ) -> tuple[Result, float]:
        """Return the result on all rows of a point of the choice, and its score on these rows."""
        chosen = self._with(choice.points[k])
        posing = chosen._posing(classes, self._features())
        problem = self._method.pose(data.problem(), **posing)
        how = chosen._how(problem, classes)
        limits = replace(how.limits, seconds=min(how.limits.seconds, clock.remaining()))
        known = [tree for tree in choice.trees(k) if not why_unfit(tree, problem)]
        starts = (*how.starts, *(adapted(tree, problem) for tree in known))
        found = solve(self._method, problem, replace(how, limits=limits, starts=starts))
        result = chosen._presented(problem, found)
        (candidates,) = self._groups([choice.points[k]], data, classes, limits, None)
        return result, candidates.score(problem, result)

    def _average(self, data: Data, classes: AnyArray, choice: Choice, best: Result) -> Result:
        """Return the tree of the best point with averaged hyperplanes."""
        shares = choice.shares(_index(self.best_params_, choice.points))
        posed = [self._with(choice.points[k])._posing(classes, self._features()) for k in shares]
        return self._method.averaged(data.problem(), posed, np.array([*shares.values()]), best)

    def _fit_path(
        self, points: Sequence[Point], data: Data, classes: AnyArray, clock: Clock
    ) -> Result:
        """Return the result on all rows of the best point, on a path of all points like it.

        They have the same depth and space; trees of others would not start a search.
        """
        like = {name: self.best_params_.get(name) for name in ("max_depth", "space")}
        alike = [point for point in points if {name: point.get(name) for name in like} == like]
        posed = [self._with(point)._posing(classes, self._features()) for point in alike]
        found = path(self._method, data.problem(), posed, self._plain()._limits(), clock)
        best = _index(self.best_params_, alike)
        problem = self._method.pose(data.problem(), **posed[best])
        return self._plain()._presented(problem, found[best])

    def _tell(self) -> Callable[[str], None]:
        """Return the function that reports every path."""
        clock = Clock()

        def tell(line: str) -> None:
            if self.verbose:
                print(f"margintree {clock.elapsed():8.2f} s  {line}", flush=True)

        return self.verbose if callable(self.verbose) else tell


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


def _decisive(rounds: Sequence[Choice]) -> Choice:
    """Return the last round in which a fold was finished; the only round if there is one."""
    finished = [choice for choice in rounds if choice.trials]
    return finished[-1] if finished else rounds[0]


def _checked(divisions: Iterable[Division], data: Data) -> list[Division]:
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


def _is_count(size: Any) -> bool:
    return isinstance(size, Integral) and int(size) >= 1


def _values(name: str, given: Any) -> list[Any]:
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


def _check_list(given: Sequence[Any]) -> None:
    """Raise InvalidInputError unless these are combinations of the same parameters."""
    are_mappings = all(isinstance(point, Mapping) for point in given)
    if not given or not are_mappings or any({*point} != {*given[0]} for point in given):
        raise InvalidInputError(
            "candidates must be a mapping of names to values, or a list of mappings with the same "
            f"names; {given!r:.200} was given. Give every combination a value for every name."
        )


def _check_point(point: Point, plain: MethodClassifier) -> None:
    """Raise InvalidInputError unless the classifier accepts these parameters."""
    allowed = plain._method.parameters
    for name in point:
        if name not in allowed or name not in plain._get_param_names():
            raise InvalidInputError(
                f"candidates must name parameters of the problem that a {type(plain).__name__} "
                f"solves, {', '.join(allowed)}; {name!r} was given. Set other parameters in the "
                "classifier itself, the estimator."
            )
    validate_parameter_constraints(plain._parameter_constraints, point, type(plain).__name__)


def _index(chosen: Point, points: Sequence[Point]) -> int:
    """Return the index of a combination, whose values may be arrays."""
    return next(
        k for k, point in enumerate(points) if all(point[name] is chosen[name] for name in point)
    )


def _place(usual: Point, points: Sequence[Point]) -> int:
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
