"""The judge: what a tree costs on a problem, term by term, computed from the tree alone."""

from dataclasses import dataclass, replace

import numpy as np

from margintree._lib.arrays import BoolArray, IntArray
from margintree._lib.products import product
from margintree.core import topology
from margintree.core.problem import Problem
from margintree.core.tree import ObliqueTree, row_blocks

TIE_SLACK = 1e-2
"""Share of the routing margin that a row may lack before it counts as a tie.

Solvers work to a feasibility tolerance of about 1e-6; with the default routing margin of 1e-3 this
slack is ten times that, and a hundred times smaller than the margin that keeps routing unambiguous.
"""


@dataclass(frozen=True)
class Cost:
    """The cost of a tree by term; the terms add up to ``total``.

    Attributes
    ----------
    margin : float
        The largest ``||w||**2 / 2`` (or ``||w|| / 2``) over the splitting nodes.
    errors : float
        c1 times the weight of the misclassified rows.
    violations : float
        c2 times the weighted sum of ``max(0, 1 - |f_t(x)|)`` over splitting nodes and their rows.
    splits : float
        c3 times the number of splitting nodes.
    ties : int
        How many (row, splitting node) pairs have ``|f_t(x)|`` below the routing margin. A tree with
        ties breaks the rule that sides and signs agree; no solver or search may return one.
    """

    margin: float
    errors: float
    violations: float
    splits: float
    ties: int

    @property
    def total(self) -> float:
        """The sum of the four terms."""
        return self.margin + self.errors + self.violations + self.splits

    @property
    def is_allowed(self) -> bool:
        """Whether the tree keeps the routing margin everywhere."""
        return self.ties == 0


def objective(problem: Problem, tree: ObliqueTree) -> Cost:
    """Return what ``tree`` costs on ``problem``.

    Rows are routed by the sign rule (``f >= 0`` goes right), as `ObliqueTree.predict` does.

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
    >>> cost = objective(problem, tree)
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
    return Cost(
        margin=problem.margin_price(float(norms.max(initial=0.0))),
        errors=errors,
        violations=problem.costs.violations * violations,
        splits=problem.costs.splits * tree.n_splits,
        ties=ties,
    )


def _visited(leaves: IntArray, depth: int) -> BoolArray:
    """Return, of shape (n, 2**D - 1), which branch nodes each row visits."""
    nodes = np.array(topology.branch_nodes(depth))
    heights = np.array([depth - topology.depth_of(t) for t in topology.branch_nodes(depth)])
    return np.asarray((leaves[:, None] >> heights) == nodes)


def with_leaf_mass(problem: Problem, tree: ObliqueTree) -> ObliqueTree:
    """Return the tree with the class weights of the problem's rows noted in its leaves."""
    mass = np.zeros((topology.n_leaves(problem.depth), problem.n_classes))
    leaves = tree.apply(problem.X) - len(mass)
    np.add.at(mass, (leaves, problem.y), problem.row_weights)
    return replace(tree, leaf_mass=mass, scaling=problem.scaling)
