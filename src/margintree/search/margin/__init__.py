"""The native search: good trees in seconds, without a solver."""

from margintree._lib.collector import collector_paused

with collector_paused():
    from margintree.search.margin.chain import Parts
    from margintree.search.margin.engine import make_ready, search
    from margintree.search.margin.label_trees import LABELS

__all__ = ["LABELS", "Parts", "make_ready", "search"]
