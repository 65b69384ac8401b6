"""Pictures of trees and of how they were found, on matplotlib's axes.

Every function draws on the axes that it is given, or else on new ones, and returns the axes.
Nothing is shown or saved: that is the caller's. matplotlib comes with the extra ``plot`` and is
imported with the first picture.
"""

from margintree.plot.partition import plot_partition
from margintree.plot.path import plot_path
from margintree.plot.trace import plot_trace
from margintree.plot.tree import plot_tree

__all__ = ["plot_partition", "plot_path", "plot_trace", "plot_tree"]
