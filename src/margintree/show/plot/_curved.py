"""A plane through the space of the features where splits are curved, drawn on a fine grid."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from margintree._lib.arrays import BoolArray, FloatArray, IntArray
from margintree.core import topology
from margintree.core.tree import ObliqueTree
from margintree.show.export.named_tree import NamedTree
from margintree.show.plot._plane import box_around, pair_of, values_in_words
from margintree.show.plot._style import INK, class_colours, class_hatch

if TYPE_CHECKING:
    from matplotlib.axes import Axes

N_STEPS = 400
"""Number of grid points along each side of the picture."""


@dataclass(frozen=True, eq=False)
class CurvedPlane:
    """Two columns of a tree with curved splits, the others held at their medians.

    Attributes
    ----------
    tree : ObliqueTree
        The whole tree.
    features : list of int
        The positions of the two columns.
    box : ndarray of shape (4, 2)
        The corners of the picture.
    title : str
        The values of the other columns, in words.
    rows : ndarray of shape (n, p)
        The grid: whole rows, one for every point of the picture.
    """

    tree: ObliqueTree
    features: list[int]
    box: FloatArray
    title: str
    rows: FloatArray

    @classmethod
    def through(
        cls, names: NamedTree, X: FloatArray, features: Sequence[int | str] | None
    ) -> "CurvedPlane":
        """Return the plane through the medians of the rows; by default of the main columns."""
        tree, medians = names.tree, np.median(X, axis=0)
        influence = _influence(tree, X, medians)
        order = sorted(range(len(medians)), key=lambda j: -round(float(influence[j]), 9))
        shown = sorted(order[:2]) if features is None else pair_of(features, names.features)
        others = [j for j in order if j not in shown]
        box = box_around(X[:, shown])
        rows = np.tile(medians, (N_STEPS**2, 1))
        rows[:, shown] = np.stack([axis.ravel() for axis in _grid(box)], axis=1)
        title = values_in_words([names.features[j] for j in others], medians[others])
        return cls(tree, shown, box, title, rows)

    def draw_regions(self, ax: "Axes", with_margins: bool) -> None:
        """Draw the regions of the leaves, and all splits inside the regions of their nodes."""
        values = self.tree.split_values(self.tree.scaling.apply(self.rows))
        leaves = self.tree.leaves_of(values)
        colours = class_colours(self.tree.n_classes)
        for leaf in np.unique(leaves).tolist():
            label = int(self.tree.leaf_classes[leaf - len(self.tree.leaf_classes)])
            self._fill(ax, leaves == leaf, colours[label], 0.25, class_hatch(label))
        for node in (np.flatnonzero(self.tree.splits) + 1).tolist():
            self._draw_split(ax, values, leaves, node, with_margins)

    def draw_sides(self, ax: "Axes", node: int, shades: Sequence[str], with_margin: bool) -> None:
        """Draw the region of one split in two shades, and the split."""
        values = self.tree.split_values(self.tree.scaling.apply(self.rows))
        leaves = self.tree.leaves_of(values)
        for child, shade in zip((topology.left(node), topology.right(node)), shades, strict=True):
            self._fill(ax, self._passes(leaves, child), shade, 1.0, None)
        self._draw_split(ax, values, leaves, node, with_margin)

    def _passes(self, leaves: IntArray, node: int) -> BoolArray:
        """Return which grid points pass a node."""
        return np.asarray(leaves >> (self.tree.depth - topology.depth_of(node)) == node)

    def _fill(
        self, ax: "Axes", inside: BoolArray, colour: str, alpha: float, hatch: str | None
    ) -> None:
        if inside.any():
            style: dict[str, Any] = {
                "colors": [colour],
                "hatches": [hatch],
                "alpha": alpha,
                "zorder": 1,
            }
            shape = (N_STEPS, N_STEPS)
            ax.contourf(*_grid(self.box), inside.reshape(shape).astype(float), [0.5, 1.5], **style)

    def _draw_split(
        self, ax: "Axes", values: FloatArray, leaves: IntArray, node: int, with_margin: bool
    ) -> None:
        """Draw where a split is 0 and the ends of its margin, inside the region of its node."""
        inside = np.where(self._passes(leaves, node), values[:, node - 1], np.nan)
        lines = [(0.0, "-", 1.8), (-1.0, "--", 0.9), (1.0, "--", 0.9)]
        for level, style, width in lines if with_margin else lines[:1]:
            if np.nanmin(inside, initial=np.inf) < level < np.nanmax(inside, initial=-np.inf):
                look: dict[str, Any] = {
                    "colors": [INK],
                    "linestyles": [style],
                    "linewidths": [width],
                    "zorder": 2,
                }
                ax.contour(*_grid(self.box), inside.reshape(N_STEPS, N_STEPS), [level], **look)


def _influence(tree: ObliqueTree, X: FloatArray, medians: FloatArray) -> FloatArray:
    """Return how much the splits' values change, over all rows, if a column is at its median."""
    known, influence = tree.split_values(tree.scaling.apply(X)), np.zeros(len(medians))
    for j, median in enumerate(medians):
        moved = X.copy()
        moved[:, j] = median
        changes = tree.split_values(tree.scaling.apply(moved)) - known
        influence[j] = np.abs(changes[:, tree.splits]).sum()
    return influence


def _grid(box: FloatArray) -> list[FloatArray]:
    """Return the coordinates of the grid points of a box, of shape (N_STEPS, N_STEPS) each."""
    axes = (np.linspace(low, high, N_STEPS) for low, high in zip(box[0], box[2], strict=True))
    return list(np.meshgrid(*axes))
