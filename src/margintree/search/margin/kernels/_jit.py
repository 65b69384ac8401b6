"""How every kernel is compiled."""

from collections.abc import Callable
from functools import partial
from typing import Any, ParamSpec, TypeVar

import numba
from numba.core.runtime.nrt import rtsys

_P = ParamSpec("_P")
_R = TypeVar("_R")


def kernel(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Compile a flat function to machine code on first use, and keep the code on disk."""
    return _compile(function, inline="never")


def part(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Compile a function as a part of the kernels that call it.

    Every kernel is optimised together with all kernels it calls, so a chain of small kernels takes
    long to compile. What is called from one place only is therefore a part and not a kernel.
    """
    return _compile(function, inline="always")


def _compile(function: Callable[_P, _R], inline: str) -> Callable[_P, _R]:
    compiled: Any = numba.njit(
        cache=True,
        nogil=True,
        error_model="numpy",
        inline=inline,
        no_cfunc_wrapper=True,  # nobody passes kernels as values; this saves compiling
    )(function)
    cache: Any = getattr(compiled, "_cache", None)  # there is none where compilation is off
    if hasattr(cache, "_load_overload") and hasattr(cache, "_guard_against_spurious_io_errors"):
        cache.load_overload = partial(_load, cache)
    return compiled


def _load(cache: Any, signature: Any, target_context: Any) -> Any:
    """Load a kernel from disk as numba's cache does, but without getting ready to compile.

    Numba would first learn all it knows of Python and NumPy, which takes longer than to load all
    kernels of a search. Where a kernel is not on disk, it still does so before it compiles.
    """
    rtsys.initialize(target_context)
    with cache._guard_against_spurious_io_errors():
        return cache._load_overload(signature, target_context)
