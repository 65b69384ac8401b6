"""Hyperplanes over columns and their products as quadratic functions of raw rows."""

from dataclasses import dataclass, replace

import numpy as np

from margintree._lib.arrays import BoolArray, FloatArray
from margintree.core.likeness import MIDDLE
from margintree.core.space import Space, factors


@dataclass(frozen=True, eq=False)
class Quadratic:
    """Functions ``value + gradient @ d + d @ curvature @ d / 2`` of ``d``, a row minus a centre.

    The arrays have one entry per function in their first axis.

    Examples
    --------
    >>> scaling = Space(np.array([1.0]), np.array([2.0])).with_products()
    >>> square = Quadratic.of(np.array([[0.0, 1.0]]), np.array([0.0]), scaling)
    >>> square.at(np.zeros(1)).monomials()
    (array([[-2. ,  0.5]]), array([2.]))
    """

    centre: FloatArray
    value: FloatArray
    gradient: FloatArray
    curvature: FloatArray

    @classmethod
    def of(cls, weights: FloatArray, intercepts: FloatArray, scaling: Space) -> "Quadratic":
        """Return the functions of hyperplanes over the columns and products of a scaling."""
        p, span = scaling.n_columns, scaling.span
        first, second = factors(p)
        curvature = np.zeros((len(weights), p, p))
        entries = 2 * weights[:, p:] / (span[first] * span[second])
        curvature[:, first, second] += entries
        curvature[:, second, first] += entries
        curvature = _without(scaling.is_constant, curvature)
        value = intercepts + MIDDLE * weights[:, :p].sum(axis=1)
        return cls(scaling.middle, value, weights[:, :p] / span, curvature)

    def at(self, centre: FloatArray) -> "Quadratic":
        """Return the same functions around another centre."""
        move = centre - self.centre
        bend = (self.curvature * move).sum(axis=2)
        value = self.value + ((self.gradient + bend / 2) * move).sum(axis=1)
        return Quadratic(centre, value, self.gradient + bend, self.curvature)

    def monomials(self) -> tuple[FloatArray, FloatArray]:
        """Return the coefficients of the offsets from the centre and their products, and values."""
        first, second = factors(len(self.centre))
        halves = np.where(first == second, 0.5, 1.0)
        products = halves * self.curvature[:, first, second]
        return np.hstack([self.gradient, products]), self.value

    def hyperplanes(self, scaling: Space) -> tuple[FloatArray, FloatArray]:
        """Return the weights and intercepts over the columns and products of a scaling.

        Where the scaling has constant columns, the functions agree on rows with these constants.
        """
        is_constant = scaling.is_constant
        known = self.at(np.where(is_constant, scaling.minimum, scaling.middle))
        known = replace(known, curvature=_without(is_constant, known.curvature))
        weights, intercepts = known.at(scaling.middle).monomials()
        first, second = factors(scaling.n_columns)
        span = scaling.span
        weights = weights * np.append(span, span[first] * span[second] / 2)
        return weights, intercepts - MIDDLE * weights[:, : len(span)].sum(axis=1)


def _without(columns: BoolArray, curvature: FloatArray) -> FloatArray:
    """Return the curvature along the other columns only."""
    return np.where(columns | columns[:, None], 0.0, curvature)


def monomial_box(scaling: Space) -> Space:
    """Return the box of the raw columns and their raw products.

    Examples
    --------
    >>> box = monomial_box(Space(np.array([-1.0, 2.0]), np.array([3.0, 1.0])))
    >>> box.minimum, box.span
    (array([-1.,  2.,  0., -3.,  4.]), array([3., 1., 4., 9., 5.]))
    """
    low, high = scaling.minimum, scaling.minimum + scaling.span
    first, second = factors(scaling.n_columns)
    corners = np.array([a[first] * b[second] for a in (low, high) for b in (low, high)])
    least, most = corners.min(axis=0), corners.max(axis=0)
    least = np.where((first == second) & (low * high < 0)[first], 0.0, least)
    return Space(np.append(low, least), np.append(scaling.span, most - least))
