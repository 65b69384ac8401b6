"""The multiclass optimal classification tree with depth and costs chosen by cross-validation."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from itertools import product
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from margintree._typing import AnyArray
from margintree.estimators._base import AT_LEAST_0
from margintree.estimators._choice import Choice, Paths, Trial
from margintree.estimators.moctsvm import MOCTSVMClassifier
from margintree.exceptions import InvalidInputError
from margintree.fit import fit_tree
from margintree.limits import Clock, Limits
from margintree.objective import Cost, objective
from margintree.problem import MAX_DEPTH, Costs, MarginNorm, Problem
from margintree.result import Progress, Reason, Result
from margintree.solvers import get
from margintree.tree import ObliqueTree

CHOSEN = ("max_depth", "c1", "c2", "c3")
"""The parameters that are chosen."""
CHOICE_SHARE = 0.75
"""The share of the time limit that the choice may take; the rest is for the last fit."""


class MOCTSVMClassifierCV(MOCTSVMClassifier):
    """`MOCTSVMClassifier` with depth and costs chosen by cross-validation.

    For every fold and depth, trees of all combinations of costs are fitted as one path on which
    each search begins from the trees before it. The combination that does best on the rows left
    out is fitted to all rows, beginning from its trees of the folds; of several that do equally
    well, the one whose trees have the fewest splits. Equal rows are in the same fold, and neither
    the order of the rows nor copies in place of weights change the choice.

    Parameters
    ----------
    max_depth : int or sequence of int, default=(1, 2, 3)
        Numbers of levels of splits to choose from; a single one is fixed.
    c1 : float or sequence of float, default=(1.0, 10.0, 100.0, 1000.0)
        Costs of a misclassified row to choose from.
    c2 : float or sequence of float, default=(0.1, 1.0, 10.0, 100.0)
        Costs of a unit of margin violation to choose from.
    c3 : float or sequence of float, default=(0.1, 1.0, 10.0)
        Costs of a split to choose from.
    n_folds : int, default=4
        Number of folds; fewer are made where no class has as many different rows.
    path_iter : int, default=8
        Limit on the local searches of every fit of the choice.
    method : {"search", "exact"}, default="search"
        How the last tree is found; see `MOCTSVMClassifier`. The choice always searches.
    solver : str, default="auto"
        Solver of the exact method.
    time_limit : float or None, default=120.0
        Seconds of wall-clock time for all: the choice takes at most three quarters, shared among
        its paths; None for no limit. Where it strikes, combinations are judged by the best trees
        known for them.
    gap : float, default=1e-4
        Relative gap between cost and bound that counts as proof.
    max_iter : int or None, default=None
        Limit on the local searches of the last fit.
    routing_margin : float, default=1e-3
        How far from 0 the value of every split must be on the training rows that pass it.
    margin_norm : {"squared", "plain"}, default="squared"
        Whether the margin term is ``||w||**2 / 2`` or ``||w|| / 2``.
    smoothing : float, default=0.0
        Weight added to every class of a leaf before `predict_proba` takes shares.
    class_weight : dict, "balanced" or None, default=None
        Factor by which the rows of each class count, in fits and in scores.
    error_costs : array-like of shape (K, K), dict of dicts or None, default=None
        What each error costs, in fits and in scores; see `MOCTSVMClassifier`.
    random_state : int, RandomState instance or None, default=None
        Seed of folds and searches. Unless the time limit strikes, the same seed gives the same
        choice and the same tree whatever ``n_jobs`` is.
    n_jobs : int or None, default=None
        Number of processes of the choice, and of threads of the last fit; None means 1, -1 one per
        core.
    verbose : int or callable, default=0
        1 prints a line for every path of the choice and every better tree of the last fit. A
        callable is given every `TracePoint` of the last fit instead.

    Attributes
    ----------
    best_params_ : dict
        The depth and the costs that were chosen.
    best_score_ : float
        Their score on rows left out: the share of rows predicted right, each counted by its
        weight. With ``error_costs`` it is 1 less the mean price of a prediction.
    best_index_ : int
        Their place in ``cv_results_``.
    cv_results_ : dict
        The scores of all combinations, as scikit-learn's `GridSearchCV` has them, and
        ``mean_splits``.
    choice_is_complete_ : bool
        Whether the choice ran its course: no time limit struck and nobody interrupted it.
    best_estimator_ : MOCTSVMClassifier
        The fitted tree as a classifier with the parameters that were chosen. A model file holds it.
    tree_, result_, cost_, objective_, bound_, gap_, optimal_, n_iter_, classes_
        Of the last fit, as `MOCTSVMClassifier` has them.
    n_features_in_, feature_names_in_
        The number of features, and their names when ``X`` had names.

    Examples
    --------
    >>> from margintree import MOCTSVMClassifierCV
    >>> X, y = [[0], [1], [2], [6], [7], [8]], ["low", "low", "low", "high", "high", "high"]
    >>> clf = MOCTSVMClassifierCV(max_depth=(1, 2), c1=(0.01, 10.0), c2=1.0, c3=0.1, n_folds=3)
    >>> clf.fit(X, y).best_params_
    {'max_depth': 1, 'c1': 10.0, 'c2': 1.0, 'c3': 0.1}
    >>> clf.best_score_, clf.predict([[1.5], [6.5]]).tolist()
    (1.0, ['low', 'high'])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **{
            name: constraint
            for name, constraint in MOCTSVMClassifier._parameter_constraints.items()
            if name not in ("start", "warm_start", "checkpoint")
        },
        "max_depth": [Interval(Integral, 1, MAX_DEPTH, closed="both"), "array-like"],
        "c1": [*AT_LEAST_0, "array-like"],
        "c2": [*AT_LEAST_0, "array-like"],
        "c3": [*AT_LEAST_0, "array-like"],
        "n_folds": [Interval(Integral, 2, None, closed="left")],
        "path_iter": [Interval(Integral, 1, None, closed="left")],
    }

    start = None
    warm_start = False

    def __init__(
        self,
        max_depth: Any = (1, 2, 3),
        c1: Any = (1.0, 10.0, 100.0, 1000.0),
        c2: Any = (0.1, 1.0, 10.0, 100.0),
        c3: Any = (0.1, 1.0, 10.0),
        *,
        n_folds: int = 4,
        path_iter: int = 8,
        method: str = "search",
        solver: str = "auto",
        time_limit: float | None = 120.0,
        gap: float = 1e-4,
        max_iter: int | None = None,
        routing_margin: float = 1e-3,
        margin_norm: MarginNorm = "squared",
        smoothing: float = 0.0,
        class_weight: Any = None,
        error_costs: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int | Progress = 0,
    ) -> None:
        self.max_depth = max_depth
        self.c1 = c1
        self.c2 = c2
        self.c3 = c3
        self.n_folds = n_folds
        self.path_iter = path_iter
        self.method = method
        self.solver = solver
        self.time_limit = time_limit
        self.gap = gap
        self.max_iter = max_iter
        self.routing_margin = routing_margin
        self.margin_norm = margin_norm
        self.smoothing = smoothing
        self.class_weight = class_weight
        self.error_costs = error_costs
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @property
    def best_estimator_(self) -> MOCTSVMClassifier:
        """The fitted tree as a classifier with the parameters that were chosen."""
        params = self.get_params(deep=False)
        del params["n_folds"], params["path_iter"]
        estimator = MOCTSVMClassifier(**params | self.best_params_)
        for name in ("classes_", "result_", "cost_", "n_features_in_", "feature_names_in_"):
            if hasattr(self, name):
                setattr(estimator, name, getattr(self, name))
        return estimator

    def _values(self, name: str) -> list[Any]:
        """Return the values of a parameter to choose from."""
        given = getattr(self, name)
        values: list[Any] = np.atleast_1d(np.asarray(given, dtype=object)).tolist()
        kind = Integral if name == "max_depth" else Real
        if not values or not all(isinstance(value, kind) for value in values):
            raise InvalidInputError(
                f"{name} must be {'an integer' if kind is Integral else 'a number'} or a list of "
                f"them to choose from; {given!r:.60} was given."
            )
        return values

    def _depth(self) -> int:
        return int(max(self._values("max_depth")))

    def _costs(self) -> Costs:
        return self._grid()[0]

    def _grid(self) -> list[Costs]:
        letters = product(*(self._values(name) for name in CHOSEN[1:]))
        return [Costs(*map(float, costs)) for costs in letters]

    def _solve(self, problem: Problem, classes: AnyArray) -> Result:
        from margintree.search.compilation import compile_kernels
        from margintree.search.large import MANY_ROWS

        if self.method == "exact":
            get(self.solver)  # a solver that is missing is no news for after the choice
        compile_kernels(many_rows=problem.n_rows > MANY_ROWS)  # not on the clock
        how = self._how(problem, classes)
        clock = Clock(how["limits"].seconds)
        choice = self._choose(problem, how["limits"])
        self._keep(choice)
        seconds = 0.0 if choice.was_interrupted else clock.remaining()
        how["limits"] = replace(how["limits"], seconds=seconds)
        how["starts"] = [fold[choice.best].tree for fold in choice.trials]
        result = fit_tree(self._chosen(problem), **how)
        if choice.was_interrupted:
            return replace(result, reason=Reason.INTERRUPTED, limit=None)
        return result

    def _choose(self, problem: Problem, limits: Limits) -> Choice:
        """Return the choice, as far as it comes before Ctrl-C."""
        depths, grid = self._values("max_depth"), self._grid()
        limits = replace(
            limits, seconds=CHOICE_SHARE * limits.seconds, iterations=self.path_iter, threads=1
        )
        paths = Paths(problem, depths, grid, limits, self.n_folds)
        candidates = [
            dict(zip(CHOSEN, (depth, costs.errors, costs.violations, costs.splits), strict=True))
            for depth in depths
            for costs in grid
        ]
        trials: list[list[Trial]] = []
        with suppress(KeyboardInterrupt):
            for fold in paths.run(self.n_jobs, self._tell()):
                trials.append(fold)  # noqa: PERF402
        return Choice(candidates, trials, paths.fold_weights)

    def _keep(self, choice: Choice) -> None:
        self.cv_results_ = choice.results()
        self.best_index_ = choice.best
        self.best_params_ = choice.candidates[choice.best]
        self.best_score_ = float(choice.mean_scores[choice.best])
        self.choice_is_complete_ = choice.is_complete

    def _chosen(self, problem: Problem) -> Problem:
        """Return the problem with the depth and the costs that were chosen."""
        depth, *costs = (self.best_params_[name] for name in CHOSEN)
        return replace(problem, depth=int(depth), costs=Costs(*costs))

    def _judge(self, problem: Problem, tree: ObliqueTree) -> Cost:
        return objective(self._chosen(problem), tree)

    def _tell(self) -> Callable[[str], None]:
        """Return what is told of every path."""
        clock, is_on = Clock(), bool(self.verbose) and not callable(self.verbose)

        def tell(line: str) -> None:
            if is_on:
                print(f"margintree {clock.elapsed():8.2f} s  {line}", flush=True)

        return tell
