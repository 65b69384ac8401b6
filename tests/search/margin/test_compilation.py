"""Kernels are compiled once, by two processes side by side."""

import os
import subprocess
import sys

import pytest

from margintree._lib.first_fit import _may_start_python
from margintree.search.margin.compilation import compile_kernels

SHORT, LONG = 20, 400
"""Iterations of a search that is too short to improve leaf groups, and of one that does."""

FIRST_FIT = """
import sys
import numpy as np
from margintree.core.limits import Limits
from margintree.core.problem import Costs, Problem
from margintree.methods import MOCTSVM
from margintree.search.margin.kernels.leaf_groups import arrange
from margintree.search.margin.kernels.sweep import refit
from margintree.search.margin.kernels.sweep import sweep

rng = np.random.default_rng(1)
X, y = rng.random((60, 5)), rng.integers(0, 3, 60)
problem = Problem.from_data(X, y, n_classes=3, depth=3, costs=Costs(10.0, 1.0, 0.1))
limits = Limits(iterations=int(sys.argv[1]))
print(MOCTSVM().search(problem, limits).tree.weights.tobytes().hex())
kernels = sweep, refit, arrange
print([sum(kernel.stats.cache_misses.values()) for kernel in kernels if kernel.signatures])
"""


def first_fit(cache, iterations):
    """Return the tree of a new process, and how often it compiled the largest kernels it loaded."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache)}
    command = [sys.executable, "-c", FIRST_FIT, str(iterations)]
    output = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return output.stdout.splitlines()


@pytest.mark.skipif(not _may_start_python(), reason="there is one core only")
def test_two_processes_compile_one_half_each(tmp_path):
    """The first process leaves half of the kernels to another; the next finds all on disk."""
    tree, compiled = first_fit(tmp_path, LONG)
    assert compiled == "[1, 0, 0]"
    assert first_fit(tmp_path, LONG) == [tree, "[0, 0, 0]"]


@pytest.mark.skipif(not _may_start_python(), reason="there is one core only")
def test_kernels_of_leaf_groups_are_compiled_when_they_are_needed(tmp_path):
    """A short search does without them; a longer one compiles them alone."""
    assert first_fit(tmp_path, SHORT)[1] == "[1, 0]"
    assert first_fit(tmp_path, LONG)[1] == "[0, 0, 1]"


def test_nothing_is_started_where_kernels_are_on_disk():
    """A second call in a new process reads them."""
    compile_kernels(many_rows=False, leaf_groups=True)
    code = (
        "from margintree.search.margin.compilation import _is_first_time; print(_is_first_time())"
    )
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout
    assert output == "False\n"


def test_loading_kernels_leaves_numba_unprepared_to_compile():
    """What it has to know for that is loaded by whoever compiles something, and is all there."""
    compile_kernels(many_rows=False, leaf_groups=False)
    code = """
import sys
import numba, numpy
from margintree import MOCTSVMClassifier
MOCTSVMClassifier(max_iter=4).fit([[0.0], [0.2], [0.7], [1.0]], [0, 0, 1, 1])
print("numba.np.arraymath" in sys.modules, end=" ")
print(numba.njit(lambda x: x.sum())(numpy.ones(3)))
"""
    output = subprocess.run(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    assert output == "False 3.0\n"


@pytest.mark.parametrize(
    "fit",
    [
        "MOCTSVMClassifier(max_depth=1, max_iter=2).fit(X, y)",
        "MOCTSVMClassifier(max_depth=2, max_iter=300).fit(X[:60], y[:60])",
        "OCTClassifier(max_depth=2).fit(X[:60], y[:60])",
        "OCTHClassifier(max_depth=2, max_iter=2).fit(X[:60], y[:60])",
    ],
    ids=["many rows", "leaf groups", "one feature", "few features"],
)
def test_kernels_from_disk_are_complete(fit):
    """A process that compiles nothing finds all that its kernels call, and the same tree."""
    code = f"""
import numpy
from margintree import MOCTSVMClassifier, OCTClassifier, OCTHClassifier
X = numpy.random.default_rng(0).random((1500, 2))
y = X[:, 0] > X[:, 1]
print({fit}.tree_.weights.tobytes().hex())
"""
    trees = [
        subprocess.run(
            [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True
        ).stdout
        for _ in range(2)
    ]
    assert trees[0] == trees[1]
