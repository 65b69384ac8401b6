"""Splits with few features: which features a split may use, and the best split of few.

Features of one group count once. A working tree is *sparse* if rules or prices count features;
then the features of a split are those whose weight is not 0, and a polish keeps to them.
"""

import numpy as np

from margintree._lib.arrays import BoolArray, FloatArray, IntArray
from margintree._lib.jit import kernel, part
from margintree._lib.svm import inner_products, repair_duals, smo, solve_by_rows
from margintree.search.margin.kernels.line_search import best_intercept, sorted_order
from margintree.search.margin.kernels.working_tree import (
    KernelData,
    WorkingTree,
    clear_below,
    gather,
    price_of_groups,
)

FEWEST_STEPS, ROUGH = 10, 0.02
"""Steps beyond one per row, and tolerance, of a margin problem that only proposes a direction. Many
rough proposals find better trees than few exact ones."""
LONG, LONG_SHARE = 300, 4
"""A margin problem of more rows than this, and than this many per feature, is solved row by row."""
PASSES = 5
"""Number of visits to every row in a margin problem that is solved row by row."""
NO_NORM = 1e-6
"""A hyperplane with a smaller norm separates nothing."""
LEAST_FACTOR, LARGEST_FACTOR = 0.2, 5.0
"""Bounds on the change of the regularity from one set of features to the next."""
SPARE = 2
"""Groups are given up one by one from twice the budget and this many more on; before, faster."""
MANY_GROUPS = 60
"""Of more groups than this, only this many are kept in the first step."""
NEWCOMERS = 4
"""Maximum number of groups that join the present ones of a split before some are given up."""
NOISE = 0.5
"""Share by which scores of groups are multiplied up or down at random."""
MULTIPLIER, MODULUS = 16807.0, 2147483647.0
"""Of the random numbers in kernels, which are Lehmer's; their products are exact."""


@part
def seed_of(luck: float) -> FloatArray:
    """Return the seed that a random number in [0, 1) decides."""
    seed = np.array([np.floor(1.0 + luck * (MODULUS - 2.0))])
    for _ in range(3):  # the first numbers of similar seeds are similar
        next_draw(seed)
    return seed


@part
def next_draw(seed: FloatArray) -> float:
    """Return the next random number in (0, 1) and change the seed."""
    seed[0] = seed[0] * MULTIPLIER % MODULUS
    return seed[0] / MODULUS


@kernel
def groups_elsewhere(data: KernelData, tree: WorkingTree, node: int) -> BoolArray:
    """Return which groups the splits other than that of ``node`` use."""
    used = np.zeros(len(data.group_prices), dtype=np.bool_)
    for t in range(1, len(tree.intercepts)):
        if tree.splits[t] and t != node:
            for j in range(tree.weights.shape[1]):
                if tree.weights[t, j] != 0.0:
                    used[data.groups[j]] = True
    return used


@kernel
def is_allowed(data: KernelData, used: BoolArray, elsewhere: BoolArray) -> bool:
    """Tell whether a split may use these groups while other splits use those elsewhere."""
    here = everywhere = 0
    for g in range(len(used)):
        here += used[g]
        everywhere += used[g] or elsewhere[g]
    return here <= data.max_per_split and everywhere <= data.max_groups


@part
def first_groups(data: KernelData, tree: WorkingTree, node: int, seed: FloatArray) -> BoolArray:
    """Return the groups from which the elimination starts.

    Half of the time these are all groups, otherwise those of the present split, or a random set for
    a node that does not split, and a few others.
    """
    n_groups = len(data.group_prices)
    used = np.ones(n_groups, dtype=np.bool_)
    if next_draw(seed) < 0.5:
        return used
    for g in range(n_groups):
        used[g] = False
    if tree.splits[node]:
        for j in range(tree.weights.shape[1]):
            if tree.weights[node, j] != 0.0:
                used[data.groups[j]] = True
    else:
        for _ in range(min(data.max_per_split, data.max_groups) - 1):
            used[int(next_draw(seed) * n_groups)] = True
    for _ in range(1 + int(next_draw(seed) * NEWCOMERS)):
        used[int(next_draw(seed) * n_groups)] = True
    return used


@kernel
def features_of(data: KernelData, used: BoolArray) -> IntArray:
    """Return the features of these groups."""
    features = np.empty(len(data.groups), dtype=np.int64)
    count = 0
    for j in range(len(data.groups)):
        if used[data.groups[j]]:
            features[count] = j
            count += 1
    return features[:count]


@kernel
def columns(X: FloatArray, rows: IntArray, features: IntArray) -> FloatArray:
    """Return ``X[rows][:, features]`` as a contiguous array."""
    block = np.empty((len(rows), len(features)))
    for k in range(len(rows)):
        for j in range(len(features)):
            block[k, j] = X[rows[k], features[j]]
    return block


@kernel
def products_of(block: FloatArray) -> FloatArray:
    """Return the inner products of the rows of a block."""
    m, p = block.shape
    gram, turned = np.zeros((m, m)), np.empty((p, m))
    for i in range(m):
        for j in range(p):
            turned[j, i] = block[i, j]
    for i in range(m):
        for j in range(p):
            entry = block[i, j]
            for k in range(i + 1):  # the processor adds several of these at once
                gram[i, k] += entry * turned[j, k]
        for k in range(i):
            gram[k, i] = gram[i, k]
    return gram


@kernel
def supported_products(
    data: KernelData, tree: WorkingTree, node: int, rows: IntArray
) -> FloatArray:
    """Return the inner products of rows in the features that a split may use."""
    if not data.is_sparse:
        return inner_products(data.gram, rows)
    features = np.empty(len(data.groups), dtype=np.int64)
    count = 0
    for j in range(len(features)):
        if tree.weights[node, j] != 0.0:
            features[count] = j
            count += 1
    return products_of(columns(data.X, rows, features[:count]))


@part
def group_scores(
    data: KernelData, block: FloatArray, normal: FloatArray, features: IntArray, seed: FloatArray
) -> FloatArray:
    """Return how much each group moves the rows: weight times spread, half of the time with noise.

    Groups without a feature in the block score infinity.
    """
    scores = np.full(len(data.group_prices), np.inf)
    noise = NOISE if next_draw(seed) < 0.5 else 0.0
    for j in range(len(features)):
        mean = squared = 0.0
        for k in range(len(block)):
            mean += block[k, j] / len(block)
        for k in range(len(block)):
            squared += (block[k, j] - mean) ** 2
        g = data.groups[features[j]]
        if scores[g] == np.inf:
            scores[g] = 0.0
        scores[g] += abs(normal[j]) * np.sqrt(squared)
    for g in range(len(scores)):
        scores[g] *= 1.0 + noise * (2.0 * next_draw(seed) - 1.0)
    return scores


@part
def give_up(
    data: KernelData, used: BoolArray, elsewhere: BoolArray, scores: FloatArray, has_prices: bool
) -> bool:
    """Give up the groups that matter least; tell whether any could be given up.

    Where only the tree uses too many groups, those that other splits use anyway are kept.
    """
    here = new = old = 0
    for g in range(len(used)):
        here += used[g]
        new += used[g] and not elsewhere[g]
        old += elsewhere[g]
    is_wide = here > data.max_per_split or (has_prices and new + old <= data.max_groups)
    few = 2 * min(data.max_per_split, data.max_groups) + SPARE
    count = 1
    if here > MANY_GROUPS and few < MANY_GROUPS:
        count = here - MANY_GROUPS
    elif here > few:
        count = min(here // 3, here - few)
    done = 0
    for g in sorted_order(scores):
        if done < min(max(count, 1), here - 1) and used[g] and (is_wide or not elsewhere[g]):
            used[g] = False
            done += 1
    return done > 0


@kernel
def direction_of(
    block: FloatArray,
    gram: FloatArray,
    sides: FloatArray,
    box: FloatArray,
    regular: float,
    beta: FloatArray,
) -> FloatArray:
    """Return the normal vector of a rough margin problem of a block; improve its dual variables."""
    m, p = block.shape
    if len(gram) == m:
        smo(gram, sides, box, -np.inf, np.inf, regular, beta, m + FEWEST_STEPS, ROUGH)
    else:
        solve_by_rows(block, np.arange(m), sides, box, regular, beta, PASSES)
        repair_duals(beta, sides, box)
    normal = np.zeros(p)
    for k in range(m):
        if beta[k] != 0.0:
            for j in range(p):
                normal[j] += beta[k] / regular * block[k, j]
    return normal


@part
def length_of(vector: FloatArray) -> float:
    """Return the Euclidean norm."""
    squared = 0.0
    for j in range(len(vector)):
        squared += vector[j] * vector[j]
    return np.sqrt(squared)


@part
def is_short(data: KernelData, m: int, n_features: int) -> bool:
    """Tell whether a margin problem of m rows is solved by pairs of rows."""
    return m <= max(LONG, LONG_SHARE * n_features) and len(data.gram) > 0


@kernel
def sparse_split(
    data: KernelData,
    tree: WorkingTree,
    node: int,
    rows: IntArray,
    sides: FloatArray,
    left_costs: FloatArray,
    right_costs: FloatArray,
    box: FloatArray,
    beta: FloatArray,
    limit: float,
    luck: float,
) -> float:
    """Put a split of few features into a node if it costs less than ``limit``, features included.

    Solves margin problems in fewer and fewer groups of features, and gives up those that move the
    rows least. Every set of groups that is allowed gets its best intercept and is priced; without
    prices of features the first one is best. Returns the cost; infinity for no change.
    """
    m, has_prices = len(rows), price_of_groups(data, np.ones(len(data.group_prices), np.bool_)) > 0
    seed = seed_of(luck)
    elsewhere = groups_elsewhere(data, tree, node)
    used = first_groups(data, tree, node, seed)
    pull, mass = gather(data.pull, rows), gather(data.mass, rows)
    regular, best = tree.shares[node], np.inf
    while True:
        features = features_of(data, used)
        block = columns(data.X, rows, features)
        gram = np.empty((0, 0))
        if is_short(data, m, len(features)):
            is_all = len(features) == len(data.groups)
            gram = inner_products(data.gram, rows) if is_all else products_of(block)
        normal = direction_of(block, gram, sides, box, regular, beta)
        norm = length_of(normal)
        if norm <= NO_NORM:
            return best
        if is_allowed(data, used, elsewhere):
            factor = tree.scale[0] / norm
            values = np.zeros(m)
            for k in range(m):
                for j in range(len(features)):
                    values[k] += normal[j] * factor * block[k, j]
            intercept, cost = best_intercept(
                values, left_costs, right_costs, pull, mass, data.eps, data.least_mass
            )
            cost += price_of_groups(data, used)
            if cost < limit:
                best = limit = cost
                write_split(tree, node, rows, beta, features, normal, factor, intercept)
            if not has_prices:
                return best
        scores = group_scores(data, block, normal, features, seed)
        if not give_up(data, used, elsewhere, scores, has_prices):
            return best
        regular *= min(max(norm / tree.scale[0], LEAST_FACTOR), LARGEST_FACTOR)


@part
def write_split(
    tree: WorkingTree,
    node: int,
    rows: IntArray,
    beta: FloatArray,
    features: IntArray,
    normal: FloatArray,
    factor: float,
    intercept: float,
) -> None:
    """Write a hyperplane of some features into a node, with its dual variables."""
    for i in range(tree.duals.shape[1]):
        tree.duals[node, i] = 0.0
    if tree.duals.shape[1] > 0:
        for k in range(len(rows)):
            tree.duals[node, rows[k]] = beta[k]
    for j in range(tree.weights.shape[1]):
        tree.weights[node, j] = 0.0
    for j in range(len(features)):
        tree.weights[node, features[j]] = normal[j] * factor
    tree.intercepts[node] = intercept


@kernel
def exchange(
    data: KernelData, tree: WorkingTree, node: int, luck: float
) -> tuple[int, IntArray, float]:
    """Return a feature to tilt along, the features to give up for it, and the price of the split.

    Half of the time the feature is one of the split's own. Another one may need room: then a group
    of the split is given up, the one with the smallest weights or, half of the time, a random one.
    The price is infinite if the split would still use too many.
    """
    seed = seed_of(luck)
    used = np.zeros(len(data.group_prices), dtype=np.bool_)
    sizes = np.zeros(len(data.group_prices))
    for j in range(tree.weights.shape[1]):
        if tree.weights[node, j] != 0.0:
            used[data.groups[j]] = True
            sizes[data.groups[j]] += abs(tree.weights[node, j])
    own = features_of(data, used)
    feature = int(next_draw(seed) * len(data.groups))
    if next_draw(seed) < 0.5 and len(own) > 0:
        feature = int(own[int(next_draw(seed) * len(own))])
    given_up = np.zeros(len(used), dtype=np.bool_)
    if not used[data.groups[feature]]:
        elsewhere = groups_elsewhere(data, tree, node)
        used[data.groups[feature]] = True
        if not is_allowed(data, used, elsewhere) and len(own) > 0:
            victim = data.groups[own[int(next_draw(seed) * len(own))]]
            if next_draw(seed) < 0.5:
                for g in range(len(sizes)):
                    if 0.0 < sizes[g] < sizes[victim]:
                        victim = g
            used[victim], given_up[victim] = False, True
        if not is_allowed(data, used, elsewhere):
            return feature, features_of(data, given_up), np.inf
    return feature, features_of(data, given_up), price_of_groups(data, used)


@kernel
def truncate(data: KernelData, tree: WorkingTree) -> bool:
    """Give up the smallest weights until the budgets of features are kept; tell whether any was.

    A split that keeps no feature is removed. The normal vectors keep the common norm.
    """
    n_branch, n_groups = len(tree.intercepts), len(data.group_prices)
    sizes = np.zeros((n_branch, n_groups))
    for node in range(1, n_branch):
        if tree.splits[node]:
            for j in range(tree.weights.shape[1]):
                sizes[node, data.groups[j]] += abs(tree.weights[node, j])
    totals = np.zeros(n_groups)
    for node in range(1, n_branch):
        keep_largest(sizes[node], data.max_per_split)
        for g in range(n_groups):
            totals[g] += sizes[node, g]
    keep_largest(totals, data.max_groups)
    changed = False
    for node in range(1, n_branch):
        for g in range(n_groups):
            if totals[g] == 0.0:
                sizes[node, g] = 0.0
        changed |= tree.splits[node] and restrict(data, tree, node, sizes[node])
    return changed


@part
def keep_largest(sizes: FloatArray, count: int) -> None:
    """Set all but the largest entries to 0."""
    if count < len(sizes):
        order = sorted_order(sizes)
        for k in range(len(sizes) - count):
            sizes[order[k]] = 0.0


@kernel
def restrict(data: KernelData, tree: WorkingTree, node: int, sizes: FloatArray) -> bool:
    """Restrict a split to the groups of positive size; tell whether its features changed.

    The intercept makes up for the mean of what is lost.
    """
    before = after = lost = 0.0
    changed = False
    for j in range(tree.weights.shape[1]):
        before += tree.weights[node, j] ** 2
        if sizes[data.groups[j]] > 0.0:
            after += tree.weights[node, j] ** 2
        elif tree.weights[node, j] != 0.0:
            changed = True
            for i in range(len(data.X)):
                lost += tree.weights[node, j] * data.X[i, j] / len(data.X)
    if not changed:
        return False
    if after == 0.0:
        tree.splits[node] = False
        clear_below(tree, node)
        return True
    factor = np.sqrt(before / after)
    tree.intercepts[node] = (tree.intercepts[node] + lost) * factor
    for j in range(tree.weights.shape[1]):
        tree.weights[node, j] *= factor if sizes[data.groups[j]] > 0.0 else 0.0
    return True
