"""The judge of OCTSVM, row by row."""

import numpy as np
import pytest
from hypothesis import given

from margintree.core import topology
from margintree.core.judges import price_labels
from margintree.core.problem import Costs, Problem
from margintree.core.tree import ObliqueTree
from strategies import problems_with_trees


def priced(problem, tree):
    """Return the total, from the words of the model: every row at every branch node on its way."""
    c1, c2 = problem.costs.violations, problem.costs.errors
    norms = [np.linalg.norm(tree.weights[t]) for t in np.flatnonzero(tree.splits)]
    total = problem.margin_price(max(norms, default=0.0)) + problem.costs.splits * tree.n_splits
    paths = [
        [int(leaf) >> level for level in range(1, problem.depth + 1)]
        for leaf in tree.apply(problem.X)
    ]
    for node in topology.branch_nodes(problem.depth):
        rows = [i for i, path in enumerate(paths) if node in path]
        planes = [(tree.weights[node - 1], tree.intercepts[node - 1])]
        if not tree.splits[node - 1]:
            planes = [(np.zeros(problem.n_features), call) for call in (1.0, -1.0)]
        prices = []
        for w, b in planes:
            values = [(1 if problem.y[i] == 1 else -1) * (problem.X[i] @ w + b) for i in rows]
            each = [min(c1 * max(0, 1 - f), c2 + c1 * max(0, 1 + f)) for f in values]
            prices.append(
                sum(problem.row_weights[i] * paid for i, paid in zip(rows, each, strict=True))
            )
        total += min(prices)
    return total


@given(problems_with_trees())
def test_every_row_pays_at_every_branch_node(drawn):
    """For its label or for another one, whichever is cheaper; also where nothing splits."""
    problem, tree = drawn
    cost = price_labels(problem, tree)
    assert cost.total == pytest.approx(priced(problem, tree), rel=1e-9, abs=1e-9)
    assert cost.total == cost.margin + cost.violations + cost.relabelled + cost.splits


def test_a_split_that_does_not_part_its_rows_is_a_fault():
    """So is a row closer to a hyperplane than the routing margin."""
    problem = Problem.from_data([[0.0], [1.0]], [0, 1], n_classes=2, depth=1, costs=Costs(1, 1, 1))
    for intercept, ties, one_sided in (
        (-0.5, 0, 0),
        (0.5, 0, 1),
        (-1.0001, 1, 1),
        (-0.9999, 1, 0),
    ):
        tree = ObliqueTree.stump([1.0], intercept, leaf_classes=[0, 1], n_classes=2)
        cost = price_labels(problem, tree)
        assert cost.faults == {"ties": ties, "one_sided_splits": one_sided}
        assert cost.is_allowed == (ties + one_sided == 0)
