"""The multiclass optimal classification tree with depth and costs chosen by cross-validation."""

from collections.abc import Sequence
from os import PathLike
from typing import Any, ClassVar

from margintree.core.limits import Limits
from margintree.core.problem import MarginNorm, Problem
from margintree.core.result import Progress, Result
from margintree.estimators._choice import Point
from margintree.estimators._chosen import SearchedChoiceMixin, constraints_of_choice
from margintree.estimators.moctsvm import MOCTSVMClassifier
from margintree.methods.tuning import fit_moctsvm_path


class MOCTSVMClassifierCV(SearchedChoiceMixin, MOCTSVMClassifier):
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
    c1 : float or sequence of float, default=(1.0, 10.0, 100.0)
        Costs of a misclassified row to choose from.
    c2 : float or sequence of float, default=(0.1, 1.0, 10.0, 100.0)
        Costs of a unit of margin violation to choose from.
    c3 : float or sequence of float, default=1.0
        Costs of a split to choose from; choosing the depth does much the same.
    n_folds : int, default=4
        Number of folds; fewer are made where no class has as many different rows.
    path_iter : int, default=4
        Limit on the local searches of every fit of the choice.
    path_rows : int, default=200
        Limit on the rows that every fit of the choice learns from. Where there are more, it learns
        from a sample that weighs as much, and is scored on all rows left out.
    method : {"search", "exact"}, default="search"
        How the last tree is found; see `MOCTSVMClassifier`. The choice always searches.
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
    checkpoint : path-like or None, default=None
        With the exact method: a file that holds the best tree and bound of the last fit so far; see
        `MOCTSVMClassifier`. The choice is made anew, and is the same unless time strikes.
    random_state : int, RandomState instance or None, default=None
        Seed of folds and searches. Unless the time limit strikes, the same seed gives the same
        choice and the same tree whatever ``n_jobs`` is.
    n_jobs : int or None, default=None
        Number of processes of the choice, and of threads of the last fit; None means 1, -1 one per
        core.
    verbose : int or callable, default=0
        1 prints a line for every path of the choice and every better tree of the last fit. A
        callable is given every `TracePoint` of the last fit instead, and its method ``tell``, if it
        has one, every line on the choice.

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

    plain = MOCTSVMClassifier
    chosen = ("max_depth", "c1", "c2", "c3")
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = constraints_of_choice(
        plain, chosen, counts=("path_iter", "path_rows")
    )

    def __init__(
        self,
        max_depth: Any = (1, 2, 3),
        c1: Any = (1.0, 10.0, 100.0),
        c2: Any = (0.1, 1.0, 10.0, 100.0),
        c3: Any = 1.0,
        *,
        n_folds: int = 4,
        path_iter: int = 4,
        path_rows: int = 200,
        method: str = "search",
        solver: str = "auto",
        time_limit: float | None = 120.0,
        memory_limit: float | None = None,
        gap: float = 1e-4,
        max_iter: int | None = None,
        routing_margin: float = 1e-3,
        margin_norm: MarginNorm = "squared",
        smoothing: float = 0.0,
        class_weight: Any = None,
        error_costs: Any = None,
        checkpoint: str | PathLike[str] | None = None,
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
        self.path_rows = path_rows
        self.method = method
        self.solver = solver
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.gap = gap
        self.max_iter = max_iter
        self.routing_margin = routing_margin
        self.margin_norm = margin_norm
        self.smoothing = smoothing
        self.class_weight = class_weight
        self.error_costs = error_costs
        self.checkpoint = checkpoint
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @staticmethod
    def _fit_path(
        plain: MOCTSVMClassifier, problem: Problem, points: Sequence[Point], limits: Limits
    ) -> list[Result]:
        grid = [plain.set_params(**point)._costs() for point in points]
        return fit_moctsvm_path(problem, grid, limits, limits.clock())
