"""Problems for tests of the margin search, and what must hold of any of its results."""

import numpy as np
import pytest

from margintree.core.judges import price_margins
from margintree.core.limits import Limits
from margintree.core.problem import Costs, Problem
from margintree.core.simplify import simplify
from margintree.core.tree import ObliqueTree
from margintree.methods import MOCTSVM
from margintree.testing.instances import INSTANCES

PROBLEMS = {instance.name: instance.problem() for instance in INSTANCES}
IRIS = PROBLEMS["irisD=2(10,1,1)"]
CLOUDS = PROBLEMS["cloudsD=2(1,1,0.1)"]


def search(problem, limits=None, starts=(), progress=None, **more):
    """Return the result of the margin search, without limits unless some are given."""
    return MOCTSVM().search(problem, limits or Limits(), starts, progress, **more)


def blobs(n_rows, n_classes=3, n_features=4, depth=3, seed=0, **changes):
    """Return a problem of overlapping clouds, one or two for each class."""
    rng = np.random.default_rng(seed)
    centres = 3 * rng.random((2 * n_classes, n_features))
    groups = rng.integers(0, len(centres), n_rows)
    X = centres[groups] + 0.3 * rng.standard_normal((n_rows, n_features))
    settings = {"n_classes": n_classes, "depth": depth, "costs": Costs(10.0, 1.0, 0.1)} | changes
    return Problem.from_data(X, groups % n_classes, **settings)


def no_split(problem):
    """Return the best tree without splits."""
    leaf = ObliqueTree.leaf(problem.depth, problem.n_features, problem.n_classes)
    return simplify(problem, leaf)


def check(problem, result):
    """Assert all that must hold of any result of the search."""
    cost = price_margins(problem, result.tree)
    assert result.cost == cost
    assert result.objective == cost.total
    assert cost.is_allowed
    assert 0 <= result.bound <= result.objective
    assert result.objective <= price_margins(problem, no_split(problem)).total
    costs = [point.objective for point in result.trace]
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] == result.objective
    seconds = [point.seconds for point in result.trace]
    assert seconds == sorted(seconds)
    assert result.tree.leaf_mass.sum() == pytest.approx(problem.row_weights.sum())
