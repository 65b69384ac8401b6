"""Questions and leaves in words."""

import textwrap

import numpy as np

from margintree.show.export.named_tree import NamedTree
from margintree.show.export.rounded_splits import Question


def question_lines(model: NamedTree, asked: Question, width: int, indent: str = "") -> list[str]:
    """Return a question in lines of this width that break between its terms only.

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
    """Tell whether a question asks no more than whether a condition holds."""
    is_single = len(asked.terms) == 1 and asked.terms[0][0] in model.conditions
    return is_single and asked.terms[0][1] == "1" and 0 < float(asked.threshold) <= 1


def leaf_label(model: NamedTree, leaf: int) -> str:
    """Return the name of the class that a leaf, by its node number, predicts."""
    return model.classes[int(model.tree.leaf_classes[leaf - len(model.tree.leaf_classes)])]


def leaf_mix(model: NamedTree, leaf: int) -> str:
    """Return the shares of the classes in a leaf, the largest first; nothing if none is known."""
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
