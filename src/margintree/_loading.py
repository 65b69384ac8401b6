"""Loading what stays until the process ends: modules, and compiled kernels."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def loading() -> Iterator[None]:
    """Look for no garbage meanwhile.

    Modules and kernels leave a hundred thousand objects, hardly any of which is garbage, and
    Python looks through all of them whenever there are a quarter more.

    Examples
    --------
    >>> with loading():
    ...     gc.isenabled()
    False
    >>> gc.isenabled()
    True
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
