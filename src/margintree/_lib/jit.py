"""Compilation options shared by all kernels."""

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numba

from margintree._lib.first_fit import load_directly

_P = ParamSpec("_P")
_R = TypeVar("_R")


def kernel(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Compile a flat function to machine code on first use, and keep the code on disk."""
    return _compile(function, inline="never", counts=True)


def bare_kernel(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Compile a kernel that creates no array, without counting references to its arguments.

    Numba counts how often an array is referred to, atomically, at every call and every view. A
    kernel that is called with dozens of arrays every few microseconds spends most of its time so.
    """
    return _compile(function, inline="never", counts=False)


def part(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Compile a function as a part of the kernels that call it.

    Every kernel is optimised together with all kernels it calls, so a chain of small kernels takes
    long to compile. A function with one caller is therefore a part.
    """
    return _compile(function, inline="always", counts=True)


def _compile(function: Callable[_P, _R], inline: str, *, counts: bool) -> Callable[_P, _R]:
    compiled: Any = numba.njit(
        cache=True,
        nogil=True,
        error_model="numpy",
        inline=inline,
        no_cfunc_wrapper=True,  # nobody passes kernels as values; this saves compiling
        _nrt=counts,  # unless it is said, a kernel does as the one that calls it
    )(function)
    load_directly(compiled)
    return compiled
