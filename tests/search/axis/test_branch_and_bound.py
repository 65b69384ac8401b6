"""The native exact method, against enumeration, solvers, ConTree and the clock."""

import signal
import threading
from itertools import pairwise

import numpy as np
import pytest

import folds
from margintree._lib.exceptions import InvalidInputError
from margintree.core.judges import price_errors
from margintree.core.limits import Limits
from margintree.core.problem import Costs, Problem
from margintree.core.result import Reason
from margintree.core.rules import Shape
from margintree.core.tree import ObliqueTree
from margintree.exact.solvers import SOLVERS
from margintree.methods import fit_oct
from margintree.search.axis.branch_and_bound import branch_and_bound
from margintree.search.axis.cart import grow
from margintree.study.references import REFERENCES
from margintree.testing.error_oracles import cheapest_axis_tree, tiny_axis_problem

MILP = {name: solver for name, solver in SOLVERS.items() if solver.status().installed}


def check(problem, shape, result):
    """Assert all that must hold of any result."""
    cost = price_errors(problem, shape, result.tree)
    assert result.objective == cost.total
    assert cost.is_allowed
    assert result.bound <= result.objective * (1 + 1e-9)
    assert (result.limit is None) == (result.reason is not Reason.LIMIT)
    assert (result.reason is Reason.OPTIMAL) <= result.is_optimal
    for before, after in pairwise(result.trace):
        assert after.objective <= before.objective * (1 + 1e-9)
        assert after.bound >= before.bound * (1 - 1e-9)
    assert result.tree.leaf_mass.sum() == pytest.approx(problem.row_weights.sum())


@pytest.mark.parametrize("seed", range(60))
def test_it_finds_what_enumeration_finds(seed):
    """Up to depth 3, with weights, equal rows, a least weight of leaves and a price of splits."""
    problem, shape = tiny_axis_problem(np.random.default_rng([7, seed]), max_depth=3)
    result = branch_and_bound(problem, shape, Limits(gap=0.0))
    check(problem, shape, result)
    assert result.reason is Reason.OPTIMAL
    assert result.objective == pytest.approx(cheapest_axis_tree(problem, shape))
    assert result.bound == result.objective


@pytest.mark.parametrize("solver", MILP)
@pytest.mark.parametrize("seed", range(26))
def test_the_model_finds_what_enumeration_finds(seed, solver):
    """Enumeration, the mixed-integer model on every solver and the judge agree."""
    problem, shape = tiny_axis_problem(np.random.default_rng([9, seed]))
    result = fit_oct(problem, shape, method="exact", solver=solver, limits=Limits(seconds=60))
    check(problem, shape, result)
    assert result.reason is Reason.OPTIMAL
    assert result.objective == pytest.approx(cheapest_axis_tree(problem, shape), abs=1e-9)


def middling(seed):
    """Return 20 to 60 rows on a coarse grid, labelled by a tree with some noise."""
    rng = np.random.default_rng([11, seed])
    X = rng.integers(0, 5, (20 + seed * 40 // 29, 2)).astype(float)
    y = np.where(X[:, 0] > 2, X[:, 1] > 1, X[:, 1] > 3).astype(int)
    y[rng.random(len(y)) < 0.04] = 2 if seed % 2 else 0
    costs = Costs(errors=1.0, splits=float(rng.choice([0.2, 0.5])))
    problem = Problem.from_data(X, y, n_classes=3, depth=2, costs=costs)
    return problem, Shape.of(problem, float(rng.choice([0.0, 0.05])), rng.choice([None, 2]))


@pytest.mark.parametrize("seed", range(30))
def test_it_finds_what_the_model_finds(seed):
    """At depth 2 on 20 to 60 rows, HiGHS proves the very same cost."""
    problem, shape = middling(seed)
    native = branch_and_bound(problem, shape)
    exact = fit_oct(problem, shape, method="exact", solver="highs", limits=Limits(seconds=120))
    check(problem, shape, native)
    assert native.is_optimal
    assert exact.is_optimal
    assert native.objective == pytest.approx(exact.objective)


@pytest.mark.parametrize("name", folds.NAMES)
@pytest.mark.parametrize("depth", [2, 3])
def test_it_makes_as_many_errors_as_contree(name, depth, shared_data):
    """On every training fold of the study, without a least weight or a price of splits."""
    contree = REFERENCES["contree"]
    if contree.why_missing():
        pytest.skip(contree.why_missing())
    X, y = folds.training_fold(name, shared_data)
    costs = Costs(errors=1.0, splits=0.0)
    problem = Problem.from_data(X, y, n_classes=y.max() + 1, depth=depth, costs=costs)
    result = branch_and_bound(problem, Shape.of(problem))
    theirs = contree.classifier(max_depth=depth).fit(X, y).predict(X)
    assert result.is_optimal
    assert result.objective == (theirs != y).sum()


@pytest.mark.parametrize("name", folds.NAMES)
@pytest.mark.parametrize("max_splits", [3, 5, None])
def test_it_proves_every_fold_of_the_study(name, max_splits, shared_data):
    """With at least 5% of the rows in a leaf and any number of splits; never worse than CART."""
    X, y = folds.training_fold(name, shared_data)
    problem = Problem.from_data(X, y, n_classes=y.max() + 1, depth=3)
    shape = Shape.of(problem, 0.05, max_splits)
    result = branch_and_bound(problem, shape, Limits(seconds=30))
    check(problem, shape, result)
    assert result.reason is Reason.OPTIMAL
    assert all(point.bound <= result.objective for point in result.trace)
    assert result.objective <= price_errors(problem, shape, grow(problem, shape)).total


def hard():
    """Return a problem on which a proof takes far longer than any test."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 12)), rng.integers(0, 3, 400)
    problem = Problem.from_data(X, y, n_classes=3, depth=4, costs=Costs(errors=1.0, splits=0.5))
    return problem, Shape.of(problem, 0.02)


def test_a_time_limit_gives_the_best_tree_so_far():
    """Its bound is honest, and the limit is named."""
    problem, shape = hard()
    result = branch_and_bound(problem, shape, Limits(seconds=1.0))
    check(problem, shape, result)
    assert (result.reason, result.limit) == (Reason.LIMIT, "time")
    assert result.tree.n_splits > 0
    assert not result.is_optimal


@pytest.mark.parametrize("method", ["native", "exact"])
def test_no_time_still_gives_a_tree(method):
    """A limit of zero seconds returns the tree without splits, or a start."""
    problem, shape = hard()
    limits = Limits(seconds=0)
    result = fit_oct(problem, shape, method=method, limits=limits)
    check(problem, shape, result)
    assert result.tree.n_splits == 0
    start = grow(problem, shape)
    again = fit_oct(problem, shape, method=method, limits=limits, starts=[start])
    assert again.objective <= price_errors(problem, shape, start).total


@pytest.mark.parametrize("method", ["native", "exact"])
@pytest.mark.parametrize("last", [1, 2])
def test_an_interrupt_gives_the_best_tree_so_far(method, last):
    """At the first tree already, or at a later one."""
    problem, shape = hard()
    seen = []

    def stop(point):
        seen.append(point)
        if len(seen) == last:
            raise KeyboardInterrupt

    result = fit_oct(problem, shape, method=method, progress=stop)
    check(problem, shape, result)
    assert result.reason is Reason.INTERRUPTED
    assert result.trace == tuple(seen)


def test_ctrl_c_gives_the_best_tree_so_far():
    """A signal in the middle of the search is a stop, not an error."""
    problem, shape = hard()
    threading.Timer(0.5, signal.raise_signal, [signal.SIGINT]).start()
    result = branch_and_bound(problem, shape, Limits(seconds=20))
    check(problem, shape, result)
    assert result.reason is Reason.INTERRUPTED
    assert result.tree.n_splits > 0


@pytest.mark.parametrize("method", ["native", "exact"])
def test_starts_that_break_the_shape_are_not_used(method):
    """An oblique tree and one with too many splits cost less, and are not allowed."""
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    problem = Problem.from_data(X, y, n_classes=2, depth=1)
    oblique = ObliqueTree.stump([1.0, 1.0], -1.5, leaf_classes=[0, 1], n_classes=2)
    result = fit_oct(problem, Shape.of(problem), method=method, starts=[oblique])
    check(problem, Shape.of(problem), result)
    assert result.objective == 1.0


def test_other_prices_of_errors_are_refused():
    """The kernels count weight; a matrix of prices they do not know."""
    prices = [[0, 1], [2, 0]]
    problem = Problem.from_data([[0], [1]], [0, 1], n_classes=2, depth=1, error_costs=prices)
    with pytest.raises(InvalidInputError, match=r"\[\[0.0, 1.0\], \[2.0, 0.0\]\]"):
        branch_and_bound(problem, Shape.of(problem))


def test_an_unknown_method_is_refused():
    """The message names both methods and what they are for."""
    problem, shape = hard()
    with pytest.raises(InvalidInputError, match=r"'native', 'exact'.*'magic' was given"):
        fit_oct(problem, shape, method="magic")


def test_what_is_too_large_for_a_model_is_refused():
    """The message says what to do instead."""
    X = np.arange(4000.0)[:, None]
    problem = Problem.from_data(X, np.arange(4000) % 2, n_classes=2, depth=9)
    with pytest.raises(InvalidInputError, match="Use method='native'"):
        fit_oct(problem, Shape.of(problem), method="exact")
