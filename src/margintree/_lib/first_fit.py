"""Shortcuts that make a first fit faster.

Three things cost a first fit seconds or tenths of seconds. Python's garbage collector repeatedly
scans a hundred thousand new objects of modules and kernels. Numba prepares to compile before it
looks into its own cache on disk. Kernels are compiled on one core. Each has its remedy here. Set
the environment variable ``MARGINTREE_PLAIN_START`` to switch the remedies off, for instance to find
out whether one of them causes a problem.
"""

import gc
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

IS_ON = not os.environ.get("MARGINTREE_PLAIN_START")
MANY = 10_000
"""Number of new objects above which it pays to mark all objects as old."""
FROZEN_BY_PYTHON = 1_000
"""More frozen objects than Python 3.12 freezes at its start, so other code has frozen some."""
QUIET_SECONDS = 1.5
"""Seconds of compilation after which the user sees a notice."""
NOTICE = "margintree: compiling kernels (up to half a minute; they are kept for all later fits)"
LONGEST_WAIT = 60.0
"""Seconds after which this process compiles what is left of the other one's share."""


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the garbage collector while modules and compiled kernels are loaded.

    Hardly any of the new objects is garbage. They are marked as old at the end; otherwise the
    collector would scan all of them as soon as it resumes.

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
    """Mark all objects as old if many are new, unless this would thaw objects that others froze."""
    if gc.get_count()[0] > MANY and gc.get_freeze_count() < FROZEN_BY_PYTHON:
        gc.freeze()
        gc.unfreeze()


def load_directly(compiled: Any) -> None:
    """Let a numba kernel load its code from disk without preparing numba to compile.

    The preparation takes longer than loading all kernels of a search. If a kernel is not on disk,
    numba still prepares itself and compiles. Does nothing if numba's internal names differ.
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
def compilation_notice() -> Iterator[None]:
    """Tell the user on standard error if what is compiled takes a while."""
    notice = threading.Timer(QUIET_SECONDS, lambda: print(NOTICE, file=sys.stderr, flush=True))
    notice.daemon = True
    notice.start()
    try:
        yield
    finally:
        notice.cancel()


@contextmanager
def other_process(function: Callable[..., None], *arguments: object) -> Iterator[None]:
    """Run a function in another process at the same time, and wait for it at the end.

    Within one process numba compiles one function at a time, even on many threads, so two processes
    finish sooner. The function must be importable from this package, and its arguments must be
    plain values. Does nothing if there is no second core.
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
    """Tell whether there are a core for another process and a Python to run in it."""
    import joblib

    return joblib.cpu_count() > 1 and bool(sys.executable) and not hasattr(sys, "frozen")


def _start(
    function: Callable[..., None], arguments: tuple[object, ...]
) -> "subprocess.Popen[bytes] | None":
    home = str(Path(__file__).parents[2])
    paths = os.pathsep.join([home, *filter(None, [os.environ.get("PYTHONPATH")])])
    code = f"from {function.__module__} import {function.__name__} as run; run(*{arguments!r})"
    command, env = [sys.executable, "-P", "-c", code], os.environ | {"PYTHONPATH": paths}
    quiet = subprocess.DEVNULL
    try:
        return subprocess.Popen(command, env=env, stdin=quiet, stdout=quiet, stderr=quiet)
    except OSError:  # no such program, or no room for another process
        return None
