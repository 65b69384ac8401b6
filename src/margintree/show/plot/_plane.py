"""A plane through the space of the features, and its division by a tree."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from margintree._lib.arrays import BoolArray, FloatArray
from margintree._lib.exceptions import InvalidInputError
from margintree.core import topology
from margintree.core.space import Space
from margintree.core.tree import ObliqueTree
from margintree.show.export.named_tree import NamedTree

_ROOM = 0.06
"""Space around the rows, as a share of their range."""
_MOST_NAMED = 2
"""Largest number of features whose values are in the title: the most influential ones."""


@dataclass(frozen=True)
class Plane:
    """Two features of a tree, the others held at their medians.

    Attributes
    ----------
    tree : ObliqueTree
        The tree of the plane: two features, original units.
    features : pair of int
        The positions of the two features in the whole tree.
    box : ndarray of shape (4, 2)
        The corners of the picture.
    title : str
        The values of the other features, in words.
    """

    tree: ObliqueTree
    features: list[int]
    box: FloatArray
    title: str

    @classmethod
    def through(
        cls, names: NamedTree, X: FloatArray, features: Sequence[int | str] | None
    ) -> "Plane":
        """Return the plane through the medians of the rows; by default of the main features."""
        order = by_influence(names)
        if len(order) < 2:
            raise InvalidInputError(
                "A plane needs at least two features; the tree has 1. Use plot_tree instead."
            )
        shown = sorted(order[:2]) if features is None else pair_of(features, names.features)
        others = np.array([j for j in order if j not in shown], dtype=int)
        medians = np.median(X[:, others], axis=0)
        raw = names.tree.in_original_units()
        tree = ObliqueTree(
            raw.weights[:, shown],
            raw.intercepts + raw.weights[:, others] @ medians,
            raw.splits,
            raw.leaf_classes,
            raw.leaf_mass,
            Space.identity(len(shown)),
        )
        title = values_in_words([names.features[j] for j in others], medians)
        return cls(tree, shown, box_around(X[:, shown]), title)

    def pieces(
        self, node: int = 1, corners: FloatArray | None = None
    ) -> Iterator[tuple[int, FloatArray]]:
        """Yield every split and leaf at or below a node with the corners of its region."""
        corners = self.box if corners is None else corners
        node = self.tree.first_stop(node)
        yield node, corners
        if node <= len(self.tree.splits):
            left, right = sides(corners, self.values(node, corners))
            yield from self.pieces(topology.left(node), left)
            yield from self.pieces(topology.right(node), right)

    def values(self, node: int, points: FloatArray) -> FloatArray:
        """Return the value of a split at points of the plane."""
        return np.asarray(points @ self.tree.weights[node - 1] + self.tree.intercepts[node - 1])


def by_influence(names: NamedTree) -> list[int]:
    """Return all features, the most influential first and conditions last."""
    influence = np.abs(names.tree.weights).sum(axis=0)
    places = range(len(influence))
    return sorted(places, key=lambda j: (j in names.conditions, -round(influence[j], 9), j))


def pair_of(features: Sequence[int | str], names: tuple[str, ...]) -> list[int]:
    """Return two different features by number."""
    try:
        pair = [names.index(f) if isinstance(f, str) else range(len(names))[f] for f in features]
    except (ValueError, IndexError):
        pair = []
    if len(pair) != 2 or pair[0] == pair[1]:
        raise InvalidInputError(
            f"features must be two different features, by number in 0..{len(names) - 1} or by name "
            f"from {list(names)}; {features!r} was given. "
            "Correct them, or leave them out for the two most influential ones."
        )
    return pair


def values_in_words(names: list[str], medians: FloatArray) -> str:
    """Return the values of the other features, in words."""
    pairs = list(zip(names, medians, strict=True))[:_MOST_NAMED]
    held = ", ".join(f"{name} = {value:.3g}" for name, value in pairs)
    rest = len(names) - len(pairs)
    if rest:
        noun = "feature" if rest == 1 else "features"
        return f"{held} and {rest} other {noun}, all at their medians"
    return f"{held} (medians)" if held else ""


def box_around(points: FloatArray) -> FloatArray:
    """Return the corners of a box with some space around the points."""
    low, high = points.min(axis=0), points.max(axis=0)
    room = np.where(high > low, _ROOM * (high - low), 0.5)
    (left, bottom), (right, top) = low - room, high + room
    return np.array([[left, bottom], [right, bottom], [right, top], [left, top]])


def crossings(corners: FloatArray, values: FloatArray) -> tuple[BoolArray, FloatArray]:
    """Return the sides of a polygon that a line crosses, and the points; side i begins at corner i.

    ``values`` are the values of the line's function at the corners.
    """
    to, value_to = np.roll(corners, -1, axis=0), np.roll(values, -1)
    crosses = (values >= 0) != (value_to >= 0)
    share = values[crosses] / (values[crosses] - value_to[crosses])
    return crosses, corners[crosses] + share[:, None] * (to - corners)[crosses]


def sides(corners: FloatArray, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the corners of the parts of a convex polygon to the left and right of a line.

    Points on the line go right, as rows do.

    Examples
    --------
    >>> triangle = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]])
    >>> left, right = sides(triangle, np.array([-1.0, 1.0, 1.0]))
    >>> left.tolist(), right.tolist()
    ([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [2.0, 0.0], [0.0, 2.0], [0.0, 1.0]])
    """
    crosses, points = crossings(corners, values)
    parts = []
    for kept in (values < 0, values >= 0):
        places = np.concatenate([np.flatnonzero(kept), np.flatnonzero(crosses) + 0.5])
        both = np.concatenate([corners[kept], points])
        parts.append(both[np.argsort(places)])
    return parts[0], parts[1]
