"""The linear support vector machine with a free intercept, by sequential minimal optimisation."""

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray
from margintree._lib.jit import kernel, part

FLAT = 1e-12
"""Least curvature of a step between two rows; equal rows have none and allow any step."""
GOLDEN = 0.618
"""Share of the rows between two visits of `solve_by_rows`."""
AT_KINK = 1e-12
"""A dual variable within this share of a kink counts as at the kink."""


@kernel
def inner_products(gram: FloatArray, rows: IntArray) -> FloatArray:
    """Return the inner products of the rows as a contiguous array."""
    m = len(rows)
    if m == len(gram):
        return gram
    block = np.empty((m, m))
    for i in range(m):
        line = gram[rows[i]]
        for j in range(m):
            block[i, j] = line[rows[j]]
    return block


@kernel
def repair_duals(beta: FloatArray, sides: FloatArray, box: FloatArray) -> None:
    """Clip dual variables to their side and box, then scale one side so that they sum to zero."""
    positive = negative = 0.0
    for i in range(len(beta)):
        magnitude = min(max(sides[i] * beta[i], 0.0), box[i])
        beta[i] = sides[i] * magnitude
        if sides[i] > 0:
            positive += magnitude
        else:
            negative += magnitude
    smaller = min(positive, negative)
    for i in range(len(beta)):
        total = positive if sides[i] > 0 else negative
        beta[i] *= smaller / total if total > 0 else 0.0


@kernel
def solve_by_rows(
    X: FloatArray,
    rows: IntArray,
    sides: FloatArray,
    box: FloatArray,
    regular: float,
    beta: FloatArray,
    passes: int,
) -> FloatArray:
    """Solve ``min regular/2 (||w||^2 + b^2) + sum_i box_i * hinge(s_i (w @ x_i + b))`` roughly.

    The rows are centred first. Visits one dual variable after the other, several times, so it needs
    no inner products and its time is proportional to the number of rows. Because the intercept is
    penalised, only the direction is useful. Improves the feasible dual variables
    ``beta`` in place and returns ``w``. Rows of side 0 are left out.
    """
    m, p = len(rows), X.shape[1]
    centre, normal, intercept = np.zeros(p), np.zeros(p), 0.0
    for k in range(m):
        for j in range(p):
            centre[j] += X[rows[k], j] / m
    for k in range(m):
        if beta[k] != 0.0:
            intercept += beta[k] / regular
            for j in range(p):
                normal[j] += beta[k] / regular * (X[rows[k], j] - centre[j])
    stride = stride_through(m)
    for visit in range(passes * m):
        k = visit * stride % m
        value, square = intercept, 1.0
        for j in range(p):
            entry = X[rows[k], j] - centre[j]
            value += normal[j] * entry
            square += entry * entry
        size = sides[k] * beta[k] + regular * (1.0 - sides[k] * value) / square
        step = sides[k] * min(max(size, 0.0), box[k]) - beta[k]
        if step != 0.0:
            beta[k] += step
            intercept += step / regular
            for j in range(p):
                normal[j] += step / regular * (X[rows[k], j] - centre[j])
    return normal


@part
def stride_through(m: int) -> int:
    """Return a step by which a tour of ``m`` places in a circle visits all of them, far apart."""
    stride = max(1, int(GOLDEN * m))
    while True:
        a, b = stride, m
        while b:
            a, b = b, a % b
        if a == 1:
            return stride
        stride += 1


@kernel
def smo(
    gram: FloatArray,
    sides: FloatArray,
    box: FloatArray,
    beyond: float,
    excess: float,
    regular: float,
    beta: FloatArray,
    max_steps: int,
    tolerance: float,
) -> tuple[FloatArray, float]:
    """Solve ``min regular/2 ||w||^2 + sum_i box_i * hinge(s_i f(x_i))`` in the dual.

    Returns ``w @ x_i`` of all rows and the intercept; improves the feasible dual variables ``beta``
    in place. Works on ``v = sum_i beta_i x_i = regular * w`` with ``sum_i beta_i = 0`` and ``s_i
    beta_i >= 0``. Beyond its box a dual variable gains only ``beyond`` per unit, and may exceed the
    box by ``excess``. So a row pays ``excess`` for every unit that ``s_i f(x_i)`` is below
    ``beyond``. ``excess = inf`` makes this a hard constraint; ``beyond = -inf`` makes the box hard
    instead. Each step moves the most promising pair of dual variables, judged to second order.
    """
    values = values_of_duals(gram, regular, beta)
    highest, lowest = ascend(
        gram, sides, box, beyond, excess, regular, beta, values, max_steps, tolerance
    )
    return values, (highest + lowest) / 2


@part
def values_of_duals(gram: FloatArray, regular: float, beta: FloatArray) -> FloatArray:
    """Return ``w @ x_i`` of all rows."""
    m = len(beta)
    values = np.zeros(m)
    for j in range(m):
        if beta[j] != 0.0:
            for i in range(m):
                values[i] += beta[j] * gram[j, i]
    for i in range(m):
        values[i] /= regular
    return values


@kernel
def ascend(
    gram: FloatArray,
    sides: FloatArray,
    box: FloatArray,
    beyond: float,
    excess: float,
    regular: float,
    beta: FloatArray,
    values: FloatArray,
    max_steps: int,
    tolerance: float,
) -> tuple[float, float]:
    """Take the steps of `smo` from dual variables whose values ``w @ x_i`` are known.

    Improves both in place. Returns the ends of the interval that contains the intercept when no
    step gains anything. While a step still gains, the first end is the higher one.
    """
    m = len(sides)
    rise, fall = np.empty(m), np.empty(m)
    for j in range(m):
        slopes(sides[j], box[j], beyond, excess, beta[j], rise, fall, j)
    highest = lowest = 0.0
    for _ in range(max_steps):
        first, highest, lowest = 0, -np.inf, np.inf
        for i in range(m):
            gain = rise[i] - values[i]
            if gain > highest:
                first, highest = i, gain
            lowest = min(lowest, fall[i] - values[i])
        if not highest - lowest > tolerance:
            break
        second = best_partner(gram, fall, values, first, highest)
        step = pair_step(gram, regular, fall, values, first, second, highest)
        step = min(step, room(sides[first], box[first], excess, beta[first]))
        step = min(step, room(-sides[second], box[second], excess, -beta[second]))
        beta[first] = snap(beta[first] + step, box[first], excess)
        beta[second] = snap(beta[second] - step, box[second], excess)
        slopes(sides[first], box[first], beyond, excess, beta[first], rise, fall, first)
        slopes(sides[second], box[second], beyond, excess, beta[second], rise, fall, second)
        change = step / regular
        for i in range(m):
            values[i] += change * (gram[first, i] - gram[second, i])
    return highest, lowest


@part
def slopes(
    side: float,
    box: float,
    beyond: float,
    excess: float,
    beta: float,
    rise: FloatArray,
    fall: FloatArray,
    i: int,
) -> None:
    """Write the slopes of the dual's linear part for a rising and a falling ``beta``.

    If ``beta`` cannot rise, the slope is -inf; if it cannot fall, the slope is +inf.
    """
    size = side * beta
    outward = 1.0 if size < box else (beyond if size < box + excess else -np.inf)
    inward = 1.0 if size <= box else beyond
    if side > 0:
        rise[i] = outward
        fall[i] = inward if size > 0 else np.inf
    else:
        rise[i] = -inward if size > 0 else -np.inf
        fall[i] = -outward


@part
def best_partner(
    gram: FloatArray, fall: FloatArray, values: FloatArray, first: int, highest: float
) -> int:
    """Return the row whose dual variable should fall while that of ``first`` rises."""
    own = gram[first, first]
    partner, promise = first, -1.0
    for j in range(len(values)):
        difference = highest - (fall[j] - values[j])
        if difference > 0:
            curvature = max(own + gram[j, j] - 2 * gram[first, j], FLAT)
            if difference * difference > promise * curvature:
                partner, promise = j, difference * difference / curvature
    return partner


@part
def pair_step(
    gram: FloatArray,
    regular: float,
    fall: FloatArray,
    values: FloatArray,
    first: int,
    second: int,
    highest: float,
) -> float:
    """Return the step of a pair of dual variables without bounds."""
    curvature = gram[first, first] + gram[second, second] - 2 * gram[first, second]
    return regular * (highest - (fall[second] - values[second])) / max(curvature, FLAT)


@part
def room(side: float, box: float, excess: float, beta: float) -> float:
    """Return how far ``beta`` may rise up to a bound or the kink at its box."""
    if side > 0:
        return box - beta if beta < box else box + excess - beta
    return -beta if -beta <= box else -beta - box


@part
def snap(beta: float, box: float, excess: float) -> float:
    """Put a dual variable next to its box, or to its upper end, exactly there, to undo rounding."""
    for kink in (box, box + excess):
        if abs(abs(beta) - kink) <= AT_KINK * kink < np.inf:
            return kink if beta > 0 else -kink
    return beta
