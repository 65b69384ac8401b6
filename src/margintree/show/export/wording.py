"""Splits and leaves in words, with enough digits to keep the path of every training row."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from margintree.core.tree import ObliqueTree
from margintree.show.export.named_tree import NamedTree

TOLERANCE = 5e-4
"""Largest change of a split's value by rounding, anywhere in the box of the training rows.

It is half the default routing margin, so rounding does not change the path of a training row.
"""

MOST_POINTS, MOST_DECIMALS, EXACT = 1000, 6, 1e-8
"""Largest number of points and of decimals of a threshold in round numbers, and the share by which
they may differ from these because of rounding errors."""
_TINY = np.finfo(float).tiny


@dataclass(frozen=True)
class Question:
    """The question whether a sum of features times coefficients reaches a threshold.

    Attributes
    ----------
    terms : tuple of (int, str)
        Features and coefficients, the most influential first, without coefficients rounded to 0.
    threshold : str
        The threshold.
    relation : str
        ``">="``, or ``"<="`` if a single feature with a negative weight is compared directly. "yes"
        always leads to the right child, whose rows have a split value of at least 0.
    unit : float
        How much the sum grows when the value of the split grows by 1. It is 1 unless the split has
        round numbers or compares a single feature.
    """

    terms: tuple[tuple[int, str], ...]
    threshold: str
    relation: str = ">="
    unit: float = 1.0


def question(tree: ObliqueTree, node: int) -> Question:
    """Return the question of a splitting node.

    A split in round numbers, as ``points`` and ``rounding`` make them, is written with them.

    Examples
    --------
    >>> tree = ObliqueTree.stump([-0.5, 2.0], -1.0, leaf_classes=[0, 1], n_classes=2)
    >>> question(tree, 1)
    Question(terms=((1, '2'), (0, '-0.5')), threshold='1', relation='>=', unit=1.0)
    """
    index = node - 1
    raw = tree.in_original_units()
    order = tree.by_influence(node)
    first, last = tree.scaling.minimum, tree.scaling.minimum + tree.scaling.span
    reach = np.maximum(np.maximum(np.abs(first), np.abs(last)), np.finfo(float).tiny)
    tolerance = TOLERANCE / (1 + len(order))
    weights, intercept = raw.weights[index], raw.intercepts[index]
    rounded = [(int(j), _rounded(weights[j], tolerance / reach[j])) for j in order]
    terms = tuple((j, number) for j, number in rounded if number != "0")
    if len(terms) == 1:
        # A single feature needs no coefficient: it is compared with the threshold directly.
        (feature, _), unit = terms[0], weights[terms[0][0]]
        threshold = _rounded(-intercept / unit, tolerance / abs(unit))
        return Question(((feature, "1"),), threshold, ">=" if unit > 0 else "<=", 1 / unit)
    is_exact = all(float(number) == weights[j] for j, number in terms)
    scale = None if is_exact else point_value(tree, node)
    if scale is not None:
        counts = [(int(j), _short(weights[j] / scale)) for j in order if weights[j]]
        threshold = _short(round(-intercept / scale, MOST_DECIMALS))
        return Question(tuple(counts), threshold, unit=1 / scale)
    return Question(terms, _rounded(-intercept, tolerance))


def point_value(tree: ObliqueTree, node: int) -> float | None:
    """Return by how much a point changes the value of a split in round numbers; None for others.

    A split has round numbers if its weights are whole multiples of one value per unit of their
    features (`Space.units`), and its threshold is such a multiple with few decimals.

    Examples
    --------
    >>> tree = ObliqueTree.stump([0.6, -0.4], -0.32, leaf_classes=[0, 1], n_classes=2)
    >>> round(point_value(tree, 1), 9)
    0.2
    """
    used = np.flatnonzero(tree.weights[node - 1])
    scaling = tree.scaling
    sizes = tree.weights[node - 1, used] / scaling.span[used] * scaling.units[used]
    largest = float(np.abs(sizes).max(initial=0.0))
    multiples = np.outer(np.arange(1, MOST_POINTS + 1), sizes / max(largest, _TINY))
    is_whole = (np.abs(multiples - np.round(multiples)) < EXACT).all(axis=1)
    if len(used) < 2 or not is_whole.any():
        return None
    value = largest / (1 + int(is_whole.argmax()))
    threshold = float(tree.in_original_units().intercepts[node - 1]) / value
    is_short = abs(threshold - round(threshold, MOST_DECIMALS)) < EXACT * max(1.0, abs(threshold))
    return value if is_short else None


def _short(number: float) -> str:
    """Return a number that is a short decimal but for rounding errors."""
    return np.format_float_positional(float(f"{number:.12g}") + 0.0, trim="-")


def _rounded(value: float, tolerance: float) -> str:
    """Return the number with the fewest significant digits that keep it within the tolerance."""
    if abs(value) <= tolerance:
        return "0"
    texts = (f"{value:.{digits}g}" for digits in range(1, 17))
    close = (text for text in texts if abs(float(text) - value) <= tolerance)
    return next(close, repr(float(value)))


def question_parts(model: NamedTree, asked: Question, max_terms: int | None = None) -> list[str]:
    """Return a question in parts: its terms, and the comparison.

    Of more than ``max_terms`` terms the most influential ones are written, and what the others add
    at least and at most for rows in the range of the training rows.

    Examples
    --------
    >>> from margintree import ObliqueTree
    >>> tree = ObliqueTree.stump([2.0, -0.5], -1.0, leaf_classes=[0, 1], n_classes=2)
    >>> model = NamedTree(tree, ("height", "age"), ("no", "yes"))
    >>> question_parts(model, question(tree, 1))
    ['height * 2', '- age * 0.5', '>= 1 ?']
    >>> question_parts(model, question(tree, 1), max_terms=1)
    ['height * 2', '+ 1 more that adds -0.5 to 0', '>= 1 ?']
    """
    if asks_condition(model, asked):
        return [model.features[asked.terms[0][0]], "?"]
    written = asked.terms[:max_terms]
    terms = [_term(number, model.features[j], j in model.conditions) for j, number in written]
    if len(written) < len(asked.terms):
        low, high = _outwards(*reach_of(model.tree, asked.terms[max_terms:]))
        n_more = len(asked.terms) - len(written)
        verb = "adds" if n_more == 1 else "add"
        terms.append(f"+ {n_more} more that {verb} {low} to {high}")
    comparison = f"{asked.relation} {asked.threshold} ?"
    return [terms[0].removeprefix("+ "), *terms[1:], comparison] if terms else ["0", comparison]


def _outwards(low: float, high: float) -> tuple[str, str]:
    """Return the ends of a range, rounded outwards by at most a tenth of its length.

    Examples
    --------
    >>> _outwards(-1103.77, -1071.5), _outwards(-0.5, 0.0)
    (('-1104', '-1071'), ('-0.5', '0'))
    """
    step = 10.0 ** (np.floor(np.log10(max(high - low, np.finfo(float).tiny))) - 1)
    slack = 1e-9  # ends that are multiples of the step but for rounding stay as they are
    ends = np.floor(low / step + slack) * step, np.ceil(high / step - slack) * step
    return _short(ends[0]), _short(ends[1])


def reach_of(tree: ObliqueTree, terms: Sequence[tuple[int, str]]) -> tuple[float, float]:
    """Return the least and the largest sum of terms for rows in the range of the training rows.

    Examples
    --------
    >>> tree = ObliqueTree.stump([2.0, -0.5], -1.0, leaf_classes=[0, 1], n_classes=2)
    >>> reach_of(tree, [(0, "2"), (1, "-0.5")])
    (-0.5, 2.0)
    """
    features = [j for j, _ in terms]
    numbers = np.array([float(number) for _, number in terms])
    first = tree.scaling.minimum[features]
    ends = np.stack([numbers * first, numbers * (first + tree.scaling.span[features])])
    return float(ends.min(axis=0).sum() + 0.0), float(ends.max(axis=0).sum() + 0.0)


def wrapped(parts: Sequence[str], width: int, first: str = "", rest: str = "") -> list[str]:
    """Return lines of at most this width, broken only between parts.

    ``first`` begins the first line and ``rest`` the others. A part that is wider than a line stays
    whole.

    Examples
    --------
    >>> wrapped(["height * 2", "- age * 0.5", ">= 1 ?"], width=24, first="[1] ", rest="    ")
    ['[1] height * 2', '    - age * 0.5 >= 1 ?']
    """
    lines = [first + parts[0]]
    for part in parts[1:]:
        if len(lines[-1]) + 1 + len(part) <= width:
            lines[-1] += f" {part}"
        else:
            lines.append(rest + part)
    return [line.rstrip(" ") for line in lines]


def asks_condition(model: NamedTree, asked: Question) -> bool:
    """Tell whether a question only asks whether a condition holds."""
    is_single = len(asked.terms) == 1 and asked.terms[0][0] in model.conditions
    is_plain = is_single and (asked.terms[0][1], asked.relation) == ("1", ">=")
    return is_plain and 0 < float(asked.threshold) <= 1


def leaf_label(model: NamedTree, leaf: int) -> str:
    """Return the name of the class that a leaf, by its node number, predicts."""
    return model.classes[int(model.tree.leaf_classes[leaf - len(model.tree.leaf_classes)])]


def leaf_mix(model: NamedTree, leaf: int) -> list[str]:
    """Return the class shares of a leaf's training rows in parts, the largest first.

    The list is empty if no training row is known.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from margintree import ObliqueTree
    >>> tree = ObliqueTree.leaf(0, n_features=1, n_classes=2)
    >>> leaf_mix(NamedTree(replace(tree, leaf_mass=[[3.0, 1.0]]), ("age",), ("no", "yes")), 1)
    ['(no 75%,', 'yes 25% of 4)']
    """
    mass = model.tree.leaf_mass[leaf - len(model.tree.leaf_classes)]
    order = [k for k in np.argsort(-mass, kind="stable") if mass[k] > 0]
    shares = [f"{model.classes[k]} {mass[k] / mass.sum():.0%}," for k in order]
    if shares:
        shares[0] = f"({shares[0]}"
        shares[-1] = f"{shares[-1][:-1]} of {mass.sum():.6g})"
    return shares


def _term(number: str, name: str, is_condition: bool) -> str:
    """Return ``- b * 0.5`` for "-0.5" and "b", ``- b`` for "-1"; of a condition ``- 0.5 if b``."""
    sign, size = ("-", number[1:]) if number.startswith("-") else ("+", number)
    if is_condition:
        return f"{sign} {size} if {name}"
    return f"{sign} {name}" if size == "1" else f"{sign} {name} * {size}"
