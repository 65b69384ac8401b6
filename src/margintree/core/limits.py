"""Limits of a search or a solver, and the clock that watches them."""

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
        Wall-clock time; 0 means "return a tree that takes no time to find".
    memory : float
        GiB of memory that the whole process may use, including data held outside the fit.
    gap : float
        Relative gap between objective and bound that counts as proof.
    nodes : int or None
        Maximum number of branch-and-bound nodes of an exact solver.
    iterations : int or None
        Maximum number of local searches of the native search.
    threads : int
        Number of threads.
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
                    f"A {what} limit must be a number of {unit} of at least 0, or infinity for no "
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
        """Return a clock that starts now and watches the limits of time and memory."""
        return Clock(self.seconds, self.memory)


@dataclass
class Clock:
    """The seconds since it was made and the memory of the process, compared with limits.

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
        """Return the seconds left, at least 0; 0 after the memory limit was reached."""
        return 0.0 if self.is_full else max(0.0, self.limit - self.elapsed())

    def is_over(self) -> bool:
        """Tell whether a limit has been reached, or was reached before in the case of memory."""
        if self.memory < np.inf and not self.is_full:
            self.is_full = resident_memory() >= self.memory
        return self.is_full or self.elapsed() >= self.limit

    @property
    def struck(self) -> str:
        """The name of the limit that was reached."""
        return "memory" if self.is_full else "time"


def resident_memory() -> float:
    """Return the memory of this process in GiB; outside Linux, its peak so far.

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
            "A memory limit needs a system that reports the memory of a process, such as Linux or "
            "macOS; Windows was found. Leave the limit out."
        )
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**30
