"""Between the values of the library and the arrays of the kernels."""

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray, product
from margintree.core.problem import Problem
from margintree.core.tree import ObliqueTree
from margintree.exact.proofs.kernels.branching import PROBES
from margintree.exact.proofs.kernels.state import (
    INTERCEPT,
    IS_WIDE,
    LAST,
    MEMBERS,
    PAID,
    RIGHT,
    Desk,
    Frame,
    RowData,
    Stack,
)

NEIGHBOURS = 60
"""Rows of other classes with which a row may form a pair, the closest ones."""
N_CELLS = 64
"""Cells into which the possible common norms are divided."""
FIRST_LEVELS = 64
"""Levels of a new stack; it grows when they are used up."""


def rows_of(problem: Problem, *, may_lean: bool = True) -> RowData:
    """Return what the kernels need to know of a problem.

    Rows are put around their mean, which the intercepts make up for; where there are more features
    than rows they are turned into the space that the rows span. Neither changes a distance.
    """
    X = problem.X - problem.X.mean(axis=0)
    if X.shape[1] > X.shape[0]:
        X = np.linalg.qr(X.T)[1].T
    X = np.ascontiguousarray(X)
    apart = squared_distances(X)
    first, second = _pairs(problem)
    return RowData(
        X=X,
        gram=np.ascontiguousarray(product(X, X.T)),
        apart=apart,
        y=np.array(problem.y, dtype=np.int64),
        pull=problem.costs.violations * problem.row_weights,
        prices=np.array(problem.error_prices),
        first=first,
        second=second,
        distances=np.linalg.norm(problem.X[first] - problem.X[second], axis=1),
        reaches=np.sqrt(apart.max(axis=1) + 1e-12),
        tails=np.full(len(X), float(problem.routing_margin)),
        masses=np.array(problem.row_weights, dtype=float),
        least_mass=float(problem.rules.least_mass),
        radius=float(np.sqrt((X**2).sum(axis=1)).max()),
        eps=float(problem.routing_margin),
        split_price=float(problem.costs.splits),
        is_squared=problem.margin_term == "squared",
        may_lean=may_lean,
    )


def squared_distances(X: FloatArray) -> FloatArray:
    """Return the squared distance of every row from every other one.

    Examples
    --------
    >>> squared_distances(np.array([[0.0, 0.0], [3.0, 4.0]])).tolist()
    [[0.0, 25.0], [25.0, 0.0]]
    """
    squares = (X**2).sum(axis=1)
    apart = squares[:, None] + squares[None, :] - 2 * product(X, X.T)
    return np.ascontiguousarray(np.maximum(apart, 0.0))


def _pairs(problem: Problem) -> tuple[IntArray, IntArray]:
    """Return each row with its closest rows of other classes, the closest pairs first."""
    apart = squared_distances(problem.X)
    apart[problem.y[:, None] == problem.y[None, :]] = np.inf
    near = np.argsort(apart, axis=1, kind="stable")[:, :NEIGHBOURS]
    is_near = np.zeros(apart.shape, dtype=bool)
    np.put_along_axis(is_near, near, True, axis=1)
    first, second = np.nonzero(np.triu((is_near | is_near.T) & np.isfinite(apart)))
    order = np.argsort(apart[first, second], kind="stable")
    return first[order], second[order]


def new_desk(n_rows: int, n_classes: int, depth: int) -> Desk:
    """Return room to work in."""
    n_nodes = 2 ** (depth + 1)
    return Desk(
        rise=np.zeros(n_rows),
        fall=np.zeros(n_rows),
        duals=np.zeros(n_rows),
        values=np.zeros(n_rows),
        is_free=np.zeros(n_rows, dtype=np.bool_),
        pairs=np.zeros(N_CELLS),
        tried_pairs=np.zeros(N_CELLS),
        f=np.zeros((n_nodes // 2, n_rows)),
        below=np.zeros(n_nodes),
        scores=np.zeros(n_rows),
        option_prices=np.zeros(n_nodes),
        is_dead=np.zeros((2, n_nodes), dtype=np.bool_),
        leaf_prices=np.zeros((n_nodes, n_classes)),
        leaf_masses=np.zeros(n_nodes),
        hulls=np.zeros((n_nodes // 2, n_rows)),
        lambdas=np.zeros(n_nodes // 2),
        scales=np.zeros(n_nodes // 2),
        candidates=np.zeros(PROBES, dtype=np.int64),
        candidate_scores=np.zeros(PROBES),
        lines=np.zeros(5),
        is_busy=np.zeros(n_rows, dtype=np.bool_),
        nobody=np.zeros(n_rows, dtype=np.bool_),
        wide_pairs=np.zeros(N_CELLS),
        crew=np.zeros((n_nodes // 2, n_rows + 1), dtype=np.int64),
        crew_sides=np.zeros((n_nodes // 2, n_rows + 1)),
        crew_sizes=np.zeros((n_nodes // 2, 2), dtype=np.int64),
        boxes=np.zeros((n_nodes // 2, n_rows)),
        tails=np.zeros((n_nodes // 2, n_rows)),
        path=np.zeros(depth, dtype=np.int64),
        path_boxes=np.zeros(depth),
        new_sides=np.zeros(n_nodes // 2),
        new_boxes=np.zeros(n_nodes // 2),
        new_tails=np.zeros(n_nodes // 2),
    )


def new_stack(n_rows: int, n_splits: int, depth: int, n_levels: int = FIRST_LEVELS) -> Stack:
    """Return a stack whose first level has decided nothing; what is not set is written first."""
    return Stack(
        duals=np.empty((n_levels, n_splits, n_rows)),
        values=np.empty((n_levels, n_splits, n_rows)),
        planes=np.empty((n_levels, n_splits, 3)),
        wide_duals=np.empty((n_levels, n_splits, n_rows)),
        wide_values=np.empty((n_levels, n_splits, n_rows)),
        wide_planes=np.empty((n_levels, n_splits, 3)),
        passing=np.empty((n_levels, n_splits, 2), dtype=np.int64),
        places=np.empty((n_levels, n_rows), dtype=np.int64),
        levels=np.empty((n_levels, 6)),
        cells=np.empty((n_levels, 2, N_CELLS)),
        moves=np.empty((n_levels, 5), dtype=np.int64),
        options=np.empty((n_levels, 2 ** (depth + 1)), dtype=np.int64),
        members=np.empty((n_splits, n_rows), dtype=np.int64),
        sides=np.empty((n_splits, n_rows)),
    )


def begin(stack: Stack, frame: Frame, places: IntArray | None, paid: float) -> None:
    """Write the first level of a search below a node.

    Parameters
    ----------
    places : int ndarray or None
        The node of the tree that each row is known to reach; None if nothing is decided.
    paid : float
        What every tree of the skeleton pays for splits and for classes it does not name.
    """
    stack.duals[0] = stack.values[0] = stack.planes[0] = 0.0
    stack.wide_duals[0] = stack.wide_values[0] = stack.wide_planes[0] = 0.0
    stack.passing[0] = 0
    stack.places[0] = 1
    stack.cells[0] = -np.inf
    stack.moves[0] = 0
    stack.moves[0, LAST] = N_CELLS
    stack.levels[0] = paid, frame.grid[-1], -np.inf, 1.0, frame.grid[-1], 0.0
    if places is not None:
        _place(stack, frame, places)


def _place(stack: Stack, frame: Frame, places: IntArray) -> None:
    """Let the rows of the first level be where they are known to go."""
    rows = np.arange(len(places))
    stack.places[0] = places
    stack.levels[0, PAID] += (frame.least[places, rows] - frame.least[1]).sum()
    below = np.array(places, dtype=np.int64)
    while (below > 1).any():
        passed = np.flatnonzero(below > 1)
        for s in range(len(stack.members)):
            at = passed[frame.slots[below[passed] // 2] == s]
            m = stack.passing[0, s, MEMBERS]
            stack.members[s, m : m + len(at)] = at
            stack.sides[s, m : m + len(at)] = np.where(below[at] % 2 == 1, 1.0, -1.0)
            stack.passing[0, s, MEMBERS] += len(at)
            stack.passing[0, s, RIGHT] += (below[at] % 2 == 1).sum()
        below[passed] //= 2


_SHARED = ("members", "sides")


def grown(stack: Stack) -> Stack:
    """Return a stack with the same levels and as many again."""
    fields = {}
    for name, array in stack._asdict().items():
        if name in _SHARED:
            fields[name] = array
        else:
            fields[name] = np.concatenate([array, np.empty_like(array)])
    return Stack(**fields)


def tree_of(problem: Problem, frame: Frame, stack: Stack, desk: Desk, level: int) -> ObliqueTree:
    """Return the tree of the hyperplanes of a level, at the scales on the desk.

    A split that must pass rows on one side only sends all rows there.
    """
    n_branch = len(frame.is_split) // 2 - 1
    weights, intercepts = np.zeros((n_branch, problem.n_features)), np.full(n_branch, -1.0)
    splits = frame.is_split[1 : n_branch + 1].copy()
    for node in np.flatnonzero(splits) + 1:
        s = frame.slots[node]
        if stack.levels[level, IS_WIDE]:
            (m, right), duals = desk.crew_sizes[s], stack.wide_duals[level, s]
            values, plane = stack.wide_values[level, s], stack.wide_planes[level, s]
        else:
            (m, right), duals = stack.passing[level, s], stack.duals[level, s]
            values, plane = stack.values[level, s], stack.planes[level, s]
        if 0 < right < m:
            # The values have a constant that the intercept makes up for.
            w, value = desk.scales[s] * (duals @ problem.X), desk.scales[s] * values[0]
            weights[node - 1] = w
            intercepts[node - 1] = value + plane[INTERCEPT] - w @ problem.X[0]
        else:
            intercepts[node - 1] = 1.0 if right else -1.0
    return ObliqueTree(
        weights=weights,
        intercepts=intercepts,
        splits=splits,
        leaf_classes=np.zeros(n_branch + 1, dtype=np.int64),
        leaf_mass=np.zeros((n_branch + 1, problem.n_classes)),
        scaling=problem.scaling,
    )


def grid_of(problem: Problem, most: float) -> FloatArray:
    """Return the norms that divide those of margin terms up to ``most`` into cells."""
    return np.linspace(0.0, problem.norm_at_price(most), N_CELLS + 1)
