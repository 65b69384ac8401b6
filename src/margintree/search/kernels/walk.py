"""Rows walking down a tree, for problems with too many rows to keep the values of all nodes."""

import numpy as np

from margintree._typing import FloatArray, IntArray
from margintree.search.kernels._jit import kernel
from margintree.search.kernels.lines import best_scale
from margintree.search.kernels.sketch import Sketch, Task, stop_price


@kernel
def value_at(task: Task, sketch: Sketch, node: int, row: int) -> float:
    """Return ``f_t(x_i)``."""
    value = sketch.intercepts[node]
    for j in range(task.X.shape[1]):
        value += sketch.weights[node, j] * task.X[row, j]
    return value


@kernel
def walk_terminals(task: Task, sketch: Sketch, out: IntArray) -> None:
    """Write the terminal node at which each row arrives."""
    for i in range(len(out)):
        node = 1
        while sketch.splits[node]:
            node = 2 * node + (1 if value_at(task, sketch, node, i) >= 0 else 0)
        out[i] = node


@kernel
def walk_costs(task: Task, sketch: Sketch, rows: IntArray, top: int, out: FloatArray) -> None:
    """Write what each of these rows pays from the node ``top`` on."""
    for k in range(len(rows)):
        i, node, total = rows[k], top, 0.0
        while sketch.splits[node]:
            value = value_at(task, sketch, node, i)
            distance = abs(value)
            total += task.pull[i] * max(0.0, 1.0 - distance)
            if distance < task.eps * (1 - 1e-6):
                total += task.barrier
            node = 2 * node + (1 if value >= 0 else 0)
        out[k] = total + stop_price(task, i, node, sketch.labels[node])


@kernel
def walk_scale(task: Task, sketch: Sketch) -> float:
    """Return the best common norm of the hyperplanes for their routing.

    It is the norm they have where a row lies on a hyperplane or nothing splits.
    """
    n = len(task.X)
    distances, pulls = np.empty(n * task.depth), np.empty(n * task.depth)
    count, nearest = 0, np.inf
    for i in range(n):
        node = 1
        while sketch.splits[node]:
            value = value_at(task, sketch, node, i)
            distances[count], pulls[count] = abs(value) / sketch.scale[0], task.pull[i]
            nearest = min(nearest, distances[count])
            count += 1
            node = 2 * node + (1 if value >= 0 else 0)
    if count == 0 or nearest <= 1e-12:
        return sketch.scale[0]
    return best_scale(task, distances[:count], pulls[:count], nearest)
