"""Names of methods, readings and measures for tables and pictures."""

from collections.abc import Iterable

from margintree.study.learners import learners

READINGS = {"fold": "best by fold", "grid": "best by repetition", "nested": "nested"}
"""The readings, that is, the ways to choose parameters; the most flattering comes first."""
MEASURES = {
    "accuracy": "accuracy (%)",
    "balanced_accuracy": "balanced accuracy (%)",
    "calibration_error": "calibration error (%)",
    "splits": "splits",
    "coefficients": "coefficients",
    "seconds": "seconds of a fit",
}
"""The measures of a repetition."""
SHARES = ("accuracy", "balanced_accuracy", "calibration_error")
"""The measures that are shares and are shown in per cent."""
SCORES = ("accuracy", "balanced_accuracy")
"""The measures of which the largest is the best."""


def method_label(method: str) -> str:
    """Return the label of a method; an unknown method keeps its name.

    Examples
    --------
    >>> method_label("octh"), method_label("mine")
    ('OCT-H', 'mine')
    """
    known = learners()
    return known[method].label if method in known else method


def in_order(methods: Iterable[str]) -> list[str]:
    """Return the methods without repetition: the known ones in their order, then others by name.

    Examples
    --------
    >>> in_order(["mine", "moctsvm", "cart", "moctsvm"])
    ['cart', 'moctsvm', 'mine']
    """
    known = {name: place for place, name in enumerate(learners())}
    return sorted({*methods}, key=lambda name: (known.get(name, len(known)), name))
