"""The optimal classification tree with axis-parallel splits."""

from typing import Any, ClassVar

from sklearn.utils._param_validation import StrOptions

from margintree.core.problem import Problem
from margintree.core.result import Progress, Result
from margintree.estimators._base import AT_LEAST_0
from margintree.estimators._errors import ErrorMixin
from margintree.estimators._optimised import OptimisedClassifier
from margintree.methods import fit_oct


class OCTClassifier(ErrorMixin, OptimisedClassifier):
    """Classification tree with axis-parallel splits that makes the fewest errors, with a proof.

    The tree minimises ``errors / baseline + alpha * splits``, where ``errors`` is the misclassified
    training weight and ``baseline`` what the best single leaf misclassifies. This is the model of
    Bertsimas and Dunn, Optimal classification trees (Machine Learning, 2017).

    Parameters
    ----------
    max_depth : int, default=3
        Number of levels of splits, from 1 to 10.
    alpha : float, default=0.0
        Cost of a split.
    max_splits : int or None, default=None
        Largest number of splits; None for as many as the depth allows.
    min_leaf : float, default=0.05
        Least weight of a leaf as a share of all training weight, from 0 to 0.5.
    method : {"native", "exact"}, default="native"
        Both prove their tree optimal. "native" is a branch and bound over thresholds, which takes
        well below a second for some hundreds of rows at depth 3; "exact" solves the mixed-integer
        model of the paper, from the tree of CART, with a solver, which takes far longer.
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
    smoothing : float, default=0.0
        Weight added to every class of a leaf before `predict_proba` takes shares; 1 is Laplace's
        rule. It changes probabilities, not predictions.
    class_weight : dict, "balanced" or None, default=None
        Factor by which the rows of each class count. "balanced" gives all classes the same total
        weight.
    start : ObliqueTree, fitted classifier or None, default=None
        A tree to begin from; of the same features and classes, and at most as deep. It is not used
        if it is not axis-parallel, or has lighter leaves or more splits than allowed.
    warm_start : bool, default=False
        Whether a further `fit` begins from the tree of the one before. A tree that does not fit
        the new data (other features or classes, deeper) is not used.
    random_state : int, RandomState instance or None, default=None
        Seed of CART, whose tree both methods start from, and of the solver. None is the same as 0.
    n_jobs : int or None, default=None
        Number of threads of the solver; None means 1, -1 one per core, as in joblib. The native
        method uses one.
    verbose : int or callable, default=0
        1 prints a line for every better tree or bound. A callable is given every such
        `TracePoint` instead; it may raise KeyboardInterrupt to stop with the best tree so far.

    Attributes
    ----------
    tree_ : ObliqueTree
        The fitted tree; every split has one weight that is not 0.
    result_ : Result
        The tree with bounds, the reason why the fit stopped, and the trace of its progress.
    cost_ : ErrorCost
        The cost of the tree on its training rows, term by term.
    objective_, bound_, gap_ : float
        The cost of the tree, a proved lower bound on the cost of every tree, and how far they are
        apart as a share of the cost.
    optimal_ : bool
        Whether the tree is proved optimal to within ``gap``.
    classes_ : ndarray of shape (K,)
        The labels.
    n_features_in_ : int
        The number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The names of the features, when ``X`` had names.

    Examples
    --------
    >>> from margintree import OCTClassifier
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "yes", "no"]
    >>> clf = OCTClassifier(max_depth=2).fit(X, y)
    >>> clf.objective_, clf.optimal_
    (0.0, True)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **OptimisedClassifier._parameter_constraints,
        **ErrorMixin._parameter_constraints,
        "alpha": AT_LEAST_0,
        "method": [StrOptions({"native", "exact"})],
    }

    def __init__(
        self,
        max_depth: int = 3,
        alpha: float = 0.0,
        max_splits: int | None = None,
        min_leaf: float = 0.05,
        *,
        method: str = "native",
        solver: str = "auto",
        time_limit: float | None = 60.0,
        memory_limit: float | None = None,
        gap: float = 1e-4,
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
        self.method = method
        self.solver = solver
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.gap = gap
        self.smoothing = smoothing
        self.class_weight = class_weight
        self.start = start
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _optimise(self, problem: Problem, **how: Any) -> Result:
        return fit_oct(problem, self._shape(problem), **how)
