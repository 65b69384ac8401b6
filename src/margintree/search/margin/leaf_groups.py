"""Search for good leaf groups, and construction of trees from them.

`margintree.search.margin.kernels.leaf_groups` explains leaf groups.
"""

from functools import cache
from itertools import combinations

import numpy as np

from margintree._lib.arrays import IntArray
from margintree._lib.svm import inner_products, smo
from margintree.search.margin.groupings import nearest
from margintree.search.margin.kernels.leaf_groups import (
    LeafGroups,
    arrange,
    move_rows,
    prices_of_groups,
    rows_and_sides,
)
from margintree.search.margin.kernels.polish import set_hyperplane
from margintree.search.margin.kernels.working_tree import KernelData
from margintree.search.margin.local_search import LocalSearch

MAX_DEPTH = 3
"""Beyond this depth there are too many ways to assign groups to the leaves of a tree."""
MAX_ROWS = 300
"""With more rows than this, leaf groups take too long."""
DESCENTS = 2
"""Number of descents that take about as long as one improvement of leaf groups."""
MAX_FAILED_ROUNDS = 2
"""Rearrangements in a row without a gain after which a chain tries no more."""
MAX_FAILED_SHIFTS = 10
"""Shifts in a row without a gain that end a rearrangement."""
LEAST_DESCENTS = (1 + MAX_FAILED_SHIFTS) * DESCENTS + 1
"""Number of descents that the shortest rearrangement counts as, its own descent included."""
MAX_PASSES = 4
"""Maximum number of passes over all moves of rows before the groups are arranged again."""
GAIN = 1e-3
"""Relative gain of moves or arrangements below which the improvement of leaf groups ends."""
LEAST = 1e-4
"""Least relative gain for which a row moves, or for which leaf groups replace the best ones."""
CLOSE = 1.03
"""Leaf groups that cost up to this many times the best ones are shifted next."""
REACH = 1.0
"""A row further than this on the other side of a split, in margins, is not moved across it."""
HOPE = 1.3
"""Leaf groups that cost this many times the best ones before any row moves are given up."""
WRONG = 3.0
"""Price of a row on the wrong side, per unit of distance, in errors."""
REGULARITY = 0.1
"""Regularity of margin problems that have not been solved yet."""
NORMS = 0.85, 1.2
"""Bounds of the factor by which a shift changes the norm."""
WORK_BETWEEN_LOOKS = 30_000
"""Rows times moves of a row between two checks of the clock."""
STEPS, TOLERANCE = 40, 1e-3
"""Accuracy of the margin problems of the tree: steps per row, and tolerance."""


def has_groups(data: KernelData) -> bool:
    """Tell whether there are few enough rows and leaves, and whether only leaves see labels.

    With only two leaves there is nothing to rearrange.
    """
    is_small = 1 < data.depth <= MAX_DEPTH and len(data.X) <= MAX_ROWS
    return is_small and not bool(data.tolls.any())


def rearrange(local: LocalSearch, limit: float, max_descents: int) -> tuple[float, int]:
    """Improve the leaf groups of the tree by shifts, build their tree, and descend.

    Returns the cost and the number of descents that all this counts as. The cost is infinite if the
    limit ended the descent, or if time was over before there was a tree.
    """
    leaf_groups = best = new_groups(local, groups_in_leaves(local))
    least, done, failures = improve_groups(local, leaf_groups), DESCENTS + 1, 0
    while failures < MAX_FAILED_SHIFTS and done + DESCENTS <= max_descents and not local.is_over():
        other = shift(local, leaf_groups)
        cost = improve_groups(local, other, least * HOPE)
        done += DESCENTS
        failures += 1
        if cost < least * (1 - LEAST):
            best, least, failures = other, cost, 0
        if cost < least * CLOSE:
            leaf_groups = other
    if local.is_over():  # these leaf groups differ from those of a search without a limit
        return np.inf, done
    lay(local, best)
    return local.descend(limit=limit), done


def groups_in_leaves(local: LocalSearch) -> IntArray:
    """Return the leaf of every row, counted from 0: the leftmost leaf below its terminal node."""
    n_leaves = 2**local.data.depth
    leaves: IntArray = local.state.terminals.copy()
    while leaves.min() < n_leaves:
        leaves[leaves < n_leaves] *= 2
    leaves -= n_leaves
    return leaves


@cache
def halvings(depth: int) -> tuple[IntArray, IntArray]:
    """Return all sets of 2, 4, ... groups in that order, each with every half that may go right.

    Of the two halves of a set only one is listed, because left and right are alike.

    Examples
    --------
    >>> wholes, halves = halvings(1)
    >>> wholes, halves
    (array([3]), array([2]))
    >>> len(halvings(3)[0])
    273
    """
    bits = [1 << group for group in range(2**depth)]
    pairs = [
        (sum(members), sum(half))
        for height in range(1, depth + 1)
        for members in combinations(bits, 2**height)
        for half in combinations(members[1:], 2 ** (height - 1))
    ]
    wholes, halves = np.array(pairs, dtype=np.int64).T.copy()
    return wholes, halves


@cache
def ways_of_leaves(depth: int) -> IntArray:
    """Return the way in which every node divides its groups if each group has its own leaf.

    Examples
    --------
    >>> wholes, halves = halvings(2)
    >>> for way in ways_of_leaves(2)[1:]:
    ...     print(f"{wholes[way]:04b} {halves[way]:04b}")
    1111 1100
    0011 0010
    1100 1000
    """
    numbers = {pair: way for way, pair in enumerate(zip(*halvings(depth), strict=True))}
    ways = np.full(2**depth, -1)
    masks = [0] * 2**depth + [1 << leaf for leaf in range(2**depth)]
    for node in range(2**depth - 1, 0, -1):
        half = masks[2 * node + 1]
        masks[node] = masks[2 * node] | half
        ways[node] = numbers[masks[node], half]
    return ways


def improve_groups(local: LocalSearch, leaf_groups: LeafGroups, limit: float = np.inf) -> float:
    """Move rows between groups and arrange the groups in turn until the gain is small.

    Returns the cost of the leaf groups. Returns the limit, and changes nothing, if they cost more
    than the limit before any row moves.
    """
    cost, before = arrange(local.data, leaf_groups, limit), np.inf
    while cost < min(before * (1 - GAIN), limit) and not local.is_over():
        for _ in range(MAX_PASSES):
            if move_all_rows(local, leaf_groups, cost * LEAST) < cost * GAIN:
                break
        before, cost = cost, arrange(local.data, leaf_groups, np.inf)
    return cost


def new_groups(local: LocalSearch, groups: IntArray) -> LeafGroups:
    """Return leaf groups with these groups of rows, and with the tree's dual variables.

    The groups are not arranged yet; their first ways are those of the leaves of a full tree.
    """
    wholes, halves = halvings(local.data.depth)
    ways = ways_of_leaves(local.data.depth)
    duals = np.zeros((len(wholes), len(groups)))
    is_split = local.working.splits[1 : len(ways)]
    duals[ways[1:]] = local.working.duals[1:] * is_split[:, None]
    return LeafGroups(
        groups=groups.copy(),
        wholes=wholes,
        halves=halves,
        ways=ways.copy(),
        duals=duals,
        regularity=np.full(len(duals), REGULARITY),
        planes=np.zeros((len(duals), local.data.X.shape[1] + 1)),
        wrong=WRONG * float(local.dearest.max()),
        scale=local.scale,
    )


def move_all_rows(local: LocalSearch, leaf_groups: LeafGroups, least: float) -> float:
    """Try every group for every row, in random order; return the gain.

    Every move must gain more than ``least``.
    """
    n_rows, n_groups = len(leaf_groups.groups), 2**local.data.depth
    moves = local.rng.permutation(n_rows * n_groups)
    n_at_once = max(1, WORK_BETWEEN_LOOKS // n_rows)
    gain = 0.0
    for first in range(0, len(moves), n_at_once):
        if not local.is_over():
            rows, targets = np.divmod(moves[first : first + n_at_once], n_groups)
            limits = np.full(len(rows), -least)
            gain += move_rows(local.data, leaf_groups, rows, targets, limits, REACH)
    return gain


def shift(local: LocalSearch, leaf_groups: LeafGroups) -> LeafGroups:
    """Return leaf groups with changed groups and another norm; they keep all other knowledge.

    Either a group is replaced, or a single row goes to another group. Moving a row may gain nothing
    in the present arrangement, but may allow a better one.
    """
    change = replace_group if local.rng.random() < 0.5 else send_row
    return leaf_groups._replace(
        groups=change(local, leaf_groups.groups.copy()),
        ways=leaf_groups.ways.copy(),
        duals=leaf_groups.duals.copy(),
        regularity=leaf_groups.regularity.copy(),
        planes=np.zeros_like(leaf_groups.planes),
        scale=leaf_groups.scale * local.rng.uniform(*NORMS),
    )


def replace_group(local: LocalSearch, groups: IntArray) -> IntArray:
    """Dissolve one group and divide another one in two.

    The rows of the first go to another group of the same class if there is one.
    """
    rng, classes = local.rng, prices_of_groups(local.data, groups).argmin(axis=1)
    given_up = int(rng.integers(len(classes)))
    present = np.flatnonzero(np.bincount(groups, minlength=len(classes)))
    others = present[present != given_up]
    alike = others[classes[others] == classes[given_up]]
    if not len(others):
        return cut_group(local, groups, (given_up + 1) % len(classes))
    groups[groups == given_up] = pick(rng, alike if len(alike) else others)
    return cut_group(local, groups, given_up)


def send_row(local: LocalSearch, groups: IntArray) -> IntArray:
    """Send a row to another group: one of its own class or without rows, if there is one."""
    rng, prices = local.rng, prices_of_groups(local.data, groups)
    row = int(rng.integers(len(groups)))
    others = np.delete(np.arange(len(prices)), groups[row])
    label = local.data.prices[row].argmin()
    fitting = others[prices[others, label] <= prices[others].min(axis=1)]
    groups[row] = pick(rng, fitting if len(fitting) else others)
    return groups


def cut_group(local: LocalSearch, groups: IntArray, new: int) -> IntArray:
    """Divide a group in two by the closer of two random rows; one part becomes group ``new``."""
    rng = local.rng
    large = np.flatnonzero(np.bincount(groups) > 1)
    if len(large):
        rows = np.flatnonzero(groups == pick(rng, large))
        X = local.data.X[rows]
        groups[rows[nearest(X, X[rng.choice(len(rows), size=2, replace=False)]) == 1]] = new
    return groups


def pick(rng: np.random.Generator, members: IntArray) -> int:
    """Return a random member, in a fraction of the time of `Generator.choice`."""
    return int(members[rng.integers(len(members))])


def lay(local: LocalSearch, leaf_groups: LeafGroups) -> None:
    """Put the tree of leaf groups into the local search."""
    local.clear(leaf_groups.scale)
    lay_below(local, leaf_groups, 1, 1)
    local.settle()
    local.polish(exactly=False)


def lay_below(local: LocalSearch, leaf_groups: LeafGroups, source: int, node: int) -> None:
    """Build the tree of leaf groups below a node, without splits that have an empty side."""
    if source >= len(leaf_groups.ways) or leaf_groups.ways[source] < 0:
        return
    way = leaf_groups.ways[source]
    rows, sides = rows_and_sides(leaf_groups, way)
    if abs(sides.sum()) == len(rows):
        lay_below(local, leaf_groups, 2 * source + int(sides.sum() > 0), node)
        return
    data, working, beta = local.data, local.working, np.zeros(len(rows))
    gram, box, beyond = inner_products(data.gram, rows), data.pull[rows], data.eps + TOLERANCE / 2
    regular, steps = leaf_groups.regularity[way], STEPS * len(rows)
    _, intercept = smo(gram, sides, box, beyond, np.inf, regular, beta, steps, TOLERANCE)
    working.splits[node], working.shares[node] = True, regular
    working.weights[node] = local.scale / np.sqrt(data.X.shape[1])  # any feature may be used here
    set_hyperplane(data, working, node, rows, beta, intercept, local.scale)
    lay_below(local, leaf_groups, 2 * source, 2 * node)
    lay_below(local, leaf_groups, 2 * source + 1, 2 * node + 1)
