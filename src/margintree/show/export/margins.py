"""Which models have margins to show."""

from typing import Any

from margintree.core.tree import ObliqueTree


def has_margins(model: Any) -> bool:
    """Tell whether the splits of a model have margins that it pays for.

    A tree alone does not say by which method it was found, and is taken to have them.

    Examples
    --------
    >>> from margintree import CARTClassifier, MOCTSVMClassifier
    >>> X, y = [[0.0], [1.0]], [0, 1]
    >>> has_margins(MOCTSVMClassifier().fit(X, y)), has_margins(CARTClassifier().fit(X, y))
    (True, False)
    """
    return isinstance(model, ObliqueTree) or "margin" in model.cost_.terms
