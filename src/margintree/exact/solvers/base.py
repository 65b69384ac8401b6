"""What all solvers share: what they can do, what they return, and how they are interrupted."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import metadata
from typing import Protocol, TypeAlias

import numpy as np

from margintree._lib.arrays import FloatArray
from margintree._lib.exceptions import SolverAbilityError, SolverMissingError
from margintree.core.limits import Clock, Limits
from margintree.core.result import Progress, Reason, TracePoint
from margintree.exact.programs.program import Program


@dataclass(frozen=True)
class Abilities:
    """What a solver can take.

    Attributes
    ----------
    cones : str
        ``"native"``, ``"outer approximation"`` or ``""`` when it takes no cones.
    integers, starts, interrupt : bool
        Whether it takes integer variables, a start, and stops when asked to.
    """

    cones: str
    integers: bool = True
    starts: bool = True
    interrupt: bool = True


@dataclass(frozen=True)
class SolverStatus:
    """Whether a solver can be used here: installed and licensed are two questions.

    Attributes
    ----------
    installed : bool
        Whether its package can be imported.
    licensed : bool
        Whether its licence allows models of any size.
    version : str
        The version, empty when it is not installed.
    detail : str
        What a user should know, in a sentence.
    """

    installed: bool
    licensed: bool
    version: str
    detail: str


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a solver found out about a program.

    Attributes
    ----------
    values : ndarray or None
        The best solution, None when there is none.
    objective : float
        Its objective, infinity when there is none.
    bound : float
        A proved lower bound on every solution's objective.
    reason : Reason
        Why it stopped.
    limit : str or None
        Which limit stopped it (``"time"``, ``"memory"`` or ``"nodes"``), if one did.
    trace : tuple of TracePoint
        How objective and bound improved.
    solver, version : str
        What solved it.
    seconds : float
        How long it took.
    """

    values: FloatArray | None
    objective: float
    bound: float
    reason: Reason
    limit: str | None
    trace: tuple[TracePoint, ...]
    solver: str
    version: str
    seconds: float


Found: TypeAlias = Callable[[FloatArray], None]
"""A callback that is given the values of every better solution while a solver runs."""


class Solver(Protocol):
    """Translates a program for one solver package, and its answer back."""

    name: str
    abilities: Abilities

    def status(self) -> SolverStatus:
        """Tell whether it is installed and licensed, without solving anything."""
        ...

    def solve(
        self,
        program: Program,
        limits: Limits,
        start: FloatArray | None = None,
        progress: Progress | None = None,
        found: Found | None = None,
    ) -> Outcome:
        """Return the best values found and what is proved."""
        ...


def installed_version(package: str) -> str:
    """Return the version of an installed package, an empty string when it is not installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def check_ability(solver: Solver, program: Program) -> None:
    """Raise unless the solver is installed and can take the program.

    Raises
    ------
    SolverMissingError
        When its package is not installed.
    SolverAbilityError
        When the program has something that the solver cannot take.
    """
    status = solver.status()
    if not status.installed:
        raise SolverMissingError(
            f"The solver {solver.name!r} is not installed. {status.detail} "
            "Install it, or use solver='scip', which comes with margintree."
        )
    lacks = []
    if program.cones and not solver.abilities.cones:
        lacks.append("cones")
    if program.integrality.any() and not solver.abilities.integers:
        lacks.append("integer variables")
    if lacks:
        raise SolverAbilityError(
            f"The solver {solver.name!r} cannot take {' and '.join(lacks)}, which this model has. "
            "Use solver='scip', which can."
        )


@dataclass
class Monitor:
    """Keeps the trace of one solve, reports progress and remembers whether to stop.

    Bound and objective only ever improve, whatever order a solver reports them in.
    """

    clock: Clock
    progress: Progress | None = None
    found: Found | None = None
    objective: float = np.inf
    bound: float = -np.inf
    interrupted: bool = False
    trace: list[TracePoint] = field(default_factory=list)

    def report(self, objective: float = np.inf, bound: float = -np.inf) -> None:
        """Note a new objective or bound; a progress callback may ask to stop."""
        objective, bound = min(objective, self.objective), max(bound, self.bound)
        if (objective, bound) == (self.objective, self.bound):
            return
        self.objective, self.bound = objective, bound
        point = TracePoint(self.clock.elapsed(), objective, bound)
        self.trace.append(point)
        if self.progress is None or self.interrupted:
            return
        try:
            self.progress(point)
        except KeyboardInterrupt:
            self.interrupted = True

    def hand_over(self, values: Callable[[], FloatArray]) -> None:
        """Give the values of a better solution, which may be costly to have, to who wants them."""
        if self.found is not None:
            self.found(values())

    def must_stop(self) -> bool:
        """Tell whether somebody, or a limit of time or memory, asks to end the solve."""
        return self.interrupted or self.clock.is_over()

    def why_stopped(self) -> tuple[Reason, str | None]:
        """Return why a solve stopped that had to."""
        return (Reason.INTERRUPTED, None) if self.interrupted else (Reason.LIMIT, self.clock.struck)

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Turn Ctrl-C into `interrupted` while a solver runs.

        Solvers call back from compiled code, where a KeyboardInterrupt would be lost. Only the main
        thread can listen; elsewhere Ctrl-C is not ours to handle.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        previous = signal.signal(signal.SIGINT, lambda *_: self._interrupt())
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, previous)

    def _interrupt(self) -> None:
        self.interrupted = True


def usable(
    program: Program, start: FloatArray | None, tolerance: float = 1e-6
) -> FloatArray | None:
    """Return the start if it satisfies the program, up to a tolerance relative to its numbers."""
    if start is None:
        return None
    largest = max(1.0, float(np.abs(start).max(initial=1.0)))
    return start if program.violation(start) <= tolerance * largest else None


def trivial_bound(program: Program) -> float:
    """Return the objective with every variable at its cheaper bound.

    Examples
    --------
    >>> from margintree.testing.standard_programs import small_cover
    >>> trivial_bound(small_cover())
    0.0
    """
    priced = program.objective != 0
    prices = program.objective[priced]
    ends = prices * program.lower[priced], prices * program.upper[priced]
    return float(np.minimum(*ends).sum())
