"""The tree as rules to follow by hand."""

from collections.abc import Sequence
from typing import Any

from margintree._lib.exceptions import InvalidInputError
from margintree.core import topology
from margintree.show.export.named_tree import NamedTree, named
from margintree.show.export.wording import (
    leaf_label,
    leaf_mix,
    question,
    question_parts,
    wrapped,
)


def export_text(
    model: Any,
    *,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[Any] | None = None,
    width: int = 100,
    max_terms: int | None = None,
) -> str:
    """Return the tree as rules with feature names and in original units.

    Every node has its number in brackets, as in pictures and reports: the root is 1, "no" leads
    from t to 2t and "yes" to 2t + 1. "yes" means that the value of the split (`split_values`) is at
    least 0. A split compares a sum of features times coefficients with a threshold. The most
    influential feature comes first. Coefficients are rounded to as few digits as possible: for any
    row in the range of the training data the sum stays within 0.0005 of the exact sum, on the scale
    on which the margin ends at 1. Training rows keep at least the routing margin, by default 0.001,
    so they take the same path through the printed rules as through the tree. A split whose weights
    are whole points, as ``points`` and ``rounding`` make them, is printed with exactly these.

    Parameters
    ----------
    model : TreeClassifier or ObliqueTree
        A fitted classifier, or its tree.
    feature_names : sequence of str, optional
        Names of the features; by default those seen in `fit`, or ``x0, x1, ...``.
    class_names : sequence, optional
        Names of the classes; by default those of the classifier, or ``0, 1, ...``.
    width : int, default=100
        Width of the lines. Terms are never broken, so a long name can make a line longer.
    max_terms : int, optional
        Largest number of terms that are written in a split; by default all. Of the others you read
        how many there are, and what they add at least and at most in the range of the training
        rows.

    Returns
    -------
    str

    Examples
    --------
    >>> from margintree import ObliqueTree
    >>> tree = ObliqueTree.stump([2.0, -0.5], -1.0, leaf_classes=[0, 1], n_classes=2)
    >>> print(export_text(tree, feature_names=["height", "age"], class_names=["no", "yes"]))
    [1] height * 2 - age * 0.5 >= 1 ?
    ├── yes: [3] yes
    └── no: [2] no
    """
    if max_terms is not None and max_terms < 1:
        raise InvalidInputError(
            f"max_terms must be at least 1, or None for all terms; {max_terms!r} was given. "
            "Correct it or leave it out."
        )
    return "\n".join(_lines(named(model, feature_names, class_names), 1, width, max_terms))


def _lines(
    model: NamedTree,
    node: int,
    width: int,
    max_terms: int | None,
    first: str = "",
    rest: str = "",
) -> list[str]:
    """Return the lines of the subtree below ``node``; ``rest`` begins all but the first."""
    node = model.tree.first_stop(node)
    first = f"{first}[{node}] "
    if node > len(model.tree.splits):
        label, mix = leaf_label(model, node), leaf_mix(model, node)
        parts = [f"{label} ", *mix] if mix else [label]
        return wrapped(parts, width, first, f"{rest}      ")
    asked = question_parts(model, question(model.tree, node), max_terms)
    no, yes = topology.left(node), topology.right(node)
    return [
        *wrapped(asked, width, first, f"{rest}│     "),
        *_lines(model, yes, width, max_terms, f"{rest}├── yes: ", f"{rest}│   "),
        *_lines(model, no, width, max_terms, f"{rest}└── no: ", f"{rest}    "),
    ]
