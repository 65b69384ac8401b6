"""Compiling the kernels before the clock starts, and telling the user when that takes a while."""

import sys
import threading
from functools import cache

import numpy as np

from margintree.limits import Clock
from margintree.problem import Problem
from margintree.search.climb import Chain, Parts, climb
from margintree.search.groupings import make_groupings
from margintree.search.large import Refiner
from margintree.search.moves import KICKS, rebuild
from margintree.search.task import make_task, to_tree
from margintree.search.workbench import Workbench

PATIENCE = 1.5
"""Seconds after which the user is told what is going on."""
NOTICE = "margintree: compiling its kernels (about half a minute, once per installation)"


@cache
def compile_kernels(many_rows: bool) -> None:
    """Run every kernel once on a toy, so that compilation costs nobody's time limit.

    Kernels are kept on disk, so this takes a moment in every process but the first, and nothing
    when it was done before in this process.
    """
    notice = threading.Timer(PATIENCE, print, args=[NOTICE], kwargs={"file": sys.stderr})
    notice.daemon = True
    notice.start()
    try:
        _run_small()
        if many_rows:
            _run_large()
    finally:
        notice.cancel()


def _toy() -> Problem:
    X = [[0.0, 0.1], [0.2, 0.9], [0.5, 0.5], [0.8, 0.2], [0.9, 0.7], [1.0, 1.0]]
    return Problem.from_data(X, [0, 1, 2, 0, 1, 2], n_classes=3, depth=2)


def _run_small() -> None:
    problem = _toy()
    chain = Chain(number=1, seed=0, origin=None, scale=4.0, max_iterations=3)
    bench = Workbench(make_task(problem))
    climb(bench, chain, Parts(), make_groupings(problem, 0), Clock(np.inf).is_over)
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
