"""The judge of MOCTSVM: what a tree costs, term by term, computed from the tree alone."""

import numpy as np

from margintree._lib.arrays import BoolArray, IntArray
from margintree._lib.products import product
from margintree.core import topology
from margintree.core.cost import Cost
from margintree.core.problem import Problem
from margintree.core.tree import ObliqueTree, row_blocks

TIE_SLACK = 1e-2
"""Share of the routing margin that a row may lack before it counts as a tie.

Solvers work to a feasibility tolerance of about 1e-6; with the default routing margin of 1e-3 this
slack is ten times that, and a hundred times smaller than the margin that keeps routing unambiguous.
"""


def price_margins(problem: Problem, tree: ObliqueTree) -> Cost:
    """Return what ``tree`` costs on ``problem``.

    Rows are routed by the sign rule (``f >= 0`` goes right), as `ObliqueTree.predict` does. The
    terms are ``margin``, the largest ``||w||**2 / 2`` (or ``||w|| / 2``) over the splitting nodes;
    ``errors``, c1 times the weight of the misclassified rows; ``violations``, c2 times the weighted
    sum of ``max(0, 1 - |f_t(x)|)`` over splitting nodes and their rows; and ``splits``. Faults are
    ``ties``, rows closer to a split than the routing margin, and broken rules.

    Parameters
    ----------
    problem : Problem
        The training set and its costs.
    tree : ObliqueTree
        Any tree over the same features and classes.

    Returns
    -------
    Cost

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
    norms = np.linalg.norm(tree.weights[tree.splits], axis=1)
    errors = violations = 0.0
    ties = 0
    for rows in row_blocks(problem.n_rows):
        values = tree.split_values(problem.X[rows])
        leaves = tree.leaves_of(values)
        prices = problem.error_prices[rows]
        predicted = tree.leaf_classes[leaves - len(tree.leaf_classes)]
        errors += float(prices[np.arange(len(prices)), predicted].sum())
        distances = np.where(_visited(leaves, problem.depth), np.abs(values), np.nan)
        shortfall = np.nan_to_num(np.maximum(0.0, 1.0 - distances))
        violations += float(product(problem.row_weights[rows], shortfall).sum())
        ties += int((distances < (1 - TIE_SLACK) * problem.routing_margin).sum())
    terms = {
        "margin": problem.margin_price(float(norms.max(initial=0.0))),
        "errors": errors,
        "violations": problem.costs.violations * violations,
        "splits": problem.costs.splits * tree.n_splits,
    }
    faults = {"ties": ties} | problem.rules.faults(problem.X, problem.row_weights, tree)
    return Cost(terms, faults)


def _visited(leaves: IntArray, depth: int) -> BoolArray:
    """Return, of shape (n, 2**D - 1), which branch nodes each row visits."""
    nodes = np.array(topology.branch_nodes(depth))
    heights = np.array([depth - topology.depth_of(t) for t in topology.branch_nodes(depth)])
    return np.asarray((leaves[:, None] >> heights) == nodes)
