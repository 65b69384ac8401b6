"""The rules of a problem as rows of a program, for models in which rows pass branch nodes."""

from margintree._lib.arrays import IntArray
from margintree.core.problem import Problem
from margintree.exact.programs.assembly import Rows, merge, rows, total


def rows_of_rules(
    problem: Problem, left: IntArray, right: IntArray, splits: IntArray
) -> dict[str, Rows]:
    """Return a family of rows for every rule that is in force.

    *Leaf mass.* Rows stop in a child of some split. So it is enough that both children of every
    split have the least weight: a child that splits again holds the rows of at least two leaves.

    Parameters
    ----------
    problem : Problem
        The training set and its rules.
    left, right : int ndarray of shape (n, 2**D - 1)
        The variables that say whether a row is in the left or right child of a branch node.
    splits : int ndarray of shape (2**D - 1,)
        The variables that say whether a branch node splits.
    """
    rules, weights = problem.rules, problem.row_weights[:, None]
    families = {}
    if rules.least_mass > 0:
        least = (-rules.least_mass, splits)
        sides = [rows([*total(weights, side), least], lower=0.0) for side in (left, right)]
        families["leaf_mass"] = merge(sides)
    if rules.max_splits is not None:
        families["size"] = rows(total(1.0, splits), upper=float(problem.max_splits))
    return families
