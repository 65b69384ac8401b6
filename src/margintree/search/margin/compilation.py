"""Compiling the kernels before the clock starts, and telling the user when that takes a while.

Kernels are kept on disk. Where none is there yet, two processes compile one half each: numba
compiles one function at a time in a process, however many threads ask for it.
"""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import cache
from pathlib import Path

import joblib
import numpy as np

import margintree
from margintree._lib.collector import collector_paused
from margintree.core.limits import Clock
from margintree.core.problem import Problem
from margintree.search.margin.chain import Chain, Parts, run_chain
from margintree.search.margin.kernel_data import NO_GRAM, gram_of, make_kernel_data, to_tree
from margintree.search.margin.kernels.line_search import best_step
from margintree.search.margin.kernels.sweep import cheapest_label, sweep
from margintree.search.margin.kernels.working_tree import KernelData, lift, rows_below
from margintree.search.margin.kicks import KICKS, rebuild
from margintree.search.margin.leaf_groups import LEAST_DESCENTS, rearrange
from margintree.search.margin.local_search import LocalSearch
from margintree.search.margin.many_rows import Refiner

PATIENCE = 1.5
"""Seconds after which the user is told what is going on."""
NOTICE = "margintree: compiling kernels (up to half a minute; they are kept for all later fits)"
LONGEST_WAIT = 60.0
"""Seconds after which this process compiles what the other has not."""


@cache
def compile_kernels(*, many_rows: bool, leaf_groups: bool) -> None:
    """Run kernels once on a toy, so that compilation costs nobody's time limit.

    This takes a moment where the kernels are on disk, and nothing when it was done before in this
    process. Those for many rows and those for leaf groups can be left out.
    """
    notice = threading.Timer(PATIENCE, print, args=[NOTICE], kwargs={"file": sys.stderr})
    notice.daemon = True
    notice.start()
    try:
        with collector_paused():
            is_first_time = _is_first_time()
        is_shared = is_first_time and _may_start_python()
        with nullcontext() if is_first_time else collector_paused():
            with _other_process(leaf_groups) if is_shared else nullcontext():
                compile_sweep()
            compile_refit(leaf_groups)  # which finds on disk what the other process has compiled
            _run_small()
            if many_rows:
                _run_large()
    finally:
        notice.cancel()


def compile_sweep() -> None:
    """Compile the half of the kernels that looks for splits."""
    local = LocalSearch(_toy_data())
    local.propose(1, np.arange(2), np.array([-1.0, 1.0]))
    sweep(local.data, local.working, local.state, 1, np.full((4, 6), 0.5))


def compile_refit(leaf_groups: bool) -> None:
    """Compile the half of the kernels that keeps a tree up to date and polishes it.

    Those that lay it out belong to this half, too, where they are asked for.

    What both halves need and `compile_sweep` comes to last is done first.
    """
    local = LocalSearch(_toy_data())
    data, working, row = local.data, local.working, local.data.pull
    local.settle()
    best_step(row, row, row, row, row, data.eps, 1.0)
    cheapest_label(data, np.arange(2), 1)
    lift(working, 2, 1)
    local.polish()
    if leaf_groups:
        rearrange(local, np.inf, LEAST_DESCENTS)


def _is_first_time() -> bool:
    """Tell whether kernels must be compiled, by the smallest of them."""
    rows_below(np.ones(1, dtype=np.int64), 1)
    stats = getattr(rows_below, "stats", None)  # there are none where compilation is off
    return stats is not None and bool(stats.cache_misses)


def _may_start_python() -> bool:
    """Tell whether there is a core for another process, and a Python to run in it."""
    return joblib.cpu_count() > 1 and bool(sys.executable) and not hasattr(sys, "frozen")


@contextmanager
def _other_process(leaf_groups: bool) -> Iterator[None]:
    """Let another process compile its half at the same time, and wait for it at the end."""
    home = str(Path(margintree.__file__).parents[1])
    paths = os.pathsep.join([home, *filter(None, [os.environ.get("PYTHONPATH")])])
    code = f"from {__name__} import {compile_refit.__name__} as run; run({leaf_groups})"
    try:
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", code],
            env=os.environ | {"PYTHONPATH": paths},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    except OSError:  # no such program, or no room for another process
        yield
        return
    try:
        yield
        with suppress(subprocess.TimeoutExpired):
            process.wait(LONGEST_WAIT)
    finally:
        process.kill()
        process.wait()


def _toy() -> Problem:
    X = [[0.0, 0.1], [0.2, 0.9], [0.5, 0.5], [0.8, 0.2], [0.9, 0.7], [1.0, 1.0]]
    return Problem.from_data(X, [0, 1, 2, 0, 1, 2], n_classes=3, depth=2)


def _toy_data() -> KernelData:
    return make_kernel_data(_toy(), gram_of(_toy()))


def _run_small() -> None:
    problem = _toy()
    chain = Chain(number=1, seed=0, origin=None, scale=4.0, max_iterations=2)
    local = LocalSearch(_toy_data())
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
    refiner = Refiner(problem, data, to_tree(problem, local.working), seed=0)
    refiner.sweep()
    refiner.price()
