"""Many rows: samples, trees improved on all rows, and subtrees that are looked for anew."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from margin_searches import blobs, check, no_split, search
from margintree.core.judges import price_margins
from margintree.core.limits import Limits
from margintree.core.problem import Costs, Problem
from margintree.core.tree import ObliqueTree
from margintree.search.margin.growth import grow
from margintree.search.margin.kernel_data import NO_GRAM, make_kernel_data, to_working_tree
from margintree.search.margin.many_rows import MANY_ROWS, Refiner, graft, sample


@pytest.mark.parametrize("norm", ["squared", "plain"])
def test_many_rows_are_searched_by_way_of_a_sample(norm):
    """The tree is valid on all rows, far cheaper than none, and the same on two threads."""
    problem = blobs(4000, margin_term=norm)
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
    refiner = refiner_of(problem, [0.5, 0.3, 0.8])
    rng, before = np.random.default_rng(0), refiner.price()

    def renew(other, node, rows):
        part = sample(problem, rows, np.zeros(len(rows), dtype=bool), 3 - node.bit_length(), rng)
        found = search(part, Limits(iterations=4)).tree.deepened(2)
        graft(to_working_tree(other.data, found), other.working, node)

    refiner.regrow(renew, [1, 3])
    assert refiner.price() < before
    cost = price_margins(problem, refiner.tree())
    assert not cost.is_allowed or refiner.price() == pytest.approx(cost.total)


def test_a_subtree_that_spoils_the_tree_is_not_kept():
    """Nodes that nothing was tried at, and those where it was worse, stay as they are."""
    problem = blobs(2000, depth=2)
    refiner = refiner_of(problem, [0.5, 0.3, 0.8])
    refiner.refine()
    tree = refiner.tree()

    def spoil(other, node, rows):
        assert len(rows) > 0
        other.working.splits[node] = False
        other.working.labels[node] = 0

    assert tree.n_splits > 1
    refiner.regrow(spoil, refiner.nodes())
    assert refiner.tree() == tree


def test_refinement_prices_no_tree_higher_and_leaves_no_row_within_the_routing_margin():
    """The tree of a sample has rows on its hyperplanes; its norm first rises, then falls."""
    rng = np.random.default_rng(0)
    X = rng.random((5000, 2))
    problem = Problem.from_data(
        X, X[:, 0] + 0.3 * rng.random(5000) > 0.6, n_classes=2, depth=2, costs=Costs(10.0, 0.0, 0.1)
    )
    refiner = refiner_of(problem, [0.45, 0.2, 0.8], norm=1.0)
    assert refiner.working.scale[0] == pytest.approx(problem.routing_margin * problem.n_rows)
    prices = [refiner.price()]
    refiner.refine(lambda: prices.append(refiner.price()))
    cost = price_margins(problem, refiner.tree())
    assert cost.is_allowed
    assert cost.total == pytest.approx(refiner.price())
    assert cost.total < 0.3 * price_margins(problem, no_split(problem)).total
    assert refiner.working.scale[0] < problem.routing_margin * problem.n_rows


def test_a_split_that_does_not_pay_is_pruned():
    """One that costs more than it saves goes, and so does one above a better split."""
    problem = replace(blobs(2000, depth=2), costs=Costs(1.0, 0.0, 1e6))
    refiner = refiner_of(problem, [0.5, 0.3, 0.8])
    refiner.sweep()
    assert refiner.tree().n_splits == 0


@pytest.mark.parametrize("rules", [(1, 2), (300, 7)])
def test_refinement_and_new_subtrees_obey(rules):
    """The tree that comes in obeys, and so does every later one."""
    problem = blobs(2000, depth=3).with_rules(*rules)
    leaf = ObliqueTree.leaf(3, problem.n_features, problem.n_classes)
    refiner = Refiner(problem, make_kernel_data(problem, NO_GRAM), leaf)
    rng = np.random.default_rng(0)

    def renew(other, node, rows):
        grow(problem, other.data, other.working, node, rows, rng)

    for _ in range(3):
        refiner.regrow(renew, refiner.nodes())
        refiner.refine()
        tree = refiner.tree()
        assert 0 < tree.n_splits <= rules[1]
        masses = np.bincount(tree.apply(problem.X))
        assert masses[masses > 0].min() >= rules[0]


def refiner_of(problem, places, norm=10.0):
    """Return a refiner with the tree of depth two that cuts the first feature at three places."""
    normal = np.r_[norm, np.zeros(problem.n_features - 1)]
    raw = ObliqueTree.leaf(2, problem.n_features, problem.n_classes).to_dict() | {
        "weights": [normal.tolist()] * 3,
        "intercepts": [-norm * place for place in places],
        "splits": [True] * 3,
    }
    tree = ObliqueTree.from_dict(raw)
    return Refiner(problem, make_kernel_data(problem, NO_GRAM), tree)


def test_a_new_direction_may_be_the_opposite_of_the_present_one():
    """With one feature there are only two directions, and nothing between them."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        X, y = rng.random((60, 1)), rng.integers(0, 2, 60)
        problem = Problem.from_data(X, y, n_classes=2, depth=2, costs=Costs(1.0, 1.0, 0.0))
        refiner = refiner_of(problem, rng.random(3))
        refiner.sweep()
        assert np.isfinite(refiner.working.weights).all()


def test_a_sweep_that_does_not_turn_keeps_directions():
    """Hyperplanes move by their intercepts, and no row stays within the routing margin."""
    problem = blobs(3000)
    rows, plain, rng = np.arange(3000), np.zeros(3000, bool), np.random.default_rng(0)
    tree = search(sample(problem, rows, plain, 3, rng, 100), Limits(iterations=20)).tree
    on_first = tree.intercepts - tree.split_values(problem.X[:1])[0]
    tree = replace(tree, intercepts=np.where(tree.splits, on_first, -1.0))
    refiner = Refiner(problem, make_kernel_data(problem, NO_GRAM), tree)
    before = refiner.price()
    refiner.sweep(turns=False)
    moved = refiner.tree()
    assert not price_margins(problem, tree).is_allowed
    assert price_margins(problem, moved).is_allowed
    assert price_margins(problem, moved).total == pytest.approx(refiner.price())
    assert refiner.price() < before
    units = [
        one.weights[one.splits] / np.linalg.norm(one.weights[one.splits], axis=1, keepdims=True)
        for one in (tree, moved)
    ]
    assert np.abs(units[1] @ units[0].T).max(axis=1) == pytest.approx(1.0)


def test_rows_that_pull_nowhere_are_no_trouble():
    """Violations are free and both sides predict the same: there is nothing to improve."""
    X = np.random.default_rng(0).random((60, 2))
    problem = Problem.from_data(X, np.zeros(60), n_classes=2, depth=2, costs=Costs(1.0, 0.0, 0.1))
    refiner = refiner_of(problem, [0.5, 0.3, 0.8])
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
