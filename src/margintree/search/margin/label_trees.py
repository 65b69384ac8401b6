"""Trees whose splits see labels: the additions to the margin search for OCTSVM.

Kernels charge a flat price for every wrong label. The judge lets a row choose between this price
and a larger violation; `refitted` makes use of the choice.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from margintree._lib.arrays import BoolArray, FloatArray, product
from margintree._lib.svm import smo
from margintree.core import topology
from margintree.core.bound import contradictions
from margintree.core.judges import idle_price, label_violations, price_labels, sides
from margintree.core.limits import Clock
from margintree.core.problem import Problem
from margintree.core.simplify import push_up, with_cheapest_classes
from margintree.core.tree import ObliqueTree
from margintree.search.margin.kernel_data import gram_of, make_kernel_data
from margintree.search.margin.kernels.working_tree import KernelData
from margintree.search.margin.linear_fit import SplitRows, as_routed, fit_hyperplanes

MAX_ROWS = 1000
"""With more rows than this, inner products take too long and hyperplanes stay as found."""
MAX_EXCHANGE_ROWS, MOST_TRIED, MOST_FITS = 200, 3, 100
"""Maximum number of rows for which splits try other features, of new features for a split, and of
fits in all."""
FAINT = 1e-6
"""Weight of a new feature before the fit, as a share of the largest."""
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


def refitted(problem: Problem, tree: ObliqueTree, seconds: float = np.inf) -> ObliqueTree:
    """Return a tree that costs no more, with hyperplanes fitted to the wanted sides of its rows.

    The wanted side is the side of the row's label, the side that is cheaper, or its present side.
    Splits with an empty side are left out, and leaves get the class of most of their rows. After
    some ``seconds`` no other fit begins. One is always made, but it is quick only in the Euclidean
    norm, so the linear programs of other norms are cut short.
    """
    best = with_cheapest_classes(problem, push_up(problem, tree))
    if problem.n_rows > MAX_ROWS:
        return best
    return _refit(problem, gram_of(problem), best, Clock(seconds))


def with_other_features(
    problem: Problem, tree: ObliqueTree, is_over: Callable[[], bool]
) -> ObliqueTree:
    """Return a tree that costs no more, in which no other feature of a split would pay.

    Kernels do not see what a row close to a hyperplane saves, so a search may miss a feature that
    brings rows closer. If features are counted, every split tries one more, or one in exchange.
    """
    if not problem.counts_features or problem.n_rows > MAX_EXCHANGE_ROWS:
        return tree
    gram, cost, clock = gram_of(problem), price_labels(problem, tree).total, Clock()
    others = _exchanges(problem, tree)
    for _ in range(MOST_FITS):
        other = next(others, None)
        if other is None or is_over():
            break
        fitted = _refit(problem, gram, other, clock)
        judged = price_labels(problem, fitted)
        if judged.is_allowed and judged.total < cost * (1 - TOLERANCE):
            tree, cost, others = fitted, judged.total, _exchanges(problem, fitted)
    return tree


def _exchanges(problem: Problem, tree: ObliqueTree) -> Iterator[ObliqueTree]:
    """Yield trees that see one more feature in a split, and those that see it in exchange.

    New features come in the order of what the rows inside margins gain from them, to first order.
    """
    values, visits = tree.split_values(problem.X), tree.decision_path(problem.X).toarray() > 0
    wanted = sides(problem)
    for node in np.flatnonzero(tree.splits):
        pulls = wanted * visits[:, node] * (wanted * values[:, node] < 1) * problem.row_weights
        gains = np.abs(product(problem.X.T, pulls - pulls.mean()))
        used = np.flatnonzero(tree.weights[node])
        news = [j for j in np.argsort(-gains, kind="stable") if j not in used]
        for new in news[:MOST_TRIED]:
            for old in (None, *used):
                weights = tree.weights.copy()
                weights[node, new] = FAINT * np.abs(weights[node]).max()
                if old is not None:
                    weights[node, old] = 0.0
                yield replace(tree, weights=weights)


def _refit(problem: Problem, gram: FloatArray, best: ObliqueTree, clock: Clock) -> ObliqueTree:
    """Return the tree with its hyperplanes fitted to the wanted sides as long as that pays."""
    if problem.costs.violations == 0:  # there is nothing to fit to
        return best
    has_fitted = False
    for wishes in (as_it_pays, as_labelled, as_routed):
        for _ in range(MAX_REFITS):
            if not best.n_splits or (has_fitted and clock.is_over()):
                return best
            has_fitted = True
            wanted = wishes(problem, best.split_values(problem.X)[:, best.splits])
            fitted = _fitted(problem, gram, best, wanted, clock)
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


def _fitted(
    problem: Problem, gram: FloatArray, tree: ObliqueTree, wanted: FloatArray, clock: Clock
) -> ObliqueTree:
    """Return the tree with the hyperplanes that cost least for these wanted sides.

    As in the polish of the search, every node solves its own margin problem at a share in the
    margin term, and shares move towards nodes whose norm is too large. If features are counted, a
    split keeps to its own.
    """
    on = np.flatnonzero(tree.splits)
    visits = tree.decision_path(problem.X).toarray() > 0
    if problem.norm != "l2":
        return _fitted_in_norm(problem, tree, wanted, visits, clock)
    shares, duals = np.full(len(on), 1.0 / len(on)), np.zeros((len(on), problem.n_rows))
    weights, intercepts = tree.weights.copy(), tree.intercepts.copy()
    for number in range(ROUNDS):
        if number > 0 and clock.is_over():
            break
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
        if norms.min() ** POWER < np.finfo(float).tiny:  # shares would vanish
            break
        # Shares add up to one, or for the plain norm the lengths of the dual vectors to one half.
        is_squared = problem.margin_term == "squared"
        aim = 1.0 if is_squared else 0.5 * shares.sum() / (shares * norms).sum()
        shares *= norms**POWER
        shares *= aim / shares.sum()
    return replace(tree, weights=weights, intercepts=intercepts)


def _fitted_in_norm(
    problem: Problem, tree: ObliqueTree, wanted: FloatArray, visits: BoolArray, clock: Clock
) -> ObliqueTree:
    """Return the tree of `_fitted` for a norm that is not the Euclidean one."""
    if clock.is_over():
        return tree
    nodes, parts = [], []
    for node, here in zip(np.flatnonzero(tree.splits), wanted.T, strict=True):
        rows = np.flatnonzero(visits[:, node])
        if len(np.unique(here[rows])) == 2:
            nodes.append(node)
            used = (tree.weights[node] != 0) | (not problem.counts_features)
            parts.append(SplitRows(rows, here[rows], None, used))
    found = fit_hyperplanes(problem, parts, clock.remaining()) if parts else None
    if found is None:
        return tree
    weights, intercepts = tree.weights.copy(), tree.intercepts.copy()
    weights[nodes], intercepts[nodes] = found
    return replace(tree, weights=weights, intercepts=intercepts)
