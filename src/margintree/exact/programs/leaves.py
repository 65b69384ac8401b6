"""What the models of OCT and OCT-H share: rows in leaves, the classes of leaves and their errors.

After Bertsimas and Dunn, Optimal classification trees (Machine Learning, 2017), whose letters are
used: ``d`` says whether a node splits, ``z`` in which leaf a row is, ``l`` whether a leaf has rows,
``c`` its class and ``L`` its errors. Two things differ, neither of which changes the optimum.

- Rows have weights, and the constant of the error rows is the weight of the other classes, the
  smallest that is right.
- The rows that bound ``L`` from above are left out, since ``L`` is minimised.

In a node that does not split everything goes right in these models, and left in our trees.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray
from margintree.core import topology
from margintree.core.problem import Problem
from margintree.exact.programs.program import Block, Program, Rows, lay_out, rows, stack, total

Shapes = Mapping[str, tuple[int, ...]]
Domains = Mapping[str, tuple[float, float]]


@dataclass(frozen=True)
class LeafBuilder:
    """The rows of a model that counts errors in leaves, family by family.

    A subclass adds the variables of the splits (`split_shapes`) and the rows that say which rows a
    split sends where.
    """

    problem: Problem

    @property
    def split_shapes(self) -> Shapes:
        """The shapes of the variables that describe the splits."""
        raise NotImplementedError

    @property
    def blocks(self) -> dict[str, Block]:
        """Where all variables are."""
        n_branch, n_leaves = len(self.branch), len(self.branch) + 1
        leaf_shapes: Shapes = {
            "d": (n_branch,),
            "z": (self.problem.n_rows, n_leaves),
            "l": (n_leaves,),
            "c": (self.problem.n_classes, n_leaves),
            "L": (n_leaves,),
        }
        return lay_out({**self.split_shapes, **leaf_shapes})

    def __getitem__(self, name: str) -> IntArray:
        return self.blocks[name].indices

    @property
    def branch(self) -> range:
        """The branch nodes."""
        return topology.branch_nodes(self.problem.depth)

    def ways(self, side: int) -> tuple[IntArray, IntArray]:
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

    def program(
        self,
        splits: Mapping[str, Rows],
        domains: Domains,
        priced: str,
        tolerance: float = Program.tolerance,
    ) -> Program:
        """Return the program with these rows about the splits, and all others.

        Parameters
        ----------
        splits : mapping of str to Rows
            The families that describe the splits.
        domains : mapping of str to pair of float
            Lower and upper bounds of the continuous variables of the splits.
        priced : str
            The variables that pay the price of a split.
        tolerance : float
            By how much a solver may violate a row.
        """
        blocks = self.blocks
        n_variables = sum(block.size for block in blocks.values())
        matrix, row_lower, row_upper, places = stack({**splits, **self._leaf_rows()}, n_variables)
        prices = np.zeros(n_variables)
        prices[self["L"]], prices[self[priced]] = self.problem.costs.errors, self._split_price
        lower, upper = np.zeros(n_variables), np.ones(n_variables)
        integrality = np.ones(n_variables, dtype=bool)
        whole = {"L": (0.0, float(self.problem.row_weights.sum()))}
        for name, (low, high) in {**domains, **whole}.items():
            lower[self[name]], upper[self[name]] = low, high
            integrality[self[name]] = False
        return Program(
            objective=prices,
            lower=lower,
            upper=upper,
            integrality=integrality,
            matrix=matrix,
            row_lower=row_lower,
            row_upper=row_upper,
            blocks=blocks,
            families=places,
            tolerance=tolerance,
        )

    @property
    def _split_price(self) -> float:
        return self.problem.costs.splits

    def _leaf_rows(self) -> dict[str, Rows]:
        """Return the families that the models share."""
        return {
            "rows": rows(total(1.0, self["z"].T), lower=1.0, upper=1.0),
            "leaves": rows([(1.0, self["z"]), (-1.0, self["l"][None, :])], upper=0.0),
            "mass": self._mass(),
            "classes": rows([*total(1.0, self["c"]), (-1.0, self["l"])], lower=0.0, upper=0.0),
            "errors": self._errors(),
            "parents": self._parents(),
            "size": rows(total(1.0, self["d"]), upper=self.problem.max_splits),
        }

    def _mass(self) -> Rows:
        """State that a leaf that is used has enough weight."""
        weight = total(self.problem.row_weights[:, None], self["z"])
        return rows([*weight, (-self.problem.rules.least_mass, self["l"])], lower=0.0)

    def _errors(self) -> Rows:
        """State that a leaf of class k errs on all its rows of other classes."""
        y, weights = self.problem.y, self.problem.row_weights
        classes = np.arange(self.problem.n_classes)
        strange = np.where(y[:, None] != classes, weights[:, None], 0.0)
        others = strange.sum(axis=0)[:, None]
        # L >= weight of other classes - (1 - c) times the most that can be.
        wrong = total(-strange[:, :, None], self["z"][:, None, :])
        return rows([(1.0, self["L"][None, :]), *wrong, (-others, self["c"])], lower=-others)

    def _parents(self) -> Rows:
        """State that a node splits only if its parent does."""
        children = np.array(self.branch)[1:]
        parents = self["d"][children // 2 - 1]
        return rows([(1.0, self["d"][children - 1]), (-1.0, parents)], upper=0.0)


def n_entries(problem: Problem) -> int:
    """Return about how many entries the matrix of such a model has."""
    ways = problem.n_rows * topology.n_leaves(problem.depth) * problem.depth
    return ways * (problem.n_features + 2)


def fill_leaf(
    problem: Problem, program: Program, values: FloatArray, node: int, inside: IntArray
) -> None:
    """Put rows that stop at a node into the leaf where they end up, with their best class."""
    leaf = _rightmost(node, topology.n_leaves(problem.depth))
    mass = problem.class_mass(inside)
    values[program.block("z")[inside, leaf]] = 1.0
    values[program.block("l")[leaf]] = 1.0
    values[program.block("c")[int(mass.argmax()), leaf]] = 1.0
    values[program.block("L")[leaf]] = mass.sum() - mass.max()


def _rightmost(node: int, first_leaf: int) -> int:
    """Return the position of the leaf where rows of a node end up that does not split."""
    while node < first_leaf:
        node = topology.right(node)
    return node - first_leaf
