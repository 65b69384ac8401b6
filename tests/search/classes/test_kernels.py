"""The dynamic program, beside slow twins."""

from itertools import product

import numpy as np
import pytest

from margintree.search.classes.kernels import codes_of_sets, divide_cheaply, raise_prices


def sides_of(code, n_blocks):
    """Return the two sets of a division by its code in base 3."""
    digits = [code // 3**k % 3 for k in range(n_blocks)]
    return tuple(sum(1 << k for k in range(n_blocks) if digits[k] == side) for side in (1, 2))


def random_prices(rng, n_blocks):
    """Return prices of all divisions, alike for both orders of their sides."""
    codes = codes_of_sets(n_blocks)
    prices = np.zeros(3**n_blocks)
    for code in range(3**n_blocks):
        side, rest = sides_of(code, n_blocks)
        prices[code] = prices[codes[rest] + 2 * codes[side]] = rng.random()
    return codes, prices


def cheapest(prices, codes, blocks, levels):
    """Return the least cost of a set of blocks, by trying all divisions."""
    if blocks & (blocks - 1) == 0:
        return 0.0
    if levels == 0:
        return np.inf
    parts = [side for side in range(1, blocks) if side & blocks == side]
    return min(
        prices[codes[side] + 2 * codes[blocks ^ side]]
        + cheapest(prices, codes, side, levels - 1)
        + cheapest(prices, codes, blocks ^ side, levels - 1)
        for side in parts
    )


def test_codes_have_a_digit_for_every_block():
    """The sets 1, 2 and 3 of two blocks are 1, 3 and 4."""
    assert codes_of_sets(2).tolist() == [0, 1, 3, 4]


@pytest.mark.parametrize("n_blocks", [1, 2, 4, 5])
def test_sets_cost_what_trying_all_divisions_says(n_blocks):
    """With any number of levels, and with each."""
    codes, prices = random_prices(np.random.default_rng(n_blocks), n_blocks)
    free, first = np.zeros(1 << n_blocks), np.zeros(1 << n_blocks, dtype=np.int64)
    divide_cheaply(codes, prices, free, free, first)
    below = np.full(1 << n_blocks, np.inf)
    below[1 << np.arange(n_blocks)] = 0
    for level in range(1, n_blocks + 1):
        costs = below.copy()
        divide_cheaply(codes, prices, below, costs, first)
        for blocks in range(1, 1 << n_blocks):
            assert costs[blocks] == pytest.approx(cheapest(prices, codes, blocks, level))
            side = int(first[blocks])
            if np.isfinite(costs[blocks]) and blocks & (blocks - 1):
                price = prices[codes[side] + 2 * codes[blocks ^ side]]
                below_it = below[side] + below[blocks ^ side]
                assert costs[blocks] == pytest.approx(price + below_it)
        below = costs
    np.testing.assert_allclose(free[1:], below[1:])


def test_prices_rise_where_a_division_is_contained():
    """In both orders of its sides, and nowhere else; none falls."""
    n_blocks = 4
    codes, prices = random_prices(np.random.default_rng(0), n_blocks)
    before = prices.copy()
    for one, other in ((0b0001, 0b0100), (0b1001, 0b0010)):
        raise_prices(codes, prices, one, other, 0.5)
        for side, rest in product(range(1 << n_blocks), repeat=2):
            if side & rest:
                continue
            code = codes[side] + 2 * codes[rest]
            is_above = (side & one == one and rest & other == other) or (
                side & other == other and rest & one == one
            )
            expected = max(before[code], 0.5) if is_above else before[code]
            assert prices[code] == expected
        before = prices.copy()
