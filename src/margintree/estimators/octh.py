"""The optimal classification tree with oblique splits."""

from typing import Any, ClassVar

from margintree.core.result import Progress
from margintree.estimators._parameters import one_of
from margintree.estimators._plain import MethodClassifier
from margintree.methods import METHODS


class OCTHClassifier(MethodClassifier):
    """Classification tree with oblique splits that makes few errors with few features.

    The tree minimises ``errors / baseline + alpha * features``. Here ``errors`` is the
    misclassified training weight, ``baseline`` the weight that the best single leaf misclassifies,
    and ``features`` the number of features used by each split, summed over the splits. This is
    OCT-H of Bertsimas and Dunn, Optimal classification trees (Machine Learning, 2017). Their
    objective does not say where a hyperplane lies among all those with the same errors, but this
    matters for new rows; see ``planes``.

    Parameters
    ----------
    max_depth : int, default=3
        Number of levels of splits, from 1 to 10.
    alpha : float, default=0.0
        Cost of a feature in a split, or of a split; see ``complexity``.
    max_splits : int or None, default=None
        Largest number of splits; None means as many as the depth allows.
    min_samples_leaf : int or float, default=0.05
        Least training weight of a leaf: an integer is a weight, a float from 0.0 to 0.5 is a share
        of all training weight.
    separation : float, default=0.001
        Least distance between the two sides of every split, between 0 and 1, for features scaled to
        [0, 1] and weights whose absolute values add up to 1. The paper has 0.005. With many
        thousands of rows no split may reach this distance: make it smaller.
    complexity : {"features", "splits"}, default="features"
        Whether ``alpha`` is the cost of every feature of a split, as in OCT-H, or of every split.
    planes : {"centred", "margin"}, default="centred"
        Position of a hyperplane once the rows on its sides are known. "centred" keeps its direction
        and puts it half-way between the closest rows. "margin" takes the maximum-margin hyperplane
        of a support vector machine, which may use all features and therefore needs
        ``complexity="splits"``. The cost of the tree is the same; on new rows it is usually more
        accurate.
    method : {"search", "exact"}, default="search"
        "search" is fast and finds a good tree. "exact" starts from the tree of the search and
        continues with a solver until that tree or a better one is proved optimal.
    start : ObliqueTree, fitted classifier or None, default=None
        A tree to begin from, with the same features and classes and at most the same depth. A tree
        that breaks a rule is improved first.
    n_jobs : int or None, default=None
        Number of threads of the solver, as in joblib: None means 1, -1 one per core. The search
        uses one.
    solver, time_limit, memory_limit, gap, max_iter, smoothing, class_weight, warm_start, \
    random_state, verbose
        As in `MOCTSVMClassifier`.

    Attributes
    ----------
    tree_ : ObliqueTree
        The fitted tree.
    result_, cost_, objective_, bound_, gap_, optimal_, n_iter_, classes_, n_features_in_, \
    feature_names_in_
        As in `MOCTSVMClassifier`; the cost has the terms ``errors``, ``splits`` and ``features``.

    Examples
    --------
    >>> from margintree import OCTHClassifier
    >>> X, y = [[0, 0], [0, 3], [3, 0], [1, 1], [2, 2], [3, 3]], [0, 0, 0, 0, 1, 1]
    >>> clf = OCTHClassifier(max_depth=1, alpha=0.01).fit(X, y)
    >>> clf.cost_.errors, clf.cost_.features
    (0.0, 0.02)
    """

    _method = METHODS["octh"]
    own_constraints: ClassVar[dict[str, list[Any]]] = {
        "complexity": [one_of("features", "splits")],
        "planes": [one_of("centred", "margin")],
    }

    def __init__(
        self,
        max_depth: int = 3,
        alpha: float = 0.0,
        max_splits: int | None = None,
        min_samples_leaf: float = 0.05,
        *,
        separation: float = 0.001,
        complexity: str = "features",
        planes: str = "centred",
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
        self.min_samples_leaf = min_samples_leaf
        self.separation = separation
        self.complexity = complexity
        self.planes = planes
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
