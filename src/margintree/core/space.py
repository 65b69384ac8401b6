"""What splits see of a raw row, as plain data.

First the columns are scaled to the unit box. The terms are the scaled columns, with their products
in a quadratic space, or in the space of a kernel the likeness to landmarks. Features are the terms,
or a mix of them: a linear map, in which margins are measured. A fitted tree speaks of terms only.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from margintree._lib.arrays import BoolArray, FloatArray, IntArray, frozen
from margintree._lib.exceptions import InvalidInputError
from margintree._lib.fingerprint import fingerprint
from margintree.core.likeness import MIDDLE, Likeness
from margintree.core.mix import Mix

FARTHEST = 1e150
"""Maximum distance of a value from the training rows, in spans, so that no sum overflows."""


@dataclass(frozen=True, eq=False)
class Space:
    """What splits see of a row: columns scaled by ``(x - minimum) / span``, or terms made of them.

    The span is the largest minus the smallest training value, or 1 for a constant column. With
    products, the terms are the scaled columns and ``2 (s_i - 1/2) (s_j - 1/2)`` for each pair of
    scaled columns with i <= j, so a split is a quadratic function of the columns. With a likeness,
    the terms are how alike a row is to landmarks. Products and likeness see a constant column at
    its middle, whatever its value is: so its products are 0, and all rows are alike in it. With a
    mix, the features are linear functions of the terms.

    Examples
    --------
    >>> import numpy as np
    >>> scaling = Space.learn(np.array([[1.0, 5.0], [3.0, 5.0]]))
    >>> scaling.apply(np.array([[2.0, 5.0]]))
    array([[0.5, 0. ]])
    >>> scaling.constant
    (1,)
    >>> scaling.with_products().apply(np.array([[3.0, 5.0]]))
    array([[1. , 0. , 0.5, 0. , 0. ]])
    """

    minimum: FloatArray
    span: FloatArray
    constant: tuple[int, ...] = ()
    has_products: bool = False
    likeness: Likeness | None = None
    mix: Mix | None = None

    @property
    def n_columns(self) -> int:
        """The number of columns of a raw row."""
        return len(self.minimum)

    @property
    def n_terms(self) -> int:
        """The number of terms: columns, products of columns, or landmarks."""
        if self.likeness is not None:
            return len(self.likeness.landmarks)
        pairs = self.n_columns * (self.n_columns + 1) // 2
        return self.n_columns + (pairs if self.has_products else 0)

    @property
    def n_features(self) -> int:
        """The number of features that a split sees."""
        return self.n_terms if self.mix is None else self.mix.n_features

    @property
    def is_box(self) -> bool:
        """Whether the features are the scaled columns and nothing else."""
        return not self.has_products and self.likeness is None and self.mix is None

    @property
    def is_constant(self) -> BoolArray:
        """Which columns had one value in all training rows."""
        return np.isin(np.arange(self.n_columns), self.constant)

    @property
    def unmixed(self) -> "Space":
        """The same space with its terms as features."""
        return self if self.mix is None else replace(self, mix=None)

    @property
    def middle(self) -> FloatArray:
        """The raw value in the middle of the span of every column."""
        return self.minimum + MIDDLE * self.span

    def with_products(self) -> "Space":
        """Return the same scaling with products of the columns."""
        return replace(self, has_products=True)

    @classmethod
    def learn(cls, X: FloatArray) -> "Space":
        """Return the scaling that maps the rows of ``X`` into the unit box."""
        minimum = X.min(axis=0)
        with np.errstate(over="ignore"):
            span = X.max(axis=0) - minimum
        constant = tuple(np.flatnonzero(span == 0).tolist())
        return cls(minimum, np.where(span > 0, span, 1.0), constant)

    @classmethod
    def identity(cls, n_features: int) -> "Space":
        """Return the scaling that leaves every feature as it is."""
        return cls(np.zeros(n_features), np.ones(n_features))

    @property
    def units(self) -> FloatArray:
        """The unit of every feature for round numbers: the power of ten below its span.

        Examples
        --------
        >>> Space(np.zeros(3), np.array([1.0, 1300.0, 0.07])).units.tolist()
        [1.0, 1000.0, 0.01]
        """
        return np.array([float(f"1e{int(np.floor(np.log10(span)))}") for span in self.span])

    def apply(self, X: FloatArray, first_row: int = 0) -> FloatArray:
        """Return the scaled rows of ``X``; values too large to handle are an error.

        The message counts rows from ``first_row``.
        """
        with np.errstate(over="ignore"):
            scaled = np.asarray((X - self.minimum) / self.span)
        too_far = np.argwhere(np.abs(scaled) > self._farthest)
        if len(too_far):
            row, feature = too_far[0]
            first, last = self.minimum[feature], self.minimum[feature] + self.span[feature]
            raise InvalidInputError(
                f"Feature {feature} is {X[row, feature]:g} in row {first_row + row}, too far from "
                f"the training rows, {first:g} to {last:g}, to compute with. Correct the cell or "
                "rescale the column."
            )
        return self.features_of(scaled)

    @property
    def _farthest(self) -> float:
        degree = 2 if self.has_products or self.likeness is not None else 1
        if self.likeness is not None:
            degree = max(degree, self.likeness.degree)
        return float(FARTHEST ** (1 / degree))

    def features_of(self, scaled: FloatArray) -> FloatArray:
        """Return the features of rows whose columns are scaled."""
        terms = scaled
        if self.likeness is not None:
            terms = self.likeness.of(self.levelled(scaled))
        elif self.has_products:
            terms = np.hstack([scaled, products_of(self.levelled(scaled))])
        return terms if self.mix is None else self.mix.apply(terms)

    def levelled(self, scaled: FloatArray) -> FloatArray:
        """Return scaled rows whose constant columns are at their middle."""
        return np.where(self.is_constant, MIDDLE, scaled) if self.constant else scaled

    def by_column(self, sizes: FloatArray) -> FloatArray:
        """Return sizes of terms as sizes of columns; a product counts half for each of its columns.

        Examples
        --------
        >>> Space.identity(2).with_products().by_column(np.array([1.0, 0.0, 2.0, 4.0, 0.0]))
        array([5., 2.])
        """
        total = sizes[: self.n_columns].copy()
        if self.has_products:
            for side in factors(self.n_columns):
                np.add.at(total, side, sizes[self.n_columns :] / 2)
        return total

    def feature_factors(self, prices: Any) -> tuple[float, ...] | None:
        """Return the factors on the prices of features, given those of the columns.

        A product costs as much as its columns together. A mix has no prices.
        """
        if prices is None or self.mix is not None:
            return None
        given = np.array(prices, dtype=float)
        if self.has_products and len(given) == self.n_columns:
            first, second = factors(self.n_columns)
            of_pairs = np.where(first == second, given[first], given[first] + given[second])
            given = np.append(given, of_pairs)
        return tuple(given.tolist())

    def feature_groups(self, groups: Any) -> Any:
        """Return the groups of features, given those of the columns.

        Products are in one group if their columns are in the same two groups.
        """
        if groups is None or self.mix is not None:
            return None
        given = np.asarray(groups)
        if not self.has_products or given.shape != (self.n_columns,):
            return groups
        known = np.unique(given, return_inverse=True)[1]
        first, second = (known[side] for side in factors(self.n_columns))
        n_groups = known.max() + 1
        pairs = np.minimum(first, second) * n_groups + np.maximum(first, second)
        return np.append(known, n_groups + pairs)

    def to_dict(self) -> dict[str, Any]:
        """Return the space of the terms as plain lists and numbers."""
        box = {"minimum": self.minimum.tolist(), "span": self.span.tolist()}
        constant = {"constant": [*self.constant]} if self.constant else {}
        products = {"products": True} if self.has_products else {}
        likeness = {} if self.likeness is None else {"likeness": self.likeness.to_dict()}
        return box | constant | products | likeness

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Space":
        """Return the space from the result of `to_dict`; raise InvalidInputError if it is odd."""
        minimum, span = (frozen(data[name], float) for name in ("minimum", "span"))
        constant = data.get("constant", [])
        known = set(range(np.size(minimum)))
        if not (all(type(column) is int for column in constant) and known.issuperset(constant)):
            raise InvalidInputError(
                f"scaling.constant must list columns in 0..{np.size(minimum) - 1}; "
                f"{constant!r:.60} was given."
            )
        has_products = data.get("products", False)
        if type(has_products) is not bool:
            raise InvalidInputError("scaling.products must be true or false.")
        alike = data.get("likeness")
        if alike is not None and has_products:
            raise InvalidInputError("scaling must have products or a likeness, not both.")
        likeness = None if alike is None else Likeness.from_dict(alike, np.size(minimum))
        return cls(minimum, span, tuple(constant), has_products, likeness)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Space):
            return NotImplemented
        return self is other or fingerprint(self) == fingerprint(other)


def products_of(scaled: FloatArray) -> FloatArray:
    """Return the products of the columns of scaled rows."""
    first, second = factors(scaled.shape[1])
    return np.asarray(2 * (scaled[:, first] - MIDDLE) * (scaled[:, second] - MIDDLE))


def factors(n_columns: int) -> tuple[IntArray, IntArray]:
    """Return the columns of the two factors of every product.

    Examples
    --------
    >>> [pair.tolist() for pair in factors(2)]
    [[0, 0, 1], [0, 1, 1]]
    """
    first, second = np.triu_indices(n_columns)
    return first.astype(np.int64), second.astype(np.int64)
