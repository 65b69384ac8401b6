"""The best hyperplanes for a tree without needless splits."""

from margintree.search.kernels._jit import kernel
from margintree.search.kernels.polish import polish
from margintree.search.kernels.sketch import Sketch, Task, price
from margintree.search.kernels.sweep import State, settle, trim


@kernel
def refit(
    task: Task,
    sketch: Sketch,
    state: State,
    rounds: int,
    tolerance: float,
    patience: int,
    power: float,
) -> float:
    """Drop splits with an empty side and polish the others, see `polish`; return the cost."""
    root = max(0, 1)  # a literal would make callees compile once more
    trim(task, sketch, state, root)
    cost = price(task, sketch, state.values)
    polish(task, sketch, state.values, root, rounds, tolerance, patience, power, cost)
    settle(task, sketch, state, root)
    return price(task, sketch, state.values)
