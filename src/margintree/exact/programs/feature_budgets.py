"""The part of a margin model that counts the features of splits: variables, rows and values.

``g`` says which groups of features a split uses, ``known`` which groups the tree uses. A problem
that does not count features has none of this.
"""

from collections.abc import Mapping

import numpy as np

from margintree._lib.arrays import FloatArray
from margintree.core import topology
from margintree.core.problem import Problem
from margintree.core.rules import used_groups
from margintree.core.tree import ObliqueTree
from margintree.exact.programs.program import Block, Program, Rows, rows, total


def feature_shapes(problem: Problem) -> dict[str, tuple[int, ...]]:
    """Return the variables that say which groups of features a split, and the tree, uses."""
    if not problem.counts_features:
        return {}
    n_groups = len(problem.feature_prices)
    return {"g": (topology.n_branch_nodes(problem.depth), n_groups), "known": (n_groups,)}


def rows_of_features(
    problem: Problem, blocks: Mapping[str, Block], norms: FloatArray
) -> dict[str, Rows]:
    """Return the rows that count the features of splits, if features are counted.

    ``norms`` bounds the norm of the hyperplane of every branch node, hence each of its weights.
    """
    if not problem.counts_features:
        return {}
    w, d, g, known = (blocks[name].indices for name in ("w", "d", "g", "known"))
    largest, switch = norms[:, None], g[:, problem.feature_groups]
    most, everywhere = float(problem.max_features_per_split), float(problem.max_features)
    return {
        "weights_below": rows([(1.0, w), (-largest, switch)], upper=0.0),
        "weights_above": rows([(1.0, w), (largest, switch)], lower=0.0),
        "used_by_split": rows([(1.0, g), (-1.0, d[:, None])], upper=0.0),
        "split_budget": rows([*total(1.0, g.T), (-most, d)], upper=0.0),
        "used_by_tree": rows([(1.0, g), (-1.0, known[None, :])], upper=0.0),
        "tree_budget": rows(total(1.0, known[:, None]), upper=everywhere),
    }


def values_of_features(problem: Problem, tree: ObliqueTree) -> dict[str, FloatArray]:
    """Return the values of the variables of `feature_shapes` for a tree."""
    if not problem.counts_features:
        return {}
    used = used_groups(tree.weights, problem.feature_groups)
    return {"g": used.astype(np.float64), "known": used.max(axis=0).astype(np.float64)}


def used_weights(problem: Problem, program: Program, values: FloatArray) -> FloatArray:
    """Return the weights of the values of a program, without those of groups that are not used.

    A solver may leave a trace of such a weight, within its tolerance.
    """
    weights: FloatArray = values[program.block("w")]
    if not problem.counts_features:
        return weights
    is_used = values[program.block("g")] > 0.5
    return np.where(is_used[:, problem.feature_groups], weights, 0.0)
