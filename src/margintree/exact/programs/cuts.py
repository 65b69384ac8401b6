"""Cuts beyond the literal model; all but the two heuristics at the end keep an optimal tree.

An optimal tree in the form of `strengthening.canonical` satisfies all of them.
"""

import numpy as np
from scipy.spatial import KDTree

from margintree._lib.arrays import BoolArray, IntArray
from margintree.core.problem import Problem
from margintree.exact.programs.big_m import farthest
from margintree.exact.programs.builder import Builder
from margintree.exact.programs.program import Cone, Rows, merge, rows, total

PAIRS_PER_ROW = 6
"""Each row is paired with this many of the closest rows of other classes."""
FLIP_ROWS = 100
"""`flip_symmetry` is stated for this many rows, because entries grow with their square."""


def sibling_classes(builder: Builder) -> Rows:
    """State that the two leaves below a split predict different classes.

    If their classes were equal, the tree without the split would predict the same and cost less.
    With `label_used_leaves` the right leaf below an idle node has no class at all.
    """
    q, parents = builder["q"], builder.leaves[::2] // 2
    both = [(1.0, q[:, ::2]), (1.0, q[:, 1::2])]
    if builder.strengthening.label_used_leaves:
        return rows(both, upper=1.0)
    return rows([*both, (1.0, builder["d"][parents - 1])], upper=2.0)


def flip_symmetry(builder: Builder) -> Rows:
    """State which side is left, and that the rows of an idle node go there.

    Negating the hyperplane of a node and swapping its subtrees gives a tree of the same cost, so
    the first row of every node may be sent left: ``z_i,right <= sum_{j<i} z_j,left``. Above two
    leaves whose classes must differ, the smaller class is left instead:
    ``q_k,right <= sum_{l<k} q_l,left``. This is stronger, since there are fewer classes than rows.
    """
    by_class = builder.strengthening.orders_classes
    nodes = builder.branch[: len(builder.leaves) // 2 - 1 if by_class else None] - 1
    first = slice(FLIP_ROWS)
    parts = [rows([(1.0, builder["v"])], lower=1.0)]
    parts.append(_preceded(builder.z_right[first, nodes], builder.z_left[first, nodes]))
    if by_class:
        parts.append(_preceded(builder["q"][:, 1::2], builder["q"][:, ::2]))
    return merge(parts)


def _preceded(right: IntArray, left: IntArray) -> Rows:
    """Return the rows ``right_i <= sum_{j<i} left_j``, for every column."""
    later = np.triu(np.ones((len(right), len(right))), 1)
    return rows([(1.0, right), *total(-later[:, :, None], left[:, None, :])], upper=0.0)


def no_idle_parent(builder: Builder) -> Rows:
    """State that a child splits only if its parent does.

    An idle node hands its rows to one child, and the subtree of this child may take its place.
    """
    children, d = builder.branch[1:], builder["d"]
    return rows([(1.0, d[children - 1]), (-1.0, d[children // 2 - 1])], upper=0.0)


def useful_leaves(builder: Builder) -> Rows:
    """State that both leaves below a split classify enough rows correctly to pay for the split.

    Replace the split by a leaf of the other side's class: the rows that were right here are now
    wrong, at c1 each, and nothing else gets worse, while c3 is saved. So the weight of the rows
    that are right is at least c3 / c1. It is also at least that of one row, or the split would be
    worth nothing. Only stated when every error costs the same and is counted row by row.
    """
    problem = builder.problem
    is_plain = np.array_equal(problem.error_costs, 1.0 - np.eye(problem.n_classes))
    if not (builder.strengthening.rowwise_c8 and problem.costs.errors > 0 and is_plain):
        return merge([])
    least = max(problem.costs.splits / problem.costs.errors, float(problem.row_weights.min()))
    right = [*total(problem.row_weights, builder.z_leaf), *total(-1.0, builder["L"])]
    return rows([*right, (-least, builder["d"][builder.leaves // 2 - 1])], lower=0.0)


def pair_margins(builder: Builder) -> Rows:
    """State that two close rows of different classes pay wherever they are separated.

    Let s be the square root of 2 delta (or 2 delta, if the norm is plain), so s >= ||w_t||. Rows i
    and j of different classes that are both predicted right are in different leaves, hence on
    different sides of one node t they share, where ``2 - e_it - e_jt <= |f_t(x_i) - f_t(x_j)| <=
    ||w_t|| ||x_i - x_j||``, with the dual norm of the rows. So ``||x_i - x_j|| s +
    sum_t (e_it + e_jt) >= 2 (1 - a_i - a_j)`` where a_i is 1 if row i is predicted wrong: with an
    error the right side is not positive. Rows that may be predicted wrong for free are left out.
    """
    problem, e, L = builder.problem, builder["e"], builder["L"]
    # The least price of an error of each row turns L into a_i.
    wrong = problem.error_costs + np.where(np.eye(problem.n_classes, dtype=bool), np.inf, 0.0)
    cheapest = problem.row_weights * wrong.min(axis=1)[problem.y]
    i, j = close_pairs(problem, among=cheapest > 0)
    distance = problem.distances(problem.X[i] - problem.X[j])
    terms = [(distance, builder["s"]), *total(1.0, e[i].T), *total(1.0, e[j].T)]
    for row in (i, j):
        terms += total(2.0 / (cheapest[row] * np.ones((L.shape[1], 1))), L[row].T)
    return rows(terms, lower=2.0)


def close_pairs(problem: Problem, among: BoolArray) -> tuple[IntArray, IntArray]:
    """Return pairs of each row with the closest rows of other classes."""
    pairs = np.empty((0, 2), dtype=np.int64)
    for k in range(problem.n_classes):
        own, others = (np.flatnonzero(among & mask) for mask in (problem.y == k, problem.y != k))
        n_close = min(PAIRS_PER_ROW, len(others))
        if len(own) and n_close:
            _, close = KDTree(problem.X[others]).query(problem.X[own], k=[*range(1, n_close + 1)])
            found = np.stack([np.repeat(own, n_close), others[close].ravel()], axis=1)
            pairs = np.concatenate([pairs, np.sort(found, axis=1)])
    first, second = np.unique(pairs, axis=0).T
    return first, second


def pair_cone(builder: Builder) -> tuple[Cone, ...]:
    """State that delta is at least the margin price of s, unless `norm_cones` does."""
    if builder.problem.norm != "l2":
        return ()
    delta, s = int(builder["delta"]), builder["s"].reshape(1)
    return (Cone(builder.problem.margin_term, delta, s),)


def every_class_owns_leaf(builder: Builder) -> Rows:
    """Heuristic: state that every class with a row is the class of some leaf."""
    present = builder.problem.class_mass() > 0
    return rows(total(1.0, builder["q"][present].T), lower=1.0)


def cluster_fixing(builder: Builder) -> Rows:
    """Heuristic: send a dense cluster to the first leaf, and one far away to the last."""
    first, last = far_clusters(builder.problem)
    parts = (builder.z_leaf[first, 0], builder.z_leaf[last, -1])
    return merge([rows([(1.0, z)], lower=1.0) for z in parts])


def far_clusters(problem: Problem, radius: float = 0.1) -> tuple[BoolArray, BoolArray]:
    """Return the rows of the densest cluster and of the cluster around the row farthest from it.

    A cluster is a row with all rows of its class within ``radius`` times the largest distance.
    """
    X, y = problem.X, problem.y
    reach = radius * float(farthest(X).max())
    clusters = (np.array([np.linalg.norm(X - x, axis=1) for x in X]) <= reach) & (y == y[:, None])
    dense = int(clusters.sum(axis=1).argmax())
    far = int(np.linalg.norm(X - X[dense], axis=1).argmax())
    return clusters[dense], clusters[far] & ~clusters[dense]
