"""Search and exact solvers put together."""

import time
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from margintree.methods.fit import fit_tree

from margintree import fit
from margintree._lib.exceptions import InvalidInputError, SolverMissingError
from margintree.core.judges import price_margins
from margintree.core.limits import Limits, resident_memory
from margintree.core.problem import Costs, Problem
from margintree.core.result import Reason, TracePoint
from margintree.exact.solve import RESTART_BELOW, solve_exactly
from margintree.exact.solvers import Outcome
from margintree.search.margin import engine, search
from margintree.testing.instances import INSTANCES, tiny_problem
from margintree.testing.margin_oracles import cheapest_tree

PROBLEMS = {instance.name: instance.problem() for instance in INSTANCES}
CLOUDS = PROBLEMS["cloudsD=2(1,1,0.1)"]


@pytest.fixture
def poor_search(monkeypatch):
    """Make the search before an exact solve return the tree without splits."""
    properly = fit._MarginTrees.first

    def no_iterations(model, limits, starts, progress):
        return properly(model, replace(limits, iterations=0), starts, progress)

    monkeypatch.setattr(fit._MarginTrees, "first", no_iterations)


def hard():
    """Return a problem on which a proof takes far longer than any test."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 2)), rng.integers(0, 4, 80)
    return Problem.from_data(X, y, n_classes=4, depth=3, costs=Costs(10.0, 1.0, 0.1))


def falls(numbers):
    """Tell whether numbers never rise, but for the tolerance of a solver."""
    return all(after <= before + 1e-4 * abs(before) for before, after in pairwise(numbers))


def check(problem, result):
    """Assert all that must hold of any result."""
    cost = price_margins(problem, result.tree)
    assert result.objective == cost.total
    assert cost.is_allowed
    assert result.bound <= result.objective
    assert (result.limit is None) == (result.reason is not Reason.LIMIT)
    assert (result.reason is Reason.OPTIMAL) <= result.is_optimal
    assert falls([point.objective for point in result.trace])
    assert falls([-point.bound for point in result.trace])
    assert result.tree.leaf_mass.sum() == pytest.approx(problem.row_weights.sum())


@pytest.mark.parametrize("seed", range(12))
def test_a_claim_of_optimality_is_true(seed):
    """Enumeration agrees with every proof, and the exact method always has one here."""
    problem = tiny_problem(np.random.default_rng([23, seed]))
    optimum = cheapest_tree(problem).cost
    found = fit_tree(problem, method="exact", limits=Limits(seconds=60, iterations=20))
    check(problem, found)
    assert found.is_optimal
    assert found.reason is Reason.OPTIMAL
    assert found.objective <= optimum * (1 + found.gap_limit)
    assert found.bound <= optimum * (1 + 1e-5)


@pytest.mark.parametrize("seed", [0, 5])
def test_optimal_is_said_only_of_a_closed_gap(seed):
    """A solver's tree that the judge prices above its bound by more than the gap is not proved."""
    problem = tiny_problem(np.random.default_rng([23, seed]))
    check(problem, fit_tree(problem, method="exact", limits=Limits(iterations=20, gap=1e-6)))


@pytest.mark.parametrize("name", ["irisD=1(10,1,1)", "wineD=1(10,1,1)", "cloudsD=2(1,1,0.1)"])
def test_the_exact_method_is_never_worse_than_the_search(name):
    """It starts from the search's tree and begins its trace with that of the search."""
    problem = PROBLEMS[name]
    limits = Limits(seconds=5, iterations=8)
    searched = fit_tree(problem, limits=limits)
    exact = fit_tree(problem, method="exact", limits=limits)
    check(problem, searched)
    check(problem, exact)
    assert exact.objective <= searched.objective
    assert exact.bound >= searched.bound
    assert searched.solver == "search"
    assert exact.solver == "scip"
    assert exact.iterations > 0
    assert exact.trace[0].objective == searched.trace[0].objective


def test_a_search_that_proves_its_tree_needs_no_solver(monkeypatch):
    """One class: the tree without splits costs nothing, and no program is built."""
    monkeypatch.setattr(fit, "build", None)
    problem = Problem.from_data([[0.0], [1.0]], [0, 0], n_classes=1, depth=2)
    result = fit_tree(problem, method="exact")
    assert result.reason is Reason.OPTIMAL
    assert result.objective == 0.0


class LateSolver:
    """Finds a much better solution when time is over, and then does as it is told."""

    name = "late"

    def solve(self, program, limits, start, progress, _found):
        """Return the start."""
        time.sleep(limits.seconds)
        with pytest.raises(KeyboardInterrupt):
            progress(TracePoint(limits.seconds, 0.0, -np.inf))
        cost = program.evaluate(start)
        how = (Reason.INTERRUPTED, None, (), self.name, "1.0", limits.seconds)
        return Outcome(start, cost, -np.inf, *how)


def test_a_solve_that_is_stopped_too_late_to_start_anew_struck_its_limit():
    """Nobody interrupted it."""
    limits = Limits(seconds=0.3, iterations=1)
    result = solve_exactly(fit._MarginTrees(CLOUDS), LateSolver(), limits)
    check(CLOUDS, result)
    assert (result.reason, result.limit) == (Reason.LIMIT, "time")


@pytest.mark.usefixtures("poor_search")
def test_a_much_better_tree_starts_the_solve_anew(monkeypatch):
    """From a poor start the program is built again, with smaller big-Ms, and all is still right."""
    uppers = []
    build = fit.build

    def noted(problem, upper, *rest):
        uppers.append(upper)
        return build(problem, upper, *rest)

    monkeypatch.setattr(fit, "build", noted)
    problem = PROBLEMS["irisD=1(10,1,1)"]
    seen = []
    limits = Limits(seconds=60)
    result = fit_tree(problem, method="exact", limits=limits, progress=seen.append)
    check(problem, result)
    assert len(uppers) > 1
    shares = [after / before for before, after in pairwise(uppers)]
    assert max(shares) < RESTART_BELOW * (1 + 1e-6)
    assert result.is_optimal
    assert result.objective == pytest.approx(search(problem).objective, rel=1e-4)
    assert falls([point.objective for point in seen])


@pytest.mark.parametrize("method", ["search", "exact"])
def test_a_start_is_never_made_worse(method):
    """A known tree is at least kept, even in no time at all."""
    known = fit_tree(CLOUDS, limits=Limits(iterations=60))
    for seconds in (0.0, 3.0):
        limits = Limits(seconds=seconds, iterations=1)
        result = fit_tree(CLOUDS, method=method, limits=limits, starts=[known.tree])
        check(CLOUDS, result)
        assert result.objective <= known.objective


def test_the_time_limit_covers_search_and_solve():
    """The solver stops when the time of both is over, and the limit is named."""
    fit_tree(CLOUDS, method="exact", limits=Limits(seconds=1, iterations=1))
    problem = hard()
    result = fit_tree(problem, method="exact", limits=Limits(seconds=3))
    check(problem, result)
    assert (result.reason, result.limit) == (Reason.LIMIT, "time")
    assert result.tree.n_splits > 0


@pytest.mark.parametrize("method", ["search", "exact"])
def test_compilation_takes_nothing_of_the_time_limit(method, monkeypatch):
    """The seconds of a result, which limits are compared with, do not have it."""
    monkeypatch.setattr(engine, "compile_kernels", lambda **_: time.sleep(0.5))
    start = time.perf_counter()
    result = fit_tree(CLOUDS, method=method, limits=Limits(iterations=1, nodes=1))
    assert time.perf_counter() - start - result.seconds >= 0.5


@pytest.mark.parametrize("method", ["search", "exact"])
def test_no_time_still_gives_a_tree(method):
    """A limit of zero seconds returns the tree without splits."""
    result = fit_tree(CLOUDS, method=method, limits=Limits(seconds=0))
    check(CLOUDS, result)
    assert (result.reason, result.limit) == (Reason.LIMIT, "time")


@pytest.mark.parametrize("solver", ["scip", "highs"])
@pytest.mark.parametrize("method", ["search", "exact"])
def test_no_memory_still_gives_a_tree(method, solver):
    """A process that takes too much from the start returns at once, and begins no solve."""
    result = fit_tree(CLOUDS, method=method, solver=solver, limits=Limits(memory=0.01))
    check(CLOUDS, result)
    assert (result.reason, result.limit) == (Reason.LIMIT, "memory")
    assert result.iterations == 0


@pytest.mark.parametrize("solver", ["scip", "highs"])
def test_memory_that_fills_up_after_the_search_ends_the_solve(monkeypatch, solver):
    """The solver gives the tree of the search back, and names the limit."""
    first = fit_tree(CLOUDS, limits=Limits(iterations=5))
    build, hoard = fit.build, []

    def build_and_fill(*given):
        hoard.append(np.ones(2**26))  # half a GiB
        return build(*given)

    monkeypatch.setattr("margintree.methods.fit.build", build_and_fill)
    limits = Limits(memory=resident_memory() + 0.4, iterations=5)
    result = fit_tree(CLOUDS, method="exact", solver=solver, limits=limits)
    check(CLOUDS, result)
    assert (result.reason, result.limit, result.solver) == (Reason.LIMIT, "memory", solver)
    assert (result.tree, result.iterations) == (first.tree, first.iterations)


def interrupting(is_reached):
    """Return a callback that interrupts once, as soon as a point satisfies the condition."""
    seen = []

    def stop(point):
        seen.append(point)
        if is_reached(point):
            raise KeyboardInterrupt

    return stop, seen


def test_an_interrupt_during_the_search_ends_the_fit():
    """No solve is begun after the user has stopped the search."""
    stop, seen = interrupting(lambda _: len(seen) == 2)
    result = fit_tree(CLOUDS, method="exact", limits=Limits(seconds=30), progress=stop)
    check(CLOUDS, result)
    assert result.reason is Reason.INTERRUPTED
    assert result.trace == tuple(seen)


def test_an_interrupt_during_the_solve_returns_the_best_tree():
    """The solver's bound so far is kept."""
    problem = hard()
    first = fit_tree(problem, limits=Limits(iterations=5))
    stop, _ = interrupting(lambda point: point.bound > first.bound)
    result = fit_tree(
        problem, method="exact", limits=Limits(seconds=60, iterations=5), progress=stop
    )
    check(problem, result)
    assert result.reason is Reason.INTERRUPTED
    assert result.objective <= first.objective
    assert result.bound > first.bound


def test_an_interrupt_before_the_solver_runs_keeps_the_tree_of_the_search(monkeypatch):
    """While the program is built, Ctrl-C is not yet the solver's to handle."""
    first = fit_tree(CLOUDS, limits=Limits(iterations=5))

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("margintree.methods.fit.build", interrupt)
    result = fit_tree(CLOUDS, method="exact", limits=Limits(iterations=5))
    check(CLOUDS, result)
    assert result.reason is Reason.INTERRUPTED
    assert result.tree == first.tree


def test_an_unknown_method_is_refused():
    """The message names both methods and what they are for."""
    with pytest.raises(InvalidInputError, match=r"'search', 'exact'.*'magic' was given.*proof"):
        fit_tree(CLOUDS, method="magic")


def test_an_unknown_solver_is_refused_before_the_search():
    """The message names the solvers there are; nothing is searched first."""
    with pytest.raises(SolverMissingError, match=r"'cplex'|'scip'"):
        fit_tree(CLOUDS, method="exact", solver="cplex", limits=Limits(iterations=10**9))


def test_what_is_too_large_for_a_proof_is_refused():
    """The message says how large the model would be and what to do instead."""
    X = np.arange(4000.0)[:, None]
    problem = Problem.from_data(X, np.arange(4000) % 2, n_classes=2, depth=9)
    with pytest.raises(
        InvalidInputError, match=r"4000 rows and 1 features at depth 9.*Use method='search'"
    ):
        fit_tree(problem, method="exact")
