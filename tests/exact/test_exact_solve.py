"""The exact path: a first tree, a program, a solver and a judge put together."""

import time
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from margintree._lib.exceptions import InvalidInputError, SolverMissingError
from margintree.core.cost import Cost
from margintree.core.judges import price_margins
from margintree.core.limits import Limits, resident_memory
from margintree.core.problem import Costs, Problem
from margintree.core.result import Reason, TracePoint
from margintree.core.rules import Rules
from margintree.core.tree import ObliqueTree
from margintree.exact.exact_solve import RESTART_BELOW, solve_exactly
from margintree.exact.solvers import Outcome
from margintree.methods import CART, METHODS, MOCTSVM, OCT, OCTH, OCTSVM
from margintree.methods.solve import How, solve
from margintree.search.margin import engine
from margintree.testing.instances import INSTANCES, tiny_problem
from margintree.testing.margin_oracles import cheapest_tree

PROBLEMS = {instance.name: instance.problem() for instance in INSTANCES}
CLOUDS = PROBLEMS["cloudsD=2(1,1,0.1)"]


def fit(problem, method="search", **options):
    """Return the result of MOCTSVM; an exact one by SCIP."""
    return solve(MOCTSVM(), problem, How(method, **{"solver": "scip"} | options))


def use_build(monkeypatch, build):
    """Let the formulation of MOCTSVM build its programs otherwise."""
    formulation = replace(MOCTSVM.formulation, build=build)
    monkeypatch.setattr(MOCTSVM, "formulation", formulation)


@pytest.fixture
def poor_search(monkeypatch):
    """Make the search before an exact solve return the tree without splits."""

    def no_iterations(method, problem, limits, starts=(), progress=None):
        return method.search(problem, replace(limits, iterations=0), starts, progress)

    monkeypatch.setattr(MOCTSVM, "start", no_iterations)


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
    assert result.cost == cost
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
    found = fit(problem, method="exact", limits=Limits(seconds=60, iterations=20))
    check(problem, found)
    assert found.is_optimal
    assert found.reason is Reason.OPTIMAL
    assert found.objective <= optimum * (1 + found.gap_limit)
    assert found.bound <= optimum * (1 + 1e-5)


@pytest.mark.parametrize("seed", [0, 5])
def test_optimal_is_said_only_of_a_closed_gap(seed):
    """A solver's tree that the judge prices above its bound by more than the gap is not proved."""
    problem = tiny_problem(np.random.default_rng([23, seed]))
    check(problem, fit(problem, method="exact", limits=Limits(iterations=20, gap=1e-6)))


@pytest.mark.parametrize("name", ["irisD=1(10,1,1)", "wineD=1(10,1,1)", "cloudsD=2(1,1,0.1)"])
def test_the_exact_method_is_never_worse_than_the_search(name):
    """It starts from the search's tree and begins its trace with that of the search."""
    problem = PROBLEMS[name]
    limits = Limits(seconds=5, iterations=8)
    searched = fit(problem, limits=limits)
    exact = fit(problem, method="exact", limits=limits)
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
    use_build(monkeypatch, None)
    problem = Problem.from_data([[0.0], [1.0]], [0, 0], n_classes=1, depth=2)
    result = fit(problem, method="exact")
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
    result = solve_exactly(MOCTSVM(), CLOUDS, LateSolver(), limits)
    check(CLOUDS, result)
    assert (result.reason, result.limit) == (Reason.LIMIT, "time")


@pytest.mark.usefixtures("poor_search")
def test_a_much_better_tree_starts_the_solve_anew(monkeypatch):
    """From a poor start the program is built again, with smaller big-Ms, and all is still right."""
    uppers = []
    build = MOCTSVM.formulation.build

    def noted(problem, upper, *rest):
        uppers.append(upper)
        return build(problem, upper, *rest)

    use_build(monkeypatch, noted)
    problem = PROBLEMS["irisD=1(10,1,1)"]
    found, seen = MOCTSVM().search(problem, Limits()), []
    limits = Limits(seconds=60)
    result = fit(problem, method="exact", limits=limits, progress=seen.append)
    check(problem, result)
    assert len(uppers) > 1
    shares = [after / before for before, after in pairwise(uppers)]
    assert max(shares) < RESTART_BELOW * (1 + 1e-6)
    assert result.is_optimal
    assert result.objective == pytest.approx(found.objective, rel=1e-4)
    assert falls([point.objective for point in seen])


@pytest.mark.parametrize("method", ["search", "exact"])
def test_a_start_is_never_made_worse(method):
    """A known tree is at least kept, even in no time at all."""
    known = fit(CLOUDS, limits=Limits(iterations=60))
    for seconds in (0.0, 3.0):
        limits = Limits(seconds=seconds, iterations=1)
        result = fit(CLOUDS, method=method, limits=limits, starts=[known.tree])
        check(CLOUDS, result)
        assert result.objective <= known.objective


def test_the_time_limit_covers_search_and_solve():
    """The solver stops when the time of both is over, and the limit is named."""
    fit(CLOUDS, method="exact", limits=Limits(seconds=1, iterations=1))
    problem = hard()
    result = fit(problem, method="exact", limits=Limits(seconds=3))
    check(problem, result)
    assert (result.reason, result.limit) == (Reason.LIMIT, "time")
    assert result.tree.n_splits > 0


@pytest.mark.parametrize("method", ["search", "exact"])
def test_compilation_takes_nothing_of_the_time_limit(method, monkeypatch):
    """The seconds of a result, which limits are compared with, do not have it."""
    monkeypatch.setattr(engine, "compile_kernels", lambda **_: time.sleep(0.5))
    start = time.perf_counter()
    result = fit(CLOUDS, method=method, limits=Limits(iterations=1, nodes=1))
    assert time.perf_counter() - start - result.seconds >= 0.5


@pytest.mark.parametrize("method", ["search", "exact"])
def test_no_time_still_gives_a_tree(method):
    """A limit of zero seconds returns the tree without splits."""
    result = fit(CLOUDS, method=method, limits=Limits(seconds=0))
    check(CLOUDS, result)
    assert (result.reason, result.limit) == (Reason.LIMIT, "time")


@pytest.mark.parametrize("solver", ["scip", "highs"])
@pytest.mark.parametrize("method", ["search", "exact"])
def test_no_memory_still_gives_a_tree(method, solver):
    """A process that takes too much from the start returns at once, and begins no solve."""
    result = fit(CLOUDS, method=method, solver=solver, limits=Limits(memory=0.01))
    check(CLOUDS, result)
    assert (result.reason, result.limit) == (Reason.LIMIT, "memory")
    assert result.iterations == 0


@pytest.mark.parametrize("solver", ["scip", "highs"])
def test_memory_that_fills_up_after_the_search_ends_the_solve(monkeypatch, solver):
    """The solver gives the tree of the search back, and names the limit."""
    first = fit(CLOUDS, limits=Limits(iterations=5))
    build, hoard = MOCTSVM.formulation.build, []

    def build_and_fill(*given):
        hoard.append(np.ones(2**26))  # half a GiB
        return build(*given)

    use_build(monkeypatch, build_and_fill)
    limits = Limits(memory=resident_memory() + 0.4, iterations=5)
    result = fit(CLOUDS, method="exact", solver=solver, limits=limits)
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
    result = fit(CLOUDS, method="exact", limits=Limits(seconds=30), progress=stop)
    check(CLOUDS, result)
    assert result.reason is Reason.INTERRUPTED
    assert result.trace == tuple(seen)


def test_an_interrupt_during_the_solve_returns_the_best_tree():
    """The solver's bound so far is kept."""
    problem = hard()
    first = fit(problem, limits=Limits(iterations=5))
    stop, _ = interrupting(lambda point: point.bound > first.bound)
    result = fit(problem, method="exact", limits=Limits(seconds=60, iterations=5), progress=stop)
    check(problem, result)
    assert result.reason is Reason.INTERRUPTED
    assert result.objective <= first.objective
    assert result.bound > first.bound


def test_an_interrupt_before_the_solver_runs_keeps_the_tree_of_the_search(monkeypatch):
    """While the program is built, Ctrl-C is not yet the solver's to handle."""
    first = fit(CLOUDS, limits=Limits(iterations=5))

    def interrupt(*_):
        raise KeyboardInterrupt

    use_build(monkeypatch, interrupt)
    result = fit(CLOUDS, method="exact", limits=Limits(iterations=5))
    check(CLOUDS, result)
    assert result.reason is Reason.INTERRUPTED
    assert result.tree == first.tree


def test_an_unknown_method_is_refused():
    """The message names both methods and what they are for."""
    with pytest.raises(InvalidInputError, match=r"'search', 'exact'.*'magic' was given.*proof"):
        fit(CLOUDS, method="magic")


def test_an_unknown_solver_is_refused_before_the_search():
    """The message names the solvers there are; nothing is searched first."""
    with pytest.raises(SolverMissingError, match=r"'cplex'|'scip'"):
        fit(CLOUDS, method="exact", solver="cplex", limits=Limits(iterations=10**9))


def test_what_is_too_large_for_a_proof_is_refused():
    """The message says how large the model would be and what to do instead."""
    X = np.arange(4000.0)[:, None]
    problem = Problem.from_data(X, np.arange(4000) % 2, n_classes=2, depth=9)
    with pytest.raises(
        InvalidInputError, match=r"4000 rows and 1 features at depth 9.*Use method='search'"
    ):
        fit(problem, method="exact")


class Scripted:
    """A solver that returns what a test says, and hands over solutions on its way."""

    name = "scripted"

    def __init__(self, **outcome):
        self.outcome = outcome

    def solve(self, program, _limits, start, *_callbacks):
        """Return the start, unless told otherwise."""
        how = {
            "values": start,
            "objective": program.evaluate(start),
            "bound": 0.0,
            "reason": Reason.OPTIMAL,
            "limit": None,
            "trace": (),
            "solver": self.name,
            "version": "1.0",
            "seconds": 0.0,
        }
        return Outcome(**how | self.outcome)


def scripted(**outcome):
    """Return the result of an exact path whose solver returns an outcome."""
    limits = Limits(iterations=5)
    return solve_exactly(MOCTSVM(), CLOUDS, Scripted(**outcome), limits)


def test_a_claim_that_a_judged_tree_contradicts_is_not_believed():
    """A bound above the cost of a known tree is an error of the solver, not a proof."""
    first = fit(CLOUDS, limits=Limits(iterations=5))
    result = scripted(bound=1.1 * first.objective)
    check(CLOUDS, result)
    assert not result.is_optimal
    assert result.bound == first.bound
    assert result.reason is Reason.FINISHED  # and not optimal, as the solver says


def test_a_bound_that_is_above_a_judged_tree_by_rounding_is_a_proof():
    """It is cut down to what the tree costs."""
    first = fit(CLOUDS, limits=Limits(iterations=5))
    result = scripted(bound=(1 + 1e-7) * first.objective)
    check(CLOUDS, result)
    assert result.bound == result.objective == first.objective
    assert (result.reason, result.limit) == (Reason.OPTIMAL, None)


@pytest.mark.parametrize(
    "outcome", [{"values": None}, {"values": None, "reason": Reason.INFEASIBLE, "bound": np.inf}]
)
def test_a_solver_without_a_tree_takes_none_away(outcome):
    """The tree of the search is there; that there is no better one was not proved."""
    first = fit(CLOUDS, limits=Limits(iterations=5))
    result = scripted(**outcome)
    check(CLOUDS, result)
    assert result.tree == first.tree
    assert result.reason is Reason.FINISHED
    assert (result.solver, result.version) == ("scripted", "1.0")


def test_a_tree_that_the_judge_forbids_is_not_returned(monkeypatch):
    """However good the solver thinks it is; the rules are the judge's."""
    first = fit(CLOUDS, limits=Limits(iterations=5))
    judge = MOCTSVM.judge

    def forbid(method, problem, tree):
        cost = judge(method, problem, tree)
        is_first = np.array_equal(tree.weights, first.tree.weights)
        return cost if is_first else Cost({"errors": 0.0}, {"forbidden": 1})

    monkeypatch.setattr(MOCTSVM, "start", lambda *_: first)
    monkeypatch.setattr(MOCTSVM, "judge", forbid)
    poor = ObliqueTree.leaf(CLOUDS.depth, CLOUDS.n_features, CLOUDS.n_classes)
    formulation = replace(MOCTSVM.formulation, decode=lambda *_: poor)
    monkeypatch.setattr(MOCTSVM, "formulation", formulation)
    assert MOCTSVM().judge(CLOUDS, poor).total < first.objective
    result = scripted()
    assert (result.tree, result.cost) == (first.tree, first.cost)


@pytest.mark.parametrize("name", [name for name in METHODS if "exact" in METHODS[name].ways])
def test_every_method_with_a_formulation_is_solved_alike(name):
    """The first tree is the method's own, the judge prices the last, and the proof is closed."""
    method = METHODS[name]
    rng = np.random.default_rng(1)
    X = rng.random((12, 2))
    rows = Problem.from_data(X, X[:, 0] + X[:, 1] > 1, n_classes=2, depth=1)
    costs = {"c1": 10.0, "c2": 1.0, "c3": 0.1, "C": 10.0}
    own = {letter: cost for letter, cost in costs.items() if letter in method.parameters}
    problem = method.pose(rows, max_depth=1, **own)
    seen = []
    result = solve(method, problem, How("exact", progress=seen.append))
    assert result.is_optimal
    assert result.cost == method.judge(problem, result.tree)
    assert result.cost.is_allowed
    assert result.objective <= method.start(problem, Limits()).objective
    assert seen[0] == result.trace[0]
    assert falls([point.objective for point in seen])


def test_oct_starts_from_cart_and_others_from_their_search():
    """A search that proves its trees itself would leave nothing to the solver."""
    rng = np.random.default_rng(0)
    rows = Problem.from_data(rng.random((30, 2)), rng.integers(0, 2, 30), n_classes=2, depth=2)
    problem = OCT().pose(rows, max_depth=2)
    assert OCT().start(problem, Limits()).solver == "cart"
    assert OCT().start(problem, Limits()).tree == CART().search(problem, Limits()).tree
    for method in (MOCTSVM(), OCTSVM(), OCTH()):
        free = replace(problem, rules=Rules(), costs=Costs(10.0, 1.0, 0.1))
        start = method.start(free, Limits(iterations=2))
        assert (start.solver, start.iterations) == ("search", 2)


def test_a_method_without_a_formulation_has_no_exact_way():
    """The message says which ways there are."""
    with pytest.raises(InvalidInputError, match=r"one of \('greedy',\); 'exact' was given"):
        solve(CART(), CLOUDS, How("exact"))
    assert solve(CART(), CLOUDS).solver == "cart"
