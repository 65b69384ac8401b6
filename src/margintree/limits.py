"""How far a search or a solver may go, and the clock that says when it is over."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from margintree.exceptions import InvalidInputError


@dataclass(frozen=True)
class Limits:
    """Limits of one fit.

    Attributes
    ----------
    seconds : float
        Wall-clock time; 0 means "return what costs nothing to find".
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
    gap: float = 1e-4
    nodes: int | None = None
    iterations: int | None = None
    threads: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        if np.isnan(self.seconds) or self.seconds < 0:
            raise InvalidInputError(
                f"A time limit must be a number of seconds of at least 0; {self.seconds!r} was "
                "given."
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


@dataclass(frozen=True)
class Clock:
    """Seconds since it was made, against a limit.

    Examples
    --------
    >>> Clock(limit=0.0).is_over()
    True
    """

    limit: float = np.inf
    now: Callable[[], float] = time.perf_counter
    start: float = field(default=-1.0)

    def __post_init__(self) -> None:
        if self.start < 0:
            object.__setattr__(self, "start", self.now())

    def elapsed(self) -> float:
        """Return the seconds since the clock was made."""
        return self.now() - self.start

    def remaining(self) -> float:
        """Return the seconds left, at least 0."""
        return max(0.0, self.limit - self.elapsed())

    def is_over(self) -> bool:
        """Tell whether the limit has been reached."""
        return self.elapsed() >= self.limit
