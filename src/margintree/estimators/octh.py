"""The optimal classification tree with oblique splits."""

from dataclasses import replace
from numbers import Real
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval

from margintree.core.problem import Problem
from margintree.core.result import Progress, Result
from margintree.core.rules import SEPARATION, Shape
from margintree.estimators._base import AT_LEAST_0
from margintree.estimators._errors import ErrorMixin
from margintree.estimators._optimised import SearchedClassifier
from margintree.methods import fit_octh


class OCTHClassifier(ErrorMixin, SearchedClassifier):
    """Classification tree with oblique splits that makes few errors with few features.

    The tree minimises ``errors / baseline + alpha * features``, where ``errors`` is the
    misclassified training weight, ``baseline`` what the best single leaf misclassifies, and
    ``features`` counts, over all splits, the features that a split looks at. This is OCT-H of
    Bertsimas and Dunn, Optimal classification trees (Machine Learning, 2017).

    Parameters
    ----------
    max_depth : int, default=3
        Number of levels of splits, from 1 to 10.
    alpha : float, default=0.0
        Cost of a feature in a split.
    max_splits : int or None, default=None
        Largest number of splits; None for as many as the depth allows.
    min_leaf : float, default=0.05
        Least weight of a leaf as a share of all training weight, from 0 to 0.5.
    separation : float, default=0.001
        How far the two sides of every split must be apart, when features lie between 0 and 1 and
        the absolute values of the split's weights add up to 1. Between 0 and 1; the paper has
        0.005. Among many thousands of rows no two sides may be that far apart: make it smaller.
    method : {"search", "exact"}, default="search"
        "search" is fast and finds a good tree; "exact" starts from the tree of the search and goes
        on, with a solver, until that tree or a better one is proved optimal.
    solver : str, default="auto"
        Solver of the exact method; the command ``margintree solvers`` lists them.
    time_limit : float or None, default=60.0
        Seconds of wall-clock time; None for no limit. Compiling kernels, on the first fits
        after an installation, is not included.
    memory_limit : float or None, default=None
        GiB of memory that the process may take, with all that it holds beside the fit; None for no
        limit. Where it strikes, the fit ends with the best tree so far.
    gap : float, default=1e-4
        Relative gap between cost and bound that counts as proof.
    max_iter : int or None, default=None
        Limit on the local searches of the search; None for a number that depends on the data.
    smoothing : float, default=0.0
        Weight added to every class of a leaf before `predict_proba` takes shares; 1 is Laplace's
        rule. It changes probabilities, not predictions.
    class_weight : dict, "balanced" or None, default=None
        Factor by which the rows of each class count. "balanced" gives all classes the same total
        weight.
    start : ObliqueTree, fitted classifier or None, default=None
        A tree to begin from; of the same features and classes, and at most as deep. One with
        lighter leaves or more splits than allowed is improved first.
    warm_start : bool, default=False
        Whether a further `fit` begins from the tree of the one before. A tree that does not fit
        the new data (other features or classes, deeper) is not used.
    random_state : int, RandomState instance or None, default=None
        Seed of the search and of the solver. None is the same as 0: the same data give the same
        tree.
    n_jobs : int or None, default=None
        Number of threads of the solver; None means 1, -1 one per core, as in joblib. The
        search uses one.
    verbose : int or callable, default=0
        1 prints a line for every better tree or bound. A callable is given every such
        `TracePoint` instead; it may raise KeyboardInterrupt to stop with the best tree so far.

    Attributes
    ----------
    tree_ : ObliqueTree
        The fitted tree; its hyperplanes lie half-way between the training rows that they part.
    result_ : Result
        The tree with bounds, the reason why the fit stopped, and the trace of its progress.
    cost_ : ErrorCost
        The cost of the tree on its training rows, term by term.
    objective_, bound_, gap_ : float
        The cost of the tree, a proved lower bound on the cost of every tree, and how far they are
        apart as a share of the cost.
    optimal_ : bool
        Whether the tree is proved optimal to within ``gap``.
    n_iter_ : int
        The number of local searches that the search did.
    classes_ : ndarray of shape (K,)
        The labels.
    n_features_in_ : int
        The number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The names of the features, when ``X`` had names.

    Examples
    --------
    >>> from margintree import OCTHClassifier
    >>> X, y = [[0, 0], [0, 3], [3, 0], [1, 1], [2, 2], [3, 3]], [0, 0, 0, 0, 1, 1]
    >>> clf = OCTHClassifier(max_depth=1, alpha=0.01).fit(X, y)
    >>> clf.cost_.errors, clf.cost_.splits
    (0.0, 0.02)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SearchedClassifier._parameter_constraints,
        **ErrorMixin._parameter_constraints,
        "alpha": AT_LEAST_0,
        "separation": [Interval(Real, 0, 1, closed="neither")],
    }

    def __init__(
        self,
        max_depth: int = 3,
        alpha: float = 0.0,
        max_splits: int | None = None,
        min_leaf: float = 0.05,
        *,
        separation: float = SEPARATION,
        method: str = "search",
        solver: str = "auto",
        time_limit: float | None = 60.0,
        memory_limit: float | None = None,
        gap: float = 1e-4,
        max_iter: int | None = None,
        smoothing: float = 0.0,
        class_weight: Any = None,
        start: Any = None,
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int | Progress = 0,
    ) -> None:
        self.max_depth = max_depth
        self.alpha = alpha
        self.max_splits = max_splits
        self.min_leaf = min_leaf
        self.separation = separation
        self.method = method
        self.solver = solver
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.gap = gap
        self.max_iter = max_iter
        self.smoothing = smoothing
        self.class_weight = class_weight
        self.start = start
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _shape(self, problem: Problem) -> Shape:
        return replace(super()._shape(problem), axis_parallel=False, separation=self.separation)

    def _optimise(self, problem: Problem, **how: Any) -> Result:
        return fit_octh(problem, self._shape(problem), **how)
