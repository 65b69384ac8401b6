"""The MOCTSVM model: its program, and the translation between trees and values."""

from dataclasses import replace

import numpy as np

from margintree._lib.arrays import BoolArray, FloatArray
from margintree.core import topology
from margintree.core.problem import Problem
from margintree.core.simplify import remove_empty_sides, simplify, with_cheapest_classes
from margintree.core.tree import ObliqueTree
from margintree.exact.programs import constraints, cuts
from margintree.exact.programs.big_m import derive_bounds, row_tolerance
from margintree.exact.programs.builder import Builder, start_builder
from margintree.exact.programs.constraints import rows_of_rules
from margintree.exact.programs.feature_budgets import (
    rows_of_features,
    used_weights,
    values_of_features,
)
from margintree.exact.programs.norms import norm_cones, norm_rows, norm_values
from margintree.exact.programs.program import Formulation, Program, Rows, assemble
from margintree.exact.programs.strengthening import Strengthening, canonical

_CUTS = (
    "sibling_classes",
    "flip_symmetry",
    "no_idle_parent",
    "useful_leaves",
    "pair_margins",
    "every_class_owns_leaf",
    "cluster_fixing",
)


def build(
    problem: Problem, upper_bound: float, strengthening: Strengthening | None = None
) -> Program:
    """Return the program whose optimum is the cheapest tree.

    ``upper_bound`` is the judge's cost of a known tree. Every big-M follows from it, and the
    program may cut off trees that cost more. Build again when you know a better tree.
    ``strengthening`` is `Strengthening.default` by default.

    Examples
    --------
    >>> problem = Problem.from_data([[0.0], [1.0]], [0, 1], n_classes=2, depth=1)
    >>> program = build(problem, upper_bound=1.0)
    >>> program.block("w").shape, sorted(program.families)[:3]
    ((1, 1), ['c2a', 'c2b', 'c3'])
    """
    strengthening = Strengthening.default() if strengthening is None else strengthening
    bounds = derive_bounds(problem, upper_bound, strengthening.no_idle_parent)
    builder = start_builder(problem, strengthening, bounds)
    costs, largest = problem.costs, bounds.norms[:, None]
    return assemble(
        builder.blocks,
        _rows(builder),
        prices={
            "delta": 1.0,
            "L": costs.errors,
            "e": costs.violations * problem.row_weights[:, None],
            "d": costs.splits,
            "g": problem.feature_prices,
        },
        domains={
            "delta": (0.0, bounds.margin),
            "w": (-largest, largest),
            "b": (-bounds.intercepts, bounds.intercepts),
            "L": (0.0, np.inf),
            "e": (0.0, np.inf),
            "s": (0.0, bounds.norms[0]),
            "size": (0.0, largest),
        },
        integers=("d", "v", "q", "z", "alpha", "h", "g", "known"),
        cones=norm_cones(problem, builder.blocks)
        + (cuts.pair_cone(builder) if strengthening.pair_margins else ()),
        tolerance=row_tolerance(problem, builder.big_m),
        traits=strengthening.names,
    )


def _rows(builder: Builder) -> dict[str, Rows]:
    names = ["c2a", "c2b", "c3", "c6c", "c6d", "c7", "c8", "r"]
    if not builder.strengthening.project_variables:
        names[3:3] = ["c4", "c5a", "c5b", "c6a", "c6b"]
    model = {name: getattr(constraints, name)(builder) for name in names}
    extra = [name for name in _CUTS if getattr(builder.strengthening, name)]
    rules = rows_of_rules(builder.problem, builder.z_left, builder.z_right, builder["d"])
    rules |= rows_of_features(builder.problem, builder.blocks, builder.bounds.norms)
    rules |= norm_rows(builder.problem, builder.blocks)
    return model | rules | {name: getattr(cuts, name)(builder) for name in extra}


def encode_tree(problem: Problem, program: Program, tree: ObliqueTree) -> FloatArray:
    """Return the values of the program's variables that represent a tree.

    `canonical` first brings the tree into the form that the strengthening demands, which does not
    raise its cost. The values are feasible if the tree has no ties and costs at most the program's
    upper bound.

    Examples
    --------
    >>> problem = Problem.from_data([[0.0], [1.0]], [0, 1], n_classes=2, depth=1)
    >>> tree = ObliqueTree.stump([2.0], -1.0, leaf_classes=[0, 1], n_classes=2)
    >>> program = build(problem, upper_bound=2.1)
    >>> values = encode_tree(problem, program, tree)
    >>> program.evaluate(values), program.violation(values)
    (2.1, 0.0)
    >>> decode(problem, program, values) == tree
    True
    """
    strengthening = Strengthening.of(program.traits)
    tree = canonical(problem, tree, strengthening)
    parts = _encoded(problem, tree, strengthening)
    return program.filled({name: parts[name] for name in parts.keys() & program.blocks.keys()})


def _encoded(
    problem: Problem, tree: ObliqueTree, strengthening: Strengthening
) -> dict[str, FloatArray]:
    visits = tree.decision_path(problem.X).toarray().astype(np.float64)
    n_leaves = len(tree.leaf_classes)
    in_branch, in_leaf = visits[:, : n_leaves - 1], visits[:, n_leaves - 1 :]
    right = visits[:, 2::2]
    shortfall = np.maximum(0.0, 1.0 - np.abs(np.nan_to_num(tree.split_values(problem.X), nan=1.0)))
    prices = problem.error_costs[problem.y][:, tree.leaf_classes] * problem.row_weights[:, None]
    errors = in_leaf * prices
    q: FloatArray = np.eye(problem.n_classes)[:, tree.leaf_classes]
    if strengthening.label_used_leaves:
        for column, leaf in enumerate(topology.leaves(tree.depth)):
            opener = constraints.opened_by(leaf)
            q[:, column] *= opener == 0 or tree.splits[opener - 1]
    return (
        {
            "d": tree.splits.astype(np.float64),
            "v": np.ones(n_leaves - 1),
            "q": q,
            "w": tree.weights,
            "b": tree.intercepts,
            "L": errors if strengthening.rowwise_c8 else errors.sum(axis=0),
            "e": in_branch * shortfall,
            "z": visits,
            "alpha": right,
            "h": right,
        }
        | norm_values(problem, tree.weights)
        | values_of_features(problem, tree)
    )


def decode(problem: Problem, program: Program, values: FloatArray) -> ObliqueTree:
    """Return the tree that the values of a program represent.

    z decides where rows go. A node whose rows all go the same way does not split. If they all go
    right, its subtrees change places, because an idle node sends everything left.
    """
    z = np.round(values[program.block("z")]).astype(bool)
    n_leaves = topology.n_leaves(problem.depth)
    left, right = z[:, 1::2].any(axis=0), z[:, 2::2].any(axis=0)
    divides: BoolArray = np.logical_and(left, right)
    one_way = np.where(right & ~left, 1.0, -1.0)
    q: FloatArray = values[program.block("q")]
    raw = ObliqueTree(
        weights=np.where(divides[:, None], used_weights(problem, program, values), 0.0),
        intercepts=np.where(divides, values[program.block("b")], one_way),
        splits=np.ones(n_leaves - 1, dtype=bool),
        leaf_classes=q.argmax(axis=0),
        leaf_mass=np.zeros((n_leaves, problem.n_classes)),
        scaling=problem.scaling,
    )
    has_class = q.max(axis=0) > 0.5
    cheapest = with_cheapest_classes(problem, raw).leaf_classes
    raw = replace(raw, leaf_classes=np.where(has_class, raw.leaf_classes, cheapest))
    return remove_empty_sides(problem, raw)


def _n_entries(problem: Problem) -> int:
    return problem.n_rows * topology.n_nodes(problem.depth) * (problem.n_features + 10)


FORMULATION = Formulation(
    build,
    encode_tree,
    decode=lambda problem, program, values: simplify(problem, decode(problem, program, values)),
    n_entries=_n_entries,
    grows_tighter=True,
)
"""The model of MOCTSVM; decoding simplifies the tree."""
