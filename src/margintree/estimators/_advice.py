"""Warnings about trees that hardly anyone wants: too shallow, without a split, blind to a class."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from margintree._lib.arrays import AnyArray, FloatArray, IntArray
from margintree._lib.exceptions import PoorTreeWarning, ShallowTreeWarning
from margintree._lib.warn import warn_user
from margintree.core import topology
from margintree.core.problem import can_name_all_classes
from margintree.core.result import Reason, Result

MOST_NAMED = 5
"""Number of classes that a warning names."""


def warn_if_shallow(n_classes: int, depth: int) -> None:
    """Warn if a tree of this depth has fewer leaves than there are classes."""
    if not can_name_all_classes(n_classes, depth):
        needed = (n_classes - 1).bit_length()
        warn_user(
            f"A tree of depth {depth} has {topology.n_leaves(depth)} leaves and cannot name all "
            f"{n_classes} classes. Set max_depth={needed} or more if every class matters.",
            ShallowTreeWarning,
        )


def warn_if_poor(
    result: Result,
    codes: IntArray,
    weights: FloatArray,
    classes: AnyArray,
    params: Mapping[str, Any],
) -> None:
    """Warn if the fitted tree has no split, or if it never predicts some class.

    ``codes`` are positions in ``classes``, and ``params`` are the parameters of the classifier,
    with "candidates" if cross-validation chose some. A tree with fewer leaves than classes is left
    to `warn_if_shallow`.
    """
    mass = np.bincount(codes, weights, minlength=len(classes))
    tree = result.tree
    if np.count_nonzero(mass) < 2:
        return
    if not tree.n_splits:
        label = tree.leaf_classes[0]
        share = mass[label] / mass.sum()
        message = (
            f"The fitted tree has no split. It predicts {_text(classes[label])} for every row, "
            f"which is right for {share:.1%} of the training weight. {_remedy(result, params)}"
        )
    else:
        used = tree.leaf_classes[tree.leaf_mass.sum(axis=1) > 0]
        unused = np.setdiff1d(np.flatnonzero(mass), used)
        if not len(unused) or not can_name_all_classes(int(np.count_nonzero(mass)), tree.depth):
            return
        named = ", ".join(_text(classes[k]) for k in unused[:MOST_NAMED])
        more = f" and {len(unused) - MOST_NAMED} more" if len(unused) > MOST_NAMED else ""
        message = (
            f"The fitted tree never predicts {named}{more}, {mass[unused].sum() / mass.sum():.1%} "
            "of the training weight: a leaf for such rows costs more than their errors. If these "
            "classes matter, set class_weight='balanced'."
        )
    warn_user(message, PoorTreeWarning)


def _text(label: Any) -> str:
    return repr(label.item() if hasattr(label, "item") else label)


def _remedy(result: Result, params: Mapping[str, Any]) -> str:
    """Return why a tree has no split, and what to do about it."""
    if params.get("max_splits") == 0:
        return "max_splits=0 allows no other tree. Raise it."
    if result.limit is not None:
        return f"The {result.limit} limit ended the search before it found a better tree. Raise it."
    if result.reason is Reason.INTERRUPTED:
        return "The search was interrupted before it found a better tree."
    costs = [f"{name}={params[name]:g}" for name in ("c1", "c2", "c3", "alpha") if name in params]
    at = f" at {', '.join(costs)}" if costs else ""
    found = "It is proved that every split" if result.is_optimal else "Every split that was found"
    text = f"{found} costs more than it saves{at}."
    if params.get("min_samples_leaf"):
        text += f" Lower min_samples_leaf={params['min_samples_leaf']:g}, which limits the splits."
    if "candidates" in params:
        text += (
            " No other candidate of the choice was better: the features or the rows say too little."
        )
    elif {"c1", "c2"} <= {*params}:
        text += " Raise c1, or lower c2 or c3, or let MOCTSVMClassifierCV choose them."
    return text
