"""What an exact solve needs of a method's mixed-integer model."""

from collections.abc import Callable
from dataclasses import dataclass

from margintree._lib.arrays import FloatArray
from margintree.core.problem import Problem
from margintree.core.tree import ObliqueTree
from margintree.exact.programs.program import Program


@dataclass(frozen=True)
class Formulation:
    """A mixed-integer model of trees: from a problem to a program, and between trees and values.

    Attributes
    ----------
    build : callable
        Returns the program of a problem, given the cost of a known tree. Dearer trees may be cut
        off.
    encode : callable
        Returns the values of the program's variables that stand for a tree.
    decode : callable
        Returns the tree that values stand for, or one that costs less.
    n_entries : callable
        Returns about how many entries the matrix of a problem's program has.
    grows_tighter : bool
        Whether a program that is built for a cheaper tree is easier to solve.
    """

    build: Callable[[Problem, float], Program]
    encode: Callable[[Problem, Program, ObliqueTree], FloatArray]
    decode: Callable[[Problem, Program, FloatArray], ObliqueTree]
    n_entries: Callable[[Problem], int]
    grows_tighter: bool = False
