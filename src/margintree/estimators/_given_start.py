"""A tree that is known already, made to fit the problem at hand."""

from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from margintree._lib.arrays import AnyArray
from margintree._lib.exceptions import InvalidInputError
from margintree.core.problem import Problem
from margintree.core.tree import ObliqueTree


def start_tree(start: Any, problem: Problem, classes: AnyArray) -> ObliqueTree:
    """Return ``start`` as a tree in the space and of the depth of the problem.

    Parameters
    ----------
    start : ObliqueTree or fitted TreeClassifier
        Where to begin. A tree less deep than the problem's is deepened.
    problem : Problem
        The problem to solve.
    classes : ndarray of shape (K,)
        The labels behind the class codes of the problem.

    Raises
    ------
    InvalidInputError
        When the start has other features, other classes or more levels, or is not fitted.
    """
    tree = start if isinstance(start, ObliqueTree) else _tree_of(start, classes)
    misfit = why_unfit(tree, problem)
    if misfit:
        raise InvalidInputError(
            f"start must be a tree that fits this problem; {misfit}. "
            "Give a tree fitted on the same columns and classes, or start=None."
        )
    return adapted(tree, problem)


def why_unfit(tree: ObliqueTree, problem: Problem) -> str:
    """Return why the tree cannot be a start of the problem; nothing when it can."""
    for what, given, needed in (
        ("features", tree.n_features, problem.n_features),
        ("classes", tree.n_classes, problem.n_classes),
    ):
        if given != needed:
            return f"it has {given} {what} where the data have {needed}"
    if tree.depth > problem.depth:
        return f"its depth {tree.depth} is more than max_depth={problem.depth}"
    return ""


def adapted(tree: ObliqueTree, problem: Problem) -> ObliqueTree:
    """Return the tree in the space and of the depth of the problem."""
    return tree.rescaled(problem.scaling).deepened(problem.depth)


def _tree_of(estimator: Any, classes: AnyArray) -> ObliqueTree:
    try:
        check_is_fitted(estimator)
    except NotFittedError as error:
        raise InvalidInputError(
            f"start must be a tree or a fitted classifier; the {type(estimator).__name__} given is "
            "not fitted. Call its fit first."
        ) from error
    if not np.array_equal(estimator.classes_, classes):
        raise InvalidInputError(
            f"start must know the classes {classes.tolist()}; it knows "
            f"{estimator.classes_.tolist()}. Give a tree of the same classes, or start=None."
        )
    tree: ObliqueTree = estimator.tree_
    return tree
