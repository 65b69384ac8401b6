"""The common part of all solvers: abilities, outcomes, progress and interruption."""

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
    """The abilities of a solver.

    Attributes
    ----------
    cones : str
        ``"native"``, ``"outer approximation"`` or ``""`` when it takes no cones.
    integers, starts, interrupt : bool
        Whether it takes integer variables, whether it takes a start, whether it stops on request.
    """

    cones: str
    integers: bool = True
    starts: bool = True
    interrupt: bool = True


@dataclass(frozen=True)
class SolverStatus:
    """Whether a solver can be used here.

    Attributes
    ----------
    installed, licensed : bool
        Whether its package can be imported, and whether its licence allows models of any size.
    version, detail : str
        The version (empty when it is not installed), and a sentence for the user.
    """

    installed: bool
    licensed: bool
    version: str
    detail: str


@dataclass(frozen=True, eq=False)
class Outcome:
    """The result of a solver on a program.

    Attributes
    ----------
    values, objective : ndarray or None, float
        The best solution and its objective; None and infinity when there is none.
    bound : float
        A proved lower bound on the objective of any solution.
    reason, limit : Reason, str or None
        Why the solver stopped, and at which limit (``"time"``, ``"memory"`` or ``"nodes"``) if any.
    trace : tuple of TracePoint
        The improvements of objective and bound over time.
    solver, version : str
        The name and the version of the solver.
    seconds : float
        The running time.
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
    """Translates a program for a solver package, and the answer back."""

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
        """Return the best values and the best bound."""
        ...


def installed_version(package: str) -> str:
    """Return the version of a package, or an empty string if it is not installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def check_ability(solver: Solver, program: Program) -> None:
    """Raise an error unless the solver is installed and can take the program."""
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
    """Keeps the trace of a solve, reports progress and remembers requests to stop.

    Bound and objective never get worse, whatever the solver reports.
    """

    clock: Clock
    progress: Progress | None = None
    found: Found | None = None
    objective: float = np.inf
    bound: float = -np.inf
    interrupted: bool = False
    trace: list[TracePoint] = field(default_factory=list)

    def report(self, objective: float = np.inf, bound: float = -np.inf) -> None:
        """Note a new objective or bound; the progress callback may ask to stop."""
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
        """Pass a better solution to the `found` callback; without one, do not compute it."""
        if self.found is not None:
            self.found(values())

    def must_stop(self) -> bool:
        """Tell whether an interruption or a limit of time or memory demands to end the solve."""
        return self.interrupted or self.clock.is_over()

    def why_stopped(self) -> tuple[Reason, str | None]:
        """Return the reason and the limit of a solve that had to stop."""
        return (Reason.INTERRUPTED, None) if self.interrupted else (Reason.LIMIT, self.clock.struck)

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Turn Ctrl-C into `interrupted` while a solver runs.

        Solvers call back from compiled code, where a KeyboardInterrupt would be lost. Only the main
        thread can listen; in other threads Ctrl-C is left alone.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def interrupt(*_: object) -> None:
            self.interrupted = True

        previous = signal.signal(signal.SIGINT, interrupt)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, previous)


def usable(
    program: Program, start: FloatArray | None, tolerance: float = 1e-6
) -> FloatArray | None:
    """Return the start if it is feasible, up to a tolerance relative to its largest value."""
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
