"""What splits see of a raw row: its features in the unit box, and perhaps their products."""

from dataclasses import dataclass

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray
from margintree._lib.exceptions import InvalidInputError

FARTHEST = 1e150
"""Maximum distance of a value from the training rows, in spans, so that no sum overflows."""
MIDDLE = 0.5
"""The middle of a scaled column, from which the factors of a product are measured."""


@dataclass(frozen=True, eq=False)
class Scaling:
    """An affine map ``(x - minimum) / span`` of every column, and perhaps products of columns.

    The span is the largest minus the smallest training value, or 1 for a constant column. With
    products, the features are the scaled columns and ``2 (s_i - 1/2) (s_j - 1/2)`` for each pair of
    scaled columns with i <= j, so a split is a quadratic function of the columns.

    Examples
    --------
    >>> import numpy as np
    >>> scaling = Scaling.learn(np.array([[1.0, 5.0], [3.0, 5.0]]))
    >>> scaling.apply(np.array([[2.0, 5.0]]))
    array([[0.5, 0. ]])
    >>> scaling.with_products().apply(np.array([[3.0, 5.0]]))
    array([[ 1. ,  0. ,  0.5, -0.5,  0.5]])
    """

    minimum: FloatArray
    span: FloatArray
    has_products: bool = False

    @property
    def n_columns(self) -> int:
        """The number of columns of a raw row."""
        return len(self.minimum)

    @property
    def n_features(self) -> int:
        """The number of features that a split sees."""
        pairs = self.n_columns * (self.n_columns + 1) // 2
        return self.n_columns + (pairs if self.has_products else 0)

    @property
    def middle(self) -> FloatArray:
        """The raw value in the middle of the span of every column."""
        return self.minimum + MIDDLE * self.span

    def with_products(self) -> "Scaling":
        """Return the same scaling with products of the columns."""
        return Scaling(self.minimum, self.span, has_products=True)

    @classmethod
    def learn(cls, X: FloatArray) -> "Scaling":
        """Return the scaling that maps the rows of ``X`` into the unit box."""
        minimum = X.min(axis=0)
        with np.errstate(over="ignore"):
            span = X.max(axis=0) - minimum
        return cls(minimum, np.where(span > 0, span, 1.0))

    @classmethod
    def identity(cls, n_features: int) -> "Scaling":
        """Return the scaling that leaves every feature as it is."""
        return cls(np.zeros(n_features), np.ones(n_features))

    @property
    def units(self) -> FloatArray:
        """The unit of every feature for round numbers: the power of ten below its span.

        Examples
        --------
        >>> Scaling(np.zeros(3), np.array([1.0, 1300.0, 0.07])).units.tolist()
        [1.0, 1000.0, 0.01]
        """
        return np.array([float(f"1e{int(np.floor(np.log10(span)))}") for span in self.span])

    def apply(self, X: FloatArray, first_row: int = 0) -> FloatArray:
        """Return the scaled rows of ``X``; values too large to handle are an error.

        The message counts rows from ``first_row``.
        """
        with np.errstate(over="ignore"):
            scaled = np.asarray((X - self.minimum) / self.span)
        farthest = np.sqrt(FARTHEST) if self.has_products else FARTHEST
        too_far = np.argwhere(np.abs(scaled) > farthest)
        if len(too_far):
            row, feature = too_far[0]
            first, last = self.minimum[feature], self.minimum[feature] + self.span[feature]
            raise InvalidInputError(
                f"Feature {feature} is {X[row, feature]:g} in row {first_row + row}, too far from "
                f"the training rows, {first:g} to {last:g}, to compute with. Correct the cell or "
                "rescale the column."
            )
        return products_added(scaled) if self.has_products else scaled

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Scaling):
            return NotImplemented
        has_same_span = np.array_equal(self.span, other.span)
        has_same_box = has_same_span and np.array_equal(self.minimum, other.minimum)
        return has_same_box and self.has_products == other.has_products


def products_added(scaled: FloatArray) -> FloatArray:
    """Return scaled rows with the products of their columns."""
    first, second = factors(scaled.shape[1])
    products = 2 * (scaled[:, first] - MIDDLE) * (scaled[:, second] - MIDDLE)
    return np.hstack([scaled, products])


def factors(n_columns: int) -> tuple[IntArray, IntArray]:
    """Return the columns of the two factors of every product.

    Examples
    --------
    >>> [pair.tolist() for pair in factors(2)]
    [[0, 0, 1], [0, 1, 1]]
    """
    first, second = np.triu_indices(n_columns)
    return first.astype(np.int64), second.astype(np.int64)
