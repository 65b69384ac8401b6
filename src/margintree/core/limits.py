"""How far a search or a solver may go, and the clock that says when it is over."""

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from margintree._lib.exceptions import InvalidInputError


@dataclass(frozen=True)
class Limits:
    """Limits of one fit.

    Attributes
    ----------
    seconds : float
        Wall-clock time; 0 means "return what costs nothing to find".
    memory : float
        GiB of memory that the process may take, with all that it holds beside the fit.
    gap : float
        Relative gap between objective and bound that counts as proof.
    nodes : int or None
        Branch-and-bound nodes of an exact solver.
    iterations : int or None
        Local searches of the native search.
    threads : int
        Threads to use.
    seed : int
        Seed of every random choice.

    Examples
    --------
    >>> Limits(seconds=5).gap
    0.0001
    """

    seconds: float = np.inf
    memory: float = np.inf
    gap: float = 1e-4
    nodes: int | None = None
    iterations: int | None = None
    threads: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        for what, unit, most in (("time", "seconds", self.seconds), ("memory", "GiB", self.memory)):
            if np.isnan(most) or most < 0:
                raise InvalidInputError(
                    f"A {what} limit must be a number of {unit} of at least 0, infinity for no "
                    f"limit; {most!r} was given."
                )
        if not 0 <= self.gap < np.inf:
            raise InvalidInputError(
                f"A gap must be a finite number of at least 0; {self.gap!r} was given."
            )
        for name in ("nodes", "iterations"):
            value = getattr(self, name)
            if value is not None and value < 0:
                raise InvalidInputError(f"{name} must be at least 0 or None; {value!r} was given.")
        if self.threads < 1:
            raise InvalidInputError(f"threads must be at least 1; {self.threads!r} was given.")

    def clock(self) -> "Clock":
        """Return a clock that starts now and watches these limits of time and memory."""
        return Clock(self.seconds, self.memory)


@dataclass
class Clock:
    """Seconds since it was made, and GiB that the process takes, against limits.

    Examples
    --------
    >>> Clock(limit=0.0).is_over()
    True
    """

    limit: float = np.inf
    memory: float = np.inf
    now: Callable[[], float] = time.perf_counter
    start: float = -1.0
    is_full: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        if self.start < 0:
            self.start = self.now()

    def elapsed(self) -> float:
        """Return the seconds since the clock was made."""
        return self.now() - self.start

    def remaining(self) -> float:
        """Return the seconds left, at least 0, and 0 once memory was full."""
        return 0.0 if self.is_full else max(0.0, self.limit - self.elapsed())

    def is_over(self) -> bool:
        """Tell whether a limit has been reached; memory that was full once stays so."""
        if self.memory < np.inf and not self.is_full:
            self.is_full = resident_memory() >= self.memory
        return self.is_full or self.elapsed() >= self.limit

    @property
    def struck(self) -> str:
        """The limit that was reached, once one was."""
        return "memory" if self.is_full else "time"


def resident_memory() -> float:
    """Return the GiB of memory that this process takes.

    Elsewhere than on Linux it is the most that the process has ever taken.

    Examples
    --------
    >>> 0 < resident_memory() < 1000
    True
    """
    if sys.platform == "linux":
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**30
    if sys.platform == "win32":
        raise InvalidInputError(
            "A memory limit needs a system that tells how much memory a process takes, as Linux "
            "and macOS do; Windows was found. Leave the limit out."
        )
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**30
