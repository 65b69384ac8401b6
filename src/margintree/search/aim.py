"""What a search minimises: the judge, with a bound, a simpler form of trees, and the task."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from margintree.bound import lower_bound
from margintree.incumbent import Price, Simplify
from margintree.objective import objective
from margintree.problem import Problem
from margintree.search.kernels.sketch import Task
from margintree.search.task import make_task
from margintree.tidy import tidy
from margintree.tree import ObliqueTree


class MakeTask(Protocol):
    """Turns a problem into what kernels need to know of it."""

    def __call__(self, problem: Problem, with_gram: bool = True) -> Task:
        """Return the task of a problem."""
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
    make_task : callable
        Returns what kernels know of a problem; they may know a little less than the judge.
    """

    judge: Callable[[Problem, ObliqueTree], Price]
    bound: Callable[[Problem], float]
    simplify: Simplify
    make_task: MakeTask


MARGINS = Aim(objective, lower_bound, tidy, make_task)
"""Trees with maximum margins whatever the labels: MOCTSVM."""
