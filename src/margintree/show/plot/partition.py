"""The plane of two features and its division by a tree."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import check_array
from sklearn.utils.validation import check_consistent_length

from margintree._lib.arrays import BoolArray, FloatArray, IntArray
from margintree._lib.exceptions import InvalidInputError
from margintree.core import topology
from margintree.core.tree import ObliqueTree
from margintree.show.export.named_tree import (
    NamedTree,
    encoding_of,
    has_margins,
    with_columns,
)
from margintree.show.plot._curved import CurvedPlane
from margintree.show.plot._plane import Plane, crossings, sides
from margintree.show.plot._style import (
    FAINT,
    INK,
    MARKERS,
    PAPER,
    axes_or_new,
    class_colours,
    class_hatch,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MARKER_AREA = 34
_MOST_INSIDE = 6
"""Largest number of entries for a legend among the rows."""
_RIGHT_SIDE, _LEFT_SIDE = "#d2d2d2", "#f6f6f6"


def plot_partition(
    model: Any,
    X: Any,
    y: Any,
    *,
    features: Sequence[int | str] | None = None,
    node: int | None = None,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[Any] | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw how a tree divides the plane of two features, with hyperplanes, margins and rows.

    Every region has the colour of its predicted class. A hyperplane is a solid line in the region
    of its node; dashed lines are the ends of its margin. Misclassified rows have a black ring.

    With more than two features the picture shows the plane on which the other features have their
    medians, as the title says. Rows are projected onto that plane, so a correctly predicted row may
    appear in a region of another colour.

    With ``node`` the picture shows one split. Rows that go right are black and rows that go left
    white, regardless of their labels. Rows at other nodes are faint.

    Parameters
    ----------
    model : TreeClassifier or ObliqueTree
        A fitted classifier, or its tree.
    X : array-like of shape (n, p)
        Rows in original units; for a model of tables, a table.
    y : array-like of shape (n,)
        Their labels; class codes if the model is a tree.
    features : pair of int or str, optional
        The features to draw, by number or by name; by default the two most influential ones, which
        are those whose scaled weights add up to the most over all splits.
    node : int, optional
        A branch node that splits; the root is 1, the children of t are 2t and 2t + 1.
    feature_names : sequence of str, optional
        Names of the features; by default those seen in `fit`, or ``x0, x1, ...``.
    class_names : sequence, optional
        Names of the classes; by default those of the classifier, or ``0, 1, ...``.
    ax : Axes, optional
        The axes to draw on; by default those of a new figure.

    Returns
    -------
    Axes

    Examples
    --------
    >>> from margintree import MOCTSVMClassifier
    >>> from margintree.show.plot import plot_partition
    >>> X, y = [[0.0, 1.0], [1.0, 0.0], [4.0, 1.0], [5.0, 0.0]], ["low", "low", "high", "high"]
    >>> clf = MOCTSVMClassifier(max_depth=1, c1=10.0).fit(X, y)
    >>> ax = plot_partition(clf, X, y, feature_names=["height", "age"])
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('height', 'age')
    """
    names = with_columns(model, feature_names, class_names)
    tree = names.tree
    if encoding_of(model) is not None:
        X = model[0].transform(X)
    rows = _RowsShown.of(tree, X, y, getattr(model, "classes_", None))
    kind = Plane if tree.scaling.is_box else CurvedPlane
    plane = kind.through(names, rows.X, features)
    splitting = (np.flatnonzero(tree.splits) + 1).tolist()
    if node is not None and node not in splitting:
        raise InvalidInputError(
            f"node must be a branch node that splits, one of {splitting}; {node!r} was given. "
            "Choose one of them."
        )
    ax = axes_or_new(ax, 6.0, 4.8)
    if node is None:
        _draw_regions(ax, plane, has_margins(model))
        _draw_labels(ax, plane, rows, names.classes)
    else:
        _draw_sides(ax, plane, node, has_margins(model))
        _draw_fictitious(ax, plane, rows, node)
    _finish(ax, plane, names, node)
    return ax


@dataclass(frozen=True)
class _RowsShown:
    """Rows, their class codes, the predicted codes, and the nodes that they visit."""

    X: FloatArray
    y: IntArray
    predicted: IntArray
    visits: BoolArray

    @classmethod
    def of(cls, tree: ObliqueTree, X: Any, y: Any, classes: Any) -> "_RowsShown":
        X = check_array(X, dtype=np.float64)
        check_consistent_length(X, y)
        n_columns = tree.scaling.n_columns
        if X.shape[1] != n_columns:
            raise InvalidInputError(
                f"X must have the {n_columns} features of the tree; it has {X.shape[1]}. "
                "Give the columns of the training data."
            )
        scaled = tree.scaling.apply(X)
        visits = tree.decision_path(scaled).toarray().astype(bool)
        return cls(X, _codes(y, classes, tree.n_classes), tree.predict(scaled), visits)


def _codes(y: Any, classes: Any, n_classes: int) -> IntArray:
    """Return labels as codes; labels of a tree without a classifier are codes."""
    known = np.arange(n_classes) if classes is None else np.asarray(classes)
    labels = np.asarray(y)
    unknown = np.setdiff1d(labels, known)
    if len(unknown):
        raise InvalidInputError(
            f"Labels must be among {known.tolist()}; {unknown[:3].tolist()} were given. Correct "
            "them or drop their rows."
        )
    return np.searchsorted(known, labels)


def _draw_split(ax: "Axes", plane: Plane, node: int, corners: FloatArray, has_margin: bool) -> None:
    """Draw the hyperplane and the ends of its margin inside the region of its node."""
    values = plane.values(node, corners)
    lines = [(0.0, "-"), (-1.0, "--"), (1.0, "--")]
    for level, style in lines if has_margin else lines[:1]:
        _, ends = crossings(corners, values - level)
        width = 1.8 if level == 0 else 0.9
        ax.plot(*ends.T, style, color=INK, linewidth=width, zorder=2)


def _draw_regions(ax: "Axes", plane: Plane | CurvedPlane, with_margins: bool) -> None:
    """Draw the regions of the leaves and all hyperplanes."""
    if isinstance(plane, CurvedPlane):
        plane.draw_regions(ax, with_margins)
        return
    colours = class_colours(plane.tree.n_classes)
    for node, corners in plane.pieces():
        if node <= len(plane.tree.splits):
            _draw_split(ax, plane, node, corners, with_margins)
        else:
            label = plane.tree.leaf_classes[node - len(plane.tree.leaf_classes)]
            style = {"facecolor": colours[label], "hatch": class_hatch(int(label))}
            ax.fill(*corners.T, alpha=0.25, linewidth=0, zorder=1, **style)


def _draw_labels(
    ax: "Axes", plane: Plane | CurvedPlane, rows: _RowsShown, classes: tuple[str, ...]
) -> None:
    """Draw the rows in the colours of their labels, with a ring around misclassified rows."""
    points = rows.X[:, plane.features]
    for k, colour in enumerate(class_colours(len(classes))):
        for is_wrong, edge, width in ((False, PAPER, 0.5), (True, "black", 1.6)):
            there = (rows.y == k) & ((rows.predicted != k) == is_wrong)
            name = classes[k] if not is_wrong else None
            marker = MARKERS[k % len(MARKERS)]
            style = {"edgecolor": edge, "linewidth": width, "marker": marker}
            _scatter(ax, points[there], name, color=colour, **style)
    if (rows.predicted != rows.y).any():
        _scatter(ax, points[:0], "predicted wrong", color="none", edgecolor="black", linewidth=1.6)


def _draw_sides(ax: "Axes", plane: Plane | CurvedPlane, node: int, with_margin: bool) -> None:
    """Draw the region of one split in two shades, and its hyperplane."""
    if isinstance(plane, CurvedPlane):
        plane.draw_sides(ax, node, (_LEFT_SIDE, _RIGHT_SIDE), with_margin)
        return
    corners = dict(plane.pieces())[node]
    parts = sides(corners, plane.values(node, corners))
    for part, shade in zip(parts, (_LEFT_SIDE, _RIGHT_SIDE), strict=True):
        ax.fill(*part.T, color=shade, linewidth=0, zorder=0)
    _draw_split(ax, plane, node, corners, with_margin)


def _draw_fictitious(ax: "Axes", plane: Plane | CurvedPlane, rows: _RowsShown, node: int) -> None:
    """Draw the rows at one split in the colour of their side, and all other rows faintly."""
    points = rows.X[:, plane.features]
    elsewhere = ~rows.visits[:, node - 1]
    if elsewhere.any():
        _scatter(ax, points[elsewhere], "at other nodes", color=FAINT, alpha=0.35, linewidth=0)
    for child, face in ((topology.left(node), PAPER), (topology.right(node), "black")):
        there = rows.visits[:, child - 1]
        side = "right" if topology.is_right_child(child) else "left"
        _scatter(ax, points[there], f"goes {side}", color=face, edgecolor="black", linewidth=1.0)


def _scatter(ax: "Axes", points: FloatArray, label: str | None, **style: Any) -> None:
    x, y = points.T
    ax.scatter(x, y, s=_MARKER_AREA, label=label, zorder=3, **style)


def _finish(ax: "Axes", plane: Plane | CurvedPlane, names: NamedTree, node: int | None) -> None:
    """Set limits, names and title."""
    ax.set_xlim(*plane.box[[0, 1], 0])
    ax.set_ylim(*plane.box[[0, 3], 1])
    first, second = plane.features
    ax.set_xlabel(names.features[first])
    ax.set_ylabel(names.features[second])
    parts = [f"split at node {node}" if node is not None else "", plane.title]
    ax.set_title("; ".join(filter(None, parts)), size="medium", wrap=True)
    if len(ax.get_legend_handles_labels()[1]) > _MOST_INSIDE:
        ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0))
    else:
        ax.legend(framealpha=0.9)
