"""The content of a report as plain data for the page.

``fit`` describes the fit: cost by term, bound, gap, the reason why it stopped, and trace. A number
that is not finite is None. ``evaluation`` describes all rows::

    n_rows      the number of rows
    remark      what readers should know about the rows, or ""
    confusion   the number of rows by class (first index) and predicted class (second index)
    arrivals    by node, the number of rows of each class that arrive there
    histograms  by splitting node, `histogram` of f over the rows that arrive there
    rows        the rows to choose from: numbers from 0, values (None if missing) and class codes

``path`` describes the trees of a path, in the order of the slider::

    shown       the index of the tree that is shown first, the one that the page describes
    trees       by tree, its name, score and standard error on rows left out, its numbers of splits,
                coefficients and features, and, unless it is shown first, the entries tree, asked,
                units, shares, fit and evaluation without rows
"""

from collections.abc import Sequence
from math import isfinite, isnan
from typing import Any

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray
from margintree.core import topology
from margintree.core.tree import ObliqueTree
from margintree.show.export.named_tree import (
    NamedTree,
    encoding_of,
    has_margins,
    named,
    norm_of,
    tree_of,
)
from margintree.show.export.wording import question
from margintree.show.page import embedded
from margintree.show.report._stop import Stop

_MAX_BINS = 40
_REACH = 1.5
"""Least reach of a histogram on both sides; the margin, which ends at 1, is inside."""
LEARNT_FROM = "These seem to be the training rows. The tree will be less accurate on others."
"""Said of rows that the tree was probably learnt from."""


def histogram(values: FloatArray, codes: IntArray) -> dict[str, Any]:
    """Return a histogram of the values of a split on the rows that arrive there, by class.

    ``first`` is the left edge of the first bin, ``width`` the width of all bins, and ``counts`` a
    list of pairs of a class code and its counts, bin by bin.

    Examples
    --------
    >>> import numpy as np
    >>> histogram(np.array([-1.1, 0.1, 0.2]), np.array([0, 1, 1]))["counts"][1][1][:9]
    [0, 0, 0, 0, 0, 0, 0, 0, 0]
    """
    least, most = values.min(initial=-_REACH), values.max(initial=_REACH)
    width = _bin_width(most - least)
    first = int(np.floor(least / width))
    n_bins = int(np.floor(most / width)) - first + 1
    bins = np.floor(values / width).astype(int) - first
    counts = [
        [int(code), np.bincount(bins[codes == code], minlength=n_bins).tolist()]
        for code in np.unique(codes)
    ]
    return {"first": first * width, "width": width, "counts": counts}


def _bin_width(reach: float) -> float:
    """Return a round width with which there are not too many bins.

    Examples
    --------
    >>> _bin_width(3.0), _bin_width(30.0), _bin_width(3000.0)
    (0.1, 1.0, 100.0)
    """
    rough = reach / (_MAX_BINS - 2)
    power = 10.0 ** np.floor(np.log10(rough))
    return float(next(power * step for step in (1, 2, 5, 10) if power * step >= rough))


MAX_CHARACTERS = 1_800_000
"""Largest length of a page's data; the page offers fewer rows to choose from if need be."""

_LEAST_ROWS = 100


def model_entries(model: Any, feature_names: Sequence[str] | None = None) -> dict[str, Any]:
    """Return the entries about a fitted classifier that need no rows."""
    known = named(model, feature_names)
    encoding = encoding_of(model)
    return {
        "columns": None if encoding is None else encoding.to_dict()["columns"],
        "conditions": sorted(known.conditions),
        "features": list(known.features),
        "classes": list(known.classes),
        "margins": has_margins(model),
        **_tree_entries(model, known),
    }


def _tree_entries(model: Any, known: NamedTree) -> dict[str, Any]:
    """Return the entries in which the trees of a path differ."""
    tree = tree_of(model)
    return {
        "tree": tree.to_dict(),
        "asked": known.tree.to_dict() if tree.scaling.has_products else None,
        "units": _units(known.tree),
        "shares": known.tree.leaf_shares(model.smoothing).tolist(),
        "fit": _fit_entry(model),
    }


def _units(tree: ObliqueTree) -> list[float]:
    """Return how much the sum of each split grows when its value grows by 1; 1 for an idle node."""
    return [question(tree, t).unit if on else 1.0 for t, on in enumerate(tree.splits, 1)]


def _fit_entry(model: Any) -> dict[str, Any]:
    result = model.result_
    return {
        "cost": dict(model.cost_.terms),
        "norm": norm_of(model),
        "total": _finite(model.cost_.total),
        "bound": _finite(result.bound),
        "gap": _finite(result.gap),
        "optimal": result.is_optimal,
        "ended": result.ended,
        "by": f"{result.solver} {result.version}".strip(),
        "seconds": _finite(result.seconds),
        "trace": [[_finite(value) for value in point] for point in result.trace],
    }


def _finite(value: float) -> float | None:
    """Return the number, or None for an infinite number, which JSON cannot hold."""
    return value if isfinite(value) else None


def with_evaluation(
    model: Any,
    content: dict[str, Any],
    X: FloatArray,
    y: Sequence[Any],
    stops: Sequence[Stop] = (),
) -> dict[str, Any]:
    """Return the content of a page with the entries about rows and about the trees of a path."""
    classes, codes = _coded(model.classes_.tolist(), content["classes"], y)
    evaluation = _evaluation(model, X, codes, len(classes))
    whole = np.flatnonzero((np.isnan(X) | (np.round(X) == X)).all(axis=0))
    content = content | {"classes": classes, "whole": whole.tolist(), "evaluation": evaluation}
    if stops:
        shown = next(k for k, stop in enumerate(stops) if stop.model.result_ is model.result_)
        trees = [_stop_entry(stop) for stop in stops]
        for k, stop in enumerate(stops):
            if k != shown:
                trees[k] |= _tree_entries(stop.model, named(stop.model))
                trees[k]["evaluation"] = _evaluation(stop.model, X, codes, len(classes))
        content["path"] = {"shown": shown, "trees": trees}
    room = MAX_CHARACTERS - len(embedded(content))
    evaluation["rows"] = _rows_to_choose_from(X, codes, room)
    return content


def _stop_entry(stop: Stop) -> dict[str, Any]:
    """Return what the slider says of a tree."""
    tree: ObliqueTree = stop.model.tree_
    return {
        "name": stop.name,
        "score": _finite(stop.score),
        "error": _finite(stop.error),
        "splits": tree.n_splits,
        "coefficients": tree.n_coefficients,
        "features": int(np.count_nonzero(tree.influences())),
    }


def _evaluation(model: Any, X: FloatArray, codes: IntArray, n_classes: int) -> dict[str, Any]:
    """Return what the tree of a model does with rows."""
    tree: ObliqueTree = model.tree_
    scaled = _scaled(model, X)
    leaves = tree.apply(scaled)
    called = tree.leaf_classes[leaves - len(tree.leaf_classes)]
    confusion = np.zeros((n_classes, n_classes), dtype=int)
    np.add.at(confusion, (codes, called), 1)
    return {
        "n_rows": len(X),
        "confusion": confusion.tolist(),
        "remark": LEARNT_FROM if _look_learnt_from(tree, leaves, codes) else "",
        **_counts_by_node(tree, scaled, leaves, codes, n_classes),
    }


def remark_on(model: Any, X: FloatArray, y: Sequence[Any]) -> str:
    """Return what one should know about rows before one trusts the accuracy on them, or ""."""
    _, codes = _coded(model.classes_.tolist(), named(model).classes, y)
    leaves = model.tree_.apply(_scaled(model, X))
    return LEARNT_FROM if _look_learnt_from(model.tree_, leaves, codes) else ""


def _scaled(model: Any, X: FloatArray) -> FloatArray:
    """Return the rows, or the values of a table, in the space of the hyperplanes."""
    encoding = encoding_of(model)
    features = X if encoding is None else encoding.encoded(X)
    return np.asarray(model.tree_.scaling.apply(features))


def _look_learnt_from(tree: ObliqueTree, leaves: IntArray, codes: IntArray) -> bool:
    """Tell whether rows could be the training rows: as many in every leaf and class.

    A model does not keep its rows, so this is all that can be told.
    """
    n_leaves, n_classes = tree.leaf_mass.shape
    if len(codes) == 0 or codes.max() >= n_classes:
        return False
    counts = np.zeros((n_leaves, n_classes))
    np.add.at(counts, (leaves - n_leaves, codes), 1)
    return np.allclose(counts, tree.leaf_mass)


def _counts_by_node(
    tree: ObliqueTree, scaled: FloatArray, leaves: IntArray, codes: IntArray, n_classes: int
) -> dict[str, dict[int, Any]]:
    """Return the counts of rows at every node, and the histogram of every split."""
    arrivals, histograms = {}, {}
    waiting = [(1, np.arange(len(leaves)))]
    while waiting:
        node, rows = waiting.pop()
        node = tree.first_stop(node)
        arrivals[node] = np.bincount(codes[rows], minlength=n_classes).tolist()
        if node <= len(tree.splits):
            values = scaled[rows] @ tree.weights[node - 1] + tree.intercepts[node - 1]
            histograms[node] = histogram(values, codes[rows])
            height = tree.depth - topology.depth_of(node) - 1
            is_right = (leaves[rows] >> height) % 2 == 1
            waiting.append((topology.right(node), rows[is_right]))
            waiting.append((topology.left(node), rows[~is_right]))
    return {"arrivals": arrivals, "histograms": histograms}


def _coded(
    labels: Sequence[Any], names: Sequence[str], y: Sequence[Any]
) -> tuple[list[str], IntArray]:
    """Return the names of all classes and the code of every label in ``y``.

    Labels are looked up as they are, then by their text, since a table without text labels holds
    integers even if the model knows text. Labels unknown to the model come last.
    """
    code_of = {str(label): code for code, label in enumerate(labels)}
    code_of |= {label: code for code, label in enumerate(labels)}
    all_names = list(names)
    codes = np.empty(len(y), dtype=np.int64)
    for i, label in enumerate(y):
        code = code_of.get(label, code_of.get(str(label)))
        if code is None:
            code = code_of[str(label)] = len(all_names)
            all_names.append(str(label))
        codes[i] = code
    return all_names, codes


def _rows_to_choose_from(X: FloatArray, codes: IntArray, room: int) -> dict[str, Any]:
    """Return all rows, or evenly spaced rows if all need more than ``room`` characters."""
    numbers = np.arange(len(X))
    sample = numbers[:: max(1, len(X) // _LEAST_ROWS)]
    length = len(embedded(_short(X[sample]))) / len(sample) + 10
    n_kept = min(len(X), max(_LEAST_ROWS, int(room / length)))
    kept = numbers[np.arange(n_kept) * len(X) // n_kept]
    return {"numbers": kept.tolist(), "values": _short(X[kept]), "labels": codes[kept].tolist()}


def _short(X: FloatArray) -> list[list[float | None]]:
    """Return the rows as lists, with the shorter integers in place of whole numbers."""
    return [[_short_value(value) for value in row] for row in X.tolist()]


def _short_value(value: float) -> float | None:
    if isnan(value):
        return None
    return int(value) if value.is_integer() and abs(value) < 1e15 else value
