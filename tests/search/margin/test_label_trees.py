"""Trees whose splits see labels: the search for OCTSVM, its bound and its last step."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given

from margintree.core import topology
from margintree.core.judges import idle_price, price_labels
from margintree.core.limits import Limits
from margintree.core.problem import Costs, Problem
from margintree.core.tree import ObliqueTree
from margintree.methods import OCTSVM
from margintree.search.margin import label_trees
from margintree.search.margin.kernel_data import NO_GRAM
from margintree.search.margin.label_trees import (
    label_bound,
    make_label_data,
    refitted,
    with_other_features,
)
from margintree.testing.instances import iris
from margintree.testing.margin_oracles import cheapest_label_tree, tiny_label_problem
from strategies import problems_with_trees

TINY = [tiny_label_problem(np.random.default_rng([7, seed])) for seed in range(30)]


def never():
    """Tell that no limit is reached."""
    return False


@cache
def enumerated(number):
    """Return the oracle's answer, found once for all tests."""
    return cheapest_label_tree(TINY[number])


def test_the_search_is_close_to_the_optimum():
    """Its trees are allowed and cost what they say, in nine of ten as little as any tree.

    Kernels charge a flat price for a row on the other side. Close to a hyperplane a row pays less
    where relabelling is dear, and the search may miss such a tree.
    """
    excesses = []
    for number, problem in enumerate(TINY):
        result = OCTSVM().search(problem, Limits())
        cost = price_labels(problem, result.tree)
        assert cost.is_allowed
        assert result.objective == pytest.approx(cost.total)
        assert result.bound <= label_bound(problem) <= enumerated(number) * (1 + 1e-6)
        excesses.append(result.objective / enumerated(number) - 1)
    assert np.quantile(excesses, 0.9) < 0.05
    assert np.quantile(excesses, 0.8) < 1e-4
    assert max(excesses) < 0.2


@pytest.mark.parametrize("number", range(len(TINY)))
def test_refitting_never_costs(number):
    """Whatever the tree, its hyperplanes fitted to the labels that rows choose cost no more."""
    problem, rng = TINY[number], np.random.default_rng(number)
    raw = ObliqueTree.leaf(problem.depth, problem.n_features, 2).to_dict()
    for node in range(len(raw["splits"])):
        raw["weights"][node] = rng.normal(0, 5, problem.n_features).tolist()
        raw["intercepts"][node] = float(
            -np.dot(raw["weights"][node], rng.random(len(problem.X[0])))
        )
        raw["splits"][node] = True
    tree = ObliqueTree.from_dict(raw)
    before, after = price_labels(problem, tree), price_labels(problem, refitted(problem, tree))
    if before.is_allowed:
        assert after.total <= before.total * (1 + 1e-9)


@pytest.mark.parametrize("margin_term", ["squared", "plain"])
def test_a_refitted_split_is_the_best_of_its_features(margin_term):
    """Beside many random hyperplanes and small changes of it, for either margin term."""
    rng = np.random.default_rng(5)
    X = rng.random((12, 2))
    y = (X[:, 0] + 0.5 * rng.random(12) > 0.7).astype(int)
    costs = Costs(errors=10.0, violations=1.0, splits=0.1)
    problem = Problem.from_data(X, y, n_classes=2, depth=1, costs=costs, margin_term=margin_term)
    start = ObliqueTree.stump([1.0, 0.1], -0.5, leaf_classes=[0, 1], n_classes=2)
    best = refitted(problem, start)
    cost = price_labels(problem, best).total
    for _ in range(2000):
        size = 10.0 ** rng.uniform(-3, 0.5)
        other = replace(
            best,
            weights=best.weights + size * rng.normal(size=(1, 2)),
            intercepts=best.intercepts + size * rng.normal(size=1),
        )
        judged = price_labels(problem, other)
        assert not judged.is_allowed or judged.total >= cost * (1 - 1e-3)


@pytest.mark.parametrize("norm", ["l1", "linf"])
def test_no_linear_program_begins_when_time_is_over(norm, monkeypatch):
    """Without any time the tree is only made simpler; with time a program gets what is left."""
    seconds, real = [], label_trees.fit_hyperplanes

    def watched(problem, parts, left):
        seconds.append(left)
        return real(problem, parts, left)

    monkeypatch.setattr(label_trees, "fit_hyperplanes", watched)
    problem = Problem.from_data([[0.0], [0.4], [0.6], [1.0]], [0, 0, 1, 1], n_classes=2, depth=1)
    problem = replace(problem, norm=norm)
    start = ObliqueTree.stump([3.0], -1.3, leaf_classes=[0, 1], n_classes=2)
    assert OCTSVM().simplify_within(problem, start, 0.0) == start
    assert not seconds
    better = OCTSVM().simplify_within(problem, start, 60.0)
    assert price_labels(problem, better).total < price_labels(problem, start).total
    assert 0 < min(seconds) <= max(seconds) < 60
    assert OCTSVM().simplify(problem, start) == better


def test_a_euclidean_fit_is_made_even_if_time_is_over():
    """It is quick, and a tree that a limit cut short needs it most; a second one is left out."""
    start = ObliqueTree.stump([3.0, 1.0], -1.3, leaf_classes=[0, 1], n_classes=2)
    X, y = iris()
    problem = Problem.from_data(X[y > 0, 2:], y[y > 0] - 1, n_classes=2, depth=1)
    costs = [
        price_labels(problem, tree).total
        for tree in (start, refitted(problem, start, 0.0), refitted(problem, start))
    ]
    assert costs[0] > costs[1] >= costs[2]


def test_other_features_are_tried_where_features_are_counted():
    """The feature that parts the classes takes the place of another, or joins it if that pays."""
    rng = np.random.default_rng(3)
    X = rng.random((20, 4))
    y = (X[:, 2] > 0.5).astype(int)
    costs = Costs(errors=10.0, violations=1.0, splits=0.1, features=0.01)
    free = Problem.from_data(X, y, n_classes=2, depth=1, costs=replace(costs, features=0.0))
    start = ObliqueTree.stump([1.0, 0.0, 0.0, 0.0], -0.5, leaf_classes=[0, 1], n_classes=2)
    assert with_other_features(free, start, never) is start
    for most in (1, 2):
        problem = replace(free, costs=costs).with_rules(max_features_per_split=most)
        assert with_other_features(problem, start, lambda: True) is start
        better = with_other_features(problem, start, never)
        assert better.weights[0, 2] != 0
        assert 0 < np.count_nonzero(better.weights) <= most
        assert price_labels(problem, better).total < price_labels(problem, start).total
        assert with_other_features(problem, better, never) is better


def test_rows_pay_at_every_branch_node_for_being_called_another_class():
    """A leaf is paid once for every branch node above it at which the row is on the other side."""
    problem = Problem.from_data(
        [[0.0], [1.0]], [0, 1], n_classes=2, depth=3, costs=Costs(errors=3, violations=1)
    )
    data = make_label_data(problem, NO_GRAM)
    assert idle_price(problem) == 2.0
    np.testing.assert_array_equal(data.prices, [[0.0, 2.0], [2.0, 0.0]])
    for node in range(1, topology.n_nodes(3) + 1):
        ways = [other % 2 for other in (node, *topology.ancestors(node)) if other > 1]
        assert data.tolls[node].tolist() == [ways.count(0), ways.count(1)]
        assert data.stays[node] == 3 - topology.depth_of(node)


@given(problems_with_trees())
def test_no_tree_costs_less_than_the_bound(drawn):
    """Any tree on any small problem of two classes."""
    problem, tree = drawn
    problem = replace(problem, y=np.minimum(problem.y, 1), n_classes=2, error_costs=1.0 - np.eye(2))
    tree = ObliqueTree.from_dict(
        tree.to_dict()
        | {
            "leaf_classes": [0] * len(tree.leaf_classes),
            "leaf_mass": [[0.0, 0.0]] * len(tree.leaf_classes),
        }
    )
    for candidate in (tree, refitted(problem, tree)):
        cost = price_labels(problem, candidate)
        if cost.faults["one_sided_splits"] == 0:
            assert 0 <= label_bound(problem) <= cost.total * (1 + 1e-9) + 1e-9


def test_many_rows_keep_their_hyperplanes():
    """Where inner products would take too long, a tree is made simpler and nothing else."""
    rng = np.random.default_rng(0)
    X = rng.random((1100, 2))
    problem = Problem.from_data(X, X[:, 0] > 0.5, n_classes=2, depth=2)
    stump = ObliqueTree.stump([3.0, 0.5], -1.7, leaf_classes=[1, 0], n_classes=2).deepened(2)
    simple = refitted(problem, stump)
    np.testing.assert_array_equal(simple.weights, stump.weights)
    assert simple.leaf_classes.tolist() == [0, 0, 1, 1]
