"""The search is repeatable: threads, order of rows, processor and random state do not matter."""

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from margin_searches import CLOUDS, IRIS, blobs, check, search
from margintree.core.limits import Limits, resident_memory
from margintree.core.problem import Problem
from margintree.search.margin import Parts, share


@pytest.mark.parametrize("problem", [IRIS, CLOUDS, replace(CLOUDS, margin_term="plain")])
def test_the_number_of_threads_does_not_change_the_tree(problem):
    """One, two and three threads, and a second run, give the very same numbers."""
    limits = [Limits(iterations=40, seed=3, threads=threads) for threads in (1, 2, 3, 1)]
    first, *others = [search(problem, limit) for limit in limits]
    for other in others:
        assert other.tree == first.tree
        assert other.objective == first.objective
        assert other.iterations == first.iterations
        assert [point[1:] for point in other.trace] == [point[1:] for point in first.trace]


def test_chains_with_leaf_groups_are_the_same_on_any_number_of_threads():
    """Chains that soon give up leave room for many others."""
    parts = Parts(max_failures=2)
    limits = [Limits(iterations=400, seed=3, threads=threads) for threads in (1, 2, 3)]
    first, *others = [search(IRIS, limit, parts=parts) for limit in limits]
    assert all(other.tree == first.tree for other in others)
    assert {other.iterations for other in others} == {first.iterations} == {400}


def test_another_seed_is_another_search():
    """The seed decides the course: after one descent the trees of many seeds differ."""
    costs = {search(CLOUDS, Limits(iterations=1, seed=seed)).objective for seed in range(8)}
    assert len(costs) > 1


def test_a_time_limit_only_cuts_the_search_short():
    """A search that is cut short makes fewer descents, and so finds nothing better."""
    problem = blobs(150)
    whole = search(problem, Limits(iterations=120))
    cut = search(problem, Limits(iterations=120, seconds=0.2))
    check(problem, cut)
    assert cut.iterations <= whole.iterations
    assert cut.objective >= whole.objective


def test_the_global_random_state_is_left_alone():
    """A search neither reads nor moves NumPy's global generator."""
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    search(CLOUDS, Limits(iterations=3))
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002


def test_fits_in_threads_equal_fits_in_sequence():
    """Searches side by side do not disturb each other."""
    problems = [blobs(40, seed=seed, depth=1 + seed % 3) for seed in range(6)]
    run = [Limits(iterations=15, threads=1 + k % 2) for k in range(len(problems))]
    expected = [search(problem, limits) for problem, limits in zip(problems, run, strict=True)]
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(search, problems, run))
    assert [result.tree for result in found] == [result.tree for result in expected]


def test_the_order_of_the_rows_does_not_matter():
    """Permuted rows are the same problem, and copies count as weight."""
    rng = np.random.default_rng(2)
    X, y = IRIS.X, IRIS.y
    order = rng.permutation(len(X))
    settings = {"n_classes": 3, "depth": 2, "costs": IRIS.costs}
    limits = Limits(iterations=30)
    first = search(Problem.from_data(X, y, row_weights=np.full(len(X), 2.0), **settings), limits)
    twice = np.r_[order, order[::-1]]
    other = search(Problem.from_data(X[twice], y[twice], **settings), limits)
    assert other.tree == first.tree


def test_the_names_of_the_classes_do_not_matter():
    """With classes renamed the best tree found costs the same."""
    renamed = replace(IRIS, y=np.array([2, 0, 1])[IRIS.y])
    limits = Limits(iterations=100)
    expected = search(IRIS, limits).objective
    assert search(renamed, limits).objective == pytest.approx(expected, rel=1e-6)


def test_memory_stays_steady():
    """Sixty fits of a small problem do not make the process grow."""
    for _ in range(10):
        search(CLOUDS, Limits(iterations=4, threads=2))
    before = resident_memory()
    for seed in range(60):
        search(CLOUDS, Limits(iterations=4, threads=2, seed=seed))
    assert resident_memory() - before < 8 / 1024
    assert threading.active_count() < 10


ONE_SEARCH = """
import sys
import numpy as np
from margintree.core.limits import Limits
from margintree.core.problem import Costs, Problem
from margintree.methods import MOCTSVM
from margintree.search.margin.chain import GROUP_SHARE
from margintree._lib.svm import smo
from margintree.search.margin.leaf_groups import LEAST_DESCENTS

rng = np.random.default_rng(1)
X, y = rng.random((60, 12)), rng.integers(0, 3, 60)
if sys.argv[1] == "inner first":
    sides, ones = np.where(y > 0, 1.0, -1.0), np.ones(60)
    smo(X @ X.T, sides, ones, -np.inf, np.inf, 1.0, np.zeros(60), 9, 1e-3)
problem = Problem.from_data(X, y, n_classes=3, depth=3, costs=Costs(10.0, 1.0, 0.1))
enough_for_groups = 4 * GROUP_SHARE * (1 + LEAST_DESCENTS)
tree = MOCTSVM().search(problem, Limits(iterations=enough_for_groups)).tree
print(tree.weights.tobytes().hex())
"""


def one_search(order="outer first", **environment):
    """Return the tree that a new process finds."""
    command = [sys.executable, "-c", ONE_SEARCH, order]
    environment = os.environ | environment
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return done.stdout


def test_what_searches_share_changes_no_tree():
    """Inner products, groupings and close pairs are the same when they are computed beforehand."""
    for problem in (IRIS, replace(CLOUDS, margin_term="plain")):
        limits = Limits(iterations=40, seed=3)
        alone, sharing = search(problem, limits), search(problem, limits, shared=share(problem, 3))
        assert sharing.tree == alone.tree
        assert [point[1:] for point in sharing.trace] == [point[1:] for point in alone.trace]


def test_the_order_in_which_kernels_are_loaded_does_not_change_the_tree():
    """Kernels carry copies of those they call, and the copy that is loaded first runs."""
    assert one_search("outer first") == one_search("inner first")


def test_the_processor_does_not_change_the_tree():
    """The BLAS of NumPy's wheels adds up in an order that depends on it, or on this variable.

    NumPy's own functions, too, differ between processors: its exponential does with AVX-512.
    """
    found = {one_search(OPENBLAS_CORETYPE=kind) for kind in ("Prescott", "Haswell")}
    cpu = (np._core if hasattr(np, "_core") else np.core)._multiarray_umath  # NumPy 2 or 1
    here = [name for name in cpu.__cpu_dispatch__ if cpu.__cpu_features__[name]]
    found.add(one_search(NPY_DISABLE_CPU_FEATURES=" ".join(here)))
    assert len(found) == 1
