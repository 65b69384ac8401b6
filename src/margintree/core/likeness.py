"""The likeness of rows to landmarks: the terms of a kernel."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from margintree._lib.arrays import FloatArray, frozen, product
from margintree._lib.exceptions import InvalidInputError

MIDDLE = 0.5
"""The middle of a scaled column, from which the factors of products are measured."""
MAX_DEGREE = 3
"""The largest degree of the polynomial kernel."""
FAINT = 1e-10
"""Share of the largest eigenvalue of a kernel below which a direction is left out."""


@dataclass(frozen=True, eq=False)
class Likeness:
    """How alike a scaled row is to each of some landmarks, by a kernel.

    With degree 0 it is the radial kernel ``exp(-gamma * distance**2)``. Otherwise it is the
    polynomial kernel ``(1 + gamma * product)**degree``, where ``product`` is the inner product of
    the two rows, measured from the middle of the box.

    Examples
    --------
    >>> Likeness(np.array([[0.0, 0.0]]), gamma=1.0).of(np.array([[0.0, 0.0], [0.6, 0.8]])).round(3)
    array([[1.   ],
           [0.368]])
    """

    landmarks: FloatArray
    gamma: float
    degree: int = 0

    def of(self, scaled: FloatArray) -> FloatArray:
        """Return the likeness of every scaled row to every landmark.

        Sums run column by column, so that a program in any language can repeat them.
        """
        total = np.zeros((len(scaled), len(self.landmarks)))
        for values, places in zip(scaled.T, self.landmarks.T, strict=True):
            if self.degree:
                total += (values[:, None] - MIDDLE) * (places - MIDDLE)
            else:
                total += (values[:, None] - places) ** 2
        if not self.degree:
            return np.asarray(np.exp(-self.gamma * total))
        base = 1 + self.gamma * total
        powers = base
        for _ in range(self.degree - 1):
            powers = powers * base
        return powers

    def square_root(self) -> FloatArray:
        """Return the matrix that maps likeness to features with the kernel as inner product.

        Directions in which the landmarks hardly differ are left out.

        Examples
        --------
        >>> alike = Likeness(np.array([[0.0], [0.5], [1.0]]), gamma=2.0)
        >>> kernel = alike.of(alike.landmarks)
        >>> features = kernel @ alike.square_root().T
        >>> bool(np.allclose(features @ features.T, kernel))
        True
        """
        sizes, directions = np.linalg.eigh(self.of(self.landmarks))
        is_clear = sizes > FAINT * sizes.max()
        return np.asarray(directions[:, is_clear].T / np.sqrt(sizes[is_clear])[:, None])

    def to_dict(self) -> dict[str, Any]:
        """Return the likeness as plain lists and numbers."""
        return {"landmarks": self.landmarks.tolist(), "gamma": self.gamma, "degree": self.degree}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], n_columns: int) -> "Likeness":
        """Return the likeness from the result of `to_dict`, if it makes sense."""
        landmarks = frozen(data["landmarks"], float)
        gamma, degree = data["gamma"], data["degree"]
        is_table = landmarks.ndim == 2 and landmarks.shape[1] == n_columns and len(landmarks) > 0
        if not (is_table and np.isfinite(landmarks).all()):
            raise InvalidInputError(
                f"The landmarks must be rows of {n_columns} finite numbers; their shape is "
                f"{landmarks.shape}."
            )
        if type(gamma) not in (int, float) or not 0 < gamma < np.inf:
            raise InvalidInputError(f"gamma must be a positive number; {gamma!r:.60} was given.")
        if type(degree) is not int or not 0 <= degree <= MAX_DEGREE:
            raise InvalidInputError(
                f"The degree of a kernel must lie in 0..{MAX_DEGREE}; {degree!r:.60} was given."
            )
        return cls(landmarks, float(gamma), degree)


def median_gamma(scaled: FloatArray) -> float:
    """Return 1 divided by the median squared distance of two different rows.

    Examples
    --------
    >>> median_gamma(np.array([[0.0], [2.0]]))
    0.25
    """
    squares = (scaled**2).sum(axis=1)
    distances = squares[:, None] + squares - 2 * product(scaled, scaled.T)
    above = distances[np.triu_indices(len(scaled), 1)]
    above = above[above > FAINT]
    return float(1 / np.median(above)) if len(above) else 1.0
