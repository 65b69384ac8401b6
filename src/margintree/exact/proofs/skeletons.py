"""Tree shapes with the classes that may be named below each node, refined step by step.

A skeleton is a nested pair. An end of it is a set of classes (a bag) that stands for every subtree
that names exactly these classes; a bag of one class is a leaf. Every tree that could be cheapest
fits one of `first_skeletons`, and every tree that fits a skeleton fits one of its `refinements`,
up to flips and up to splits that do not pay:

* A subtree that names one class only costs no less than a leaf of that class: without its splits
  the margin term, the violations and the split costs cannot be higher.
* Flipping a node (negate its hyperplane, swap its subtrees) keeps the cost. So pairs are not
  ordered, and of two equal bags the first takes the refinement that comes first in the list.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

import numpy as np

from margintree._lib.arrays import BoolArray, FloatArray, IntArray

MAX_CLASSES = 62
"""Classes whose sets fit the bits of a 64-bit integer."""

Shape: TypeAlias = "int | tuple[Shape, Shape]"
"""A bag, as the bits of its classes, or the two subtrees of a split."""


@dataclass(frozen=True)
class Skeleton:
    """A shape of trees, with the depth they may have.

    Attributes
    ----------
    shape : int or pair
        A bag of classes, or the shapes of the two subtrees.
    depth : int
        The most levels of splits.

    Examples
    --------
    >>> one_split = Skeleton((0b01, 0b10), depth=1)
    >>> one_split.n_splits, one_split.is_complete
    (1, True)
    """

    shape: Shape
    depth: int
    _key: tuple[Shape, int] = field(init=False, repr=False, compare=False)

    @cached_property
    def is_complete(self) -> bool:
        """Whether every end is a leaf."""
        return all(_is_leaf(bag) for bag in _ends(self.shape))

    @cached_property
    def n_splits(self) -> int:
        """The least number of splits of a tree with this skeleton."""
        return _n_splits(self.shape)

    @cached_property
    def classes(self) -> int:
        """The classes that a tree with this skeleton names, as bits."""
        return _classes(self.shape)

    def arrays(self) -> tuple[BoolArray, IntArray, BoolArray]:
        """Return, by node: whether it splits, the classes below, whether its subtrees are equal."""
        n = 2 ** (self.depth + 1)
        is_split, twins = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
        classes = np.zeros(n, dtype=np.int64)
        waiting = [(1, self.shape)]
        while waiting:
            node, shape = waiting.pop()
            classes[node] = _classes(shape)
            if isinstance(shape, tuple):
                is_split[node], twins[node] = True, shape[0] == shape[1]
                waiting += [(2 * node, shape[0]), (2 * node + 1, shape[1])]
        return is_split, classes, twins

    def refinements(self) -> "list[Skeleton]":
        """Return skeletons that together hold every tree of this one.

        The bag that names most classes is replaced, of these the one closest to the root.
        """
        found = [_filled(shape, height) for shape, height in _refined(self.shape, self.depth)]
        return [Skeleton(shape, self.depth) for shape in dict.fromkeys(found)]


def first_skeletons(
    prices: FloatArray, split_price: float, depth: int, cutoff: float
) -> Iterator[Skeleton]:
    """Yield one skeleton for every set of classes whose trees could cost less than the cutoff.

    Parameters
    ----------
    prices : ndarray of shape (n, K)
        What every row pays for being called each class.
    split_price : float
        The price of a split.
    depth : int
        The depth of the trees.
    cutoff : float
        What a set of classes costs less than if rows paid only for the classes it leaves out.

    Examples
    --------
    >>> prices = np.array([[0.0, 5.0], [5.0, 0.0]])
    >>> [skeleton.shape for skeleton in first_skeletons(prices, 0.1, depth=1, cutoff=2.0)]
    [(1, 2)]
    """
    n_classes = prices.shape[1]
    most = min(n_classes, 2**depth)
    # What the first classes leave to pay if all later ones are named too.
    waiting = [(0, 0)]
    while waiting:
        chosen, following = waiting.pop()
        open_ = chosen | (((1 << n_classes) - 1) & ~((1 << following) - 1))
        if not open_ or _error_price(prices, open_) >= cutoff:
            continue
        if following < n_classes:
            waiting.append((chosen, following + 1))
            if chosen.bit_count() < most:
                waiting.append((chosen | 1 << following, following + 1))
        elif _error_price(prices, chosen) + split_price * (chosen.bit_count() - 1) < cutoff:
            yield Skeleton(_filled(chosen, depth), depth)


def _error_price(prices: FloatArray, classes: int) -> float:
    """Return what the rows pay at least if only these classes are named."""
    named = [k for k in range(prices.shape[1]) if classes >> k & 1]
    return float(prices[:, named].min(axis=1).sum()) if named else np.inf


def _is_leaf(bag: int) -> bool:
    return bag & (bag - 1) == 0


def _ends(shape: Shape) -> Iterator[int]:
    if isinstance(shape, int):
        yield shape
    else:
        yield from _ends(shape[0])
        yield from _ends(shape[1])


def _n_splits(shape: Shape) -> int:
    if isinstance(shape, int):
        return shape.bit_count() - 1
    return 1 + _n_splits(shape[0]) + _n_splits(shape[1])


def _classes(shape: Shape) -> int:
    return shape if isinstance(shape, int) else _classes(shape[0]) | _classes(shape[1])


def _order(shape: Shape) -> tuple[int, str]:
    """Return a key that puts shapes in an order of their own."""
    return _classes(shape), repr(shape)


def _pair(one: Shape, other: Shape) -> Shape:
    return (one, other) if _order(one) <= _order(other) else (other, one)


def _covers(bag: int, height: int) -> list[tuple[int, int]]:
    """Return the unordered pairs of bags that together name the classes of a bag.

    Two equal leaves are none: a split above them does not pay.
    """
    most = 2 ** (height - 1)
    parts = [part for part in _subsets(bag) if part.bit_count() <= most]
    return [
        (one, other)
        for one in parts
        for other in parts
        if one <= other and one | other == bag and not (one == other and _is_leaf(one))
    ]


def _subsets(bag: int) -> list[int]:
    """Return the sets of classes, not empty, within a bag."""
    found, part = [], bag
    while part:
        found.append(part)
        part = (part - 1) & bag
    return found


def _filled(shape: Shape, height: int) -> Shape:
    """Return the shape with what has one form only: a bag of two with one level is two leaves."""
    if isinstance(shape, tuple):
        return _pair(_filled(shape[0], height - 1), _filled(shape[1], height - 1))
    if height == 1 and shape.bit_count() == 2:
        low = shape & -shape
        return low, shape ^ low
    return shape


def _refined(shape: Shape, height: int) -> Iterator[tuple[Shape, int]]:
    """Yield the shapes in which one bag became a split, with their height."""
    place = _next_bag(shape, height)
    if place is None:
        return
    yield from ((refined, height) for refined in _refined_at(shape, height, place[1]))


def _next_bag(shape: Shape, height: int) -> tuple[tuple[int, int], tuple[int, ...]] | None:
    """Return the bag to refine: how it ranks, and the turns from the root to it."""
    if isinstance(shape, int):
        return None if _is_leaf(shape) else ((shape.bit_count(), height), ())
    found = [
        (below[0], (side, *below[1]))
        for side in (0, 1)
        if (below := _next_bag(shape[side], height - 1)) is not None
    ]
    return max(found, key=lambda bag: bag[0], default=None)


def _refined_at(shape: Shape, height: int, turns: tuple[int, ...]) -> Iterator[Shape]:
    if not turns:
        assert isinstance(shape, int)
        yield from _covers(shape, height)
        return
    assert isinstance(shape, tuple)
    one, other = shape[turns[0]], shape[1 - turns[0]]
    if one == other and isinstance(one, int):
        # Both are refined at once, in unordered pairs: otherwise each pair would come twice.
        covers = [_filled(cover, height - 1) for cover in _covers(one, height - 1)]
        yield from (_pair(a, b) for k, a in enumerate(covers) for b in covers[k:])
        return
    for refined in _refined_at(one, height - 1, turns[1:]):
        yield _pair(_filled(refined, height - 1), other)
