"""MOCTSVMClassifier as users of scikit-learn know their classifiers."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_iris

from margintree import MOCTSVMClassifier, ObliqueTree
from margintree._lib.exceptions import InvalidInputError
from margintree.core.judges import price_margins
from margintree.core.problem import Costs, Problem
from margintree.core.result import Reason
from margintree.estimators._given import adapted
from margintree.methods import METHODS
from margintree.methods.choose import Data

IRIS = load_iris()
X, Y = IRIS.data[::5], IRIS.target_names[IRIS.target[::5]]


@pytest.fixture(scope="module")
def fitted():
    """Return a classifier fitted to a fifth of iris."""
    return MOCTSVMClassifier(c1=10.0).fit(X, Y)


def test_a_start_from_other_rows_and_less_depth_is_adapted(fitted):
    """A row far away changes the scaling; the start still routes as it did and is not lost."""
    far = 3 * X.max(axis=0)
    rows, labels = np.vstack([X, far]), np.append(Y, fitted.predict([far]))
    model = MOCTSVMClassifier(4, c1=10.0, time_limit=0, start=fitted).fit(rows, labels)
    classes, codes = np.unique(labels, return_inverse=True)
    rows_given = Data(rows, codes, np.ones(len(rows)), len(classes))
    problem = model._method.pose(rows_given.problem(), **model._posing(classes, model._features()))
    start = adapted(fitted.tree_, problem)
    np.testing.assert_allclose(
        start.split_values(problem.scaling.apply(rows))[:, :7], fitted.split_values(rows)
    )
    assert model.objective_ <= price_margins(problem, start).total + 1e-9


@pytest.mark.parametrize("method", ["search", "exact"])
def test_no_time_still_gives_a_valid_tree(method):
    """A time limit of 0 is a result with a bound, not an error."""
    model = MOCTSVMClassifier(method=method, time_limit=0).fit(X, Y)
    assert model.cost_.faults == {"ties": 0}
    assert model.bound_ <= model.objective_ + 1e-9
    assert model.result_.reason in (Reason.LIMIT, Reason.OPTIMAL)


def test_exact_proves_a_small_tree():
    """Eight rows in one dimension are proved optimal in no time."""
    model = MOCTSVMClassifier(1, c1=10.0, method="exact").fit(
        np.arange(8)[:, None], [0] * 4 + [1] * 4
    )
    assert model.optimal_
    assert model.predict([[0.0], [7.0]]).tolist() == [0, 1]


def test_the_problem_posed_is_the_one_asked_for(monkeypatch):
    """Every parameter reaches the problem and the limits under its own name."""
    seen = {}

    def record(method, problem, how):
        seen.update(method=method, problem=problem, how=how)
        raise RuntimeError("enough")

    monkeypatch.setattr("margintree.estimators._plain.solve", record)
    model = MOCTSVMClassifier(
        3,
        5.0,
        0.5,
        0.25,
        method="exact",
        solver="scip",
        time_limit=None,
        memory_limit=8,
        gap=0.01,
        max_iter=9,
        routing_margin=0.01,
        margin_term="plain",
        random_state=4,
        n_jobs=2,
        checkpoint="c.json",
    )
    with pytest.raises(RuntimeError, match="enough"):
        model.fit(X, Y)
    problem, how = seen["problem"], seen["how"]
    limits = how.limits
    assert seen["method"] is METHODS["moctsvm"]
    assert (problem.depth, problem.costs) == (3, Costs(5.0, 0.5, 0.25))
    assert (problem.routing_margin, problem.margin_term) == (0.01, "plain")
    assert (limits.seconds, limits.memory) == (np.inf, 8)
    assert (limits.gap, limits.iterations) == (0.01, 9)
    assert (limits.threads, limits.seed) == (2, 4)
    assert (how.way, how.solver, how.starts, how.checkpoint) == ("exact", "scip", (), "c.json")


def test_default_margins_are_those_of_the_problem():
    """The defaults are written in two places and must not drift apart.

    Costs are not: a problem has unit prices, and a classifier those that suit most tables.
    """
    params = MOCTSVMClassifier().get_params()
    problem = Problem.from_data([[0.0]], [0], n_classes=1, depth=1)
    assert (params["routing_margin"], params["margin_term"]) == (
        problem.routing_margin,
        problem.margin_term,
    )


def test_a_tree_without_training_rows_predicts_certainties():
    """A tree made by hand has no leaf mass; its classes get everything."""
    tree = replace(ObliqueTree.leaf(1, 1, 2, label=1), leaf_mass=np.zeros((2, 2)))
    np.testing.assert_array_equal(tree.leaf_shares(), [[0, 1], [0, 1]])


def test_many_rows_are_predicted_in_blocks(fitted):
    """Each as it is alone, and an error names the row by its place among all."""
    many = np.tile(X, (1 + 20_000 // len(X), 1))
    predicted = fitted.predict(many).reshape(-1, len(X))
    assert (predicted == fitted.predict(X)).all()
    many[10_000, 1] = 1e300
    with pytest.raises(InvalidInputError, match="1e\\+300 in row 10000, too far"):
        fitted.predict(many)
