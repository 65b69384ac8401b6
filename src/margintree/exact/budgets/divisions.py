"""Kernels that list the ways in which a line can divide rows, and price what they pay at once."""

from typing import NamedTuple

import numpy as np

from margintree._lib.arrays import BoolArray, FloatArray, IntArray
from margintree._lib.jit import kernel, part
from margintree.core.problem import Problem
from margintree.exact.budgets.turning_lines import GOES_ON, LAST, RIGHT, Planes

WORD = 64
"""Rows in one word of a set of rows."""


class PricedRows(NamedTuple):
    """What the kernels know of the rows.

    Attributes
    ----------
    errors : ndarray of shape (n, K)
        The price of a row of a leaf, by the class of the leaf.
    pull : ndarray of shape (n,)
        Prices of a violation.
    tails : ndarray of shape (n,)
        The routing margin, for each row.
    split : float
        The price of a split.
    is_squared : bool
        Whether the margin costs half the squared norm; otherwise half the norm.
    """

    errors: FloatArray
    pull: FloatArray
    tails: FloatArray
    split: float
    is_squared: bool

    @classmethod
    def of(cls, problem: Problem) -> "PricedRows":
        """Return what the kernels know of the rows of a problem."""
        return cls(
            np.ascontiguousarray(problem.error_prices, dtype=float),
            problem.costs.violations * problem.row_weights,
            np.full(problem.n_rows, float(problem.routing_margin)),
            float(problem.costs.splits),
            problem.margin_term == "squared",
        )


class Divisions(NamedTuple):
    """Ways to divide rows, with room for more.

    Attributes
    ----------
    sets : uint64 ndarray of shape (m, words)
        The rows of one side; the first of the divided rows is on the other side.
    planes : int ndarray of shape (m,)
        The plane in which a line divides them so.
    paid : ndarray of shape (m,)
        What is paid for the split, its features and errors, if both sides are leaves.
    """

    sets: np.ndarray
    planes: IntArray
    paid: FloatArray

    @classmethod
    def room(cls, size: int, n_rows: int) -> "Divisions":
        """Return room for divisions."""
        words = -(-n_rows // WORD)
        return cls(np.empty((size, words), np.uint64), np.empty(size, np.int64), np.empty(size))

    def only(self, which: IntArray | BoolArray | slice) -> "Divisions":
        """Return some of the divisions."""
        return Divisions(self.sets[which], self.planes[which], self.paid[which])

    def distinct(self) -> "Divisions":
        """Return every way in every plane once, sorted by what is paid."""
        keys = np.column_stack([self.sets, self.planes.astype(np.uint64)])
        whole = np.ascontiguousarray(keys).view(np.dtype((np.void, keys.shape[1] * 8))).ravel()
        _, first = np.unique(whole, return_index=True)
        return self.only(first[np.argsort(self.paid[first], kind="stable")])


@kernel
def divide(
    planes: Planes,
    rows: PricedRows,
    is_member: BoolArray,
    below: float,
    enough: float,
    found: Divisions,
) -> int:
    """List divisions that pay less than ``below``, perhaps twice; return how many are listed.

    With room for one, only the cheapest is kept, or the first that pays at most ``enough``.
    """
    n, n_classes = rows.errors.shape
    left, right, count, limit = np.empty(n_classes), np.empty(n_classes), 0, below
    is_right, is_pivot = np.zeros(n, np.bool_), np.zeros(n, np.bool_)
    first, n_members, has_room = np.argmax(is_member), is_member.sum(), len(found.paid) > 1
    for plane in range(len(planes.prices)):
        fixed = rows.split + planes.prices[plane]
        if fixed >= below:
            continue
        is_pivot[:] = False
        for row in range(n):
            is_pivot[planes.leaders[plane, row]] |= is_member[row]
        for pivot in range(n):
            if not is_pivot[pivot]:
                continue
            steps, order = planes.steps[plane, pivot], planes.orders[plane, pivot]
            sides = planes.sides[plane, pivot]
            n_right = begin(sides, rows.errors, is_member, is_right, left, right)
            is_new = True
            for place in range(-1, n):
                if place >= 0:
                    if steps[place] == LAST:
                        break
                    row = order[place]
                    if is_member[row]:
                        n_right += cross(rows.errors[row], is_right[row], left, right)
                        is_right[row] = not is_right[row]
                        is_new = True
                    if steps[place] == GOES_ON:
                        continue
                if is_new and 0 < n_right < n_members:
                    paid = fixed + least(left) + least(right)
                    if paid < below:
                        put(found.sets[count], is_right, is_member, is_right[first])
                        found.planes[count], found.paid[count] = plane, paid
                        if has_room:
                            count += 1
                        elif paid <= enough:
                            return 1
                        else:
                            below = paid
                is_new = False
    return count if has_room else int(below < limit)


@part
def begin(
    sides: np.ndarray,
    errors: FloatArray,
    is_member: BoolArray,
    is_right: BoolArray,
    left: FloatArray,
    right: FloatArray,
) -> int:
    """Put the members on their first sides; return how many are on the right."""
    left[:], right[:], n_right = 0.0, 0.0, 0
    for row in range(len(sides)):
        is_right[row] = is_member[row] and sides[row] == RIGHT
        if is_right[row]:
            right += errors[row]
            n_right += 1
        elif is_member[row]:
            left += errors[row]
    return n_right


@part
def cross(prices: FloatArray, is_right: bool, left: FloatArray, right: FloatArray) -> int:
    """Move the prices of a row to the other side; return how many rows the right side gains."""
    for k in range(len(prices)):
        moved = -prices[k] if is_right else prices[k]
        right[k] += moved
        left[k] -= moved
    return -1 if is_right else 1


@kernel
def put(words: np.ndarray, is_right: BoolArray, is_member: BoolArray, side: bool) -> None:
    """Write the members that are not on a side as a set of rows."""
    words[:] = 0
    for row in range(len(is_right)):
        if is_member[row] and is_right[row] != side:
            words[row // WORD] |= np.uint64(1) << np.uint64(row % WORD)


@part
def least(values: FloatArray) -> float:
    """Return the least value of a few."""
    found = values[0]
    for k in range(1, len(values)):
        found = min(found, values[k])
    return float(found)


@part
def has(words: np.ndarray, row: int) -> bool:
    """Tell whether a set of rows has a row."""
    bit = (words[row // WORD] >> np.uint64(row % WORD)) & np.uint64(1)
    return bool(bit == np.uint64(1))


def members_of(words: np.ndarray, n_rows: int) -> BoolArray:
    """Return which rows a set has.

    Examples
    --------
    >>> members_of(set_of(np.array([True, False, True])), 3)
    array([ True, False,  True])
    """
    return np.unpackbits(words.view(np.uint8), count=n_rows, bitorder="little").astype(bool)


def set_of(members: BoolArray) -> np.ndarray:
    """Return a set of rows as words."""
    room = np.zeros(-(-len(members) // WORD) * 8, np.uint8)
    packed = np.packbits(members, bitorder="little")
    room[: len(packed)] = packed
    return room.view(np.uint64)
