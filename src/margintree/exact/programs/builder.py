"""The data of the constraint families: the problem, the bounds and the places of variables."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray
from margintree.core import topology
from margintree.core.problem import Problem
from margintree.exact.programs.big_m import Bounds
from margintree.exact.programs.feature_budgets import feature_shapes
from margintree.exact.programs.norms import norm_shapes
from margintree.exact.programs.program import Block, Term, lay_out
from margintree.exact.programs.strengthening import Strengthening


@dataclass(frozen=True, eq=False)
class Builder:
    """A program under construction.

    The index arrays have one column per node: ``z[:, t - 1]`` for every node, ``alpha``, ``h`` and
    ``e`` for the branch nodes. Without their own variables, ``alpha`` and ``h`` are the z of the
    right child: where z and alpha are both 1, the row goes right.
    """

    problem: Problem
    strengthening: Strengthening
    bounds: Bounds
    blocks: Mapping[str, Block]

    def __getitem__(self, name: str) -> IntArray:
        return self.blocks[name].indices

    @property
    def branch(self) -> IntArray:
        """The branch nodes."""
        return np.array(topology.branch_nodes(self.problem.depth))

    @property
    def leaves(self) -> IntArray:
        """The leaves."""
        return np.array(topology.leaves(self.problem.depth))

    @property
    def z(self) -> IntArray:
        """Whether a row is in a node."""
        return self["z"]

    @property
    def z_branch(self) -> IntArray:
        """Whether a row is in a branch node."""
        return self.z[:, self.branch - 1]

    @property
    def z_left(self) -> IntArray:
        """Whether a row is in the left child of a branch node."""
        return self.z[:, 2 * self.branch - 1]

    @property
    def z_right(self) -> IntArray:
        """Whether a row is in the right child of a branch node."""
        return self.z[:, 2 * self.branch]

    @property
    def z_leaf(self) -> IntArray:
        """Whether a row is in a leaf."""
        return self.z[:, self.leaves - 1]

    @property
    def alpha(self) -> IntArray:
        """Whether a row in a branch node is on its right side."""
        return self.z_right if self.strengthening.project_variables else self["alpha"]

    @property
    def h(self) -> IntArray:
        """Whether a row is in a branch node and on its right side."""
        return self.z_right if self.strengthening.project_variables else self["h"]

    @property
    def big_m(self) -> FloatArray:
        """M of C2: at least ``1 + |f_t(x_i)|``, so that C2 is always true for rows elsewhere."""
        return 1.0 + self.bounds.values

    def split_value(self) -> list[Term]:
        """Return the terms of ``f_t(x_i)``, for every row and branch node."""
        X, w = self.problem.X, self["w"]
        return [*((X[:, [j]], w[None, :, j]) for j in range(len(w.T))), (1.0, self["b"][None, :])]

    def on_left(self, coefficient: FloatArray) -> list[Term]:
        """Return the terms of "row i is in branch node t and on its left side"."""
        if self.strengthening.project_variables:
            return [(coefficient, self.z_left)]
        return [(coefficient, self.z_branch), (-coefficient, self.alpha)]


def start_builder(problem: Problem, strengthening: Strengthening, bounds: Bounds) -> Builder:
    """Return a builder with all variables laid out."""
    n, p, K = problem.n_rows, problem.n_features, problem.n_classes
    B, leaves = topology.n_branch_nodes(problem.depth), topology.n_leaves(problem.depth)
    shapes: dict[str, tuple[int, ...]] = {
        "delta": (),
        "d": (B,),
        "v": (B,),
        "q": (K, leaves),
        "w": (B, p),
        "b": (B,),
        "L": (n, leaves) if strengthening.rowwise_c8 else (leaves,),
        "e": (n, B),
        "z": (n, B + leaves),
    }
    if not strengthening.project_variables:
        shapes |= {"alpha": (n, B), "h": (n, B)}
    if strengthening.pair_margins:
        shapes["s"] = ()
    shapes |= norm_shapes(problem, B) | feature_shapes(problem)
    return Builder(problem, strengthening, bounds, lay_out(shapes))
