"""Kernels for problems with too many rows to store the values of all nodes."""

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray
from margintree._lib.jit import kernel
from margintree.search.margin.kernels.line_search import best_scale
from margintree.search.margin.kernels.working_tree import (
    CLOSEST,
    KernelData,
    WorkingTree,
    stop_price,
)

TOUCHING = 1e-12
"""A row this close to a hyperplane counts as on it: no norm gives it the routing margin."""


@kernel
def value_at(data: KernelData, tree: WorkingTree, node: int, row: int) -> float:
    """Return ``f_t(x_i)``."""
    value = tree.intercepts[node]
    for j in range(data.X.shape[1]):
        value += tree.weights[node, j] * data.X[row, j]
    return value


@kernel
def route_terminals(data: KernelData, tree: WorkingTree, out: IntArray) -> None:
    """Write the terminal node at which each row arrives."""
    for i in range(len(out)):
        node = 1
        while tree.splits[node]:
            node = 2 * node + (1 if value_at(data, tree, node, i) >= 0 else 0)
        out[i] = node


@kernel
def route_costs(
    data: KernelData, tree: WorkingTree, rows: IntArray, top: int, out: FloatArray
) -> None:
    """Write the cost of each of these rows from the node ``top`` on."""
    for k in range(len(rows)):
        i, node, total = rows[k], top, 0.0
        while tree.splits[node]:
            value = value_at(data, tree, node, i)
            distance = abs(value)
            total += data.pull[i] * max(0.0, 1.0 - distance)
            if distance < data.eps * CLOSEST:
                total += data.barrier
            node = 2 * node + (1 if value >= 0 else 0)
        out[k] = total + stop_price(data, i, node, tree.labels[node])


@kernel
def route_scale(data: KernelData, tree: WorkingTree) -> float:
    """Return the best common norm of the hyperplanes for their routing.

    Returns the present norm if a row is on a hyperplane or nothing splits.
    """
    n = len(data.X)
    distances, pulls = np.empty(n * data.depth), np.empty(n * data.depth)
    count, nearest = 0, np.inf
    for i in range(n):
        node = 1
        while tree.splits[node]:
            value = value_at(data, tree, node, i)
            distances[count], pulls[count] = abs(value) / tree.scale[0], data.pull[i]
            nearest = min(nearest, distances[count])
            count += 1
            node = 2 * node + (1 if value >= 0 else 0)
    if count == 0 or nearest <= TOUCHING:
        return tree.scale[0]
    return best_scale(data, distances[:count], pulls[:count], nearest)
