"""Searching for good leaf groups, and building trees from them.

`margintree.search.margin.kernels.leaf_groups` explains what they are.
"""

from functools import cache
from itertools import combinations

import numpy as np

from margintree._lib.arrays import IntArray
from margintree.search.margin.groupings import nearest
from margintree.search.margin.kernels.leaf_groups import (
    LeafGroups,
    arrange,
    move_rows,
    prices_of_groups,
    rows_and_sides,
)
from margintree.search.margin.kernels.polish import set_hyperplane
from margintree.search.margin.kernels.svm import inner_products, smo
from margintree.search.margin.kernels.working_tree import KernelData
from margintree.search.margin.local_search import LocalSearch

MAX_DEPTH = 3
"""Beyond this depth there are too many ways to hang groups into a tree."""
MAX_ROWS = 300
"""With more rows than this, leaf groups take too long."""
DESCENTS = 2
"""Descents that take about as long as to improve leaf groups."""
MAX_FAILED_ROUNDS = 5
"""Rearrangements in a row without a gain after which no more are tried."""
MAX_FAILED_SHIFTS = 10
"""Shifts in a row without a gain that end a rearrangement."""
LEAST_DESCENTS = (1 + MAX_FAILED_SHIFTS) * DESCENTS + 1
"""What the shortest rearrangement counts as, its descent included; none is begun for less."""
MAX_PASSES = 4
"""How often all moves of a row are tried before the groups hang anew."""
GAIN = 1e-3
"""Relative gain of moves, or of groups that hang otherwise, below which leaf groups are done."""
LEAST = 1e-4
"""Relative gain for which a row is moved, or leaf groups replaced by another."""
CLOSE = 1.03
"""leaf groups that costs up to this many times the best one is the next to be shifted."""
HOPE = 1.3
"""leaf groups that costs this many times the best one before any of its rows moves is given up."""
WRONG = 3.0
"""What a row pays by the unit that it is on the wrong side, in errors."""
REGULARITY = 0.1
"""Of margin problems that have not been solved yet."""
NORMS = 0.85, 1.2
"""Bounds of the factor by which a shift changes the norm."""
WORK_BETWEEN_LOOKS = 30_000
"""Rows times moves of a row after which the clock is looked at."""
STEPS, TOLERANCE = 40, 1e-3
"""How well margin problems are solved for the tree: steps by row."""


def has_groups(data: KernelData) -> bool:
    """Tell whether there are few enough rows and leaves, and whether only leaves see labels.

    Where there are but two leaves, nothing can hang otherwise.
    """
    is_small = 1 < data.depth <= MAX_DEPTH and len(data.X) <= MAX_ROWS
    return is_small and not bool(data.tolls.any())


def rearrange(local: LocalSearch, limit: float, max_descents: int) -> tuple[float, int]:
    """Improve the leaf groups of the tree, by shifts, lay down its tree, and descend.

    Returns the cost of that, and how many descents all of it counts as. The cost is infinite
    where the descent was given up because of the limit, or where time was over before there was a
    tree.
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
    if local.is_over():  # other leaf groups than without a limit
        return np.inf, done
    lay(local, best)
    return local.descend(limit=limit), done


def groups_in_leaves(local: LocalSearch) -> IntArray:
    """Return the leaf of every row, counted from 0, the leftmost below its terminal node."""
    n_leaves = 2**local.data.depth
    leaves: IntArray = local.state.terminals.copy()
    while leaves.min() < n_leaves:
        leaves[leaves < n_leaves] *= 2
    leaves -= n_leaves
    return leaves


@cache
def halvings(depth: int) -> tuple[IntArray, IntArray]:
    """Return all sets of 2, 4, ... groups in that order, each with every half that may go right.

    Of two halves that make up a set only one is listed, for left and right are alike.

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
    """Return the way in which every node parts its groups where each group has its own leaf.

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
    """Move rows between groups and hang the groups anew, by turns, until that gains little.

    Returns what the leaf groups cost. Returns the limit, and hangs nothing, if they cost more than
    the limit before any row moves.
    """
    cost, before = arrange(local.data, leaf_groups, limit), np.inf
    while cost < min(before * (1 - GAIN), limit) and not local.is_over():
        for _ in range(MAX_PASSES):
            if move_all_rows(local, leaf_groups, cost * LEAST) < cost * GAIN:
                break
        before, cost = cost, arrange(local.data, leaf_groups, np.inf)
    return cost


def new_groups(local: LocalSearch, groups: IntArray) -> LeafGroups:
    """Return leaf groups of some groups, with what the tree knows of its splits.

    They do not hang yet, but those of the leaves of a full tree would be a good guess.
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

    A move has to gain more than ``least``.
    """
    n_rows, n_groups = len(leaf_groups.groups), 2**local.data.depth
    moves = local.rng.permutation(n_rows * n_groups)
    n_at_once = max(1, WORK_BETWEEN_LOOKS // n_rows)
    gain = 0.0
    for first in range(0, len(moves), n_at_once):
        if not local.is_over():
            rows, targets = np.divmod(moves[first : first + n_at_once], n_groups)
            gain += move_rows(local.data, leaf_groups, rows, targets, least)
    return gain


def shift(local: LocalSearch, leaf_groups: LeafGroups) -> LeafGroups:
    """Return leaf groups of other groups and another norm, with all that is known of this one.

    By chance it is a group that is replaced, or a single row that goes elsewhere: to move a row
    where the groups hang may gain nothing, and yet they may hang better once it has moved.
    """
    change = replace_group if local.rng.random() < 0.5 else send_row
    return LeafGroups(
        groups=change(local, leaf_groups.groups.copy()),
        wholes=leaf_groups.wholes,
        halves=leaf_groups.halves,
        ways=leaf_groups.ways.copy(),
        duals=leaf_groups.duals.copy(),
        regularity=leaf_groups.regularity.copy(),
        planes=np.zeros_like(leaf_groups.planes),
        wrong=leaf_groups.wrong,
        scale=leaf_groups.scale * local.rng.uniform(*NORMS),
    )


def replace_group(local: LocalSearch, groups: IntArray) -> IntArray:
    """Give up one group and cut another one in two.

    The rows of the former go to another group of the same class if there is one.
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
    """Send a row to another group, one of its own class or without rows if there is one."""
    rng, prices = local.rng, prices_of_groups(local.data, groups)
    row = int(rng.integers(len(groups)))
    others = np.delete(np.arange(len(prices)), groups[row])
    label = local.data.prices[row].argmin()
    fitting = others[prices[others, label] <= prices[others].min(axis=1)]
    groups[row] = pick(rng, fitting if len(fitting) else others)
    return groups


def cut_group(local: LocalSearch, groups: IntArray, new: int) -> IntArray:
    """Cut a group in two, by which of two of its rows is closer; one half becomes group ``new``."""
    rng = local.rng
    large = np.flatnonzero(np.bincount(groups) > 1)
    if len(large):
        rows = np.flatnonzero(groups == pick(rng, large))
        X = local.data.X[rows]
        groups[rows[nearest(X, X[rng.choice(len(rows), size=2, replace=False)]) == 1]] = new
    return groups


def pick(rng: np.random.Generator, members: IntArray) -> int:
    """Return one of some members, in a fraction of the time that `Generator.choice` takes."""
    return int(members[rng.integers(len(members))])


def lay(local: LocalSearch, leaf_groups: LeafGroups) -> None:
    """Lay down the tree of leaf groups."""
    local.clear(leaf_groups.scale)
    lay_below(local, leaf_groups, 1, 1)
    local.settle()
    local.polish(exactly=False)


def lay_below(local: LocalSearch, leaf_groups: LeafGroups, source: int, node: int) -> None:
    """Lay down the tree of leaf groups from a node on, without splits that do not part rows."""
    if source >= len(leaf_groups.ways) or leaf_groups.ways[source] < 0:
        return
    way = leaf_groups.ways[source]
    rows, sides = rows_and_sides(leaf_groups, way)
    if abs(sides.sum()) == len(rows):
        lay_below(local, leaf_groups, 2 * source + int(sides.sum() > 0), node)
        return
    data, working, beta = local.data, local.working, np.zeros(len(rows))
    _, intercept = smo(
        inner_products(data.gram, rows),
        sides,
        data.pull[rows],
        data.eps + TOLERANCE / 2,
        np.inf,
        leaf_groups.regularity[way],
        beta,
        STEPS * len(rows),
        TOLERANCE,
    )
    working.splits[node], working.shares[node] = True, leaf_groups.regularity[way]
    set_hyperplane(data, working, node, rows, beta, intercept, local.scale)
    lay_below(local, leaf_groups, 2 * source, 2 * node)
    lay_below(local, leaf_groups, 2 * source + 1, 2 * node + 1)
