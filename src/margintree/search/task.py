"""Between the values of the library and the arrays of the kernels."""

import numpy as np

from margintree import topology
from margintree._products import product
from margintree.problem import Problem
from margintree.search.kernels.sketch import Sketch, Task
from margintree.search.kernels.sweep import State
from margintree.tree import ObliqueTree


def make_task(problem: Problem, with_gram: bool = True) -> Task:
    """Return what kernels need to know of a problem, the inner products of its rows included."""
    X = np.array(problem.X)
    pull = problem.costs.violations * problem.row_weights
    return Task(
        X=X,
        gram=product(X, X.T) if with_gram else np.empty((0, 0)),
        pull=pull,
        prices=np.array(problem.error_prices),
        stays=np.ones(topology.n_nodes(problem.depth) + 1),
        tolls=np.zeros((topology.n_nodes(problem.depth) + 1, 2)),
        split_price=float(problem.costs.splits),
        eps=float(problem.routing_margin),
        barrier=4 * float(problem.error_prices.max() + pull.max()),
        is_squared=problem.margin_norm == "squared",
        depth=problem.depth,
    )


def new_sketch(task: Task, scale: float = 1.0) -> Sketch:
    """Return the sketch of a tree without splits."""
    p = task.X.shape[1]
    n_branch, n_nodes = 2**task.depth, 2 ** (task.depth + 1)
    return Sketch(
        weights=np.zeros((n_branch, p)),
        intercepts=np.zeros(n_branch),
        splits=np.zeros(n_nodes, dtype=np.bool_),
        labels=np.zeros(n_nodes, dtype=np.int64),
        scale=np.array([scale]),
        duals=np.zeros((n_branch, len(task.gram))),
        shares=np.ones(n_branch),
        norms=np.zeros(n_branch),
    )


def new_state(task: Task) -> State:
    """Return room for what follows from a sketch."""
    n, n_branch = len(task.X), 2**task.depth
    return State(
        values=np.zeros((n_branch, n)),
        costs=np.zeros((2 * n_branch, n)),
        terminals=np.ones(n, dtype=np.int64),
    )


def to_sketch(task: Task, tree: ObliqueTree) -> Sketch:
    """Return a sketch of the tree, with all normal vectors scaled up to the largest norm.

    That keeps the routing and the margin term, and can only lower the violations.
    """
    sketch = new_sketch(task)
    norms = np.linalg.norm(tree.weights[tree.splits], axis=1)
    if not norms.size:
        sketch.labels[:] = tree.leaf_classes[0]
        return sketch
    factors = np.zeros(len(tree.splits))
    factors[tree.splits] = norms.max() / norms
    sketch.scale[0] = norms.max()
    sketch.splits[1 : len(tree.splits) + 1] = tree.splits
    sketch.weights[1:] = tree.weights * factors[:, None]
    sketch.intercepts[1:] = tree.intercepts * factors
    sketch.shares[1:][tree.splits] = 1.0 / len(norms)
    sketch.labels[len(tree.leaf_classes) :] = tree.leaf_classes
    for node in range(len(tree.leaf_classes) - 1, 0, -1):
        sketch.labels[node] = sketch.labels[topology.left(node)]
    return sketch


def to_tree(problem: Problem, sketch: Sketch) -> ObliqueTree:
    """Return the tree that a sketch describes, in the scaled space of the problem."""
    splits = sketch.splits[1 : topology.n_branch_nodes(problem.depth) + 1].copy()
    return ObliqueTree(
        weights=np.where(splits[:, None], sketch.weights[1:], 0.0),
        intercepts=np.where(splits, sketch.intercepts[1:], -1.0),
        splits=splits,
        leaf_classes=np.array([_label_of(sketch, leaf) for leaf in topology.leaves(problem.depth)]),
        leaf_mass=np.zeros((topology.n_leaves(problem.depth), problem.n_classes)),
        scaling=problem.scaling,
    )


def _label_of(sketch: Sketch, leaf: int) -> int:
    """Return the class of a leaf: that of the terminal node at or above it."""
    path = [leaf, *topology.ancestors(leaf)][::-1]
    terminal = next(node for node in path if not sketch.splits[node])
    return int(sketch.labels[terminal])
