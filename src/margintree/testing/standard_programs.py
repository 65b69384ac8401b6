"""Small programs with known answers: every solver must get them right."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from margintree.core.margin import MarginTerm
from margintree.core.result import Reason
from margintree.exact.programs.program import Cone, Program


@dataclass(frozen=True)
class StandardProgram:
    """A program by name, with its optimum and the reason why a solver without limits stops."""

    name: str
    make: Callable[[], Program]
    reason: Reason
    objective: float


def program(
    objective: list[float],
    rows: list[list[float]],
    row_lower: list[float],
    upper: float = np.inf,
    whole: bool = False,
    cones: tuple[Cone, ...] = (),
) -> Program:
    """Return a program over variables of at least 0, with rows of the kind ``row @ x >= lower``."""
    n = len(objective)
    return Program(
        objective=np.array(objective, dtype=np.float64),
        lower=np.zeros(n),
        upper=np.full(n, upper),
        integrality=np.full(n, whole),
        matrix=sparse.csr_array(np.array(rows, dtype=np.float64)),
        row_lower=np.array(row_lower, dtype=np.float64),
        row_upper=np.full(len(row_lower), np.inf),
        cones=cones,
    )


def linear() -> Program:
    """Return min x + 2y with x + y >= 1 and y >= x; the optimum is x = y = 1/2."""
    return program([1, 2], [[1, 1], [-1, 1]], [1, 0])


def knapsack(n: int = 40, seed: int = 0) -> Program:
    """Return an integer covering problem that is hard enough to need branching."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(5, 50, (5, n)).astype(float)
    prices = rows.mean(axis=0) + rng.integers(1, 10, n)
    return program(prices.tolist(), rows.tolist(), (rows.sum(axis=1) / 2).tolist(), 1.0, True)


def small_cover() -> Program:
    """Return min 3a + 4b + 5c over integers with 2a + 3b + 4c >= 6; the optimum is a = c = 1."""
    return program([3, 4, 5], [[2, 3, 4]], [6], upper=1.0, whole=True)


def cone(kind: MarginTerm) -> Program:
    """Return min d with d in the cone of (x, y) and x + y >= 2; the optimum is x = y = 1."""
    return program([1, 0, 0], [[0, 1, 1]], [2], cones=(Cone(kind, 0, np.array([1, 2])),))


def whole_cone() -> Program:
    """Return min d with d >= (x^2 + y^2) / 2, x + y >= 1.5, x and y integer: x = y = 1."""
    cones = (Cone("squared", 0, np.array([1, 2])),)
    made = program([1, 0, 0], [[0, 1, 1]], [1.5], 10.0, cones=cones)
    made.integrality[1:] = True
    return made


def infeasible() -> Program:
    """Return a program with x + y >= 3, x <= 1 and y <= 1."""
    return program([1, 1], [[1, 1]], [3], upper=1.0, whole=True)


STANDARD_PROGRAMS = (
    StandardProgram("linear", linear, Reason.OPTIMAL, 1.5),
    StandardProgram("integers", small_cover, Reason.OPTIMAL, 8.0),
    StandardProgram("squared cone", lambda: cone("squared"), Reason.OPTIMAL, 1.0),
    StandardProgram("plain cone", lambda: cone("plain"), Reason.OPTIMAL, np.sqrt(2) / 2),
    StandardProgram("integers in a cone", whole_cone, Reason.OPTIMAL, 1.0),
    StandardProgram("infeasible", infeasible, Reason.INFEASIBLE, np.inf),
)
