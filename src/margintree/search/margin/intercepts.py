"""Best intercepts for a tree of other rows, whose splits may run too close to some of these."""

import numpy as np

from margintree._lib.arrays import product
from margintree.core.problem import Problem
from margintree.core.simplify import push_up, with_cheapest_classes
from margintree.core.tree import ObliqueTree
from margintree.search.margin.kernel_data import (
    NO_GRAM,
    MakeKernelData,
    make_kernel_data,
    to_tree,
    to_working_tree,
)
from margintree.search.margin.kernels.line_search import best_intercept
from margintree.search.margin.local_search import LocalSearch


def with_best_intercepts(
    problem: Problem, tree: ObliqueTree, make_data: MakeKernelData = make_kernel_data
) -> ObliqueTree:
    """Return the tree with the cheapest allowed intercept of every split, one after the other.

    Meanwhile leaves have the classes that are cheapest for the tree as it comes. A split without an
    allowed intercept stays as it is: judge the tree. It is for the norm "l2".

    Examples
    --------
    >>> problem = Problem.from_data([[0.0], [0.4], [1.0]], [0, 0, 1], n_classes=2, depth=1)
    >>> tree = ObliqueTree.stump([4.0], -1.6, leaf_classes=[0, 1], n_classes=2)
    >>> with_best_intercepts(problem, tree).intercepts.round(3)
    array([-3.])
    """
    tree = push_up(problem, tree)
    data = make_data(problem, NO_GRAM)
    local = LocalSearch(data)
    local.put(to_working_tree(data, tree))
    for node in map(int, local.splitting_nodes()):
        rows = local.rows(node)
        intercept, cost = best_intercept(
            product(data.X[rows], local.working.weights[node]),
            local.state.costs[2 * node, rows],
            local.state.costs[2 * node + 1, rows],
            data.pull[rows],
            data.mass[rows],
            data.eps,
            data.least_mass,
        )
        if cost < np.inf:
            local.working.intercepts[node] = intercept
            local.settle()
    return with_cheapest_classes(problem, to_tree(problem, local.working))
