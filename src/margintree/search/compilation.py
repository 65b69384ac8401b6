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
from margintree._collector import collector_paused
from margintree.limits import Clock
from margintree.problem import Problem
from margintree.search.climb import Chain, Parts, climb
from margintree.search.kernels.lines import best_step
from margintree.search.kernels.sketch import lift, rows_below
from margintree.search.kernels.sweep import cheapest_label, sweep
from margintree.search.large import Refiner
from margintree.search.layouts import LEAST_DESCENTS, rearrange
from margintree.search.moves import KICKS, rebuild
from margintree.search.task import make_task, to_tree
from margintree.search.workbench import Workbench

PATIENCE = 1.5
"""Seconds after which the user is told what is going on."""
NOTICE = "margintree: compiling kernels (up to half a minute; they are kept for all later fits)"
LONGEST_WAIT = 60.0
"""Seconds after which this process compiles what the other has not."""


@cache
def compile_kernels(*, many_rows: bool, layouts: bool) -> None:
    """Run kernels once on a toy, so that compilation costs nobody's time limit.

    This takes a moment where the kernels are on disk, and nothing when it was done before in this
    process. Those for many rows and those for layouts can be left out.
    """
    notice = threading.Timer(PATIENCE, print, args=[NOTICE], kwargs={"file": sys.stderr})
    notice.daemon = True
    notice.start()
    try:
        with collector_paused():
            is_first_time = _is_first_time()
        is_shared = is_first_time and _may_start_python()
        with nullcontext() if is_first_time else collector_paused():
            with _other_process(layouts) if is_shared else nullcontext():
                compile_sweep()
            compile_refit(layouts)  # which finds on disk what the other process has compiled
            _run_small()
            if many_rows:
                _run_large()
    finally:
        notice.cancel()


def compile_sweep() -> None:
    """Compile the half of the kernels that looks for splits."""
    bench = Workbench(make_task(_toy()))
    bench.propose(1, np.arange(2), np.array([-1.0, 1.0]))
    sweep(bench.task, bench.sketch, bench.state, 1, np.full((4, 6), 0.5))


def compile_refit(layouts: bool) -> None:
    """Compile the half of the kernels that keeps a tree up to date and polishes it.

    Those that lay it out belong to this half, too, where they are asked for.

    What both halves need and `compile_sweep` comes to last is done first.
    """
    bench = Workbench(make_task(_toy()))
    task, sketch, row = bench.task, bench.sketch, bench.task.pull
    bench.settle()
    best_step(row, row, row, row, row, task.eps, 1.0)
    cheapest_label(task, np.arange(2), 1)
    lift(sketch, 2, 1)
    bench.polish()
    if layouts:
        rearrange(bench, np.inf, LEAST_DESCENTS)


def _is_first_time() -> bool:
    """Tell whether kernels must be compiled, by the smallest of them."""
    rows_below(np.ones(1, dtype=np.int64), 1)
    stats = getattr(rows_below, "stats", None)  # there are none where compilation is off
    return stats is not None and bool(stats.cache_misses)


def _may_start_python() -> bool:
    """Tell whether there is a core for another process, and a Python to run in it."""
    return joblib.cpu_count() > 1 and bool(sys.executable) and not hasattr(sys, "frozen")


@contextmanager
def _other_process(layouts: bool) -> Iterator[None]:
    """Let another process compile its half at the same time, and wait for it at the end."""
    home = str(Path(margintree.__file__).parents[1])
    paths = os.pathsep.join([home, *filter(None, [os.environ.get("PYTHONPATH")])])
    code = f"from {__name__} import {compile_refit.__name__} as run; run({layouts})"
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


def _run_small() -> None:
    problem = _toy()
    chain = Chain(number=1, seed=0, origin=None, scale=4.0, max_iterations=2)
    bench = Workbench(make_task(problem))
    climb(bench, chain, Parts(), [problem.y], Clock(np.inf).is_over)
    for kick in KICKS:
        bench.clear(4.0)
        rebuild(bench, 1, problem.y)
        kick(bench, 1, problem.y)


def _run_large() -> None:
    problem = _toy()
    bench = Workbench(make_task(problem))
    bench.clear(4.0)
    bench.part(1, np.where(problem.X[:, 0] > 0.6, 1.0, -1.0))
    task = make_task(problem, with_gram=False)
    refiner = Refiner(problem, task, to_tree(problem, bench.sketch), seed=0)
    refiner.sweep()
    refiner.price()
