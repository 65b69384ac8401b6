"""Round numbers for the tree of a result: as few digits, or points, as its cost allows."""

from dataclasses import replace

from margintree.core.problem import Problem
from margintree.core.result import Reason, Result
from margintree.core.simplify import with_leaf_mass
from margintree.methods.margin import MarginMethod

LADDER = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
"""Largest numbers of points per unit of a feature, tried in this order."""


def with_round_numbers(
    method: MarginMethod,
    problem: Problem,
    result: Result,
    points: int | None = None,
    share: float | None = None,
) -> Result:
    """Return the result with round coefficients and thresholds, judged again.

    Parameters
    ----------
    method, problem, result
        The method and the problem of the result.
    points : int, optional
        Largest number of points per unit of a feature. The unit is the power of ten below its span.
    share : float, optional
        Share of the cost that round numbers may cost. The fewest points that keep within it are
        chosen; without ``points``, up to 1000.

    If a rule, such as a minimum weight of leaves, cannot be kept with the points, or the cost not
    within the share, more points are tried, and at last the tree stays as it is.

    Examples
    --------
    >>> from margintree.core.problem import Costs
    >>> from margintree.methods import MOCTSVM
    >>> from margintree.methods.solve import solve
    >>> X, y = [[0.0], [0.21], [0.78], [1.0]], [0, 0, 1, 1]
    >>> problem = Problem.from_data(X, y, n_classes=2, depth=1, costs=Costs(errors=10.0))
    >>> result = with_round_numbers(MOCTSVM(), problem, solve(MOCTSVM(), problem), share=0.01)
    >>> raw = result.tree.in_original_units()
    >>> (-raw.intercepts / raw.weights[:, 0]).round(9)
    array([0.5])
    """
    if points is None and share is None:
        return result
    for most in LADDER if points is None else (points, *(n for n in LADDER if n > points)):
        tree = method.rounded(problem, result.tree, most)
        cost = method.judge(problem, tree)
        is_cheap = share is None or cost.total <= (1 + share) * result.objective
        if cost.is_allowed and is_cheap:
            found = replace(result, tree=with_leaf_mass(problem, tree), cost=cost)
            is_no_proof = result.reason is Reason.OPTIMAL and not found.is_optimal
            return replace(found, reason=Reason.FINISHED) if is_no_proof else found
    return result
