"""The judges: functions that compute the cost of a tree on a problem from the tree alone."""

from dataclasses import replace
from math import fsum

import numpy as np

from margintree._lib.arrays import BoolArray, FloatArray, product
from margintree.core import topology
from margintree.core.cost import Cost
from margintree.core.problem import Costs, Problem
from margintree.core.tree import ObliqueTree, row_blocks

TIE_SLACK = 1e-2
"""Share of the routing margin that a row may lack before it counts as a tie.

Solvers work to a feasibility tolerance of about 1e-6. With the default routing margin of 1e-3 this
slack is ten times that tolerance, and a hundred times smaller than the routing margin."""


def price_margins(problem: Problem, tree: ObliqueTree) -> Cost:
    """Return the cost of ``tree`` on ``problem``.

    Rows are routed by the sign rule (``f >= 0`` goes right), as in `ObliqueTree.predict`. The terms
    are ``margin``, the largest ``||w||**2 / 2`` (or ``||w|| / 2``) over the splitting nodes;
    ``errors``, c1 times the weight of the misclassified rows; ``violations``, c2 times the weighted
    sum of ``max(0, 1 - |f_t(x)|)`` over splitting nodes and their rows; ``splits``; and, if they
    have a price, ``features``, c4 for each feature of each split. Faults are ``ties``, which are
    rows closer to a split than the routing margin, and broken rules.

    Examples
    --------
    >>> from margintree.core.problem import Costs, Problem
    >>> from margintree.core.tree import ObliqueTree
    >>> problem = Problem.from_data([[0.0], [0.4], [1.0]], [0, 0, 1], n_classes=2, depth=1,
    ...                             costs=Costs(errors=10, violations=1, splits=0.1))
    >>> tree = ObliqueTree.stump([2.0], -1.0, leaf_classes=[0, 1], n_classes=2)
    >>> cost = price_margins(problem, tree)
    >>> cost.margin, cost.errors, round(cost.violations, 6), cost.splits
    (2.0, 0.0, 0.8, 0.1)
    """
    nodes = np.array(topology.branch_nodes(problem.depth))
    heights = problem.depth - np.array([topology.depth_of(t) for t in nodes.tolist()])
    norms = problem.norms_of(tree.weights[tree.splits])
    errors = violations = 0.0
    ties = 0
    for rows in row_blocks(problem.n_rows):
        values = tree.split_values(problem.X[rows])
        leaves = tree.leaves_of(values)
        prices = problem.error_prices[rows]
        predicted = tree.leaf_classes[leaves - len(tree.leaf_classes)]
        errors += float(prices[np.arange(len(prices)), predicted].sum())
        is_visited = (leaves[:, None] >> heights) == nodes
        distances = np.where(is_visited, np.abs(values), np.nan)
        shortfall = np.fmax(0.0, 1.0 - distances)  # no shortfall where there is no distance
        violations += float(product(problem.row_weights[rows], shortfall).sum())
        ties += int((distances < (1 - TIE_SLACK) * problem.routing_margin).sum())
    terms = {
        "margin": problem.margin_price(float(norms.max(initial=0.0))),
        "errors": errors,
        "violations": problem.costs.violations * violations,
        "splits": problem.costs.splits * tree.n_splits,
    } | _features(problem, tree)
    faults = {"ties": ties} | problem.rules.faults(problem.X, problem.row_weights, tree)
    return Cost(terms, faults)


def _features(problem: Problem, tree: ObliqueTree) -> dict[str, float]:
    """Return the term of the features that splits use, if features have a price."""
    if not problem.costs.features:
        return {}
    return {"features": float(problem.price_of_features(tree.weights).sum())}


def price_errors(problem: Problem, tree: ObliqueTree) -> Cost:
    """Return the cost of ``tree`` on ``problem`` when only errors and splits count.

    A split has a price, as in OCT and CART, and so may have each of its features, as in OCT-H. The
    cost of violations is ignored.

    Examples
    --------
    >>> from margintree.core.problem import Costs
    >>> problem = Problem.from_data([[0.0], [0.6], [1.0]], [0, 0, 1], n_classes=2, depth=1,
    ...                             costs=Costs(errors=1, splits=0.25))
    >>> tree = ObliqueTree.stump([1.0], -0.5, leaf_classes=[0, 1], n_classes=2)
    >>> price_errors(problem, tree)
    Cost(errors=1.0, splits=0.25)
    """
    wrong = problem.row_weights * problem.error_costs[problem.y, tree.predict(problem.X)]
    terms = {
        "errors": problem.costs.errors * float(wrong.sum()),
        "splits": problem.costs.splits * tree.n_splits,
    } | _features(problem, tree)
    return Cost(terms, problem.rules.faults(problem.X, problem.row_weights, tree))


def with_relative_errors(problem: Problem, splits: float = 0.0, features: float = 0.0) -> Problem:
    """Return the problem with costs at which the errors of the best single leaf cost 1.

    Violations cost nothing; ``splits`` and ``features`` are the costs of a split and of each of its
    features. If a single leaf makes no error, an error costs 1.

    Examples
    --------
    >>> problem = Problem.from_data([[0.0], [1.0], [2.0]], [0, 1, 2], n_classes=3, depth=1)
    >>> with_relative_errors(problem).costs.errors
    0.5
    """
    mass = problem.class_mass()
    baseline = float(mass.sum() - mass.max())
    price = 1.0 / baseline if baseline > 0 else 1.0
    costs = Costs(errors=price, violations=0.0, splits=splits, features=features)
    return replace(problem, costs=costs)


def errors_only(problem: Problem) -> Problem:
    """Return the problem without a cost of violations, as `price_errors` sees it."""
    return replace(problem, costs=replace(problem.costs, violations=0.0))


def price_labels(problem: Problem, tree: ObliqueTree) -> Cost:
    """Return the cost of ``tree`` on a problem of two classes as OCTSVM defines it.

    In every branch node rows of class 1 should go right and rows of class 0 left. A row pays for
    its distance from the margin of its own side. If that is cheaper, it is relabelled in this node
    and pays for its distance from the other side. A branch node that does not split gives all its
    rows the cheaper label; this is a hyperplane without weights whose intercept is 1 or -1.

    The terms are ``margin``, the largest ``||w||**2 / 2`` (or ``||w|| / 2``); ``violations``, c1
    times the weighted sum of ``max(0, 1 - s f_t(x))`` over branch nodes and their rows, where ``s``
    is the side of the row's label, or the other side if it is relabelled; ``relabelled``, c2 times
    the weight of relabelled rows; ``splits``; and ``features`` if they have a price. Here c1
    is the cost of violations and c2 that of errors. Faults are ``ties`` (rows within the routing
    margin), splits with an empty side, and broken rules.

    Examples
    --------
    >>> from margintree.core.problem import Costs
    >>> problem = Problem.from_data([[0.0], [0.25], [1.0]], [0, 1, 1], n_classes=2, depth=1,
    ...                             costs=Costs(violations=2, errors=1, splits=0.1))
    >>> tree = ObliqueTree.stump([2.0], -1.0, leaf_classes=[0, 1], n_classes=2)
    >>> price_labels(problem, tree)
    Cost(margin=2.0, violations=1.0, relabelled=1.0, splits=0.1)
    >>> leaf = ObliqueTree.leaf(1, n_features=1, n_classes=2)
    >>> price_labels(problem, leaf)
    Cost(margin=0.0, violations=0.0, relabelled=1.0, splits=0.0)
    """
    values = tree.split_values(problem.X)
    visits = tree.decision_path(problem.X).toarray()[:, : len(tree.splits)] > 0
    said = np.where(tree.splits, values, calls(problem, visits))
    violations, is_changed = label_violations(problem, said)
    weights = np.where(visits, problem.row_weights[:, None], 0.0)
    costs = problem.costs
    too_close = (np.abs(values) < (1 - TIE_SLACK) * problem.routing_margin) & visits
    norms = problem.norms_of(tree.weights[tree.splits])
    terms = {
        "margin": problem.margin_price(float(norms.max(initial=0.0))),
        "violations": costs.violations * float((weights * violations).sum()),
        "relabelled": costs.errors * float(weights[is_changed].sum()),
        "splits": costs.splits * tree.n_splits,
    } | _features(problem, tree)
    faults = {"ties": int(too_close.sum()), "one_sided_splits": _one_sided(tree, values, visits)}
    return Cost(terms, faults | problem.rules.faults(problem.X, problem.row_weights, tree))


def sides(problem: Problem) -> FloatArray:
    """Return the side of every row's label: 1 (right) for class 1, -1 (left) for class 0."""
    return np.where(problem.y == 1, 1.0, -1.0)


def idle_price(problem: Problem) -> float:
    """Return the price of a row of weight 1 with the wrong label in a node that does not split."""
    return min(2 * problem.costs.violations, problem.costs.errors)


def label_violations(problem: Problem, values: FloatArray) -> tuple[FloatArray, BoolArray]:
    """Return by how much each row violates the margin of each column, and whether it is relabelled.

    A row is relabelled if this costs less. ``values`` has one column per hyperplane.
    """
    ours = sides(problem)[:, None] * values
    kept, changed = np.maximum(0.0, 1.0 - ours), np.maximum(0.0, 1.0 + ours)
    c1, c2 = problem.costs.violations, problem.costs.errors
    is_changed = c2 + c1 * changed < c1 * kept
    return np.where(is_changed, changed, kept), np.asarray(is_changed)


def calls(problem: Problem, visits: BoolArray) -> FloatArray:
    """Return the label that every branch node would give its rows: 1 or -1, the heavier side."""
    balance = product(problem.row_weights * sides(problem), visits.astype(float))
    return np.where(balance > 0, 1.0, -1.0)


def _one_sided(tree: ObliqueTree, values: FloatArray, visits: BoolArray) -> int:
    """Return the number of splits with an empty side."""
    with np.errstate(invalid="ignore"):
        right, left = visits & (values >= 0), visits & (values < 0)
    return int((tree.splits & ~(right.any(axis=0) & left.any(axis=0))).sum())


def price_classes(problem: Problem, tree: ObliqueTree) -> Cost:
    """Return the cost of ``tree`` on ``problem`` as a class tree defines it.

    A class has at most one leaf. Its rows should pass all splits on the way to this leaf on the
    right side and outside the margin, wherever they really go. If the class has no leaf, its rows
    pay 2 units, as they would on the wrong edge of a margin.

    The terms are ``violations``, the cost of violations times the weighted sum of
    ``max(0, 1 - s_t f_t(x))`` over the rows and the splits on the way to the leaf of their class,
    where ``s_t`` is the side of the way; and ``margins``, the sum of ``||w||**2 / 2`` over the
    splits. Faults are ``extra_leaves``, further leaves of a class, and broken rules.

    Examples
    --------
    >>> from margintree.core.problem import Costs
    >>> problem = Problem.from_data([[0.0], [0.25], [1.0]], [0, 1, 1], n_classes=2, depth=1,
    ...                             costs=Costs(violations=2))
    >>> tree = ObliqueTree.stump([2.0], -1.0, leaf_classes=[0, 1], n_classes=2)
    >>> price_classes(problem, tree)
    Cost(violations=3.0, margins=2.0)
    >>> price_classes(problem, ObliqueTree.leaf(1, n_features=1, n_classes=2, label=1))
    Cost(violations=4.0, margins=0.0)
    """
    named = tree.leaf_classes[tree.open_leaves - len(tree.leaf_classes)]
    is_own = named == np.arange(problem.n_classes)[:, None]
    ways = np.where(is_own, way_prices(problem, tree), np.inf).min(axis=1)
    prices = np.where(is_own.any(axis=1), ways, leafless_prices(problem))
    margins = problem.margin_price(np.linalg.norm(tree.weights[tree.splits], axis=1))
    terms = {"violations": float(prices.sum()), "margins": fsum(margins)}
    faults = {"extra_leaves": len(named) - len(np.unique(named))}
    return Cost(terms, faults | problem.rules.faults(problem.X, problem.row_weights, tree))


def leafless_prices(problem: Problem) -> FloatArray:
    """Return the price of every class if a class tree has no leaf for it."""
    return np.asarray(2 * problem.costs.violations * problem.class_mass())


def way_prices(problem: Problem, tree: ObliqueTree) -> FloatArray:
    """Return the price of every class on the way to each open leaf, of shape (K, n_open_leaves)."""
    prices = np.zeros((problem.n_classes, 2 * len(tree.leaf_classes)))
    on = np.flatnonzero(tree.splits)
    for rows in row_blocks(problem.n_rows):
        is_of_class = problem.y[rows] == np.arange(problem.n_classes)[:, None]
        pulls = is_of_class * (problem.costs.violations * problem.row_weights[rows])
        values = tree.split_values(problem.X[rows])[:, on]
        prices[:, 2 * on + 2] += product(pulls, np.maximum(0.0, 1 + values))
        prices[:, 2 * on + 3] += product(pulls, np.maximum(0.0, 1 - values))
    for t in range(2, prices.shape[1]):
        prices[:, t] += prices[:, topology.parent(t)]
    return np.asarray(prices[:, tree.open_leaves])
