"""What a split asks, in original units and with as few digits as keep the routing."""

from dataclasses import dataclass

import numpy as np

from margintree.core.tree import ObliqueTree

TOLERANCE = 5e-4
"""How far rounding may move the value of a split anywhere in the box of the training rows.

Half the default routing margin: on training rows the rounded rules route as the tree does.
"""


@dataclass(frozen=True)
class Question:
    """Whether a sum of features times coefficients reaches a threshold.

    Attributes
    ----------
    terms : tuple of (int, str)
        Feature and coefficient, the most influential first; a coefficient rounded to 0 is left out.
    threshold : str
        What the sum is compared with.
    is_turned : bool
        Whether "yes" leads to the left child. A question is turned round where that makes its
        first coefficient positive, so that a split and its mirror image ask the same question.
        Only a row exactly on the hyperplane would answer differently, and rounding moves that
        anyway.
    """

    terms: tuple[tuple[int, str], ...]
    threshold: str
    is_turned: bool


def question(tree: ObliqueTree, node: int) -> Question:
    """Return what a splitting node asks.

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
        # A single feature needs no coefficient: it is compared with the threshold as it is.
        (feature, _), unit = terms[0], weights.max()
        return Question(((feature, "1"),), _rounded(-intercept / unit, tolerance / unit), sign < 0)
    return Question(terms, _rounded(-intercept, tolerance), sign < 0)


def _rounded(value: float, tolerance: float) -> str:
    """Return the number with as few significant digits as keep it within the tolerance."""
    if abs(value) <= tolerance:
        return "0"
    texts = (f"{value:.{digits}g}" for digits in range(1, 17))
    close = (text for text in texts if abs(float(text) - value) <= tolerance)
    return next(close, repr(float(value)))
