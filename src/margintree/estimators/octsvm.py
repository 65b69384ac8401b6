"""The optimal classification tree with SVM splits for two classes and noisy labels."""

from typing import Any

from sklearn.utils import Tags

from margintree.core.judges import LabelCost, price_labels
from margintree.core.problem import Costs, MarginNorm, Problem
from margintree.core.result import Progress, Result
from margintree.core.tree import ObliqueTree
from margintree.estimators._margins import MarginClassifier
from margintree.methods import fit_octsvm


class OCTSVMClassifier(MarginClassifier):
    """Classification tree for two classes whose splits are support vector machines.

    In every branch node a row should be on the side of its label, right for the second class and
    left for the first, or is relabelled there at a price. The tree minimises
    ``max ||w||**2 / 2 + c1 * violations + c2 * relabelled + c3 * splits``: the maximum is over the
    splits, ``violations`` sums ``max(0, 1 - s f(x))`` over branch nodes and their rows, with ``s``
    the side of the label or of the other one where a row is relabelled, and ``relabelled`` counts
    how often rows are. Rows go on by the sign of ``f``. A branch node that does not split calls all
    its rows one class, which is a hyperplane without weights: the others pay there, too. Leaves
    predict the class of most of their rows, which costs nothing. This is OCTSVM of Blanco, Japón
    and Puerto, Robust optimal classification trees under noisy labels (Advances in Data Analysis
    and Classification, 2022).

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
        Limit on the local searches of the search; None for a number that depends on the rows, the
        smaller the more there are. Unless the time limit strikes first, the same ``random_state``
        gives the same tree whatever ``n_jobs`` is.
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
    start : ObliqueTree, fitted classifier or None, default=None
        A tree to begin from; of the same features and classes, and at most as deep.
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
    cost_ : LabelCost
        The cost of the tree on its training rows, term by term.
    objective_, bound_, gap_ : float
        The cost of the tree, a proved lower bound on the cost of every tree, and how far they are
        apart as a share of the cost.
    optimal_ : bool
        Whether the tree is proved optimal to within ``gap``.
    n_iter_ : int
        The number of local searches that the search did.
    classes_ : ndarray of shape (2,)
        The labels; one, if all rows have the same.
    n_features_in_ : int
        The number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The names of the features, when ``X`` had names.

    Examples
    --------
    >>> from margintree import OCTSVMClassifier
    >>> X = [[0.0, 1.0], [1.0, 0.0], [0.5, 0.5], [4.0, 1.0], [5.0, 0.0], [4.5, 0.5]]
    >>> y = ["low", "low", "high", "high", "high", "high"]
    >>> clf = OCTSVMClassifier(max_depth=1, c1=10.0, c2=5.0).fit(X, y)
    >>> clf.predict([[0.6, 0.5], [4.5, 0.5]]).tolist(), clf.cost_.relabelled
    (['low', 'high'], 5.0)
    """

    cost_type = LabelCost

    def __init__(
        self,
        max_depth: int = 3,
        c1: float = 1.0,
        c2: float = 1.0,
        c3: float = 0.1,
        *,
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
        self.start = start
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _costs(self) -> Costs:
        return Costs(violations=self.c1, errors=self.c2, splits=self.c3)

    def _optimise(self, problem: Problem, **how: Any) -> Result:
        return fit_octsvm(problem, **how)

    def _judge(self, problem: Problem, tree: ObliqueTree) -> LabelCost:
        return price_labels(problem, tree)
