"""What methods, readings and measures are called where a person reads of them."""

from collections.abc import Iterable

from margintree.study.learners import learners

READINGS = {"fold": "best by fold", "grid": "best by repetition", "nested": "nested"}
"""The readings of the calibration, the most flattering first."""
MEASURES = {
    "accuracy": "accuracy (%)",
    "balanced_accuracy": "balanced accuracy (%)",
    "splits": "splits",
    "seconds": "seconds of a fit",
}
"""What is measured of a repetition."""
SHARES = ("accuracy", "balanced_accuracy")
"""The measures that are shares, which people read in per cent."""


def method_label(method: str) -> str:
    """Return what a method is called; unknown ones go by their own names.

    Examples
    --------
    >>> method_label("octh"), method_label("mine")
    ('OCT-H', 'mine')
    """
    known = learners()
    return known[method].label if method in known else method


def in_order(methods: Iterable[str]) -> list[str]:
    """Return methods, each once: the known ones in their order, then the others by name.

    Examples
    --------
    >>> in_order(["mine", "moctsvm", "cart", "moctsvm"])
    ['cart', 'moctsvm', 'mine']
    """
    known = {name: place for place, name in enumerate(learners())}
    return sorted({*methods}, key=lambda name: (known.get(name, len(known)), name))
