"""The margin term of a model: cones for the Euclidean norm, linear rows for the other norms.

With another norm, ``s`` is at least the norm of every hyperplane, and ``delta`` at least the price
of ``s``: a linear row for the plain term, and a cone of one variable for the squared one. For the
l1 norm, ``size`` is at least the absolute value of every weight.
"""

from collections.abc import Mapping

import numpy as np

from margintree._lib.arrays import FloatArray
from margintree.core.problem import Problem
from margintree.exact.programs.program import Block, Cone, Rows, merge, rows, total


def norm_shapes(problem: Problem, n_splits: int) -> dict[str, tuple[int, ...]]:
    """Return the variables of the margin term beside ``delta`` and the weights."""
    if problem.norm == "l2":
        return {}
    shapes: dict[str, tuple[int, ...]] = {"s": ()}
    if problem.norm == "l1":
        shapes["size"] = (n_splits, problem.n_features)
    return shapes


def norm_cones(problem: Problem, blocks: Mapping[str, Block]) -> tuple[Cone, ...]:
    """State that delta is at least the margin price of every hyperplane, as far as this is curved.

    A cone over several weights is Euclidean.
    """
    delta, kind = int(blocks["delta"].indices), problem.margin_term
    if problem.norm == "l2":
        return tuple(Cone(kind, delta, vector) for vector in blocks["w"].indices)
    return (Cone(kind, delta, blocks["s"].indices.reshape(1)),) if kind == "squared" else ()


def norm_rows(problem: Problem, blocks: Mapping[str, Block]) -> dict[str, Rows]:
    """State the linear part of the margin term.

    *l-infinity.* ``-s <= w_tj <= s``. *l1.* ``-size_tj <= w_tj <= size_tj`` and the sizes of a
    hyperplane add up to at most s. *Plain term.* ``delta >= s / 2``.
    """
    if problem.norm == "l2":
        return {}
    w, s = blocks["w"].indices, blocks["s"].indices
    largest = blocks["size"].indices if problem.norm == "l1" else s
    parts = [rows([(1.0, w), (-1.0, largest)], upper=0.0)]
    parts.append(rows([(1.0, w), (1.0, largest)], lower=0.0))
    if problem.norm == "l1":
        parts.append(rows([*total(1.0, largest.T), (-1.0, s)], upper=0.0))
    if problem.margin_term == "plain":
        parts.append(rows([(1.0, blocks["delta"].indices), (-0.5, s)], lower=0.0))
    return {"norm": merge(parts)}


def norm_values(problem: Problem, weights: FloatArray) -> dict[str, FloatArray]:
    """Return the values of ``delta`` and of the variables of `norm_shapes` for hyperplanes."""
    largest = float(problem.norms_of(weights).max(initial=0.0))
    return {
        "delta": np.array(problem.margin_price(largest)),
        "s": np.array(largest),
        "size": np.abs(weights),
    }
