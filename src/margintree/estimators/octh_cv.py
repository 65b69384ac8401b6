"""The optimal oblique tree with its depth and costs chosen by cross-validation."""

from collections.abc import Sequence
from typing import Any, ClassVar

from margintree.core.limits import Limits
from margintree.core.problem import Problem
from margintree.core.result import Progress, Result
from margintree.estimators._choice import Point
from margintree.estimators._chosen import SearchedChoiceMixin, constraints_of_choice
from margintree.estimators.octh import OCTHClassifier
from margintree.methods.tuning import fit_octh_path


class OCTHClassifierCV(SearchedChoiceMixin, OCTHClassifier):
    """`OCTHClassifier` with its depth and the cost of a feature chosen by cross-validation.

    For every fold, trees of all costs are fitted as one path on which each search begins from the
    trees before it. The combination that does best on the rows left out is fitted to all rows,
    beginning from its trees of the folds; of several that do equally well, the one whose trees have
    the fewest splits. Equal rows are in the same fold.

    Parameters
    ----------
    max_depth : int or sequence of int, default=3
        Numbers of levels of splits to choose from.
    alpha : float or sequence of float, default=(0.0001, 0.001, 0.01, 0.1, 1.0)
        Costs of a feature in a split to choose from.
    max_splits : int or None, default=None
        Largest number of splits; None for as many as the depth allows.
    min_leaf : float, default=0.05
        Least weight of a leaf as a share of all training weight, from 0 to 0.5.
    separation : float, default=0.001
        How far the two sides of every split must be apart; see `OCTHClassifier`.
    n_folds : int, default=4
        Number of folds; fewer are made where no class has as many different rows.
    path_iter : int, default=10
        Limit on the local searches of every fit of the choice.
    path_rows : int, default=200
        Limit on the rows that every fit of the choice learns from. Where there are more, it learns
        from a sample that weighs as much, and is scored on all rows left out.
    method : {"search", "exact"}, default="search"
        How the last tree is found; see `OCTHClassifier`. The choice always searches.
    solver : str, default="auto"
        Solver of the exact method.
    time_limit : float or None, default=120.0
        Seconds of wall-clock time for all: the choice takes at most three quarters, shared among
        its paths; None for no limit. Where it strikes, combinations are judged by the best trees
        known for them.
    memory_limit : float or None, default=None
        GiB of memory that each process may take, with all that it holds beside the fits; None for
        no limit. Where it strikes, the fits end with the best trees so far.
    gap : float, default=1e-4
        Relative gap between cost and bound that counts as proof.
    max_iter : int or None, default=None
        Limit on the local searches of the last fit.
    smoothing : float, default=0.0
        Weight added to every class of a leaf before `predict_proba` takes shares.
    class_weight : dict, "balanced" or None, default=None
        Factor by which the rows of each class count, in fits and in scores.
    random_state : int, RandomState instance or None, default=None
        Seed of folds and fits. Unless the time limit strikes, the same seed gives the same choice
        and the same tree whatever ``n_jobs`` is.
    n_jobs : int or None, default=None
        Number of processes of the choice, and of threads of the last fit; None means 1, -1 one per
        core.
    verbose : int or callable, default=0
        1 prints a line for every path of the choice and every better tree of the last fit. A
        callable is given every `TracePoint` of the last fit instead, and its method ``tell``, if it
        has one, every line on the choice.

    Attributes
    ----------
    best_params_, best_score_, best_index_, cv_results_, choice_is_complete_
        The choice, as `MOCTSVMClassifierCV` has it.
    best_estimator_ : OCTHClassifier
        The fitted tree as a classifier with the parameters that were chosen. A model file holds it.
    tree_, result_, cost_, objective_, bound_, gap_, optimal_, n_iter_, classes_
        Of the last fit, as `OCTHClassifier` has them.
    n_features_in_, feature_names_in_
        The number of features, and their names when ``X`` had names.

    Examples
    --------
    >>> from margintree import OCTHClassifierCV
    >>> X, y = [[0], [1], [2], [6], [7], [8]], ["low", "low", "low", "high", "high", "high"]
    >>> clf = OCTHClassifierCV(max_depth=1, n_folds=3).fit(X, y)
    >>> clf.best_params_, clf.best_score_
    ({'max_depth': 1, 'alpha': 0.0001}, 1.0)
    """

    plain = OCTHClassifier
    chosen = ("max_depth", "alpha")
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = constraints_of_choice(
        plain, chosen, counts=("path_iter", "path_rows")
    )

    def __init__(
        self,
        max_depth: Any = 3,
        alpha: Any = (1e-4, 1e-3, 1e-2, 1e-1, 1.0),
        max_splits: int | None = None,
        min_leaf: float = 0.05,
        *,
        separation: float = 0.001,
        n_folds: int = 4,
        path_iter: int = 10,
        path_rows: int = 200,
        method: str = "search",
        solver: str = "auto",
        time_limit: float | None = 120.0,
        memory_limit: float | None = None,
        gap: float = 1e-4,
        max_iter: int | None = None,
        smoothing: float = 0.0,
        class_weight: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int | Progress = 0,
    ) -> None:
        self.max_depth = max_depth
        self.alpha = alpha
        self.max_splits = max_splits
        self.min_leaf = min_leaf
        self.separation = separation
        self.n_folds = n_folds
        self.path_iter = path_iter
        self.path_rows = path_rows
        self.method = method
        self.solver = solver
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.gap = gap
        self.max_iter = max_iter
        self.smoothing = smoothing
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @staticmethod
    def _fit_path(
        plain: OCTHClassifier, problem: Problem, points: Sequence[Point], limits: Limits
    ) -> list[Result]:
        grid = [point["alpha"] for point in points]
        shape = plain._shape(problem)
        return fit_octh_path(problem, shape, grid, limits, limits.clock())
