"""The model as printed in the paper, trap by trap: the corrected program with one error put back.

Small instances on which it shows come first, with what a program says of them and what is true.
Each function after them takes the literal program of a problem and returns a changed one.
"""

from dataclasses import replace

import numpy as np
from scipy import sparse

from margintree.core import topology
from margintree.core.judges import price_margins
from margintree.core.limits import Limits
from margintree.core.problem import Costs, Problem
from margintree.core.simplify import simplify
from margintree.core.tree import ObliqueTree
from margintree.exact.programs import Strengthening, build, decode
from margintree.exact.programs.program import merge, rows, stack
from margintree.exact.solvers import get

LINE = [[5.0], [5.0], [8.0], [10.0], [0.0], [1.0]], [1, 1, 0, 0, 1, 0]
PLANE = (
    [[9.0, 2.0], [1.0, 3.0], [4.0, 8.0], [4.0, 1.0], [3.0, 6.0], [8.0, 8.0]],
    [1, 0, 1, 0, 1, 0],
)
SEVEN = (
    [[9.0, 2.0], [1.0, 3.0], [4.0, 8.0], [4.0, 1.0], [3.0, 6.0], [8.0, 8.0], [10.0, 2.0]],
    [1, 0, 1, 0, 0, 1, 0],
)
EXACT = Limits(seconds=60, gap=1e-6)


def problem_of(data, costs, depth=1, **options):
    """Return the problem of rows and class codes with the costs c1, c2 and c3."""
    X, y = data
    n_classes = max(y) + 1
    costs = Costs(*costs)
    return Problem.from_data(X, y, n_classes=n_classes, depth=depth, costs=costs, **options)


def literal(problem):
    """Return the corrected program, word for word as the model is written."""
    leaf = simplify(problem, ObliqueTree.leaf(problem.depth, problem.n_features, problem.n_classes))
    return build(problem, price_margins(problem, leaf).total, Strengthening.none())


def optimum(program):
    """Return what a program says the cheapest tree costs."""
    return get("scip").solve(program, EXACT).objective


def judged(problem, program):
    """Return what the tree of a program's optimum really costs."""
    outcome = get("scip").solve(program, EXACT)
    return price_margins(problem, decode(problem, program, outcome.values))


def changed(program, matrix=None, row_lower=None, row_upper=None):
    """Return the program with other rows; None leaves them."""
    return replace(
        program,
        matrix=program.matrix if matrix is None else sparse.csr_array(matrix),
        row_lower=program.row_lower if row_lower is None else row_lower,
        row_upper=program.row_upper if row_upper is None else row_upper,
    )


def added(program, extra):
    """Return the program with more rows."""
    matrix, lower, upper, _ = stack({"extra": extra}, program.n_variables)
    return changed(
        program,
        sparse.vstack([program.matrix, matrix]),
        np.concatenate([program.row_lower, lower]),
        np.concatenate([program.row_upper, upper]),
    )


def without_rows(program, family, keep=None):
    """Return the program in which rows of a family say nothing; ``keep`` marks those that stay."""
    places = np.arange(program.n_rows)[program.families[family]]
    dropped = places if keep is None else places[~keep]
    lower, upper = program.row_lower.copy(), program.row_upper.copy()
    lower[dropped], upper[dropped] = -np.inf, np.inf
    return changed(program, row_lower=lower, row_upper=upper)


def c2_without_big_m(program):
    """Return C2 as printed: the coefficient of the excuse is 1, and e has no upper limit."""
    matrix = program.matrix.tolil()
    lower, upper = program.row_lower.copy(), program.row_upper.copy()
    z, alpha, h = (program.block(name) for name in ("z", "alpha", "h"))
    for family, columns in (("c2a", [(h, -1)]), ("c2b", [(z, 1), (alpha, -1)])):
        for row, place in enumerate(np.ndindex(h.shape), program.families[family].start):
            for block, sign in columns:
                matrix[row, block[place]] = sign
    lower[program.families["c2a"]] = 0.0
    upper[program.families["c2b"]] = 0.0
    return without_rows(changed(program, matrix, lower, upper), "r")


def without_routing_margin(program):
    """Return the model without R: e may be as large as it likes."""
    return without_rows(program, "r")


def with_e_up_to_one(program):
    """Return the model whose e may reach 1: every row may lie on f = 0."""
    upper = program.row_upper.copy()
    upper[program.families["r"]] = 1.0
    return changed(program, row_upper=upper)


def c5_at_branch_nodes_only(program):
    """Return C5 as printed: nothing ties the leaves to the sides of their parents."""
    n, n_branch = program.block("alpha").shape
    above_branch = np.arange(n_branch) < n_branch // 2
    keep = np.tile(above_branch, n)
    return without_rows(without_rows(program, "c5a", keep), "c5b", keep)


def c6b_as_printed(program):
    """Return C6b as printed: h <= z - alpha + 1, without h <= alpha and alpha <= z.

    As in the assembled model, C2a then says 2 - z - alpha for 1 - h.
    """
    h, alpha = program.block("h"), program.block("alpha")
    z = program.block("z")[:, : h.shape[1]]
    matrix, lower = program.matrix.tolil(), program.row_lower.copy()
    for row, (i, t) in enumerate(np.ndindex(h.shape), program.families["c2a"].start):
        M = -matrix[row, h[i, t]]
        matrix[row, h[i, t]] = 0.0
        matrix[row, z[i, t]] = matrix[row, alpha[i, t]] = -M
        lower[row] -= M
    printed = rows([(1.0, h), (-1.0, z), (1.0, alpha)], upper=1.0)
    return added(without_rows(changed(program, matrix, lower), "c6b"), printed)


def c8_with_reduced_constant(program, problem):
    """Return C8 with the constant n - max n_k that the paper suggests."""
    constant = problem.n_rows - np.bincount(problem.y).max()
    matrix, lower = program.matrix.tolil(), program.row_lower.copy()
    lower[program.families["c8"]] = -constant
    for row, column in enumerate(program.block("q").ravel(), program.families["c8"].start):
        matrix[row, column] = -constant
    return changed(program, matrix, row_lower=lower)


def with_companions(program, problem):
    """Return the model with z_is + z_js <= z_it + z_jt for all t above or beside s."""
    z = program.block("z")
    first, second = np.triu_indices(problem.n_rows, 1)
    pairs = [
        (t, s)
        for t in range(1, topology.n_nodes(problem.depth) + 1)
        for s in range(t + 1, topology.n_nodes(problem.depth) + 1)
    ]
    parts = [
        rows(
            [(1.0, z[i, s - 1]) for i in (first, second)]
            + [(-1.0, z[i, t - 1]) for i in (first, second)],
            upper=0.0,
        )
        for t, s in pairs
    ]
    return added(program, merge(parts))
