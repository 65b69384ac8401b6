"""The model of optimal classification trees with oblique splits: OCT-H, as a program.

After Bertsimas and Dunn, Optimal classification trees (Machine Learning, 2017): a split sends a row
right if ``a'x >= b`` and left if ``a'x + mu <= b``, the absolute values of its weights (``a_hat``)
add up to at most 1, and ``s`` says which features it uses; `leaves` has the rest. There are two
differences; neither changes the optimum.

- Features are moved from [0, 1] to [-1/2, 1/2]. Then ``a'x`` and ``b`` lie between -1/2 and 1/2,
  and the constants that switch rows off are half as large.
- Every row has constants of its own: ``|a'x|`` is at most the largest ``|x_j|`` of the row.
"""

from dataclasses import replace

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray
from margintree.core import topology
from margintree.core.problem import Problem
from margintree.core.rules import NARROW, closest_values
from margintree.core.simplify import centred, push_up, simplify, with_cheapest_classes
from margintree.core.tree import ObliqueTree
from margintree.exact.programs.leaves import LeafBuilder, Shapes, fill_leaf, n_entries
from margintree.exact.programs.program import Formulation, Program, Rows, Term, merge, rows, total

HALF = 0.5
"""Features are moved by this much, and then ``|b|`` is at most this much."""


def build_octh(problem: Problem) -> Program:
    """Return the program whose optimum is the oblique tree with the cheapest errors and features.

    Examples
    --------
    >>> problem = Problem.from_data([[0.0], [1.0]], [0, 1], n_classes=2, depth=1)
    >>> program = build_octh(problem.with_rules(separation=0.005))
    >>> program.block("a").shape, list(program.families)[:3]
    ((1, 1), ['right', 'left', 'weights'])
    """
    builder = _Builder(problem)
    splits = {"right": builder.right(), "left": builder.left(), "weights": builder.weights()}
    domains = {"a": (-1.0, 1.0), "a_hat": (0.0, 1.0), "b": (-HALF, HALF)}
    # If z is a tolerance away from 0 or 1, a row moves by up to 1 + mu times that tolerance.
    tolerance = float(np.clip(NARROW * problem.rules.separation / 4, 1e-9, Program.tolerance))
    prices = {"s": problem.costs.features, "d": problem.costs.splits}
    return builder.program(splits, domains, prices, tolerance)


class _Builder(LeafBuilder):
    @property
    def split_shapes(self) -> Shapes:
        per_feature = (self.problem.n_features, len(self.branch))
        return {"a": per_feature, "a_hat": per_feature, "s": per_feature, "b": per_feature[1:]}

    def right(self) -> Rows:
        """State that a row in a leaf has ``a'x >= b`` where it passes on the right.

        With z = 0 the row is always true: ``a'x - b >= -max |x_j| - 1/2``.
        """
        nodes, leaves = self.ways(1)
        M = self._largest()
        return rows([*self._above_threshold(nodes), (-M, self["z"][:, leaves])], lower=-M)

    def left(self) -> Rows:
        """State that a row in a leaf has ``a'x + mu <= b`` where it passes on the left."""
        nodes, leaves = self.ways(0)
        mu, M = self.problem.rules.separation, self._largest() + self.problem.rules.separation
        terms = [*self._above_threshold(nodes), (M, self["z"][:, leaves])]
        return rows(terms, upper=M - mu)

    def _above_threshold(self, nodes: IntArray) -> list[Term]:
        """Return the terms of ``a'x - b`` for every row and node."""
        value = total((self.problem.X - HALF).T[:, :, None], self["a"][:, None, nodes])
        return [*value, (-1.0, self["b"][None, nodes])]

    def _largest(self) -> FloatArray:
        """Return an upper bound on ``|a'x - b|``, of shape (n, 1)."""
        return np.asarray(np.abs(self.problem.X - HALF).max(axis=1, keepdims=True) + HALF)

    def weights(self) -> Rows:
        """State the limits on the weights of a split, and that other nodes have no weights."""
        a, a_hat, s, b, d = (self[name] for name in ("a", "a_hat", "s", "b", "d"))
        return merge(
            [
                rows([(1.0, a), (-1.0, a_hat)], upper=0.0),
                rows([(1.0, a), (1.0, a_hat)], lower=0.0),
                rows([*total(1.0, a_hat), (-1.0, d)], upper=0.0),
                rows([(1.0, a_hat), (-1.0, s)], upper=0.0),
                rows([(1.0, s), (-1.0, d[None, :])], upper=0.0),
                rows([*total(1.0, s), (-1.0, d)], lower=0.0),
                rows([(1.0, b), (-HALF, d)], upper=0.0),
                rows([(1.0, b), (HALF, d)], lower=0.0),
            ]
        )


def encode_octh(problem: Problem, program: Program, tree: ObliqueTree) -> FloatArray:
    """Return the values of the program's variables that represent a tree that keeps the rules.

    Thresholds are put at the closest row on the right, so that all room is on the left.

    Examples
    --------
    >>> problem = Problem.from_data([[0.0], [1.0]], [0, 1], n_classes=2, depth=1)
    >>> tree = ObliqueTree.stump([4.0], -1.0, leaf_classes=[0, 1], n_classes=2)
    >>> problem = problem.with_rules(separation=0.005)
    >>> program = build_octh(problem)
    >>> values = encode_octh(problem, program, tree)
    >>> program.evaluate(values), program.violation(values)
    (0.1, 0.0)
    >>> decode_octh(problem, program, values).weights
    array([[2.]])
    """
    tree = push_up(problem, tree)
    sides = tree.split_values(problem.X) >= 0
    sizes = np.where(tree.splits, np.abs(tree.weights).sum(axis=1), 1.0)
    weights = tree.weights / sizes[:, None]
    _, high = closest_values(problem.X, tree)
    thresholds = np.where(tree.splits, (high - tree.intercepts) / sizes, 0.0)
    values = np.zeros(program.n_variables)
    values[program.block("a")], values[program.block("a_hat")] = weights.T, np.abs(weights).T
    values[program.block("s")] = weights.T != 0
    values[program.block("b")] = thresholds - HALF * weights.sum(axis=1)
    values[program.block("d")] = tree.splits

    def place(node: int, inside: IntArray) -> None:
        if node > len(tree.splits) or not tree.splits[node - 1]:
            fill_leaf(problem, program, values, node, inside)
            return
        goes_right = sides[inside, node - 1]
        place(topology.left(node), inside[~goes_right])
        place(topology.right(node), inside[goes_right])

    place(1, np.arange(problem.n_rows))
    return values


def decode_octh(problem: Problem, program: Program, values: FloatArray) -> ObliqueTree:
    """Return the tree of the values of a program.

    Weights and thresholds decide where rows go. Then hyperplanes move half-way between the rows
    that they separate, and leaves get the cheapest class of their rows.
    """
    splits = values[program.block("d")] > 0.5
    is_used = splits & (values[program.block("s")] > 0.5)
    weights = np.where(is_used, values[program.block("a")], 0.0).T
    middles = values[program.block("b")] - problem.rules.separation / 2 + HALF * weights.sum(axis=1)
    leaf = ObliqueTree.leaf(problem.depth, problem.n_features, problem.n_classes)
    # A node that does not split sends everything right in the model.
    raw = replace(
        leaf,
        weights=weights,
        intercepts=np.where(splits, -middles, 1.0),
        splits=np.ones(len(splits), dtype=bool),
        scaling=problem.scaling,
    )
    return with_cheapest_classes(problem, centred(problem, push_up(problem, raw)))


FORMULATION = Formulation(
    build=lambda problem, _: build_octh(problem),
    encode=encode_octh,
    decode=lambda problem, program, values: simplify(
        problem, decode_octh(problem, program, values)
    ),
    n_entries=n_entries,
)
"""The model of OCT-H; decoding simplifies the tree."""
