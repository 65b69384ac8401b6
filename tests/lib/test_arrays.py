"""Products that do not depend on the machine's library, against plain sums."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from margintree._lib.arrays import norm, product

NUMBERS = st.floats(-1e6, 1e6, width=32)


@st.composite
def factors(draw):
    """Draw two matrices that can be multiplied."""
    n, m, k = (draw(st.integers(1, 7)) for _ in range(3))
    return tuple(draw(hnp.arrays(float, shape, elements=NUMBERS)) for shape in ((n, m), (m, k)))


@given(factors())
def test_every_entry_is_the_sum_of_its_products(drawn):
    """Up to the rounding of the sum, for all four pairs of dimensions."""
    a, b = drawn
    largest = (np.abs(a) @ np.abs(b)).max(initial=1.0)
    exact = np.array([[math.fsum(x * y) for y in b.T] for x in a])
    close = pytest.approx(exact, abs=1e-14 * largest)
    assert product(a, b) == close
    assert product(a, b[:, 0]) == pytest.approx(exact[:, 0], abs=1e-14 * largest)
    assert product(a[0], b) == pytest.approx(exact[0], abs=1e-14 * largest)
    assert float(product(a[0], b[:, 0])) == pytest.approx(exact[0, 0], abs=1e-14 * largest)


@given(factors(), st.integers(0, 9))
def test_a_row_does_not_feel_the_other_rows(drawn, seed):
    """Its product has the same bits alone and among any rows, in any order."""
    a, b = drawn
    whole = product(a, b[:, 0])
    some = np.random.default_rng(seed).permutation(len(a))[: 1 + seed % len(a)]
    np.testing.assert_array_equal(product(a[some], b[:, 0]), whole[some])
    assert product(a[:1], b[:, 0])[0] == whole[0]


@given(hnp.arrays(float, st.integers(0, 8), elements=NUMBERS), st.sampled_from([1.0, 4.0, -0.5]))
def test_the_norm_scales_with_its_vector(vector, factor):
    """It is that of NumPy, and exact under powers of two."""
    assert norm(vector) == pytest.approx(float(np.linalg.norm(vector)), rel=1e-12)
    assert norm(factor * vector) == abs(factor) * norm(vector)
