"""The search as a whole: repeatable, honest about its result, and as good as enumeration."""

import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from margintree.search.margin.aim import MARGINS

from margintree.core.judges.margins import price_margins
from margintree.core.limits import Limits, resident_memory
from margintree.core.problem import Costs, Problem
from margintree.core.result import Reason
from margintree.core.simplify import simplify
from margintree.core.tree import ObliqueTree
from margintree.exact.programs import build, encode_tree
from margintree.exact.solvers import get
from margintree.search.margin import Parts, engine, leaf_groups, search
from margintree.search.margin.chain import GROUP_SHARE, Chain, run_chain
from margintree.search.margin.engine import LEAD
from margintree.search.margin.groupings import make_groupings
from margintree.search.margin.kernel_data import make_kernel_data
from margintree.search.margin.local_search import LocalSearch
from margintree.search.margin.many_rows import MANY_ROWS, Refiner, sample
from margintree.testing.instances import INSTANCES, tiny_problem
from margintree.testing.oracle import cheapest_tree
from working_trees import small_problems

PROBLEMS = {instance.name: instance.problem() for instance in INSTANCES}
IRIS = PROBLEMS["irisD=2(10,1,1)"]
CLOUDS = PROBLEMS["cloudsD=2(1,1,0.1)"]
EASY = ["irisD=1(10,1,1)", "irisD=2(10,1,1)", "wineD=1(10,1,1)", "breastD=1(1,1,0.1)"]


def blobs(n_rows, n_classes=3, n_features=4, depth=3, seed=0, **changes):
    """Return a problem of overlapping clouds, one or two for each class."""
    rng = np.random.default_rng(seed)
    centres = 3 * rng.random((2 * n_classes, n_features))
    groups = rng.integers(0, len(centres), n_rows)
    X = centres[groups] + 0.3 * rng.standard_normal((n_rows, n_features))
    settings = {"n_classes": n_classes, "depth": depth, "costs": Costs(10.0, 1.0, 0.1)} | changes
    return Problem.from_data(X, groups % n_classes, **settings)


def no_split(problem):
    """Return the best tree without splits."""
    leaf = ObliqueTree.leaf(problem.depth, problem.n_features, problem.n_classes)
    return simplify(problem, leaf)


def check(problem, result):
    """Assert all that must hold of any result of the search."""
    cost = price_margins(problem, result.tree)
    assert result.objective == cost.total
    assert cost.ties == 0
    assert 0 <= result.bound <= result.objective
    assert result.objective <= price_margins(problem, no_split(problem)).total
    costs = [point.objective for point in result.trace]
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] == result.objective
    seconds = [point.seconds for point in result.trace]
    assert seconds == sorted(seconds)
    assert result.tree.leaf_mass.sum() == pytest.approx(problem.row_weights.sum())


# Repeatable


@pytest.mark.parametrize("problem", [IRIS, CLOUDS, replace(CLOUDS, margin_norm="plain")])
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


LEAST_WITH_GROUPS = GROUP_SHARE * (1 + leaf_groups.LEAST_DESCENTS)
"""Descents of the shortest chain that improves its grouped, after a first one."""


FIRST_SEARCH_WITH_LAYOUTS = LEAD * (LEAST_WITH_GROUPS - 1) + 1
"""Iterations of the shortest search whose chains improve their leaf_groups."""


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
    search(IRIS, Limits(iterations=FIRST_SEARCH_WITH_LAYOUTS + change), starts)
    assert compiled == [bool(used)] == [change >= 0]


def test_a_search_of_many_rows_compiles_the_leaf_groups_of_its_samples(groups_used):
    """Few rows arrive at some node, and what is searched for there may have leaf_groups."""
    used, compiled = groups_used
    rng = np.random.default_rng(0)
    X = rng.random((MANY_ROWS + 100, 2))
    y = np.zeros(len(X), dtype=np.int64)
    X[:100, 0] += 2.0
    y[:100] = 1 + rng.integers(0, 3, 100)
    problem = Problem.from_data(X, y, n_classes=4, depth=3, costs=Costs(10.0, 0.01, 0.1))
    search(problem, Limits(iterations=4 * FIRST_SEARCH_WITH_LAYOUTS))
    assert used
    assert compiled == [True]


@pytest.mark.parametrize(
    ("limit", "has_groups"),
    [(LEAST_WITH_GROUPS - 1, False), (LEAST_WITH_GROUPS, True), (100, True)],
)
def test_a_chain_keeps_its_limit(limit, has_groups, monkeypatch):
    """Layouts count as many descents as take as long, and take their share at most."""
    improved, descended = [], []
    improve, descend = leaf_groups.improve_groups, LocalSearch.descend
    monkeypatch.setattr(
        leaf_groups, "improve_groups", lambda *given: improved.append(1) or improve(*given)
    )
    monkeypatch.setattr(
        LocalSearch,
        "descend",
        lambda *given, **more: descended.append(1) or descend(*given, **more),
    )
    local = LocalSearch(MARGINS.make_kernel_data(IRIS))
    groupings = make_groupings(IRIS, 0)
    chain = Chain(1, seed=0, origin=None, scale=2.0, max_iterations=limit, worth=1e3)
    found = run_chain(local, chain, Parts(max_failures=3), groupings, lambda: False)
    on_groups = leaf_groups.DESCENTS * len(improved)
    assert (on_groups > 0) == has_groups
    assert on_groups < limit / GROUP_SHARE
    assert found.iterations == on_groups + len(descended) <= limit
    assert found.cost == pytest.approx(local.price())


@pytest.mark.parametrize(
    ("worth", "limit", "n_kicks"), [(0.0, 200, 0), (1e3, 200, 3), (0.0, LEAST_WITH_GROUPS - 1, 3)]
)
def test_what_is_far_from_the_best_is_not_kicked(worth, limit, n_kicks):
    """Where its grouped was improved before, which takes some iterations."""
    kicks = []
    parts = Parts(kicks=(lambda *_: kicks.append(1),), max_failures=3)
    local = LocalSearch(MARGINS.make_kernel_data(IRIS))
    chain = Chain(1, seed=0, origin=None, scale=2.0, max_iterations=limit, worth=worth)
    found = run_chain(local, chain, parts, make_groupings(IRIS, 0), lambda: False)
    assert len(kicks) == n_kicks
    assert found.cost == pytest.approx(local.price())


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
from margintree.core.judges.margins import price_margins
from margintree.core.problem import Costs, Problem
from margintree.search.margin import search

rng = np.random.default_rng(0)
X, y = rng.random(({n_rows}, 3)), rng.integers(0, 3, {n_rows})
problem = Problem.from_data(X, y, n_classes=3, depth=3, costs=Costs(10.0, 1.0, 0.01))
limits = Limits(iterations=10**7, threads=2)
result = search(problem, limits, progress=lambda point: print("better", flush=True))
cost = price_margins(problem, result.tree)
print(result.reason, cost.total == result.objective, cost.ties, result.tree.n_splits > 0)
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
    assert output.splitlines()[-1] == "interrupted True 0 True"


# Good


def excess_over_enumeration(seed, norm):
    """Return by what share a default search misses the optimum of a tiny problem."""
    problem = replace(tiny_problem(np.random.default_rng([11, seed])), margin_norm=norm)
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
    problem = blobs(40, depth=2, costs=Costs(*map(float, costs)), margin_norm=norm)
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


# Many rows


@pytest.mark.parametrize("norm", ["squared", "plain"])
def test_many_rows_are_searched_by_way_of_a_sample(norm):
    """The tree is valid on all rows, far cheaper than none, and the same on two threads."""
    problem = blobs(4000, margin_norm=norm)
    assert problem.n_rows > MANY_ROWS
    result = search(problem, Limits(iterations=8))
    check(problem, result)
    assert result.objective < 0.5 * price_margins(problem, no_split(problem)).total
    assert search(problem, Limits(iterations=8, threads=2)).tree == result.tree


@pytest.mark.parametrize(
    ("costs", "n_features"), [((10, 0, 0.1), 2), ((1, 10, 0), 1), ((0, 1, 1), 1)]
)
def test_many_rows_with_few_features_and_free_terms(costs, n_features):
    """Where rows are dense along every direction the result is still valid."""
    problem = blobs(3000, n_features=n_features, depth=2, costs=Costs(*map(float, costs)))
    check(problem, search(problem, Limits(iterations=4)))


@settings(max_examples=20)
@given(st.integers(0, 99), st.floats(0, 1))
def test_a_sample_keeps_the_weight_of_every_class(seed, share):
    """Among the rows that a tree gets wrong, among the others, and so in all."""
    rng = np.random.default_rng(seed)
    problem = blobs(1500)
    rows = np.flatnonzero(rng.random(problem.n_rows) < 0.9)
    is_wrong = rng.random(len(rows)) < share / 3
    few_rows = sample(problem, rows, is_wrong, 2, rng)
    assert few_rows.n_rows < len(rows)
    assert few_rows.depth == 2
    assert few_rows.class_mass() == pytest.approx(problem.class_mass(rows))


def test_more_classes_than_a_sample_can_hold_few_rows_of():
    """A sample has some rows of every class, however many classes that are."""
    rng = np.random.default_rng(0)
    X, y = rng.random((2500, 2)), np.arange(2500) % 400
    problem = Problem.from_data(X, y, n_classes=400, depth=2)
    check(problem, search(problem, Limits(iterations=2)))


def test_new_subtrees_never_cost():
    """Samples of the rows of a node lead to subtrees that are cheaper on all of its rows."""
    problem = blobs(3000, depth=2)
    tree = three_splits(problem, [0.5, 0.3, 0.8], 10.0)
    refiner = Refiner(problem, make_kernel_data(problem), tree, seed=0)
    rng, before = np.random.default_rng(0), refiner.price()

    def find(rows, is_wrong, depth):
        return search(sample(problem, rows, is_wrong, depth, rng), Limits(iterations=4)).tree

    assert refiner.regrow(find)
    assert refiner.price() < before
    cost = price_margins(problem, refiner.tree())
    assert cost.ties or refiner.price() == pytest.approx(cost.total)


def three_splits(problem, places, norm):
    """Return the tree of depth two that cuts the first feature at three places."""
    normal = np.r_[norm, np.zeros(problem.n_features - 1)]
    raw = ObliqueTree.leaf(2, problem.n_features, problem.n_classes).to_dict() | {
        "weights": [normal.tolist()] * 3,
        "intercepts": [-norm * place for place in places],
        "splits": [True] * 3,
    }
    return ObliqueTree.from_dict(raw)


def test_a_new_direction_may_be_the_opposite_of_the_present_one():
    """With one feature there are only two directions, and nothing between them."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        X, y = rng.random((60, 1)), rng.integers(0, 2, 60)
        problem = Problem.from_data(X, y, n_classes=2, depth=2, costs=Costs(1.0, 1.0, 0.0))
        refiner = Refiner(
            problem, make_kernel_data(problem), three_splits(problem, rng.random(3), 10.0), seed=0
        )
        refiner.sweep()
        assert np.isfinite(refiner.working.weights).all()


def test_rows_that_pull_nowhere_are_no_trouble():
    """Violations are free and both sides predict the same: there is nothing to improve."""
    X = np.random.default_rng(0).random((60, 2))
    problem = Problem.from_data(X, np.zeros(60), n_classes=2, depth=2, costs=Costs(1.0, 0.0, 0.1))
    refiner = Refiner(
        problem, make_kernel_data(problem), three_splits(problem, [0.5, 0.3, 0.8], 10.0), seed=0
    )
    refiner.sweep()
    assert np.isfinite(refiner.working.weights).all()


def test_many_rows_respect_starts_and_limits():
    """A known tree is never made worse, and no time at all is time enough for it."""
    problem = blobs(4000)
    known = search(problem, Limits(iterations=4))
    for limits in (Limits(seconds=0), Limits(iterations=1, seed=5)):
        result = search(problem, limits, [known.tree])
        check(problem, result)
        assert result.objective <= known.objective


ONE_SEARCH = """
import sys
import numpy as np
from margintree.core.limits import Limits
from margintree.core.problem import Costs, Problem
from margintree.search.margin import search
from margintree.search.margin.chain import GROUP_SHARE
from margintree.search.margin.kernels.svm import smo
from margintree.search.margin.leaf_groups import LEAST_DESCENTS

rng = np.random.default_rng(1)
X, y = rng.random((60, 12)), rng.integers(0, 3, 60)
if sys.argv[1] == "inner first":
    sides, ones = np.where(y > 0, 1.0, -1.0), np.ones(60)
    smo(X @ X.T, sides, ones, -np.inf, np.inf, 1.0, np.zeros(60), 9, 1e-3)
problem = Problem.from_data(X, y, n_classes=3, depth=3, costs=Costs(10.0, 1.0, 0.1))
enough_for_groups = 4 * GROUP_SHARE * (1 + LEAST_DESCENTS)
tree = search(problem, Limits(iterations=enough_for_groups)).tree
print(tree.weights.tobytes().hex())
"""


def one_search(order="outer first", **environment):
    """Return the tree that a new process finds."""
    command = [sys.executable, "-c", ONE_SEARCH, order]
    environment = os.environ | environment
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return done.stdout


def test_the_order_in_which_kernels_are_loaded_does_not_change_the_tree():
    """Kernels carry copies of those they call, and the copy that is loaded first runs."""
    assert one_search("outer first") == one_search("inner first")


def test_the_processor_does_not_change_the_tree():
    """The BLAS of NumPy's wheels adds up in an order that depends on it, or on this variable.

    NumPy's own functions, too, differ between processors: its exponential does with AVX-512.
    """
    found = {one_search(OPENBLAS_CORETYPE=kind) for kind in ("Prescott", "Haswell")}
    cpu = np._core._multiarray_umath
    here = [name for name in cpu.__cpu_dispatch__ if cpu.__cpu_features__[name]]
    found.add(one_search(NPY_DISABLE_CPU_FEATURES=" ".join(here)))
    assert len(found) == 1
