"""Local search: improve node after node, bottom-up, with the subtrees below fixed.

At a fixed common norm a node sees only the cost of each of its rows on the left and on the right. A
margin problem in which every row pulls towards its cheaper side proposes a direction. An exact line
search then finds the intercept and counts every error and the routing margin.
"""

from typing import NamedTuple

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray
from margintree._lib.jit import kernel, part
from margintree._lib.svm import inner_products, repair_duals, smo, solve_by_rows
from margintree.search.margin.kernels.line_search import best_intercept, best_step
from margintree.search.margin.kernels.polish import NO_DIRECTION, polish, set_hyperplane
from margintree.search.margin.kernels.working_tree import (
    KernelData,
    WorkingTree,
    clear_below,
    count_splits,
    lift,
    margin_price,
    price,
    price_of_label,
    refresh_values,
    rows_below,
    smallest,
    stop_price,
    subtree_costs,
    terminal_of_rows,
    total_splits,
)

_GAIN = 1e-9
"""Least relative gain that counts, so that rounding cannot cause cycles."""
_LEAST_GAIN = 1e-12
"""Least absolute gain that counts, for costs near 0."""
_NOTHING_LEFT = 1e-12
"""A tilt that leaves less than this share of a hyperplane's squared norm is not tried."""
FEWEST_STEPS, ROUGH = 10, 0.02
"""Steps beyond one per row, and tolerance, of a margin problem that only proposes a direction. Many
rough proposals find better trees than few exact ones."""
LONG, LONG_SHARE = 300, 4
"""A margin problem of more rows than this, and than this many per feature, is solved row by row."""
PASSES = 5
"""Number of visits to every row in a margin problem that is solved row by row."""
NO_NORM = 1e-6
"""A hyperplane with a smaller norm separates nothing."""
TOO_SHORT, TOO_LONG = 0.7, 1.5
"""A margin problem is solved again if the ratio of its norm to the common one is not in between."""
STRONG, WEAK = 1.0, 0.2
"""Weight of an error beside a violation in a margin problem; one of the two at random."""
_CANCELLED = 1e-5
"""The terms of a sum nearly cancel if less than this share of the squared sizes is left."""


class State(NamedTuple):
    """Values derived from a working tree and stored while it changes."""

    values: FloatArray  # f_t(x_i) of every splitting node, (2**D, n)
    costs: FloatArray  # the cost of each row from each node on, (2**(D+1), n)
    terminals: IntArray  # the terminal node of each row


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
def margin_split(
    data: KernelData,
    tree: WorkingTree,
    node: int,
    rows: IntArray,
    sides: FloatArray,
    left_costs: FloatArray,
    right_costs: FloatArray,
    emphasis: float,
    limit: float,
) -> float:
    """Put the split of a margin problem into a node if it costs less than ``limit``.

    Every row pulls towards its side with its margin price plus ``emphasis`` times the extra cost of
    the other side. Rows with side 0 are left out. Returns the cost of the rows; infinity for no
    change.
    """
    m = len(rows)
    box, beta, pull = np.empty(m), np.empty(m), np.empty(m)
    mass = gather(data.mass, rows)
    for k in range(m):
        pull[k] = data.pull[rows[k]]
        strength = pull[k] + emphasis * abs(left_costs[k] - right_costs[k])
        box[k] = strength if sides[k] != 0 else 0.0
        beta[k] = tree.duals[node, rows[k]] if sides[k] != 0 else 0.0
    repair_duals(beta, sides, box)
    by_pairs = m <= max(LONG, LONG_SHARE * data.X.shape[1])
    gram = inner_products(data.gram, rows) if by_pairs else data.gram
    regular = tree.shares[node]
    projections, norm = np.empty(0), 0.0
    for _ in range(2):
        if by_pairs:
            steps = m + FEWEST_STEPS
            projections, _ = smo(gram, sides, box, -np.inf, np.inf, regular, beta, steps, ROUGH)
        else:
            solve_by_rows(data.X, rows, sides, box, regular, beta, PASSES)
            repair_duals(beta, sides, box)
            projections = np.zeros(m)
        norm = norm_of_duals(data, rows, beta, regular, projections)
        if norm <= NO_NORM or norm * regular <= NO_DIRECTION:
            return np.inf
        if TOO_SHORT < norm / tree.scale[0] < TOO_LONG:
            break
        regular *= norm / tree.scale[0]
    for k in range(m):
        projections[k] *= tree.scale[0] / norm
    intercept, cost = best_intercept(
        projections, left_costs, right_costs, pull, mass, data.eps, data.least_mass
    )
    if cost >= limit:
        return np.inf
    set_hyperplane(data, tree, node, rows, beta, intercept, tree.scale[0])
    tree.intercepts[node] = intercept
    return cost


@part
def norm_of_duals(
    data: KernelData, rows: IntArray, beta: FloatArray, regular: float, projections: FloatArray
) -> float:
    """Return the norm of the hyperplane of dual variables, given the values ``w @ x`` of its rows.

    If the values are 0 or the dual variables nearly cancel, the values are computed again.
    """
    squared, total = 0.0, 0.0
    for k in range(len(rows)):
        squared += beta[k] * projections[k]
        total += abs(beta[k])
    if squared * regular >= _CANCELLED * total * total:
        return np.sqrt(squared / regular)
    normal = np.zeros(data.X.shape[1])
    for k in range(len(rows)):
        for j in range(len(normal)):
            normal[j] += beta[k] / regular * data.X[rows[k], j]
    for k in range(len(rows)):
        projections[k] = 0.0
        for j in range(len(normal)):
            projections[k] += normal[j] * data.X[rows[k], j]
    squared = 0.0
    for j in range(len(normal)):
        squared += normal[j] * normal[j]
    return np.sqrt(squared)


@kernel
def preferred_sides(
    left_costs: FloatArray, right_costs: FloatArray, values: FloatArray, sides: FloatArray
) -> bool:
    """Write the cheaper side of each row, its own in a tie; tell whether both sides are wanted."""
    n_right = n_left = 0
    for k in range(len(sides)):
        difference = left_costs[k] - right_costs[k]
        if difference == 0:
            difference = values[k]
        sides[k] = 1.0 if difference > 0 else (-1.0 if difference < 0 else 0.0)
        n_right += sides[k] > 0
        n_left += sides[k] < 0
    return n_right > 0 and n_left > 0


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
    here = total_of(costs[node], rows) + data.split_price * count_splits(tree, node)
    keep = here * (1 - _GAIN) - _LEAST_GAIN
    label = cheapest_label(data, rows, node)
    alone = price_of_label(data, rows, node, label)
    child, cost = 2 * node, np.inf
    for side in range(2):
        below = count_splits(tree, 2 * node + side)
        total = total_of(costs[2 * node + side], rows) + data.split_price * below
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
    limit = total_of(state.costs[node], rows) * (1 - _GAIN) - _LEAST_GAIN
    cost = margin_split(data, tree, node, rows, sides, left_costs, right_costs, emphasis, limit)
    return cost < limit


@part
def try_features(
    data: KernelData, tree: WorkingTree, state: State, rows: IntArray, node: int, luck: FloatArray
) -> bool:
    """Tilt a splitting node along a few random features, one for each number of ``luck``."""
    left_costs = gather(state.costs[2 * node], rows)
    right_costs = gather(state.costs[2 * node + 1], rows)
    pull, mass = gather(data.pull, rows), gather(data.mass, rows)
    limit = total_of(state.costs[node], rows) * (1 - _GAIN) - _LEAST_GAIN
    here = gather(state.values[node], rows)
    column, m, scale = np.empty(len(rows)), len(rows), tree.scale[0]
    changed = False
    for draw in luck:
        feature = int(draw * data.X.shape[1])
        for k in range(m):
            column[k] = data.X[rows[k], feature]
        step, promise = best_step(here, column, left_costs, right_costs, pull, data.eps, scale)
        if promise >= limit:
            continue
        squared = scale * scale + step * (2 * tree.weights[node, feature] + step)
        if squared <= _NOTHING_LEFT * scale * scale:
            continue
        factor = scale / np.sqrt(squared)
        for k in range(m):
            column[k] = (here[k] - tree.intercepts[node] + step * column[k]) * factor
        intercept, cost = best_intercept(
            column, left_costs, right_costs, pull, mass, data.eps, data.least_mass
        )
        if cost < limit:
            limit, changed = cost, True
            tree.weights[node, feature] += step
            for j in range(data.X.shape[1]):
                tree.weights[node, j] *= factor
            tree.intercepts[node] = intercept
            for k in range(m):
                here[k] = column[k] + intercept
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
    cost = margin_split(data, tree, node, rows, sides, left_costs, right_costs, 1.0, limit)
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
    """Remove splits until no leaf is too light and there are not too many splits.

    The state is up to date before and after.
    """
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
