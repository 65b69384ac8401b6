"""Classifiers that choose parameters by cross-validation, for any tree classifier."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import groupby, product
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.base import MetaEstimatorMixin

from margintree._lib.arrays import AnyArray
from margintree.core.learnt_space import LEVELS
from margintree.core.limits import Clock, Limits
from margintree.core.method import Method
from margintree.core.result import Reason, Result
from margintree.estimators._base import TreeClassifier
from margintree.estimators._candidates import (
    best_elsewhere,
    check_list,
    check_point,
    check_scores,
    decisive,
    divisions_of,
    has_no_budgets,
    index_of,
    is_same,
    place_of,
    sizes_of_rounds,
    values_of,
)
from margintree.estimators._given import adapted, why_unfit
from margintree.estimators._parameters import (
    AT_LEAST_0,
    CONSTRAINTS,
    POSITIVE_COUNT,
    AnInstance,
    one_of,
)
from margintree.estimators._plain import MethodClassifier, n_threads
from margintree.estimators._scorer import scoring_for
from margintree.estimators._stops import (
    best_of_budgets,
    fair_path,
    known_trees,
    name_of,
    no_worse_than,
    score_of,
)
from margintree.estimators._verbose import teller
from margintree.estimators.moctsvm import MOCTSVMClassifier
from margintree.exact.solvers import check_name
from margintree.methods.choose import (
    Choice,
    Data,
    Division,
    TreeCandidates,
    choose,
    results,
)
from margintree.methods.path import Point
from margintree.show.report import Stop

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
        ``c1`` of 10 and 100, ``c2`` of 0.01, 0.1, 1 and 10, and ``c3`` of 1. Those of class
        trees are ``C`` from 0.1 to 1000 and the spaces over columns and products. A mapping
        replaces the values that it names. If there are several spaces, straight splits are chosen
        unless quadratic ones are better by half a standard error, and these unless kernels are.
        None also tries the best combination of MOCTSVM at every depth with ``space="quadratic"``,
        unless the estimator has another space than "box", budgets of features, ``c4``, ``points``,
        ``rounding`` or a ``start``, or there are more than 33 columns, or different rows times
        columns and products are more than 30 million. ``{"space": "box"}`` keeps splits straight.
    cv : int or iterable, default=4
        Number of folds, or pairs of row numbers to learn from and to test on. With a number, equal
        rows are in the same fold, unless most rows are copies of others. There are never more folds
        than different rows in the largest class. Folds and samples are those of the same rows for
        every ``random_state`` of the estimator, which is the seed of its searches.
    scoring : str or callable, default="accuracy"
        Score of the rows left out. "accuracy" gives 1 to a correct row, or, with ``error_costs``, 1
        minus the cost of its prediction. "nearness" gives part of that to rows close to a split,
        which distinguishes trees when there are few rows; "soft" lets every split of value ``f``
        send the share ``1 / (1 + exp(-2 f))`` of a row to the right. In all three, rows have the
        weights of their classes. Any scorer of scikit-learn is allowed, too: a name such as
        "balanced_accuracy", "f1_macro" or "neg_log_loss", or a callable with arguments
        ``(estimator, X, y)``. It gets ``sample_weight`` if there are weights, without those of the
        classes. A combination with NaN as a score on some fold is not chosen.
    usual : mapping or None, default=None
        One of the combinations. It is kept unless another is better by more than half a standard
        error: that of a share of the rows, or over the folds for scores outside 0 to 1. None takes
        the best, however small its lead.
    simplest_within : float, default=0.0
        Standard errors, over the folds, within which a combination is as good as the best. Of these
        the one whose trees have the fewest coefficients is chosen: 0.5 or 1 for trees that are
        short to read, with budgets of features among the candidates. It is in no space that is
        harder to read than that of the best, and better than ``usual``, as the best has to be. 0
        takes the best.
    path_iter : int or None, default=1
        Maximum number of local searches in every fit of the choice; None for the search's default.
        Better searches for the choice find cheaper trees, but hardly better combinations.
    path_rows : int, sequence of int or None, default=(250, 600)
        Maximum number of rows in every fit of the choice; None for no limit. If there are more
        rows, the fit uses a sample; scores still use all rows left out. Several numbers make a
        choice in rounds: after each but the last, the better third of the combinations goes on, and
        only the last uses all folds. A round that would use the same rows as the one before is left
        out.
    last_fit : {"fresh", "path"}, default="fresh"
        How the chosen combination is fitted to all rows: "fresh" starts from its trees of the
        choice, "path" follows a path of all combinations, and a report then has a slider between
        the best trees of all budgets and prices of features. "average", for class trees only: every
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
    stops_ : list
        With ``last_fit="path"``, the best tree of every budget or price of features.
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
        "last_fit": [one_of("fresh", "path", "average")],
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
        path_iter: int | None = 1,
        path_rows: int | Sequence[int | None] | None = (250, 600),
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

    def _stops(self) -> list[Stop]:
        return self.stops_

    @property
    def stops_(self) -> list[Stop]:
        """The best trees of all budgets and prices of features, from many features to few.

        Each has a ``name``, which says so if there was no time to search for its tree, and the
        fitted classifier as ``model``. Its mean ``score`` on the rows left out, with the standard
        ``error``, is that of trees fitted to the folds, before their numbers were rounded. All have
        the depth and the space of the chosen tree. There are none unless ``last_fit`` is "path" and
        there were several budgets or prices.
        """
        stops = []
        for point, result in self._found:
            model = self.best_estimator_
            if not is_same(point, self.best_params_):
                model.set_params(**point)
                model.result_ = self._method.in_terms(result)
            name = name_of(model.get_params(deep=False), model.result_)
            stops.append(Stop(name, model, *score_of(self.cv_results_, point)))
        return stops

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

    def _points(self, n_classes: int, n_rows: int = 0) -> list[Point]:
        """Return all combinations, ordered by depth."""
        plain, given = self._plain(), self.candidates
        if isinstance(given, Sequence):
            check_list(given)
            depth = {"max_depth": plain.max_depth}
            points = [depth | dict(point) for point in given]
        else:
            usual = self._method.candidates_for(n_classes, getattr(self, "n_features_in_", 0))
            # With several spaces, every combination names its own.
            space = {"space": "box"} if self._spaces_beyond(n_rows) else {}
            axes = {**usual, **space, **({} if given is None else given)}
            values = [values_of(name, axis) for name, axis in axes.items()]
            points = [dict(zip(axes, point, strict=True)) for point in product(*values)]
        for point in points:
            check_point(point, plain)
        return sorted(points, key=lambda point: int(point["max_depth"]))

    def _learn(self, data: Data, classes: AnyArray) -> Result:
        plain = self._plain()
        plain._validate_params()  # not only when the chosen combination is fitted
        self._method.check_classes(len(classes))
        given = plain.get_params(deep=False)
        check_name(given.get("solver", "auto"))  # an unknown solver is an error at once
        limits = self._limits()
        problem = data.problem()
        points = self._points(len(classes), problem.n_rows)
        usual = None if self.usual is None else place_of(self.usual, points)
        # Kernels are compiled before the clock starts.
        deepest = replace(problem, depth=max(point["max_depth"] for point in points))
        self._method.get_ready(deepest, replace(limits, iterations=None))
        clock = limits.clock()
        spaces = self._spaces_beyond(problem.n_rows)
        rounds = self._choose(points, data, classes, limits, usual, spaces)
        self._keep(rounds)
        self._found: list[tuple[Point, Result]] = []
        was_interrupted = rounds[-1].was_interrupted
        if was_interrupted:
            clock = Clock(0.0 if decisive(rounds).trials else min(FIRST_TREE, clock.remaining()))
        if self.last_fit == "path":
            result = self._fit_path(points, data, classes, rounds, clock)
        else:
            result = self._fit_fresh(data, classes, rounds, clock)
        if self.last_fit == "average" and decisive(rounds).trials:
            result = self._average(data, classes, decisive(rounds), result)
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
        spaces: Sequence[str],
    ) -> list[Choice]:
        """Return the rounds of the choice; Ctrl-C ends it early."""
        if isinstance(self.cv, Integral):
            data = data.distinct(int(self.cv))
        divisions = divisions_of(self.cv, data, type(self._plain()).__name__)
        clock = Clock(CHOICE_SHARE * limits.seconds)
        sizes, rounds, index = sizes_of_rounds(self.path_rows, divisions), list[Choice](), usual
        for left in range(len(sizes), 0, -1):
            compare = partial(
                self._compare,
                data=data,
                classes=classes,
                limits=limits,
                divisions=divisions[: -(-len(divisions) // 2)] if left > 1 else divisions,
                most_rows=sizes[-left],
            )
            choice = compare(points, index, seconds=clock.remaining() / (left + bool(spaces)))
            rounds.append(choice)
            if choice.was_interrupted:
                return rounds
            kept = choice.survivors
            points, index = [points[k] for k in kept], None if index is None else kept.index(index)
        if spaces:
            more = compare(best_elsewhere(rounds, spaces), seconds=clock.remaining())
            if more.was_interrupted:
                return [*rounds, replace(more, trials=[])]
            rounds[-1] = choice.beside(more)
        return rounds

    def _compare(
        self,
        points: Sequence[Point],
        usual: int | None = None,
        *,
        data: Data,
        classes: AnyArray,
        limits: Limits,
        divisions: Sequence[Division],
        most_rows: int | None,
        seconds: float,
    ) -> Choice:
        """Return the trials of some combinations; Ctrl-C ends them early."""
        choice = Choice(
            points,
            [],
            np.array([data.weights[test].sum() for _, test in divisions]),
            usual,
            n_rows=float(len(data.y)),
            simplest_within=self.simplest_within,
            levels=[LEVELS[point.get("space", "box")] for point in points],
        )
        groups = self._groups(points, data, classes, limits, most_rows)
        with suppress(KeyboardInterrupt):
            for fold in choose(
                groups, divisions, seconds=seconds, n_jobs=self.n_jobs, tell=teller(self.verbose)
            ):
                choice = replace(choice, trials=[*choice.trials, fold])
        check_scores(choice)
        return choice

    def _spaces_beyond(self, n_rows: int = 0) -> tuple[str, ...]:
        """Return the spaces that the best combinations are tried in; none if candidates are given.

        Budgets, prices and round numbers, which speak of columns, also keep the choice to columns.
        """
        n_columns = getattr(self, "n_features_in_", 0)
        is_fresh = self.last_fit == "fresh" and not self.candidates
        is_free = is_fresh and has_no_budgets(self._plain())
        return self._method.spaces_beyond(n_columns, n_rows) if is_free else ()

    def _groups(
        self,
        points: Sequence[Point],
        data: Data,
        classes: AnyArray,
        limits: Limits,
        most_rows: int | None,
    ) -> list[TreeCandidates]:
        """Return the combinations in groups of the same depth."""
        is_searched = "max_iter" in self._plain()._get_param_names()
        of_each = replace(limits, iterations=self.path_iter if is_searched else None)
        groups = []
        for _, at_depth in groupby(points, key=lambda point: point["max_depth"]):
            plain = [self._with(point) for point in at_depth]
            posed = [one._posing(classes, self._features()) for one in plain]
            scoring = scoring_for(self.scoring, plain, classes)
            group = TreeCandidates(self._method, data, posed, of_each, scoring, most_rows)
            groups.append(replace(group, is_fair=self.last_fit == "path"))
        return groups

    def _keep(self, rounds: Sequence[Choice]) -> None:
        """Set the attributes that describe the choice."""
        self.cv_results_ = results(rounds)
        self._keep_best(rounds, decisive(rounds).best)
        self.choice_is_complete_ = all(choice.is_complete for choice in rounds)

    def _keep_best(self, rounds: Sequence[Choice], best: int) -> None:
        """Set the attributes that describe the chosen combination of the decisive round."""
        choice = decisive(rounds)
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
        choice = decisive(rounds)
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
        """Return the result on all rows of a point of the choice, and its score on these rows.

        An interrupt during the score leaves it unknown, and the result says so.
        """
        chosen = self._with(choice.points[k])
        posing = chosen._posing(classes, self._features())
        problem = self._method.pose(data.problem(), **posing)
        how = chosen._how(problem, classes)
        limits = replace(how.limits, seconds=min(how.limits.seconds, clock.remaining()))
        known = [tree for tree in choice.trees(k) if not why_unfit(tree, problem)]
        starts = (*how.starts, *(adapted(tree, problem) for tree in known))
        result = chosen._solved(problem, replace(how, limits=limits, starts=starts))
        (candidates,) = self._groups([choice.points[k]], data, classes, limits, None)
        try:
            return result, candidates.score(0, problem, result)
        except KeyboardInterrupt:
            return replace(result, reason=Reason.INTERRUPTED, limit=None), np.nan

    def _average(self, data: Data, classes: AnyArray, choice: Choice, best: Result) -> Result:
        """Return the tree of the best point with averaged hyperplanes."""
        shares = choice.shares(index_of(self.best_params_, choice.points))
        posed = [self._with(choice.points[k])._posing(classes, self._features()) for k in shares]
        return self._method.averaged(data.problem(), posed, np.array([*shares.values()]), best)

    def _fit_path(
        self,
        points: Sequence[Point],
        data: Data,
        classes: AnyArray,
        rounds: Sequence[Choice],
        clock: Clock,
    ) -> Result:
        """Return the result on all rows of the best point, on a path of all points like it.

        They have the same depth and space; trees of others would not start a search. Where there is
        no time to search, the trees of the choice are taken.
        """
        like = {name: self.best_params_.get(name) for name in ("max_depth", "space")}
        alike = [point for point in points if {name: point.get(name) for name in like} == like]
        posed = [self._with(point)._posing(classes, self._features()) for point in alike]
        plain, rows, most = self._plain(), data.problem(), clock.remaining()
        searching = Clock(most - plain._time_to_round(most), clock.memory)
        found, was_interrupted = fair_path(self._method, rows, posed, plain._limits(), searching)
        clock = Clock(0.0) if was_interrupted else clock
        best = index_of(self.best_params_, alike)
        places = best_of_budgets(alike, self.cv_results_, best)
        for n_left, k in zip(range(len(places), 0, -1), places, strict=True):
            problem = self._method.pose(rows, **posed[k])
            known = known_trees(rounds, alike[k])
            result = no_worse_than(known, self._method, problem, found[k])
            found[k] = plain._presented(problem, result, clock.remaining() / n_left)
        self._found = [(alike[k], found[k]) for k in places if len(places) > 1]
        if was_interrupted:
            return replace(found[best], reason=Reason.INTERRUPTED, limit=None)
        return found[best]


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
