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
    if compiled is not function:  # as it is where compilation is off
        cache = compiled._cache
        cache.load_overload = partial(_load, cache.load_overload)
    return compiled


def _load(load_overload: Callable[..., Any], signature: Any, target_context: Any) -> Any:
    """Load a kernel from disk without getting ready to compile, as numba would do first.

    For that it learns all it knows of Python and NumPy, which takes longer than to load all kernels
    of a search. Where there is none on disk, it does so yet, before it compiles. Numba holds its
    lock meanwhile, so nobody else meets the context as it is in between.
    """
    target_context.refresh = partial(rtsys.initialize, target_context)
    try:
        return load_overload(signature, target_context)
    finally:
        del target_context.refresh
