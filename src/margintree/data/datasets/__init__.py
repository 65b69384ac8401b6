"""The 13 data sets of the paper's study and their sources."""

from margintree.data.datasets.catalogue import CATALOGUE, Entry
from margintree.data.datasets.loading import DATA_VARIABLE, Dataset, data_folder, load, place_of

__all__ = ["CATALOGUE", "DATA_VARIABLE", "Dataset", "Entry", "data_folder", "load", "place_of"]
