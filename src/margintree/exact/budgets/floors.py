"""What the sides of a first split pay at least for errors, splits and features below it.

More rows never pay less. So what some rows pay holds for every side that has them all; few rows
that pay much, a core, serve many first splits at once.
"""

from collections.abc import Callable

import numpy as np

from margintree._lib.arrays import BoolArray, FloatArray, IntArray
from margintree.exact.budgets.divisions import Divisions, PricedRows, divide, members_of, set_of
from margintree.exact.budgets.screen import child_floors, leaf_prices
from margintree.exact.budgets.turning_lines import Planes

AT_ONCE = 2_000
"""First splits that are looked at between two looks at the clock."""
CREDIT = 200
"""Listings that cores may cost more than the first splits they close have saved."""
PARTS = 4
"""A core loses a quarter of the rows at a time at first, then an eighth, and so on."""


class Floors:
    """Lower bounds on what both sides of every first split pay, which rise as they are looked at.

    Attributes
    ----------
    values : ndarray of shape (R, 2)
        The bounds: for the rows on the left, and for those on the right, which ``sets`` has.
    leaves : ndarray of shape (R, 2)
        What a leaf costs.
    """

    def __init__(
        self,
        planes: Planes,
        rows: PricedRows,
        sets: np.ndarray,
        may_go_on: Callable[[], bool] = lambda: True,
    ) -> None:
        self.planes, self.rows, self.sets = planes, rows, sets
        self.n_rows = len(rows.errors)
        self.cheapest_split = rows.split + float(planes.prices.min())
        self.leaves, self.values = np.zeros((2, len(sets), 2))  # 0 if time ends too early
        for first in range(0, len(sets), AT_ONCE):
            if not may_go_on():
                break
            some = slice(first, first + AT_ONCE)
            self.leaves[some] = leaf_prices(rows, sets[some])
            self.values[some] = child_floors(
                rows, sets[some], self.leaves[some], self.cheapest_split
            )
        self.is_exact = np.zeros(self.values.shape, dtype=bool)
        self.one = Divisions.room(1, self.n_rows)
        self.listings, self.balance = 0, CREDIT

    @property
    def totals(self) -> FloatArray:
        """The bounds of both sides together."""
        return np.asarray(self.values.sum(axis=1))

    def raise_all(
        self, own: FloatArray, some: IntArray, cutoff: float, may_go_on: Callable[[], bool]
    ) -> IntArray:
        """Raise the bounds until all that is left is exact; return the first splits that are left.

        ``own`` is what the first splits pay themselves, and ``some`` are those to look at.
        """
        some = some[own[some] + self.totals[some] < cutoff]
        while may_go_on():
            todo = some[~self.is_exact[some].all(axis=1)]
            if not len(todo):
                break
            self.look_at(int(todo[len(todo) // 2]), own, some, cutoff)
            left = some[own[some] + self.totals[some] < cutoff]
            self.balance += len(some) - len(left)
            some = left
        return some

    def look_at(self, root: int, own: FloatArray, some: IntArray, cutoff: float) -> None:
        """Compute the bounds of a first split, and spread its cores if they have paid so far."""
        right = members_of(self.sets[root], self.n_rows)
        for side, members in enumerate((~right, right)):
            if not self.is_exact[root, side]:
                self.is_exact[root, side] = True
                least = self.cheapest(members, self.leaves[root, side], -np.inf)
                self.values[root, side] = max(self.values[root, side], least)
        slack = own[root] + self.values[root].sum() - cutoff
        if slack < 0 or self.balance < 0:
            return
        before = self.listings
        for side, members in enumerate((~right, right)):
            known = self.values[root, side]
            if known > min(self.leaves[root, side], self.cheapest_split):
                core, value = self.core(members, known, known - slack)
                slack -= known - value
                self.spread(core, value, some)
        self.balance -= self.listings - before

    def cheapest(self, members: BoolArray, below: float, enough: float) -> float:
        """Return what members pay at least, margins aside, or ``below`` if it is not less.

        A value of at most ``enough`` need not be the least.
        """
        leaf = float(self.rows.errors[members].sum(axis=0).min())
        below = min(below, leaf)
        if below <= max(self.cheapest_split, enough):
            return below
        self.listings += 1
        found = divide(self.planes, self.rows, members, below, enough, self.one)
        return float(self.one.paid[0]) if found else below

    def core(self, members: BoolArray, value: float, least: float) -> tuple[BoolArray, float]:
        """Return fewer members that still pay at least ``least``, and what they pay."""
        core = members.copy()
        size = max(1, int(core.sum()) // PARTS)
        while size:
            left = np.flatnonzero(core)
            for first in range(0, len(left), size):
                fewer = core.copy()
                fewer[left[first : first + size]] = False
                if fewer.any() and self.pays(fewer, value, least):
                    core = fewer
            size //= 2
        return core, self.cheapest(core, value, -np.inf)

    def pays(self, members: BoolArray, value: float, least: float) -> bool:
        """Tell whether members pay at least ``least``; they pay no more than ``value``."""
        return self.cheapest(members, value, np.nextafter(least, -np.inf)) >= least

    def spread(self, core: BoolArray, value: float, some: IntArray) -> None:
        """Raise the bounds of all sides that have the whole core."""
        words, sets = set_of(core), self.sets[some]
        is_right = ((sets & words) == words).all(axis=1)
        is_left = ((sets & words) == 0).all(axis=1)
        for side, holds in enumerate((is_left, is_right)):
            self.values[some[holds], side] = np.maximum(self.values[some[holds], side], value)
