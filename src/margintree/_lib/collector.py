"""Python's collector of garbage, and what is better done without it."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

MANY = 10_000
"""New objects that are worth the trouble of making them old."""
FROZEN_BY_PYTHON = 1_000
"""More than Python 3.12 freezes itself at its start, so somebody has frozen the others."""


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause it while modules and compiled kernels are loaded.

    They leave a hundred thousand objects, hardly any of which is garbage, and the collector looks
    through all of them whenever there are a quarter more. It would also look through all new ones
    as soon as it goes on, so they are made old before.

    Examples
    --------
    >>> with collector_paused():
    ...     gc.isenabled()
    False
    >>> gc.isenabled()
    True
    """
    was_enabled = gc.isenabled()
    try:
        gc.disable()
        yield
    finally:
        if was_enabled:
            try:
                _make_old()
            finally:
                gc.enable()


def _make_old() -> None:
    """Make all objects old where many are new, unless that would thaw what somebody has frozen."""
    if gc.get_count()[0] > MANY and gc.get_freeze_count() < FROZEN_BY_PYTHON:
        gc.freeze()
        gc.unfreeze()
