"""Exact line searches: for the intercept, a step along any direction, and the common scale.

Along a line a row pays ``pull * max(0, 1 - |f|)`` plus the cost of its side further down. This is
piecewise linear with a jump where ``f`` changes sign, its only convex kinks are at ``|f| = 1``, and
``|f| < eps`` is forbidden. So a best point is at a kink or at the edge of a forbidden band.
"""

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray
from margintree._lib.jit import kernel, part
from margintree.search.margin.kernels.working_tree import KernelData, WorkingTree

TOUCHING = 1e-9
"""A row this close to a unit hyperplane counts as on it: no norm gives it the routing margin."""
BISECTIONS, SCALE_ACCURACY = 60, 1e-10
"""Maximum number of bisections for the best common norm, and their target ratio."""
CROWD = 8
"""Average number of places that a key may move in `mend`; beyond it, the keys are too crowded."""


@kernel
def sorted_order(keys: FloatArray) -> IntArray:
    """Return the positions of the keys from the smallest to the largest; the order is stable.

    Distributes the n keys to n cells of equal width and then sorts by insertion. This mispredicts
    hardly any branch, unlike sorting by comparisons, which takes most of its time for this. If keys
    crowd in few cells or are not finite, runs are merged instead.
    """
    n = len(keys)
    low, high = np.inf, -np.inf
    for k in range(n):
        low, high = min(low, keys[k]), max(high, keys[k])
    if not -np.inf < low <= high < np.inf:
        return merged_order(keys)
    cells_per_unit = (n - 1) / (high - low) if high > low else 0.0
    cells, ends = np.empty(n, dtype=np.int64), np.zeros(n + 1, dtype=np.int64)
    for k in range(n):
        cell = (keys[k] - low) * cells_per_unit
        if not 0 <= cell < n:
            return merged_order(keys)
        cells[k] = int(cell)
        ends[cells[k] + 1] += 1
    for k in range(n):
        ends[k + 1] += ends[k]
    order, ranked = np.empty(n, dtype=np.int64), np.empty(n)
    for k in range(n):
        place = ends[cells[k]]
        ends[cells[k]] += 1
        order[place], ranked[place] = k, keys[k]
    return order if mend(ranked, order, CROWD * n) else merged_order(keys)


@part
def mend(ranked: FloatArray, order: IntArray, max_moves: int) -> bool:
    """Sort keys that are nearly in order, and ``order`` with them, by stable insertion.

    Returns False, with the work half done, if this takes more than ``max_moves`` moves.
    """
    for k in range(1, len(ranked)):
        key, row, place = ranked[k], order[k], k
        while place > 0 and ranked[place - 1] > key:
            ranked[place], order[place] = ranked[place - 1], order[place - 1]
            place -= 1
        ranked[place], order[place] = key, row
        max_moves -= k - place
        if max_moves < 0:
            return False
    return True


@kernel
def merged_order(keys: FloatArray) -> IntArray:
    """Return the positions of the keys in order by merging growing runs; the order is stable.

    NumPy's own sort would take far longer to compile.
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
    mass: FloatArray,
    eps: float,
    least_mass: float,
) -> tuple[float, float]:
    """Return the intercept that costs least, and that cost.

    ``values`` holds ``w @ x_i``, ``left_costs`` and ``right_costs`` the cost of each row below the
    node on either side, ``pull`` the price of a unit of margin violation, and ``mass`` the row
    weights. Each side must have at least the weight ``least_mass``; 0 means no such rule. The cost
    is infinite if no intercept leaves enough rows on both sides.
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
    left_mass, right_mass = 0.0, 0.0
    for k in range(m):
        cost += left_costs[k]
        left_mass += mass[k]
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
        is_allowed = kind != 2 and inside == 0 and 0 < heads[2] < m
        if least_mass > 0 and min(left_mass, right_mass) < least_mass:
            is_allowed = False
        if is_allowed and cost < best_cost:
            best, best_cost = here, cost
        if kind == 1:
            inside += 1
        elif kind == 2:
            cost += right_costs[i] - left_costs[i]
            slope -= 2 * pull[i]
            left_mass -= mass[i]
            right_mass += mass[i]
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

    Row ``i`` has the value ``values[i] + a * changes[i]``; in `best_intercept` all changes are 1.
    """
    m = len(values)
    offsets = np.array([-1.0, -eps, 0.0, eps, 1.0])
    where, event = np.empty(5 * m), np.empty(5 * m, dtype=np.int64)
    jumps, sizes = np.empty(m), np.empty(m)
    count, inside = 0, 0
    cost, slope = 0.0, 0.0
    for i in range(m):
        start = values[i] - reach * changes[i]
        cost += right_costs[i] if start >= 0 else left_costs[i]
        cost += pull[i] * max(0.0, 1.0 - abs(start))
        inside += abs(start) < eps
        if changes[i] == 0.0:
            continue
        if abs(start) < 1:
            slope -= pull[i] * changes[i] * (1.0 if start >= 0 else -1.0)
        rises = changes[i] > 0
        jumps[i] = right_costs[i] - left_costs[i] if rises else left_costs[i] - right_costs[i]
        sizes[i] = pull[i] * abs(changes[i])
        for k in range(5):
            where[count] = (offsets[k] - values[i]) / changes[i]
            event[count] = 5 * i + (k if rises else 4 - k)
            count += -reach < where[count] < reach
    return scan(where[:count], event[:count], jumps, sizes, -reach, cost, slope, inside)


@part
def scan(
    where: FloatArray,
    event: IntArray,
    jumps: FloatArray,
    sizes: FloatArray,
    position: float,
    cost: float,
    slope: float,
    inside: int,
) -> tuple[float, float]:
    """Walk along the events of `best_step`; return the best allowed place and its cost.

    An event is five times the row plus a kind: the row enters the margin (0), breaks the routing
    margin (1), changes sides (2), keeps the routing margin again (3) or leaves the margin (4).
    ``where`` holds the places of the events. ``jumps`` is the jump of each row's cost where it
    changes sides, and ``sizes`` the slope of its cost inside the margin. The walk starts at
    ``position`` with this cost and slope; ``inside`` rows break the routing margin there.
    """
    bends = np.array([1.0, 0.0, -2.0, 0.0, 1.0])
    best, best_cost = 0.0, np.inf
    for e in sorted_order(where):
        i, kind = event[e] // 5, event[e] % 5
        cost += slope * (where[e] - position)
        position = where[e]
        inside -= kind == 3
        if cost < best_cost and inside == 0 and kind != 2:
            best, best_cost = position, cost
        inside += kind == 1
        cost += jumps[i] if kind == 2 else 0.0
        slope += bends[kind] * sizes[i]
    return best, best_cost


@kernel
def best_scale(data: KernelData, distances: FloatArray, pulls: FloatArray, nearest: float) -> float:
    """Return the common norm that costs least for these unit hyperplanes and this routing.

    ``distances`` and ``pulls`` hold the distance of every row from every unit hyperplane it meets,
    and the price of its violation; ``nearest`` is the smallest distance. At the scale ``S`` the
    cost is ``margin(S) + sum_k pulls_k * max(0, 1 - S * distances_k)``, which is convex. Bisection
    on its slope finds the minimum between the smallest scale that keeps the routing margin and the
    scale at which nothing is violated.
    """
    low, high = data.eps / nearest, 1.0 / nearest
    if scale_slope(data, distances, pulls, low) >= 0:
        return low
    for _ in range(BISECTIONS):
        middle = np.sqrt(low * high)
        if scale_slope(data, distances, pulls, middle) < 0:
            low = middle
        else:
            high = middle
        if high <= low * (1 + SCALE_ACCURACY):
            break
    return high


@part
def scale_slope(data: KernelData, distances: FloatArray, pulls: FloatArray, scale: float) -> float:
    """Return the left slope of the cost at this common norm."""
    slope = scale if data.is_squared else 0.5
    for k in range(len(distances)):
        if scale * distances[k] < 1:
            slope -= pulls[k] * distances[k]
    return slope


@kernel
def rescale(data: KernelData, tree: WorkingTree, values: FloatArray) -> bool:
    """Give the working tree and ``values`` the best common norm; tell whether this is possible.

    It is not possible if a row is on a hyperplane.
    """
    n = values.shape[1]
    distances, pulls = np.empty(n * data.depth), np.empty(n * data.depth)
    count = 0
    for i in range(n):
        node = 1
        while tree.splits[node]:
            distances[count] = abs(values[node, i]) / tree.scale[0]
            pulls[count] = data.pull[i]
            count += 1
            node = 2 * node + (1 if values[node, i] >= 0 else 0)
    if count == 0:
        return True
    nearest = np.inf
    for k in range(count):
        nearest = min(nearest, distances[k])
    if nearest <= TOUCHING:
        return False
    factor = best_scale(data, distances[:count], pulls[:count], nearest) / tree.scale[0]
    tree.scale[0] *= factor
    for t in range(1, len(tree.intercepts)):
        if tree.splits[t]:
            tree.intercepts[t] *= factor
            for j in range(tree.weights.shape[1]):
                tree.weights[t, j] *= factor
            for i in range(n):
                values[t, i] *= factor
    return True
