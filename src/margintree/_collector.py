"""Python's collector of garbage, and what is better done without it."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause it while modules and compiled kernels are loaded.

    They leave a hundred thousand objects, hardly any of which is garbage, and the collector looks
    through all of them whenever there are a quarter more.

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
            gc.enable()
