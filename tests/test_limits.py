"""Limits and the clock."""

import numpy as np
import pytest

from margintree.exceptions import InvalidInputError
from margintree.limits import Clock, Limits


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"seconds": -1}, "time limit"),
        ({"seconds": np.nan}, "time limit"),
        ({"gap": -0.1}, "gap"),
        ({"gap": np.inf}, "gap"),
        ({"nodes": -1}, "nodes"),
        ({"iterations": -1}, "iterations"),
        ({"threads": 0}, "threads"),
    ],
)
def test_limits_that_make_no_sense_are_refused(given, named):
    """The message names the limit."""
    with pytest.raises(InvalidInputError, match=named):
        Limits(**given)


def test_the_clock_measures_against_its_limit():
    """Elapsed and remaining seconds add up to the limit, and remaining never falls below 0."""
    times = iter([100.0, 101.0, 101.0, 101.0, 105.0, 105.0])
    clock = Clock(limit=3.0, now=lambda: next(times))
    assert clock.elapsed() == 1.0
    assert clock.remaining() == 2.0
    assert not clock.is_over()
    assert clock.is_over()
    assert clock.remaining() == 0.0
