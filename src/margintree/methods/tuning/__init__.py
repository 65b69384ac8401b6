"""Calibration: one training set under many costs, as a path on which every fit starts warm.

What does not depend on the costs is done once: inner products, groupings of rows, close pairs. A
tree costs a sum of terms, each in proportion to its price, so all trees found so far are priced at
new costs by one product, and the cheapest of different kinds are where the next search begins.
Iteration limits decide, so the same path comes out everywhere.
"""

from margintree.methods.tuning.margins import fit_moctsvm_path, fit_octsvm_path
from margintree.methods.tuning.pool import Pool
from margintree.methods.tuning.rivals import fit_cart_path, fit_oct_path, fit_octh_path

__all__ = [
    "Pool",
    "fit_cart_path",
    "fit_moctsvm_path",
    "fit_oct_path",
    "fit_octh_path",
    "fit_octsvm_path",
]
