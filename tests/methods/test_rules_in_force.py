"""Rules of a problem hold for every method, in its search and in its exact model alike."""

import numpy as np
import pytest

from margintree import InvalidInputError, MOCTSVMClassifier, OCTSVMClassifier
from margintree.core.limits import Limits
from margintree.core.problem import Costs, Problem
from margintree.core.rules import leaf_masses
from margintree.methods import METHODS
from margintree.methods.solve import How, solve
from margintree.testing.instances import tiny_problem
from margintree.testing.margin_oracles import cheapest_label_tree, cheapest_tree, tiny_label_problem

N_TINY = 20
"""Tiny instances of each method that are enumerated."""
METHODS_WITH_MARGINS = {
    "moctsvm": (tiny_problem, lambda problem: cheapest_tree(problem).cost),
    "octsvm": (tiny_label_problem, cheapest_label_tree),
}


def ruled(make, seed):
    """Return a random tiny problem with rules that can be met."""
    rng = np.random.default_rng([7, seed])
    problem = make(rng)
    rules = (
        {"min_samples_leaf": float(rng.choice([0.2, 0.3, 0.4]))},
        {"max_splits": int(rng.integers(0, 3))},
        {"min_samples_leaf": 1, "max_splits": int(rng.integers(1, 3))},
    )[seed % 3]
    return problem.with_rules(**rules)


@pytest.mark.parametrize("seed", range(N_TINY))
@pytest.mark.parametrize("name", METHODS_WITH_MARGINS)
def test_enumeration_model_and_judge_agree(name, seed):
    """The solver proves the cost that enumeration finds, by a tree that keeps the rules."""
    make, enumerated = METHODS_WITH_MARGINS[name]
    method, problem = METHODS[name], ruled(make, seed)
    best = enumerated(problem)
    proved = solve(method, problem, How("exact", limits=Limits(gap=1e-6)))
    cost = method.judge(problem, proved.tree)
    assert cost.is_allowed
    assert cost.total == pytest.approx(best, rel=2e-4, abs=1e-4)
    found = solve(method, problem, How(limits=Limits(iterations=100)))
    assert best * (1 - 1e-6) - 1e-6 <= found.objective
    assert method.judge(problem, found.tree).is_allowed


def random_problem(rng, n_rows):
    """Return overlapping clouds with a random depth, costs and weights."""
    n_classes = int(rng.integers(2, 5))
    y = rng.integers(0, n_classes, n_rows)
    X = rng.normal(size=(n_rows, 3)) + rng.normal(scale=1.5, size=(n_classes, 3))[y]
    costs = Costs(*(float(rng.choice(values)) for values in ((1, 10, 100), (0.1, 1), (0.01, 0.1))))
    weights = rng.uniform(0.2, 3.0, n_rows) if rng.random() < 0.3 else None
    depth = int(rng.integers(1, 4))
    return Problem.from_data(
        X, y, n_classes=n_classes, depth=depth, costs=costs, row_weights=weights
    )


@pytest.mark.parametrize("name", METHODS_WITH_MARGINS)
def test_the_search_obeys_on_random_problems(name):
    """On 200 random problems no leaf is too light and there are never too many splits."""
    rng = np.random.default_rng(11)
    method, n_split = METHODS[name], 0
    for _ in range(200):
        problem = random_problem(rng, n_rows=int(rng.integers(20, 50)))
        if method.max_classes is not None and problem.n_classes > method.max_classes:
            y = problem.y % method.max_classes
            problem = Problem.from_data(
                problem.X, y, n_classes=2, depth=problem.depth, costs=problem.costs
            )
        problem = problem.with_rules(
            float(rng.choice([0.0, 0.05, 0.2])), [None, 1, 2, 4][rng.integers(4)]
        )
        tree = solve(method, problem, How(limits=Limits(iterations=6))).tree
        n_split += tree.n_splits > 0
        assert tree.n_splits <= problem.max_splits
        masses = leaf_masses(problem.X, problem.row_weights, tree)
        assert masses.min() >= problem.rules.least_mass
    assert n_split > 100  # the rules are not obeyed by never splitting


def test_a_search_of_many_rows_obeys():
    """Samples and the sweeps over all rows keep the rules, too."""
    rng = np.random.default_rng(0)
    problem = random_problem(rng, n_rows=1500)
    tight = Problem.from_data(
        problem.X, problem.y, n_classes=problem.n_classes, depth=3, costs=Costs(10.0, 1.0, 0.1)
    ).with_rules(0.1, 3)
    tree = solve(METHODS["moctsvm"], tight, How(limits=Limits(iterations=8))).tree
    assert 0 < tree.n_splits <= 3
    assert leaf_masses(tight.X, tight.row_weights, tree).min() >= tight.rules.least_mass


def test_a_start_that_breaks_the_rules_is_pruned():
    """The tree of a looser fit is no way around the rules."""
    rng = np.random.default_rng(5)
    X, y = rng.random((60, 2)), rng.integers(0, 3, 60)
    loose = MOCTSVMClassifier(max_depth=3, c1=100.0, max_iter=20).fit(X, y)
    tight = MOCTSVMClassifier(
        max_depth=3, c1=100.0, max_iter=20, max_splits=2, min_samples_leaf=10, start=loose
    ).fit(X, y)
    assert loose.tree_.n_splits > 2 >= tight.tree_.n_splits
    assert tight.tree_.leaf_mass.sum(axis=1)[np.unique(tight.apply(X)) - 8].min() >= 10


@pytest.mark.parametrize("classifier", [MOCTSVMClassifier, OCTSVMClassifier])
@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ({"min_samples_leaf": 0.6}, "range"),
        ({"min_samples_leaf": 4}, "from 0 to half of it, which"),
    ],
)
def test_a_rule_that_cannot_be_met_is_an_error(classifier, rule, message):
    """More than half of all weight in every leaf leaves no room for a split."""
    X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    with pytest.raises((InvalidInputError, ValueError), match=message):
        classifier(**rule).fit(X, y)
