"""What a search minimises: the judge, a bound, a simpler form of trees, the kernel data."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from margintree.core.bound import lower_bound
from margintree.core.incumbent import Price, Simplify
from margintree.core.judges.margins import objective
from margintree.core.problem import Problem
from margintree.core.simplify import tidy
from margintree.core.tree import ObliqueTree
from margintree.search.margin.kernel_data import make_kernel_data
from margintree.search.margin.kernels.working_tree import KernelData


class MakeKernelData(Protocol):
    """Turns a problem into what kernels need to know of it."""

    def __call__(self, problem: Problem, with_gram: bool = True) -> KernelData:
        """Return the kernel data of a problem."""
        ...


@dataclass(frozen=True)
class Aim:
    """What a search minimises.

    Attributes
    ----------
    judge : callable
        Returns what a tree costs on a problem.
    bound : callable
        Returns what no tree costs less than.
    simplify : callable
        Returns a tree in a form that the judge prices no higher.
    make_kernel_data : callable
        Returns what kernels know of a problem; they may know a little less than the judge.
    """

    judge: Callable[[Problem, ObliqueTree], Price]
    bound: Callable[[Problem], float]
    simplify: Simplify
    make_kernel_data: MakeKernelData


MARGINS = Aim(objective, lower_bound, tidy, make_kernel_data)
"""Trees with maximum margins whatever the labels: MOCTSVM."""
