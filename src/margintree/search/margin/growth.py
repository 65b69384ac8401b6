"""Growth: trees for many rows, from the top down, by margins between groups of rows.

At a node a random direction divides the groups of its rows, which are classes or clusters inside
classes, in two. Then two steps alternate: a margin problem separates the two sides, and every group
goes to the side where most of its weight is. Of several such splits the one with the purest sides
is taken. This takes a time proportional to the number of rows, however many classes there are.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from margintree._lib.arrays import BoolArray, FloatArray, IntArray, norm, product
from margintree._lib.svm import solve_by_rows
from margintree.core.problem import Problem
from margintree.search.margin.groupings import MAX_GROUPS, by_class, by_cluster
from margintree.search.margin.kernels.sweep import cheapest_label
from margintree.search.margin.kernels.working_tree import (
    KernelData,
    WorkingTree,
    clear_below,
    count_splits,
    price_of_label,
)

Split: TypeAlias = tuple[FloatArray, float]
"""A normal vector and an intercept."""

MOST_ROWS = 4000
"""Number of rows from which a split is learnt."""
N_STARTS = 4
"""Number of divisions from which the search for a split starts, by classes and by clusters."""
ALTERNATIONS = 4
"""Maximum number of margin problems for one division."""
PASSES = 2
"""Number of visits to every row in such a margin problem."""
SHORT = 1e-9
"""Shorter vectors have no usable direction."""


def grow(
    problem: Problem,
    data: KernelData,
    working: WorkingTree,
    top: int,
    rows: IntArray,
    rng: np.random.Generator,
    is_over: Callable[[], bool] = lambda: False,
) -> None:
    """Replace the subtree of a node by a new one, given the rows that arrive there.

    A node splits while its rows cost anything, and while leaves are heavy enough and splits and
    time are left. Rules about features are not obeyed.
    """
    working.splits[top] = False
    clear_below(working, top)
    room = data.max_splits - count_splits(working, 1)
    todo = deque([(top, rows)])
    while todo:
        node, rows = todo.popleft()
        working.labels[node] = cheapest_label(data, rows, node)
        is_done = price_of_label(data, rows, node, working.labels[node]) <= 0
        if node >= len(working.intercepts) or room <= 0 or is_done or is_over():
            continue
        split = purest_split(problem, rows, rng)
        if split is None:
            continue
        factor = working.scale[0] / norm(split[0])
        is_right = product(problem.X[rows], split[0]) + split[1] >= 0
        sides = rows[~is_right], rows[is_right]
        if min(data.mass[side].sum() for side in sides) >= data.least_mass:
            working.splits[node], room = True, room - 1
            working.weights[node], working.intercepts[node] = split[0] * factor, split[1] * factor
            todo += [(2 * node, sides[0]), (2 * node + 1, sides[1])]


def purest_split(problem: Problem, rows: IntArray, rng: np.random.Generator) -> Split | None:
    """Return the split of some rows with the purest sides of several; None if none was found."""
    rows = rows[problem.error_prices[rows].max(axis=1) > 0]
    if len(rows) > MOST_ROWS:
        rows = np.sort(rng.choice(rows, size=MOST_ROWS, replace=False))
    if len(rows) < 2:
        return None
    mass = problem.error_prices[rows].max(axis=1)
    part = replace(problem, X=problem.X[rows], y=problem.y[rows], row_weights=mass / mass.mean())
    classes = by_class(part)
    best, least = None, np.inf
    for start in range(N_STARTS):
        n_groups = max(int(rng.integers(2, MAX_GROUPS + 1)), int(classes.max()) + 1)
        groups = classes if start % 2 == 0 else by_cluster(part, n_groups, rng)
        if groups.any():
            split, impurity = divide(part, groups, random_sides(part, groups, rng))
            if impurity < least:
                best, least = split, impurity
    return best


def random_sides(problem: Problem, groups: IntArray, rng: np.random.Generator) -> FloatArray:
    """Return a side of a random direction for every group, with about half of the weight each.

    Groups of later classes rather go right, as trees need it whose splits see labels.
    """
    totals = np.bincount(groups, weights=problem.row_weights)
    means = np.zeros((len(totals), problem.n_features))
    np.add.at(means, groups, problem.X * problem.row_weights[:, None])
    means /= totals[:, None]
    labels = np.bincount(groups, weights=problem.row_weights * problem.y) / totals
    places = product(means, product(rng.normal(size=len(totals)), means - means.mean(axis=0)))
    if product(places - places.mean(), labels) < 0:
        places = -places
    order = np.argsort(places, kind="stable")
    middle = np.searchsorted(np.cumsum(totals[order]), totals.sum() / 2) + rng.integers(2)
    sides = np.ones(len(totals))
    sides[order[: np.clip(middle, 1, len(totals) - 1)]] = -1.0
    return sides


def divide(problem: Problem, groups: IntArray, sides: FloatArray) -> tuple[Split | None, float]:
    """Return the purest split on the way from these sides of groups, and its impurity.

    The way ends when no group changes sides.
    """
    best, least = None, np.inf
    mass, everything = problem.row_weights, np.arange(problem.n_rows)
    totals = np.bincount(groups, weights=mass)
    for _ in range(ALTERNATIONS):
        wanted, beta = sides[groups], np.zeros(len(groups))
        normal = solve_by_rows(problem.X, everything, wanted, mass, 1.0, beta, PASSES)
        if norm(normal) <= SHORT:
            break
        values = product(problem.X, normal)
        intercept = _cheapest_cut(values, mass * wanted)
        is_right = values + intercept >= 0
        impurity = _impurity(problem, is_right)
        if impurity < least and 0 < is_right.sum() < len(is_right):
            best, least = (normal, intercept), impurity
        moved = np.where(2 * np.bincount(groups, weights=mass * is_right) > totals, 1.0, -1.0)
        if abs(moved.sum()) == len(moved) or (moved == sides).all():
            break
        sides = moved
    return best, least


def _cheapest_cut(values: FloatArray, pulls: FloatArray) -> float:
    """Return the intercept between two values with the least weight on the wrong side.

    ``pulls`` are the weights, negative for rows that should be on the left.
    """
    order = np.argsort(values, kind="stable")
    last = int(np.argmin(np.cumsum(pulls[order])[:-1]))
    return float(-(values[order[last]] + values[order[last + 1]]) / 2)


def _impurity(problem: Problem, is_right: BoolArray) -> float:
    """Return the entropy of the classes on both sides, times their weights."""
    total = 0.0
    for side in (~is_right, is_right):
        masses = np.bincount(problem.y, weights=problem.row_weights * side)
        masses = masses[masses > 0]
        total -= float((masses * np.log(masses / masses.sum())).sum())
    return total
