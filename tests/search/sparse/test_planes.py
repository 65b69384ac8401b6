"""Hyperplanes of maximum margin for the routing of a tree."""

from dataclasses import replace

import numpy as np
import pytest

from margintree import OCTHClassifier
from margintree._lib.exceptions import InvalidInputError
from margintree.core.limits import Limits
from margintree.core.problem import Problem
from margintree.core.rules import closest_values, widths
from margintree.methods import METHODS
from margintree.search.sparse.planes import with_margin_planes
from margintree.testing.error_oracles import tiny_oblique_problem

OCTH = METHODS["octh"]


def margins(problem, tree):
    """Return the distance between the sides of every split."""
    low, high = closest_values(problem.X, tree)
    sizes = np.linalg.norm(tree.weights[tree.splits], axis=1)
    return (high - low)[tree.splits] / sizes


@pytest.mark.parametrize("seed", range(30))
def test_rows_keep_their_way_and_margins_grow(seed):
    """Errors, splits and rules stay as they are; no margin is narrower than before."""
    problem = tiny_oblique_problem(np.random.default_rng(seed))
    problem = replace(problem, costs=replace(problem.costs, features=0.0))
    found = OCTH.search(problem, Limits(iterations=3)).tree
    placed = with_margin_planes(problem, found)
    np.testing.assert_array_equal(placed.apply(problem.X), found.apply(problem.X))
    assert OCTH.judge(problem, placed) == OCTH.judge(problem, found)
    assert (margins(problem, placed) >= margins(problem, found) * (1 - 1e-3)).all()
    assert (widths(problem.X, placed)[placed.splits] >= problem.rules.separation * (1 - 1e-6)).all()


def test_a_split_that_would_become_too_narrow_stays():
    """The hyperplane of maximum margin may be too narrow in the norm of the rule."""
    X = [[0.0, 0.0], [1.0, 1.0], [0.9, 0.0], [0.4, 0.1]]
    problem = Problem.from_data(X, [0, 1, 1, 0], n_classes=2, depth=1).with_rules(separation=0.01)
    tree = OCTH.search(problem, Limits(iterations=3)).tree
    wide = problem.with_rules(separation=float(widths(problem.X, tree)[0]) * (1 - 1e-6))
    assert with_margin_planes(problem, tree) != tree
    assert with_margin_planes(wide, tree) == tree


@pytest.mark.parametrize("method", ["search", "exact"])
def test_the_classifier_places_its_planes(method):
    """By search or by the model, the cost is that of the centred tree, and the judge's."""
    rng = np.random.default_rng(0)
    X = rng.random((12, 2))
    y = (X.sum(axis=1) > 1).astype(int)
    given = {"max_depth": 1, "alpha": 0.01, "complexity": "splits"}
    centred, placed = (
        OCTHClassifier(**given, planes=planes, method=method).fit(X, y)
        for planes in ("centred", "margin")
    )
    assert placed.objective_ == pytest.approx(centred.objective_, abs=1e-12)
    np.testing.assert_array_equal(placed.predict(X), centred.predict(X))
    rows = Problem.from_data(X, y, n_classes=2, depth=1)
    problem = OCTH.pose(rows, **given, planes="margin")
    assert OCTH.judge(problem, placed.tree_) == placed.cost_
    assert np.count_nonzero(placed.tree_.weights) == 2
    assert margins(problem, placed.tree_) >= margins(problem, centred.tree_) * (1 - 1e-6)


def test_a_price_of_features_does_not_fit_margin_planes():
    """The message says why, and what to set."""
    with pytest.raises(InvalidInputError, match="complexity='splits'"):
        OCTHClassifier(planes="margin").fit([[0.0], [1.0]], [0, 1])
