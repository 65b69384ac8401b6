"""The best hierarchy of a few blocks of classes, proved by a lazy dynamic program."""

from collections.abc import Iterator, Sequence

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray
from margintree.search.classes.hyperplanes import Groups, Hyperplanes, classes_of, height_of, pair
from margintree.search.classes.kernels import codes_of_sets, divide_cheaply, raise_prices

MAX_BLOCKS = 10
"""Maximum number of blocks: the dynamic program looks at about 3**10 / 2 = 29,525 divisions."""


class Arrangement:
    """The hierarchies of some blocks, each of which is itself a hierarchy of classes.

    A division of blocks is priced by the support vector machine between its two sides. This costs
    at least as much as one between parts of the sides. So every division that was solved bounds
    those that contain it, and most divisions need not be solved at all.

    Examples
    --------
    >>> from margintree.core.problem import Costs, Problem
    >>> problem = Problem.from_data([[0.0], [0.2], [1.0]], [0, 1, 2], n_classes=3, depth=2,
    ...                             costs=Costs(violations=100.0))
    >>> arrangement = Arrangement(Hyperplanes(problem), [0, 1, 2], levels=2)
    >>> extra = np.where(np.arange(8) == 0b111, 0.0, np.inf)
    >>> *_, (bound, groups) = arrangement.improve(extra)
    >>> groups, round(bound, 6)
    (((0, 1), 2), 53.125)
    """

    def __init__(self, planes: Hyperplanes, blocks: Sequence[Groups], levels: int) -> None:
        self._planes, self._blocks = planes, blocks
        self._sets = [classes_of(block) for block in blocks]
        self._heights = np.array([height_of(block) for block in blocks])
        # With this many levels any hierarchy fits, and one layer of the program is enough.
        is_free = levels >= len(blocks) - 1 + self._heights.max()
        self._levels = [levels] if is_free else [*range(levels + 1)]
        self._codes = codes_of_sets(len(blocks))
        self._prices = np.zeros(3 ** len(blocks))
        self._solved: set[tuple[int, int]] = set()

    def improve(self, extra: FloatArray) -> Iterator[tuple[float, Groups]]:
        """Yield better and better lower bounds, each with a hierarchy whose divisions are solved.

        ``extra`` has a price for every set of blocks, which is added to the cost of its hierarchy.
        So a set may be left out, or not be allowed. The last hierarchy costs no more than its
        bound: it is the best one of all sets.
        """
        for k in range(len(self._blocks)):
            for other in range(k + 1, len(self._blocks)):
                self._solve(1 << k, 1 << other)
        is_known = False
        while not is_known:
            layers = self._layers()
            costs = layers[-1][0] + extra
            blocks = int(costs.argmin())
            groups, divisions = self._best(layers, len(layers) - 1, blocks)
            is_known = self._solved.issuperset(divisions)
            for division in divisions:
                self._solve(*division)
            yield float(costs[blocks]), groups

    def _layers(self) -> list[tuple[FloatArray, IntArray]]:
        """Return the least costs and best divisions of all sets of blocks, by levels."""
        layers: list[tuple[FloatArray, IntArray]] = []
        for level in self._levels:
            costs, first = np.full(len(self._codes), np.inf), np.zeros_like(self._codes)
            costs[1 << np.arange(len(self._blocks))] = np.where(self._heights <= level, 0.0, np.inf)
            if level > 0:
                below = layers[-1][0] if layers else costs
                divide_cheaply(self._codes, self._prices, below, costs, first)
            layers.append((costs, first))
        return layers

    def _best(
        self, layers: list[tuple[FloatArray, IntArray]], k: int, blocks: int
    ) -> tuple[Groups, list[tuple[int, int]]]:
        """Return the best hierarchy of a set of blocks in layer k, and its divisions."""
        if blocks & (blocks - 1) == 0:
            return self._blocks[blocks.bit_length() - 1], []
        side = int(layers[k][1][blocks])
        division = side, blocks ^ side
        below = [self._best(layers, max(k - 1, 0), part) for part in division]
        return pair(below[0][0], below[1][0]), [division, *below[0][1], *below[1][1]]

    def _solve(self, side: int, rest: int) -> None:
        """Solve a division; its bound also bounds the divisions that contain it."""
        if (side, rest) in self._solved:
            return
        self._solved.add((side, rest))
        plane = self._planes.between(self._classes(side), self._classes(rest))
        raise_prices(self._codes, self._prices, side, rest, plane.bound)

    def _classes(self, blocks: int) -> int:
        """Return the classes of a set of blocks."""
        return sum(classes for k, classes in enumerate(self._sets) if blocks >> k & 1)
