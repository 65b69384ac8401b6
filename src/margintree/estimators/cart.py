"""CART, pruned to a number of splits."""

from typing import Any, ClassVar

from margintree.core.limits import Limits
from margintree.core.problem import Problem
from margintree.core.result import Result
from margintree.estimators._base import TreeClassifier
from margintree.estimators._errors import ErrorMixin
from margintree.estimators._optimised import seed_of
from margintree.methods import fit_cart


class CARTClassifier(ErrorMixin, TreeClassifier):
    """Classification tree grown greedily by scikit-learn and pruned to a number of splits.

    Its objective is that of `OCTClassifier` without a price for splits: the misclassified training
    weight as a share of what the best single leaf misclassifies. CART does not minimise it, and
    nothing is proved but a bound that needs no search.

    Parameters
    ----------
    max_depth : int, default=3
        Number of levels of splits, from 1 to 10.
    max_splits : int or None, default=None
        Number of splits to which the tree is pruned: the largest tree on the path of
        cost-complexity pruning that has no more. None does not prune.
    min_leaf : float, default=0.05
        Least weight of a leaf as a share of all training weight, from 0 to 0.5.
    smoothing : float, default=0.0
        Weight added to every class of a leaf before `predict_proba` takes shares; 1 is Laplace's
        rule. It changes probabilities, not predictions.
    class_weight : dict, "balanced" or None, default=None
        Factor by which the rows of each class count. "balanced" gives all classes the same total
        weight.
    random_state : int, RandomState instance or None, default=None
        Decides between splits that are equally good. None is the same as 0.

    Attributes
    ----------
    tree_ : ObliqueTree
        The fitted tree; every split has one weight that is not 0.
    result_ : Result
        The tree with its cost and a bound.
    cost_ : ErrorCost
        The cost of the tree on its training rows, term by term.
    objective_, bound_, gap_ : float
        The cost of the tree, a proved lower bound on the cost of every tree, and how far they are
        apart as a share of the cost.
    optimal_ : bool
        Whether the tree is proved optimal, which is so only if the bound happens to show it.
    classes_ : ndarray of shape (K,)
        The labels.
    n_features_in_ : int
        The number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The names of the features, when ``X`` had names.

    Examples
    --------
    >>> from margintree import CARTClassifier
    >>> X, y = [[0, 0], [0, 1], [1, 0], [2, 1]], ["low", "low", "high", "high"]
    >>> clf = CARTClassifier().fit(X, y)
    >>> clf.predict([[0.2, 0.5]]), clf.tree_.n_splits
    (array(['low'], dtype='<U4'), 1)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TreeClassifier._parameter_constraints,
        **ErrorMixin._parameter_constraints,
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        max_depth: int = 3,
        max_splits: int | None = None,
        min_leaf: float = 0.05,
        *,
        smoothing: float = 0.0,
        class_weight: Any = None,
        random_state: Any = None,
    ) -> None:
        self.max_depth = max_depth
        self.max_splits = max_splits
        self.min_leaf = min_leaf
        self.smoothing = smoothing
        self.class_weight = class_weight
        self.random_state = random_state

    def _limits(self) -> Limits:
        return Limits(seed=seed_of(self.random_state))

    def _optimise(self, problem: Problem, **how: Any) -> Result:
        return fit_cart(problem, self._shape(problem), how["limits"])
