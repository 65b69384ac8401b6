"""The tree as rules to follow by hand."""

from collections.abc import Iterator, Sequence
from typing import Any

from margintree.core import topology
from margintree.show.export.named_tree import NamedTree, named
from margintree.show.export.wording import leaf_label, leaf_mix, question, question_lines

_WIDTH = 96


def export_text(
    model: Any,
    *,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[Any] | None = None,
) -> str:
    """Return the tree as rules with feature names and in original units.

    Every split compares a sum of features times coefficients with a threshold. The most influential
    feature comes first. Coefficients are rounded to as few digits as possible: for any row in the
    range of the training data the sum stays within 0.0005 of the exact sum, on the scale on which
    the margin ends at 1. Training rows keep at least the routing margin, by default 0.001, so they
    take the same path through the printed rules as through the tree.

    Parameters
    ----------
    model : TreeClassifier or ObliqueTree
        A fitted classifier, or its tree.
    feature_names : sequence of str, optional
        Names of the features; by default those seen in `fit`, or ``x0, x1, ...``.
    class_names : sequence, optional
        Names of the classes; by default those of the classifier, or ``0, 1, ...``.

    Returns
    -------
    str

    Examples
    --------
    >>> from margintree import ObliqueTree
    >>> tree = ObliqueTree.stump([2.0, -0.5], -1.0, leaf_classes=[0, 1], n_classes=2)
    >>> print(export_text(tree, feature_names=["height", "age"], class_names=["no", "yes"]))
    height * 2 - age * 0.5 >= 1 ?
    ├── yes: yes
    └── no: no
    """
    return "\n".join(_lines(named(model, feature_names, class_names), 1))


def _lines(model: NamedTree, node: int) -> list[str]:
    """Return the lines of the subtree below ``node``."""
    node = model.tree.first_stop(node)
    if node > len(model.tree.splits):
        mix = leaf_mix(model, node)
        return [leaf_label(model, node) + (f"  ({mix})" if mix else "")]
    asked = question(model.tree, node)
    no, yes = _lines(model, topology.left(node)), _lines(model, topology.right(node))
    if asked.is_turned:
        yes, no = no, yes
    lines = question_lines(model, asked, _WIDTH, indent="│     ")
    return [*lines, *_hung(yes, "├── yes: ", "│   "), *_hung(no, "└── no: ", "    ")]


def _hung(lines: list[str], first: str, rest: str) -> Iterator[str]:
    """Yield the lines with the branch of the drawing in front."""
    yield first + lines[0]
    for line in lines[1:]:
        yield rest + line
