"""What classifiers share whose tree is optimised: limits, starts, a seed and progress."""

from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils._param_validation import Interval, StrOptions

from margintree._lib.arrays import AnyArray
from margintree._lib.exceptions import InvalidInputError
from margintree.core.limits import Limits
from margintree.core.problem import Problem
from margintree.core.result import Progress
from margintree.core.tree import ObliqueTree
from margintree.estimators._base import AT_LEAST_0, TreeClassifier
from margintree.estimators._given_start import adapted, start_tree, why_unfit
from margintree.estimators._verbose import progress_of


class OptimisedClassifier(TreeClassifier):
    """Base of the classifiers whose tree is optimised within limits, from known trees if there are.

    A subclass has the parameters named below, and hands `_how` on to what solves its problems.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TreeClassifier._parameter_constraints,
        "solver": [str],
        "time_limit": [*AT_LEAST_0, None],
        "memory_limit": [*AT_LEAST_0, None],
        "gap": [Interval(Real, 0, 1, closed="left")],
        "start": [ObliqueTree, TreeClassifier, None],
        "warm_start": ["boolean"],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
        "verbose": ["verbose", callable],
    }

    method: str
    solver: str
    time_limit: float | None
    memory_limit: float | None
    gap: float
    start: Any
    warm_start: bool
    random_state: Any
    n_jobs: int | None
    verbose: int | Progress

    def __sklearn_clone__(self) -> Self:
        copy: Self = super().__sklearn_clone__()
        # A start given as a classifier is data here: an unfitted copy of it would be no start.
        copy.start = self.start
        return copy

    def _how(self, problem: Problem, classes: AnyArray) -> dict[str, Any]:
        return {
            **super()._how(problem, classes),
            "method": self.method,
            "solver": self.solver,
            "starts": self._starts(problem, classes),
            "progress": progress_of(self.verbose),
        }

    def _limits(self) -> Limits:
        return Limits(
            seconds=np.inf if self.time_limit is None else self.time_limit,
            memory=np.inf if self.memory_limit is None else self.memory_limit,
            gap=self.gap,
            threads=_threads(self.n_jobs),
            seed=seed_of(self.random_state),
        )

    def _starts(self, problem: Problem, classes: AnyArray) -> list[ObliqueTree]:
        """Return the start that was asked for and the tree of the previous fit, where there are."""
        starts = [] if self.start is None else [start_tree(self.start, problem, classes)]
        if self.warm_start and hasattr(self, "result_"):
            is_known = np.array_equal(self.classes_, classes)
            if is_known and not why_unfit(self.tree_, problem):
                starts.append(adapted(self.tree_, problem))
        return starts


class SearchedClassifier(OptimisedClassifier):
    """Base of the classifiers whose tree is found by a search, and proved by a solver if asked."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **OptimisedClassifier._parameter_constraints,
        "method": [StrOptions({"search", "exact"})],
        "max_iter": [Interval(Integral, 0, None, closed="left"), None],
    }

    max_iter: int | None

    def _limits(self) -> Limits:
        return replace(super()._limits(), iterations=self.max_iter)

    @property
    def n_iter_(self) -> int:
        """The number of local searches that the search did."""
        return self.result_.iterations


def _threads(n_jobs: int | None) -> int:
    """Return the number of threads; joblib would refuse 0 in words that do not tell what to do."""
    if n_jobs == 0:
        raise InvalidInputError(
            "The number of threads, n_jobs, must be a positive number, a negative one that counts "
            "back from all cores (-1) or None; 0 was given. Use 1 for a single thread."
        )
    return int(effective_n_jobs(n_jobs))


def seed_of(random_state: Any) -> int:
    """Return a seed; neither NumPy's global generator nor its state has a part in it."""
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(np.iinfo(np.int32).max))
    return 0 if random_state is None else int(random_state)
