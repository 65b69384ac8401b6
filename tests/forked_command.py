"""The command in processes that are forked from one with everything loaded, so a start is cheap."""

import multiprocessing
import os
import sys
from importlib import import_module
from multiprocessing import forkserver
from unittest import mock

from margintree.cli import main
from margintree.search.margin.compilation import compile_kernels

# What a fit imports on first use.
for room in ("estimators.modelfile", "data.tables", "exact.solvers.scip", "cli._view"):
    import_module(f"margintree.{room}")
import_module("pyscipopt")
compile_kernels(many_rows=False, leaf_groups=True)


def start(*arguments: object) -> multiprocessing.Process:
    """Start the command with these arguments; what it prints is lost, its exit code is not."""
    _serve()
    context = multiprocessing.get_context("forkserver")
    process = context.Process(target=_run, args=([*map(str, arguments)],))
    process.start()
    return process


def _serve() -> None:
    """Start the process that is forked, unless it runs."""
    forkserver.set_forkserver_preload([__name__])
    # The server of Python 3.11 looks for what it is to load in the variable only.
    with mock.patch.dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path)):
        forkserver.ensure_running()


def _run(arguments: list[str]) -> None:
    sys.argv = ["margintree", *arguments]
    with open(os.devnull, "w") as nowhere:
        sys.stdout = nowhere
        main()
