"""CART by scikit-learn, pruned to a number of splits."""

from typing import Any

import numpy as np

from margintree.core.axis_tree import AxisTree, feature_ranks, to_tree
from margintree.core.problem import Problem
from margintree.core.tree import ObliqueTree


def grow(problem: Problem, seed: int = 0) -> ObliqueTree:
    """Return the tree that CART grows to the depth of the problem and prunes to its rules.

    It is the largest subtree on the path of cost-complexity pruning with at most
    ``problem.max_splits`` splits. Leaves lighter than the rules allow are never made. The costs of
    the problem are ignored. The seed decides between equally good splits.

    Examples
    --------
    >>> problem = Problem.from_data([[0.0], [1.0], [4.0]], [0, 0, 1], n_classes=2, depth=2)
    >>> grow(problem).n_splits
    1
    """
    from sklearn.tree import DecisionTreeClassifier  # loaded only when it is needed

    ranks = feature_ranks(problem.X)
    model = DecisionTreeClassifier(
        max_depth=problem.depth,
        min_weight_fraction_leaf=problem.rules.least_mass / problem.row_weights.sum(),
        random_state=seed % 2**32,
    )
    # scikit-learn stores features in single precision, which represents ranks exactly.
    data = ranks.T, problem.y, problem.row_weights
    model.fit(*data)
    if _n_splits(model) > problem.max_splits:
        path = model.cost_complexity_pruning_path(*data)
        for ccp_alpha in path.ccp_alphas:
            # The first value is 0, but rounding may make it slightly negative.
            model.set_params(ccp_alpha=max(0.0, ccp_alpha)).fit(*data)
            if _n_splits(model) <= problem.max_splits:
                break
    return to_tree(problem, ranks, _axis_tree(model.tree_, 0))


def _n_splits(model: Any) -> int:
    return int(model.get_n_leaves()) - 1


def _axis_tree(grown: Any, node: int) -> AxisTree | None:
    """Return the axis tree of a subtree of scikit-learn; values up to a threshold go left."""
    left, right = grown.children_left[node], grown.children_right[node]
    if left == right:
        return None
    rank = int(np.floor(grown.threshold[node])) + 1
    return AxisTree(
        int(grown.feature[node]), rank, _axis_tree(grown, left), _axis_tree(grown, right)
    )
