"""The frame of every native search: incumbent, starts, limits, interrupts and result."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

from margintree import __version__
from margintree.core.incumbent import Incumbent
from margintree.core.limits import Limits
from margintree.core.method import Method
from margintree.core.problem import Problem
from margintree.core.result import Progress, Reason, Result
from margintree.core.tree import ObliqueTree

Improve: TypeAlias = Callable[[Incumbent, list[ObliqueTree]], None]
"""Offers better trees and bounds to an incumbent until its gap closes or its clock is over.
Receives the simplified starts."""


def run(
    method: Method,
    problem: Problem,
    improve: Improve,
    limits: Limits,
    starts: Sequence[ObliqueTree] = (),
    progress: Progress | None = None,
    *,
    shared: Any = None,
    finder: str = "search",
    version: str = __version__,
) -> Result:
    """Return the best tree that a search finds within limits.

    Preparation, such as compiling kernels, does not count against the time limit. Ctrl-C ends the
    search and returns the best tree so far. ``improve`` is the search itself, and ``starts`` are
    trees in the scaled space of the problem. ``shared`` is the result of `Method.share` for the
    same rows. The result names ``finder`` and ``version`` as the origin of the tree.
    """
    incumbent = Incumbent(method, problem, limits.clock(), progress)
    reason, limit = Reason.INTERRUPTED, None
    with _until_interrupted():
        method.get_ready(problem, limits)
        incumbent.clock = limits.clock()
        incumbent.bound = method.bound(problem, shared)
        simplest = incumbent.offer_all(starts if incumbent.gap > limits.gap else ())
        if incumbent.gap > limits.gap and not incumbent.clock.is_over():
            improve(incumbent, simplest)
            moved = method.last_moves(problem, incumbent.tree, incumbent.clock.is_over)
            if moved is not incumbent.tree:  # greedy methods keep a tree that they could simplify
                incumbent.offer(moved)
        reason, limit = incumbent.why_stopped(limits)
    return incumbent.result(reason, limit, limits.gap, finder, version)


@contextmanager
def _until_interrupted() -> Iterator[None]:
    """End the block at Ctrl-C, also where a compiled function turns it into another error.

    Numba runs Python code when it hands an array back. An interrupt that arrives just then becomes
    the cause of a SystemError.
    """
    try:
        yield
    except KeyboardInterrupt:
        pass
    except SystemError as error:
        if not isinstance(error.__cause__, KeyboardInterrupt):
            raise
