"""The model of optimal classification trees with SVM splits against labels: OCTSVM, as a program.

After Blanco, Japón and Puerto, Robust optimal classification trees under noisy labels (Advances in
Data Analysis and Classification, 2022), in the letters of the MOCTSVM model: ``w`` and ``b`` are
the hyperplanes, ``z`` says which node a row is in, ``e`` is its margin violation, ``xi`` says
whether it is relabelled there, and ``d`` whether a node splits. As in the corrected MOCTSVM model,
rows keep a routing margin, big-Ms come from a known tree, and a split has rows on both sides.
"""

from dataclasses import dataclass, replace

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray
from margintree.core import topology
from margintree.core.judges import calls, label_violations, sides
from margintree.core.problem import Problem
from margintree.core.simplify import push_up, with_cheapest_classes
from margintree.core.tree import ObliqueTree
from margintree.exact.programs.big_m import Bounds, derive_bounds, row_tolerance
from margintree.exact.programs.constraints import rows_of_rules
from margintree.exact.programs.feature_budgets import (
    feature_shapes,
    rows_of_features,
    used_weights,
    values_of_features,
)
from margintree.exact.programs.norms import norm_cones, norm_rows, norm_shapes, norm_values
from margintree.exact.programs.program import (
    Block,
    Formulation,
    Program,
    Rows,
    Term,
    assemble,
    lay_out,
    merge,
    rows,
    total,
)


def build_octsvm(problem: Problem, upper_bound: float) -> Program:
    """Return the program whose optimum is the cheapest tree of OCTSVM.

    The problem has two classes. Its cost of violations is c1, that of errors c2 (for a relabelled
    row) and that of splits c3. ``upper_bound`` is the cost of a known tree. Every big-M follows
    from it, and the program may cut off trees that cost more.

    Examples
    --------
    >>> problem = Problem.from_data([[0.0], [1.0]], [0, 1], n_classes=2, depth=1)
    >>> program = build_octsvm(problem, upper_bound=1.0)
    >>> program.block("xi").shape, list(program.families)[:3]
    ((2, 1), ['label', 'other', 'right'])
    """
    # The price of errors is for relabelled rows here, so it must not enter the bounds.
    free = replace(problem, costs=replace(problem.costs, errors=0.0))
    bounds = derive_bounds(free, upper_bound, no_idle_parent=True)
    builder = _Builder(problem, bounds)
    costs, weights = problem.costs, problem.row_weights[:, None]
    largest = bounds.norms[:, None]
    return assemble(
        builder.blocks,
        builder.families(),
        prices={
            "delta": 1.0,
            "e": costs.violations * weights,
            "xi": costs.errors * weights,
            "d": costs.splits,
            "g": problem.feature_prices,
        },
        domains={
            "delta": (0.0, bounds.margin),
            "w": (-largest, largest),
            "b": (-bounds.intercepts, bounds.intercepts),
            "e": (0.0, builder.big_m),
            "s": (0.0, bounds.norms[0]),
            "size": (0.0, largest),
        },
        integers=("d", "z", "xi", "g", "known"),
        cones=norm_cones(problem, builder.blocks),
        tolerance=row_tolerance(problem, builder.big_m),
    )


@dataclass(frozen=True, eq=False)
class _Builder:
    """The rows of the model, family by family."""

    problem: Problem
    bounds: Bounds

    @property
    def blocks(self) -> dict[str, Block]:
        n, p, B = self.problem.n_rows, self.problem.n_features, len(self.nodes)
        shapes: dict[str, tuple[int, ...]] = {
            "delta": (),
            "d": (B,),
            "w": (B, p),
            "b": (B,),
            "e": (n, B),
            "xi": (n, B),
            "z": (n, 2 * B + 1),
        }
        shapes |= norm_shapes(self.problem, B) | feature_shapes(self.problem)
        return lay_out(shapes)

    def __getitem__(self, name: str) -> IntArray:
        return self.blocks[name].indices

    @property
    def nodes(self) -> IntArray:
        return np.array(topology.branch_nodes(self.problem.depth))

    def _in(self, nodes: IntArray) -> IntArray:
        """Return the variables that say whether rows are in these nodes."""
        return np.asarray(self["z"][:, nodes - 1])

    def _value(self, signs: FloatArray) -> list[Term]:
        """Return the terms of ``f_t(x_i)``, times the sign of the row."""
        X = signs * self.problem.X.T
        features = [(X[j][:, None], self["w"][None, :, j]) for j in range(len(X))]
        return [*features, (signs[:, None], self["b"][None, :])]

    @property
    def big_m(self) -> FloatArray:
        """At least ``1 + |f_t(x_i)|``."""
        return 1.0 + self.bounds.values

    def families(self) -> dict[str, Rows]:
        """Return all rows."""
        nodes, d = self.nodes, self["d"]
        left, right = self._in(2 * nodes), self._in(2 * nodes + 1)
        root = rows([(1.0, self["z"][:, 0])], lower=1.0, upper=1.0)
        handed = [(1.0, self._in(nodes)), (-1.0, left), (-1.0, right)]
        children = nodes[1:]
        return {
            "label": self.violation(sides(self.problem), relabelled=0.0),
            "other": self.violation(-sides(self.problem), relabelled=1.0),
            "right": self.routing(1.0, right),
            "left": self.routing(-1.0, left),
            "nodes": merge([root, rows(handed, lower=0.0, upper=0.0)]),
            "relabelled": rows([(1.0, self["xi"]), (-1.0, self._in(nodes))], upper=0.0),
            "weights": self.weights(),
            "divides": merge(
                [rows([*total(1.0, side), (-1.0, d)], lower=0.0) for side in (left, right)]
            ),
            "parents": rows([(1.0, d[children - 1]), (-1.0, d[children // 2 - 1])], upper=0.0),
            **rows_of_rules(self.problem, left, right, d),
            **rows_of_features(self.problem, self.blocks, self.bounds.norms),
            **norm_rows(self.problem, self.blocks),
        }

    def violation(self, signs: FloatArray, relabelled: float) -> Rows:
        """State that ``s f >= 1 - e`` for the rows of a node that are (not) relabelled.

        M = 1 + max |f_t(x_i)| is enough for each of the two reasons to switch a row off.
        """
        M = self.big_m
        sign = 1.0 - 2.0 * relabelled
        terms = [*self._value(signs), (1.0, self["e"]), (-M, self._in(self.nodes))]
        return rows([*terms, (sign * M, self["xi"])], lower=1.0 - M * (1.0 + relabelled))

    def routing(self, sign: float, goes: IntArray) -> Rows:
        """State that a row keeps at least the routing margin from the border of its side."""
        eps = self.problem.routing_margin
        M = eps + self.bounds.values
        return rows([*self._value(np.full(self.problem.n_rows, sign)), (-M, goes)], lower=eps - M)

    def weights(self) -> Rows:
        """State that a node that does not split has no weights."""
        largest, d = self.bounds.norms[:, None], self["d"][:, None]
        above = rows([(1.0, self["w"]), (-largest, d)], upper=0.0)
        return merge([above, rows([(1.0, self["w"]), (largest, d)], lower=0.0)])


def encode_octsvm(problem: Problem, program: Program, tree: ObliqueTree) -> FloatArray:
    """Return the values of the program's variables that represent a tree.

    The values are feasible if the tree has no faults and costs at most the program's upper bound.

    Examples
    --------
    >>> problem = Problem.from_data([[0.0], [1.0]], [0, 1], n_classes=2, depth=1)
    >>> tree = ObliqueTree.stump([2.0], -1.0, leaf_classes=[0, 1], n_classes=2)
    >>> program = build_octsvm(problem, upper_bound=2.1)
    >>> values = encode_octsvm(problem, program, tree)
    >>> program.evaluate(values), program.violation(values)
    (2.1, 0.0)
    >>> decode_octsvm(problem, program, values) == tree
    True
    """
    spoken = _spoken(problem, push_up(problem, tree))
    visits = spoken.decision_path(problem.X).toarray().astype(np.float64)
    inside = visits[:, : len(spoken.splits)]
    violations, is_changed = label_violations(problem, spoken.split_values(problem.X))
    parts = (
        {
            "d": spoken.weights.any(axis=1),
            "w": spoken.weights,
            "b": spoken.intercepts,
            "e": inside * violations,
            "xi": inside * is_changed,
            "z": visits,
        }
        | norm_values(problem, spoken.weights)
        | values_of_features(problem, spoken)
    )
    return program.filled({name: parts[name] for name in parts.keys() & program.blocks.keys()})


def _spoken(problem: Problem, tree: ObliqueTree) -> ObliqueTree:
    """Return the tree in which a node that does not split sends rows to the side of their majority.

    The nodes below it hold the same rows and choose the same side.
    """
    visits = tree.decision_path(problem.X).toarray()[:, : len(tree.splits)] > 0
    intercepts = np.where(tree.splits, tree.intercepts, calls(problem, visits))
    for t in topology.branch_nodes(tree.depth)[1:]:
        if not tree.splits[t // 2 - 1]:
            intercepts[t - 1] = intercepts[t // 2 - 1]
    return replace(tree, intercepts=intercepts, splits=np.ones_like(tree.splits))


def decode_octsvm(problem: Problem, program: Program, values: FloatArray) -> ObliqueTree:
    """Return the tree of the values of a program; leaves get the class of most of their rows."""
    splits = values[program.block("d")] > 0.5
    leaf = ObliqueTree.leaf(problem.depth, problem.n_features, problem.n_classes)
    raw = replace(
        leaf,
        weights=np.where(splits[:, None], used_weights(problem, program, values), 0.0),
        intercepts=values[program.block("b")],
        splits=np.ones_like(splits),
        scaling=problem.scaling,
    )
    return with_cheapest_classes(problem, push_up(problem, raw))


def _n_entries(problem: Problem) -> int:
    return 2 * problem.n_rows * topology.n_nodes(problem.depth) * (problem.n_features + 10)


FORMULATION = Formulation(
    build_octsvm, encode_octsvm, decode_octsvm, n_entries=_n_entries, grows_tighter=True
)
"""The model of OCTSVM."""
