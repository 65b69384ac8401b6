"""The result of a search or a solver: the tree, the proof, and why it stopped."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, TypeAlias

import numpy as np

from margintree.core.cost import Cost
from margintree.core.tree import ObliqueTree


class Reason(StrEnum):
    """Why a search or a solver stopped."""

    OPTIMAL = "optimal"
    """The gap has closed: the tree is proved optimal."""
    FINISHED = "finished"
    """The search finished; nothing is proved beyond its bound."""
    LIMIT = "limit"
    """A limit was reached; ``limit`` names it."""
    INTERRUPTED = "interrupted"
    """The user, or a callback, stopped it."""
    INFEASIBLE = "infeasible"
    """There is no solution."""


_ENDS = {
    Reason.OPTIMAL: "proved optimal",
    Reason.FINISHED: "search finished; not proved optimal",
    Reason.INTERRUPTED: "interrupted; this is the best tree so far",
    Reason.INFEASIBLE: "no solution",
}


class TracePoint(NamedTuple):
    """The best objective and the best bound after a number of seconds."""

    seconds: float
    objective: float
    bound: float


Progress: TypeAlias = Callable[[TracePoint], None]
"""A callback for every better objective or bound; it may raise KeyboardInterrupt to stop."""


def relative_gap(objective: float, bound: float) -> float:
    """Return how far the bound lies below the objective, as a share of the objective.

    Examples
    --------
    >>> relative_gap(10.0, 9.0), relative_gap(0.0, 0.0), relative_gap(float("inf"), 1.0)
    (0.1, 0.0, inf)
    """
    if not np.isfinite(objective):
        return np.inf
    return max(0.0, objective - bound) / max(abs(objective), 1e-9)


@dataclass(frozen=True)
class Result:
    """The outcome of one fit.

    Attributes
    ----------
    tree : ObliqueTree
        The best tree found.
    cost : Cost
        Its cost, with the terms and no fault.
    bound : float
        A proved lower bound on the cost of every tree.
    reason : Reason
        Why the fit stopped.
    limit : str or None
        The limit that stopped it, if any: ``"time"``, ``"memory"``, ``"nodes"`` or
        ``"iterations"``.
    gap_limit : float
        The relative gap that counts as proof.
    trace : tuple of TracePoint
        How objective and bound improved.
    solver, version : str
        The search or solver that found the tree.
    seconds : float
        The duration.
    iterations : int
        The number of local searches. More expensive steps count as several.
    """

    tree: ObliqueTree
    cost: Cost
    bound: float
    reason: Reason
    limit: str | None
    gap_limit: float
    trace: tuple[TracePoint, ...]
    solver: str
    version: str
    seconds: float
    iterations: int = 0

    @property
    def objective(self) -> float:
        """The cost of the tree."""
        return self.cost.total

    @property
    def gap(self) -> float:
        """How far the bound lies below the objective, as a share of the objective."""
        return relative_gap(self.objective, self.bound)

    @property
    def is_optimal(self) -> bool:
        """Whether the tree is proved optimal within the gap that counts as proof."""
        return self.gap <= self.gap_limit

    @property
    def ended(self) -> str:
        """Why it stopped, in words."""
        if self.is_optimal:
            return _ENDS[Reason.OPTIMAL]
        if self.reason is Reason.LIMIT:
            return f"{self.limit} limit reached; not proved optimal"
        return _ENDS[self.reason]
