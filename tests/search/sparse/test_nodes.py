"""Trees as nested splits."""

import numpy as np
from hypothesis import given

from margintree.core.simplify import simplify
from margintree.search.sparse.nodes import follow, n_splits, to_node, to_tree
from strategies import problems_with_trees


@given(problems_with_trees())
def test_trees_and_nodes_are_the_same(drawn):
    """A tree becomes nodes and comes back, and rows get the same classes on either side."""
    problem, tree = drawn
    tree = simplify(problem, tree)
    node = to_node(tree)
    again = simplify(problem, to_tree(problem, node))
    assert n_splits(node) == tree.n_splits
    np.testing.assert_array_equal(again.weights, tree.weights)
    np.testing.assert_array_equal(again.intercepts, tree.intercepts)
    np.testing.assert_array_equal(again.leaf_classes, tree.leaf_classes)
    np.testing.assert_array_equal(follow(node, problem.X), tree.predict(problem.X))
