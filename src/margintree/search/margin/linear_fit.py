"""The best hyperplanes for a routing in the l1 and l-infinity norms, by linear programs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse

from margintree._lib.arrays import BoolArray, FloatArray, IntArray
from margintree.core.problem import Problem

TOLERANCE = 1e-7
"""Violation of a row that the solver allows itself; sides are kept by this much more."""
ENOUGH = 1e-7
"""Tangents of the squared norm are added until they explain all but this share of the cost."""
MAX_TANGENTS = 40
"""Maximum number of tangents; a few are enough."""

Wishes: TypeAlias = Callable[[Problem, FloatArray], FloatArray]
"""Returns the side, 1 (right) or -1, whose margin each row should respect at every split, given the
values of the splits."""


def as_routed(problem: Problem, values: FloatArray) -> FloatArray:  # noqa: ARG001
    """Return the present side of every row."""
    return np.where(values >= 0, 1.0, -1.0)


@dataclass(frozen=True, eq=False)
class SplitRows:
    """The rows of a split and what it should do with them.

    Attributes
    ----------
    rows : int ndarray
        The rows that arrive.
    wanted : ndarray
        The side whose margin each of them should respect, 1 (right) or -1.
    sides : ndarray or None
        The side to which each of them must go, by at least the routing margin; None if any will do.
    features : bool ndarray
        The features that the split may use.
    """

    rows: IntArray
    wanted: FloatArray
    sides: FloatArray | None
    features: BoolArray


def fit_hyperplanes(
    problem: Problem, splits: Sequence[SplitRows], seconds: float = np.inf
) -> tuple[FloatArray, FloatArray] | None:
    """Return the weights and intercepts that cost least; None if none keep the sides.

    With the sides fixed, margin and violations are a linear program, but for the square of the
    largest norm S. Its tangents replace this square, one more at every solution, and the program
    goes on from there. The norm of the problem is l1 or l-infinity. After some seconds the last
    solution is returned, or None if there is none yet.

    Examples
    --------
    >>> from dataclasses import replace
    >>> problem = Problem.from_data([[0.0, 0.0], [1.0, 1.0]], [0, 1], n_classes=2, depth=1)
    >>> sides = np.array([-1.0, 1.0])
    >>> split = SplitRows(np.arange(2), sides, sides, np.ones(2, dtype=bool))
    >>> weights, _ = fit_hyperplanes(replace(problem, norm="linf"), [split])
    >>> weights.round(6)
    array([[1., 1.]])
    """
    program = _LinearFit(problem, splits, seconds)
    found, is_squared = None, problem.margin_term == "squared"
    for _ in range(1 + MAX_TANGENTS):
        if not program.solve():
            break
        found = program.hyperplanes()
        if not is_squared or program.lack <= ENOUGH * program.cost:
            break
        program.add_tangent()
    return found


class _LinearFit:
    """A linear program in HiGHS, which continues from its last solution when a row is added.

    The first two variables are the price of the largest norm and this norm. Then every split has
    its weights, its intercept, the sizes of its weights (l1 only), and the violations of its rows.
    """

    def __init__(self, problem: Problem, splits: Sequence[SplitRows], seconds: float) -> None:
        import highspy  # loaded only when it is needed

        self.problem = problem
        parts = [_SplitBlock(problem, split) for split in splits]
        self.starts = 2 + np.cumsum([0] + [len(part.price) for part in parts])
        norm = np.concatenate([part.norm for part in parts])[:, None]
        blocks = sparse.block_diag([part.matrix for part in parts])
        matrix = sparse.csr_array(sparse.hstack([np.zeros_like(norm), norm, blocks]))
        is_squared = problem.margin_term == "squared"
        margin = [1.0, 0.0] if is_squared else [0.0, 0.5]
        program = highspy.HighsLp()
        program.num_row_, program.num_col_ = matrix.shape
        program.col_cost_ = np.concatenate([margin, *(part.price for part in parts)])
        program.col_lower_ = np.concatenate([[0.0, 0.0], *(part.lower for part in parts)])
        program.col_upper_ = np.concatenate([[np.inf] * 2, *(part.upper for part in parts)])
        program.row_lower_ = np.concatenate([part.least for part in parts])
        program.row_upper_ = np.full(len(norm), np.inf)
        program.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        program.a_matrix_.start_ = matrix.indptr
        program.a_matrix_.index_ = matrix.indices
        program.a_matrix_.value_ = matrix.data
        self.solver: Any = highspy.Highs()  # type: ignore[no-untyped-call]
        self.solver.silent()
        self.solver.setOptionValue("primal_feasibility_tolerance", TOLERANCE)
        self.solver.setOptionValue("time_limit", seconds)
        self.solver.passModel(program)
        self.is_solved = highspy.HighsModelStatus.kOptimal

    def solve(self) -> bool:
        """Solve the program, and tell whether it has a solution."""
        self.solver.run()
        self.values = np.array(self.solver.getSolution().col_value)
        return bool(self.solver.getModelStatus() == self.is_solved)

    @property
    def cost(self) -> float:
        """The cost of the last solution, with the tangents in place of the square."""
        return float(self.solver.getInfo().objective_function_value)

    @property
    def lack(self) -> float:
        """How much half the square of the norm is above all tangents."""
        price, norm = self.values[:2]
        return float(norm**2 / 2 - price)

    def add_tangent(self) -> None:
        """Add the tangent at the last norm: ``price >= norm * S - norm**2 / 2``."""
        norm = float(self.values[1])
        self.solver.addRow(-(norm**2) / 2, np.inf, 2, np.array([0, 1]), np.array([1.0, -norm]))

    def hyperplanes(self) -> tuple[FloatArray, FloatArray]:
        """Return the weights and intercepts of the last solution."""
        p = self.problem.n_features
        found = np.array([self.values[start : start + p + 1] for start in self.starts[:-1]])
        return found[:, :p], found[:, p]


class _SplitBlock:
    """The variables and rows of one split, which are all at least ``least``.

    Attributes
    ----------
    price, lower, upper : ndarray
        The price and the bounds of its variables.
    matrix, norm : sparse array, ndarray
        The coefficients of its variables and of the largest norm.
    least : ndarray
        The lower sides of its rows.
    """

    def __init__(self, problem: Problem, split: SplitRows) -> None:
        m, p, eps = len(split.rows), problem.n_features, problem.routing_margin + TOLERANCE
        n_sizes = p if problem.norm == "l1" else 0
        is_kept = np.zeros(m, dtype=bool) if split.sides is None else split.sides == split.wanted
        reach = np.where(split.features, np.inf, 0.0)
        most = np.where(is_kept, 1.0 - eps, np.inf)  # of a violation: the row stays on its side
        prices = problem.costs.violations * problem.row_weights[split.rows]
        self.price = np.concatenate([np.zeros(p + 1 + n_sizes), prices])
        self.lower = np.concatenate([-reach, [-np.inf], np.zeros(n_sizes + m)])
        self.upper = np.concatenate([reach, [np.inf], np.full(n_sizes, np.inf), most])
        planes = np.column_stack([problem.X[split.rows], np.ones(m)])
        # Rows by their coefficients of the hyperplane, of sizes and of the norm, and lower sides.
        rows: list[tuple[FloatArray, FloatArray, float, float]]
        none, up = np.zeros(n_sizes), np.eye(p, p + 1)
        rows = [(split.wanted[:, None] * planes, none, 0.0, 1.0)]
        if split.sides is not None:
            rows.append(((split.sides[:, None] * planes)[~is_kept], none, 0.0, eps))
        if problem.norm == "l1":
            sizes = np.eye(p)
            rows += [(up, sizes, 0.0, 0.0), (-up, sizes, 0.0, 0.0)]
            rows.append((np.zeros((1, p + 1)), -np.ones(p), 1.0, 0.0))
        else:
            rows += [(up, none, 1.0, 0.0), (-up, none, 1.0, 0.0)]
        counts = [len(row[0]) for row in rows]
        dense = [np.hstack([a, np.broadcast_to(b, (len(a), n_sizes))]) for a, b, _, _ in rows]
        self.norm = np.repeat([row[2] for row in rows], counts)
        self.least = np.repeat([row[3] for row in rows], counts)
        # The violations belong to the first rows.
        self.matrix = sparse.hstack([np.vstack(dense), sparse.eye_array(sum(counts), m)])
