"""Polish: the best hyperplanes for a fixed routing.

With the routing fixed the problem is convex: margin problems of the splitting nodes, coupled only
through the common norm. At the optimum node ``t`` solves its own margin problem with the regularity
``shares[t]``, all norms agree, and the shares add up to one (squared norm) or to ``1 / (2 * norm)``
(plain norm). So the polish alternates: solve all nodes, move shares towards large norms.
"""

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray
from margintree._lib.jit import kernel, part
from margintree._lib.svm import repair_duals, smo
from margintree.search.margin.kernels.features import supported_products
from margintree.search.margin.kernels.line_search import rescale
from margintree.search.margin.kernels.working_tree import (
    KernelData,
    WorkingTree,
    price,
    refresh_values,
    rows_below,
    terminal_of_rows,
)

STEPS, STEPS_PER_ROW, WORK = 1000, 40, 4_000_000
"""Maximum number of steps for the margin problem of one node, far more than it usually takes, and
maximum number of steps times rows for the second part of them."""
NO_DIRECTION = 1e-9
"""A normal vector shorter than this has no direction."""
STALLED = 0.1
"""A round stalls if it gains less than this share of the tolerance."""
LEAST_SHARE = 1e-6
"""Share of a node whose widest margin is wider than the common one, so that it needs no share."""


@part
def polish(
    data: KernelData,
    tree: WorkingTree,
    values: FloatArray,
    top: int,
    rounds: int,
    tolerance: float,
    patience: int,
    power: float,
    cost: float,
) -> float:
    """Improve the hyperplanes for the present routing; return the cost, at most ``cost``.

    ``values`` holds ``f_t(x_i)`` and follows the working tree, ``top`` is the root, and ``cost`` is
    the present cost. Up to ``rounds`` times, shares are corrected; ``power`` says how strongly, and
    up to 1.8 is stable. ``tolerance`` applies to the margin problems and to the norms. A round
    whose relative gain is below a tenth of it stalls. The polish stops after ``patience`` stalls in
    a row, or after one if the norms agree.
    """
    terminals = np.empty(values.shape[1], dtype=np.int64)
    terminal_of_rows(tree, values, terminals)
    best_weights, best_intercepts = np.empty_like(tree.weights), np.empty_like(tree.intercepts)
    copy_hyperplanes(tree.weights, tree.intercepts, best_weights, best_intercepts)
    best_scale, before, stalls = tree.scale[0], np.inf, 0
    if data.is_squared:
        share_again(data, tree, 0.0)
    for _ in range(rounds):
        spread = solve_nodes(data, tree, terminals, tolerance)
        if spread == np.inf:
            break
        refresh_values(data, tree, values, top)
        now = np.inf
        if rescale(data, tree, values) and keeps_routing(values, terminals):
            now = price(data, tree, values)
        if now < cost:
            cost = now
            copy_hyperplanes(tree.weights, tree.intercepts, best_weights, best_intercepts)
            best_scale = tree.scale[0]
        stalls = 0 if abs(before - now) > STALLED * tolerance * cost else stalls + 1
        if stalls > 0 and (spread < tolerance or stalls >= patience):
            break
        before = now
        share_again(data, tree, power)
    copy_hyperplanes(best_weights, best_intercepts, tree.weights, tree.intercepts)
    tree.scale[0] = best_scale
    refresh_values(data, tree, values, top)
    return cost


@kernel
def copy_hyperplanes(
    weights: FloatArray, intercepts: FloatArray, to_weights: FloatArray, to_intercepts: FloatArray
) -> None:
    """Write one set of hyperplanes over another."""
    for t in range(len(intercepts)):
        to_intercepts[t] = intercepts[t]
        for j in range(weights.shape[1]):
            to_weights[t, j] = weights[t, j]


@part
def keeps_routing(values: FloatArray, terminals: IntArray) -> bool:
    """Tell whether every row still goes the way to its terminal node."""
    for i in range(len(terminals)):
        node = terminals[i]
        while node > 1:
            if (values[node // 2, i] >= 0) != (node % 2 == 1):
                return False
            node //= 2
    return True


@part
def solve_nodes(
    data: KernelData, tree: WorkingTree, terminals: IntArray, tolerance: float
) -> float:
    """Solve the margin problem of every splitting node; return the error of the shares.

    The normal vectors get the norm 1, and their own norms are stored in ``tree.norms``.
    """
    smallest, largest, pushes, shares = np.inf, 0.0, 0.0, 0.0
    for node in range(1, len(tree.intercepts)):
        if not tree.splits[node]:
            continue
        rows = rows_below(terminals, node)
        m = len(rows)
        sides, beta, box, no_box = np.empty(m), np.empty(m), np.empty(m), np.empty(m)
        for k in range(m):
            sides[k] = side_at(terminals[rows[k]], node)
            beta[k] = tree.duals[node, rows[k]]
            box[k], no_box[k] = data.pull[rows[k]], np.inf
        repair_duals(beta, sides, no_box)
        _, intercept = smo(
            supported_products(data, tree, node, rows),
            sides,
            box,
            data.eps + tolerance / 2,
            np.inf,
            tree.shares[node],
            beta,
            STEPS + min(STEPS_PER_ROW * m, WORK // m),
            tolerance,
        )
        norm = set_hyperplane(data, tree, node, rows, beta, intercept, 1.0)
        tree.norms[node] = norm
        pushes += tree.shares[node] * norm
        shares += tree.shares[node]
        smallest, largest = min(smallest, norm), max(largest, norm)
    tree.scale[0] = 1.0
    if smallest <= 0 or pushes <= 0:
        return np.inf
    spread = largest * shares / pushes - 1
    return spread if data.is_squared else max(spread, abs(2 * pushes - 1))


@part
def side_at(terminal: int, node: int) -> float:
    """Return the side of ``node``, +1 right or -1 left, on which a terminal node below it is."""
    while terminal // 2 > node:
        terminal //= 2
    return 1.0 if terminal % 2 == 1 else -1.0


@kernel
def set_hyperplane(
    data: KernelData,
    tree: WorkingTree,
    node: int,
    rows: IntArray,
    beta: FloatArray,
    intercept: float,
    scale: float,
) -> float:
    """Write the hyperplane of dual variables into a node, with the norm ``scale``.

    If features are counted, weights that are 0 stay 0. Returns the norm that the dual variables
    imply.
    """
    p = data.X.shape[1]
    direction = np.zeros(p)
    for i in range(len(data.X)):
        tree.duals[node, i] = 0.0
    for k in range(len(rows)):
        tree.duals[node, rows[k]] = beta[k]
        for j in range(p):
            direction[j] += beta[k] * data.X[rows[k], j]
    if data.is_sparse:
        for j in range(p):
            if tree.weights[node, j] == 0.0:
                direction[j] = 0.0
    squared = 0.0
    for j in range(p):
        squared += direction[j] * direction[j]
    length = np.sqrt(squared)
    if length <= NO_DIRECTION:
        return 0.0
    for j in range(p):
        tree.weights[node, j] = direction[j] * (scale / length)
    norm = length / tree.shares[node]
    tree.intercepts[node] = intercept * (scale / norm)
    return norm


@kernel
def share_again(data: KernelData, tree: WorkingTree, power: float) -> None:
    """Raise the shares of nodes with a large norm, lower those of nodes with a small norm.

    Shares of the squared norm add up to one. For the plain norm the lengths of the dual vectors,
    ``shares * norms``, must add up to one half; they grow with the shares, though more slowly.
    """
    before, pushes, after = 0.0, 0.0, 0.0
    for node in range(1, len(tree.intercepts)):
        if tree.splits[node]:
            before += tree.shares[node]
            pushes += tree.shares[node] * tree.norms[node]
            tree.shares[node] *= tree.norms[node] ** power
            after += tree.shares[node]
    if after <= 0 or (pushes <= 0 and not data.is_squared):
        return
    aim = 1.0 if data.is_squared else 0.5 * before / pushes
    for node in range(1, len(tree.intercepts)):
        if tree.splits[node]:
            tree.shares[node] = max(tree.shares[node] * aim / after, LEAST_SHARE * aim)
