"""The judge of CART, OCT and OCT-H: misclassified training weight, and a price for the splits.

A split pays for every feature that it looks at, as OCT-H has it. In an axis-parallel tree that is a
price for every split, as OCT and CART have it.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from margintree.core.problem import Costs, Problem
from margintree.core.rules import Shape
from margintree.core.tree import ObliqueTree


@dataclass(frozen=True)
class ErrorCost:
    """The cost of a tree by term; the terms add up to ``total``.

    Attributes
    ----------
    errors : float
        The price of the misclassified rows.
    splits : float
        The price of the splits: of every feature that a split looks at.
    faults : int
        How often the tree breaks a rule of its shape. A tree with faults is never returned.
    """

    errors: float
    splits: float
    faults: int

    @property
    def total(self) -> float:
        """The sum of the two terms."""
        return self.errors + self.splits

    @property
    def is_allowed(self) -> bool:
        """Whether the tree keeps all rules."""
        return self.faults == 0


def relative_errors(
    X: Any, y: Any, *, n_classes: int, depth: int, alpha: float = 0.0, row_weights: Any = None
) -> Problem:
    """Return the problem in which the errors of the best single leaf cost 1.

    Where a single leaf makes no error, an error costs 1.

    Parameters
    ----------
    X, y, n_classes, depth, row_weights
        As in `Problem.from_data`.
    alpha : float, default 0
        The cost of a split.

    Examples
    --------
    >>> problem = relative_errors([[0.0], [1.0], [2.0]], [0, 1, 2], n_classes=3, depth=1)
    >>> problem.costs
    Costs(errors=0.5, violations=0.0, splits=0.0)
    """
    mass = np.bincount(y, row_weights, minlength=n_classes)
    baseline = float(mass.sum() - mass.max())
    price = 1.0 / baseline if baseline > 0 else 1.0
    costs = Costs(errors=price, violations=0.0, splits=alpha)
    return Problem.from_data(
        X, y, n_classes=n_classes, depth=depth, costs=costs, row_weights=row_weights
    )


def errors_only(problem: Problem) -> Problem:
    """Return the problem in which margin violations cost nothing, as this judge has it."""
    return replace(problem, costs=replace(problem.costs, violations=0.0))


def count_errors(problem: Problem, shape: Shape, tree: ObliqueTree) -> ErrorCost:
    """Return what ``tree`` costs on ``problem`` when only errors and splits count.

    Parameters
    ----------
    problem : Problem
        The training set and its costs; the cost of violations plays no part.
    shape : Shape
        The rules that the tree should keep.
    tree : ObliqueTree
        Any tree over the same features and classes.

    Examples
    --------
    >>> from margintree.core.problem import Costs
    >>> problem = Problem.from_data([[0.0], [0.6], [1.0]], [0, 0, 1], n_classes=2, depth=1,
    ...                             costs=Costs(errors=1, splits=0.25))
    >>> tree = ObliqueTree.stump([1.0], -0.5, leaf_classes=[0, 1], n_classes=2)
    >>> count_errors(problem, Shape.of(problem), tree)
    ErrorCost(errors=1.0, splits=0.25, faults=0)
    """
    wrong = problem.row_weights * problem.error_costs[problem.y, tree.predict(problem.X)]
    n_features = np.count_nonzero(tree.weights[tree.splits], axis=1)
    return ErrorCost(
        errors=problem.costs.errors * float(wrong.sum()),
        splits=problem.costs.splits * int(np.maximum(n_features, 1).sum()),
        faults=shape.faults(problem, tree),
    )
