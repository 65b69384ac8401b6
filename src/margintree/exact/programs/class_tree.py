"""The model of class trees as a program: every class has a way through the tree.

``z`` says which nodes are on the way to the leaf of a class, and ``g`` whether the class has no
leaf. ``w`` and ``b`` are the hyperplanes, ``e`` is the margin violation of a row, and ``delta`` the
margin term of a split. Only ``z`` and ``g`` are binary, and they do not depend on the number of
rows.
"""

from dataclasses import dataclass

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray, product
from margintree._lib.exceptions import InvalidInputError
from margintree.core import topology
from margintree.core.class_tree import Part, Split, to_tree
from margintree.core.judges import leafless_prices
from margintree.core.problem import Problem
from margintree.core.tree import ObliqueTree
from margintree.exact.programs.big_m import ROUNDING, farthest
from margintree.exact.programs.program import (
    Block,
    Cone,
    Formulation,
    Program,
    Rows,
    Term,
    assemble,
    lay_out,
    rows,
    total,
)


def build_class_tree(problem: Problem, upper_bound: float) -> Program:
    """Return the program whose optimum is the cheapest class tree.

    ``upper_bound`` is the cost of a known tree. Every big-M follows from it, and the program may
    cut off trees that cost more.

    Examples
    --------
    >>> problem = Problem.from_data([[0.0], [1.0]], [0, 1], n_classes=2, depth=1)
    >>> program = build_class_tree(problem, upper_bound=2.0)
    >>> program.block("z").shape, list(program.families)[:3]
    ((2, 3), ['left', 'right', 'ways'])
    """
    if problem.rules.least_mass > 0:
        raise InvalidInputError(
            "The exact model of class trees has no least weight of leaves; min_samples_leaf must "
            f"be 0, and the least weight is {problem.rules.least_mass:g}. Leave it out, or use the "
            "search."
        )
    builder = _Builder(problem, float(np.sqrt(2 * upper_bound * (1 + ROUNDING) + ROUNDING)))
    longest = 1 + builder.largest_norm * float(np.linalg.norm(problem.X, axis=1).max())
    has_rows = (problem.class_mass() > 0).astype(float)
    return assemble(
        builder.blocks,
        builder.families(),
        prices={
            "delta": 1.0,
            "e": problem.costs.violations * problem.row_weights[:, None],
            "g": leafless_prices(problem),
        },
        domains={
            "delta": (0.0, upper_bound * (1 + ROUNDING) + ROUNDING),
            "w": (-builder.largest_norm, builder.largest_norm),
            "b": (-longest, longest),
            "e": (0.0, builder.big_m),
            "z": (0.0, has_rows[:, None]),
        },
        integers=("z", "g"),
        cones=tuple(
            Cone("squared", int(delta), vector)
            for delta, vector in zip(builder["delta"], builder["w"], strict=True)
        ),
    )


@dataclass(frozen=True, eq=False)
class _Builder:
    """The rows of the model, family by family.

    A split whose hyperplane has norm at most W has ``|f(x_i)| <= 1 + W max_j ||x_i - x_j||`` for
    the best intercept. Otherwise all rows are on one side and outside the margin, and moving the
    hyperplane towards them costs nothing.
    """

    problem: Problem
    largest_norm: float

    @property
    def blocks(self) -> dict[str, Block]:
        n, p, K = self.problem.n_rows, self.problem.n_features, self.problem.n_classes
        B = len(self.nodes)
        shapes = {
            "delta": (B,),
            "w": (B, p),
            "b": (B,),
            "e": (n, B),
            "z": (K, 2 * B + 1),
            "g": (K,),
        }
        return lay_out(shapes)

    def __getitem__(self, name: str) -> IntArray:
        return self.blocks[name].indices

    @property
    def nodes(self) -> IntArray:
        return np.array(topology.branch_nodes(self.problem.depth))

    @property
    def big_m(self) -> FloatArray:
        """At least ``1 + |f_t(x_i)|``, so that a violation is free where a class does not go."""
        return np.asarray(2 + self.largest_norm * farthest(self.problem.X)[:, None])

    def families(self) -> dict[str, Rows]:
        """Return all rows."""
        z, nodes = self["z"], self.nodes
        leaves = np.array(topology.leaves(self.problem.depth))
        handed = [(1.0, z[:, nodes - 1]), (-1.0, z[:, 2 * nodes - 1]), (-1.0, z[:, 2 * nodes])]
        return {
            "left": self.violation(-1.0, 2 * nodes),
            "right": self.violation(1.0, 2 * nodes + 1),
            "ways": rows(handed, lower=0.0, upper=0.0),
            "leafless": rows([(1.0, self["g"]), (1.0, z[:, 0])], lower=1.0, upper=1.0),
            "own_leaf": rows(total(1.0, z[:, leaves - 1]), upper=1.0),
            "size": rows(total(1.0, z[:, [0]]), upper=self.problem.max_splits + 1.0),
        }

    def violation(self, sign: float, children: IntArray) -> Rows:
        """State that ``s f >= 1 - e`` for the rows of the classes that go to these children."""
        X, w, M = self.problem.X, self["w"], self.big_m
        value: list[Term] = [(sign * X[:, [j]], w[None, :, j]) for j in range(X.shape[1])]
        goes = self["z"][self.problem.y][:, children - 1]
        terms = [*value, (sign, self["b"][None, :]), (1.0, self["e"]), (-M, goes)]
        return rows(terms, lower=1.0 - M)


def encode_class_tree(problem: Problem, program: Program, tree: ObliqueTree) -> FloatArray:
    """Return the values of the program's variables that represent a tree.

    Examples
    --------
    >>> problem = Problem.from_data([[0.0], [1.0]], [0, 1], n_classes=2, depth=1)
    >>> tree = ObliqueTree.stump([2.0], -1.0, leaf_classes=[0, 1], n_classes=2)
    >>> program = build_class_tree(problem, upper_bound=2.0)
    >>> values = encode_class_tree(problem, program, tree)
    >>> program.evaluate(values), program.violation(values)
    (2.0, 0.0)
    >>> decode_class_tree(problem, program, values) == tree
    True
    """
    tree = tree.deepened(problem.depth)
    ways = np.zeros((problem.n_classes, topology.n_nodes(problem.depth)))
    for leaf in tree.open_leaves.tolist():
        label = tree.leaf_classes[leaf - len(tree.leaf_classes)]
        if problem.class_mass()[label] > 0:
            ways[label, [t - 1 for t in (leaf, *topology.ancestors(leaf))]] = 1
    nodes = np.array(topology.branch_nodes(problem.depth))
    linear = product(problem.X, tree.weights.T)
    intercepts = np.clip(tree.intercepts, -1 - linear.max(axis=0), 1 - linear.min(axis=0))
    said = linear + intercepts
    own = ways[problem.y]
    violations = own[:, 2 * nodes - 1] * np.maximum(0, 1 + said)
    parts = {
        "delta": (tree.weights**2).sum(axis=1) / 2,
        "w": tree.weights,
        "b": intercepts,
        "e": violations + own[:, 2 * nodes] * np.maximum(0, 1 - said),
        "z": ways,
        "g": 1 - ways[:, 0],
    }
    return program.filled(parts)


def decode_class_tree(problem: Problem, program: Program, values: FloatArray) -> ObliqueTree:
    """Return the tree of the values of a program."""
    ways = values[program.block("z")] > 0.5
    weights, intercepts = values[program.block("w")], values[program.block("b")]

    def part_at(node: int) -> Part | None:
        if node > len(intercepts):
            return int(ways[:, node - 1].argmax()) if ways[:, node - 1].any() else None
        left, right = part_at(topology.left(node)), part_at(topology.right(node))
        if left is None or right is None:
            return right if left is None else left
        return Split(weights[node - 1], float(intercepts[node - 1]), left, right)

    part = part_at(1)
    heaviest = int(problem.class_mass().argmax())
    return to_tree(problem, heaviest if part is None else part)


def _n_entries(problem: Problem) -> int:
    splits = topology.n_branch_nodes(problem.depth)
    return 2 * splits * (problem.n_rows * (problem.n_features + 3) + 3 * problem.n_classes)


FORMULATION = Formulation(
    build_class_tree, encode_class_tree, decode_class_tree, n_entries=_n_entries, grows_tighter=True
)
"""The model of class trees."""
