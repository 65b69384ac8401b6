"""The tree of classes with a support vector machine at every split."""

from typing import Any

from margintree.core.result import Progress
from margintree.estimators._plain import MethodClassifier
from margintree.methods import METHODS


class ClassTreeClassifier(MethodClassifier):
    """Classification tree with one leaf for each class and a support vector machine at each split.

    The splits know the labels: each divides some classes from others with a wide margin. The tree
    minimises ``sum ||w||**2 / 2 + C * violations``. The sum is over the splits; ``violations`` sums
    ``max(0, 1 - s f(x))`` over the rows and the splits on the way to the leaf of their class, where
    ``s`` is the side of the way. If a class is not worth a leaf, each of its rows counts as 2 units
    of violation. With two classes this is the linear support vector machine.

    Which classes go left and which go right is decided for the whole tree: of all hierarchies of up
    to ten classes, the best is found and proved by dynamic programming, usually within a second.
    With more classes, the hierarchy is improved eight groups of classes at a time until that saves
    nothing, and the bound is proved for eight of the classes only, so it is weak.

    Parameters
    ----------
    max_depth : int, default=10
        Maximum number of levels of splits, from 1 to 10. The tree is only as deep as its hierarchy.
    C : float, default=1.0
        Cost of a unit of margin violation. Values from 0.1 to 1000 make sense.
    space : {"box", "whitened", "quadratic", "whitened-quadratic", "rbf", "polynomial"}, \
    default="box"
        What splits see, and where margins are measured, as in `MOCTSVMClassifier`. A quadratic
        split of p features has p (p + 3) / 2 coefficients.
    time_limit : float or None, default=60.0
        Seconds of wall-clock time; None for no limit. The best tree so far is kept.
    start : ObliqueTree, fitted classifier or None, default=None
        A tree whose hierarchy the search begins from if there are more than ten classes.
    random_state : int, RandomState instance or None, default=None
        Seed for the folds of `TreeClassifierCV`. The fit itself is not random.
    memory_limit, gap, smoothing, class_weight, warm_start, verbose
        As in `MOCTSVMClassifier`.

    Attributes
    ----------
    tree_ : ObliqueTree
        The fitted tree, for features scaled to [0, 1].
    result_, cost_, objective_, bound_, gap_, optimal_, classes_, n_features_in_, \
    feature_names_in_
        As in `MOCTSVMClassifier`; the cost has the terms ``violations`` and ``margins``.
    n_iter_ : int
        The number of hierarchies that were looked at.

    Examples
    --------
    >>> from margintree import ClassTreeClassifier
    >>> X, y = [[0.0], [1.0], [4.0], [5.0], [8.0], [9.0]], [*"aabbcc"]
    >>> clf = ClassTreeClassifier(C=100.0).fit(X, y)
    >>> clf.predict([[0.5], [4.5], [8.5]]).tolist(), clf.optimal_
    (['a', 'b', 'c'], True)
    """

    _method = METHODS["class-tree"]

    def __init__(
        self,
        max_depth: int = 10,
        C: float = 1.0,
        space: str = "box",
        *,
        time_limit: float | None = 60.0,
        memory_limit: float | None = None,
        gap: float = 1e-4,
        smoothing: float = 0.0,
        class_weight: Any = None,
        start: Any = None,
        warm_start: bool = False,
        random_state: Any = None,
        verbose: int | Progress = 0,
    ) -> None:
        self.max_depth = max_depth
        self.C = C
        self.space = space
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.gap = gap
        self.smoothing = smoothing
        self.class_weight = class_weight
        self.start = start
        self.warm_start = warm_start
        self.random_state = random_state
        self.verbose = verbose
