"""The spaces that splits can see, learnt from the training rows.

Every function takes the box, the scaled rows, their class codes and weights, and returns a space
with the same box. Rows of weight 2 count as two rows.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray, product
from margintree._lib.exceptions import InvalidInputError
from margintree.core.likeness import MAX_DEGREE, Likeness, median_gamma
from margintree.core.mix import Mix
from margintree.core.space import Space, products_of

MAX_FEATURES = 10_000
"""The largest number of features with products; `MAX_COLUMNS` columns have about as many."""
MAX_COLUMNS = 139
"""The largest number of columns whose products are features."""
MAX_LANDMARKS = 300
"""The largest number of landmarks of a kernel; with fewer different rows, every row is one."""
PRODUCT_SIZE = 0.3
"""The length of the block of products, if the block of whitened columns has length 1."""
FLAT = 1e-6
"""Share of the largest variance that every direction of a covariance has at least."""

Learn: TypeAlias = Callable[[Space, FloatArray, IntArray, FloatArray], Space]


def learnt_space(
    name: str, box: Space, scaled: FloatArray, y: IntArray, weights: FloatArray
) -> Space:
    """Return the space of this name for training rows; see `SPACES`.

    Examples
    --------
    >>> rows = np.array([[0.0, 0.2], [0.4, 1.0], [1.0, 0.0]])
    >>> y, weights = np.array([0, 1, 1]), np.ones(3)
    >>> learnt_space("quadratic", Space.identity(2), rows, y, weights).n_features
    5
    """
    if name not in SPACES:
        raise InvalidInputError(f"space must be one of {[*SPACES]}; {name!r} was given.")
    return SPACES[name](box, scaled, y, weights)


def _box(box: Space, scaled: FloatArray, y: IntArray, weights: FloatArray) -> Space:  # noqa: ARG001
    return box


def _whitened(box: Space, scaled: FloatArray, y: IntArray, weights: FloatArray) -> Space:
    return replace(box, mix=_whitening(box, scaled, y, weights))


def _quadratic(box: Space, scaled: FloatArray, y: IntArray, weights: FloatArray) -> Space:  # noqa: ARG001
    space = box.with_products()
    if space.n_features > MAX_FEATURES:
        raise InvalidInputError(
            f"With products, {space.n_columns} columns make {space.n_features:,} features; "
            f"at most {MAX_FEATURES:,} are allowed. Use fewer columns, or space='box'."
        )
    return space


def _whitened_quadratic(box: Space, scaled: FloatArray, y: IntArray, weights: FloatArray) -> Space:
    space = _quadratic(box, scaled, y, weights)
    products = products_of(box.levelled(scaled))
    white = _whitening(box, scaled, y, weights)
    centre = np.average(products, axis=0, weights=weights)
    mix = Mix(
        np.append(white.centre, centre),
        white.matrix / _length(white.apply(scaled), weights),
        PRODUCT_SIZE / _length(products - centre, weights),
    )
    return replace(space, mix=mix)


def _rbf(box: Space, scaled: FloatArray, y: IntArray, weights: FloatArray) -> Space:  # noqa: ARG001
    landmarks = _landmarks(box.levelled(scaled))
    return _of_kernel(box, scaled, weights, Likeness(landmarks, median_gamma(landmarks)))


def _polynomial(box: Space, scaled: FloatArray, y: IntArray, weights: FloatArray) -> Space:  # noqa: ARG001
    gamma = 4 / (int((~box.is_constant).sum()) or 1)
    alike = Likeness(_landmarks(box.levelled(scaled)), gamma, MAX_DEGREE)
    return _of_kernel(box, scaled, weights, alike)


SPACES: Mapping[str, Learn] = {
    "box": _box,
    "whitened": _whitened,
    "quadratic": _quadratic,
    "whitened-quadratic": _whitened_quadratic,
    "rbf": _rbf,
    "polynomial": _polynomial,
}
"""The spaces by name: what splits see.

``"box"``
    The columns, scaled to [0, 1].
``"whitened"``
    The columns, mixed such that within the classes they vary more alike: standardised, and
    multiplied by the power -1/4 of their covariance within the classes and by ``p ** -0.5``.
``"quadratic"``
    The scaled columns and the products of all pairs of them, with squares.
``"whitened-quadratic"``
    The whitened columns and, shorter, the products.
``"rbf"``, ``"polynomial"``
    The feature space of a kernel: the radial one, or the polynomial one of degree 3."""

LEVELS = {
    "box": 0,
    "whitened": 0,
    "quadratic": 1,
    "whitened-quadratic": 1,
    "rbf": 2,
    "polynomial": 2,
}
"""How hard splits are to read: weighted sums of columns, sums with products, likeness to rows."""


def _whitening(box: Space, scaled: FloatArray, y: IntArray, weights: FloatArray) -> Mix:
    """Return the map of the whitened space; no feature sees a constant column."""
    mean = np.average(scaled, axis=0, weights=weights)
    matrix = np.zeros((box.n_columns, box.n_columns))
    varies = ~box.is_constant
    if varies.any():
        matrix[np.ix_(varies, varies)] = _whitener((scaled - mean)[:, varies], y, weights)
    return Mix(mean, matrix)


def _whitener(moved: FloatArray, y: IntArray, weights: FloatArray) -> FloatArray:
    """Return the matrix that whitens columns with mean 0."""
    spread = np.sqrt(np.average(moved**2, axis=0, weights=weights))
    spread = np.where(spread > 0, spread, 1.0)
    inside = moved / spread
    for label in np.unique(y):
        rows = y == label
        inside[rows] -= np.average(inside[rows], axis=0, weights=weights[rows])
    sizes, directions = np.linalg.eigh(shrunk_covariance(inside, weights))
    largest = sizes.max(initial=0.0)
    sizes = np.maximum(sizes, FLAT * largest) if largest > 0 else np.ones_like(sizes)
    power = product(directions * sizes**-0.25, directions.T)
    return np.asarray(power / np.sqrt(moved.shape[1]) / spread)


def shrunk_covariance(rows: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the covariance of centred rows, shrunk as Ledoit and Wolf do.

    It is scikit-learn's ``ledoit_wolf`` for rows with weights.

    Examples
    --------
    >>> rows = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 0.5], [0.0, -0.5]])
    >>> shrunk_covariance(rows, np.ones(4)).round(3)
    array([[0.323, 0.   ],
           [0.   , 0.302]])
    """
    n_rows, n_features = weights.sum(), rows.shape[1]
    covariance = product(rows.T * weights, rows) / n_rows
    level = np.trace(covariance) / n_features
    fourth = float((weights * (rows**2).sum(axis=1) ** 2).sum()) / n_rows
    size = float((covariance**2).sum())
    distance = size - n_features * level**2
    share = min(1.0, (fourth - size) / n_rows / distance) if distance > 0 else 0.0
    return np.asarray((1 - share) * covariance + share * level * np.eye(n_features))


def _length(rows: FloatArray, weights: FloatArray) -> float:
    """Return the root of the mean squared length of rows, or 1 if all are 0."""
    length = float(np.sqrt(np.average((rows**2).sum(axis=1), weights=weights)))
    return length if length > 0 else 1.0


def _landmarks(scaled: FloatArray) -> FloatArray:
    """Return all different rows, or a sample of them."""
    rows = np.unique(scaled, axis=0)
    if len(rows) <= MAX_LANDMARKS:
        return rows
    chosen = np.random.default_rng(0).choice(len(rows), MAX_LANDMARKS, replace=False)
    return np.asarray(rows[np.sort(chosen)])


def _of_kernel(box: Space, scaled: FloatArray, weights: FloatArray, likeness: Likeness) -> Space:
    """Return the space of a kernel."""
    centre = np.average(likeness.of(box.levelled(scaled)), axis=0, weights=weights)
    return replace(box, likeness=likeness, mix=Mix(centre, likeness.square_root()))
