"""What makes a first fit faster, all in one place.

Three things cost a first fit seconds or tenths of seconds: Python's garbage collector looks through
a hundred thousand new objects of modules and kernels again and again; numba learns all it knows of
Python before it looks into its own cache on disk; and kernels are compiled on one core. Each has
its remedy here. Set the environment variable ``MARGINTREE_PLAIN_START`` to switch them off, for
instance to find out whether one of them is behind a problem.
"""

import gc
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

IS_ON = not os.environ.get("MARGINTREE_PLAIN_START")
MANY = 10_000
"""New objects that are worth the trouble of making them old."""
FROZEN_BY_PYTHON = 1_000
"""More frozen objects than Python 3.12 freezes at its start, so somebody else has frozen some."""
LONGEST_WAIT = 60.0
"""Seconds after which this process compiles what the other one has not."""


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the garbage collector while modules and compiled kernels are loaded.

    Hardly any of the objects that they leave is garbage. They are made old at the end, or else the
    collector would look through all of them as soon as it goes on.

    Examples
    --------
    >>> with collector_paused():
    ...     gc.isenabled() == (not IS_ON)
    True
    """
    was_enabled = IS_ON and gc.isenabled()
    try:
        if was_enabled:
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


def load_directly(compiled: Any) -> None:
    """Let a numba kernel load its code from disk without getting numba ready to compile.

    Getting ready takes longer than to load all kernels of a search. Where a kernel is not on disk,
    numba still gets ready before it compiles. Does nothing where numba has other names inside.
    """
    cache: Any = getattr(compiled, "_cache", None)  # there is none where compilation is off
    if IS_ON and hasattr(cache, "_load_overload"):
        cache.load_overload = partial(_load, cache)


def _load(cache: Any, signature: Any, target_context: Any) -> Any:
    from numba.core.runtime.nrt import rtsys

    rtsys.initialize(target_context)
    with cache._guard_against_spurious_io_errors():
        return cache._load_overload(signature, target_context)


@contextmanager
def other_process(function: Callable[..., None], *arguments: object) -> Iterator[None]:
    """Run a function in another process at the same time, and wait for it at the end.

    Numba compiles one function at a time in a process, however many threads ask for it. So what two
    processes compile is on disk sooner. Does nothing where there is no second core.

    Parameters
    ----------
    function : callable
        A function of this package, to be found by its module and name.
    *arguments
        Plain values.
    """
    process = _start(function, arguments) if IS_ON and _may_start_python() else None
    if process is None:
        yield
        return
    try:
        yield
        with suppress(subprocess.TimeoutExpired):
            process.wait(LONGEST_WAIT)
    finally:
        process.kill()
        process.wait()


def _may_start_python() -> bool:
    """Tell whether there is a core for another process, and a Python to run in it."""
    import joblib

    return joblib.cpu_count() > 1 and bool(sys.executable) and not hasattr(sys, "frozen")


def _start(
    function: Callable[..., None], arguments: tuple[object, ...]
) -> "subprocess.Popen[bytes] | None":
    home = str(Path(__file__).parents[2])
    paths = os.pathsep.join([home, *filter(None, [os.environ.get("PYTHONPATH")])])
    code = f"from {function.__module__} import {function.__name__} as run; run(*{arguments!r})"
    quiet = subprocess.DEVNULL
    try:
        return subprocess.Popen(
            [sys.executable, "-P", "-c", code],
            env=os.environ | {"PYTHONPATH": paths},
            stdin=quiet,
            stdout=quiet,
            stderr=quiet,
        )
    except OSError:  # no such program, or no room for another process
        return None
