"""The common part of the OCT and OCT-H models: rows in leaves, classes and errors of leaves.

After Bertsimas and Dunn, Optimal classification trees (Machine Learning, 2017), in the letters of
the paper: ``d`` says whether a node splits, ``z`` which leaf a row is in, ``l`` whether a leaf has
rows, ``c`` its class and ``L`` its errors. There are two differences; neither changes the optimum.

- Rows have weights. The constant of the error rows is the weight of the other classes, which is the
  smallest valid one.
- The rows that bound ``L`` from above are left out, because ``L`` is minimised.

In a node that does not split everything goes right in these models, and left in our trees.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray
from margintree.core import topology
from margintree.core.problem import Problem
from margintree.exact.programs.program import Block, Program, Rows, assemble, lay_out, rows, total

Shapes = Mapping[str, tuple[int, ...]]
Domains = Mapping[str, tuple[float, float]]


@dataclass(frozen=True)
class LeafBuilder:
    """The rows of a model that counts errors in leaves, family by family.

    A subclass adds the variables of the splits (`split_shapes`) and the families that state where a
    split sends its rows.
    """

    problem: Problem

    @property
    def split_shapes(self) -> Shapes:
        """The shapes of the variables that describe the splits."""
        raise NotImplementedError

    @property
    def blocks(self) -> dict[str, Block]:
        """The blocks of all variables."""
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
        """Return the positions of all pairs of a branch node and a leaf below it on this side."""
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
        prices: Mapping[str, float],
        tolerance: float = Program.tolerance,
    ) -> Program:
        """Return the program with these families about the splits, and the common ones.

        ``domains`` has the lower and upper bounds of the continuous variables of the splits;
        ``prices`` has the prices of these variables.
        """
        blocks, costs = self.blocks, self.problem.costs
        domains = {**domains, "L": (0.0, float(self.problem.row_weights.sum()))}
        return assemble(
            blocks,
            {**splits, **self._leaf_rows()},
            prices={"L": costs.errors, **prices},
            domains=domains,
            integers=blocks.keys() - domains.keys(),
            tolerance=tolerance,
        )

    def _leaf_rows(self) -> dict[str, Rows]:
        """Return the families that both models have."""
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
        """State that a leaf with rows has the weight that the rules demand."""
        weight = total(self.problem.row_weights[:, None], self["z"])
        return rows([*weight, (-self.problem.rules.least_mass, self["l"])], lower=0.0)

    def _errors(self) -> Rows:
        """State that a leaf of class k errs on all its rows of other classes."""
        y, weights = self.problem.y, self.problem.row_weights
        classes = np.arange(self.problem.n_classes)
        strange = np.where(y[:, None] != classes, weights[:, None], 0.0)
        others = strange.sum(axis=0)[:, None]
        # L >= weight of the other classes in the leaf - (1 - c) times their weight in all rows.
        wrong = total(-strange[:, :, None], self["z"][:, None, :])
        return rows([(1.0, self["L"][None, :]), *wrong, (-others, self["c"])], lower=-others)

    def _parents(self) -> Rows:
        """State that a node splits only if its parent does."""
        children = np.array(self.branch)[1:]
        parents = self["d"][children // 2 - 1]
        return rows([(1.0, self["d"][children - 1]), (-1.0, parents)], upper=0.0)


def n_entries(problem: Problem) -> int:
    """Return the approximate number of entries in the matrix of such a model."""
    ways = problem.n_rows * topology.n_leaves(problem.depth) * problem.depth
    return ways * (problem.n_features + 2)


def fill_leaf(
    problem: Problem, program: Program, values: FloatArray, node: int, inside: IntArray
) -> None:
    """Put the rows that stop at a node into its rightmost leaf, with their best class."""
    leaf = (node + 1) * 2 ** (problem.depth - topology.depth_of(node)) - 1
    leaf -= topology.n_leaves(problem.depth)
    mass = problem.class_mass(inside)
    values[program.block("z")[inside, leaf]] = 1.0
    values[program.block("l")[leaf]] = 1.0
    values[program.block("c")[int(mass.argmax()), leaf]] = 1.0
    values[program.block("L")[leaf]] = mass.sum() - mass.max()
