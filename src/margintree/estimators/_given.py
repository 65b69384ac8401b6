"""Checks and conversions of user input: weights, prices of errors, starts; and clear errors."""

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from margintree._lib.arrays import AnyArray, FloatArray, IntArray
from margintree._lib.exceptions import InvalidInputError
from margintree.core.problem import Problem
from margintree.core.tree import ObliqueTree
from margintree.data.preprocessing.cells import cells_of


def row_weights(sample_weight: Any, X: FloatArray) -> FloatArray:
    """Return the sample weights as numbers, 1 by default."""
    return np.asarray(_check_sample_weight(sample_weight, X, dtype=np.float64))


def class_factors(
    class_weight: Any, codes: IntArray, weights: FloatArray, classes: AnyArray
) -> FloatArray:
    """Return the factor of every class for the weights of its rows.

    ``class_weight`` is as in the classifiers; ``codes`` are positions in ``classes``.

    Examples
    --------
    >>> import numpy as np
    >>> codes, weights, classes = np.array([0, 0, 1]), np.ones(3), np.array(["a", "b"])
    >>> class_factors("balanced", codes, weights, classes)
    array([0.75, 1.5 ])
    >>> class_factors({"b": 10}, codes, weights, classes)
    array([ 1., 10.])
    """
    if class_weight is None:
        return np.ones(len(classes))
    if isinstance(class_weight, str):
        return _balancing_factors(codes, weights, len(classes))
    return np.asarray(compute_class_weight(class_weight, classes=classes, y=classes[codes]))


def _balancing_factors(codes: IntArray, weights: FloatArray, n_classes: int) -> FloatArray:
    """Return the factors that give every class the same total weight.

    They use weighted counts, so that a row of weight 2 equals the row given twice.
    """
    mass = np.bincount(codes, weights=weights, minlength=n_classes)
    factors = np.zeros(n_classes)
    present = mass > 0
    factors[present] = mass.sum() / (present.sum() * mass[present])
    return factors


def error_matrix(error_costs: Any, classes: AnyArray) -> FloatArray:
    """Return the prices of errors, in units of c1: true classes by predicted classes.

    ``error_costs`` is such a matrix, a dict of dicts by label, in which missing prices are 1, or
    None, when every price is 1.

    Examples
    --------
    >>> classes = np.array(["ill", "well"])
    >>> error_matrix({"ill": {"well": 5.0}}, classes)
    array([[0., 5.],
           [1., 0.]])
    """
    matrix = 1.0 - np.eye(len(classes))
    if error_costs is None:
        return matrix
    if not isinstance(error_costs, Mapping):
        return _numbers(error_costs, ndim=2)
    labels = classes.tolist()
    for label, prices in error_costs.items():
        if not isinstance(prices, Mapping):
            raise InvalidInputError(
                f"error_costs must give a dict of prices for every label; for {label!r} it gives "
                f"{prices!r:.60}. Write {{{label!r}: {{other label: price}}}}."
            )
        for called, price in prices.items():
            matrix[_place(label, labels), _place(called, labels)] = _numbers(price, ndim=0)
    return matrix


def feature_factors(feature_costs: Any, features: Sequence[Any]) -> FloatArray | None:
    """Return the factor on c4 of every feature.

    ``feature_costs`` has one number per feature, or is a dict by name (or by number, if features
    have no names), in which missing features have the factor 1.

    Examples
    --------
    >>> feature_factors({"age": 0.5}, ["age", "blood test"])
    array([0.5, 1. ])
    """
    if feature_costs is None:
        return None
    if not isinstance(feature_costs, Mapping):
        return np.asarray(feature_costs, dtype=np.float64)
    unknown = [feature for feature in feature_costs if feature not in features]
    if unknown:
        raise InvalidInputError(
            f"feature_costs must name features of X that are used, which are {[*features]!r:.200}; "
            f"{unknown[0]!r} is none of them. Leave it out or correct it."
        )
    return np.array([float(feature_costs.get(feature, 1.0)) for feature in features])


def _place(label: Any, labels: list[Any]) -> int:
    if label not in labels:
        raise InvalidInputError(
            f"error_costs must use labels of y, {labels!r:.200}; {label!r} is none of them. "
            "Leave it out or correct it."
        )
    return labels.index(label)


def _numbers(value: Any, ndim: int) -> FloatArray:
    """Return a single price or a table of them as an array of numbers."""
    try:
        numbers = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.array([])
    if numbers.ndim != ndim:
        raise InvalidInputError(
            "error_costs must be a square matrix of numbers in the order of the sorted labels, or "
            f"a dict of dicts by label; {value!r:.60} was given. Correct it or leave it out."
        )
    return numbers


def start_tree(start: Any, problem: Problem, classes: AnyArray) -> ObliqueTree:
    """Return ``start``, a tree or a fitted classifier, in the space and depth of the problem."""
    tree = start if isinstance(start, ObliqueTree) else _tree_of(start, classes)
    misfit = why_unfit(tree, problem)
    if misfit:
        raise InvalidInputError(
            f"start must be a tree that fits this problem; {misfit}. "
            "Give a tree fitted on the same columns and classes, or start=None."
        )
    return adapted(tree, problem)


def why_unfit(tree: ObliqueTree, problem: Problem) -> str:
    """Return why the tree cannot start a search for this problem, or "" if it can."""
    for what, given, needed in (
        ("features", tree.scaling.n_columns, problem.scaling.n_columns),
        ("classes", tree.n_classes, problem.n_classes),
    ):
        if given != needed:
            return f"it has {given} {what} where the data have {needed}"
    if tree.scaling.has_products and not problem.scaling.has_products:
        return "its splits see products of features, which those of this problem do not"
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


@contextmanager
def errors_naming_the_column(X: Any) -> Iterator[None]:
    """Add to an error about the rows which column it concerns and which class takes such columns.

    Examples
    --------
    >>> with errors_naming_the_column([[1.0, "red"]]):
    ...     raise ValueError("could not convert string to float: 'red'")
    Traceback (most recent call last):
    margintree.InvalidInputError: could not convert string to float: 'red'. The column 'x1' holds
    'red' in row 1, and finite numbers are needed. Convert it to numbers, or use
    margintree.make_table_classifier, which takes text and missing cells as they are.
    """
    try:
        yield
    except (TypeError, ValueError) as error:
        place = _first_odd_cell(X)
        # Cells of another kind altogether stay a TypeError, but the NA of pandas is a missing one.
        if place is None or (isinstance(error, TypeError) and "NAType" not in str(error)):
            raise
        # The first line says what is wrong; the others hold scikit-learn's own advice.
        first_line = str(error).split("\n")[0].rstrip(".")
        raise InvalidInputError(
            f"{first_line}. {place}, and finite numbers are needed. Convert it to numbers, "
            "or use margintree.make_table_classifier, which takes text and missing cells as they "
            "are."
        ) from error


def _first_odd_cell(X: Any) -> str | None:
    """Return, in words, the place of the first cell that is not a finite number, if any."""
    try:
        columns = cells_of(X)
    except Exception:  # Whatever X is, the error that is being explained is the one to raise.
        return None
    for cells in columns:
        for row, cell in enumerate(cells.values.tolist()):
            if not _is_finite(cell):
                return f"The column {cells.name!r} holds {cell!r:.60} in {cells.place(row)}"
    return None


def _is_finite(cell: Any) -> bool:
    try:
        return not isinstance(cell, complex) and math.isfinite(float(cell))
    except (TypeError, ValueError, OverflowError):
        return False
