"""Trees whose splits see labels: the additions to the margin search for OCTSVM.

Kernels charge a flat price for every wrong label. The judge lets a row choose between this price
and a larger violation; `refitted` makes use of the choice.
"""

from dataclasses import replace

import numpy as np

from margintree._lib.arrays import FloatArray, product
from margintree._lib.svm import smo
from margintree.core import topology
from margintree.core.bound import contradictions
from margintree.core.judges import idle_price, label_violations, price_labels, sides
from margintree.core.problem import Problem
from margintree.core.simplify import push_up, with_cheapest_classes
from margintree.core.tree import ObliqueTree
from margintree.search.margin.kernel_data import gram_of, make_kernel_data
from margintree.search.margin.kernels.working_tree import KernelData

MAX_ROWS = 1000
"""With more rows than this, inner products take too long and hyperplanes stay as found."""
MAX_REFITS = 5
"""Maximum number of times that rows choose again whether they are relabelled."""
ROUNDS, POWER, TOLERANCE = 15, 1.5, 1e-4
"""How often, how strongly and how exactly the nodes' shares in the margin term are corrected."""


def make_label_data(problem: Problem, gram: FloatArray) -> KernelData:
    """Return kernel data in which rows pay at every branch node for the wrong label.

    A row on the left gets the label of the first class, a row on the right that of the second. On
    the levels below a terminal node rows keep the label of that node.
    """
    data = make_kernel_data(_with_flat_prices(problem), gram)
    tolls, stays = np.zeros_like(data.tolls), np.zeros_like(data.stays)
    for node in range(1, len(stays)):
        stays[node] = problem.depth - topology.depth_of(node)
        if node > 1:
            tolls[node] = tolls[topology.parent(node)]
            tolls[node, node % 2] += 1
    return data._replace(tolls=tolls, stays=stays)


def _with_flat_prices(problem: Problem) -> Problem:
    return replace(problem, costs=replace(problem.costs, errors=idle_price(problem)))


def label_bound(problem: Problem) -> float:
    """Return a lower bound on the cost of any tree as OCTSVM defines it.

    Without a split, rows of the rarer class pay on every level. With splits, equal rows of
    different classes pay on every level, because one of them is on the wrong side.

    Examples
    --------
    >>> problem = Problem.from_data([[0.0], [0.0], [1.0]], [0, 1, 1], n_classes=2, depth=2)
    >>> label_bound(problem)
    2.0
    """
    flat = _with_flat_prices(problem)
    without = problem.depth * float(flat.error_prices.sum(axis=0).min())
    return min(without, problem.costs.splits + problem.depth * contradictions(flat))


def refitted(problem: Problem, tree: ObliqueTree) -> ObliqueTree:
    """Return a tree that costs no more, with hyperplanes fitted to the wanted sides of its rows.

    The wanted side is the side of the row's label, the side that is cheaper, or its present side.
    Splits with an empty side are left out, and leaves get the class of most of their rows.
    """
    best = with_cheapest_classes(problem, push_up(problem, tree))
    if problem.n_rows > MAX_ROWS:
        return best
    gram = gram_of(problem)
    for wishes in (as_it_pays, as_labelled, as_routed):
        for _ in range(MAX_REFITS):
            if not best.n_splits:
                return best
            wanted = wishes(problem, best.split_values(problem.X)[:, best.splits])
            fitted = _fitted(problem, gram, best, wanted)
            fitted = with_cheapest_classes(problem, push_up(problem, fitted))
            judged = price_labels(problem, fitted)
            limit = price_labels(problem, best).total * (1 - TOLERANCE)
            if not judged.is_allowed or judged.total >= limit:
                break
            best = fitted
    return best


def as_it_pays(problem: Problem, values: FloatArray) -> FloatArray:
    """Return the side of every row's label, or the other side if relabelling the row pays."""
    _, is_relabelled = label_violations(problem, values)
    return np.where(is_relabelled, -1.0, 1.0) * sides(problem)[:, None]


def as_labelled(problem: Problem, values: FloatArray) -> FloatArray:
    """Return the side of every row's label."""
    return np.ones_like(values) * sides(problem)[:, None]


def as_routed(problem: Problem, values: FloatArray) -> FloatArray:  # noqa: ARG001
    """Return the present side of every row."""
    return np.where(values >= 0, 1.0, -1.0)


def _fitted(
    problem: Problem, gram: FloatArray, tree: ObliqueTree, wanted: FloatArray
) -> ObliqueTree:
    """Return the tree with the hyperplanes that cost least for these wanted sides.

    As in the polish of the search, every node solves its own margin problem at a share in the
    margin term, and shares move towards nodes whose norm is too large. If features are counted, a
    split keeps to its own.
    """
    on = np.flatnonzero(tree.splits)
    visits = tree.decision_path(problem.X).toarray() > 0
    shares, duals = np.full(len(on), 1.0 / len(on)), np.zeros((len(on), problem.n_rows))
    weights, intercepts = tree.weights.copy(), tree.intercepts.copy()
    for _ in range(ROUNDS):
        for k, node in enumerate(on):
            rows = np.flatnonzero(visits[:, node])
            sides_here, beta = wanted[rows, k], duals[k, rows]
            if abs(sides_here.sum()) == len(rows):
                continue
            box = problem.costs.violations * problem.row_weights[rows]
            seen, steps = problem.X[rows], 40 * len(rows)
            if problem.counts_features:
                seen = seen * (tree.weights[node] != 0)
                block = product(seen, seen.T)
            else:
                block = gram[np.ix_(rows, rows)]
            _, intercepts[node] = smo(
                block, sides_here, box, -np.inf, np.inf, shares[k], beta, steps, TOLERANCE
            )
            weights[node] = product(beta, seen) / shares[k]
            duals[k, rows] = beta
        norms = np.linalg.norm(weights[on], axis=1)
        if norms.min() <= 0:
            break
        shares *= norms**POWER
        shares /= shares.sum()
    return replace(tree, weights=weights, intercepts=intercepts)
