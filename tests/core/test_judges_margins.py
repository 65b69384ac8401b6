"""The judge of MOCTSVM against a slow twin that prices a tree row by row."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from margintree.core import topology
from margintree.core.judges import TIE_SLACK, price_margins
from margintree.core.problem import Costs, Problem
from margintree.core.tree import ObliqueTree
from strategies import problems_with_trees, raw_data, settings, trees


def naive_cost(problem, tree):
    """Return terms and ties as the paper prices them, one row and one node at a time."""
    errors = violations = 0.0
    ties = 0
    for x, y, weight in zip(problem.X, problem.y, problem.row_weights, strict=True):
        t = 1
        while t in topology.branch_nodes(problem.depth):
            value = float(tree.weights[t - 1] @ x + tree.intercepts[t - 1])
            if tree.splits[t - 1]:
                violations += weight * max(0.0, 1.0 - abs(value))
                ties += abs(value) < (1 - TIE_SLACK) * problem.routing_margin
            t = topology.right(t) if value >= 0 else topology.left(t)
        label = tree.leaf_classes[t - topology.n_leaves(problem.depth)]
        errors += weight * problem.error_costs[y, label]
    norms = [
        np.linalg.norm(w) for w, splits in zip(tree.weights, tree.splits, strict=True) if splits
    ]
    largest = max(norms, default=0.0)
    terms = {
        "margin": largest**2 / 2 if problem.margin_term == "squared" else largest / 2,
        "errors": problem.costs.errors * errors,
        "violations": problem.costs.violations * violations,
        "splits": problem.costs.splits * tree.splits.sum(),
    }
    return terms, ties


@given(problems_with_trees())
def test_the_judge_prices_a_tree_as_its_slow_twin_does(pair):
    """Term by term, and the terms add up."""
    cost, (terms, ties) = price_margins(*pair), naive_cost(*pair)
    assert cost.terms == pytest.approx(terms, abs=1e-9)
    assert cost.total == pytest.approx(sum(terms.values()), abs=1e-9)
    assert cost.faults == {"ties": ties}
    assert cost.is_allowed == (ties == 0)


@given(problems_with_trees())
def test_errors_are_what_predict_implies(pair):
    """With costs of one per error, the term is the weight of the rows that predict gets wrong."""
    problem, tree = pair
    K = problem.n_classes
    plain = replace(problem, error_costs=1.0 - np.eye(K), costs=Costs(errors=1.0))
    wrong = tree.predict(problem.X) != problem.y
    assert price_margins(plain, tree).errors == pytest.approx(problem.row_weights[wrong].sum())


@given(raw_data(), st.data())
def test_neither_row_order_nor_copies_change_the_cost(data, choices):
    """The same rows in another order, or given as often as they weigh, cost the same."""
    X, y, weights, n_classes = data
    setting = choices.draw(settings(n_classes))
    order = choices.draw(st.permutations(range(len(X))))
    copies = np.repeat(order, weights.astype(int)[order])
    problem = Problem.from_data(X, y, row_weights=weights, **setting)
    shuffled = Problem.from_data(X[copies], y[copies], **setting)
    tree = choices.draw(trees(X.shape[1], n_classes, problem.depth, problem.scaling))
    assert price_margins(shuffled, tree) == price_margins(problem, tree)


@given(problems_with_trees(), st.data())
def test_the_order_of_classes_does_not_change_the_cost(pair, choices):
    """Renaming the classes in the rows and in the leaves costs the same."""
    problem, tree = pair
    order = np.array(choices.draw(st.permutations(range(problem.n_classes))))
    back = np.argsort(order)
    renamed = replace(
        problem, y=order[problem.y], error_costs=problem.error_costs[np.ix_(back, back)]
    )
    same = price_margins(renamed, replace(tree, leaf_classes=order[tree.leaf_classes]))
    assert same.total == pytest.approx(price_margins(problem, tree).total)


@given(problems_with_trees())
def test_flipping_a_node_does_not_change_the_cost(pair):
    """Negating the root and swapping its subtrees gives an equivalent tree, apart from ties."""
    problem, tree = pair
    if not tree.splits[0] or (np.abs(tree.split_values(problem.X)[:, 0]) == 0).any():
        return
    levels = [np.roll(topology.level(u), 2**u // 2) - 2**u for u in range(problem.depth + 1)]
    nodes = np.concatenate([2**u - 1 + levels[u] for u in range(problem.depth)])
    signs = np.where(np.arange(len(nodes)) == 0, -1.0, 1.0)
    flipped = replace(
        tree,
        weights=tree.weights[nodes] * signs[:, None],
        intercepts=tree.intercepts[nodes] * signs,
        splits=tree.splits[nodes],
        leaf_classes=tree.leaf_classes[levels[-1]],
    )
    assert price_margins(problem, flipped).total == pytest.approx(
        price_margins(problem, tree).total
    )


def test_blocks_of_rows_change_nothing(monkeypatch):
    """Many rows cost the same whether they are looked at together or a few at a time."""
    rng = np.random.default_rng(0)
    problem = Problem.from_data(
        rng.normal(size=(60, 2)), rng.integers(0, 2, 60), n_classes=2, depth=1
    )
    tree = ObliqueTree.stump([2.0, 1.0], -1.5, leaf_classes=[0, 1], n_classes=2)
    whole = price_margins(problem, tree)
    monkeypatch.setattr("margintree.core.tree._BLOCK_ROWS", 7)
    parts = price_margins(problem, tree)
    assert parts.total == pytest.approx(whole.total)
