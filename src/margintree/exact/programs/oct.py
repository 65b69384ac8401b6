"""The model of optimal classification trees with axis-parallel splits: OCT, as a program.

After Bertsimas and Dunn, Optimal classification trees (Machine Learning, 2017): ``a`` and ``b`` are
the feature and the threshold of a split; `leaves` has the rest. Features are replaced by their
ranks, scaled to [0, 1]: the model depends only on the order of the values, and neighbouring ranks
are far enough apart for every solver.
"""

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray
from margintree.core import topology
from margintree.core.axis_tree import AxisTree, feature_ranks, halved, to_axis_tree
from margintree.core.problem import Problem
from margintree.core.simplify import simplify
from margintree.core.tree import ObliqueTree
from margintree.exact.programs.leaves import LeafBuilder, Shapes, fill_leaf, n_entries
from margintree.exact.programs.program import Formulation, Program, Rows, merge, rows, total

ROUNDING = 1e-4
"""A threshold this many ranks above a value still sends it right."""


def build_oct(problem: Problem) -> Program:
    """Return the program whose optimum is the cheapest axis-parallel tree.

    Examples
    --------
    >>> problem = Problem.from_data([[0.0], [1.0]], [0, 1], n_classes=2, depth=1)
    >>> program = build_oct(problem)
    >>> program.block("z").shape, list(program.families)[:3]
    ((2, 2), ['right', 'left', 'splits'])
    """
    builder = _Builder(problem)
    splits = {"right": builder.right(), "left": builder.left(), "splits": builder.splits()}
    prices = {"d": problem.costs.splits}
    return builder.program(splits, domains={"b": (0.0, 1.0)}, prices=prices)


class _Builder(LeafBuilder):
    @property
    def split_shapes(self) -> Shapes:
        n_branch = len(self.branch)
        return {"a": (self.problem.n_features, n_branch), "b": (n_branch,)}

    def right(self) -> Rows:
        """State that a row in a leaf is not below the thresholds that it passes on the right."""
        nodes, leaves = self.ways(1)
        value = total(_scaled_ranks(self.problem)[:, :, None], self["a"][:, None, nodes])
        # a'x >= b - (1 - z); both a'x and b are between 0 and 1.
        terms = [*value, (-1.0, self["b"][None, nodes]), (-1.0, self["z"][:, leaves])]
        return rows(terms, lower=-1.0)

    def left(self) -> Rows:
        """State that a row in a leaf is below the thresholds that it passes on the left.

        Below means by at least the distance between neighbouring ranks of the feature.
        """
        nodes, leaves = self.ways(0)
        steps = 1.0 / _largest_ranks(self.problem)
        least, most = steps.min(), steps.max()
        raised = _scaled_ranks(self.problem) + (steps - least)[:, None]
        value = total(raised[:, :, None], self["a"][:, None, nodes])
        # a'(x + steps - least) + least <= b + (1 + most)(1 - z)
        terms = [*value, (-1.0, self["b"][None, nodes]), (1.0 + most, self["z"][:, leaves])]
        return rows(terms, upper=1.0 + most - least)

    def splits(self) -> Rows:
        """State that a split uses one feature, and that other nodes use none and have b = 0."""
        feature = rows([*total(1.0, self["a"]), (-1.0, self["d"])], lower=0.0, upper=0.0)
        return merge([feature, rows([(1.0, self["b"]), (-1.0, self["d"])], upper=0.0)])


def _largest_ranks(problem: Problem) -> FloatArray:
    """Return the largest rank of every feature, and 1 for a constant feature."""
    return np.asarray(np.maximum(1.0, feature_ranks(problem.X).max(axis=1)))


def _scaled_ranks(problem: Problem) -> FloatArray:
    """Return the ranks scaled to [0, 1], of shape (p, n)."""
    return np.asarray(feature_ranks(problem.X) / _largest_ranks(problem)[:, None])


def encode_oct(problem: Problem, program: Program, tree: ObliqueTree) -> FloatArray:
    """Return the values of the program's variables that represent an axis-parallel tree.

    Examples
    --------
    >>> problem = Problem.from_data([[0.0], [1.0]], [0, 1], n_classes=2, depth=1)
    >>> tree = ObliqueTree.stump([1.0], -0.5, leaf_classes=[0, 1], n_classes=2)
    >>> program = build_oct(problem)
    >>> values = encode_oct(problem, program, tree)
    >>> program.evaluate(values), program.violation(values)
    (0.1, 0.0)
    >>> decode_oct(problem, program, values).intercepts
    array([-1.])
    """
    ranks, largest = feature_ranks(problem.X), _largest_ranks(problem)
    values = np.zeros(program.n_variables)

    def place(node: int, axis_tree: AxisTree | None, inside: IntArray) -> None:
        if axis_tree is None:
            fill_leaf(problem, program, values, node, inside)
            return
        values[program.block("a")[axis_tree.feature, node - 1]] = 1.0
        values[program.block("b")[node - 1]] = axis_tree.rank / largest[axis_tree.feature]
        values[program.block("d")[node - 1]] = 1.0
        goes_right = ranks[axis_tree.feature, inside] >= axis_tree.rank
        place(topology.left(node), axis_tree.left, inside[~goes_right])
        place(topology.right(node), axis_tree.right, inside[goes_right])

    place(1, to_axis_tree(problem, ranks, tree), np.arange(problem.n_rows))
    return values


def decode_oct(problem: Problem, program: Program, values: FloatArray) -> ObliqueTree:
    """Return the tree of the values of a program; leaves get the cheapest class of their rows."""
    splits = values[program.block("d")] > 0.5
    chosen = values[program.block("a")].argmax(axis=0)
    ranks = values[program.block("b")] * _largest_ranks(problem)[chosen]
    raw = ObliqueTree.leaf(problem.depth, problem.n_features, problem.n_classes).to_dict()
    for node in np.flatnonzero(splits):
        # Scaled values are at most 1, so 2 is a threshold above all of them.
        thresholds = np.append(np.unique(problem.X[:, chosen[node]]), 2.0)
        raw["weights"][node][chosen[node]] = 1.0
        raw["intercepts"][node] = -thresholds[int(np.ceil(ranks[node] - ROUNDING))]
        raw["splits"][node] = True
    return halved(problem, ObliqueTree.from_dict(raw))


FORMULATION = Formulation(
    build=lambda problem, _: build_oct(problem),
    encode=encode_oct,
    decode=lambda problem, program, values: simplify(problem, decode_oct(problem, program, values)),
    n_entries=n_entries,
)
"""The model of OCT; decoding simplifies the tree."""
