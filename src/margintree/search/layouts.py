"""Looking for layouts, and for trees by way of them: see `margintree.search.kernels.layout`."""

from functools import cache
from itertools import combinations

import numpy as np

from margintree._typing import IntArray
from margintree.search.groupings import nearest
from margintree.search.kernels.layout import (
    Layout,
    arrange,
    move_rows,
    prices_of_groups,
    rows_and_sides,
)
from margintree.search.kernels.polish import set_hyperplane
from margintree.search.kernels.sketch import Task
from margintree.search.kernels.svm import inner_products, smo
from margintree.search.workbench import Workbench

MAX_DEPTH = 3
"""Beyond this depth there are too many ways to hang groups into a tree."""
MAX_ROWS = 300
"""With more rows than this a layout takes too long."""
DESCENTS = 2
"""Descents that take about as long as to improve a layout."""
MAX_FAILED_ROUNDS = 5
"""Rearrangements in a row without a gain after which no more are tried."""
MAX_FAILED_SHIFTS = 10
"""Shifts in a row without a gain that end a rearrangement."""
LEAST_DESCENTS = (1 + MAX_FAILED_SHIFTS) * DESCENTS + 1
"""What the shortest rearrangement counts as, its descent included; none is begun for less."""
MAX_PASSES = 4
"""How often all moves of a row are tried before the groups hang anew."""
GAIN = 1e-3
"""Relative gain of moves, or of groups that hang otherwise, below which a layout is done."""
LEAST = 1e-4
"""Relative gain for which a row is moved, or a layout replaced by another."""
CLOSE = 1.03
"""A layout that costs up to this many times the best one is the next to be shifted."""
HOPE = 1.3
"""A layout that costs this many times the best one before any of its rows moves is given up."""
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


def has_layouts(task: Task) -> bool:
    """Tell whether there are few enough rows and leaves, and whether only leaves see labels.

    Where there are but two leaves, nothing can hang otherwise.
    """
    is_small = 1 < task.depth <= MAX_DEPTH and len(task.X) <= MAX_ROWS
    return is_small and len(task.gram) > 0 and not task.tolls.any()


def rearrange(bench: Workbench, limit: float, max_descents: int) -> tuple[float, int]:
    """Improve the layout of the tree on the bench, by shifts, lay down its tree, and descend.

    Returns the cost of that, and how many descents all of it counts as. The cost is infinite
    where the descent was given up because of the limit, or where time was over before there was a
    tree.
    """
    layout = best = new_layout(bench, groups_in_leaves(bench))
    least, done, failures = improve_layout(bench, layout), DESCENTS + 1, 0
    while failures < MAX_FAILED_SHIFTS and done + DESCENTS <= max_descents and not bench.is_over():
        other = shift(bench, layout)
        cost = improve_layout(bench, other, least * HOPE)
        done += DESCENTS
        failures += 1
        if cost < least * (1 - LEAST):
            best, least, failures = other, cost, 0
        if cost < least * CLOSE:
            layout = other
    if bench.is_over():  # another layout than without a limit
        return np.inf, done
    lay(bench, best)
    return bench.descend(limit=limit), done


def groups_in_leaves(bench: Workbench) -> IntArray:
    """Return the leaf of every row, counted from 0, the leftmost below its terminal node."""
    n_leaves = 2**bench.task.depth
    leaves: IntArray = bench.state.terminals.copy()
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


def improve_layout(bench: Workbench, layout: Layout, limit: float = np.inf) -> float:
    """Move rows between groups and hang the groups anew, by turns, until that gains little.

    Returns what the layout costs; or the limit, where before any move it cannot hang for less, and
    then it does not hang.
    """
    cost, before = arrange(bench.task, layout, limit), np.inf
    while cost < min(before * (1 - GAIN), limit) and not bench.is_over():
        for _ in range(MAX_PASSES):
            if move_all_rows(bench, layout, cost * LEAST) < cost * GAIN:
                break
        before, cost = cost, arrange(bench.task, layout, np.inf)
    return cost


def new_layout(bench: Workbench, groups: IntArray) -> Layout:
    """Return a layout of some groups, with what the tree on the bench knows of its splits.

    They do not hang yet, but those of the leaves of a full tree would be a good guess.
    """
    wholes, halves = halvings(bench.task.depth)
    ways = ways_of_leaves(bench.task.depth)
    duals = np.zeros((len(wholes), len(groups)))
    is_split = bench.sketch.splits[1 : len(ways)]
    duals[ways[1:]] = bench.sketch.duals[1:] * is_split[:, None]
    return Layout(
        groups=groups.copy(),
        wholes=wholes,
        halves=halves,
        ways=ways.copy(),
        duals=duals,
        regularity=np.full(len(duals), REGULARITY),
        planes=np.zeros((len(duals), bench.task.X.shape[1] + 1)),
        wrong=WRONG * float(bench.dearest.max()),
        scale=bench.scale,
    )


def move_all_rows(bench: Workbench, layout: Layout, least: float) -> float:
    """Try every group for every row, in random order; return the gain.

    A move has to gain more than ``least``.
    """
    n_rows, n_groups = len(layout.groups), 2**bench.task.depth
    moves = bench.rng.permutation(n_rows * n_groups)
    n_at_once = max(1, WORK_BETWEEN_LOOKS // n_rows)
    gain = 0.0
    for first in range(0, len(moves), n_at_once):
        if not bench.is_over():
            rows, targets = np.divmod(moves[first : first + n_at_once], n_groups)
            gain += move_rows(bench.task, layout, rows, targets, least)
    return gain


def shift(bench: Workbench, layout: Layout) -> Layout:
    """Return a layout of other groups and another norm, with all that is known of this one.

    By chance it is a group that is replaced, or a single row that goes elsewhere: to move a row
    where the groups hang may gain nothing, and yet they may hang better once it has moved.
    """
    change = replace_group if bench.rng.random() < 0.5 else send_row
    return Layout(
        groups=change(bench, layout.groups.copy()),
        wholes=layout.wholes,
        halves=layout.halves,
        ways=layout.ways.copy(),
        duals=layout.duals.copy(),
        regularity=layout.regularity.copy(),
        planes=np.zeros_like(layout.planes),
        wrong=layout.wrong,
        scale=layout.scale * bench.rng.uniform(*NORMS),
    )


def replace_group(bench: Workbench, groups: IntArray) -> IntArray:
    """Give up one group and cut another one in two.

    The rows of the former go to another group of the same class if there is one.
    """
    rng, classes = bench.rng, prices_of_groups(bench.task, groups).argmin(axis=1)
    given_up = int(rng.integers(len(classes)))
    present = np.flatnonzero(np.bincount(groups, minlength=len(classes)))
    others = present[present != given_up]
    alike = others[classes[others] == classes[given_up]]
    if not len(others):
        return cut_group(bench, groups, (given_up + 1) % len(classes))
    groups[groups == given_up] = pick(rng, alike if len(alike) else others)
    return cut_group(bench, groups, given_up)


def send_row(bench: Workbench, groups: IntArray) -> IntArray:
    """Send a row to another group, one of its own class or without rows if there is one."""
    rng, prices = bench.rng, prices_of_groups(bench.task, groups)
    row = int(rng.integers(len(groups)))
    others = np.delete(np.arange(len(prices)), groups[row])
    label = bench.task.prices[row].argmin()
    fitting = others[prices[others, label] <= prices[others].min(axis=1)]
    groups[row] = pick(rng, fitting if len(fitting) else others)
    return groups


def cut_group(bench: Workbench, groups: IntArray, new: int) -> IntArray:
    """Cut a group in two, by which of two of its rows is closer; one half becomes group ``new``."""
    rng = bench.rng
    large = np.flatnonzero(np.bincount(groups) > 1)
    if len(large):
        rows = np.flatnonzero(groups == pick(rng, large))
        X = bench.task.X[rows]
        groups[rows[nearest(X, X[rng.choice(len(rows), size=2, replace=False)]) == 1]] = new
    return groups


def pick(rng: np.random.Generator, members: IntArray) -> int:
    """Return one of some members, in a fraction of the time that `Generator.choice` takes."""
    return int(members[rng.integers(len(members))])


def lay(bench: Workbench, layout: Layout) -> None:
    """Lay down the tree of a layout."""
    bench.clear(layout.scale)
    lay_below(bench, layout, 1, 1)
    bench.settle()
    bench.polish(exactly=False)


def lay_below(bench: Workbench, layout: Layout, source: int, node: int) -> None:
    """Lay down what a layout has from a node on, leaving out splits without rows on one side."""
    if source >= len(layout.ways) or layout.ways[source] < 0:
        return
    way = layout.ways[source]
    rows, sides = rows_and_sides(layout, way)
    if abs(sides.sum()) == len(rows):
        lay_below(bench, layout, 2 * source + int(sides.sum() > 0), node)
        return
    task, sketch, beta = bench.task, bench.sketch, np.zeros(len(rows))
    _, intercept = smo(
        inner_products(task.gram, rows),
        sides,
        task.pull[rows],
        task.eps + TOLERANCE / 2,
        np.inf,
        layout.regularity[way],
        beta,
        STEPS * len(rows),
        TOLERANCE,
    )
    sketch.splits[node], sketch.shares[node] = True, layout.regularity[way]
    set_hyperplane(task, sketch, node, rows, beta, intercept, bench.scale)
    lay_below(bench, layout, 2 * source, 2 * node)
    lay_below(bench, layout, 2 * source + 1, 2 * node + 1)
