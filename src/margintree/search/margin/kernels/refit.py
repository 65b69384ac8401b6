"""The best hyperplanes for a tree without needless splits."""

from margintree.search.margin.kernels._jit import kernel
from margintree.search.margin.kernels.polish import polish
from margintree.search.margin.kernels.sweep import State, settle, trim
from margintree.search.margin.kernels.working_tree import KernelData, WorkingTree, price


@kernel
def refit(
    data: KernelData,
    tree: WorkingTree,
    state: State,
    rounds: int,
    tolerance: float,
    patience: int,
    power: float,
) -> float:
    """Drop splits with an empty side and polish the others, see `polish`; return the cost."""
    root = max(0, 1)  # a literal would make callees compile once more
    trim(data, tree, state, root)
    cost = price(data, tree, state.values)
    polish(data, tree, state.values, root, rounds, tolerance, patience, power, cost)
    settle(data, tree, state, root)
    return price(data, tree, state.values)
