"""The form of a tree that a program expects: one of many equivalent trees."""

from margintree.formulation.strengthening import Strengthening
from margintree.problem import Problem
from margintree.tidy import rearrange, remove_empty_sides, tidy
from margintree.tree import ObliqueTree


def canonical(problem: Problem, tree: ObliqueTree, strengthening: Strengthening) -> ObliqueTree:
    """Return an equivalent tree, or a cheaper one, in the form that the strengthening demands.

    The literal model takes every tree, but for splits with an empty side, which become idle. Any
    strengthening that removes useless or mirrored trees takes tidy trees only.
    """
    wants_tidy = (
        strengthening.no_idle_parent
        or strengthening.sibling_classes
        or strengthening.label_used_leaves
        or strengthening.useful_leaves
    )
    tree = tidy(problem, tree) if wants_tidy else remove_empty_sides(problem, tree)
    return first_row_left(problem, tree) if strengthening.flip_symmetry else tree


def first_row_left(problem: Problem, tree: ObliqueTree) -> ObliqueTree:
    """Return the tree flipped so that the first row of every branch node goes left."""
    return rearrange(problem, tree, flips=lambda visit: visit.first_goes_right)
