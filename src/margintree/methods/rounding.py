"""Round numbers for the tree of a result: as few digits, or points, as its cost allows."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

from margintree.core.limits import Clock
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
    clock: Clock | None = None,
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
    clock : Clock, optional
        The clock of the rounding. When its time is over, or at an interrupt, numbers that are left
        are cut off instead of searched for, and the result says so.

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
    ladder = LADDER if points is None else (points, *(n for n in LADDER if n > points))
    clock = clock or Clock()
    why: tuple[Reason, str | None] | None = None
    try:
        found = _fewest_points(method, problem, result, ladder, share, clock.is_over)
        if clock.is_over():
            why = Reason.LIMIT, clock.struck
    except KeyboardInterrupt:
        found, why = result, (Reason.INTERRUPTED, None)
        with suppress(KeyboardInterrupt):  # pressed twice, there is no time for any rounding
            found = _fewest_points(method, problem, result, ladder, share, lambda: True)
    found = replace(found, seconds=result.seconds + clock.elapsed())
    if why is None or result.reason is Reason.INTERRUPTED:
        return found
    return replace(found, reason=why[0], limit=why[1])


def _fewest_points(
    method: MarginMethod,
    problem: Problem,
    result: Result,
    ladder: Sequence[int],
    share: float | None,
    is_over: Callable[[], bool],
) -> Result:
    """Return the result with the first numbers of points that will do, or as it is.

    When the time is over, only the most points are tried, as they are likely to do.
    """
    for k, most in enumerate(ladder):
        if k and most != ladder[-1] and is_over():
            continue
        tree = method.rounded(problem, result.tree, most, is_over)
        cost = method.judge(problem, tree)
        is_cheap = share is None or cost.total <= (1 + share) * result.objective
        if cost.is_allowed and is_cheap:
            found = replace(result, tree=with_leaf_mass(problem, tree), cost=cost)
            is_no_proof = result.reason is Reason.OPTIMAL and not found.is_optimal
            return replace(found, reason=Reason.FINISHED) if is_no_proof else found
    return result
