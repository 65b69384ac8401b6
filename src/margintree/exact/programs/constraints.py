"""The constraint families of the model, one function each, called by their number."""

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray
from margintree.core import topology
from margintree.core.problem import Problem
from margintree.exact.programs.builder import Builder
from margintree.exact.programs.program import Rows, merge, rows, total


def c2a(builder: Builder) -> Rows:
    """State that a row on the right side of a node has ``f >= 1 - e``.

    M = 1 + max |f_t(x_i)| is enough: with h = 0 the row says f >= 1 - e - M, and
    1 - e - M <= 1 - M = -max |f_t(x_i)|. `bounds.derive_bounds` proves the maximum.
    """
    M = builder.big_m
    return rows([*builder.split_value(), (1.0, builder["e"]), (-M, builder.h)], lower=1.0 - M)


def c2b(builder: Builder) -> Rows:
    """State that a row on the left side of a node has ``f <= -1 + e``; M as in `c2a`."""
    M = builder.big_m
    terms = [*builder.split_value(), (-1.0, builder["e"]), *builder.on_left(M)]
    return rows(terms, upper=M - 1.0)


def c3(builder: Builder) -> Rows:
    """State that every row is in exactly one node of every level.

    Without alpha and h it states that the root holds every row, and that every branch node hands
    its rows to its two children.
    """
    z = builder.z
    if builder.strengthening.project_variables:
        root = rows([(1.0, z[:, 0])], lower=1.0, upper=1.0)
        terms = [(1.0, builder.z_branch), (-1.0, builder.z_left), (-1.0, builder.z_right)]
        return merge([root, rows(terms, lower=0.0, upper=0.0)])
    levels = [np.array(topology.level(u)) - 1 for u in range(builder.problem.depth + 1)]
    return merge([rows(total(1.0, z[:, level].T), lower=1.0, upper=1.0) for level in levels])


def c4(builder: Builder) -> Rows:
    """State that a row in a node is in the parent of the node, too."""
    nodes = np.arange(2, topology.n_nodes(builder.problem.depth) + 1)
    return rows([(1.0, builder.z[:, nodes - 1]), (-1.0, builder.z[:, nodes // 2 - 1])], upper=0.0)


def c5a(builder: Builder) -> Rows:
    """State that a row that does not go left is on the right side, above leaves too."""
    terms = [(1.0, builder.z_branch), (-1.0, builder.z_left), (-1.0, builder.alpha)]
    return rows(terms, upper=0.0)


def c5b(builder: Builder) -> Rows:
    """State that a row that does not go right is on the left side, above leaves too."""
    terms = [(1.0, builder.z_branch), (-1.0, builder.z_right), (1.0, builder.alpha)]
    return rows(terms, upper=1.0)


def c6a(builder: Builder) -> Rows:
    """State that h is 1 where z and alpha are 1."""
    return rows([(1.0, builder.h), (-1.0, builder.z_branch), (-1.0, builder.alpha)], lower=-1.0)


def c6b(builder: Builder) -> Rows:
    """State that h is 0 where alpha is 0, and alpha is 0 where z is 0."""
    below_alpha = rows([(1.0, builder.h), (-1.0, builder.alpha)], upper=0.0)
    return merge([below_alpha, rows([(1.0, builder.alpha), (-1.0, builder.z_branch)], upper=0.0)])


def c6c(builder: Builder) -> Rows:
    """State that a node with v = 0 has no row on its left side."""
    if builder.strengthening.rowwise_c6:
        ones = np.ones(builder.z_branch.shape)
        return rows([*builder.on_left(ones), (-1.0, builder["v"])], upper=0.0)
    left = [*total(1.0, builder.z_branch), *total(-1.0, builder.h)]
    return rows([*left, (-float(builder.problem.n_rows), builder["v"])], upper=0.0)


def c6d(builder: Builder) -> Rows:
    """State that a node with v = 1 that does not split has no row on its right side."""
    if builder.strengthening.rowwise_c6:
        return rows([(1.0, builder.h), (-1.0, builder["d"]), (1.0, builder["v"])], upper=1.0)
    n = float(builder.problem.n_rows)
    return rows([*total(1.0, builder.h), (-n, builder["d"]), (n, builder["v"])], upper=n)


def c7(builder: Builder) -> Rows:
    """State that every leaf has one class; with `label_used_leaves`, that every used leaf has."""
    terms = total(1.0, builder["q"])
    if not builder.strengthening.label_used_leaves:
        return rows(terms, lower=1.0, upper=1.0)
    owners = np.array([opened_by(int(t)) for t in builder.leaves])
    always = (owners == 0).astype(np.float64)
    opened = (always - 1.0, builder["d"][owners - 1])
    return rows([*terms, opened], lower=always, upper=always)


def opened_by(leaf: int) -> int:
    """Return the branch node that must split for a row to reach the leaf; 0 if there is none.

    Assume that idle nodes send everything left and have only idle nodes below them. Then rows can
    reach a leaf exactly if the last node that its path leaves to the right splits.

    Examples
    --------
    >>> [opened_by(leaf) for leaf in (4, 5, 6, 7)]
    [0, 2, 1, 3]
    """
    while leaf > 1 and not topology.is_right_child(leaf):
        leaf = topology.parent(leaf)
    return topology.parent(leaf)


def c8(builder: Builder) -> Rows:
    """State that a leaf pays for the rows that are not of its class.

    By leaf, ``L_t >= sum_i w_i C[y_i, k] z_it - M_k (1 - q_kt)``: with q_kt = 0 the right side must
    not be positive, and no leaf of class k can cost more than M_k = sum_i w_i C[y_i, k], which is
    n - n_k when every error costs 1. Without `classwise_c8` every M_k is the price of the worst
    error of every row, which is n when every error costs 1.

    By row, for every price theta in the row's line of C,
    ``L_it >= w_i (theta z_it - sum_k max(0, theta - C[y_i, k]) q_kt)``. If the row is in the leaf
    and the leaf is of class k, the right side is w_i min(theta, C[y_i, k]), and theta = C[y_i, k]
    is among the prices; if the row is elsewhere, the right side is not positive.
    """
    if builder.strengthening.rowwise_c8:
        return _c8_by_row(builder)
    problem = builder.problem
    prices = problem.error_costs[problem.y] * problem.row_weights[:, None]
    M: FloatArray = prices.sum(axis=0)
    if not builder.strengthening.classwise_c8:
        M = np.full_like(M, prices.max(axis=1).sum())
    errors = total(-prices[:, :, None], builder.z_leaf[:, None, :])
    return rows([*errors, (1.0, builder["L"]), (-M[:, None], builder["q"])], lower=-M[:, None])


def _c8_by_row(builder: Builder) -> Rows:
    problem = builder.problem
    parts = []
    for y, prices in enumerate(problem.error_costs):
        of_class = np.flatnonzero(problem.y == y)
        weights = problem.row_weights[of_class, None]
        for theta in np.unique(prices[prices > 0]):
            saved = np.maximum(0.0, theta - prices)[:, None, None]
            own = [(1.0, builder["L"][of_class]), (-theta * weights, builder.z_leaf[of_class])]
            parts.append(rows([*own, *total(saved * weights, builder["q"][:, None, :])], lower=0.0))
    return merge(parts)


def r(builder: Builder) -> Rows:
    """State the routing margin: ``e <= 1 - eps``, so that the side of a row is the sign of f."""
    largest = 1.0 - builder.problem.routing_margin
    if not builder.strengthening.rowwise_r:
        return rows([(1.0, builder["e"])], upper=largest)
    in_node = rows([(1.0, builder["e"]), (-largest, builder.z_branch)], upper=0.0)
    at_split = rows([(1.0, builder["e"]), (-largest, builder["d"])], upper=0.0)
    return merge([in_node, at_split])


def rows_of_rules(
    problem: Problem, left: IntArray, right: IntArray, splits: IntArray
) -> dict[str, Rows]:
    """Return a family of rows for every rule that is in force.

    ``left`` and ``right`` say whether a row is in this child of a branch node, ``splits`` whether a
    branch node splits.

    *Leaf mass.* Rows stop in a child of some split. So it is enough that both children of every
    split have the least weight: a child that splits again holds the rows of at least two leaves.
    """
    rules, weights = problem.rules, problem.row_weights[:, None]
    families = {}
    if rules.least_mass > 0:
        least = (-rules.least_mass, splits)
        sides = [rows([*total(weights, side), least], lower=0.0) for side in (left, right)]
        families["leaf_mass"] = merge(sides)
    if rules.max_splits is not None:
        families["size"] = rows(total(1.0, splits), upper=float(problem.max_splits))
    return families
