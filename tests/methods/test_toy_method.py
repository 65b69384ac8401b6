"""A method of one's own, added as docs/extending.md says: nothing in the package is changed for it.

The toy minimises the balanced error: the mean over the classes of the weight that is misclassified
by the number of their rows.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from margintree import TreeClassifierCV, from_json, to_json, to_python
from margintree.core.cost import Cost
from margintree.core.method import Method
from margintree.estimators import ESTIMATORS, MethodClassifier
from margintree.methods import METHODS
from margintree.search.axis.cart import grow
from margintree.search.loop import run
from margintree.study.learners import learners
from margintree.study.run import run_study
from margintree.study.spec import parse_spec
from margintree.study.store import Store


class BalancedError(Method):
    """Axis-parallel trees with a small balanced error, from many greedy trees."""

    name = "balanced"
    label = "Balanced"
    terms: ClassVar = {"errors": ""}
    candidates: ClassVar = {"max_depth": (2,), "max_splits": (1, 2, 3)}
    ways = ("search",)

    def pose(self, problem, *, max_depth, max_splits=None, min_samples_leaf=0.05):
        """Return the problem of some depth, with rules."""
        return replace(problem, depth=max_depth).with_rules(min_samples_leaf, max_splits)

    def judge(self, problem, tree):
        """Return the mean over the classes of the weight that is wrong by the number of rows."""
        wrong = problem.row_weights * (tree.predict(problem.X) != problem.y)
        counts = np.bincount(problem.y)
        shares = np.bincount(problem.y, wrong)[counts > 0] / counts[counts > 0]
        faults = problem.rules.faults(problem.X, problem.row_weights, tree)
        return Cost({"errors": float(shares.mean())}, faults)

    def simplify(self, problem, tree):  # noqa: ARG002
        """Keep a tree as it is: the package's own simplifier counts every row alike."""
        return tree

    def search(self, problem, limits, starts=(), progress=None, shared=None):  # noqa: ARG002
        """Offer greedy trees of rows that weigh more or less by their classes."""
        most = 20 if limits.iterations is None else limits.iterations

        def improve(incumbent, _: Sequence) -> None:
            rng, counts = np.random.default_rng(limits.seed), np.bincount(problem.y)
            while incumbent.iterations < most and not incumbent.clock.is_over():
                factors = 1 / np.maximum(counts, 1)
                if incumbent.iterations:
                    factors = factors * rng.uniform(0.5, 2.0, len(counts))
                weights = problem.row_weights * factors[problem.y]
                least = problem.rules.least_mass / problem.row_weights.sum() * weights.sum()
                rules = replace(problem.rules, least_mass=least)
                incumbent.offer(grow(replace(problem, row_weights=weights, rules=rules)))
                incumbent.iterations += 1

        return run(self, problem, improve, limits, starts, progress)


class BalancedErrorClassifier(MethodClassifier):
    """Tree with a small balanced error."""

    _method = BalancedError()

    def __init__(
        self,
        max_depth=2,
        max_splits=None,
        *,
        min_samples_leaf=0.05,
        max_iter=None,
        smoothing=0.0,
        class_weight=None,
        random_state=None,
    ):
        self.max_depth = max_depth
        self.max_splits = max_splits
        self.min_samples_leaf = min_samples_leaf
        self.max_iter = max_iter
        self.smoothing = smoothing
        self.class_weight = class_weight
        self.random_state = random_state


@pytest.fixture
def registered(monkeypatch):
    """Make the method and its classifier known, as two lines of a user's code would."""
    monkeypatch.setitem(METHODS, BalancedError.name, BalancedErrorClassifier._method)
    monkeypatch.setitem(ESTIMATORS, "BalancedErrorClassifier", BalancedErrorClassifier)


@pytest.fixture(scope="module")
def clouds():
    """Three clouds of unequal size."""
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], [60, 20, 10])
    centres = {"a": (0, 0), "b": (2, 2), "c": (0, 3)}
    return np.array([centres[label] for label in y]) + rng.normal(0, 0.7, (90, 2)), y


@parametrize_with_checks([BalancedErrorClassifier()])
def test_the_classifier_passes_the_checks_of_scikit_learn(estimator, check):
    """Signature and method are all that it has of its own."""
    check(estimator)


def test_its_parameters_are_chosen_by_folds(clouds):
    """The same class chooses for it as for all others."""
    chosen = TreeClassifierCV(BalancedErrorClassifier(), cv=3).fit(*clouds)
    assert chosen.best_params_["max_splits"] in (2, 3)
    assert chosen.tree_.n_splits <= chosen.best_params_["max_splits"]


@pytest.mark.usefixtures("registered")
def test_it_has_a_row_in_a_study(tmp_path):
    """A specification names it; grid and nested choice are written like those of all others."""
    spec = parse_spec(
        "toy",
        """
        data_sets = ["iris"]
        repetitions = 1
        folds = 5
        depth = 2
        [methods.balanced]
        iterations = 3
        grid.max_splits = [1, 3]
        """,
    )
    store = Store(tmp_path / "study.sqlite")
    run_study(spec, store, data_sets=["iris"])
    rows = store.rows()
    assert {row.status for row in rows} == {"done"}
    assert {row.reading for row in rows} == {"grid", "nested"}
    assert learners()["balanced"].label == "Balanced"


@pytest.mark.usefixtures("registered")
def test_it_is_reported_and_exported(clouds):
    """Report, JSON and Python speak of its tree and of its cost."""
    X, y = clouds
    clf = BalancedErrorClassifier().fit(X, y)
    assert "errors" in clf.report(X, y).html
    text = to_json(clf)
    assert json.loads(text)["cost"]["terms"] == dict(clf.cost_.terms)
    assert (from_json(text).predict(X) == clf.predict(X)).all()
    module = {}
    exec(to_python(clf), module)
    assert [module["predict"](row) for row in X.tolist()] == clf.predict(X).tolist()
