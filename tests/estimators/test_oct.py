"""OCTClassifier and CARTClassifier: what is theirs alone."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from margintree import CARTClassifier, MOCTSVMClassifier, OCTClassifier
from margintree.core.problem import Costs
from margintree.methods import METHODS

IRIS = load_iris()
X, Y = IRIS.data[::2], IRIS.target[::2]


def noisy():
    """Return rows that no small tree gets right."""
    rng = np.random.default_rng(0)
    return rng.random((60, 3)), rng.integers(0, 3, 60)


@pytest.mark.parametrize("cls", [OCTClassifier, CARTClassifier])
def test_every_split_looks_at_one_feature(cls):
    """And no leaf is lighter than allowed."""
    model = cls(min_samples_leaf=0.1).fit(*noisy())
    assert (np.count_nonzero(model.tree_.weights[model.tree_.splits], axis=1) == 1).all()
    mass = model.tree_.leaf_mass.sum(axis=1)
    assert mass[mass > 0].min() >= 6


@pytest.mark.parametrize("cls", [OCTClassifier, CARTClassifier])
def test_the_objective_is_relative_to_a_single_leaf(cls):
    """Errors of the tree over errors of the largest class."""
    rows, labels = noisy()
    model = cls().fit(rows, labels)
    errors = (model.predict(rows) != labels).sum()
    assert model.objective_ == pytest.approx(errors / (60 - np.bincount(labels).max()))
    assert model.cost_.terms == {"errors": model.objective_, "splits": 0.0}
    assert model.cost_.is_allowed


def test_oct_is_never_worse_than_cart():
    """For every number of splits, with the same rules; and more splits are never worse."""
    rows, labels = noisy()
    costs = []
    for max_splits in range(8):
        ours = OCTClassifier(max_splits=max_splits).fit(rows, labels)
        cart = CARTClassifier(max_splits=max_splits).fit(rows, labels)
        assert max(ours.tree_.n_splits, cart.tree_.n_splits) <= max_splits
        assert ours.objective_ <= cart.objective_
        assert ours.optimal_
        costs.append(ours.objective_)
    assert costs[0] == pytest.approx(1.0)
    assert costs == sorted(costs, reverse=True)


def test_dear_splits_are_not_made():
    """A split costs alpha, and a tree without splits 1."""
    cheap, dear = (OCTClassifier(alpha=alpha).fit(X, Y) for alpha in (0.01, 1.0))
    assert cheap.cost_.splits == pytest.approx(0.01 * cheap.tree_.n_splits)
    assert cheap.tree_.n_splits > 1
    assert dear.tree_.n_splits == 0
    assert dear.objective_ == pytest.approx(1.0)


def test_oct_finds_what_cart_cannot():
    """On the four fields of a chequerboard no single split helps."""
    rng = np.random.default_rng(0)
    rows = rng.random((80, 2))
    labels = (rows[:, 0] > 0.5) ^ (rows[:, 1] > 0.5)
    assert OCTClassifier(2).fit(rows, labels).objective_ == 0.0
    assert CARTClassifier(2).fit(rows, labels).objective_ > 0.2


def test_a_start_of_another_method_is_taken_if_it_fits():
    """CART's tree begins a fit without time; an oblique tree does not."""
    cart, oblique = CARTClassifier().fit(X, Y), MOCTSVMClassifier(2, c1=10).fit(X, Y)
    model = OCTClassifier(time_limit=0)
    assert model.set_params(start=cart).fit(X, Y).objective_ == cart.objective_
    assert model.set_params(start=oblique).fit(X, Y).objective_ == pytest.approx(1.0)


def test_the_problem_posed_is_the_one_asked_for(monkeypatch):
    """Every parameter reaches the problem, its rules and the limits under its own name."""
    seen = {}

    def record(method, problem, how):
        seen.update(method=method, problem=problem, how=how)
        raise RuntimeError("enough")

    monkeypatch.setattr("margintree.estimators._plain.solve", record)
    model = OCTClassifier(
        2,
        0.25,
        2,
        0.1,
        method="exact",
        solver="scip",
        time_limit=None,
        gap=0.01,
        random_state=4,
        n_jobs=2,
    )
    with pytest.raises(RuntimeError, match="enough"):
        model.fit(X, Y)
    problem, how = seen["problem"], seen["how"]
    limits, rules = how.limits, problem.rules
    assert seen["method"] is METHODS["oct"]
    assert (problem.depth, problem.costs) == (2, Costs(1 / 50, 0.0, 0.25))
    assert (rules.least_mass, rules.max_splits) == (pytest.approx(7.5), 2)
    assert rules.axis_parallel
    assert (limits.seconds, limits.gap, limits.threads, limits.seed) == (np.inf, 0.01, 2, 4)
    assert (how.way, how.solver, how.starts) == ("exact", "scip", ())


def test_an_exact_solve_compiles_no_kernels_of_the_branch_and_bound(monkeypatch):
    """It starts from the tree of CART, which needs none."""
    from margintree.search.axis import branch_and_bound

    def refuse():
        raise AssertionError("kernels are compiled")

    monkeypatch.setattr(branch_and_bound, "compile_kernels", refuse)
    rows, labels = X[::5], Y[::5]
    model = OCTClassifier(2, method="exact", solver="highs").fit(rows, labels)
    assert model.optimal_
    with pytest.raises(AssertionError, match="compiled"):
        OCTClassifier(2).fit(rows, labels)
