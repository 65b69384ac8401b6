"""Local search: improve node after node, bottom-up, with the subtrees below fixed.

At a fixed common norm a node sees only the cost of each of its rows on the left and on the right. A
margin problem in which every row pulls towards its cheaper side proposes a direction. An exact line
search then finds the intercept and counts every error and the routing margin.
"""

from typing import NamedTuple

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray
from margintree._lib.jit import kernel, part
from margintree.search.margin.kernels.features import exchange, truncate
from margintree.search.margin.kernels.line_search import best_intercept, best_step
from margintree.search.margin.kernels.margin_split import margin_split, preferred_sides
from margintree.search.margin.kernels.polish import polish
from margintree.search.margin.kernels.working_tree import (
    KernelData,
    WorkingTree,
    clear_below,
    features_price,
    gather,
    lift,
    margin_price,
    price,
    price_of_label,
    refresh_values,
    rows_below,
    smallest,
    splits_price,
    stop_price,
    subtree_costs,
    terminal_of_rows,
    total_of,
    total_splits,
)

_GAIN = 1e-9
"""Least relative gain that counts, so that rounding cannot cause cycles."""
_LEAST_GAIN = 1e-12
"""Least absolute gain that counts, for costs near 0."""
_NOTHING_LEFT = 1e-12
"""A tilt that leaves less than this share of a hyperplane's squared norm is not tried."""
STRONG, WEAK = 1.0, 0.2
"""Weight of an error beside a violation in a margin problem; one of the two at random."""


class State(NamedTuple):
    """Values derived from a working tree and stored while it changes."""

    values: FloatArray  # f_t(x_i) of every splitting node, (2**D, n)
    costs: FloatArray  # the cost of each row from each node on, (2**(D+1), n)
    terminals: IntArray  # the terminal node of each row


@kernel
def cheapest_label(data: KernelData, rows: IntArray, node: int) -> int:
    """Return the class of a node that costs least for these rows; the first one in a tie."""
    best, best_price = 0, np.inf
    for label in range(data.prices.shape[1]):
        total = price_of_label(data, rows, node, label)
        if total < best_price:
            best, best_price = label, total
    return best


@part
def try_pruning(
    data: KernelData, tree: WorkingTree, costs: FloatArray, rows: IntArray, node: int
) -> bool:
    """Replace a splitting node by a child's subtree or by a label if this costs less."""
    here = total_of(costs[node], rows) + splits_price(data, tree, node)
    keep = here * (1 - _GAIN) - _LEAST_GAIN
    label = cheapest_label(data, rows, node)
    alone = price_of_label(data, rows, node, label)
    child, cost = 2 * node, np.inf
    for side in range(2):
        below = splits_price(data, tree, 2 * node + side)
        total = total_of(costs[2 * node + side], rows) + below
        if total < cost:
            child, cost = 2 * node + side, total
    if min(alone, cost) >= keep:
        return False
    if alone <= cost:
        tree.splits[node] = False
        tree.labels[node] = label
        clear_below(tree, node)
    else:
        lift(tree, child, node)
    return True


@part
def try_margin_split(
    data: KernelData, tree: WorkingTree, state: State, rows: IntArray, node: int, luck: float
) -> bool:
    """Look for a cheaper split of a splitting node, with the subtrees below it fixed."""
    here = gather(state.values[node], rows)
    left_costs = gather(state.costs[2 * node], rows)
    right_costs = gather(state.costs[2 * node + 1], rows)
    sides = np.empty(len(rows))
    if not preferred_sides(left_costs, right_costs, here, sides):
        return False
    emphasis = STRONG if luck < 0.5 else WEAK
    here_cost = total_of(state.costs[node], rows) + features_price(data, tree, node)
    limit = here_cost * (1 - _GAIN) - _LEAST_GAIN
    cost = margin_split(
        data, tree, node, rows, sides, left_costs, right_costs, emphasis, limit, luck
    )
    return cost < limit


@part
def try_features(
    data: KernelData, tree: WorkingTree, state: State, rows: IntArray, node: int, luck: FloatArray
) -> bool:
    """Tilt a splitting node along a few random features, one for each number of ``luck``.

    A split that may not use another feature exchanges one of its own for it.
    """
    left_costs = gather(state.costs[2 * node], rows)
    right_costs = gather(state.costs[2 * node + 1], rows)
    pull, mass = gather(data.pull, rows), gather(data.mass, rows)
    price = features_price(data, tree, node)
    limit = (total_of(state.costs[node], rows) + price) * (1 - _GAIN) - _LEAST_GAIN
    here = gather(state.values[node], rows)
    column, m, scale = np.empty(len(rows)), len(rows), tree.scale[0]
    changed = False
    for draw in luck:
        feature, lost = int(draw * data.X.shape[1]), np.empty(0, dtype=np.int64)
        left_over, now_price = scale * scale, 0.0
        if data.is_sparse:
            feature, lost, now_price = exchange(data, tree, node, draw)
            for other in lost:
                left_over -= tree.weights[node, other] ** 2
                for k in range(m):
                    here[k] -= tree.weights[node, other] * data.X[rows[k], other]
        for k in range(m):
            column[k] = data.X[rows[k], feature]
        step, promise = best_step(here, column, left_costs, right_costs, pull, data.eps, scale)
        squared = left_over + step * (2 * tree.weights[node, feature] + step)
        is_worth_it = promise + now_price < limit and squared > _NOTHING_LEFT * scale * scale
        intercept, cost, factor = 0.0, np.inf, 1.0
        if is_worth_it:
            factor = scale / np.sqrt(squared)
            for k in range(m):
                column[k] = (here[k] - tree.intercepts[node] + step * column[k]) * factor
            intercept, cost = best_intercept(
                column, left_costs, right_costs, pull, mass, data.eps, data.least_mass
            )
        if cost + now_price < limit:
            limit, changed = cost + now_price, True
            for other in lost:
                tree.weights[node, other] = 0.0
            tree.weights[node, feature] += step
            for j in range(data.X.shape[1]):
                tree.weights[node, j] *= factor
            tree.intercepts[node] = intercept
            for k in range(m):
                here[k] = column[k] + intercept
        else:
            for other in lost:
                for k in range(m):
                    here[k] += tree.weights[node, other] * data.X[rows[k], other]
    return changed


@kernel
def try_growing(
    data: KernelData, tree: WorkingTree, state: State, rows: IntArray, node: int, luck: FloatArray
) -> bool:
    """Split a terminal node, or replace a lowest split, if this pays.

    One class is the node's own, or that of one child. The other class is drawn in proportion to its
    possible savings. Both children become terminal.
    """
    limit = total_of(state.costs[node], rows) * (1 - _GAIN)
    label = tree.labels[node]
    if not tree.splits[node] and total_splits(tree) >= data.max_splits:
        return False
    if tree.splits[node]:
        label = tree.labels[2 * node + (1 if luck[1] < 0.5 else 0)]
        limit += features_price(data, tree, node)
    else:
        limit -= data.split_price
        if total_splits(tree) == 0:
            limit -= margin_price(data, tree.scale[0])
    m, savings = len(rows), np.zeros(data.prices.shape[1])
    for i in rows:
        for k in range(len(savings)):
            savings[k] += max(0.0, data.prices[i, label] - data.prices[i, k])
    other = weighted_pick(savings, luck[0])
    if other < 0 or limit <= 0:
        return False
    left_costs, right_costs, sides = np.empty(m), np.empty(m), np.empty(m)
    if wants_swap(data, rows, node, label, other):
        label, other = other, label
    for k in range(m):
        left_costs[k] = stop_price(data, rows[k], 2 * node, label)
        right_costs[k] = stop_price(data, rows[k], 2 * node + 1, other)
    leaning = lean(data, rows, left_costs, right_costs)
    if not preferred_sides(left_costs, right_costs, leaning, sides):
        return False
    if not tree.splits[node]:
        for i in range(len(data.X)):
            tree.duals[node, i] = 0.0
        tree.shares[node] = 1.0 / (1.0 + total_splits(tree))
    cost = margin_split(data, tree, node, rows, sides, left_costs, right_costs, 1.0, limit, luck[1])
    if cost >= limit:
        return False
    tree.splits[node] = True
    clear_below(tree, node)
    tree.labels[2 * node], tree.labels[2 * node + 1] = label, other
    return True


@part
def wants_swap(data: KernelData, rows: IntArray, node: int, label: int, other: int) -> bool:
    """Tell whether rows could pay less with the first of two classes on the right."""
    straight = swapped = 0.0
    for i in rows:
        left, right = stop_price(data, i, 2 * node, label), stop_price(data, i, 2 * node + 1, other)
        straight += min(left, right)
        left, right = stop_price(data, i, 2 * node, other), stop_price(data, i, 2 * node + 1, label)
        swapped += min(left, right)
    return swapped < straight


@part
def lean(
    data: KernelData, rows: IntArray, left_costs: FloatArray, right_costs: FloatArray
) -> FloatArray:
    """Return which side's mean each row is closer to: positive for the right."""
    p = data.X.shape[1]
    means, counts = np.zeros((2, p)), np.zeros(2)
    for k in range(len(rows)):
        if left_costs[k] != right_costs[k]:
            side = 1 if left_costs[k] > right_costs[k] else 0
            counts[side] += 1
            for j in range(p):
                means[side, j] += data.X[rows[k], j]
    leaning = np.zeros(len(rows))
    if counts[0] == 0 or counts[1] == 0:
        return leaning
    for k in range(len(rows)):
        for j in range(p):
            left, right = means[0, j] / counts[0], means[1, j] / counts[1]
            leaning[k] += (right - left) * (data.X[rows[k], j] - (left + right) / 2)
    return leaning


@part
def weighted_pick(weights: FloatArray, luck: float) -> int:
    """Return the index that ``luck``, in [0, 1), selects by weight; -1 if all weights are zero."""
    total = 0.0
    for k in range(len(weights)):
        total += weights[k]
    mark = luck * total
    for k in range(len(weights)):
        mark -= weights[k]
        if mark < 0:
            return k
    return -1


@kernel
def settle(data: KernelData, tree: WorkingTree, state: State, node: int) -> None:
    """Update the state after a change in the subtree of ``node``, and label the leaves again."""
    refresh_values(data, tree, state.values, node)
    terminal_of_rows(tree, state.values, state.terminals)
    relabel(data, tree, state.terminals)
    subtree_costs(data, tree, state.values, state.costs)


@part
def trim(data: KernelData, tree: WorkingTree, state: State, top: int) -> None:
    """Replace every split with an empty side, from ``top`` on, by the subtree of its other side."""
    is_reached = np.zeros(len(tree.splits), dtype=np.bool_)
    for i in range(len(state.terminals)):
        node = state.terminals[i]
        while node > 0 and not is_reached[node]:
            is_reached[node] = True
            node //= 2
    changed = False
    for node in range(len(tree.intercepts) - 1, top - 1, -1):
        if tree.splits[node] and not (is_reached[2 * node] and is_reached[2 * node + 1]):
            lift(tree, 2 * node + (1 if is_reached[2 * node + 1] else 0), node)
            changed = True
    if changed:
        settle(data, tree, state, top)


@part
def relabel(data: KernelData, tree: WorkingTree, terminals: IntArray) -> None:
    """Give every terminal node with rows the class that costs least there."""
    n_classes = data.prices.shape[1]
    totals = np.zeros((len(tree.labels), n_classes))
    is_reached = np.zeros(len(tree.labels), dtype=np.bool_)
    for i in range(len(terminals)):
        is_reached[terminals[i]] = True
        for k in range(n_classes):
            totals[terminals[i], k] += data.prices[i, k]
    for node in range(1, len(tree.labels)):
        if is_reached[node]:
            tree.labels[node] = smallest(totals[node])


@part
def try_hyperplane(
    data: KernelData,
    tree: WorkingTree,
    state: State,
    rows: IntArray,
    node: int,
    luck: FloatArray,
    step: int,
) -> bool:
    """Look for a cheaper hyperplane of a node that leaves no leaf below it too light."""
    has_rule = data.least_mass > 0
    weights = tree.weights[node].copy() if has_rule else np.empty(0)
    intercept = tree.intercepts[node]
    if step == 1:
        changed = try_margin_split(data, tree, state, rows, node, luck[2])
    else:
        changed = try_features(data, tree, state, rows, node, luck[3:])
    if changed and has_rule:
        settle(data, tree, state, node)
        if light_terminal(data, tree, state.terminals) > 0:
            for j in range(len(weights)):
                tree.weights[node, j] = weights[j]
            tree.intercepts[node] = intercept
            settle(data, tree, state, node)
            return False
    return changed


@kernel
def light_terminal(data: KernelData, tree: WorkingTree, terminals: IntArray) -> int:
    """Return the last terminal node below a split with too little weight; 0 if there is none."""
    masses = np.zeros(len(tree.splits))
    for i in range(len(terminals)):
        masses[terminals[i]] += data.mass[i]
    for node in range(len(tree.splits) - 1, 1, -1):
        is_terminal = tree.splits[node // 2] and not tree.splits[node]
        if is_terminal and masses[node] < data.least_mass:
            return node
    return 0


@kernel
def obey(data: KernelData, tree: WorkingTree, state: State) -> None:
    """Remove features and splits until no leaf is too light and nothing is over its budget.

    The state is up to date before and after.
    """
    if data.is_sparse and truncate(data, tree):
        settle(data, tree, state, 1)
    node = light_terminal(data, tree, state.terminals)
    while node > 0:
        lift(tree, node - 1 if node % 2 == 1 else node + 1, node // 2)
        settle(data, tree, state, 1)
        node = light_terminal(data, tree, state.terminals)
    while total_splits(tree) > data.max_splits:
        drop_cheapest(data, tree, state)


@part
def drop_cheapest(data: KernelData, tree: WorkingTree, state: State) -> None:
    """Remove the split above two terminal nodes whose removal costs least."""
    best, best_label, least = 0, 0, np.inf
    for node in range(1, len(tree.intercepts)):
        if tree.splits[node] and not (tree.splits[2 * node] or tree.splits[2 * node + 1]):
            rows = rows_below(state.terminals, node)
            label = cheapest_label(data, rows, node)
            loss = price_of_label(data, rows, node, label) - total_of(state.costs[node], rows)
            loss -= features_price(data, tree, node)
            if loss < least:
                best, best_label, least = node, label, loss
    tree.splits[best], tree.labels[best] = False, best_label
    settle(data, tree, state, 1)


@part
def visit(data: KernelData, tree: WorkingTree, state: State, node: int, luck: FloatArray) -> None:
    """Improve one node with everything below it fixed."""
    rows = rows_below(state.terminals, node)
    if len(rows) == 0:
        tree.splits[node] = False
        clear_below(tree, node)
        return
    for step in range(4):
        changed = False
        if step == 3:
            if not (tree.splits[2 * node] or tree.splits[2 * node + 1]):
                changed = try_growing(data, tree, state, rows, node, luck)
        elif not tree.splits[node]:
            continue
        elif step == 0:
            changed = try_pruning(data, tree, state.costs, rows, node)
        else:
            changed = try_hyperplane(data, tree, state, rows, node, luck, step)
        if changed:
            settle(data, tree, state, node)
            if step == 0:
                return


@kernel
def sweep(data: KernelData, tree: WorkingTree, state: State, top: int, luck: FloatArray) -> None:
    """Visit the nodes of the subtree of ``top`` once, the lowest first.

    ``luck`` holds random numbers in [0, 1) for every branch node: two choose classes, one chooses
    the weight of errors in the margin problem, and the others choose features along which to tilt.
    """
    for node in range(len(tree.intercepts) - 1, top - 1, -1):
        reached = node
        while reached > top:
            reached //= 2
        if reached == top and (node == 1 or tree.splits[node // 2]):
            visit(data, tree, state, node, luck[node])


@kernel
def refit(
    data: KernelData,
    tree: WorkingTree,
    state: State,
    rounds: int,
    tolerance: float,
    patience: int,
    power: float,
) -> float:
    """Drop splits with an empty side and polish the others, see `polish`; return the cost."""
    root = max(0, 1)  # a literal would make callees compile once more
    trim(data, tree, state, root)
    cost = price(data, tree, state.values)
    polish(data, tree, state.values, root, rounds, tolerance, patience, power, cost)
    settle(data, tree, state, root)
    return price(data, tree, state.values)
