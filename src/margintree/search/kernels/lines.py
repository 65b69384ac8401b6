"""Exact line searches: the intercept, a step along any direction, and the common scale.

Along a line a row pays ``pull * max(0, 1 - |f|)`` plus what its side costs further down. That is
piecewise linear with a jump where ``f`` changes sign, its only convex kinks are at ``|f| = 1``, and
``|f| < eps`` is forbidden. So a best point lies at a kink or at the edge of a forbidden band.
"""

import numpy as np

from margintree._typing import FloatArray, IntArray
from margintree.search.kernels._jit import kernel, part
from margintree.search.kernels.sketch import Sketch, Task


@kernel
def sorted_order(keys: FloatArray) -> IntArray:
    """Return the positions of the keys from the smallest to the largest, equal ones in turn.

    Merges runs of growing length. NumPy's own sort would take far longer to compile.
    """
    n = len(keys)
    order, merged = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    for k in range(n):
        order[k] = k
    width = 1
    while width < n:
        for start in range(0, n, 2 * width):
            left, middle = start, min(start + width, n)
            right, end = middle, min(start + 2 * width, n)
            for k in range(start, end):
                if right >= end or (left < middle and keys[order[left]] <= keys[order[right]]):
                    merged[k] = order[left]
                    left += 1
                else:
                    merged[k] = order[right]
                    right += 1
        order, merged = merged, order
        width *= 2
    return order


@kernel
def best_intercept(
    values: FloatArray,
    left_costs: FloatArray,
    right_costs: FloatArray,
    pull: FloatArray,
    eps: float,
) -> tuple[float, float]:
    """Return the intercept that costs least, and that cost.

    Parameters
    ----------
    values : ndarray of shape (m,)
        ``w @ x_i`` without an intercept.
    left_costs, right_costs : ndarray of shape (m,)
        What each row pays below the node on either side.
    pull : ndarray of shape (m,)
        The price of a unit of margin violation.

    Returns
    -------
    intercept, cost : float
        The cost is infinite where no intercept leaves rows on both sides.
    """
    m = len(values)
    zero = np.empty(m)
    for k in range(m):
        zero[k] = -values[k]
    order = sorted_order(zero)
    for k in range(m):
        zero[k] = -values[order[k]]
    offsets = np.array([-1.0, -eps, 0.0, eps, 1.0])
    heads = np.zeros(5, dtype=np.int64)
    best, best_cost = 0.0, np.inf
    cost, slope, position, inside = 0.0, 0.0, zero[0] - 1.0, 0
    for k in range(m):
        cost += left_costs[k]
    while heads[2] < m or heads[3] < m:
        kind, here = 0, np.inf
        for k in range(5):
            if heads[k] < m and zero[heads[k]] + offsets[k] < here:
                kind, here = k, zero[heads[k]] + offsets[k]
        i = order[heads[kind]]
        heads[kind] += 1
        cost += slope * (here - position)
        position = here
        if kind == 3:
            inside -= 1
        if kind != 2 and inside == 0 and 0 < heads[2] < m and cost < best_cost:
            best, best_cost = here, cost
        if kind == 1:
            inside += 1
        elif kind == 2:
            cost += right_costs[i] - left_costs[i]
            slope -= 2 * pull[i]
        elif kind != 3:
            slope += pull[i]
    return best, best_cost


@kernel
def best_step(
    values: FloatArray,
    changes: FloatArray,
    left_costs: FloatArray,
    right_costs: FloatArray,
    pull: FloatArray,
    eps: float,
    reach: float,
) -> tuple[float, float]:
    """Return the step ``a`` in ``[-reach, reach]`` that costs least, and that cost.

    Row ``i`` has the value ``values[i] + a * changes[i]``. The general form of `best_intercept`,
    to which it reduces when all changes are 1.
    """
    m = len(values)
    offsets = np.array([-1.0, -eps, 0.0, eps, 1.0])
    where = np.empty(5 * m)
    count, inside = 0, 0
    cost, slope = 0.0, 0.0
    event = np.empty(5 * m, dtype=np.int64)
    for i in range(m):
        start = values[i] - reach * changes[i]
        cost += right_costs[i] if start >= 0 else left_costs[i]
        cost += pull[i] * max(0.0, 1.0 - abs(start))
        inside += abs(start) < eps
        if changes[i] == 0.0:
            continue
        if abs(start) < 1:
            slope -= pull[i] * changes[i] * (1.0 if start >= 0 else -1.0)
        for k in range(5):
            at = (offsets[k] - values[i]) / changes[i]
            if -reach < at < reach:
                where[count] = at
                event[count] = 5 * i + k
                count += 1
    return _scan(
        where[:count],
        event[:count],
        changes,
        left_costs,
        right_costs,
        pull,
        -reach,
        cost,
        slope,
        inside,
    )


@part
def _scan(
    where: FloatArray,
    event: IntArray,
    changes: FloatArray,
    left_costs: FloatArray,
    right_costs: FloatArray,
    pull: FloatArray,
    position: float,
    cost: float,
    slope: float,
    inside: int,
) -> tuple[float, float]:
    """Walk along the sorted events of `best_step` and return the best allowed place."""
    best, best_cost = 0.0, np.inf
    for e in sorted_order(where):
        i, kind = event[e] // 5, event[e] % 5
        rising = changes[i] > 0
        cost += slope * (where[e] - position)
        position = where[e]
        enters = kind == (1 if rising else 3)
        if kind == (3 if rising else 1):
            inside -= 1
        if kind != 2 and inside == 0 and cost < best_cost:
            best, best_cost = position, cost
        size = pull[i] * abs(changes[i])
        if enters:
            inside += 1
        elif kind == 2:
            jump = right_costs[i] - left_costs[i]
            cost += jump if rising else -jump
            slope -= 2 * size
        elif kind == 0 or kind == 4:
            slope += size
    return best, best_cost


@kernel
def best_scale(task: Task, distances: FloatArray, pulls: FloatArray, nearest: float) -> float:
    """Return the common norm that costs least for these unit hyperplanes and this routing.

    Parameters
    ----------
    distances : ndarray of shape (k,)
        The distance of every row from every unit hyperplane it meets.
    pulls : ndarray of shape (k,)
        The prices of their margin violations.
    nearest : float
        The smallest distance.

    Notes
    -----
    With the scale ``S`` the cost is ``margin(S) + sum_k pulls_k * max(0, 1 - S * distances_k)``,
    which is convex: bisection on its slope, between the smallest scale that keeps the routing
    margin and the one at which nothing is violated.
    """
    low, high = task.eps / nearest, 1.0 / nearest
    if scale_slope(task, distances, pulls, low) >= 0:
        return low
    for _ in range(60):
        middle = np.sqrt(low * high)
        if scale_slope(task, distances, pulls, middle) < 0:
            low = middle
        else:
            high = middle
        if high <= low * (1 + 1e-10):
            break
    return high


@part
def scale_slope(task: Task, distances: FloatArray, pulls: FloatArray, scale: float) -> float:
    """Return the slope of the cost at this common norm, from below."""
    slope = scale if task.is_squared else 0.5
    for k in range(len(distances)):
        if scale * distances[k] < 1:
            slope -= pulls[k] * distances[k]
    return slope


@kernel
def rescale(task: Task, sketch: Sketch, values: FloatArray) -> bool:
    """Give the sketch its best common norm; tell whether that was possible.

    It is not where a row lies on a hyperplane. ``values`` follow.
    """
    n = values.shape[1]
    distances, pulls = np.empty(n * task.depth), np.empty(n * task.depth)
    count = 0
    for i in range(n):
        node = 1
        while sketch.splits[node]:
            distances[count] = abs(values[node, i]) / sketch.scale[0]
            pulls[count] = task.pull[i]
            count += 1
            node = 2 * node + (1 if values[node, i] >= 0 else 0)
    if count == 0:
        return True
    nearest = np.inf
    for k in range(count):
        nearest = min(nearest, distances[k])
    if nearest <= 1e-9:
        return False
    factor = best_scale(task, distances[:count], pulls[:count], nearest) / sketch.scale[0]
    sketch.scale[0] *= factor
    for t in range(1, len(sketch.intercepts)):
        if sketch.splits[t]:
            sketch.intercepts[t] *= factor
            for j in range(sketch.weights.shape[1]):
                sketch.weights[t, j] *= factor
            for i in range(n):
                values[t, i] *= factor
    return True
