"""The native search: good trees in seconds, without a solver."""

from margintree.search.climb import Parts
from margintree.search.engine import search
from margintree.search.labels import LABELS

__all__ = ["LABELS", "Parts", "search"]
