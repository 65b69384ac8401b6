"""A proof for splits on one or two features: every first split is closed by a bound or solved."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from margintree._lib.arrays import IntArray
from margintree._lib.exceptions import InvalidInputError
from margintree.core.incumbent import Incumbent
from margintree.core.limits import Limits
from margintree.core.margin import MARGINS
from margintree.core.method import Method
from margintree.core.problem import Costs, Problem
from margintree.core.result import Progress, Reason, Result
from margintree.core.tree import ObliqueTree
from margintree.exact.budgets.divisions import Divisions, PricedRows, members_of
from margintree.exact.budgets.first_split import ROUNDING, FirstSplit, Side, Work
from margintree.exact.budgets.floors import AT_ONCE, Floors
from margintree.exact.budgets.obstacles import obstacle
from margintree.exact.budgets.screen import screen
from margintree.exact.budgets.turning_lines import Planes
from margintree.exact.checkpoint import Checkpoint
from margintree.exact.proofs.scope import NATIVE

LEAST_GAP = 1e-7
"""The smallest relative gap that counts as proof."""
SEARCH_SHARE = 0.2
"""Share of the time limit that the search may take before the proof."""
TOLERANCE = 1e-2
"""Slopes that differ by less count as equal while first splits are screened."""


def prove_in_planes(
    method: Method,
    problem: Problem,
    limits: Limits,
    starts: Sequence[ObliqueTree] = (),
    progress: Progress | None = None,
    checkpoint: Checkpoint | None = None,
) -> Result:
    """Prove how cheap a tree with at most two features per split can be, and find the cheapest.

    Every way in which a line in a plane of two features divides the rows is a possible first split.
    A bound on what its margins and the errors below it cost closes most of them. The others are
    solved one after the other.

    Examples
    --------
    >>> from margintree.methods import MOCTSVM
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 1]
    >>> problem = Problem.from_data(X, y, n_classes=2, depth=2, costs=Costs(10.0, 10.0, 0.5))
    >>> one = problem.with_rules(0, None, max_features_per_split=1)
    >>> result = prove_in_planes(MOCTSVM(), one, Limits())
    >>> round(result.objective, 3), result.is_optimal
    (3.0, True)
    """
    refusal = obstacle(problem)
    if refusal:
        raise InvalidInputError(f"The native proof engine {refusal} Use solver='scip'.")
    compile_kernels(type(method))
    return _BudgetEngine(method, problem, limits, progress, checkpoint).run(starts)


@cache
def compile_kernels(kind: type[Method]) -> None:
    """Get all kernels ready, so that no clock runs while they are compiled."""
    problem = Problem.from_data(
        [[0.0, 0.0], [0.5, 1.0], [1.0, 0.0], [1.0, 0.5]], [0, 1, 0, 1],
        n_classes=2, depth=2, costs=Costs(1.0, 1.0, 0.1),
    )  # fmt: skip
    budget = problem.with_rules(0, None, max_features_per_split=2)
    _BudgetEngine(kind(), budget, Limits(), None, None).prove()


class _BudgetEngine:
    def __init__(
        self,
        method: Method,
        problem: Problem,
        limits: Limits,
        progress: Progress | None,
        checkpoint: Checkpoint | None,
    ) -> None:
        self.method, self.problem, self.limits = method, problem, limits
        self.progress, self.checkpoint = progress, checkpoint
        self.clock = limits.clock()
        self.best = Incumbent(method, problem, self.clock, progress)
        self.gap = max(limits.gap, LEAST_GAP) * (1 - 1e-4)
        self.nodes, self.least_stuck = 0, np.inf
        self.is_cut_short = False

    def run(self, starts: Sequence[ObliqueTree]) -> Result:
        reason = Reason.FINISHED
        try:
            self.best.raise_bound(self.method.bound(self.problem))
            self.resume()
            self.search(starts)
            self.prove()
        except KeyboardInterrupt:
            reason = Reason.INTERRUPTED
        return self.result(reason)

    @property
    def cutoff(self) -> float:
        """The cost below which a tree matters."""
        return self.best.objective * (1 - self.gap)

    def resume(self) -> None:
        """Begin with the tree and the bound of the checkpoint."""
        if self.checkpoint is not None and self.checkpoint.known is not None:
            self.best.offer(self.checkpoint.known.tree)
            self.best.raise_bound(self.checkpoint.known.bound)
        self.keep()

    def keep(self) -> None:
        """Write the checkpoint."""
        if self.checkpoint is not None:
            self.checkpoint.keep(self.best.tree, self.best.objective, self.best.bound)

    def search(self, starts: Sequence[ObliqueTree]) -> None:
        """Let the method's search find a tree to begin with."""
        self.method.get_ready(self.problem, self.limits)
        limits = replace(self.limits, seconds=SEARCH_SHARE * self.limits.seconds)
        self.clock.start = self.clock.now()  # no limit counts compilation
        found = self.method.start(self.problem, limits, [*starts, self.best.tree], self.progress)
        self.best.offer(found.tree)
        self.best.raise_bound(found.bound)
        self.best.iterations = found.iterations
        if found.reason is Reason.INTERRUPTED:
            raise KeyboardInterrupt

    def may_go_on(self) -> bool:
        """Tell whether no limit has been reached, and keep the checkpoint fresh."""
        if self.checkpoint is not None and self.checkpoint.is_due():
            self.keep()
        is_spent = self.limits.nodes is not None and self.nodes >= self.limits.nodes
        self.is_cut_short = self.is_cut_short or is_spent or self.clock.is_over()
        return not self.is_cut_short

    def prove(self) -> None:
        """Close all first splits, or raise the bound as far as the limits allow."""
        if not self.may_go_on():
            return
        own = self.screened() if self.list_first_splits() else None
        if own is None or self.is_cut_short:
            return
        left = np.arange(len(own))
        if self.problem.depth > 1:
            left = self.floors.raise_all(own, left, self.cutoff, self.may_go_on)
        totals = own + self.floors.totals
        self.solve(left[np.argsort(totals[left], kind="stable")], totals)

    def list_first_splits(self) -> bool:
        """List every way to divide the rows, with the planes where a line does so.

        Returns False if a limit is reached before all are listed.
        """
        planes, rows = Planes.of(self.problem), PricedRows.of(self.problem)
        n = self.problem.n_rows
        room = Divisions.room(len(planes.prices) * n * n, n)
        self.work = Work(self.problem, planes, rows, room)
        if not self.may_go_on():
            return False
        has_subtrees = self.problem.depth > 1
        everyone = np.ones(n, dtype=bool)
        listed = self.work.divisions(
            everyone, np.inf if has_subtrees else self.cutoff, self.may_go_on
        )
        if self.is_cut_short:
            return False
        if has_subtrees:
            listed = listed._replace(paid=rows.split + planes.prices[listed.planes])
        self.listed = listed.only(np.lexsort([listed.paid, *listed.sets.T]))
        is_new = np.ones(len(listed.paid), dtype=bool)
        is_new[1:] = (self.listed.sets[1:] != self.listed.sets[:-1]).any(axis=1)
        self.firsts = np.append(np.flatnonzero(is_new), len(is_new))
        self.floors = Floors(planes, rows, self.listed.sets[is_new], self.may_go_on)
        if not has_subtrees:
            self.floors.values[:] = 0.0  # errors are paid with the division
        return not self.is_cut_short

    def screened(self) -> np.ndarray:
        """Return what every first split pays at least itself."""
        totals = self.floors.totals
        own = np.zeros(len(totals))
        for first in range(0, len(totals), AT_ONCE):
            if not self.may_go_on():
                break
            some = np.arange(first, min(first + AT_ONCE, len(totals)))
            bounds = np.zeros(len(totals))
            screen(
                self.work.planes, self.work.rows, self.listed, self.firsts, totals,
                self.highest(0.0), self.cutoff, TOLERANCE, some, bounds,
            )  # fmt: skip
            own[some] = bounds[some] - totals[some]
        return own

    def highest(self, rest: float) -> float:
        """Return the largest norm of a tree below the cutoff that pays so much elsewhere."""
        left = self.cutoff - rest - self.floors.cheapest_split
        return max(MARGINS[self.problem.margin_term].norm_at(max(left, 0.0)), LEAST_GAP)

    def solve(self, roots: IntArray, totals: np.ndarray) -> None:
        """Solve first splits, the most promising first."""
        for root in roots.tolist():
            self.best.raise_bound(min(float(totals[root]), self.least_stuck, self.cutoff))
            if totals[root] >= self.cutoff:
                break
            self.solve_one(root, float(totals[root]))
            if self.is_cut_short:
                return
        self.best.raise_bound(min(self.least_stuck, self.cutoff * (1 - ROUNDING)))

    def solve_one(self, root: int, bound: float) -> None:
        """Halve the norms of a first split until all are closed."""
        listed = self.listed.only(slice(self.firsts[root], self.firsts[root + 1]))
        split = FirstSplit(self.work, listed, self.sides(root), self.offer)
        split.begin(bound, self.highest(self.floors.values[root].sum()))
        while split.open and split.open[0].bound < self.cutoff and self.may_go_on():
            stuck = split.step(self.cutoff)
            self.nodes += 1
            self.least_stuck = min(self.least_stuck, np.inf if stuck is None else stuck)

    def sides(self, root: int) -> list[Side]:
        """Return the sides of a first split, if they may split."""
        if self.problem.depth == 1:
            return []
        right = members_of(self.floors.sets[root], self.problem.n_rows)
        leaves, values = self.floors.leaves[root], self.floors.values[root]
        return [
            Side(2 + side, members, float(leaves[side]), float(values[side]))
            for side, members in enumerate((~right, right))
        ]

    def offer(self, tree: ObliqueTree) -> float:
        """Keep a tree if it is cheaper; return the cutoff."""
        self.best.offer(tree)
        return self.cutoff

    def result(self, reason: Reason) -> Result:
        """Return what is proved, and why it ended."""
        self.keep()
        limit = None
        if self.best.gap <= max(self.limits.gap, LEAST_GAP):
            reason = Reason.OPTIMAL
        elif self.is_cut_short and reason is not Reason.INTERRUPTED:
            reason, limit = Reason.LIMIT, self.clock.struck if self.clock.is_over() else "nodes"
        return self.best.result(reason, limit, self.limits.gap, NATIVE)
