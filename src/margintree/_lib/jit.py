"""Compilation options shared by all kernels."""

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numba

from margintree._lib.first_fit import load_directly

_P = ParamSpec("_P")
_R = TypeVar("_R")


def kernel(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Compile a flat function to machine code on first use, and keep the code on disk."""
    return _compile(function, inline="never")


def part(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Compile a function as a part of the kernels that call it.

    Every kernel is optimised together with all kernels it calls, so a chain of small kernels takes
    long to compile. A function with one caller is therefore a part.
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
    load_directly(compiled)
    return compiled
