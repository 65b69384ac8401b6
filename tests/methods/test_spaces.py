"""Methods in every space: searches, proofs and enumeration agree with the judge."""

import numpy as np
import pytest

from margintree._lib.exceptions import InvalidInputError
from margintree.core.learnt_space import SPACES
from margintree.core.limits import Limits
from margintree.core.problem import Problem
from margintree.methods import METHODS
from margintree.methods.solve import How, solve
from margintree.testing.class_oracles import cheapest_class_tree
from margintree.testing.margin_oracles import cheapest_tree

MOCTSVM, OCTSVM, CLASS_TREE = (METHODS[name] for name in ("moctsvm", "octsvm", "class-tree"))
N_TINY = 20
ENUMERATED = {"box": 2, "whitened": 2, "quadratic": 1, "whitened-quadratic": 1}
"""The number of columns with which a space has one or two features, so that the linear divisions
of the rows can be listed."""


def rows_of(seed, n_columns, n_classes=3, n_rows=6):
    """Return a few rows, some with weights."""
    rng = np.random.default_rng([28, seed])
    X, y = rng.random((n_rows, n_columns)).round(2), rng.integers(0, n_classes, n_rows)
    weights = rng.uniform(0.5, 2, n_rows) if seed % 3 == 0 else None
    return Problem.from_data(X, y, n_classes=n_classes, depth=1, row_weights=weights)


def costs_of(seed):
    c1, c2, c3 = [(1.0, 0.5, 0.1), (10.0, 1.0, 0.1), (10.0, 0.1, 1.0)][seed % 3]
    return {"max_depth": 1 + seed % 2, "c1": c1, "c2": c2, "c3": c3}


@pytest.mark.parametrize("seed", range(N_TINY))
@pytest.mark.parametrize("space", SPACES)
def test_class_trees_are_those_of_enumeration(space, seed):
    """The cost of the dynamic program is that of all hierarchies, and the judge's."""
    rows = rows_of(seed, 2, n_classes=4, n_rows=9)
    C, depth = (0.3, 3.0, 30.0)[seed % 3], 1 + seed % 3
    problem = CLASS_TREE.pose(rows, max_depth=depth, C=C, space=space)
    result = CLASS_TREE.search(problem, Limits())
    assert result.is_optimal
    assert result.objective == pytest.approx(cheapest_class_tree(problem), rel=1e-5)
    again = result.tree.in_terms().rescaled(problem.scaling)
    assert CLASS_TREE.judge(problem, again).total == pytest.approx(result.objective, rel=1e-6)


@pytest.mark.parametrize("seed", range(N_TINY))
@pytest.mark.parametrize("space", SPACES)
def test_proofs_agree_with_the_judge_and_with_enumeration(space, seed):
    """Where divisions cannot be listed, the search finds nothing cheaper than the proved tree."""
    n_columns = ENUMERATED.get(space, 2)
    problem = MOCTSVM.pose(rows_of(seed, n_columns), space=space, **costs_of(seed))
    proved = solve(MOCTSVM, problem, How("exact", limits=Limits(gap=1e-6)))
    assert proved.is_optimal
    again = proved.tree.in_terms().rescaled(problem.scaling)
    assert MOCTSVM.judge(problem, again).total == pytest.approx(proved.objective, rel=1e-6)
    if space in ENUMERATED:
        assert problem.n_features <= 2
        assert proved.objective == pytest.approx(cheapest_tree(problem).cost, rel=1e-5)
    else:
        found = MOCTSVM.search(problem, Limits(iterations=3))
        assert proved.objective <= found.objective * (1 + 1e-6)
        assert proved.bound <= found.objective


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("space", SPACES)
def test_octsvm_searches_every_space(space, seed):
    """The judge prices what the search claims; where it can, enumeration is no cheaper by much."""
    n_columns = ENUMERATED.get(space, 2)
    rows = rows_of(seed, n_columns, n_classes=2)
    problem = OCTSVM.pose(rows, max_depth=1, c1=1.0, c2=2.0, c3=0.1, space=space)
    found = OCTSVM.search(problem, Limits(iterations=5))
    assert found.cost == OCTSVM.judge(problem, found.tree)
    assert found.cost.is_allowed


@pytest.mark.parametrize("seed", range(6))
def test_budgets_count_products_as_features(seed):
    """One feature per split: the cheapest of all columns and products, by enumeration."""
    rows = rows_of(seed, 2)
    options = {"space": "quadratic", "max_features_per_split": 1}
    problem = MOCTSVM.pose(rows, **{**costs_of(seed), "max_depth": 1}, **options)
    found = MOCTSVM.search(problem, Limits(iterations=20))
    assert (np.count_nonzero(found.tree.weights, axis=1) <= 1).all()
    assert found.objective == pytest.approx(cheapest_tree(problem).cost, rel=1e-5)


def test_a_product_costs_its_columns_and_has_the_group_of_their_groups():
    """A square costs its column; products of two groups count together."""
    pose = {**costs_of(0), "space": "quadratic", "c4": 1.0}
    rows = rows_of(0, 3)
    problem = MOCTSVM.pose(rows, feature_costs=np.array([1.0, 2.0, 5.0]), **pose)
    assert problem.costs.by_feature == (1, 2, 5, 1, 3, 6, 2, 7, 5)
    problem = MOCTSVM.pose(rows, feature_groups=[7, 7, 2], **pose)
    groups = problem.feature_groups.tolist()
    assert groups[0] == groups[1] != groups[2]
    assert groups[3] == groups[4] == groups[6]  # the products inside the first two columns
    assert groups[5] == groups[7] != groups[8]
    assert len({*groups}) == 5


@pytest.mark.parametrize("space", [name for name in SPACES if name not in ("box", "quadratic")])
@pytest.mark.parametrize(
    "budget", [{"c4": 1.0}, {"max_features_per_split": 2}, {"max_features": 2}]
)
def test_budgets_need_columns_or_products(space, budget):
    """Mixed features cannot be counted; the message says what to use."""
    with pytest.raises(InvalidInputError, match=r"'box' or 'quadratic'; space=.*leave c4"):
        MOCTSVM.pose(rows_of(0, 2), **costs_of(0), space=space, **budget)


def test_a_space_that_no_budget_concerns_ignores_groups():
    """A table gives groups of its columns whether or not they are counted."""
    given = {"feature_groups": [0, 0], "feature_costs": [1.0, 2.0]}
    problem = MOCTSVM.pose(rows_of(0, 2), **costs_of(0), space="rbf", **given)
    assert not problem.counts_features
