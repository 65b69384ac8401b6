"""Many rows: samples, trees improved on all rows, and subtrees that are looked for anew."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from margin_searches import blobs, check, no_split, search
from margintree.core.judges import price_margins
from margintree.core.limits import Limits
from margintree.core.problem import Costs, Problem
from margintree.core.tree import ObliqueTree
from margintree.search.margin.kernel_data import NO_GRAM, make_kernel_data
from margintree.search.margin.many_rows import MANY_ROWS, Refiner, sample


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

    def find(rows, is_wrong, depth):
        return search(sample(problem, rows, is_wrong, depth, rng), Limits(iterations=4)).tree

    assert refiner.regrow(find)
    assert refiner.price() < before
    cost = price_margins(problem, refiner.tree())
    assert not cost.is_allowed or refiner.price() == pytest.approx(cost.total)


def refiner_of(problem, places, norm=10.0):
    """Return a refiner with the tree of depth two that cuts the first feature at three places."""
    normal = np.r_[norm, np.zeros(problem.n_features - 1)]
    raw = ObliqueTree.leaf(2, problem.n_features, problem.n_classes).to_dict() | {
        "weights": [normal.tolist()] * 3,
        "intercepts": [-norm * place for place in places],
        "splits": [True] * 3,
    }
    tree = ObliqueTree.from_dict(raw)
    return Refiner(problem, make_kernel_data(problem, NO_GRAM), tree, seed=0)


def test_a_new_direction_may_be_the_opposite_of_the_present_one():
    """With one feature there are only two directions, and nothing between them."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        X, y = rng.random((60, 1)), rng.integers(0, 2, 60)
        problem = Problem.from_data(X, y, n_classes=2, depth=2, costs=Costs(1.0, 1.0, 0.0))
        refiner = refiner_of(problem, rng.random(3))
        refiner.sweep()
        assert np.isfinite(refiner.working.weights).all()


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
