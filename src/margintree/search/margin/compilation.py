"""Compilation of the kernels before the clock starts, with a notice if it takes a while.

Kernels are kept on disk. If none is there yet, two processes compile one half each.
"""

from contextlib import nullcontext
from functools import cache

import numpy as np

from margintree._lib.first_fit import collector_paused, compilation_notice, other_process
from margintree.core.limits import Clock
from margintree.core.problem import Problem
from margintree.search.margin.chain import Chain, Parts, run_chain
from margintree.search.margin.kernel_data import NO_GRAM, gram_of, make_kernel_data, to_tree
from margintree.search.margin.kernels.line_search import best_intercept, best_step
from margintree.search.margin.kernels.polish import set_hyperplane
from margintree.search.margin.kernels.sweep import cheapest_label, light_terminal, sweep
from margintree.search.margin.kernels.working_tree import (
    KernelData,
    clear_below,
    lift,
    rows_below,
)
from margintree.search.margin.kicks import KICKS, rebuild
from margintree.search.margin.leaf_groups import groups_in_leaves, improve_groups, lay, new_groups
from margintree.search.margin.local_search import LocalSearch
from margintree.search.margin.many_rows import Refiner


@cache
def compile_kernels(*, many_rows: bool, leaf_groups: bool, rules: bool = False) -> None:
    """Run kernels once on a toy problem, so that compilation does not count against a time limit.

    This takes a moment if the kernels are on disk, and no time if this process did it before.
    Kernels for many rows, for leaf groups and for rules can be left out.
    """
    with compilation_notice():
        with collector_paused():
            is_first_time = _is_first_time()
        with nullcontext() if is_first_time else collector_paused():
            with other_process(compile_refit, leaf_groups) if is_first_time else nullcontext():
                compile_sweep()
            compile_refit(leaf_groups)  # loads the kernels that the other process has compiled
            _run_small(rules)
            if many_rows:
                _run_large()


def compile_sweep() -> None:
    """Compile the half of the kernels that searches for splits."""
    local = LocalSearch(_toy_data())
    local.propose(1, np.arange(2), np.array([-1.0, 1.0]))
    sweep(local.data, local.working, local.state, 1, np.full((4, 6), 0.5))


def compile_refit(leaf_groups: bool) -> None:
    """Compile the half of the kernels that updates and polishes a tree, and those for leaf groups.

    Kernels that both halves need come first here, in the order in which `compile_sweep` gets to
    them: it finds them on disk. Nothing here sweeps, since the sweep takes longest to compile.
    """
    local = LocalSearch(_toy_data())
    data, working, row = local.data, local.working, local.data.pull
    local.settle()
    best_step(row, row, row, row, row, data.eps, 1.0)
    best_intercept(row, row, row, row, row, data.eps, data.least_mass)
    set_hyperplane(data, working, 1, np.arange(2), row, 0.0, 1.0)
    clear_below(working, 1)
    cheapest_label(data, np.arange(2), 1)
    lift(working, 2, 1)
    light_terminal(data, working, local.state.terminals)
    local.polish()
    if leaf_groups:
        groups = new_groups(local, groups_in_leaves(local))
        improve_groups(local, groups)
        lay(local, groups)


def _is_first_time() -> bool:
    """Tell whether kernels must be compiled, judging by the smallest one."""
    rows_below(np.ones(1, dtype=np.int64), 1)
    stats = getattr(rows_below, "stats", None)  # there are none where compilation is off
    return stats is not None and bool(stats.cache_misses)


def _toy(rules: bool = False) -> Problem:
    X = [[0.0, 0.1], [0.2, 0.9], [0.5, 0.5], [0.8, 0.2], [0.9, 0.7], [1.0, 1.0]]
    toy = Problem.from_data(X, [0, 1, 2, 0, 1, 2], n_classes=3, depth=2)
    return toy.with_rules(1, 2) if rules else toy


def _toy_data(rules: bool = False) -> KernelData:
    toy = _toy(rules)
    return make_kernel_data(toy, gram_of(toy))


def _run_small(rules: bool) -> None:
    problem = _toy(rules)
    chain = Chain(number=1, seed=0, origin=None, scale=4.0, max_iterations=2)
    local = LocalSearch(_toy_data(rules))
    run_chain(local, chain, Parts(), [problem.y], Clock(np.inf).is_over)
    for kick in KICKS:
        local.clear(4.0)
        rebuild(local, 1, problem.y)
        kick(local, 1, problem.y)


def _run_large() -> None:
    problem = _toy()
    local = LocalSearch(_toy_data())
    local.clear(4.0)
    local.part(1, np.where(problem.X[:, 0] > 0.6, 1.0, -1.0))
    data = make_kernel_data(problem, NO_GRAM)
    refiner = Refiner(problem, data, to_tree(problem, local.working))
    refiner.sweep()
    refiner.price()
