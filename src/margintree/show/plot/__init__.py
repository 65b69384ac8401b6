"""Pictures of trees and of their search, on matplotlib's axes.

Every function draws on the given axes or on new ones, and returns them. It neither shows nor saves
the figure. matplotlib comes with the extra ``plot`` and is imported with the first picture.
"""

from margintree.show.plot.budget_plot import plot_budgets
from margintree.show.plot.partition import plot_partition
from margintree.show.plot.score_plot import plot_scores
from margintree.show.plot.trace_plot import plot_trace
from margintree.show.plot.tree_plot import plot_tree

__all__ = ["plot_budgets", "plot_partition", "plot_scores", "plot_trace", "plot_tree"]
