"""The native search: good trees in seconds, without a solver."""

from margintree.search.climb import Parts
from margintree.search.engine import search

__all__ = ["Parts", "search"]
