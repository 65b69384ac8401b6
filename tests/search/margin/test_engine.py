"""The search as a whole: honest about its result, within its limits, as good as enumeration."""

import signal
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from margin_searches import CLOUDS, IRIS, PROBLEMS, blobs, check, no_split, search
from margintree.core.limits import Limits, resident_memory
from margintree.core.problem import Costs, Problem
from margintree.core.result import Reason
from margintree.core.tree import ObliqueTree
from margintree.exact.programs import build, encode_tree
from margintree.exact.solvers import get
from margintree.search.margin import engine, leaf_groups
from margintree.search.margin.chain import GROUP_SHARE, Found
from margintree.search.margin.engine import LEAD
from margintree.search.margin.kernel_data import NO_GRAM, make_kernel_data, new_working_tree
from margintree.search.margin.many_rows import MANY_ROWS
from margintree.testing.instances import tiny_problem
from margintree.testing.margin_oracles import cheapest_tree
from working_trees import small_problems

EASY = ["irisD=1(10,1,1)", "irisD=2(10,1,1)", "wineD=1(10,1,1)", "breastD=1(1,1,0.1)"]

# Honest


@settings(max_examples=40)
@given(small_problems(), st.integers(0, 9))
def test_the_judge_agrees_with_every_result(problem, seed):
    """Any small problem: equal rows, constant columns, free terms, weights and both norms."""
    check(problem, search(problem, Limits(iterations=6, seed=seed)))


@pytest.mark.parametrize(
    "limits", [Limits(seconds=0), Limits(iterations=0), Limits(seconds=0, iterations=0)]
)
def test_no_time_and_no_iterations_still_give_a_tree(limits):
    """The tree without splits is there at once, and the limit is named."""
    result = search(IRIS, limits)
    check(IRIS, result)
    assert result.tree.n_splits == 0
    assert result.reason is Reason.LIMIT
    assert result.limit == ("time" if limits.seconds == 0 else "iterations")
    assert result.iterations == 0


def test_a_short_time_limit_is_kept():
    """A million descents end with the time limit, a few descents later at the most."""
    problem = blobs(300)
    unhurried = search(problem, Limits(iterations=4)).seconds
    result = search(problem, Limits(seconds=0.5, iterations=10**6, threads=2))
    assert result.seconds < 0.5 + 10 * unhurried
    check(problem, result)
    assert (result.reason, result.limit) == (Reason.LIMIT, "time")


@pytest.mark.parametrize("threads", [1, 2])
def test_memory_that_fills_up_ends_the_search(threads):
    """A million descents end with the memory limit, with the best tree so far."""
    without_splits, hoard = search(CLOUDS, Limits(iterations=0)).objective, []

    def fill(point):
        if point.objective < without_splits and not hoard:
            hoard.append(np.ones(2**26))  # half a GiB

    limits = Limits(memory=resident_memory() + 0.4, iterations=10**6, threads=threads)
    result = search(CLOUDS, limits, progress=fill)
    check(CLOUDS, result)
    assert (result.reason, result.limit) == (Reason.LIMIT, "memory")
    assert 0 < result.iterations < 10**6


def test_enough_memory_changes_nothing():
    """The tree is the one without a limit."""
    free, limited = (search(CLOUDS, Limits(iterations=5, memory=most)) for most in (np.inf, 1000))
    assert (limited.tree, limited.limit) == (free.tree, "iterations")


def test_why_it_stopped():
    """An iteration limit is a limit, none means finished, and a closed gap is a proof."""
    assert search(CLOUDS, Limits(iterations=5)).limit == "iterations"
    assert search(CLOUDS).reason is Reason.FINISHED
    easy = Problem.from_data([[0.0], [1.0]], [0, 0], n_classes=1, depth=1)
    assert search(easy).reason is Reason.OPTIMAL
    assert search(easy).is_optimal


@pytest.mark.parametrize("iterations", [1, 2, 3, 4, 5, 8, 9, 33])
def test_an_iteration_limit_is_kept(iterations):
    """No more descents than asked for, and all of them unless a proof comes first."""
    assert search(CLOUDS, Limits(iterations=iterations)).iterations == iterations


def test_progress_is_told_of_every_better_tree():
    """The callback sees exactly the trace."""
    seen = []
    result = search(IRIS, Limits(iterations=20), progress=seen.append)
    assert tuple(seen) == result.trace


@pytest.mark.parametrize("after", [1, 2])
def test_a_callback_may_interrupt(after):
    """The best tree so far is returned, and the reason is named."""
    seen = []

    def stop(point):
        seen.append(point)
        if len(seen) == after:
            raise KeyboardInterrupt

    result = search(IRIS, Limits(iterations=200, threads=2), progress=stop)
    check(IRIS, result)
    assert result.reason is Reason.INTERRUPTED
    assert result.trace == tuple(seen)


def test_an_error_in_a_callback_is_not_swallowed():
    """Only an interrupt is an answer; any other error is the caller's."""

    def fail(_):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        search(IRIS, Limits(iterations=5), progress=fail)


INTERRUPTED = """
import numpy as np
from margintree.core.limits import Limits
from margintree.core.judges import price_margins
from margintree.core.problem import Costs, Problem
from margintree.methods import MOCTSVM

rng = np.random.default_rng(0)
X, y = rng.random(({n_rows}, 3)), rng.integers(0, 3, {n_rows})
problem = Problem.from_data(X, y, n_classes=3, depth=3, costs=Costs(10.0, 1.0, 0.01))
limits = Limits(iterations=10**7, threads=2)
result = MOCTSVM().search(problem, limits, progress=lambda point: print("better", flush=True))
cost = price_margins(problem, result.tree)
print(result.reason, cost.total == result.objective, cost.is_allowed, result.tree.n_splits > 0)
"""


def test_an_interrupt_from_the_keyboard_returns_the_best_tree():
    """SIGINT during a long search on two threads ends it within seconds."""
    script = INTERRUPTED.format(n_rows=120)
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    try:
        lines = [process.stdout.readline() for _ in range(2)]
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=60)
    finally:
        process.kill()
    assert lines == ["better\n"] * 2
    assert output.splitlines()[-1] == "interrupted True True True"


# Compiled in time


LEAST_WITH_GROUPS = 1 + GROUP_SHARE * leaf_groups.LEAST_DESCENTS
"""Descents of the shortest chain that improves its leaf groups, after a first one."""


FIRST_SEARCH_WITH_GROUPS = LEAD * (LEAST_WITH_GROUPS - 1) + 1
"""Iterations of the shortest search whose chains improve their leaf groups."""


@pytest.fixture
def groups_used(monkeypatch):
    """Return a list that grows whenever leaf groups would be improved, and what was compiled."""
    used, compiled = [], []
    counts = np.inf, leaf_groups.LEAST_DESCENTS
    monkeypatch.setattr(leaf_groups, "rearrange", lambda *_: used.append(1) or counts)
    monkeypatch.setattr(
        engine, "compile_kernels", lambda **what: compiled.append(what["leaf_groups"])
    )
    return used, compiled


@pytest.mark.parametrize("change", [-200, -100, -1, 0, 1, 100])
@pytest.mark.parametrize("n_starts", [0, 1, 5])
def test_a_search_compiles_leaf_groups_if_it_has_any(change, n_starts, groups_used):
    """It knows beforehand whether its chains will be long enough, wherever they start."""
    used, compiled = groups_used
    starts = [ObliqueTree.leaf(IRIS.depth, IRIS.n_features, IRIS.n_classes)] * n_starts
    search(IRIS, Limits(iterations=FIRST_SEARCH_WITH_GROUPS + change), starts)
    assert compiled == [bool(used)] == [change >= 0]


def test_a_search_of_many_rows_compiles_the_leaf_groups_of_its_samples(groups_used):
    """Few rows arrive at some node, and what is searched for there may have leaf groups."""
    used, compiled = groups_used
    rng = np.random.default_rng(0)
    X = rng.random((MANY_ROWS + 100, 2))
    y = np.zeros(len(X), dtype=np.int64)
    X[:100, 0] += 2.0
    y[:100] = 1 + rng.integers(0, 3, 100)
    problem = Problem.from_data(X, y, n_classes=4, depth=3, costs=Costs(10.0, 0.01, 0.1))
    search(problem, Limits(iterations=4 * FIRST_SEARCH_WITH_GROUPS))
    assert used
    assert compiled == [True]


# Good


def excess_over_enumeration(seed, norm):
    """Return by what share a default search misses the optimum of a tiny problem."""
    problem = replace(tiny_problem(np.random.default_rng([11, seed])), margin_term=norm)
    optimum = cheapest_tree(problem).cost
    result = search(problem)
    check(problem, result)
    assert result.bound <= optimum * (1 + 1e-6)
    assert result.objective >= optimum * (1 - 1e-6)
    return result.objective / max(optimum, 1e-9) - 1


@pytest.mark.parametrize("seed", range(48))
def test_the_search_finds_the_optimum_of_tiny_problems(seed):
    """With its default settings it costs what the cheapest of all trees costs."""
    assert excess_over_enumeration(seed, "squared") < 1e-5


def test_the_search_finds_the_optimum_for_the_plain_norm():
    """Likewise where the margin term is the norm itself."""
    excess = [excess_over_enumeration(seed, "plain") for seed in range(12)]
    assert max(excess) < 1e-5


@pytest.mark.parametrize("name", EASY)
def test_the_search_agrees_with_proofs(name):
    """It finds what SCIP proves to be optimal, and never anything cheaper."""
    problem = PROBLEMS[name]
    result = search(problem)
    program = build(problem, result.objective)
    start = encode_tree(problem, program, result.tree)
    outcome = get("scip").solve(program, Limits(seconds=20, gap=1e-5), start)
    assert outcome.bound <= result.objective * (1 + 1e-6)
    if outcome.reason is Reason.OPTIMAL:
        assert result.objective == pytest.approx(outcome.objective, rel=2e-5)


def test_without_a_limit_the_search_ends_when_it_has_converged():
    """An easy problem is done after a few chains; a hard one takes all that a search may take."""
    easy, hard = CLOUDS, blobs(120, n_classes=4, depth=3, seed=1)
    for problem, is_easy in ((easy, True), (hard, False)):
        most = engine.iterations_of(problem, Limits())
        found = search(problem)
        assert (found.iterations < 0.8 * most) == is_easy
        assert found.iterations <= most
        assert found.objective <= search(problem, Limits(iterations=60)).objective
        assert search(problem, Limits(threads=2)).tree == found.tree


def course_after(costs, n_origins, may_converge):
    """Return a course that has learnt these costs, and its hits after each."""
    tree = new_working_tree(make_kernel_data(CLOUDS, NO_GRAM))
    course, counts = engine.Course(0, 40, 1.0, [tree] * n_origins, may_converge), []
    for cost in costs:
        course.learn(course.next_chain(10.0), Found(cost, tree, 1))
        counts.append(course.hits)
    return course, counts


def test_a_search_has_converged_when_fresh_chains_end_at_the_best_cost():
    """Chains from known trees do not count, and a gain starts the count again."""
    course, counts = course_after([5.0, 5.0, 4.0, 4.0], n_origins=1, may_converge=True)
    assert counts == [0, 1, 1, 2]
    assert course.has_room
    costs = [5.0, *[4.0] * (engine.ENOUGH_HITS - 1), 4.001]
    course, counts = course_after(costs, n_origins=0, may_converge=True)
    assert counts[:3] == [1, 1, 2]
    while course.has_room:
        course.learn(course.next_chain(10.0), Found(4.0, course.elite[0].working, 1))
    assert course.hits == engine.ENOUGH_HITS
    assert course.free > 0


@pytest.mark.parametrize(("can_anneal", "agree"), [(True, False), (True, True), (False, False)])
def test_one_of_the_best_trees_is_annealed_where_fresh_chains_disagree(can_anneal, agree):
    """After short chains, so that an easy problem takes no longer."""
    tree = new_working_tree(make_kernel_data(CLOUDS, NO_GRAM))
    course = engine.Course(0, 2000, 1.0, [], may_converge=True, can_anneal=can_anneal)
    for k in range(engine.LEAD):
        chain = course.next_chain(10.0)
        assert not chain.anneals
        assert (chain.max_iterations <= 400) == can_anneal
        course.learn(chain, Found(5.0 if agree else 5.0 - k, tree, 1))
    chain = course.next_chain(10.0)
    assert chain.anneals == (can_anneal and not agree)
    if chain.anneals:
        assert chain.origin is not None
        assert chain.max_iterations == engine.ANNEALED_CHAIN


def test_a_search_with_an_iteration_limit_uses_it_up():
    """Whoever asks for many descents doubts that the search has converged."""
    course, counts = course_after([5.0] * 20, n_origins=0, may_converge=False)
    assert counts[-1] > engine.ENOUGH_HITS
    assert course.has_room


@pytest.mark.parametrize(
    ("iterations", "may_converge", "length"),
    [(4, False, 1), (8000, False, 2000), (60, True, 60), (2000, True, 1000), (8000, True, 2000)],
)
def test_chains_share_a_limit_or_may_get_stuck(iterations, may_converge, length):
    """Without a limit of the user a chain is not cut short where it could still gain."""
    course = engine.Course(0, iterations, 1.0, [], may_converge)
    assert course.next_chain(10.0).max_iterations == length


def test_all_given_trees_are_improved():
    """They share the descents, of which problems of many rows have few."""
    tree = new_working_tree(make_kernel_data(CLOUDS, NO_GRAM))
    course = engine.Course(0, 60, 1.0, [tree] * 4, may_converge=True)
    chains = [course.next_chain(10.0) for _ in range(4)]
    assert [chain.max_iterations for chain in chains] == [15, 15, 15, 15]
    assert all(chain.origin is tree for chain in chains)


def test_a_start_is_never_made_worse():
    """The result costs at most what the given tree costs, even with no iterations at all."""
    known = search(CLOUDS, Limits(iterations=100))
    for limits in (Limits(seconds=0), Limits(iterations=0), Limits(iterations=5)):
        result = search(CLOUDS, limits, [no_split(CLOUDS), known.tree])
        check(CLOUDS, result)
        assert result.objective <= known.objective


def test_a_poor_start_is_improved():
    """A start with random hyperplanes is no burden, and a start with ties is not returned."""
    rng = np.random.default_rng(0)
    raw = no_split(CLOUDS).to_dict() | {
        "weights": rng.standard_normal((3, 2)).tolist(),
        "intercepts": [0.0, -0.5, 0.5],
        "splits": [True] * 3,
    }
    poor = ObliqueTree.from_dict(raw)
    tied = ObliqueTree.from_dict(raw | {"weights": [[1e-9, 0.0]] * 3, "intercepts": [0.0] * 3})
    result = search(CLOUDS, Limits(iterations=20), [poor, tied])
    check(CLOUDS, result)
    assert result.tree.n_splits > 0


@pytest.mark.parametrize("depth", range(1, 9))
def test_every_depth_works(depth):
    """From one split to two hundred and fifty-five."""
    problem = blobs(60, n_classes=4, depth=depth)
    result = search(problem, Limits(iterations=3))
    check(problem, result)
    assert result.tree.depth == depth
    assert result.tree.n_splits > 0


def test_many_classes_work():
    """Thirteen classes, more than any grouping enumerates."""
    problem = blobs(130, n_classes=13, n_features=6, depth=4)
    result = search(problem, Limits(iterations=8))
    check(problem, result)
    assert len(np.unique(result.tree.predict(problem.X))) > 7


@pytest.mark.parametrize("costs", [(0, 1, 1), (1, 0, 1), (1, 1, 0), (0, 0, 0), (1, 0, 0)])
@pytest.mark.parametrize("norm", ["squared", "plain"])
def test_free_terms_are_no_trouble(costs, norm):
    """Errors, violations and splits may each cost nothing."""
    problem = blobs(40, depth=2, costs=Costs(*map(float, costs)), margin_term=norm)
    check(problem, search(problem, Limits(iterations=6)))


@pytest.mark.parametrize(
    ("X", "y"),
    [([[0.0]], [0]), ([[1.0, 2.0]] * 3, [0, 1, 1]), ([[0.0, 5.0], [1.0, 5.0]], [0, 1])],
    ids=["one row", "equal rows", "constant column"],
)
def test_degenerate_data_is_no_trouble(X, y):
    """One row, rows that are all equal, and a column that says nothing."""
    problem = Problem.from_data(X, y, n_classes=2, depth=2, costs=Costs(10.0, 1.0, 0.1))
    result = search(problem, Limits(iterations=5))
    check(problem, result)
    assert result.objective == pytest.approx(cheapest_tree(problem).cost, rel=1e-5)
