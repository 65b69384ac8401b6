"""The loop that every native search runs in: limits, interrupts, bounds and starts."""

import time
from itertools import pairwise

import numpy as np
import pytest

from margintree import __version__
from margintree.core.limits import Limits
from margintree.core.problem import Costs, Problem
from margintree.core.result import Reason
from margintree.core.tree import ObliqueTree
from margintree.methods import CART, METHODS, MOCTSVM
from margintree.search.loop import run

PROBLEM = Problem.from_data(
    [[0.0], [0.2], [0.8], [1.0]], [0, 0, 1, 1], n_classes=2, depth=2, costs=Costs(10.0, 1.0, 0.5)
)
STUMP = ObliqueTree.stump([4.0], -2.0, leaf_classes=[0, 1], n_classes=2).deepened(2)
STEEP = ObliqueTree.stump([5.0], -2.5, leaf_classes=[0, 1], n_classes=2).deepened(2)


class Toy(MOCTSVM):
    """A method whose bound and way of getting ready a test decides."""

    def __init__(self, bound=0.0, ready=lambda: None):
        self.least, self.ready, self.shared = bound, ready, []

    def get_ready(self, *_):
        """Do what the test says."""
        self.ready()

    def bound(self, _problem, shared=None):
        """Return what the test says, and note what was shared."""
        self.shared.append(shared)
        return self.least


def nothing(*_):
    """Improve nothing."""


def interrupt(*_):
    raise KeyboardInterrupt


def forbidden(*_):
    raise AssertionError("nothing should be searched")


def best_without_splits():
    leaf = ObliqueTree.leaf(2, 1, 2)
    return MOCTSVM().judge(PROBLEM, MOCTSVM().simplify(PROBLEM, leaf)).total


def test_what_a_search_offers_is_what_is_returned():
    """Its best tree, all that it told of on the way, and who found it."""
    seen = []

    def improve(incumbent, _):
        incumbent.offer(STEEP)
        incumbent.iterations += 1
        incumbent.offer(STUMP)
        incumbent.iterations += 1
        incumbent.raise_bound(1.0)

    result = run(Toy(), PROBLEM, improve, Limits(), (), seen.append, finder="toy", version="7")
    assert result.tree.n_splits == 1
    assert result.cost == MOCTSVM().judge(PROBLEM, STUMP)
    assert (result.solver, result.version, result.iterations, result.bound) == ("toy", "7", 2, 1.0)
    assert (result.reason, result.limit) == (Reason.FINISHED, None)
    assert tuple(seen) == result.trace
    assert len(seen) == 4
    assert result.tree.leaf_mass.sum() == 4.0


def test_a_search_is_ours_unless_it_says_otherwise():
    """Results name what found them, and its version."""
    result = run(Toy(), PROBLEM, nothing, Limits())
    assert (result.solver, result.version) == ("search", __version__)


def test_an_interrupt_while_getting_ready_still_gives_a_tree():
    """Kernels take half a minute to compile; the tree without splits needs none of them."""
    result = run(Toy(ready=interrupt), PROBLEM, forbidden, Limits(), [STUMP])
    assert (result.reason, result.limit) == (Reason.INTERRUPTED, None)
    assert result.tree.n_splits == 0
    assert result.objective == best_without_splits()
    assert (result.bound, result.trace, result.iterations) == (0.0, (), 0)


def test_an_interrupt_during_the_search_keeps_the_best_tree():
    """Whether the user or a callback wants it to end."""

    def improve(incumbent, _):
        incumbent.offer(STUMP)
        raise KeyboardInterrupt

    result = run(Toy(), PROBLEM, improve, Limits())
    assert result.reason is Reason.INTERRUPTED
    assert result.cost == MOCTSVM().judge(PROBLEM, STUMP)


@pytest.mark.parametrize("cause", [KeyboardInterrupt(), ValueError()])
def test_an_interrupt_inside_a_kernel_keeps_the_best_tree_too(cause):
    """Numba turns it into an error of its own; errors with another cause are real."""

    def improve(incumbent, _):
        incumbent.offer(STUMP)
        raise SystemError("returned a result with an exception set") from cause

    if isinstance(cause, ValueError):
        with pytest.raises(SystemError):
            run(Toy(), PROBLEM, improve, Limits())
    else:
        assert run(Toy(), PROBLEM, improve, Limits()).reason is Reason.INTERRUPTED


@pytest.mark.parametrize("last", [1, 2])
def test_a_callback_may_interrupt_at_the_first_trees(last):
    """At the tree without splits, and at a start that is better."""
    seen = []

    def stop(point):
        seen.append(point)
        if len(seen) == last:
            raise KeyboardInterrupt

    result = run(Toy(), PROBLEM, forbidden, Limits(), [STUMP, STEEP], stop)
    assert result.reason is Reason.INTERRUPTED
    assert result.trace == tuple(seen)
    assert result.tree.n_splits == last - 1


def test_an_error_is_not_swallowed():
    """Only an interrupt ends a search with a result."""

    def fail(*_):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run(Toy(), PROBLEM, fail, Limits())
    with pytest.raises(ZeroDivisionError):
        run(Toy(ready=fail), PROBLEM, nothing, Limits())


def test_getting_ready_takes_nothing_of_the_time_limit():
    """Nor is it in the seconds of the result."""
    begun = []

    def improve(incumbent, _):
        begun.append(incumbent.clock.remaining())

    start = time.perf_counter()
    result = run(Toy(ready=lambda: time.sleep(0.3)), PROBLEM, improve, Limits(seconds=0.25))
    assert begun[0] > 0
    assert time.perf_counter() - start - result.seconds >= 0.29


@pytest.mark.parametrize(
    ("limits", "limit"), [(Limits(seconds=0), "time"), (Limits(memory=1e-3), "memory")]
)
def test_starts_are_looked_at_even_without_time(limits, limit):
    """They cost next to nothing, and a known tree is never made worse. Nothing is searched."""
    result = run(Toy(), PROBLEM, forbidden, limits, [STUMP])
    assert (result.reason, result.limit) == (Reason.LIMIT, limit)
    assert result.cost == MOCTSVM().judge(PROBLEM, STUMP)


def test_an_iteration_limit_is_named():
    """What it counts is up to the search."""
    result = run(Toy(), PROBLEM, nothing, Limits(iterations=3))
    assert (result.reason, result.limit) == (Reason.LIMIT, "iterations")


def test_a_bound_that_closes_the_gap_at_once_is_a_proof():
    """Neither starts nor a search are needed, even with no time at all."""
    bound = best_without_splits()
    for limits in (Limits(), Limits(seconds=0), Limits(gap=0.0)):
        result = run(Toy(bound), PROBLEM, forbidden, limits, [STUMP])
        assert (result.reason, result.limit) == (Reason.OPTIMAL, None)
        assert result.tree.n_splits == 0
        assert (result.bound, result.gap) == (bound, 0.0)
        assert [point[1:] for point in result.trace] == [(bound, bound)]


def test_a_start_that_closes_the_gap_is_a_proof():
    """The search is not begun."""
    cost = MOCTSVM().judge(PROBLEM, STUMP).total
    result = run(Toy(cost * (1 - 1e-6)), PROBLEM, forbidden, Limits(), [STUMP])
    assert result.reason is Reason.OPTIMAL
    assert result.objective == cost


def test_the_search_gets_the_starts_in_their_simplest_form():
    """As many as were given, in their order."""
    got = []
    useless = ObliqueTree.stump([1.0], 5.0, leaf_classes=[0, 0], n_classes=2).deepened(2)
    run(Toy(), PROBLEM, lambda _, starts: got.extend(starts), Limits(), [STUMP, useless])
    assert [tree.n_splits for tree in got] == [1, 0]


def test_what_is_shared_reaches_the_bound():
    """It is computed once for many costs."""
    method = Toy()
    run(method, PROBLEM, nothing, Limits(), shared="pairs")
    run(method, PROBLEM, nothing, Limits())
    assert method.shared == ["pairs", None]


@pytest.mark.parametrize("name", METHODS)
def test_every_method_searches_in_this_loop(name):
    """The judge's cost, a bound below it, falling costs, and an interrupt that gives a result."""
    method = METHODS[name]
    rng = np.random.default_rng(0)
    X = rng.random((40, 2))
    rows = Problem.from_data(X, X[:, 0] > rng.random(40), n_classes=2, depth=2)
    costs = {"c1": 10.0, "c2": 1.0, "c3": 0.1, "C": 10.0}
    own = {letter: cost for letter, cost in costs.items() if letter in method.parameters}
    problem = method.pose(rows, max_depth=2, **own)
    seen = []
    result = method.search(problem, Limits(iterations=10), progress=seen.append)
    assert result.cost == method.judge(problem, result.tree)
    assert result.cost.is_allowed
    assert 0 <= result.bound <= result.objective
    assert tuple(seen) == result.trace
    if method.name != CART.name:  # whose tree is taken as it is
        assert all(b.objective <= a.objective for a, b in pairwise(seen))
    stopped = method.search(problem, Limits(), progress=interrupt)
    assert stopped.reason is Reason.INTERRUPTED
    assert stopped.tree.n_splits == 0
    hurried = method.search(problem, Limits(seconds=0))
    expected = (Reason.FINISHED, None) if method.name == CART.name else (Reason.LIMIT, "time")
    assert (hurried.reason, hurried.limit) == expected
