"""Splits and leaves in words, with enough digits to keep the path of every training row."""

import textwrap
from dataclasses import dataclass

import numpy as np

from margintree.core.tree import ObliqueTree
from margintree.show.export.named_tree import NamedTree

TOLERANCE = 5e-4
"""Largest change of a split's value by rounding, anywhere in the box of the training rows.

It is half the default routing margin, so rounding does not change the path of a training row.
"""


@dataclass(frozen=True)
class Question:
    """The question whether a sum of features times coefficients reaches a threshold.

    Attributes
    ----------
    terms : tuple of (int, str)
        Features and coefficients, the most influential first, without coefficients rounded to 0.
    threshold : str
        The threshold.
    is_turned : bool
        Whether "yes" leads to the left child. A question is turned round if this makes its first
        coefficient positive, so that a split and its mirror image ask the same question. Only a row
        exactly on the hyperplane would answer differently, and rounding moves that anyway.
    """

    terms: tuple[tuple[int, str], ...]
    threshold: str
    is_turned: bool


def question(tree: ObliqueTree, node: int) -> Question:
    """Return the question of a splitting node.

    Examples
    --------
    >>> tree = ObliqueTree.stump([0.5, -2.0], 1.0, leaf_classes=[0, 1], n_classes=2)
    >>> question(tree, 1)
    Question(terms=((1, '2'), (0, '-0.5')), threshold='1', is_turned=True)
    """
    index = node - 1
    raw = tree.in_original_units()
    order = np.argsort(-np.abs(tree.weights[index]), kind="stable")
    sign = -1 if tree.weights[index, order[0]] < 0 else 1
    first, last = tree.scaling.minimum, tree.scaling.minimum + tree.scaling.span
    reach = np.maximum(np.maximum(np.abs(first), np.abs(last)), np.finfo(float).tiny)
    tolerance = TOLERANCE / (1 + len(order))
    weights, intercept = sign * raw.weights[index], sign * raw.intercepts[index]
    rounded = [(int(j), _rounded(weights[j], tolerance / reach[j])) for j in order]
    terms = tuple((j, number) for j, number in rounded if number != "0")
    if terms and np.count_nonzero(weights) == 1:
        # A single feature needs no coefficient: it is compared with the threshold directly.
        (feature, _), unit = terms[0], weights.max()
        return Question(((feature, "1"),), _rounded(-intercept / unit, tolerance / unit), sign < 0)
    return Question(terms, _rounded(-intercept, tolerance), sign < 0)


def _rounded(value: float, tolerance: float) -> str:
    """Return the number with the fewest significant digits that keep it within the tolerance."""
    if abs(value) <= tolerance:
        return "0"
    texts = (f"{value:.{digits}g}" for digits in range(1, 17))
    close = (text for text in texts if abs(float(text) - value) <= tolerance)
    return next(close, repr(float(value)))


def question_lines(model: NamedTree, asked: Question, width: int, indent: str = "") -> list[str]:
    """Return a question in lines of this width, broken only between its terms.

    Examples
    --------
    >>> from margintree import ObliqueTree
    >>> tree = ObliqueTree.stump([2.0, -0.5], -1.0, leaf_classes=[0, 1], n_classes=2)
    >>> model = NamedTree(tree, ("height", "age"), ("no", "yes"))
    >>> question_lines(model, Question(((0, "2"), (1, "-0.5")), "1", is_turned=False), width=16)
    ['height * 2', '- age * 0.5', '>= 1 ?']
    """
    if asks_condition(model, asked):
        parts = [model.features[asked.terms[0][0]], "?"]
    else:
        terms = [
            _term(number, model.features[j], j in model.conditions) for j, number in asked.terms
        ]
        parts = [*(terms or ["0"]), f">= {asked.threshold} ?"]
    # No name has a zero character in it, and a line never breaks at one.
    text = " ".join(part.replace(" ", "\0") for part in parts).removeprefix("+\0")
    lines = textwrap.wrap(
        text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return [line.replace("\0", " ") for line in lines]


def asks_condition(model: NamedTree, asked: Question) -> bool:
    """Tell whether a question only asks whether a condition holds."""
    is_single = len(asked.terms) == 1 and asked.terms[0][0] in model.conditions
    return is_single and asked.terms[0][1] == "1" and 0 < float(asked.threshold) <= 1


def leaf_label(model: NamedTree, leaf: int) -> str:
    """Return the name of the class that a leaf, by its node number, predicts."""
    return model.classes[int(model.tree.leaf_classes[leaf - len(model.tree.leaf_classes)])]


def leaf_mix(model: NamedTree, leaf: int) -> str:
    """Return the shares of the classes in a leaf, the largest first; "" if none is known."""
    mass = model.tree.leaf_mass[leaf - len(model.tree.leaf_classes)]
    order = [k for k in np.argsort(-mass, kind="stable") if mass[k] > 0]
    shares = ", ".join(f"{model.classes[k]} {mass[k] / mass.sum():.0%}" for k in order)
    return f"{shares} of {mass.sum():.6g}" if order else ""


def _term(number: str, name: str, is_condition: bool) -> str:
    """Return ``- b * 0.5`` for "-0.5" and "b", ``- b`` for "-1"; of a condition ``- 0.5 if b``."""
    sign, size = ("-", number[1:]) if number.startswith("-") else ("+", number)
    if is_condition:
        return f"{sign} {size} if {name}"
    return f"{sign} {name}" if size == "1" else f"{sign} {name} * {size}"
