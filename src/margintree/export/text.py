"""The tree as rules that a person can follow by hand."""

import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from margintree import topology
from margintree._typing import FloatArray
from margintree.export.names import NamedTree, named
from margintree.export.questions import Question, question

_WIDTH = 96


def export_text(
    model: Any,
    *,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[Any] | None = None,
) -> str:
    """Return the tree as rules with feature names and in original units.

    Every split is a sum of features times coefficients, compared with a threshold; the most
    influential feature comes first. Each coefficient has as few digits as keep the sum, for any row
    within the range of the training data, within 0.0005 of the exact one (on the scale on which the
    margin ends at 1). Training rows keep at least the routing margin, by default 0.001, so they
    take the same way through the printed rules as through the tree.

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
    return "\n".join(_Printer(named(model, feature_names, class_names)).lines(1))


class _Printer:
    """Writes a tree node by node."""

    def __init__(self, model: NamedTree) -> None:
        self.tree = model.tree
        self.features = model.features
        self.classes = model.classes

    def lines(self, node: int) -> list[str]:
        """Return the lines of the subtree below ``node``."""
        node = self.tree.first_stop(node)
        if node > len(self.tree.splits):
            return [self.leaf(node - len(self.tree.leaf_classes))]
        asked = question(self.tree, node)
        no, yes = self.lines(topology.left(node)), self.lines(topology.right(node))
        if asked.is_turned:
            yes, no = no, yes
        lines = _wrapped(self.parts(asked))
        return [*lines, *_hung(yes, "├── yes: ", "│   "), *_hung(no, "└── no: ", "    ")]

    def parts(self, asked: Question) -> list[str]:
        """Return the parts of a question, such as ``a * 2``, ``- b * 0.5`` and ``>= 1 ?``."""
        terms = [_term(number, self.features[j]) for j, number in asked.terms]
        return [*terms, f">= {asked.threshold} ?"]

    def leaf(self, index: int) -> str:
        """Return the class of a leaf and, where training rows are known, their class shares."""
        label = self.classes[self.tree.leaf_classes[index]]
        mass = self.tree.leaf_mass[index]
        return f"{label}  ({self.shares(mass)})" if mass.any() else label

    def shares(self, mass: FloatArray) -> str:
        """Return class shares, the largest first."""
        order = [k for k in np.argsort(-mass, kind="stable") if mass[k] > 0]
        shares = ", ".join(f"{self.classes[k]} {mass[k] / mass.sum():.0%}" for k in order)
        return f"{shares} of {mass.sum():.6g}"


def _hung(lines: list[str], first: str, rest: str) -> Iterator[str]:
    """Yield the lines below a branch of the drawing."""
    yield first + lines[0]
    for line in lines[1:]:
        yield rest + line


def _wrapped(parts: list[str]) -> list[str]:
    """Return the parts as lines that break between parts only."""
    # No name has a zero character in it, and a line never breaks at one.
    text = " ".join(part.replace(" ", "\0") for part in parts).removeprefix("+\0")
    lines = textwrap.wrap(
        text, _WIDTH, subsequent_indent="│     ", break_long_words=False, break_on_hyphens=False
    )
    return [line.replace("\0", " ") for line in lines]


def _term(number: str, name: str) -> str:
    """Return ``- b * 0.5`` for "-0.5" and "b"."""
    sign, size = ("-", number[1:]) if number.startswith("-") else ("+", number)
    return f"{sign} {name} * {size}"
