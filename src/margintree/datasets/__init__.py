"""Small data sets that come with scikit-learn, for examples and the demonstration."""

from margintree.datasets.bundled import Dataset, load

__all__ = ["Dataset", "load"]
