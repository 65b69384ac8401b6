"""Norms in methods and classifiers: who takes them, who refuses them, what they lead to."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from margintree import MOCTSVMClassifier, OCTSVMClassifier, from_json, to_json
from margintree._lib.exceptions import InvalidInputError
from margintree.core.bound import lower_bound
from margintree.core.limits import Limits
from margintree.core.problem import Costs, Problem
from margintree.exact.checkpoint import Checkpoint
from margintree.methods import METHODS
from margintree.methods.path import path
from margintree.methods.solve import How, solve
from margintree.testing.instances import iris, tiny_problem
from margintree.testing.margin_oracles import cheapest_tree

X, Y = iris()
ROWS = Problem.from_data(X, Y, n_classes=3, depth=2)
MOCTSVM = METHODS["moctsvm"]
OTHERS = ["l1", "linf"]


@pytest.mark.parametrize("norm", OTHERS)
@pytest.mark.parametrize("seed", range(3))
def test_an_exact_solve_proves_what_enumeration_finds(seed, norm):
    """The usual solver is SCIP then, from the tree of the search."""
    problem = replace(tiny_problem(np.random.default_rng([5, seed])), norm=norm)
    found = solve(MOCTSVM, problem, How("exact", limits=Limits(gap=1e-6)))
    assert found.is_optimal
    assert found.objective == pytest.approx(cheapest_tree(problem).cost, rel=1e-5)


def test_the_native_engine_refuses_other_norms():
    """With and without a budget of features, and "auto" then takes SCIP."""
    problem = replace(ROWS, norm="l1", costs=Costs(10.0, 1.0, 1.0))
    for posed in (problem, problem.with_rules(max_features_per_split=1)):
        with pytest.raises(InvalidInputError, match=r"Euclidean margins only; norm='l1'.*'scip'"):
            solve(MOCTSVM, posed, How("exact", "native"))
    limits = Limits(seconds=3.0, iterations=1)
    assert solve(MOCTSVM, problem, How("exact", limits=limits)).solver == "scip"


def test_a_path_over_norms_keeps_them_apart():
    """Bounds and trees of every point are those of its own norm."""
    costs = {"max_depth": 1, "c1": 10.0, "c2": 1.0, "c3": 1.0}
    points = [costs | {"norm": norm} for norm in ("l1", "l2", "linf")]
    results = path(MOCTSVM, ROWS, points, Limits(iterations=20))
    for point, result in zip(points, results, strict=True):
        problem = MOCTSVM.pose(ROWS, **point)
        assert result.objective == pytest.approx(MOCTSVM.judge(problem, result.tree).total)
        assert result.bound == pytest.approx(lower_bound(problem))


def test_a_checkpoint_belongs_to_one_norm(tmp_path):
    """The fingerprint of a problem tells norms apart."""
    tree = solve(MOCTSVM, ROWS, How(limits=Limits(iterations=1))).tree
    Checkpoint(tmp_path / "c.json", ROWS).keep(tree, objective=1.0, bound=0.0)
    with pytest.raises(InvalidInputError, match="must belong to the same problem"):
        Checkpoint(tmp_path / "c.json", replace(ROWS, norm="l1"))


@pytest.mark.parametrize("space", ["whitened", "rbf"])
def test_a_norm_needs_features_that_mean_something(space):
    """In a mixed space the weights of single features depend on the basis."""
    with pytest.raises(InvalidInputError, match=r"norm='l1' measures.*'quadratic'; space="):
        MOCTSVMClassifier(2, norm="l1", space=space).fit(X, Y)
    assert MOCTSVMClassifier(2, norm="l1", space="quadratic", max_iter=3).fit(X, Y).bound_ > 0


def test_points_need_the_euclidean_norm():
    """The message says what to leave out."""
    with pytest.raises(InvalidInputError, match=r"rounding need norm='l2'; norm='linf'.*Leave"):
        MOCTSVMClassifier(2, norm="linf", points=5).fit(X, Y)


@pytest.mark.parametrize("norm", OTHERS)
def test_a_model_file_keeps_the_norm(norm):
    """The classifier comes back with it, and costs what it did."""
    fitted = MOCTSVMClassifier(2, norm=norm, max_iter=5).fit(X, Y)
    again = from_json(to_json(fitted))
    assert again.norm == norm
    assert again.objective_ == fitted.objective_
    assert (again.predict(X) == fitted.predict(X)).all()


def test_the_sum_of_weights_as_price_leaves_weights_out():
    """On rows with many columns that say nothing, l1 splits use fewer of them than others."""
    rng = np.random.default_rng(0)
    rows = rng.random((60, 12))
    labels = (rows[:, 0] + rows[:, 1] > 1).astype(int)
    used = {}
    for norm in ("l2", *OTHERS):
        fitted = MOCTSVMClassifier(1, c1=100.0, c3=1.0, norm=norm, max_iter=60).fit(rows, labels)
        used[norm] = int((np.abs(fitted.tree_.weights) > 1e-6).sum())
    assert used["l1"] < used["l2"] == used["linf"] == 12


@parametrize_with_checks(
    [
        MOCTSVMClassifier(2, c1=10.0, norm="l1", max_iter=5),
        OCTSVMClassifier(2, c1=10.0, c2=10.0, norm="linf", max_iter=5),
    ]
)
def test_scikit_learn_accepts_the_classifiers(estimator, check):
    """All checks of scikit-learn's suite, in another norm."""
    check(estimator)
