"""The margin term: the price of a hyperplane by a norm of its normal vector."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from margintree._lib.arrays import FloatArray

MarginTerm = Literal["squared", "plain"]
NormName = Literal["l2", "l1", "linf"]


@dataclass(frozen=True)
class Margin:
    """The margin term of a tree as a function of the largest norm of its splits."""

    price: Callable[[Any], Any]  # of a norm, or of an array of norms; convex and increasing
    norm_at: Callable[[float], float]  # the largest norm whose margin term is at most a price


MARGINS: dict[str, Margin] = {
    "squared": Margin(lambda norm: norm**2 / 2, lambda price: float(np.sqrt(2 * price))),
    "plain": Margin(lambda norm: norm / 2, lambda price: 2 * price),
}
"""The margin terms by name: half the squared norm, as in the SVM, or half the norm.

A new margin term also needs a slope in the kernel `scale_slope`, a rule for the shares of splits in
`share_again`, and a cone in each solver."""


@dataclass(frozen=True)
class Norm:
    """A norm of normal vectors and its dual, the norm of distances between rows, by their orders.

    Two rows at distance d in the dual norm have values of a split that differ by at most its norm
    times d.
    """

    order: float
    dual: float

    def of(self, weights: FloatArray) -> FloatArray:
        """Return the norm of every normal vector.

        Examples
        --------
        >>> [float(NORMS[name].of(np.array([[3.0, 4.0]]))[0]) for name in ("l2", "l1", "linf")]
        [5.0, 7.0, 4.0]
        """
        return np.asarray(np.linalg.norm(weights, ord=self.order, axis=-1))

    def distance(self, differences: FloatArray) -> FloatArray:
        """Return the dual norm of every difference of rows.

        Examples
        --------
        >>> NORMS["l1"].distance(np.array([[3.0, -4.0]]))
        array([4.])
        """
        return np.asarray(np.linalg.norm(differences, ord=self.dual, axis=-1))


NORMS: dict[str, Norm] = {
    "l2": Norm(2, 2),
    "l1": Norm(1, np.inf),
    "linf": Norm(np.inf, 1),
}
"""The norms by name. Unlike the Euclidean one, the others lead to linear programs."""
