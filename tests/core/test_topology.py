"""The complete binary tree as index arithmetic."""

import pytest

from margintree.core import topology

DEPTHS = range(6)


@pytest.mark.parametrize("depth", DEPTHS)
def test_counts_agree_with_ranges(depth):
    """The numbers of nodes are the lengths of the ranges of nodes."""
    assert topology.n_branch_nodes(depth) == len(topology.branch_nodes(depth))
    assert topology.n_leaves(depth) == len(topology.leaves(depth))
    assert topology.n_nodes(depth) == topology.n_branch_nodes(depth) + topology.n_leaves(depth)


@pytest.mark.parametrize("depth", DEPTHS)
def test_levels_cover_all_nodes_in_order(depth):
    """Level after level, every node comes once."""
    nodes = [t for u in range(depth + 1) for t in topology.level(u)]
    assert nodes == [*topology.branch_nodes(depth), *topology.leaves(depth)]


@pytest.mark.parametrize("t", range(1, 40))
def test_children_know_their_parent_and_each_other(t):
    """Parent, sibling and side undo left and right."""
    left, right = topology.left(t), topology.right(t)
    assert topology.parent(left) == topology.parent(right) == t
    assert topology.sibling(left) == right
    assert topology.sibling(right) == left
    assert topology.is_right_child(right)
    assert not topology.is_right_child(left)
    assert topology.depth_of(left) == topology.depth_of(right) == topology.depth_of(t) + 1


@pytest.mark.parametrize("t", range(1, 32))
def test_subtree_is_the_node_and_those_that_have_it_as_ancestor(t):
    """Subtrees and ancestors are two views of the same relation."""
    expected = [s for s in range(1, 32) if s == t or t in topology.ancestors(s)]
    assert list(topology.subtree(t, depth=4)) == expected
