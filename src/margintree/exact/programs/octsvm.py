"""The model of optimal classification trees with SVM splits against labels: OCTSVM, as a program.

After Blanco, Japón and Puerto, Robust optimal classification trees under noisy labels (Advances in
Data Analysis and Classification, 2022), in the letters of the MOCTSVM model: ``w`` and ``b`` are
the hyperplanes, ``z`` says which node a row is in, ``e`` is how far it violates a margin, ``xi``
whether it is relabelled there, and ``d`` whether a node splits. As in the corrected MOCTSVM model,
rows keep a routing margin, big-Ms come from a known tree, and a split parts its rows.
"""

from dataclasses import dataclass, replace

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray
from margintree.core import topology
from margintree.core.judges import TIE_SLACK, calls, label_violations, sides
from margintree.core.problem import Problem
from margintree.core.simplify import push_up, with_cheapest_classes
from margintree.core.tree import ObliqueTree
from margintree.exact.programs.big_m import Bounds, derive_bounds
from margintree.exact.programs.constraints import rows_of_rules
from margintree.exact.programs.program import (
    Block,
    Cone,
    Formulation,
    Program,
    Rows,
    Term,
    lay_out,
    merge,
    rows,
    stack,
    total,
)


def build_octsvm(problem: Problem, upper_bound: float) -> Program:
    """Return the program whose optimum is the cheapest tree in the sense of OCTSVM.

    Parameters
    ----------
    problem : Problem
        The training set of two classes; the cost of violations is c1, that of errors c2 (for a
        relabelled row) and that of splits c3.
    upper_bound : float
        The cost of a known tree. Every big-M follows from it; dearer trees may be cut off.

    Examples
    --------
    >>> problem = Problem.from_data([[0.0], [1.0]], [0, 1], n_classes=2, depth=1)
    >>> program = build_octsvm(problem, upper_bound=1.0)
    >>> program.block("xi").shape, list(program.families)[:3]
    ((2, 1), ['label', 'other', 'right'])
    """
    # Errors cost something else here, so they must not enter the bounds.
    free = replace(problem, costs=replace(problem.costs, errors=0.0))
    builder = _Builder(problem, derive_bounds(free, upper_bound, no_idle_parent=True))
    n_variables = sum(block.size for block in builder.blocks.values())
    matrix, row_lower, row_upper, places = stack(builder.families(), n_variables)
    lower, upper = builder.domains(n_variables)
    integrality = np.zeros(n_variables, dtype=bool)
    for name in ("d", "z", "xi"):
        integrality[builder[name]] = True
    return Program(
        objective=builder.prices(n_variables),
        lower=lower,
        upper=upper,
        integrality=integrality,
        matrix=matrix,
        row_lower=row_lower,
        row_upper=row_upper,
        cones=tuple(
            Cone(problem.margin_norm, int(builder["delta"]), vector) for vector in builder["w"]
        ),
        blocks=builder.blocks,
        families=places,
        tolerance=builder.tolerance,
    )


@dataclass(frozen=True, eq=False)
class _Builder:
    """The rows of the model, family by family; arrays have one row per row and branch node."""

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
        return lay_out(shapes)

    def __getitem__(self, name: str) -> IntArray:
        return self.blocks[name].indices

    @property
    def nodes(self) -> IntArray:
        return np.array(topology.branch_nodes(self.problem.depth))

    def _in(self, nodes: IntArray) -> IntArray:
        """Return the variables that say whether each row is in each of the nodes."""
        return np.asarray(self["z"][:, nodes - 1])

    def _value(self, signs: FloatArray | float = 1.0) -> list[Term]:
        """Return the terms of ``f_t(x_i)``, times a sign for every row."""
        X = signs * self.problem.X.T if np.ndim(signs) else self.problem.X.T
        features = [(X[j][:, None], self["w"][None, :, j]) for j in range(len(X))]
        return [*features, (np.reshape(signs, (-1, 1)), self["b"][None, :])]

    @property
    def big_m(self) -> FloatArray:
        """At least ``1 + |f_t(x_i)|``."""
        return 1.0 + self.bounds.values

    @property
    def tolerance(self) -> float:
        """How exactly rows must hold so that the routing margin stays clear; as for MOCTSVM."""
        needed = TIE_SLACK * self.problem.routing_margin / (2 * float(self.big_m.max()))
        return float(np.clip(needed, 1e-9, Program.tolerance))

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
        }

    def violation(self, signs: FloatArray, relabelled: float) -> Rows:
        """State that ``s f >= 1 - e`` for the rows of a node that are relabelled, or are not.

        M = 1 + max |f_t(x_i)| is enough for each of the two reasons to say nothing.
        """
        M = self.big_m
        sign = 1.0 - 2.0 * relabelled
        terms = [*self._value(signs), (1.0, self["e"]), (-M, self._in(self.nodes))]
        return rows([*terms, (sign * M, self["xi"])], lower=1.0 - M * (1.0 + relabelled))

    def routing(self, sign: float, goes: IntArray) -> Rows:
        """State that a row on a side is at least the routing margin inside it."""
        eps = self.problem.routing_margin
        M = eps + self.bounds.values
        return rows([*self._value(np.full(self.problem.n_rows, sign)), (-M, goes)], lower=eps - M)

    def weights(self) -> Rows:
        """State that a node that does not split has no weights."""
        largest, d = self.bounds.norms[:, None], self["d"][:, None]
        above = rows([(1.0, self["w"]), (-largest, d)], upper=0.0)
        return merge([above, rows([(1.0, self["w"]), (largest, d)], lower=0.0)])

    def prices(self, n_variables: int) -> FloatArray:
        """Return what every variable costs."""
        costs, weights = self.problem.costs, self.problem.row_weights[:, None]
        prices = np.zeros(n_variables)
        prices[self["delta"]] = 1.0
        prices[self["e"]], prices[self["xi"]] = costs.violations * weights, costs.errors * weights
        prices[self["d"]] = costs.splits
        return prices

    def domains(self, n_variables: int) -> tuple[FloatArray, FloatArray]:
        """Return the bounds of every variable."""
        lower, upper = np.zeros(n_variables), np.ones(n_variables)
        bounds = self.bounds
        for name, largest in (("w", bounds.norms[:, None]), ("b", bounds.intercepts)):
            lower[self[name]], upper[self[name]] = -largest, largest
        upper[self["delta"]] = bounds.margin
        upper[self["e"]] = self.big_m
        return lower, upper


def encode_octsvm(problem: Problem, program: Program, tree: ObliqueTree) -> FloatArray:
    """Return the values of the program's variables that stand for a tree.

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
    norm = float(np.linalg.norm(spoken.weights, axis=1).max())
    parts = {
        "delta": problem.margin_price(norm),
        "d": spoken.weights.any(axis=1),
        "w": spoken.weights,
        "b": spoken.intercepts,
        "e": inside * violations,
        "xi": inside * is_changed,
        "z": visits,
    }
    values = np.zeros(program.n_variables)
    for name, part in parts.items():
        values[program.block(name)] = part
    return values


def _spoken(problem: Problem, tree: ObliqueTree) -> ObliqueTree:
    """Return the tree in which nodes without a split send rows to the side of what they call them.

    That is the side of most of their rows; nodes below them hold the same rows and say the same.
    """
    visits = tree.decision_path(problem.X).toarray()[:, : len(tree.splits)] > 0
    intercepts = np.where(tree.splits, tree.intercepts, calls(problem, visits))
    for t in topology.branch_nodes(tree.depth)[1:]:
        if not tree.splits[t // 2 - 1]:
            intercepts[t - 1] = intercepts[t // 2 - 1]
    return replace(tree, intercepts=intercepts, splits=np.ones_like(tree.splits))


def decode_octsvm(problem: Problem, program: Program, values: FloatArray) -> ObliqueTree:
    """Return the tree that the values of a program stand for.

    Leaves get the class of most of their rows.
    """
    splits = values[program.block("d")] > 0.5
    leaf = ObliqueTree.leaf(problem.depth, problem.n_features, problem.n_classes)
    raw = replace(
        leaf,
        weights=np.where(splits[:, None], values[program.block("w")], 0.0),
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
