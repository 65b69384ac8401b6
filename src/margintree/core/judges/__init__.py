"""The judges: what a tree costs on a problem, computed from the tree alone, one module each."""

from margintree.core.judges.errors import errors_only, price_errors, with_relative_errors
from margintree.core.judges.labels import price_labels
from margintree.core.judges.margins import price_margins

__all__ = [
    "errors_only",
    "price_errors",
    "price_labels",
    "price_margins",
    "with_relative_errors",
]
