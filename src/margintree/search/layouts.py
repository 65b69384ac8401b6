"""Looking for layouts, and for trees by way of them: see `margintree.search.kernels.layout`."""

from functools import cache
from itertools import combinations

import numpy as np

from margintree._typing import IntArray
from margintree.search.groupings import nearest
from margintree.search.kernels.layout import Layout, arrange, move_rows, prices_of_groups
from margintree.search.kernels.polish import set_hyperplane
from margintree.search.kernels.sketch import Task
from margintree.search.kernels.svm import inner_products, smo
from margintree.search.workbench import Workbench

MAX_DEPTH = 3
"""Beyond this depth there are too many ways to hang groups into a tree."""
MAX_ROWS = 300
"""With more rows than this a layout takes too long."""
DESCENTS = 20
"""Descents that take about as long as a shift."""
MAX_FAILURES = 25
"""Shifts in a row without a gain after which no more are tried."""
MAX_PASSES = 4
"""How often all moves of a row are tried before the groups hang anew."""
GAIN = 1e-3
"""Relative gain of moves, or of groups that hang otherwise, below which a layout is taken."""
LEAST = 1e-4
"""Relative gain for which a row is moved."""
WRONG = 3.0
"""What a row pays by the unit that it is on the wrong side, in errors."""
REGULARITY = 0.1
"""Of margin problems that have not been solved yet."""
NARROWER = 0.3
"""Share by which the norm of a layout may be larger than that of the tree before."""
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


def shift(bench: Workbench, limit: float) -> float:
    """Change the groups of the rows in the leaves, improve that layout, and lay down its tree.

    Returns its cost after a descent, or infinity where that was given up, because of the limit or
    because time was over before there was a tree.
    """
    groups = shift_groups(bench, groups_in_leaves(bench))
    bench.sketch.scale[0] *= 1 + NARROWER * bench.rng.random()
    layout = improve_layout(bench, groups)
    if bench.is_over():  # another layout than without a limit
        return np.inf
    lay(bench, layout)
    return bench.descend(limit=limit)


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


def improve_layout(bench: Workbench, groups: IntArray) -> Layout:
    """Move rows between groups and hang the groups anew, by turns, until that gains little."""
    layout = new_layout(bench, groups)
    price, before = arrange(bench.task, layout), np.inf
    while price < before * (1 - GAIN) and not bench.is_over():
        for _ in range(MAX_PASSES):
            if move_all_rows(bench, layout, price * LEAST) < price * GAIN:
                break
        before, price = price, arrange(bench.task, layout)
    return layout


def new_layout(bench: Workbench, groups: IntArray) -> Layout:
    """Return a layout of which nothing is known but its groups."""
    wholes, halves = halvings(bench.task.depth)
    n_entries = len(wholes) + 1
    return Layout(
        groups=groups.copy(),
        wholes=wholes,
        halves=halves,
        ways=np.full(2**bench.task.depth, -1),
        duals=np.zeros((n_entries, len(groups))),
        regularity=np.full(n_entries, REGULARITY),
        planes=np.zeros((n_entries, bench.task.X.shape[1] + 1)),
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


def shift_groups(bench: Workbench, groups: IntArray) -> IntArray:
    """Return other groups: one of them is given up, and another one cut in two.

    Its rows go to another group of the same class if there is one.
    """
    rng, groups = bench.rng, groups.copy()
    classes = prices_of_groups(bench.task, groups).argmin(axis=1)
    given_up = int(rng.integers(len(classes)))
    present = np.flatnonzero(np.bincount(groups, minlength=len(classes)))
    others = present[present != given_up]
    alike = others[classes[others] == classes[given_up]]
    if not len(others):
        return cut_group(bench, groups, (given_up + 1) % len(classes))
    groups[groups == given_up] = rng.choice(alike if len(alike) else others)
    return cut_group(bench, groups, given_up)


def cut_group(bench: Workbench, groups: IntArray, new: int) -> IntArray:
    """Cut a group in two, by which of two of its rows is closer; one half becomes group ``new``."""
    rng = bench.rng
    large = np.flatnonzero(np.bincount(groups) > 1)
    if len(large):
        rows = np.flatnonzero(groups == rng.choice(large))
        X = bench.task.X[rows]
        groups[rows[nearest(X, X[rng.choice(len(rows), size=2, replace=False)]) == 1]] = new
    return groups


def lay(bench: Workbench, layout: Layout) -> None:
    """Lay down the tree of a layout."""
    bench.clear(bench.scale)
    lay_below(bench, layout, 1, 1)
    bench.settle()
    bench.polish(exactly=False)


def lay_below(bench: Workbench, layout: Layout, source: int, node: int) -> None:
    """Lay down what a layout has from a node on, leaving out splits without rows on one side."""
    if source >= len(layout.ways) or layout.ways[source] < 0:
        return
    way = layout.ways[source]
    rows = np.flatnonzero(layout.wholes[way] >> layout.groups & 1)
    sides = np.where(layout.halves[way] >> layout.groups[rows] & 1, 1.0, -1.0)
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
