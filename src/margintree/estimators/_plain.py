"""Base of the classifiers of one method: parameters become a problem and a solve."""

from collections.abc import Sequence
from dataclasses import replace
from inspect import signature
from typing import Any, ClassVar, Self

import numpy as np
from joblib import effective_n_jobs

from margintree._lib.arrays import AnyArray
from margintree._lib.exceptions import InvalidInputError
from margintree.core.limits import Clock, Limits
from margintree.core.method import Method
from margintree.core.problem import Problem
from margintree.core.result import Result
from margintree.core.tree import ObliqueTree
from margintree.estimators._base import TreeClassifier
from margintree.estimators._given import (
    adapted,
    class_factors,
    error_matrix,
    feature_factors,
    row_weights,
    start_tree,
    why_unfit,
)
from margintree.estimators._parameters import CONSTRAINTS, one_of
from margintree.estimators._verbose import progress_of
from margintree.methods.choose import Data
from margintree.methods.margin import MarginMethod
from margintree.methods.rounding import with_round_numbers
from margintree.methods.solve import How, solve

ROUNDING_SHARE = 1 / 8
"""Share of a time limit that is kept for round numbers. A search may use all the time it has, and
numbers that are only cut off cost more than its last steps gain."""


class MethodClassifier(TreeClassifier):
    """Base of the classifiers of one method.

    A subclass names its method and adds a constructor and a docstring. Its parameters are those
    that pose the method's problem (`Method.parameters`) and any in `CONSTRAINTS` that say how to
    solve it. A subclass with other parameters adds their constraints.
    """

    _method: Method
    own_constraints: ClassVar[dict[str, list[Any]]] = {}
    """Constraints on parameters that `CONSTRAINTS` does not have."""

    max_depth: int

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        ways = {"method": [one_of(*cls._method.ways)]}
        known = {**CONSTRAINTS, **ways, **cls.own_constraints}
        names = signature(cls.__init__).parameters
        cls._parameter_constraints = {name: known[name] for name in names if name in known}

    def __sklearn_clone__(self) -> Self:
        copy: Self = super().__sklearn_clone__()
        if hasattr(self, "start"):
            # A start that is a classifier must stay fitted, so it is not cloned.
            copy.start = self.start
        return copy

    @property
    def n_iter_(self) -> int:
        """The number of local searches of the fit, counted as for ``max_iter``."""
        return self.result_.iterations

    def _depth(self, n_classes: int) -> int:  # noqa: ARG002
        return self.max_depth

    def _learn(self, data: Data, classes: AnyArray) -> Result:
        problem = self._method.pose(data.problem(), **self._posing(classes, self._features()))
        return self._solved(problem, self._how(problem, classes))

    def _solved(self, problem: Problem, how: How) -> Result:
        """Return the result of a solve, with round numbers if they are asked for."""
        most = how.limits.seconds
        limits = replace(how.limits, seconds=most - self._time_to_round(most))
        result = solve(self._method, problem, replace(how, limits=limits))
        return self._presented(problem, result, most - result.seconds)

    def _time_to_round(self, seconds: float) -> float:
        """Return the part of a time limit that is kept for round numbers."""
        given = self.get_params(deep=False)
        is_rounded = (given.get("points"), given.get("rounding")) != (None, None)
        return ROUNDING_SHARE * seconds if is_rounded and seconds < np.inf else 0.0

    def _presented(self, problem: Problem, result: Result, seconds: float = np.inf) -> Result:
        """Return the result with round numbers, if they are asked for, within this time."""
        given = self.get_params(deep=False)
        points, share = given.get("points"), given.get("rounding")
        if not isinstance(self._method, MarginMethod):
            return result
        return with_round_numbers(self._method, problem, result, points, share, Clock(seconds))

    def problem_of(self, X: Any, y: Any, sample_weight: Any = None) -> Problem:
        """Return the problem that the fitted classifier has solved, for its training rows."""
        weights = row_weights(sample_weight, X)
        codes = np.searchsorted(self.classes_, y)
        factors = class_factors(self.class_weight, codes, weights, self.classes_)
        data = Data(X, codes, weights * factors[codes], len(self.classes_), factors)
        posing = self._posing(self.classes_, self._features())
        return self._method.pose(data.problem(), **posing)

    def _posing(self, classes: AnyArray, features: Sequence[Any]) -> dict[str, Any]:
        """Return the parameters that pose the problem, without labels and names of features."""
        given = self.get_params(deep=False)
        posing = {name: given[name] for name in self._method.parameters if name in given}
        rounds = given.get("points"), given.get("rounding")
        if posing.get("space", "box") != "box" and rounds != (None, None):
            raise InvalidInputError(
                f"points and rounding need space='box'; space={posing['space']!r} was given. Leave "
                "them out, or use space='box'."
            )
        if posing.get("norm", "l2") != "l2" and rounds != (None, None):
            raise InvalidInputError(
                f"points and rounding need norm='l2'; norm={posing['norm']!r} was given. Leave "
                "them out, or use norm='l2'."
            )
        if "error_costs" in posing:
            posing["error_costs"] = error_matrix(posing["error_costs"], classes)
        if "feature_costs" in posing:
            posing["feature_costs"] = feature_factors(posing["feature_costs"], features)
        return posing

    def _how(self, problem: Problem, classes: AnyArray) -> How:
        given = self.get_params(deep=False)
        return How(
            way=given.get("method", self._method.ways[0]),
            solver=given.get("solver", How.solver),
            limits=self._limits(),
            starts=tuple(self._starts(problem, classes)),
            progress=progress_of(given.get("verbose", 0)),
            checkpoint=given.get("checkpoint"),
            certificate=given.get("certificate"),
        )

    def _limits(self) -> Limits:
        given = self.get_params(deep=False)
        return Limits(
            seconds=_or_infinity(given.get("time_limit")),
            memory=_or_infinity(given.get("memory_limit")),
            gap=given.get("gap", Limits.gap),
            iterations=given.get("max_iter"),
            threads=n_threads(given.get("n_jobs")),
            seed=seed_of(given.get("random_state")),
        )

    def _starts(self, problem: Problem, classes: AnyArray) -> list[ObliqueTree]:
        """Return the given start and, with ``warm_start``, the tree of the previous fit."""
        given = getattr(self, "start", None)
        starts = [] if given is None else [start_tree(given, problem, classes)]
        if getattr(self, "warm_start", False) and hasattr(self, "result_"):
            is_known = np.array_equal(self.classes_, classes)
            if is_known and not why_unfit(self.tree_, problem):
                starts.append(adapted(self.tree_, problem))
        return starts


def _or_infinity(limit: float | None) -> float:
    return np.inf if limit is None else limit


def n_threads(n_jobs: int | None) -> int:
    """Return the number of threads."""
    if n_jobs == 0:  # The message of joblib does not say what to do.
        raise InvalidInputError(
            "The number of threads, n_jobs, must be a positive number, a negative one that counts "
            "back from all cores (-1) or None; 0 was given. Use 1 for a single thread."
        )
    return int(effective_n_jobs(n_jobs))


def seed_of(random_state: Any) -> int:
    """Return a seed, without use of NumPy's global generator."""
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(np.iinfo(np.int32).max))
    return 0 if random_state is None else int(random_state)
