"""Best intercepts for trees of other rows: the judge agrees, and no other intercept is cheaper."""

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from margintree.core.limits import Limits
from margintree.core.problem import Costs, Problem
from margintree.core.simplify import push_up, with_cheapest_classes
from margintree.core.tree import ObliqueTree
from margintree.methods import METHODS
from margintree.methods.solve import How, solve
from margintree.search.margin.intercepts import with_best_intercepts

MOCTSVM = METHODS["moctsvm"]


def some_problem(rng, n, depth):
    """Return random rows of three classes."""
    X, y = rng.normal(size=(n, 2)), rng.integers(0, 3, n)
    costs = Costs(10.0, 1.0, 0.1)
    return Problem.from_data(X, y, n_classes=3, depth=depth, costs=costs, routing_margin=0.01)


@settings(max_examples=25)
@given(st.integers(0, 10**6))
def test_no_intercept_of_a_stump_is_cheaper(seed):
    """The slow twin tries every place where the cost of a split may have its minimum."""
    rng = np.random.default_rng(seed)
    problem, weights = some_problem(rng, 12, depth=1), rng.normal(size=2) * 3
    stump = ObliqueTree.stump(weights, 0.1, leaf_classes=[0, 1], n_classes=3)
    stump = push_up(problem, replace(stump, scaling=problem.scaling))
    stump = with_cheapest_classes(problem, stump)
    best = MOCTSVM.judge(problem, with_best_intercepts(problem, stump))
    values = problem.X @ stump.weights[0]
    for offset in (-1.0, -0.0101, 0.0101, 1.0):
        for intercept in offset - values:
            if stump.n_splits and 0 < np.count_nonzero(values + intercept >= 0) < len(values):
                other = replace(stump, intercepts=np.array([intercept]))
                cost = MOCTSVM.judge(problem, other)
                assert not cost.is_allowed or best.total < cost.total + 1e-9


@settings(max_examples=25)
@given(st.integers(0, 10**6))
def test_a_tree_of_some_rows_is_allowed_on_all_rows(seed):
    """A tree that was allowed before costs no more than it did."""
    rng = np.random.default_rng(seed)
    problem = some_problem(rng, 60, depth=2)
    some = slice(0, 60, 3)
    part = replace(
        problem, X=problem.X[some], y=problem.y[some], row_weights=problem.row_weights[some]
    )
    tree = solve(MOCTSVM, part, How(limits=Limits(iterations=3))).tree
    before = MOCTSVM.judge(problem, tree)
    after = MOCTSVM.judge(problem, with_best_intercepts(problem, tree))
    assert after.is_allowed
    if before.is_allowed:
        assert after.total <= before.total * (1 + 1e-9)


def test_other_norms_keep_their_trees():
    """Kernels measure hyperplanes in the usual norm only."""
    problem = MOCTSVM.pose(
        some_problem(np.random.default_rng(0), 12, 1),
        max_depth=1,
        c1=1.0,
        c2=1.0,
        c3=1.0,
        norm="l1",
    )
    stump = ObliqueTree.stump([1.0, 2.0], 0.1, leaf_classes=[0, 1], n_classes=3)
    assert MOCTSVM.fitted_to(problem, stump) is stump
    assert METHODS["cart"].fitted_to(problem, stump) is stump
