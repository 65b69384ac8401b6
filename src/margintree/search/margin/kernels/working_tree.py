"""The working tree of the search: mutable arrays that kernels share.

Arrays are indexed by node number, so entry 0 stays unused. A node that does not split is
*terminal*: rows stop there and get its label, and nothing below it splits.
"""

from typing import NamedTuple

import numpy as np

from margintree._lib.arrays import BoolArray, FloatArray, IntArray
from margintree._lib.jit import kernel, part

CLOSEST = 1 - 1e-6
"""Share of the routing margin that a row must keep; rounding may cost the rest."""


class KernelData(NamedTuple):
    """The data of a problem that kernels need."""

    X: FloatArray  # the scaled rows, (n, p)
    gram: FloatArray  # their inner products, (n, n)
    pull: FloatArray  # the price of a unit of margin violation: c2 times the row weights
    prices: FloatArray  # the price of each class for each row, (n, K)
    stays: FloatArray  # how often a row pays for the class of the node where it stops, by node
    tolls: FloatArray  # how often a row that stops at a node paid for classes 0 and 1 on its way
    split_price: float  # c3
    eps: float  # the routing margin
    barrier: float  # temporary price of a row within the routing margin in the local search
    is_squared: bool  # whether the margin term is ||w||**2 / 2 rather than ||w|| / 2
    depth: int
    mass: FloatArray  # the row weights
    least_mass: float  # the minimum weight of a leaf; 0 for no such rule
    max_splits: int
    groups: IntArray  # the group of each feature; a group counts as one feature
    group_prices: FloatArray  # the price of each group in a split
    max_per_split: int  # the maximum number of groups in a split
    max_groups: int  # the maximum number of groups in the tree
    is_sparse: bool  # whether rules or prices count features


class WorkingTree(NamedTuple):
    """A tree under construction."""

    weights: FloatArray  # normal vectors of branch nodes, all of norm scale[0], (2**D, p)
    intercepts: FloatArray  # of branch nodes, (2**D,)
    splits: BoolArray  # which nodes split, never a leaf, (2**(D+1),)
    labels: IntArray  # the class that each node predicts if it is terminal, (2**(D+1),)
    scale: FloatArray  # the common norm of the normal vectors, (1,)
    duals: FloatArray  # signed dual variables of the last margin problems, (2**D, n)
    shares: FloatArray  # the share of each branch node in the price of the common norm
    norms: FloatArray  # the norm that each branch node would choose at its share


@kernel
def gather(source: FloatArray, rows: IntArray) -> FloatArray:
    """Return ``source[rows]``."""
    picked = np.empty(len(rows))
    for k in range(len(rows)):
        picked[k] = source[rows[k]]
    return picked


@kernel
def total_of(source: FloatArray, rows: IntArray) -> float:
    """Return ``source[rows].sum()``."""
    total = 0.0
    for i in rows:
        total += source[i]
    return total


@kernel
def clear_below(tree: WorkingTree, node: int) -> None:
    """Make every node below ``node`` terminal; ``node`` itself does not change."""
    first, width = 2 * node, 2
    while first < len(tree.splits):
        for t in range(first, first + width):
            tree.splits[t] = False
        first, width = 2 * first, 2 * width


@kernel
def copy_node(tree: WorkingTree, source: int, target: int) -> None:
    """Write one node over another; a leaf is never made to split."""
    tree.labels[target] = tree.labels[source]
    n_branch = len(tree.intercepts)
    tree.splits[target] = tree.splits[source] and target < n_branch
    if tree.splits[target]:
        tree.intercepts[target] = tree.intercepts[source]
        tree.shares[target] = tree.shares[source]
        for j in range(tree.weights.shape[1]):
            tree.weights[target, j] = tree.weights[source, j]
        for i in range(tree.duals.shape[1]):
            tree.duals[target, i] = tree.duals[source, i]


@kernel
def lift(tree: WorkingTree, child: int, node: int) -> None:
    """Put the subtree of ``child`` in the place of its ancestor ``node``."""
    first_child, first_node, width = child, node, 1
    while first_node < len(tree.splits):
        for k in range(width):
            if first_child < len(tree.splits):
                copy_node(tree, first_child + k, first_node + k)
            else:
                tree.splits[first_node + k] = False
                tree.labels[first_node + k] = tree.labels[(first_node + k) // 2]
        first_child, first_node, width = 2 * first_child, 2 * first_node, 2 * width


@kernel
def terminal_of_rows(tree: WorkingTree, values: FloatArray, out: IntArray) -> None:
    """Write the terminal node at which each row arrives, given ``values[t, i] = f_t(x_i)``."""
    for i in range(len(out)):
        node = 1
        while tree.splits[node]:
            node = 2 * node + (1 if values[node, i] >= 0 else 0)
        out[i] = node


@kernel
def rows_below(terminals: IntArray, node: int) -> IntArray:
    """Return the rows whose terminal node is ``node`` or below it."""
    found = np.empty(len(terminals), dtype=np.int64)
    count = 0
    for i in range(len(terminals)):
        reached = terminals[i]
        while reached > node:
            reached //= 2
        if reached == node:
            found[count] = i
            count += 1
    return found[:count]


@part
def node_values(data: KernelData, tree: WorkingTree, node: int, out: FloatArray) -> None:
    """Write ``f_t(x_i)`` of one node for all rows."""
    n, p = data.X.shape
    for i in range(n):
        total = tree.intercepts[node]
        for j in range(p):
            total += tree.weights[node, j] * data.X[i, j]
        out[i] = total


@kernel
def refresh_values(data: KernelData, tree: WorkingTree, values: FloatArray, top: int) -> None:
    """Write ``f_t(x_i)`` of every splitting node in the subtree of ``top`` for all rows."""
    first, width = top, 1
    while first < len(tree.intercepts):
        for node in range(first, first + width):
            if tree.splits[node]:
                node_values(data, tree, node, values[node])
        first, width = 2 * first, 2 * width


@kernel
def total_splits(tree: WorkingTree) -> int:
    """Return the number of splitting nodes."""
    count = 0
    for node in range(1, len(tree.splits)):
        count += tree.splits[node]
    return count


@kernel
def count_splits(tree: WorkingTree, node: int) -> int:
    """Return the number of splitting nodes in the subtree of ``node``."""
    count = 0
    first, width = node, 1
    while first < len(tree.splits):
        for k in range(width):
            count += tree.splits[first + k]
        first, width = 2 * first, 2 * width
    return count


@kernel
def price_of_groups(data: KernelData, used: BoolArray) -> float:
    """Return the price of a split that uses these groups of features."""
    total = 0.0
    for g in range(len(used)):
        if used[g]:
            total += data.group_prices[g]
    return total


@kernel
def features_price(data: KernelData, tree: WorkingTree, node: int) -> float:
    """Return the price of the features of one split."""
    if not data.is_sparse:
        return 0.0
    used = np.zeros(len(data.group_prices), dtype=np.bool_)
    for j in range(tree.weights.shape[1]):
        if tree.weights[node, j] != 0.0:
            used[data.groups[j]] = True
    return price_of_groups(data, used)


@kernel
def splits_price(data: KernelData, tree: WorkingTree, node: int) -> float:
    """Return the price of the splits in the subtree of ``node``, with their features."""
    total = data.split_price * count_splits(tree, node)
    if data.is_sparse:
        first, width = node, 1
        while first < len(tree.intercepts):
            for t in range(first, first + width):
                if tree.splits[t]:
                    total += features_price(data, tree, t)
            first, width = 2 * first, 2 * width
    return total


@part
def margin_price(data: KernelData, scale: float) -> float:
    """Return the margin term of a tree whose normal vectors have this norm."""
    return scale * scale / 2 if data.is_squared else scale / 2


@kernel
def stop_price(data: KernelData, row: int, node: int, label: int) -> float:
    """Return the price of a row that stops at a node with this class, without margins."""
    total = data.stays[node] * data.prices[row, label]
    for side in range(2):
        if data.tolls[node, side] > 0:
            total += data.tolls[node, side] * data.prices[row, side]
    return total


@kernel
def price(data: KernelData, tree: WorkingTree, values: FloatArray) -> float:
    """Return the cost of the tree; infinity if a row is closer than the routing margin."""
    total = 0.0
    for i in range(values.shape[1]):
        node = 1
        while tree.splits[node]:
            value = values[node, i]
            distance = abs(value)
            if distance < data.eps * CLOSEST:
                return np.inf
            if distance < 1:
                total += data.pull[i] * (1 - distance)
            node = 2 * node + (1 if value >= 0 else 0)
        total += stop_price(data, i, node, tree.labels[node])
    n_splits = total_splits(tree)
    if n_splits > 0:
        root = max(0, 1)  # a literal would make callees compile once more
        total += margin_price(data, tree.scale[0]) + splits_price(data, tree, root)
    return total


@kernel
def subtree_costs(data: KernelData, tree: WorkingTree, values: FloatArray, out: FloatArray) -> None:
    """Write the cost of each row in the subtree of every node, of shape (2**(D+1), n)."""
    n = values.shape[1]
    for node in range(len(tree.splits) - 1, 0, -1):
        refresh_costs(data, tree, values, out, node, n)


@part
def refresh_costs(
    data: KernelData, tree: WorkingTree, values: FloatArray, out: FloatArray, node: int, n: int
) -> None:
    """Write the cost of each row from ``node`` on, given the costs of its two children."""
    if not tree.splits[node]:
        for i in range(n):
            out[node, i] = stop_price(data, i, node, tree.labels[node])
        return
    for i in range(n):
        value = values[node, i]
        shortfall = max(0.0, 1.0 - abs(value))
        child = 2 * node + (1 if value >= 0 else 0)
        out[node, i] = data.pull[i] * shortfall + out[child, i]
        if shortfall > 1.0 - data.eps * CLOSEST:
            out[node, i] += data.barrier


@kernel
def smallest(totals: FloatArray) -> int:
    """Return the position of the smallest entry; the first one in a tie."""
    best = 0
    for k in range(1, len(totals)):
        if totals[k] < totals[best]:
            best = k
    return best


@kernel
def price_of_label(data: KernelData, rows: IntArray, node: int, label: int) -> float:
    """Return the total price of these rows if they stop at a node with this class."""
    total = 0.0
    for i in rows:
        total += stop_price(data, i, node, label)
    return total
