"""Checks and conversions of user input: weights, prices of errors, starts; and clear errors."""

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from numbers import Real
from typing import Any

import numpy as np
from numpy.exceptions import DTypePromotionError
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from margintree._lib.arrays import AnyArray, FloatArray, IntArray
from margintree._lib.exceptions import InvalidInputError
from margintree.core.problem import Problem
from margintree.core.tree import ObliqueTree
from margintree.data.preprocessing.cells import cells_of


def row_weights(sample_weight: Any, X: FloatArray) -> FloatArray:
    """Return the sample weights as numbers, 1 by default."""
    try:
        weights = np.asarray(
            _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        )
        if not weights.any():  # scikit-learn before 1.9 takes them
            raise ValueError("there is no positive weight")
        return weights
    except (TypeError, ValueError) as error:
        raise InvalidInputError(
            f"sample_weight must hold one finite number of at least 0 for each of the {len(X)} "
            f"rows, and not only zeros; {sample_weight!r:.60} was given ({error}). Correct it or "
            "leave it out."
        ) from error


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
    labels = classes.tolist()
    unknown = [label for label in class_weight if label not in labels]
    # Factors for all classes may serve rows in which some of them are missing.
    if unknown and not {*labels} <= {*class_weight}:
        raise InvalidInputError(
            f"class_weight must use labels of y, {labels!r:.200}; {unknown[0]!r} is none of them. "
            "Leave it out or correct it."
        )
    return _factors("class_weight", class_weight, labels)


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
        return _numbers("error_costs", error_costs, 2, _MATRIX)
    labels = classes.tolist()
    for label, prices in error_costs.items():
        if not isinstance(prices, Mapping):
            raise InvalidInputError(
                f"error_costs must give a dict of prices for every label; for {label!r} it gives "
                f"{prices!r:.60}. Write {{{label!r}: {{other label: price}}}}."
            )
        for called, price in prices.items():
            matrix[_place(label, labels), _place(called, labels)] = _numbers(
                "error_costs", price, 0, _MATRIX
            )
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
        return _numbers("feature_costs", feature_costs, 1, "a number for each feature, or a dict")
    unknown = [feature for feature in feature_costs if feature not in features]
    if unknown:
        raise InvalidInputError(
            f"feature_costs must name features of X that are used, which are {[*features]!r:.200}; "
            f"{unknown[0]!r} is none of them. Leave it out or correct it."
        )
    return _factors("feature_costs", feature_costs, features)


def _factors(name: str, given: Mapping[Any, Any], keys: Sequence[Any]) -> FloatArray:
    """Return the factor of every key, 1 where none is given."""
    factors = [given.get(key, 1.0) for key in keys]
    for key, factor in zip(keys, factors, strict=True):
        if not (isinstance(factor, Real) and 0 <= float(factor) < math.inf):
            raise InvalidInputError(
                f"{name} must give finite numbers of at least 0; {factor!r:.60} was given for "
                f"{key!r}. Correct it or leave it out."
            )
    return np.array(factors, dtype=np.float64)


def _place(label: Any, labels: list[Any]) -> int:
    if label not in labels:
        raise InvalidInputError(
            f"error_costs must use labels of y, {labels!r:.200}; {label!r} is none of them. "
            "Leave it out or correct it."
        )
    return labels.index(label)


_MATRIX = (
    "a square matrix of numbers in the order of the sorted labels, or a dict of dicts by label"
)


def _numbers(name: str, value: Any, ndim: int, allowed: str) -> FloatArray:
    """Return what was given as an array of numbers with so many dimensions."""
    try:
        numbers = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = None
    if numbers is None or numbers.ndim != ndim:
        raise InvalidInputError(
            f"{name} must be {allowed}; {value!r:.60} was given. Correct it or leave it out."
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
    for what, given, wanted in (
        ("features", tree.scaling.n_columns, problem.scaling.n_columns),
        ("classes", tree.n_classes, problem.n_classes),
    ):
        if given != wanted:
            return f"it has {given} {what} where the data have {wanted}"
    known, needed = tree.scaling, problem.scaling
    if known.has_products and not needed.has_products:
        return "its splits see products of features, which those of this problem do not"
    if known.unmixed != needed.unmixed and (known.likeness or needed.likeness) is not None:
        return "the splits of one see the likeness to rows that those of the other do not see"
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


_REMEDIES = {
    "0 sample(s)": "Give at least one row.",
    "0 feature(s)": "Give at least one column.",
    "inconsistent numbers of samples": (
        "There must be as many labels as rows. Give one label for each row."
    ),
    "features as input": "Give the columns of the fit, in the same order.",
    "feature names should match": "Give the columns of the fit, in the same order.",
    "continuous": "Group the numbers into a few classes, such as low and high.",
    "dim 3": "Give a table with one row for each sample.",
    "y should be a 1d array": "Give one column of labels.",
}
"""What to do, by a phrase in a message of scikit-learn that does not say so."""


@contextmanager
def errors_with_remedies(X: Any, y: Any = None) -> Iterator[None]:
    """Add to an error about the rows or their labels which cell it concerns and what to do.

    Examples
    --------
    >>> with errors_with_remedies([[1.0, "red"]]):
    ...     raise ValueError("could not convert string to float: 'red'")
    Traceback (most recent call last):
    margintree.InvalidInputError: could not convert string to float: 'red'. The column 'x1' holds
    'red' in row 1, and finite numbers are needed. Convert it to numbers, or use
    margintree.make_table_classifier, which takes text and missing cells as they are.
    """
    try:
        yield
    except (TypeError, ValueError, OverflowError) as error:
        # The first line says what is wrong; the others hold scikit-learn's own advice, or names.
        lines = str(error).rstrip("\n.").split("\n")
        first_line = lines[0].rstrip(".")
        known = (remedy for phrase, remedy in _REMEDIES.items() if phrase in first_line)
        remedy = next(known, None) or _about_label(y) or _about_cell(X, error)
        if remedy is None:
            raise
        # A TypeError speaks of the types inside NumPy and pandas.
        is_of_types = isinstance(error, TypeError)
        said = "\n".join([*lines, ""]) if "feature names" in first_line else f"{first_line}. "
        raise InvalidInputError(remedy if is_of_types else f"{said}{remedy}") from error


def _about_label(y: Any) -> str | None:
    """Return which label is missing and what to do, if any is."""
    if y is None or np.ndim(y) != 1:
        return None
    for row, label in enumerate(np.asarray(y, dtype=object)):
        if label is None or (isinstance(label, Real) and not math.isfinite(label)):
            return (
                f"Every row must have a label; that of row {row + 1} is {label!r}. Fill it in or "
                "drop the row."
            )
    return None


def _about_cell(X: Any, error: Exception) -> str | None:
    """Return which cell is no finite number and what to do, if any is."""
    # Cells of another kind altogether stay a TypeError, but the NA of pandas is a missing one,
    # and dates can be columns of a table.
    is_of_cells = not isinstance(error, TypeError) or "NAType" in str(error)
    place = _first_odd_cell(X) if is_of_cells or isinstance(error, DTypePromotionError) else None
    if place is None:
        return None
    return (
        f"{place}, and finite numbers are needed. Convert it to numbers, or use "
        "margintree.make_table_classifier, which takes text and missing cells as they are."
    )


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
