"""The judge of CART, OCT and OCT-H: misclassified training weight, and a price for the splits.

A split pays for every feature that it looks at, as in OCT-H. In an axis-parallel tree that is a
price for every split, as in OCT and CART.
"""

from dataclasses import replace

import numpy as np

from margintree.core.cost import Cost
from margintree.core.problem import Problem
from margintree.core.tree import ObliqueTree


def price_errors(problem: Problem, tree: ObliqueTree) -> Cost:
    """Return what ``tree`` costs on ``problem`` when only errors and splits count.

    Parameters
    ----------
    problem : Problem
        The training set, its costs and rules. The cost of violations plays no part.
    tree : ObliqueTree
        Any tree over the same features and classes.

    Examples
    --------
    >>> from margintree.core.problem import Costs
    >>> problem = Problem.from_data([[0.0], [0.6], [1.0]], [0, 0, 1], n_classes=2, depth=1,
    ...                             costs=Costs(errors=1, splits=0.25))
    >>> tree = ObliqueTree.stump([1.0], -0.5, leaf_classes=[0, 1], n_classes=2)
    >>> price_errors(problem, tree)
    Cost(errors=1.0, splits=0.25)
    """
    wrong = problem.row_weights * problem.error_costs[problem.y, tree.predict(problem.X)]
    n_features = np.count_nonzero(tree.weights[tree.splits], axis=1)
    terms = {
        "errors": problem.costs.errors * float(wrong.sum()),
        "splits": problem.costs.splits * int(np.maximum(n_features, 1).sum()),
    }
    return Cost(terms, problem.rules.faults(problem.X, problem.row_weights, tree))


def with_relative_errors(problem: Problem, alpha: float = 0.0) -> Problem:
    """Return the problem in which the errors of the best single leaf cost 1.

    Violations cost nothing. Where a single leaf makes no error, an error costs 1.

    Parameters
    ----------
    problem : Problem
        The training set.
    alpha : float, default 0
        The cost of a split, or of every feature that it looks at.

    Examples
    --------
    >>> problem = Problem.from_data([[0.0], [1.0], [2.0]], [0, 1, 2], n_classes=3, depth=1)
    >>> with_relative_errors(problem).costs
    Costs(errors=0.5, violations=0.0, splits=0.0)
    """
    mass = problem.class_mass()
    baseline = float(mass.sum() - mass.max())
    price = 1.0 / baseline if baseline > 0 else 1.0
    return replace(
        problem, costs=replace(problem.costs, errors=price, violations=0.0, splits=alpha)
    )


def errors_only(problem: Problem) -> Problem:
    """Return the problem in which margin violations cost nothing, as for this judge."""
    return replace(problem, costs=replace(problem.costs, violations=0.0))
