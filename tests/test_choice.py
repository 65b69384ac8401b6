"""Choices: how much of a row is right where margins let both sides in."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import strategies
from margintree import topology
from margintree.choice import shares_right


def share_right(tree, values, label, node=1):
    """Return the share of one row that arrives at leaves of its class, node by node."""
    if node > len(tree.splits):
        return float(tree.leaf_classes[node - len(tree.leaf_classes)] == label)
    left = share_right(tree, values, label, topology.left(node))
    if not tree.splits[node - 1]:
        return left
    right = share_right(tree, values, label, topology.right(node))
    share = min(1.0, max(0.0, (1 + values[node - 1]) / 2))
    return (1 - share) * left + share * right


@given(strategies.trees(), st.integers(0, 2**32 - 1))
def test_shares_follow_from_the_values_of_the_splits(tree, seed):
    """As a slow walk down the tree says; all classes together have the whole row."""
    X = np.random.default_rng(seed).normal(size=(5, tree.n_features))
    values = tree.split_values(X)
    shares = np.array(
        [shares_right(tree, X, np.full(len(X), label)) for label in range(tree.n_classes)]
    )
    slow = [[share_right(tree, row, label) for row in values] for label in range(tree.n_classes)]
    np.testing.assert_allclose(shares, slow, atol=1e-12)
    np.testing.assert_allclose(shares.sum(axis=0), 1.0)


@given(strategies.trees(), st.integers(0, 2**32 - 1))
def test_rows_outside_all_margins_are_right_or_wrong(tree, seed):
    """Just as they are predicted."""
    X = np.random.default_rng(seed).normal(size=(5, tree.n_features))
    values = tree.split_values(X)
    is_clear = ~(np.abs(values) < 1).any(axis=1)
    predicted = tree.predict(X)
    for label in range(tree.n_classes):
        shares = shares_right(tree, X, np.full(len(X), label))
        np.testing.assert_array_equal(shares[is_clear], (predicted == label)[is_clear])


@given(strategies.trees(n_features=2))
def test_no_class_no_share(tree):
    """A code that stands for a class the tree does not know is never right."""
    assert shares_right(tree, np.zeros((1, 2)), np.array([-1])) == 0
