"""The search for trees whose splits are maximum-margin hyperplanes."""

from margintree._lib.first_fit import collector_paused

with collector_paused():
    from margintree.search.margin.chain import Parts
    from margintree.search.margin.engine import get_ready, search_margin_trees
    from margintree.search.margin.kernel_data import Shared, share
    from margintree.search.margin.other_norms import search_in_norm

__all__ = ["Parts", "Shared", "get_ready", "search_in_norm", "search_margin_trees", "share"]
