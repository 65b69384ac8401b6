"""The optimal classification tree with SVM splits for two classes and noisy labels."""

from typing import Any

from margintree.core.margin import MarginTerm, NormName
from margintree.core.result import Progress
from margintree.estimators._plain import MethodClassifier
from margintree.methods import METHODS


class OCTSVMClassifier(MethodClassifier):
    """Classification tree for two classes whose splits are support vector machines.

    In every branch node a row should be on the side of its label: right for the second class, left
    for the first. Otherwise the node may relabel it at a cost. The tree minimises
    ``max ||w||**2 / 2 + c1 * violations + c2 * relabelled + c3 * splits``. The maximum is over the
    splits; ``violations`` sums ``max(0, 1 - s f(x))`` over branch nodes and their rows, where ``s``
    is the side of the label, or the other side if the row is relabelled; ``relabelled`` counts the
    relabellings. The sign of ``f`` decides where a row goes next. A branch node that does not split
    is a hyperplane without weights: it assigns all its rows to one class, and rows of the other
    class pay there, too. A leaf predicts the class of most of its rows at no cost. This is OCTSVM
    of Blanco, Japón and Puerto, Robust optimal classification trees under noisy labels (Advances in
    Data Analysis and Classification, 2022).

    Parameters
    ----------
    max_depth : int, default=3
        Number of levels of splits, from 1 to 10.
    c1 : float, default=1.0
        Cost of a unit of margin violation.
    c2 : float, default=1.0
        Cost of relabelling a row in a node.
    c3 : float, default=0.1
        Cost of a split.
    c4, min_samples_leaf, max_splits, max_features_per_split, max_features, feature_costs, \
    feature_groups, points, rounding, method, solver, time_limit, memory_limit, gap, max_iter, \
    routing_margin, margin_term, norm, space, smoothing, class_weight, start, warm_start, \
    random_state, n_jobs, verbose
        As in `MOCTSVMClassifier`.

    Attributes
    ----------
    tree_ : ObliqueTree
        The fitted tree, for features scaled to [0, 1].
    result_, cost_, objective_, bound_, gap_, optimal_, n_iter_, classes_, n_features_in_, \
    feature_names_in_
        As in `MOCTSVMClassifier`, with other terms of the cost.

    Examples
    --------
    >>> from margintree import OCTSVMClassifier
    >>> X = [[0.0, 1.0], [1.0, 0.0], [0.5, 0.5], [4.0, 1.0], [5.0, 0.0], [4.5, 0.5]]
    >>> y = ["low", "low", "high", "high", "high", "high"]
    >>> clf = OCTSVMClassifier(max_depth=1, c1=10.0, c2=5.0).fit(X, y)
    >>> clf.predict([[0.6, 0.5], [4.5, 0.5]]).tolist(), clf.cost_.relabelled
    (['low', 'high'], 5.0)
    """

    _method = METHODS["octsvm"]

    def __init__(
        self,
        max_depth: int = 3,
        c1: float = 1.0,
        c2: float = 1.0,
        c3: float = 0.1,
        *,
        c4: float = 0.0,
        min_samples_leaf: float = 0,
        max_splits: int | None = None,
        max_features_per_split: int | None = None,
        max_features: int | None = None,
        feature_costs: Any = None,
        feature_groups: Any = None,
        points: int | None = None,
        rounding: float | None = None,
        method: str = "search",
        solver: str = "auto",
        time_limit: float | None = 60.0,
        memory_limit: float | None = None,
        gap: float = 1e-4,
        max_iter: int | None = None,
        routing_margin: float = 1e-3,
        margin_term: MarginTerm = "squared",
        norm: NormName = "l2",
        space: str = "box",
        smoothing: float = 0.0,
        class_weight: Any = None,
        start: Any = None,
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int | Progress = 0,
    ) -> None:
        self.max_depth = max_depth
        self.c1 = c1
        self.c2 = c2
        self.c3 = c3
        self.c4 = c4
        self.min_samples_leaf = min_samples_leaf
        self.max_splits = max_splits
        self.max_features_per_split = max_features_per_split
        self.max_features = max_features
        self.feature_costs = feature_costs
        self.feature_groups = feature_groups
        self.points = points
        self.rounding = rounding
        self.method = method
        self.solver = solver
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.gap = gap
        self.max_iter = max_iter
        self.routing_margin = routing_margin
        self.margin_term = margin_term
        self.norm = norm
        self.space = space
        self.smoothing = smoothing
        self.class_weight = class_weight
        self.start = start
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
