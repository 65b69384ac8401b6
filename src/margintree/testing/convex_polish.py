"""The slow twin of the polishes: best hyperplanes for a routing by an interior-point method."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from margintree._lib.arrays import BoolArray, FloatArray, IntArray
from margintree.core.problem import Problem


@dataclass(frozen=True, eq=False)
class Division:
    """Rows of a node, divided into two sides by a known hyperplane.

    Attributes
    ----------
    rows, right : int ndarray, bool ndarray
        The rows of the node, and which of them go right.
    normal, offset : ndarray, float
        A hyperplane with ``normal @ x + offset > 0`` exactly for the rows on the right.
    wanted : bool ndarray, optional
        The rows whose margin is on the right; by default those that go right.
    features : bool ndarray, optional
        The features that the hyperplane may use; by default all.
    """

    rows: IntArray
    right: BoolArray
    normal: FloatArray
    offset: float
    wanted: BoolArray | None = None
    features: BoolArray | None = None

    def seen(self, X: FloatArray) -> FloatArray:
        """Return the rows with 0 in the features that the hyperplane may not use."""
        return X[self.rows] if self.features is None else X[self.rows] * self.features

    @property
    def signs(self) -> FloatArray:
        """1 for the rows that should be on the right, -1 for the others."""
        return np.where(self.right if self.wanted is None else self.wanted, 1.0, -1.0)


@dataclass(frozen=True, eq=False)
class Polished:
    """The best hyperplanes for divisions that share one margin term, and their cost."""

    cost: float
    weights: FloatArray
    intercepts: FloatArray


def convex_polish(
    problem: Problem, divisions: Sequence[Division], accuracy: float = 1e-7
) -> Polished:
    """Return the cheapest hyperplanes that keep the divisions, up to ``accuracy``.

    Newton's method on a logarithmic barrier minimises margin plus c2 times violations over
    (delta, w, b, e). With m barrier terms and weight tau on the objective, the centre costs at most
    m / tau more than the optimum. The method stops when this is small enough.
    """
    barrier = _Barrier(problem, divisions)
    point = barrier.start()
    tau = barrier.degree / float(barrier.price @ point)
    point = _centre(barrier, point, tau)
    while barrier.degree / tau > accuracy * max(1e-3, float(barrier.price @ point)):
        tau *= 20.0
        point = _centre(barrier, point, tau)
    w = np.array([point[plane] for plane in barrier.planes])
    b = point[barrier.first_b : barrier.first_e]
    return Polished(float(barrier.price @ point), w, b)


class _Barrier:
    """The barrier over the variables (delta, w, b, e): a (w, b) per division, an e per row."""

    def __init__(self, problem: Problem, divisions: Sequence[Division]) -> None:
        self.problem, self.divisions = problem, divisions
        p, counts = problem.n_features, [len(division.rows) for division in divisions]
        n_planes = len(divisions)
        self.first_b = 1 + p * n_planes
        self.first_e = self.first_b + n_planes
        self.size = self.first_e + sum(counts)
        self.price = np.zeros(self.size)
        self.price[0] = 1.0
        weights = np.concatenate([problem.row_weights[division.rows] for division in divisions])
        self.price[self.first_e :] = problem.costs.violations * weights
        self.planes = [slice(1 + p * t, 1 + p * (t + 1)) for t in range(n_planes)]
        self.A, self.c = self._linear(counts)
        self.degree = len(self.c) + 2 * n_planes

    def _linear(self, counts: list[int]) -> tuple[FloatArray, FloatArray]:
        """Return A and c of the linear demands ``A v + c > 0``."""
        n = sum(counts)
        e = np.eye(self.size)[self.first_e :]
        wanted, kept = np.zeros((n, self.size)), np.zeros((n, self.size))
        start = 0
        for t, division in enumerate(self.divisions):
            rows = slice(start, start + counts[t])
            X, right = division.seen(self.problem.X), np.where(division.right, 1.0, -1.0)
            for block, signs in ((wanted, division.signs), (kept, right)):
                block[rows, self.planes[t]] = signs[:, None] * X
                block[rows, self.first_b + t] = signs
            start += counts[t]
        # A bounded violation keeps a row on its wanted side.
        is_wanted = np.concatenate([(d.signs > 0) == d.right for d in self.divisions])
        eps = self.problem.routing_margin
        A = np.vstack([wanted + e, e, np.where(is_wanted[:, None], -e, kept)])
        return A, np.r_[np.full(n, -1.0), np.zeros(n), np.where(is_wanted, 1.0 - eps, -eps)]

    def start(self) -> FloatArray:
        """Return a point strictly inside: the known hyperplanes, scaled up."""
        point = np.zeros(self.size)
        norms, violations = [0.0], []
        for t, division in enumerate(self.divisions):
            values = division.seen(self.problem.X) @ division.normal + division.offset
            scale = 2.0 / np.abs(values).min()
            is_wanted = (division.signs > 0) == division.right
            inside = (1.0 - self.problem.routing_margin) / 2
            violations.append(np.where(is_wanted, inside, 2.0 + scale * np.abs(values)))
            point[self.planes[t]] = scale * division.normal
            point[self.first_b + t] = scale * division.offset
            norms.append(scale * float(np.linalg.norm(division.normal)))
        point[0] = 2.0 * self.problem.margin_price(max(norms)) + 1.0
        point[self.first_e :] = np.concatenate(violations)
        return point

    def cone_slacks(self, point: FloatArray) -> FloatArray:
        """Return the slacks of the cones: 2 delta - ||w||^2, or 4 delta^2 - ||w||^2."""
        squares = np.array([point[plane] @ point[plane] for plane in self.planes])
        is_squared = self.problem.margin_term == "squared"
        return np.asarray((2 * point[0] if is_squared else 4 * point[0] ** 2) - squares)

    def slacks(self, point: FloatArray) -> FloatArray:
        """Return the quantities that must stay positive."""
        return np.concatenate([self.A @ point + self.c, self.cone_slacks(point), point[:1]])

    def derivatives(self, point: FloatArray, tau: float) -> tuple[FloatArray, FloatArray]:
        """Return gradient and Hessian of the barrier."""
        inverse = 1.0 / (self.A @ point + self.c)
        gradient = tau * self.price - self.A.T @ inverse
        hessian = (self.A * (inverse**2)[:, None]).T @ self.A
        is_squared = self.problem.margin_term == "squared"
        for plane, slack in zip(self.planes, self.cone_slacks(point), strict=True):
            slope = np.zeros(self.size)
            slope[0] = 2.0 if is_squared else 8.0 * point[0]
            slope[plane] = -2.0 * point[plane]
            gradient -= slope / slack
            hessian += np.outer(slope, slope) / slack**2
            hessian[plane, plane] += 2.0 * np.eye(self.problem.n_features) / slack
            hessian[0, 0] -= (0.0 if is_squared else 8.0) / slack
        return gradient, hessian


def _centre(barrier: _Barrier, point: FloatArray, tau: float) -> FloatArray:
    """Return the minimum of the barrier, found by damped Newton steps from ``point``."""
    for _ in range(200):
        gradient, hessian = barrier.derivatives(point, tau)
        scale = 1.0 / np.sqrt(np.diag(hessian))
        # The ridge is far below the accuracy, and keeps the matrix regular at the boundary.
        scaled = hessian * scale * scale[:, None] + 1e-13 * np.eye(barrier.size)
        step = -scale * np.linalg.solve(scaled, scale * gradient)
        decrement = -float(gradient @ step)
        if decrement < 1e-6:
            break
        length = _step_length(barrier, point, step, tau, decrement)
        point = point + length * step
        if length == 0:
            break
    return point


def _step_length(
    barrier: _Barrier, point: FloatArray, step: FloatArray, tau: float, decrement: float
) -> float:
    """Return the length of the Newton step: halved until the barrier falls, 0 if it never does."""
    before = barrier.slacks(point)
    slope = tau * float(barrier.price @ step)
    length = 1.0
    while length > 1e-9:
        after = barrier.slacks(point + length * step)
        # delta must stay positive, but it is no term of the barrier.
        if after.min() > 0:
            change = length * slope - float(np.log(after[:-1] / before[:-1]).sum())
            if change <= -0.1 * length * decrement:
                return length
        length /= 2
    return 0.0
