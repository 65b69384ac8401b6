"""Limits and the clock."""

import mmap

import numpy as np
import pytest

from margintree._lib.exceptions import InvalidInputError
from margintree.core.limits import Clock, Limits, resident_memory


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"seconds": -1}, "time limit"),
        ({"seconds": np.nan}, "time limit"),
        ({"memory": -1}, "memory limit .* GiB .* -1 was given"),
        ({"memory": np.nan}, "memory limit"),
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
    assert clock.struck == "time"


def test_the_clock_watches_the_memory_of_the_process():
    """It is over when memory is full, and stays so when memory is given back."""
    clock = Limits(seconds=1000, memory=resident_memory() + 0.1).clock()
    assert not clock.is_over()
    assert clock.remaining() > 0
    with mmap.mmap(-1, 2**28) as held:
        held[:: mmap.PAGESIZE] = bytes(len(held) // mmap.PAGESIZE)  # pages count once touched
        assert clock.is_over()
    assert clock.is_over()
    assert (clock.struck, clock.remaining()) == ("memory", 0.0)
