"""CART, pruned to a number of splits."""

from typing import Any

from margintree.estimators._plain import MethodClassifier
from margintree.methods import METHODS


class CARTClassifier(MethodClassifier):
    """Classification tree grown greedily by scikit-learn and pruned to a number of splits.

    Its objective is that of `OCTClassifier` without a cost of splits: the misclassified training
    weight, divided by the weight that the best single leaf misclassifies. CART does not minimise
    it. The bound is one that needs no search.

    Parameters
    ----------
    max_depth : int, default=3
        Number of levels of splits, from 1 to 10.
    max_splits : int or None, default=None
        Largest number of splits. The tree is the largest with no more splits on the path of
        cost-complexity pruning. None does not prune.
    min_samples_leaf : int or float, default=0.05
        Least training weight of a leaf: an integer is a weight, a float from 0.0 to 0.5 is a share
        of all training weight.
    smoothing, class_weight
        As in `MOCTSVMClassifier`.
    random_state : int, RandomState instance or None, default=None
        Seed for the choice between equally good splits. None is the same as 0.

    Attributes
    ----------
    tree_ : ObliqueTree
        The fitted tree; every split has exactly one nonzero weight.
    result_, cost_, objective_, bound_, gap_, optimal_, classes_, n_features_in_, \
    feature_names_in_
        As in `MOCTSVMClassifier`; the cost has the terms ``errors`` and ``splits``.

    Examples
    --------
    >>> from margintree import CARTClassifier
    >>> X, y = [[0, 0], [0, 1], [1, 0], [2, 1]], ["low", "low", "high", "high"]
    >>> clf = CARTClassifier().fit(X, y)
    >>> clf.predict([[0.2, 0.5]]), clf.tree_.n_splits
    (array(['low'], dtype='<U4'), 1)
    """

    _method = METHODS["cart"]

    def __init__(
        self,
        max_depth: int = 3,
        max_splits: int | None = None,
        min_samples_leaf: float = 0.05,
        *,
        smoothing: float = 0.0,
        class_weight: Any = None,
        random_state: Any = None,
    ) -> None:
        self.max_depth = max_depth
        self.max_splits = max_splits
        self.min_samples_leaf = min_samples_leaf
        self.smoothing = smoothing
        self.class_weight = class_weight
        self.random_state = random_state
