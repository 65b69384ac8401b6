"""A first split whose sides are fixed: the cheapest tree below it, over the norm of all splits.

For norms from low to high, what a split pays is bounded by lines, one for each division. The least
of lines lies above the straight line between its values at both ends. So the sum over the splits,
with the margin term, has a bound in closed form, and it is off by less than the square of the
width. Intervals of norms are halved until no tree can cost less than the cutoff.
"""

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from margintree._lib.arrays import BoolArray, FloatArray
from margintree.core.problem import Problem
from margintree.core.tree import ObliqueTree
from margintree.exact.budgets.divisions import Divisions, PricedRows, divide, members_of
from margintree.exact.budgets.duals import ENOUGH, LONGEST_ROW, bound_line, envelope
from margintree.exact.budgets.turning_lines import Planes
from margintree.exact.proofs.kernels.ascent import least_margin, least_norm

FIRST_PARTS = 4
"""Intervals of norms to begin with."""
NARROWEST = 1e-8
"""An interval of this width, as a share of its upper end, is not halved again."""
ROUNDING = 1e-12
"""Share of the cutoff that the bound of a closed interval may lack through rounding."""
LOOSEST, TIGHTEST = 1e-3, 1e-8
"""Slopes that differ by less count as equal in a dual; less is allowed in narrow intervals."""


@dataclass(frozen=True, eq=False)
class Work:
    """What all first splits share: the problem, its planes, and room for divisions."""

    problem: Problem
    planes: Planes
    rows: PricedRows
    room: Divisions

    def least(self, at_low: float, at_high: float, low: float, high: float) -> float:
        """Return the least of the margin term and a line given by its ends."""
        slope = (at_low - at_high) / (high - low)
        gain = at_low + low * slope
        return float(least_margin(gain, slope, low, high, self.rows.is_squared))

    def best_norm(self, at_low: float, at_high: float, low: float, high: float) -> float:
        """Return the norm where the margin term and a line are least."""
        slope = (at_low - at_high) / (high - low)
        return float(least_norm(slope, low, high, self.rows.is_squared))

    def divisions(
        self, members: BoolArray, below: float, may_go_on: Callable[[], bool] = lambda: True
    ) -> Divisions:
        """Return all divisions of some rows that pay less than a limit, cheapest first.

        If no time is left to sort them, some are listed twice and in any order.
        """
        count = divide(self.planes, self.rows, members, below, -np.inf, self.room)
        found = self.room.only(slice(0, count))
        return found.distinct() if may_go_on() else found


class ChosenDivision(NamedTuple):
    """A division of some rows."""

    node: int
    members: BoolArray
    right: np.ndarray
    plane: int


class Interval(NamedTuple):
    """Norms from low to high, with a bound on the cost of any tree."""

    bound: float
    low: float
    high: float


@dataclass(eq=False)
class Side:
    """The rows on one side of the first split."""

    node: int
    members: BoolArray
    leaf: float  # what a leaf costs
    floor: float  # what any subtree costs, margins aside
    divisions: Divisions | None = None  # listed when they are needed

    def envelope(
        self, work: Work, low: float, high: float, limit: float, tolerance: float
    ) -> tuple[float, float, ChosenDivision | None]:
        """Return what the side pays at least at both norms, and its cheapest split if it splits.

        What pays ``limit`` or more does not matter. It falls as the norms are looked at more
        closely, so the divisions listed first are enough.
        """
        limit = min(limit, self.leaf)
        if limit <= self.floor:
            return limit, limit, None
        if self.divisions is None:
            self.divisions = work.divisions(self.members, self.leaf)
        listed = self.divisions
        at_low, at_high, best = envelope(
            work.planes, work.rows, self.members, listed, 0, len(listed.paid),
            low, high, limit, limit, tolerance,
        )  # fmt: skip
        if best < 0:
            return at_low, at_high, None
        return at_low, at_high, _chosen(self.node, self.members, listed, best)


@dataclass(eq=False)
class FirstSplit:
    """A first split with fixed sides, in one or more planes.

    Attributes
    ----------
    work : Work
        What all first splits share.
    listed : Divisions
        This division in every plane where a line divides the rows so; ``paid`` is the price of the
        split and its features, and of errors if both sides are leaves.
    sides : list of Side
        Its sides, if they may split.
    offer : callable
        Receives every tree that may be the cheapest and returns the cutoff.
    """

    work: Work
    listed: Divisions
    sides: list[Side]
    offer: Callable[[ObliqueTree], float]
    open: list[Interval] = field(default_factory=list)
    nodes: int = 0

    def begin(self, bound: float, high: float) -> None:
        """Open all norms that a split can have, up to ``high``.

        Rows on different sides are ``2 eps / S`` apart, and no two rows are further apart than the
        corners of a plane.
        """
        low = 2 * self.work.problem.routing_margin / LONGEST_ROW
        edges = np.linspace(low, max(high, 2 * low), FIRST_PARTS + 1)
        self.open = [Interval(bound, *ends) for ends in pairwise(edges.tolist())]

    def step(self, cutoff: float) -> float | None:
        """Look at the most promising norms; return their bound if they can be no narrower."""
        interval = heapq.heappop(self.open)
        self.nodes += 1
        bound, trees = self.look_at(interval, cutoff)
        for tree in trees:
            cutoff = self.offer(tree)
        bound = max(bound, interval.bound)
        if bound >= cutoff * (1 - ROUNDING):
            return None
        _, low, high = interval
        if high - low <= NARROWEST * high:
            return bound
        middle = (low + high) / 2
        heapq.heappush(self.open, Interval(bound, low, middle))
        heapq.heappush(self.open, Interval(bound, middle, high))
        return None

    def look_at(self, interval: Interval, cutoff: float) -> tuple[float, list[ObliqueTree]]:
        """Return a bound for an interval of norms, and the tree that promises most there."""
        work, (_, low, high) = self.work, interval
        tolerance = float(np.clip(0.1 * (high - low) / high, TIGHTEST, LOOSEST))
        rest = sum(side.floor for side in self.sides)
        everyone = np.ones(work.problem.n_rows, dtype=bool)
        limit = cutoff - rest - work.least(0.0, 0.0, low, high)
        at_low, at_high, best = envelope(
            work.planes, work.rows, everyone, self.listed, 0, len(self.listed.paid),
            low, high, limit, limit, tolerance,
        )  # fmt: skip
        bound = work.least(at_low, at_high, low, high)
        if best < 0 or bound + rest >= cutoff:
            return bound + rest, []
        chosen = [_chosen(1, everyone, self.listed, best)]
        for side in self.sides:
            rest -= side.floor
            limit = cutoff - rest - bound
            more_low, more_high, choice = side.envelope(work, low, high, limit, tolerance)
            at_low, at_high = at_low + more_low, at_high + more_high
            bound = work.least(at_low, at_high, low, high)
            if bound + rest >= cutoff:
                return bound + rest, []
            chosen += [] if choice is None else [choice]
        norm = work.best_norm(at_low, at_high, low, high)
        return bound, [tree_of(work, chosen, norm, cutoff)]


def _chosen(node: int, members: BoolArray, listed: Divisions, at: int) -> ChosenDivision:
    return ChosenDivision(node, members, listed.sets[at], int(listed.planes[at]))


def tree_of(work: Work, chosen: list[ChosenDivision], norm: float, cutoff: float) -> ObliqueTree:
    """Return the tree of some divisions whose splits have about this norm; others are leaves."""
    problem = work.problem
    tree = ObliqueTree.leaf(problem.depth, problem.n_features, problem.n_classes)
    weights, intercepts = tree.weights.copy(), tree.intercepts.copy()
    splits, never = tree.splits.copy(), ENOUGH * cutoff
    for node, members, right, plane in chosen:
        places = work.planes.places[plane]
        _, length, normal = bound_line(
            places, work.rows, members, right, norm, norm, never, never, TIGHTEST
        )
        if length > 0:
            normal = normal * (norm / length)
            is_right = members_of(right, problem.n_rows)[members]
            values, pull = places[members] @ normal, work.rows.pull[members]
            apart = float(values[is_right].min() - values[~is_right].max())
            if 0 < apart < 2 * problem.routing_margin:  # by a tolerance of the dual
                stretch = 2 * problem.routing_margin / apart * (1 + ROUNDING)
                normal, values = normal * stretch, values * stretch
            used = work.planes.features[plane] >= 0
            weights[node - 1, work.planes.features[plane][used]] = normal[used]
            intercepts[node - 1] = intercept(values, is_right, pull, problem.routing_margin)
            splits[node - 1] = True
    return replace(tree, weights=weights, intercepts=intercepts, splits=splits)


def intercept(
    values: FloatArray, is_right: BoolArray, pull: FloatArray, routing_margin: float
) -> float:
    """Return the intercept with the cheapest violations that keeps the routing margin.

    If none keeps it, the middle between the sides is returned.

    Examples
    --------
    >>> intercept(np.array([0.0, 2.0]), np.array([False, True]), np.ones(2), 0.001)
    -1.0
    """
    signs = np.where(is_right, 1.0, -1.0)
    low = float((routing_margin - values[is_right]).max())
    high = float((-routing_margin - values[~is_right]).min())
    if low > high:
        return (low + high) / 2
    tried = np.clip(signs - values, low, high)
    violations = np.maximum(0.0, 1.0 - signs[:, None] * (values[:, None] + tried))
    return float(tried[(pull @ violations).argmin()])
