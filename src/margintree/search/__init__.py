"""The native search: good trees in seconds, without a solver."""

from margintree._collector import collector_paused

with collector_paused():
    from margintree.search.climb import Parts
    from margintree.search.engine import make_ready, search
    from margintree.search.labels import LABELS

__all__ = ["LABELS", "Parts", "make_ready", "search"]
