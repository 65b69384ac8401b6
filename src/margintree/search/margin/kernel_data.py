"""Conversion between the values of the library and the arrays of the kernels."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray, product
from margintree.core import topology
from margintree.core.bound import Pairs, close_pairs
from margintree.core.problem import Problem
from margintree.core.tree import ObliqueTree
from margintree.search.margin.groupings import make_groupings
from margintree.search.margin.kernels.sweep import State
from margintree.search.margin.kernels.working_tree import KernelData, WorkingTree

NO_GRAM: FloatArray = np.empty((0, 0))
"""No inner products, for searches of many rows, which do not need them."""

MakeKernelData: TypeAlias = Callable[[Problem, FloatArray], KernelData]
"""Returns the kernel data of a problem, given the inner products of its rows or `NO_GRAM`."""


@dataclass(frozen=True, eq=False)
class Shared:
    """Data that a search needs about the rows and the depth, whatever the costs are."""

    gram: FloatArray  # the inner products of the rows
    groupings: Sequence[IntArray]  # for starts and kicks to draw from
    problem: Problem  # any problem of these rows

    @cached_property
    def pairs(self) -> Pairs:
        """Close pairs of rows of different classes, for the bound."""
        return close_pairs(self.problem)


def share(problem: Problem, seed: int) -> Shared:
    """Return the data that many searches on the same rows can share."""
    return Shared(gram_of(problem), make_groupings(problem, seed), problem)


def gram_of(problem: Problem) -> FloatArray:
    """Return the inner products of the rows."""
    return product(problem.X, problem.X.T)


def make_kernel_data(problem: Problem, gram: FloatArray) -> KernelData:
    """Return the kernel data of a problem, given the inner products of its rows."""
    X = np.array(problem.X)
    pull = problem.costs.violations * problem.row_weights
    return KernelData(
        X=X,
        gram=gram,
        pull=pull,
        prices=np.array(problem.error_prices),
        stays=np.ones(topology.n_nodes(problem.depth) + 1),
        tolls=np.zeros((topology.n_nodes(problem.depth) + 1, 2)),
        split_price=float(problem.costs.splits),
        eps=float(problem.routing_margin),
        barrier=4 * float(problem.error_prices.max() + pull.max()),
        is_squared=problem.margin_term == "squared",
        depth=problem.depth,
        mass=np.array(problem.row_weights),
        least_mass=float(problem.rules.least_mass),
        max_splits=problem.max_splits,
        groups=problem.feature_groups,
        group_prices=problem.feature_prices,
        max_per_split=problem.max_features_per_split,
        max_groups=problem.max_features,
        is_sparse=problem.counts_features,
    )


def new_working_tree(data: KernelData, scale: float = 1.0) -> WorkingTree:
    """Return the working tree of a tree without splits."""
    p = data.X.shape[1]
    n_branch, n_nodes = 2**data.depth, 2 ** (data.depth + 1)
    return WorkingTree(
        weights=np.zeros((n_branch, p)),
        intercepts=np.zeros(n_branch),
        splits=np.zeros(n_nodes, dtype=np.bool_),
        labels=np.zeros(n_nodes, dtype=np.int64),
        scale=np.array([scale]),
        duals=np.zeros((n_branch, len(data.gram))),
        shares=np.ones(n_branch),
        norms=np.zeros(n_branch),
    )


def new_state(data: KernelData) -> State:
    """Return an empty state for a working tree."""
    n, n_branch = len(data.X), 2**data.depth
    return State(
        values=np.zeros((n_branch, n)),
        costs=np.zeros((2 * n_branch, n)),
        terminals=np.ones(n, dtype=np.int64),
    )


def to_working_tree(data: KernelData, tree: ObliqueTree) -> WorkingTree:
    """Return the working tree of a tree, with all normal vectors scaled up to the largest norm.

    This keeps the routing and the margin term, and can only lower the violations.
    """
    working = new_working_tree(data)
    norms = np.linalg.norm(tree.weights[tree.splits], axis=1)
    if not norms.size:
        working.labels[:] = tree.leaf_classes[0]
        return working
    factors = np.zeros(len(tree.splits))
    factors[tree.splits] = norms.max() / norms
    working.scale[0] = norms.max()
    working.splits[1 : len(tree.splits) + 1] = tree.splits
    working.weights[1:] = tree.weights * factors[:, None]
    working.intercepts[1:] = tree.intercepts * factors
    working.shares[1:][tree.splits] = 1.0 / len(norms)
    working.labels[len(tree.leaf_classes) :] = tree.leaf_classes
    for node in range(len(tree.leaf_classes) - 1, 0, -1):
        working.labels[node] = working.labels[topology.left(node)]
    return working


def to_tree(problem: Problem, working: WorkingTree) -> ObliqueTree:
    """Return the tree that a working tree describes, in the scaled space of the problem."""
    splits = working.splits[1 : topology.n_branch_nodes(problem.depth) + 1].copy()
    classes = [_label_of(working, leaf) for leaf in topology.leaves(problem.depth)]
    return ObliqueTree(
        weights=np.where(splits[:, None], working.weights[1:], 0.0),
        intercepts=np.where(splits, working.intercepts[1:], -1.0),
        splits=splits,
        leaf_classes=np.array(classes),
        leaf_mass=np.zeros((topology.n_leaves(problem.depth), problem.n_classes)),
        scaling=problem.scaling,
    )


def _label_of(working: WorkingTree, leaf: int) -> int:
    """Return the class of a leaf: that of the terminal node at or above it."""
    path = [leaf, *topology.ancestors(leaf)][::-1]
    terminal = next(node for node in path if not working.splits[node])
    return int(working.labels[terminal])
