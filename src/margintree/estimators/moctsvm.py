"""The multiclass optimal classification tree with maximum-margin splits."""

from os import PathLike
from typing import Any

from margintree.core.margin import MarginTerm, NormName
from margintree.core.result import Progress
from margintree.estimators._plain import MethodClassifier
from margintree.methods import METHODS


class MOCTSVMClassifier(MethodClassifier):
    """Classification tree of maximum-margin hyperplanes, all optimised together.

    The tree minimises ``max ||w||**2 / 2 + c1 * errors + c2 * violations + c3 * splits``, plus
    ``c4`` for every feature of every split. The maximum is over the splits, ``errors`` counts
    misclassified training rows, and ``violations`` sums how far each row is inside the margins of
    the splits that it passes.

    Parameters
    ----------
    max_depth : int, default=3
        Number of levels of splits, from 1 to 10.
    c1 : float, default=10.0
        Cost of a misclassified row.
    c2 : float, default=1.0
        Cost of a unit of margin violation. With less than ``c1``, a split may pass through many
        rows if it saves errors; with more, it hardly ever pays.
    c3 : float, default=10.0
        Cost of a split. As much as ``c1`` means that a split must save an error.
    c4 : float, default=0.0
        Cost of every feature that a split uses. A feature that two splits use is paid twice.
    min_samples_leaf : int or float, default=0
        Least training weight of a leaf: an integer is a weight, a float from 0.0 to 0.5 is a share
        of all training weight.
    max_splits : int or None, default=None
        Largest number of splits; None means as many as the depth allows.
    max_features_per_split : int or None, default=None
        Largest number of features in a split; None means all.
    max_features : int or None, default=None
        Largest number of features in the whole tree; None means all.
    feature_costs : array-like of shape (n_features,), dict or None, default=None
        Factors on ``c4``, for features that are dearer than others; a dict gives them by name or
        number, and 1 for all others.
    feature_groups : array-like of int of shape (n_features,) or None, default=None
        A number for every feature; features of one number count once, at the price of the dearest
        one. Give the dummies of one column one number.
    points : int or None, default=None
        Round the fitted tree to at most this many whole points per unit of a feature, for a score
        card. The unit is the power of ten below the span of the feature. Points are searched for,
        not cut off, and predictions, costs and exports are those of the rounded tree.
    rounding : float or None, default=None
        Share of the cost that round numbers may cost, such as 0.01: the tree is rounded to as few
        points as keep within it. With ``points``, to more than these if needed. None sets no limit;
        without both the tree is not rounded.
    method : {"search", "exact"}, default="search"
        "search" is fast and usually finds the best tree, without a proof. "exact" continues until
        a tree is proved optimal.
    solver : str, default="auto"
        Solver of the exact method; the command ``margintree solvers`` lists them. "native" is the
        proof engine of margintree. "auto" is "native", or "scip" where a rule such as
        ``max_features``, or another norm, is beyond the engine.
    time_limit : float or None, default=60.0
        Seconds of wall-clock time; None means no limit. The first fits after an installation
        compile kernels; this time is not counted. The search usually stops earlier: see
        ``max_iter``. With ``points`` or ``rounding``, an eighth of the limit is kept for them; if
        the time ends all the same, numbers are cut off instead of searched for.
    memory_limit : float or None, default=None
        Largest memory of the whole process in GiB; None means no limit. A fit that reaches it
        returns the best tree so far.
    gap : float, default=1e-4
        Relative gap between cost and bound that counts as a proof.
    max_iter : int or None, default=None
        Maximum number of local searches. More expensive steps count as several, in proportion to
        their time. None searches until fresh starts no longer lead to better trees, within a number
        that decreases with the number of rows. Unless the time limit is reached first, the same
        ``random_state`` gives the same tree for any ``n_jobs``.
    routing_margin : float, default=1e-3
        Least absolute value of every split on the training rows that pass it, between 0 and 1.
    margin_term : {"squared", "plain"}, default="squared"
        Whether the margin term is ``||w||**2 / 2`` or ``||w|| / 2``.
    norm : {"l2", "l1", "linf"}, default="l2"
        The norm ``||w||`` of the margin term: the Euclidean one, the sum of the absolute weights,
        or the largest of them. "l1" leads to splits with few features. With another norm than "l2"
        the space must be "box" or "quadratic", numbers are not rounded, and proofs need a solver of
        mixed-integer programs; the search takes longer.
    space : {"box", "whitened", "quadratic", "whitened-quadratic", "rbf", "polynomial"}, \
    default="box"
        What splits see, and where margins are measured. "box": the columns, scaled to [0, 1].
        "whitened": the columns, mixed such that they vary more alike within the classes; splits are
        weighted sums of the columns, as in the box. "quadratic": the scaled columns, their products
        and squares; splits are curved, and each product counts as a feature. "whitened-quadratic":
        whitened columns beside shorter products. "rbf" and "polynomial": the space of a kernel,
        with the likeness to up to 300 training rows in place of columns; such splits cannot be
        written as rules or SQL, but `to_python`, `to_json` and `plot_partition` have them. Budgets
        and prices of features need "box" or "quadratic", points and rounding need "box".
    smoothing : float, default=0.0
        Weight added to every class of a leaf before `predict_proba` takes shares; 1 is Laplace's
        rule. It changes probabilities, not predictions.
    class_weight : dict, "balanced" or None, default=None
        Factors that multiply the weights of the rows of each class. "balanced" gives all classes
        the same total weight.
    error_costs : array-like of shape (K, K), dict of dicts or None, default=None
        Costs of errors in units of ``c1``; None means 1 for every error. Entry ``[k][l]`` of a
        matrix, in the order of ``classes_``, is the cost of predicting class ``l`` for a row of
        class ``k``. In ``{"ill": {"well": 5.0}}``, calling an ill row well costs 5 and all other
        errors cost 1. A leaf predicts the cheapest class, which may differ from the class with the
        largest share in `predict_proba`.
    start : ObliqueTree, fitted classifier or None, default=None
        A tree to begin from, with the same features and classes and at most the same depth.
    checkpoint : path-like or None, default=None
        File in which the exact method keeps its best tree and bound. If the file exists and was
        written for the same rows, depth and costs, the fit continues from it. The file stays when
        the fit ends; delete it when you no longer need it.
    certificate : path-like or None, default=None
        File for a certificate of the bound, which ``margintree verify`` checks without trusting the
        proof engine. Only the native engine writes one. Writing can take several times as long as
        the proof; the time limit does not count it.
    warm_start : bool, default=False
        Whether the next `fit` begins from the tree of the previous one. A tree with other features
        or classes, or one that is too deep, is not used.
    random_state : int, RandomState instance or None, default=None
        Seed of the search. None is the same as 0: the same data give the same tree.
    n_jobs : int or None, default=None
        Number of threads, as in joblib: None means 1, -1 one per core, -2 one fewer, and so on.
    verbose : int or callable, default=0
        1 prints a line for every better tree or bound. A callable receives every such `TracePoint`
        instead; it may raise KeyboardInterrupt to stop with the best tree so far.

    Attributes
    ----------
    tree_ : ObliqueTree
        The fitted tree, for features scaled to [0, 1], their products, or the likeness to rows;
        ``tree_.in_original_units()`` takes raw rows, with their products if splits see products.
    result_ : Result
        The tree with bounds, the reason why the fit stopped, and the trace of its progress.
    cost_ : Cost
        The cost of the tree on its training rows, term by term.
    objective_, bound_, gap_ : float
        The cost of the tree, a proved lower bound on the cost of any tree, and the difference as a
        share of the cost.
    optimal_ : bool
        Whether the tree is proved optimal to within ``gap``.
    n_iter_ : int
        The number of local searches of the fit, counted as for ``max_iter``.
    classes_ : ndarray of shape (K,)
        The labels.
    n_features_in_ : int
        The number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The names of the features, when ``X`` had names.

    Examples
    --------
    >>> from margintree import MOCTSVMClassifier
    >>> X = [[0.0, 1.0], [1.0, 0.0], [4.0, 1.0], [5.0, 0.0]]
    >>> y = ["low", "low", "high", "high"]
    >>> clf = MOCTSVMClassifier(max_depth=1, c1=10.0).fit(X, y)
    >>> clf.predict([[0.5, 0.5], [4.5, 0.5]])
    array(['low', 'high'], dtype='<U4')
    """

    _method = METHODS["moctsvm"]

    def __init__(
        self,
        max_depth: int = 3,
        c1: float = 10.0,
        c2: float = 1.0,
        c3: float = 10.0,
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
        error_costs: Any = None,
        start: Any = None,
        checkpoint: str | PathLike[str] | None = None,
        certificate: str | PathLike[str] | None = None,
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
        self.error_costs = error_costs
        self.start = start
        self.checkpoint = checkpoint
        self.certificate = certificate
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
