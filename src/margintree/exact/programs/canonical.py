"""The form of a tree that a program expects: one of many equivalent trees."""

from margintree.core.problem import Problem
from margintree.core.simplify import Visit, rearrange, remove_empty_sides, simplify
from margintree.core.tree import ObliqueTree
from margintree.exact.programs.strengthening import Strengthening


def canonical(problem: Problem, tree: ObliqueTree, strengthening: Strengthening) -> ObliqueTree:
    """Return an equivalent tree, or a cheaper one, in the form that the strengthening demands.

    The literal model takes every tree, but for splits with an empty side, which become idle. Any
    strengthening that removes useless or mirrored trees takes simple trees only.
    """
    wants_simple = (
        strengthening.no_idle_parent
        or strengthening.sibling_classes
        or strengthening.label_used_leaves
        or strengthening.useful_leaves
    )
    tree = simplify(problem, tree) if wants_simple else remove_empty_sides(problem, tree)
    if not strengthening.flip_symmetry:
        return tree
    return flipped(problem, tree, by_class=strengthening.orders_classes)


def flipped(problem: Problem, tree: ObliqueTree, by_class: bool) -> ObliqueTree:
    """Return the tree flipped so that the first row of every branch node goes left.

    With ``by_class``, the smaller class goes left above two leaves instead.
    """
    n_leaves = len(tree.leaf_classes)

    def is_wrong(visit: Visit) -> bool:
        if not (by_class and visit.divides and visit.node >= n_leaves // 2):
            return visit.first_goes_right
        left, right = tree.leaf_classes[[2 * visit.node - n_leaves, 2 * visit.node + 1 - n_leaves]]
        return bool(left > right)

    return rearrange(problem, tree, flips=is_wrong)
