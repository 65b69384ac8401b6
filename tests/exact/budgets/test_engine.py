"""Proofs for splits on one or two features agree with enumeration, and obey limits."""

from dataclasses import replace

import numpy as np
import pytest

from margintree import MOCTSVMClassifier
from margintree._lib.exceptions import InvalidInputError
from margintree.core.judges import price_margins
from margintree.core.limits import Limits
from margintree.core.problem import Costs, Problem
from margintree.core.result import Reason
from margintree.exact.budgets import engine, first_split, floors, obstacles
from margintree.exact.budgets.engine import prove_in_planes
from margintree.exact.budgets.obstacles import obstacle
from margintree.methods import METHODS
from margintree.methods.solve import How, solve
from margintree.testing.instances import tiny_problem
from margintree.testing.margin_oracles import cheapest_tree

MOCTSVM = METHODS["moctsvm"]
NO_SEARCH = Limits(gap=1e-6, iterations=0)


def with_budget(seed):
    """Return a tiny problem of one or two features, with a budget and perhaps a price."""
    rng = np.random.default_rng([14, seed])
    posed = tiny_problem(rng).with_rules(max_features_per_split=1 + seed % 2)
    prices = {"features": 0.3, "by_feature": tuple(rng.uniform(0.5, 2, posed.n_features).tolist())}
    costs = replace(posed.costs, **prices) if seed % 3 == 0 else posed.costs
    return replace(posed, costs=costs)


def three_features(seed):
    """Return a tiny problem of three features, of which a split may use one or two."""
    rng = np.random.default_rng([15, seed])
    n = 5 if seed % 4 == 3 else 7
    posed = Problem.from_data(
        rng.random((n, 3)).round(2),
        np.append([0, 1], rng.integers(0, 3, n - 2)),
        n_classes=3,
        depth=2 if n == 5 else 1,
        costs=Costs(*rng.choice([0.5, 1, 10], 3), features=float(rng.choice([0, 0.2]))),
        margin_term="plain" if seed % 5 == 0 else "squared",
    )
    return posed.with_rules(max_features_per_split=1 + seed % 2)


def fold(n=40, p=4, depth=2, budget=2, seed=0):
    """Return a problem that takes a while."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, p))
    y = (X[:, 0] + X[:, 1] > 1).astype(int) + (X[:, 2] > 0.6)
    y = np.where(rng.random(n) < 0.2, rng.integers(0, 3, n), y)
    posed = Problem.from_data(X, y, n_classes=3, depth=depth, costs=Costs(10.0, 1.0, 1.0))
    return posed.with_rules(max_features_per_split=budget)


def check_against_enumeration(problem):
    """Check the cost, the bound and the tree of a proof without the help of a search."""
    best = cheapest_tree(problem).cost
    proved = prove_in_planes(MOCTSVM, problem, NO_SEARCH)
    assert proved.is_optimal
    assert proved.objective == pytest.approx(best, rel=1e-5, abs=1e-7)
    assert proved.bound <= best * (1 + 1e-7) + 1e-12
    assert proved.cost == price_margins(problem, proved.tree)
    assert proved.cost.is_allowed


@pytest.mark.parametrize("seed", range(60))
def test_proofs_agree_with_enumeration(seed):
    """Both norms, weights, cost matrices, equal rows, prices of features, depth one and two."""
    check_against_enumeration(with_budget(seed))


@pytest.mark.parametrize("seed", range(24))
def test_proofs_agree_with_enumeration_of_all_supports(seed):
    """Of three features, with budgets of one and two."""
    check_against_enumeration(three_features(seed))


@pytest.mark.parametrize("seed", range(4))
def test_scip_proves_the_same(seed):
    """On more rows than can be enumerated."""
    problem = fold(n=14, p=3, depth=1 + seed % 2, budget=1 + seed // 2, seed=seed)
    native, scip = (
        solve(MOCTSVM, problem, How("exact", solver, Limits(seconds=60)))
        for solver in ("native", "scip")
    )
    assert native.is_optimal
    assert scip.bound <= native.objective * (1 + 1e-6)
    assert scip.objective >= native.bound * (1 - 1e-6)


def test_auto_takes_the_native_engine_for_such_a_budget():
    """The classifier says so, and its tree keeps the budget."""
    problem = fold(n=20)
    model = MOCTSVMClassifier(
        method="exact", max_depth=2, c1=10.0, c2=1.0, c3=1.0, max_features_per_split=2
    ).fit(problem.X, problem.y)
    assert model.result_.solver == "native"
    assert model.result_.is_optimal
    assert np.count_nonzero(model.tree_.weights, axis=1).max() <= 2


def test_a_budget_never_makes_a_tree_cheaper():
    """The optimum with one feature costs no less than with two, and this no less than dense."""
    one, two, dense = (
        solve(MOCTSVM, problem, How("exact", limits=Limits(gap=1e-6))).objective
        for problem in (fold(24, budget=1), fold(24, budget=2), fold(24, budget=None))
    )
    assert dense <= two * (1 + 1e-6) <= one * (1 + 1e-5)


def test_what_the_planes_cannot_prove_goes_to_scip():
    """Three features per split, or a budget for the tree, which are refused by name."""
    three = fold(10, budget=3)
    with pytest.raises(InvalidInputError, match="at most 2 features; max_features_per_split is 3"):
        solve(MOCTSVM, three, How("exact", "native"))
    tree = fold(10).with_rules(max_features_per_split=2, max_features=2)
    with pytest.raises(InvalidInputError, match="not know max_features together with a budget"):
        solve(MOCTSVM, tree, How("exact", "native"))
    assert solve(MOCTSVM, tree, How("exact", limits=Limits(seconds=2))).solver != "native"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"depth": 3}, "at most 2 levels of splits"),
        ({"routing_margin": 1e-9}, "routing_margin of at least 1e-06"),
        ({"rules": {"min_samples_leaf": 2}}, "not know min_samples_leaf"),
        ({"rules": {"max_splits": 1}}, "not know max_splits"),
        ({"rules": {"feature_groups": [0, 0, 1, 1]}}, "not know feature_groups"),
    ],
)
def test_other_rules_are_refused_by_name(change, words):
    """A rule that the proofs would ignore must not be ignored in silence."""
    problem = fold(10)
    if "rules" in change:
        problem = problem.with_rules(max_features_per_split=2, **change["rules"])
    else:
        problem = replace(problem, **change)
    assert words in obstacles.obstacle(problem)
    with pytest.raises(InvalidInputError, match=words):
        prove_in_planes(MOCTSVM, problem, Limits())


def test_too_many_planes_are_refused_with_their_number(monkeypatch):
    """Memory for every pair of rows in every plane is counted before it is taken."""
    monkeypatch.setattr(obstacles, "MOST_POSITIONS", 100)
    assert "at most 100 pairs of rows times pairs of features" in obstacles.obstacle(fold(10))


def test_a_certificate_is_refused_in_plain_words(tmp_path):
    """These proofs write none."""
    how = How("exact", certificate=tmp_path / "proof.npz")
    with pytest.raises(InvalidInputError, match="max_features_per_split has no certificate yet"):
        solve(MOCTSVM, fold(10), how)


def test_a_limit_of_nodes_leaves_a_tree_and_a_bound():
    """The bound grows with the limit and never exceeds the optimum."""
    problem = fold()
    whole = prove_in_planes(MOCTSVM, problem, Limits())
    assert whole.is_optimal
    bounds = []
    for nodes in (0, 1, 8, 64):
        part = prove_in_planes(MOCTSVM, problem, Limits(nodes=nodes))
        assert part.is_optimal or (part.reason is Reason.LIMIT and part.limit == "nodes")
        bounds.append(part.bound)
    assert bounds == sorted(bounds)
    assert bounds[0] < bounds[-1] <= whole.objective


@pytest.mark.parametrize("when", ["screened", "solve_one"])
def test_an_interrupt_leaves_what_is_known(monkeypatch, when):
    """Ctrl-C during either part of a proof returns the best tree."""

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(engine._BudgetEngine, when, stop)
    monkeypatch.setattr(engine, "compile_kernels", lambda _: None)
    found = prove_in_planes(MOCTSVM, fold(20), Limits(iterations=5))
    assert found.reason is Reason.INTERRUPTED
    assert found.bound < found.objective


def test_a_time_limit_stops_the_proof():
    """No time at all still gives a tree, and the bound of the method."""
    found = prove_in_planes(MOCTSVM, fold(), Limits(seconds=1e-9))
    assert found.reason is Reason.LIMIT
    assert found.limit == "time"
    assert 0 <= found.bound < found.objective


@pytest.mark.parametrize("n_looks", range(6))
def test_the_listing_of_first_splits_obeys_limits(n_looks, monkeypatch):
    """Nothing long runs after a look at the clock that finds the time over, wherever that is."""
    looks, since = [], []

    def may_go_on(self):
        looks.append(1)
        self.is_cut_short = len(looks) > n_looks
        return not self.is_cut_short

    for module, name in (
        (first_split, "divide"),
        (first_split.Divisions, "distinct"),
        (floors, "leaf_prices"),
        (engine, "screen"),
    ):
        real = getattr(module, name)

        def watched(*arguments, real=real):
            since.append(len(looks))
            return real(*arguments)

        monkeypatch.setattr(module, name, watched)
    monkeypatch.setattr(engine, "compile_kernels", lambda _: None)
    monkeypatch.setattr(floors, "AT_ONCE", 20)
    monkeypatch.setattr(engine._BudgetEngine, "may_go_on", may_go_on)
    found = prove_in_planes(MOCTSVM, fold(12), NO_SEARCH)
    assert found.reason is Reason.LIMIT
    assert 0 <= found.bound < found.objective
    assert len(looks) == n_looks + 1
    assert since == [*range(2, n_looks + 1)]


def test_a_checkpoint_keeps_tree_and_bound(tmp_path):
    """A solve that was cut short goes on with what it knew."""
    path, problem = tmp_path / "solve.json", fold(24)
    short = solve(
        MOCTSVM, problem, How("exact", limits=Limits(nodes=4, iterations=2), checkpoint=path)
    )
    none = Limits(nodes=0, iterations=0)
    again = solve(MOCTSVM, problem, How("exact", limits=none, checkpoint=path))
    assert again.bound >= short.bound * (1 - 1e-9)
    assert again.objective <= short.objective * (1 + 1e-9)


def test_progress_hears_of_trees_and_bounds():
    """The trace that it hears is that of the result; costs fall and bounds rise."""
    heard = []
    found = prove_in_planes(MOCTSVM, fold(24), Limits(), progress=heard.append)
    bounds = [point.bound for point in found.trace]
    assert bounds == sorted(bounds)
    assert heard[-1].bound == pytest.approx(found.bound)


def test_groups_of_one_feature_each_are_no_obstacle():
    """A table of numbers has such groups; they mean the same as none."""
    rng = np.random.default_rng(0)
    problem = Problem.from_data(rng.uniform(size=(9, 3)), [0, 1, 2] * 3, n_classes=3, depth=1)
    alone = problem.with_rules(0, None, max_features_per_split=2, feature_groups=[5, 9, 7])
    assert alone.rules.feature_groups is None
    assert obstacle(alone) == ""
    pairs = problem.with_rules(0, None, max_features_per_split=2, feature_groups=[5, 5, 7])
    assert obstacle(pairs) == (
        "does not know feature_groups together with a budget of features, which were given."
    )
