"""Kernels that look at every first split of a tree at once."""

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray
from margintree._lib.jit import kernel
from margintree.exact.budgets.divisions import Divisions, PricedRows, has
from margintree.exact.budgets.duals import free_bound
from margintree.exact.budgets.turning_lines import Planes


@kernel
def leaf_prices(rows: PricedRows, sets: np.ndarray) -> FloatArray:
    """Return what the errors of the two sides of every division cost if both are leaves."""
    n, n_classes = rows.errors.shape
    prices, sums = np.empty((len(sets), 2)), np.empty((2, n_classes))
    for at in range(len(sets)):
        sums[:] = 0.0
        for row in range(n):
            sums[int(has(sets[at], row))] += rows.errors[row]
        prices[at, 0], prices[at, 1] = sums[0].min(), sums[1].min()
    return prices


@kernel
def child_floors(
    rows: PricedRows, sets: np.ndarray, leaves: FloatArray, split: float
) -> FloatArray:
    """Return what both sides of every division pay at least: a leaf, or a split and two classes."""
    n, n_classes = rows.errors.shape
    floors = leaves.copy()
    sums = np.empty((2, n_classes, n_classes))
    for at in range(len(sets)):
        sums[:] = 0.0
        for row in range(n):
            side = int(has(sets[at], row))
            for k in range(n_classes):
                for other in range(k):
                    price = min(rows.errors[row, k], rows.errors[row, other])
                    sums[side, k, other] += price
        for side in range(2):
            least = np.inf
            for k in range(n_classes):
                for other in range(k):
                    least = min(least, sums[side, k, other])
            floors[at, side] = min(floors[at, side], split + least)
    return floors


@kernel
def screen(
    planes: Planes,
    rows: PricedRows,
    listed: Divisions,
    firsts: IntArray,
    rest: FloatArray,
    high: float,
    cutoff: float,
    tolerance: float,
    some: IntArray,
    bounds: FloatArray,
) -> None:
    """Write a bound for every first split, its margins, price and the rest; infinity closes it.

    The listed divisions from ``firsts[r]`` to ``firsts[r + 1]`` divide all rows in the same way.
    """
    everyone = np.ones(len(rows.errors), np.bool_)
    for root in some:
        least = cutoff
        for at in range(firsts[root], firsts[root + 1]):
            paid = listed.paid[at] + rest[root]
            if paid < least:
                spare = least - paid
                least = min(least, paid + free_bound(
                    planes.places[listed.planes[at]], rows, everyone, listed.sets[at],
                    high, spare, tolerance,
                ))  # fmt: skip
        bounds[root] = least if least < cutoff else np.inf
