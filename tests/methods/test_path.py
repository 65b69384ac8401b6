"""Paths: one training set under many costs, by any method."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from margintree.core import problem as problem_module
from margintree.core.limits import Clock, Limits
from margintree.core.problem import Costs, Problem
from margintree.core.result import Reason
from margintree.core.tree import ObliqueTree
from margintree.methods import CART, METHODS, MOCTSVM, OCT, OCTH, OCTSVM
from margintree.methods.path import Pool, path

GRID = [
    {"max_depth": 2, "c1": c1, "c2": c2, "c3": c3}
    for c1 in (1e-3, 1.0, 100.0)
    for c2 in (0.1, 10.0)
    for c3 in (0.1, 1.0)
]
FEW = Limits(iterations=4)


def rows_of(n_classes=3, seed=0, n_rows=24):
    """Return overlapping classes in the plane; depth and costs are those of no point."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_rows) % n_classes
    X = rng.normal(size=(n_rows, 2)) + 2 * np.column_stack([y, y % 2])
    return Problem.from_data(X, y, n_classes=n_classes, depth=1)


ROWS, TWO = rows_of(), rows_of(n_classes=2)
POINTS = {
    "moctsvm": GRID,
    "octsvm": GRID[4:8],
    "oct": [{"max_depth": 2, "max_splits": k} for k in (3, 1, 2)],
    "cart": [{"max_depth": 2, "max_splits": k} for k in (3, 1, 2)],
    "class-tree": [{"max_depth": 3, "C": C} for C in (1.0, 100.0)],
    "octh": [{"max_depth": 2, "alpha": alpha} for alpha in (1.0, 0.001, 0.1)],
}
"""Some points for every method."""


def check(method, rows, points, results):
    """Assert what must hold of any path."""
    assert len(results) == len(points)
    for point, result in zip(points, results, strict=True):
        problem = method.pose(rows, **point)
        assert result.cost == method.judge(problem, result.tree)
        assert result.cost.is_allowed
        assert 0 <= result.bound <= result.objective
        leaf = ObliqueTree.leaf(problem.depth, problem.n_features, problem.n_classes)
        assert result.objective <= method.judge(problem, method.simplify(problem, leaf)).total


@pytest.fixture(scope="module")
def moctsvm_path():
    return path(MOCTSVM(), ROWS, GRID, FEW)


def test_each_space_is_learnt_once(monkeypatch):
    """However many points have it, since all of them are of one training set."""
    learnt, real = [], problem_module.learnt_space

    def watched(name, *rows):
        learnt.append(name)
        return real(name, *rows)

    monkeypatch.setattr(problem_module, "learnt_space", watched)
    points = [GRID[k] | {"space": space} for k in (0, 4, 8) for space in ("whitened", "rbf")]
    path(MOCTSVM(), rows_of(seed=1), points, FEW)
    assert sorted(learnt) == ["rbf", "whitened"]


def test_each_space_has_a_path_of_its_own():
    """Points may mix spaces; their results come in the order of the points."""
    method = METHODS["class-tree"]
    points = [point | {"space": s} for point in POINTS["class-tree"] for s in ("box", "quadratic")]
    results = path(method, ROWS, points, FEW)
    check(method, ROWS, points, results)
    for side, space in enumerate(("box", "quadratic")):
        own = [point | {"space": space} for point in POINTS["class-tree"]]
        alone = path(method, ROWS, own, FEW)
        assert [result.tree for result in results[side::2]] == [result.tree for result in alone]


def test_every_method_has_points():
    """A method that is added gets a path that is tested."""
    assert POINTS.keys() == METHODS.keys()


@pytest.mark.parametrize("name", POINTS)
def test_a_path_says_what_the_judge_says(name):
    """Every point is posed by the method, judged by it, keeps its rules, and has a bound below."""
    method, points = METHODS[name], POINTS[name]
    check(method, TWO, points, path(method, TWO, points, FEW))


@pytest.mark.parametrize("name", POINTS)
def test_a_path_is_the_same_again_and_in_any_order(name):
    """Nothing but the training set, the points and the limits decides it."""
    method, points = METHODS[name], POINTS[name]
    backwards = path(method, TWO, points[::-1], FEW)[::-1]
    assert [r.tree for r in backwards] == [r.tree for r in path(method, TWO, points, FEW)]


def test_more_classes_than_two(moctsvm_path):
    """The path of MOCTSVM takes any number, and keeps what must hold."""
    check(MOCTSVM(), ROWS, GRID, moctsvm_path)


def test_depth_and_costs_of_the_rows_play_no_part(moctsvm_path):
    """Points say all that there is to say."""
    other = MOCTSVM().pose(ROWS, max_depth=3, c1=7.0, c2=7.0, c3=7.0, max_splits=1)
    again = path(MOCTSVM(), other, GRID, FEW)
    assert [r.tree for r in again] == [r.tree for r in moctsvm_path]


def test_a_path_without_iterations_searches_nothing():
    """Every point gets a tree without splits."""
    results = path(MOCTSVM(), ROWS, GRID, Limits(iterations=0))
    assert {(result.iterations, result.tree.n_splits) for result in results} == {(0, 0)}


@pytest.mark.parametrize("name", POINTS)
def test_a_path_without_points_is_empty(name):
    """There is nothing to fit."""
    assert path(METHODS[name], TWO, [], FEW) == []


def test_a_path_is_better_than_single_fits(moctsvm_path):
    """With as many local searches at each point, warm starts cost no more in the mean."""
    cold = [MOCTSVM().search(MOCTSVM().pose(ROWS, **point), FEW).objective for point in GRID]
    ratios = np.log([result.objective for result in moctsvm_path]) - np.log(cold)
    assert ratios.mean() <= 0
    assert ratios.max() < 0.1


def test_points_that_the_bound_proves_are_not_searched(moctsvm_path):
    """Errors so cheap that no split pays."""
    proved = [r for point, r in zip(GRID, moctsvm_path, strict=True) if point["c1"] == 1e-3]
    assert all(r.is_optimal and r.tree.n_splits == 0 and r.iterations == 0 for r in proved)


def test_many_rows_are_searched_by_way_of_samples():
    """What is shared belongs to all rows, and samples have their own."""
    rows = rows_of(n_rows=1100)
    points = [{"max_depth": 2, "c1": 1.0, "c2": 0.1, "c3": 1.0}]
    assert MOCTSVM().share(rows, FEW) is None
    check(MOCTSVM(), rows, points, path(MOCTSVM(), rows, points, Limits(iterations=2)))


def test_what_does_not_depend_on_costs_is_computed_once(monkeypatch):
    """And handed to every search of the path."""
    shared, search = [], MOCTSVM.search

    def noted(method, problem, limits, starts=(), progress=None, **more):
        shared.append(more["shared"])
        return search(method, problem, limits, starts, progress, **more)

    monkeypatch.setattr(MOCTSVM, "search", noted)
    path(MOCTSVM(), ROWS, GRID, FEW)
    assert len(shared) > len(GRID)
    assert all(one is shared[0] is not None for one in shared)


@settings(max_examples=10)
@given(seed=st.integers(0, 1000))
def test_oct_and_cart_by_number_of_splits(seed):
    """More splits never cost errors, OCT is as good as alone, and CART is never better."""
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 5, size=(20, 2)), rng.integers(0, 3, size=20)
    rows, points = Problem.from_data(X, y, n_classes=3, depth=2), POINTS["oct"]
    found = path(OCT(), rows, points)
    costs = [found[k].objective for k in (1, 2, 0)]
    assert costs == sorted(costs, reverse=True)
    assert all(result.is_optimal for result in found)
    for point, result in zip(points, found, strict=True):
        assert result.objective == OCT().search(OCT().pose(rows, **point), Limits()).objective
    for oct_, cart in zip(found, path(CART(), rows, points), strict=True):
        assert cart.objective >= oct_.objective - 1e-9


def test_cart_on_a_path_is_cart_alone():
    """Known trees are nothing to a greedy method, nor are iterations."""
    for point, result in zip(POINTS["cart"], path(CART(), ROWS, POINTS["cart"], FEW), strict=True):
        alone = CART().search(CART().pose(ROWS, **point), Limits())
        assert (result.tree, result.reason, result.limit) == (alone.tree, alone.reason, None)


def test_octh_by_price_of_a_feature():
    """Dear features end in a single leaf; a tree of cheaper ones starts the search for the next."""
    dear, cheap, middling = path(OCTH(), ROWS, POINTS["octh"], FEW)
    assert dear.tree.n_splits == 0
    problem = OCTH().pose(ROWS, **POINTS["octh"][2])
    assert middling.objective <= OCTH().judge(problem, cheap.tree).total + 1e-9


def test_octsvm_takes_two_classes_only():
    """As elsewhere."""
    with pytest.raises(ValueError, match="binary"):
        path(OCTSVM(), ROWS, POINTS["octsvm"], FEW)


@pytest.mark.parametrize("name", POINTS)
def test_a_path_without_time_has_a_tree_for_every_point(name):
    """A clock that never ends changes nothing; one that is over leaves the cheapest known trees."""
    method, points = METHODS[name], POINTS[name]
    usual = path(method, TWO, points, FEW)
    unhurried = path(method, TWO, points, FEW, Clock(1e9))
    assert [r.tree for r in unhurried] == [r.tree for r in usual]
    hurried = path(method, TWO, points, FEW, Clock(0))
    check(method, TWO, points, hurried)
    assert sum(bool(result.trace) for result in hurried) <= 1  # the first search was the last
    for result in hurried:
        assert result.limit == "time" or result.is_optimal or method.name == CART.name


@pytest.mark.parametrize("name", POINTS)
def test_fair_searches_share_the_time_that_is_left(name, monkeypatch):
    """None gets more than its share, and where all have enough the trees are the same."""
    method, points = METHODS[name], POINTS[name]
    given, search = [], type(method).search

    def noted(self, problem, limits, *args, **more):
        given.append(limits.seconds)
        return search(self, problem, limits, *args, **more)

    monkeypatch.setattr(type(method), "search", noted)
    usual = path(method, TWO, points, FEW, Clock(1e9))
    assert min(given) > 0.99e9
    given.clear()
    fair = path(method, TWO, points, FEW, Clock(1e9), is_fair=True)
    assert given[0] <= 1e9 / len(points)
    assert [result.tree for result in fair] == [result.tree for result in usual]


def test_known_trees_that_break_the_rules_of_a_point_are_no_answer():
    """Where time is over, a point with fewer splits does not get a tree with more."""
    points = [
        {"max_depth": 2, "c1": 100.0, "c2": 1.0, "c3": 0.01, "max_splits": k} for k in (3, 1, 0)
    ]
    clock = Clock(1e9)

    class Late(MOCTSVM):
        def search(self, *given, **more):
            result = super().search(*given, **more)
            clock.limit = 0.0
            return result

    results = path(Late(), ROWS, points, FEW, clock)
    assert results[0].tree.n_splits > 1
    check(MOCTSVM(), ROWS, points, results)


def test_memory_that_is_full_ends_a_path():
    """The limit is named, and every point has a tree."""
    results = path(MOCTSVM(), ROWS, GRID, FEW, Clock(memory=1e-3))
    check(MOCTSVM(), ROWS, GRID, results)
    assert {result.limit for result in results} <= {"memory", "time", None}
    assert "memory" in {result.limit for result in results}


@pytest.mark.parametrize("name", POINTS)
def test_an_interrupt_ends_the_path(name, monkeypatch):
    """A path is known by its limits alone, so half a path is none."""
    method, points = METHODS[name], POINTS[name]
    search = type(method).search

    def interrupted(*given, **more):
        return replace(search(*given, **more), reason=Reason.INTERRUPTED)

    monkeypatch.setattr(type(method), "search", interrupted)
    with pytest.raises(KeyboardInterrupt):
        path(method, TWO, points, FEW)


def test_seconds_include_what_was_done_for_all_points(moctsvm_path):
    """First visits of some points at length are shared by all."""
    assert all(result.seconds > 0 for result in moctsvm_path)


@given(
    terms=st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1, max_size=12, unique=True),
    prices=st.tuples(*[st.integers(1, 5)] * 3),
)
def test_a_pool_prices_trees_at_any_costs(terms, prices):
    """The cheapest comes first, and no two with as many errors and splits."""
    trees = [ObliqueTree.leaf(1, 1, 2) for _ in terms]
    by_id = {id(tree): np.array(term, dtype=float) for tree, term in zip(trees, terms, strict=True)}
    pool = Pool(lambda tree: by_id[id(tree)])
    for tree in trees:
        pool.add(tree)
        pool.add(tree)
    prices = np.array(prices, dtype=float)
    chosen = [by_id[id(tree)] for tree in pool.cheapest(prices, count=3)]
    costs = [float(term @ prices) for term in chosen]
    assert costs == sorted(costs)
    assert costs[0] == pool.least_cost(prices) == min(np.array(terms) @ prices)
    assert len({term[0] for term in chosen}) == len(chosen) == min(3, len({t[0] for t in terms}))


@pytest.mark.parametrize("name", POINTS)
def test_terms_are_in_proportion_to_their_prices(name):
    """That is what lets a pool price all trees at any costs, for every method."""
    method = METHODS[name]
    problem = method.pose(TWO, **POINTS[name][0])
    tree = ObliqueTree.stump([3.0, 0.5], -1.2, leaf_classes=[0, 1], n_classes=2).deepened(2)
    has_features = float("features" in method.terms)
    priced = replace(problem, costs=Costs(7.0, 5.0, 3.0, 2.0 * has_features))
    unit = replace(problem, costs=Costs(1.0, 1.0, 1.0, has_features))
    if "relabelled" in method.terms:  # whether a row is relabelled depends on the prices
        priced = replace(problem, costs=Costs(3.0, 3.0, 3.0, 3.0))
    terms, ones = (method.judge(posed, tree).terms for posed in (priced, unit))
    assert {*terms} == {*method.terms}
    for term, price in method.terms.items():
        factor = getattr(priced.costs, price) if price else 1.0
        assert terms[term] == pytest.approx(factor * ones[term])
