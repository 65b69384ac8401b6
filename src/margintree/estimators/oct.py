"""The optimal classification tree with axis-parallel splits."""

from typing import Any

from margintree.core.result import Progress
from margintree.estimators._plain import MethodClassifier
from margintree.methods import METHODS


class OCTClassifier(MethodClassifier):
    """Classification tree with axis-parallel splits and a proved minimum of errors.

    The tree minimises ``errors / baseline + alpha * splits``, where ``errors`` is the misclassified
    training weight and ``baseline`` the weight that the best single leaf misclassifies. This is OCT
    of Bertsimas and Dunn, Optimal classification trees (Machine Learning, 2017).

    Parameters
    ----------
    max_depth : int, default=3
        Number of levels of splits, from 1 to 10.
    alpha : float, default=0.0
        Cost of a split.
    max_splits : int or None, default=None
        Largest number of splits; None means as many as the depth allows.
    min_samples_leaf : int or float, default=0.05
        Least training weight of a leaf: an integer is a weight, a float from 0.0 to 0.5 is a share
        of all training weight.
    method : {"native", "exact"}, default="native"
        Both prove their tree optimal. "native" is a branch and bound over thresholds; it takes well
        below a second for some hundreds of rows at depth 3. "exact" solves the mixed-integer model
        of the paper with a solver, from the tree of CART, and takes far longer.
    start : ObliqueTree, fitted classifier or None, default=None
        A tree to begin from, with the same features and classes and at most the same depth. A tree
        that breaks a rule is not used: oblique splits, too light leaves or too many splits.
    random_state : int, RandomState instance or None, default=None
        Seed of the solver and of CART, which gives the first tree. None is the same as 0.
    n_jobs : int or None, default=None
        Number of threads of the solver, as in joblib: None means 1, -1 one per core. The native
        method uses one.
    solver, time_limit, memory_limit, gap, smoothing, class_weight, warm_start, verbose
        As in `MOCTSVMClassifier`.

    Attributes
    ----------
    tree_ : ObliqueTree
        The fitted tree; every split has exactly one nonzero weight.
    result_, cost_, objective_, bound_, gap_, optimal_, classes_, n_features_in_, \
    feature_names_in_
        As in `MOCTSVMClassifier`; the cost has the terms ``errors`` and ``splits``.

    Examples
    --------
    >>> from margintree import OCTClassifier
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "yes", "no"]
    >>> clf = OCTClassifier(max_depth=2).fit(X, y)
    >>> clf.objective_, clf.optimal_
    (0.0, True)
    """

    _method = METHODS["oct"]

    def __init__(
        self,
        max_depth: int = 3,
        alpha: float = 0.0,
        max_splits: int | None = None,
        min_samples_leaf: float = 0.05,
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
        self.min_samples_leaf = min_samples_leaf
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
