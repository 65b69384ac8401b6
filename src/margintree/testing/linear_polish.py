"""The slow twin of fits in the other norms: the best hyperplanes for a routing."""

from collections.abc import Sequence

import numpy as np
from scipy.optimize import linprog

from margintree._lib.arrays import FloatArray
from margintree.core.problem import Problem
from margintree.testing.convex_polish import Division, Polished, convex_polish


def polish_in_norm(
    problem: Problem, divisions: Sequence[Division], accuracy: float = 1e-7
) -> Polished:
    """Return the cheapest hyperplanes that keep the divisions, in the norm of the problem.

    For the Euclidean norm this is `convex_polish`. Otherwise half the squared norm is replaced by
    tangents, one more at every solution, until this costs as much as the tangents say, up to
    ``accuracy``.
    """
    if problem.norm == "l2":
        return convex_polish(problem, divisions)
    columns = _Columns(problem, divisions)
    demands, sides = _demands(problem, divisions, columns)
    at = 1.0
    while True:
        is_squared = problem.margin_term == "squared"
        tangent = np.zeros(columns.size)
        tangent[columns.delta], tangent[columns.norm] = -1.0, at if is_squared else 0.5
        demands = np.vstack([demands, tangent])
        sides = np.append(sides, at**2 / 2 if is_squared else 0.0)
        found = linprog(columns.price, demands, sides, bounds=columns.bounds)
        assert found.status == 0, found.message
        at = float(found.x[columns.norm])
        lack = float(problem.margin_price(at)) - float(found.x[columns.delta])
        if lack <= accuracy * max(1.0, found.fun):
            w = found.x[columns.up] - found.x[columns.down]
            return Polished(float(found.fun) + max(lack, 0.0), w, found.x[columns.b])


class _Columns:
    """The positions of the variables: every weight is the difference of two that are at least 0."""

    def __init__(self, problem: Problem, divisions: Sequence[Division]) -> None:
        p, T = problem.n_features, len(divisions)
        counts = [len(division.rows) for division in divisions]
        self.delta, self.norm = 0, 1
        self.b = 2 + np.arange(T)
        self.up = 2 + T + np.arange(T * p).reshape(T, p)
        self.down = self.up + T * p
        first_e = 2 + T + 2 * T * p
        self.e = np.split(np.arange(first_e, first_e + sum(counts)), np.cumsum(counts)[:-1])
        self.size = first_e + sum(counts)
        self.price = np.zeros(self.size)
        self.price[self.delta] = 1.0
        for division, e in zip(divisions, self.e, strict=True):
            self.price[e] = problem.costs.violations * problem.row_weights[division.rows]
        self.bounds = [(None, None) if k in self.b else (0, None) for k in range(self.size)]


def _demands(
    problem: Problem, divisions: Sequence[Division], columns: _Columns
) -> tuple[FloatArray, FloatArray]:
    """Return A and c of the linear demands ``A v <= c``."""
    parts, sides = [], []
    for t, division in enumerate(divisions):
        X, n = division.seen(problem.X), len(division.rows)
        right = np.where(division.right, 1.0, -1.0)
        for signs, least, has_e in ((division.signs, 1.0, 1), (right, problem.routing_margin, 0)):
            rows = np.zeros((n, columns.size))
            rows[:, columns.up[t]] = -signs[:, None] * X
            rows[:, columns.down[t]] = signs[:, None] * X
            rows[:, columns.b[t]] = -signs
            rows[np.arange(n), columns.e[t]] = -has_e
            parts.append(rows)
            sides.append(np.full(n, -least))
        sizes = np.zeros((problem.n_features, columns.size))
        for one in (columns.up[t], columns.down[t]):
            sizes[np.arange(problem.n_features), one] = 1.0
        if problem.norm == "l1":
            sizes = sizes.sum(axis=0, keepdims=True)
        sizes[:, columns.norm] = -1.0
        parts.append(sizes)
        sides.append(np.zeros(len(sizes)))
    return np.vstack(parts), np.concatenate(sides)
