"""The multiclass optimal classification tree with maximum-margin splits."""

from os import PathLike
from typing import Any

from margintree.core.margin import MarginNorm
from margintree.core.result import Progress
from margintree.estimators._plain import MethodClassifier
from margintree.methods import METHODS


class MOCTSVMClassifier(MethodClassifier):
    """Classification tree whose every split is a maximum-margin hyperplane, found as a whole.

    The tree minimises ``max ||w||**2 / 2 + c1 * errors + c2 * violations + c3 * splits``, where the
    maximum is over the splits, ``errors`` counts misclassified training rows and ``violations``
    sums how far rows lie inside the margins of the splits that they pass.

    Parameters
    ----------
    max_depth : int, default=2
        Number of levels of splits, from 1 to 10.
    c1 : float, default=1.0
        Cost of a misclassified row.
    c2 : float, default=1.0
        Cost of a unit of margin violation.
    c3 : float, default=0.1
        Cost of a split.
    min_samples_leaf : int or float, default=0
        Least training weight of a leaf: an integer is a weight, a float is a share of all training
        weight, from 0.0 to 0.5.
    max_splits : int or None, default=None
        Largest number of splits; None for as many as the depth allows.
    method : {"search", "exact"}, default="search"
        "search" is fast and finds a good tree, most often the best; "exact" starts from the tree
        of the search and goes on until that tree or a better one is proved optimal.
    solver : str, default="auto"
        Solver of the exact method; the command ``margintree solvers`` lists them.
    time_limit : float or None, default=60.0
        Seconds of wall-clock time; None for no limit. Compiling kernels, on the first fits
        after an installation, is not included. The search most often stops earlier; see
        ``max_iter``.
    memory_limit : float or None, default=None
        GiB of memory that the process may take, with all that it holds beside the fit; None for no
        limit. Where it strikes, the fit ends with the best tree so far.
    gap : float, default=1e-4
        Relative gap between cost and bound that counts as proof.
    max_iter : int or None, default=None
        Limit on the local searches of the search, of which its other steps count as many as take
        as long; None for a number that depends on the rows, the smaller the more there are. Unless
        the time limit strikes first, the same ``random_state`` gives the same tree whatever
        ``n_jobs`` is.
    routing_margin : float, default=1e-3
        How far from 0 the value of every split must be on the training rows that pass it, between
        0 and 1.
    margin_norm : {"squared", "plain"}, default="squared"
        Whether the margin term is ``||w||**2 / 2`` or ``||w|| / 2``.
    smoothing : float, default=0.0
        Weight added to every class of a leaf before `predict_proba` takes shares; 1 is Laplace's
        rule. It changes probabilities, not predictions.
    class_weight : dict, "balanced" or None, default=None
        Factor by which the rows of each class count. "balanced" gives all classes the same total
        weight.
    error_costs : array-like of shape (K, K), dict of dicts or None, default=None
        What each error costs, in units of ``c1``; None means 1. Entry ``[k][l]`` of a matrix, in
        the order of ``classes_``, is the price of calling a row of class ``k`` a row of class
        ``l``; ``{"ill": {"well": 5.0}}`` makes it five times as dear to call an ill row well, and
        leaves all other errors at 1. Leaves predict the class that costs least, which need not be
        the one with the largest share of `predict_proba`.
    start : ObliqueTree, fitted classifier or None, default=None
        A tree to begin from; of the same features and classes, and at most as deep.
    checkpoint : path-like or None, default=None
        With the exact method: a file that holds the best tree and bound so far. Where it is there
        already, written for the same rows, depth and costs, the fit goes on from them. It stays
        when the fit ends; delete it when it is no longer needed.
    warm_start : bool, default=False
        Whether a further `fit` begins from the tree of the one before. A tree that does not fit
        the new data (other features or classes, deeper) is not used.
    random_state : int, RandomState instance or None, default=None
        Seed of the search. None is the same as 0: the same data give the same tree.
    n_jobs : int or None, default=None
        Number of threads; None means 1, -1 one per core, -2 one fewer, and so on, as in joblib.
    verbose : int or callable, default=0
        1 prints a line for every better tree or bound. A callable is given every such
        `TracePoint` instead; it may raise KeyboardInterrupt to stop with the best tree so far.

    Attributes
    ----------
    tree_ : ObliqueTree
        The fitted tree, in the space scaled to [0, 1]; ``tree_.in_original_units()`` applies to raw
        rows.
    result_ : Result
        The tree with bounds, the reason why the fit stopped, and the trace of its progress.
    cost_ : Cost
        The cost of the tree on its training rows, term by term.
    objective_, bound_, gap_ : float
        The cost of the tree, a proved lower bound on the cost of every tree, and how far they are
        apart as a share of the cost.
    optimal_ : bool
        Whether the tree is proved optimal to within ``gap``.
    n_iter_ : int
        The number of local searches that the search did, counted as for ``max_iter``.
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
        max_depth: int = 2,
        c1: float = 1.0,
        c2: float = 1.0,
        c3: float = 0.1,
        *,
        min_samples_leaf: float = 0,
        max_splits: int | None = None,
        method: str = "search",
        solver: str = "auto",
        time_limit: float | None = 60.0,
        memory_limit: float | None = None,
        gap: float = 1e-4,
        max_iter: int | None = None,
        routing_margin: float = 1e-3,
        margin_norm: MarginNorm = "squared",
        smoothing: float = 0.0,
        class_weight: Any = None,
        error_costs: Any = None,
        start: Any = None,
        checkpoint: str | PathLike[str] | None = None,
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int | Progress = 0,
    ) -> None:
        self.max_depth = max_depth
        self.c1 = c1
        self.c2 = c2
        self.c3 = c3
        self.min_samples_leaf = min_samples_leaf
        self.max_splits = max_splits
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
        self.start = start
        self.checkpoint = checkpoint
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
