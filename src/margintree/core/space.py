"""The map from raw features to the unit box, learnt from the training rows."""

from dataclasses import dataclass

import numpy as np

from margintree._lib.arrays import FloatArray
from margintree._lib.exceptions import InvalidInputError

FARTHEST = 1e150
"""Maximum distance of a value from the training rows, in spans, so that no sum overflows."""


@dataclass(frozen=True, eq=False)
class Scaling:
    """An affine map ``(x - minimum) / span`` of every feature.

    The span is the largest minus the smallest training value, or 1 for a constant feature.

    Examples
    --------
    >>> import numpy as np
    >>> scaling = Scaling.learn(np.array([[1.0, 5.0], [3.0, 5.0]]))
    >>> scaling.apply(np.array([[2.0, 5.0]]))
    array([[0.5, 0. ]])
    """

    minimum: FloatArray
    span: FloatArray

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

    def apply(self, X: FloatArray) -> FloatArray:
        """Return the scaled rows of ``X``; values too large to handle are an error."""
        with np.errstate(over="ignore"):
            scaled = np.asarray((X - self.minimum) / self.span)
        too_far = np.argwhere(np.abs(scaled) > FARTHEST)
        if len(too_far):
            row, feature = too_far[0]
            first, last = self.minimum[feature], self.minimum[feature] + self.span[feature]
            raise InvalidInputError(
                f"Feature {feature} is {X[row, feature]:g} in row {row}, too far from the training "
                f"rows, {first:g} to {last:g}, to compute with. Correct the cell or rescale the "
                "column."
            )
        return scaled

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Scaling):
            return NotImplemented
        has_same_span = np.array_equal(self.span, other.span)
        return has_same_span and np.array_equal(self.minimum, other.minimum)
