"""A whole descent in one kernel: sweeps and polishing by turns, until they gain little.

Between kernels Python holds its lock, so threads would wait for each other if every sweep were a
call of its own.
"""

from typing import NamedTuple

import numpy as np

from margintree._typing import FloatArray, IntArray
from margintree.search.kernels._jit import kernel
from margintree.search.kernels.polish import polish
from margintree.search.kernels.sketch import Sketch, Task, price
from margintree.search.kernels.sweep import State, settle, sweep, trim

ENOUGH = 1e-4
"""Relative gain of a sweep and a polish below which a descent ends."""


class Plan(NamedTuple):
    """What a descent does in turn.

    Attributes
    ----------
    tops : int ndarray of shape (s,)
        The subtrees to sweep, by their top nodes; 0 for none.
    n_growing : int
        The first sweeps, which are left out where the top splits already.
    n_loose : int
        The first sweeps, those for growing among them, after which nothing is polished.
    limit : float
        The cost after the loose sweeps above which the descent is given up.
    rounds, tolerance, patience, power
        How to polish, see `polish`.
    """

    tops: IntArray
    n_growing: int
    n_loose: int
    limit: float
    rounds: int
    tolerance: float
    patience: int
    power: float


@kernel
def descend(
    task: Task, sketch: Sketch, state: State, plan: Plan, luck: FloatArray
) -> tuple[float, int]:
    """Improve a sketch as planned; return its cost and how many turns that took.

    Turns that are left mean that the descent has come to its end, or was given up: then the cost is
    infinite. ``luck`` holds the random numbers of every sweep.
    """
    root = max(0, 1)  # a literal would make callees compile once more
    cost = price(task, sketch, state.values)
    for turn in range(len(plan.tops)):
        top = plan.tops[turn]
        if top > 0 and not (turn < plan.n_growing and sketch.splits[top]):
            sweep(task, sketch, state, top, luck[turn])
        if turn + 1 < plan.n_loose:
            continue
        if turn >= plan.n_loose:
            trim(task, sketch, state, root)
            before = price(task, sketch, state.values)
            polish(
                task,
                sketch,
                state.values,
                root,
                plan.rounds,
                plan.tolerance,
                plan.patience,
                plan.power,
                before,
            )
            settle(task, sketch, state, root)
        now = price(task, sketch, state.values)
        if turn >= plan.n_loose and now > cost * (1 - ENOUGH):
            return now, turn
        if now > plan.limit:
            return np.inf, turn
        cost = now
    return cost, len(plan.tops)
