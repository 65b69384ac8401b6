"""What classifiers share whose parameters are chosen by cross-validation."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import groupby, product
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, validate_parameter_constraints

from margintree._lib.arrays import AnyArray, FloatArray, IntArray
from margintree._lib.exceptions import InvalidInputError
from margintree.core.limits import Clock, Limits
from margintree.core.problem import Problem
from margintree.core.result import Progress, Reason, Result
from margintree.core.tree import ObliqueTree
from margintree.estimators._base import TreeClassifier
from margintree.estimators._choice import Choice, Path, Paths, Point, Trial
from margintree.exact.solvers import get

CHOICE_SHARE = 0.75
"""The share of the time limit that the choice may take; the rest is for the last fit."""
NOT_HERE = ("start", "warm_start")
"""Parameters of plain classifiers that a choice has no use for: it has starts of its own."""


def constraints_of_choice(
    plain: type[TreeClassifier], chosen: Sequence[str], counts: Sequence[str] = ()
) -> dict[str, list[Any]]:
    """Return the constraints on the parameters of a classifier that chooses some of them.

    Parameters
    ----------
    plain : type
        The classifier whose parameters they are.
    chosen : sequence of str
        Those that may be lists to choose from.
    counts : sequence of str
        Further parameters: positive integers.
    """
    own = plain._parameter_constraints
    return {
        **{name: own[name] for name in own if name not in NOT_HERE},
        **{name: [*own[name], "array-like"] for name in chosen},
        **{name: [Interval(Integral, 1, None, closed="left")] for name in counts},
        "n_folds": [Interval(Integral, 2, None, closed="left")],
    }


class ChosenMixin(TreeClassifier):
    """Base, before the plain classifier, of a classifier that chooses some of its parameters.

    A subclass says which classifier is the plain one, which parameters are chosen, and how a path
    of them is fitted. Where a single classifier is needed, one of the plain kind stands in, with
    one value of every parameter.
    """

    plain: ClassVar[type[TreeClassifier]]
    """The classifier whose parameters are chosen."""
    chosen: ClassVar[tuple[str, ...]]
    """The parameters that are chosen; the first is the depth."""

    start = None
    warm_start = False

    n_folds: int
    n_jobs: int | None
    verbose: int | Progress
    best_params_: Point
    best_score_: float

    @staticmethod
    @abstractmethod
    def _fit_path(
        plain: Any, problem: Problem, points: Sequence[Point], limits: Limits
    ) -> list[Result]:
        """Return a result for every combination of one depth.

        Parameters
        ----------
        plain : TreeClassifier
            A classifier with one of the combinations.
        problem : Problem
            The training set, as this classifier poses it.
        points : sequence of dict
            The combinations.
        limits : Limits
            Of each fit; but the seconds are those of all of them.
        """

    @property
    def best_estimator_(self) -> TreeClassifier:
        """The fitted tree as a classifier with the parameters that were chosen."""
        estimator = self._at(self.best_params_)
        for name in ("classes_", "result_", "cost_", "n_features_in_", "feature_names_in_"):
            if hasattr(self, name):
                setattr(estimator, name, getattr(self, name))
        return estimator

    def _at(self, point: Point) -> TreeClassifier:
        """Return an unfitted plain classifier with one combination of the parameters."""
        given = self.get_params(deep=False)
        shared = {name: given[name] for name in self.plain._get_param_names() if name in given}
        return self.plain(**shared | point)

    def _points(self) -> list[Point]:
        """Return all combinations, those of one depth after the other."""
        values = product(*map(self._values, self.chosen))
        return [dict(zip(self.chosen, point, strict=True)) for point in values]

    def _values(self, name: str) -> list[Any]:
        """Return the values of a parameter to choose from."""
        given = getattr(self, name)
        try:
            values: list[Any] = np.atleast_1d(given).tolist()
        except ValueError:  # lists of several lengths inside
            values = []
        if not values:
            raise InvalidInputError(
                f"{name} must be a value or a list of values to choose from; {given!r} was given."
            )
        for value in values:
            validate_parameter_constraints(
                self.plain._parameter_constraints, {name: value}, self.plain.__name__
            )
        return values

    def _depth(self) -> int:
        return int(max(self._values("max_depth")))

    def _pose(self, X: FloatArray, y: IntArray, weights: FloatArray, classes: AnyArray) -> Problem:
        return self._at(self._points()[0])._pose(X, y, weights, classes)

    def _posed(self, problem: Problem, classes: AnyArray) -> Problem:
        """Return the problem as the classifier that was chosen poses it."""
        rows = problem.X, problem.y, problem.row_weights
        return replace(self._at(self.best_params_)._pose(*rows, classes), scaling=problem.scaling)

    def _judge(self, problem: Problem, tree: ObliqueTree) -> Any:
        posed = self._posed(problem, self.classes_)
        return self._at(self.best_params_)._judge(posed, tree)

    def _solve(self, problem: Problem, classes: AnyArray) -> Result:
        self._prepare(problem)
        limits = self._limits()
        clock = limits.clock()
        choice = self._choose(problem, classes, limits)
        self._keep(choice)
        seconds = 0.0 if choice.was_interrupted else clock.remaining()
        starts = [fold[choice.best].tree for fold in choice.trials]
        result = self._last_fit(problem, classes, replace(limits, seconds=seconds), starts)
        if choice.was_interrupted:
            return replace(result, reason=Reason.INTERRUPTED, limit=None)
        return result

    def _prepare(self, problem: Problem) -> None:  # noqa: ARG002
        """Do what is better done before the choice, and not on its clock."""
        if getattr(self, "method", None) == "exact":
            get(getattr(self, "solver", ""))  # a solver that is missing is no news for afterwards

    def _choose(self, problem: Problem, classes: AnyArray, limits: Limits) -> Choice:
        """Return the choice, as far as it comes before Ctrl-C."""
        points, of_each = self._points(), self._limits_of_choice(limits)
        paths = Paths(
            [
                Path(self._fit_path, self._at_depth(depth), [*at_depth], problem, classes, of_each)
                for depth, at_depth in groupby(points, key=lambda point: point["max_depth"])
            ],
            self.n_folds,
            self._most_rows(),
        )
        trials: list[list[Trial]] = []
        with suppress(KeyboardInterrupt):
            for fold in paths.run(CHOICE_SHARE * limits.seconds, self.n_jobs, self._tell()):
                trials.append(fold)  # noqa: PERF402
        return Choice(points, trials, paths.fold_weights)

    def _at_depth(self, depth: int) -> TreeClassifier:
        """Return a plain classifier of some depth that processes can hand on to each other."""
        plain = self._at(self._points()[0] | {"max_depth": depth})
        return plain.set_params(verbose=0) if hasattr(plain, "verbose") else plain

    def _limits_of_choice(self, limits: Limits) -> Limits:
        """Return the limits of each fit of the choice."""
        return replace(limits, threads=1)

    def _most_rows(self) -> int | None:
        """Return the most rows that a fit of the choice learns from; None for all."""
        return None

    def _last_fit(
        self, problem: Problem, classes: AnyArray, limits: Limits, starts: list[ObliqueTree]
    ) -> Result:
        """Return the result on all rows, from the trees of the folds."""
        best, posed = self._at(self.best_params_), self._posed(problem, classes)
        how = best._how(posed, classes)
        return best._optimise(posed, **how | {"limits": limits, "starts": starts})

    def _keep(self, choice: Choice) -> None:
        self.cv_results_ = choice.results()
        self.best_index_ = choice.best
        self.best_params_ = choice.candidates[choice.best]
        self.best_score_ = float(choice.mean_scores[choice.best])
        self.choice_is_complete_ = choice.is_complete

    def _tell(self) -> Callable[[str], None]:
        """Return what is told of every path."""
        clock = Clock()

        def tell(line: str) -> None:
            print(f"margintree {clock.elapsed():8.2f} s  {line}", flush=True)

        if callable(self.verbose):
            return getattr(self.verbose, "tell", _say_nothing)
        return tell if self.verbose else _say_nothing


class SearchedChoiceMixin(ChosenMixin):
    """Base of those whose trees are found by a search, which ends after so many local searches."""

    path_iter: int
    path_rows: int

    def _prepare(self, problem: Problem) -> None:
        from margintree.search.margin.compilation import compile_kernels
        from margintree.search.margin.many_rows import MANY_ROWS

        super()._prepare(problem)
        compile_kernels(many_rows=problem.n_rows > MANY_ROWS, leaf_groups=True)

    def _limits_of_choice(self, limits: Limits) -> Limits:
        return replace(super()._limits_of_choice(limits), iterations=self.path_iter)

    def _most_rows(self) -> int | None:
        return self.path_rows


def _say_nothing(line: str) -> None:
    pass
