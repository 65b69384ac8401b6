"""Python's collector of garbage, and what is better done without it."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause it while modules and compiled kernels are loaded.

    They leave a hundred thousand objects, hardly any of which is garbage, and the collector looks
    through all of them whenever there are a quarter more. It also looks through all new ones as
    soon as it goes on, unless they count as old by then: so all of them are made old.

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
            if not gc.get_freeze_count():  # what somebody else has frozen would thaw
                gc.freeze()
                gc.unfreeze()
            gc.enable()
