"""The model of optimal classification trees with axis-parallel splits: OCT, as a program.

After Bertsimas and Dunn, Optimal classification trees (Machine Learning, 2017), whose letters are
used: ``a`` and ``b`` are the feature and the threshold of a split, ``d`` says whether a node
splits, ``z`` in which leaf a row is, ``l`` whether a leaf has rows, ``c`` its class and ``L`` its
errors. Three things differ, none of which changes the optimum.

- Features are replaced by their ranks, scaled to [0, 1]. The model only looks at the order of the
  values, and the ranks of neighbours are far enough apart for every solver.
- Rows have weights, and the constant of the error rows is the weight of the other classes, the
  smallest that is right.
- The rows that bound ``L`` from above are left out, since ``L`` is minimised.

In a node that does not split everything goes right in this model, and left in our trees.
"""

from dataclasses import dataclass

import numpy as np

from margintree import topology
from margintree._typing import FloatArray, IntArray
from margintree.formulation.assembly import Rows, lay_out, merge, rows, stack, total
from margintree.formulation.program import Block, Program
from margintree.plan import Plan, feature_ranks, halved, to_plan
from margintree.problem import Problem
from margintree.shape import Shape
from margintree.tree import ObliqueTree

ROUNDING = 1e-4
"""How far a threshold, counted in ranks, may lie above a rank and still send it right."""


def build_oct(problem: Problem, shape: Shape) -> Program:
    """Return the program whose optimum is the axis-parallel tree with the cheapest errors.

    Parameters
    ----------
    problem : Problem
        The training set; the costs of errors and splits count, that of violations does not.
    shape : Shape
        The least weight of a leaf and the number of splits.

    Examples
    --------
    >>> problem = Problem.from_data([[0.0], [1.0]], [0, 1], n_classes=2, depth=1)
    >>> program = build_oct(problem, Shape.of(problem))
    >>> program.block("z").shape, list(program.families)[:3]
    ((2, 2), ['right', 'left', 'rows'])
    """
    draft = _Draft(problem, shape)
    families = {
        "right": draft.right(),
        "left": draft.left(),
        "rows": rows(total(1.0, draft["z"].T), lower=1.0, upper=1.0),
        "leaves": rows([(1.0, draft["z"]), (-1.0, draft["l"][None, :])], upper=0.0),
        "mass": draft.mass(),
        "classes": rows([*total(1.0, draft["c"]), (-1.0, draft["l"])], lower=0.0, upper=0.0),
        "errors": draft.errors(),
        "splits": draft.splits(),
        "parents": draft.parents(),
        "size": rows(total(1.0, draft["d"]), upper=shape.max_splits),
    }
    n_variables = sum(block.size for block in draft.blocks.values())
    matrix, row_lower, row_upper, places = stack(families, n_variables)
    prices, upper = np.zeros(n_variables), np.ones(n_variables)
    prices[draft["L"]], prices[draft["d"]] = problem.costs.errors, problem.costs.splits
    upper[draft["L"]] = problem.row_weights.sum()
    integrality = np.ones(n_variables, dtype=bool)
    integrality[draft["L"]] = integrality[draft["b"]] = False
    return Program(
        objective=prices,
        lower=np.zeros(n_variables),
        upper=upper,
        integrality=integrality,
        matrix=matrix,
        row_lower=row_lower,
        row_upper=row_upper,
        blocks=draft.blocks,
        families=places,
    )


@dataclass(frozen=True)
class _Draft:
    """The rows of the model, family by family."""

    problem: Problem
    shape: Shape

    @property
    def blocks(self) -> dict[str, Block]:
        n, p, K = self.problem.n_rows, self.problem.n_features, self.problem.n_classes
        n_branch, n_leaves = len(self.branch), len(self.branch) + 1
        shapes: dict[str, tuple[int, ...]] = {
            "a": (p, n_branch),
            "b": (n_branch,),
            "d": (n_branch,),
            "z": (n, n_leaves),
            "l": (n_leaves,),
            "c": (K, n_leaves),
            "L": (n_leaves,),
        }
        return lay_out(shapes)

    def __getitem__(self, name: str) -> IntArray:
        return self.blocks[name].indices

    @property
    def branch(self) -> range:
        return topology.branch_nodes(self.problem.depth)

    def _ways(self, side: int) -> tuple[IntArray, IntArray]:
        """Return all pairs of a branch node and a leaf below it on this side, as positions."""
        n_leaves = topology.n_leaves(self.problem.depth)
        pairs = [
            (t // 2 - 1, leaf - n_leaves)
            for leaf in topology.leaves(self.problem.depth)
            for t in (leaf, *topology.ancestors(leaf))
            if t > 1 and t % 2 == side
        ]
        nodes, leaves = np.array(pairs).T
        return nodes, leaves

    def right(self) -> Rows:
        """State that a row in a leaf is not below the thresholds that it passes on the right."""
        nodes, leaves = self._ways(1)
        value = total(_scaled_ranks(self.problem)[:, :, None], self["a"][:, None, nodes])
        # a'x >= b - (1 - z); both a'x and b are between 0 and 1.
        terms = [*value, (-1.0, self["b"][None, nodes]), (-1.0, self["z"][:, leaves])]
        return rows(terms, lower=-1.0)

    def left(self) -> Rows:
        """State that a row in a leaf is below the thresholds that it passes on the left.

        Below means by at least the distance of two neighbouring ranks in the feature.
        """
        nodes, leaves = self._ways(0)
        steps = 1.0 / _largest_ranks(self.problem)
        least, most = steps.min(), steps.max()
        raised = _scaled_ranks(self.problem) + (steps - least)[:, None]
        value = total(raised[:, :, None], self["a"][:, None, nodes])
        # a'(x + steps - least) + least <= b + (1 + most)(1 - z)
        terms = [*value, (-1.0, self["b"][None, nodes]), (1.0 + most, self["z"][:, leaves])]
        return rows(terms, upper=1.0 + most - least)

    def mass(self) -> Rows:
        """State that a leaf that is used has enough weight."""
        weight = total(self.problem.row_weights[:, None], self["z"])
        return rows([*weight, (-self.shape.least_mass, self["l"])], lower=0.0)

    def errors(self) -> Rows:
        """State that a leaf of class k errs on all its rows of other classes."""
        y, weights = self.problem.y, self.problem.row_weights
        classes = np.arange(self.problem.n_classes)
        strange = np.where(y[:, None] != classes, weights[:, None], 0.0)
        others = strange.sum(axis=0)[:, None]
        # L >= weight of other classes - (1 - c) times the most that can be.
        wrong = total(-strange[:, :, None], self["z"][:, None, :])
        return rows([(1.0, self["L"][None, :]), *wrong, (-others, self["c"])], lower=-others)

    def splits(self) -> Rows:
        """State that a node that splits looks at one feature, and that others have no threshold."""
        feature = rows([*total(1.0, self["a"]), (-1.0, self["d"])], lower=0.0, upper=0.0)
        return merge([feature, rows([(1.0, self["b"]), (-1.0, self["d"])], upper=0.0)])

    def parents(self) -> Rows:
        """State that a node splits only if its parent does."""
        children = np.array(self.branch)[1:]
        parents = self["d"][children // 2 - 1]
        return rows([(1.0, self["d"][children - 1]), (-1.0, parents)], upper=0.0)


def _largest_ranks(problem: Problem) -> FloatArray:
    """Return the largest rank of every feature, 1 for a feature without two values."""
    return np.asarray(np.maximum(1.0, feature_ranks(problem.X).max(axis=1)))


def _scaled_ranks(problem: Problem) -> FloatArray:
    """Return, of shape (p, n), the ranks scaled to [0, 1]."""
    return np.asarray(feature_ranks(problem.X) / _largest_ranks(problem)[:, None])


def encode_oct(problem: Problem, program: Program, tree: ObliqueTree) -> FloatArray:
    """Return the values of the program's variables that stand for an axis-parallel tree.

    Examples
    --------
    >>> problem = Problem.from_data([[0.0], [1.0]], [0, 1], n_classes=2, depth=1)
    >>> tree = ObliqueTree.stump([1.0], -0.5, leaf_classes=[0, 1], n_classes=2)
    >>> program = build_oct(problem, Shape.of(problem))
    >>> values = encode_oct(problem, program, tree)
    >>> program.evaluate(values), program.violation(values)
    (0.1, 0.0)
    >>> decode_oct(problem, program, values).intercepts
    array([-1.])
    """
    ranks, largest = feature_ranks(problem.X), _largest_ranks(problem)
    values = np.zeros(program.n_variables)
    first_leaf = topology.n_leaves(problem.depth)

    def place(node: int, plan: Plan | None, inside: IntArray) -> None:
        if plan is None:
            _fill_leaf(problem, program, values, _rightmost(node, first_leaf), inside)
            return
        values[program.block("a")[plan.feature, node - 1]] = 1.0
        values[program.block("b")[node - 1]] = plan.rank / largest[plan.feature]
        values[program.block("d")[node - 1]] = 1.0
        goes_right = ranks[plan.feature, inside] >= plan.rank
        place(topology.left(node), plan.left, inside[~goes_right])
        place(topology.right(node), plan.right, inside[goes_right])

    place(1, to_plan(problem, ranks, tree), np.arange(problem.n_rows))
    return values


def _rightmost(node: int, first_leaf: int) -> int:
    """Return the position of the leaf where rows of a node end up that does not split."""
    while node < first_leaf:
        node = topology.right(node)
    return node - first_leaf


def _fill_leaf(
    problem: Problem, program: Program, values: FloatArray, leaf: int, inside: IntArray
) -> None:
    mass = problem.class_mass(inside)
    values[program.block("z")[inside, leaf]] = 1.0
    values[program.block("l")[leaf]] = 1.0
    values[program.block("c")[int(mass.argmax()), leaf]] = 1.0
    values[program.block("L")[leaf]] = mass.sum() - mass.max()


def decode_oct(problem: Problem, program: Program, values: FloatArray) -> ObliqueTree:
    """Return the tree that the values of a program stand for.

    Features and thresholds decide; leaves get the classes that are cheapest for their rows.
    """
    splits = values[program.block("d")] > 0.5
    chosen = values[program.block("a")].argmax(axis=0)
    ranks = values[program.block("b")] * _largest_ranks(problem)[chosen]
    raw = ObliqueTree.leaf(problem.depth, problem.n_features, problem.n_classes).to_dict()
    for node in np.flatnonzero(splits):
        # No scaled value is 2, so that is a threshold above them all.
        thresholds = np.append(np.unique(problem.X[:, chosen[node]]), 2.0)
        raw["weights"][node][chosen[node]] = 1.0
        raw["intercepts"][node] = -thresholds[int(np.ceil(ranks[node] - ROUNDING))]
        raw["splits"][node] = True
    return halved(problem, ObliqueTree.from_dict(raw))
