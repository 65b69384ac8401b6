"""The tree as rules that a person can follow by hand."""

import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from margintree import topology
from margintree._typing import FloatArray
from margintree.exceptions import InvalidInputError
from margintree.tree import ObliqueTree

TOLERANCE = 5e-4
"""How far rounding may move the value of a split anywhere in the box of the training rows.

Half the default routing margin: on training rows the rounded rules route as the tree does.
"""
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
    if not isinstance(model, ObliqueTree):
        check_is_fitted(model)
        feature_names = _first_given(feature_names, getattr(model, "feature_names_in_", None))
        class_names = _first_given(class_names, model.classes_)
        model = model.tree_
    features = _first_given(feature_names, [f"x{j}" for j in range(model.n_features)])
    classes = _first_given(class_names, range(model.n_classes))
    _check_count("feature_names", len(features), model.n_features)
    _check_count("class_names", len(classes), model.n_classes)
    printer = _Printer(model, [_printable(f) for f in features], [_printable(c) for c in classes])
    return "\n".join(printer.lines(1))


class _Printer:
    """Writes a tree node by node."""

    def __init__(self, tree: ObliqueTree, features: list[str], classes: list[str]) -> None:
        self.tree = tree
        self.raw = tree.in_original_units()
        self.features = features
        self.classes = classes
        first, last = tree.scaling.minimum, tree.scaling.minimum + tree.scaling.span
        self.reach = np.maximum(np.maximum(np.abs(first), np.abs(last)), np.finfo(float).tiny)

    def lines(self, node: int) -> list[str]:
        """Return the lines of the subtree below ``node``."""
        while node <= len(self.tree.splits) and not self.tree.splits[node - 1]:
            node = topology.left(node)
        if node > len(self.tree.splits):
            return [self.leaf(node - len(self.tree.leaf_classes))]
        is_turned = self.is_turned(node - 1)
        question = _wrapped(self.split(node - 1, is_turned))
        no, yes = self.lines(topology.left(node)), self.lines(topology.right(node))
        if is_turned:
            yes, no = no, yes
        return [*question, *_hung(yes, "├── yes: ", "│   "), *_hung(no, "└── no: ", "    ")]

    def is_turned(self, index: int) -> bool:
        """Tell whether to turn the question round, so that its first coefficient is positive.

        A split and its mirror image, with sides swapped, ask the same question then. Only a row
        exactly on the hyperplane would answer differently, and rounding moves that anyway.
        """
        return bool(self.tree.weights[index, np.argmax(np.abs(self.tree.weights[index]))] < 0)

    def split(self, index: int, is_turned: bool) -> list[str]:
        """Return the parts of the question, such as ``a * 2``, ``- b * 0.5`` and ``>= 1 ?``."""
        order = np.argsort(-np.abs(self.tree.weights[index]), kind="stable")
        sign = -1 if is_turned else 1
        tolerance = TOLERANCE / (1 + len(order))
        terms = [
            (_rounded(sign * self.raw.weights[index, j], tolerance / self.reach[j]), j)
            for j in order
        ]
        parts = [_term(number, self.features[j]) for number, j in terms if number != "0"]
        threshold = _rounded(-sign * self.raw.intercepts[index], tolerance)
        return [*parts, f">= {threshold} ?"]

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


def _rounded(value: float, tolerance: float) -> str:
    """Return the number with as few significant digits as keep it within the tolerance."""
    if abs(value) <= tolerance:
        return "0"
    texts = (f"{value:.{digits}g}" for digits in range(1, 17))
    return next((text for text in texts if abs(float(text) - value) <= tolerance), repr(value))


def _printable(name: Any) -> str:
    """Return the name on one line and without control characters."""
    return "".join(letter if letter.isprintable() else "?" for letter in str(name))


def _first_given(*choices: Any) -> Any:
    return next(choice for choice in choices if choice is not None)


def _check_count(what: str, given: int, needed: int) -> None:
    if given != needed:
        raise InvalidInputError(f"{what} must have {needed} entries; {given} were given.")
