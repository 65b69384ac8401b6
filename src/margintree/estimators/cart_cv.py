"""CART with its size chosen by cross-validation."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from margintree.core.limits import Limits
from margintree.core.problem import Problem
from margintree.core.result import Progress, Result
from margintree.core.rules import Shape
from margintree.estimators._choice import Point
from margintree.estimators._chosen import ChosenMixin, constraints_of_choice
from margintree.estimators._errors import numbers_of_splits
from margintree.estimators.cart import CARTClassifier
from margintree.methods.tuning import fit_cart_path


class CARTClassifierCV(ChosenMixin, CARTClassifier):
    """`CARTClassifier` with its depth and number of splits chosen by cross-validation.

    The combination that does best on the rows left out is fitted to all rows; of several that do
    equally well, the one whose trees have the fewest splits. Equal rows are in the same fold.

    Parameters
    ----------
    max_depth : int or sequence of int, default=3
        Numbers of levels of splits to choose from. The number of splits bounds the depth, too.
    max_splits : int, None or sequence of them, default=(1, 2, 3, 4, 5, 6, 7)
        Numbers of splits to choose from; None is as many as the depth allows.
    min_leaf : float, default=0.05
        Least weight of a leaf as a share of all training weight, from 0 to 0.5.
    n_folds : int, default=4
        Number of folds; fewer are made where no class has as many different rows.
    time_limit : float or None, default=120.0
        Seconds of wall-clock time for all: the choice takes at most three quarters, shared among
        its paths; None for no limit. Where it strikes, combinations are judged by the best trees
        known for them.
    smoothing : float, default=0.0
        Weight added to every class of a leaf before `predict_proba` takes shares.
    class_weight : dict, "balanced" or None, default=None
        Factor by which the rows of each class count, in fits and in scores.
    random_state : int, RandomState instance or None, default=None
        Seed of folds and fits. Unless the time limit strikes, the same seed gives the same choice
        and the same tree whatever ``n_jobs`` is.
    n_jobs : int or None, default=None
        Number of processes of the choice; None means 1, -1 one per core.
    verbose : int or callable, default=0
        1 prints a line for every path of the choice. The method ``tell`` of a callable, if it has
        one, is given every such line instead.

    Attributes
    ----------
    best_params_, best_score_, best_index_, cv_results_, choice_is_complete_
        The choice, as `MOCTSVMClassifierCV` has it.
    best_estimator_ : CARTClassifier
        The fitted tree as a classifier with the parameters that were chosen. A model file holds it.
    tree_, result_, cost_, objective_, bound_, gap_, optimal_, classes_
        Of the last fit, as `CARTClassifier` has them.
    n_features_in_, feature_names_in_
        The number of features, and their names when ``X`` had names.

    Examples
    --------
    >>> from margintree import CARTClassifierCV
    >>> X, y = [[0], [1], [2], [6], [7], [8]], ["low", "low", "low", "high", "high", "high"]
    >>> clf = CARTClassifierCV(n_folds=3).fit(X, y)
    >>> clf.best_params_, clf.best_score_
    ({'max_depth': 3, 'max_splits': 1}, 1.0)
    """

    plain = CARTClassifier
    chosen = ("max_depth", "max_splits")
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = constraints_of_choice(plain, chosen)

    def __init__(
        self,
        max_depth: Any = 3,
        max_splits: Any = (1, 2, 3, 4, 5, 6, 7),
        min_leaf: float = 0.05,
        *,
        n_folds: int = 4,
        time_limit: float | None = 120.0,
        smoothing: float = 0.0,
        class_weight: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int | Progress = 0,
    ) -> None:
        self.max_depth = max_depth
        self.max_splits = max_splits
        self.min_leaf = min_leaf
        self.n_folds = n_folds
        self.time_limit = time_limit
        self.smoothing = smoothing
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _limits(self) -> Limits:
        seconds = np.inf if self.time_limit is None else self.time_limit
        return replace(super()._limits(), seconds=seconds)

    @staticmethod
    def _fit_path(
        plain: CARTClassifier, problem: Problem, points: Sequence[Point], limits: Limits
    ) -> list[Result]:
        shape = Shape.of(problem, plain.min_leaf)
        grid = numbers_of_splits(points, shape)
        return fit_cart_path(problem, shape, grid, limits, limits.clock())
