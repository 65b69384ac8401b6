"""The dynamic program over sets of blocks, compiled.

A block is a class or a group of classes that stays together. A set of blocks is a number whose bits
are the blocks. A division into two sets has a code with one digit in base 3 for every block: 0 if
the block is in neither set, 1 in the first, 2 in the second.
"""

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray
from margintree._lib.jit import kernel


@kernel
def codes_of_sets(n_blocks: int) -> IntArray:
    """Return the number in base 3 that has the digits of every set."""
    codes = np.zeros(1 << n_blocks, np.int64)
    for blocks in range(1, len(codes)):
        codes[blocks] = 3 * codes[blocks >> 1] + (blocks & 1)
    return codes


@kernel
def divide_cheaply(
    codes: IntArray, prices: FloatArray, below: FloatArray, cost: FloatArray, first: IntArray
) -> None:
    """Write the least cost of every set of two or more blocks, and one side of its best division.

    The cost of a division is its price and the costs ``below`` of its two sides. If ``below`` is
    ``cost`` itself there is no limit on the depth; otherwise ``below`` is for one level less.
    """
    for blocks in range(1, len(cost)):
        lowest = blocks & -blocks
        others = blocks ^ lowest
        if others == 0:
            continue
        cost[blocks], part = np.inf, others
        while part:
            # The lowest block is on the first side, so every division is seen once.
            part = (part - 1) & others
            side, rest = lowest | part, others ^ part
            price = prices[codes[side] + 2 * codes[rest]]
            if price < cost[blocks]:
                price += below[side] + below[rest]
                if price < cost[blocks]:
                    cost[blocks], first[blocks] = price, side


@kernel
def raise_prices(codes: IntArray, prices: FloatArray, side: int, rest: int, price: float) -> None:
    """Raise the prices of all divisions that divide these two sets, and perhaps other blocks."""
    n_blocks = 0
    while 1 << n_blocks < len(codes):
        n_blocks += 1
    free = np.empty(n_blocks, np.int64)
    n_free, n_ways = 0, 1
    for block in range(n_blocks):
        if not (side | rest) >> block & 1:
            free[n_free] = codes[1 << block]
            n_free += 1
            n_ways *= 3
    here = codes[side] + 2 * codes[rest]
    there = codes[rest] + 2 * codes[side]
    for way in range(n_ways):
        digits, code = way, 0
        for k in range(n_free):
            code += digits % 3 * free[k]
            digits //= 3
        prices[here + code] = max(prices[here + code], price)
        prices[there + code] = max(prices[there + code], price)
