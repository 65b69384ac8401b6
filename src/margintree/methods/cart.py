"""CART, with what is known about its tree."""

from functools import partial
from importlib.metadata import version

from margintree.core.bound import error_bound
from margintree.core.incumbent import Incumbent
from margintree.core.judges import count_errors
from margintree.core.limits import Clock, Limits
from margintree.core.problem import Problem
from margintree.core.result import Reason, Result
from margintree.core.rules import Shape
from margintree.search.axis.cart import grow


def fit_cart(problem: Problem, shape: Shape, limits: Limits | None = None) -> Result:
    """Return the tree of CART, priced by the judge that OCT has too.

    Nothing is proved beyond a bound that needs no search: equal rows of different classes, and
    classes that find no leaf.

    Parameters
    ----------
    problem : Problem
        The training set and its costs.
    shape : Shape
        The least weight of a leaf and the number of splits.
    limits : Limits, optional
        The seed that decides between equally good splits, and the gap that counts as proof.

    Examples
    --------
    >>> problem = Problem.from_data([[0.0], [1.0], [4.0]], [0, 0, 1], n_classes=2, depth=2)
    >>> fit_cart(problem, Shape.of(problem)).objective
    0.1
    """
    limits, clock = limits or Limits(), Clock()
    tree, judge = grow(problem, shape, limits.seed), partial(count_errors, problem, shape)
    bound = error_bound(problem, shape.max_splits)
    incumbent = Incumbent(problem, judge, tree, bound, clock)
    incumbent.tell()
    reason = Reason.OPTIMAL if incumbent.gap <= limits.gap else Reason.FINISHED
    return incumbent.result(reason, None, limits.gap, "cart", version("scikit-learn"))
