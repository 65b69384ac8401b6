"""Results: what is proved and how far."""

from dataclasses import replace

import numpy as np
import pytest

from margintree.core.result import Reason, Result, relative_gap
from margintree.core.tree import ObliqueTree

RESULT = Result(
    tree=ObliqueTree.leaf(1, 1, 2),
    objective=10.0,
    bound=9.0,
    reason=Reason.LIMIT,
    limit="time",
    gap_limit=1e-4,
    trace=(),
    solver="scip",
    version="1",
    seconds=1.0,
)


@pytest.mark.parametrize(
    ("objective", "bound", "gap"),
    [(10, 9, 0.1), (10, 10, 0), (10, 11, 0), (0, 0, 0), (np.inf, 3, np.inf), (5, -np.inf, np.inf)],
)
def test_the_gap_is_a_share_of_the_objective_and_never_negative(objective, bound, gap):
    """A bound above the objective, by rounding, is no gap at all."""
    assert relative_gap(objective, bound) == gap


def test_optimal_means_that_the_gap_is_closed_whatever_the_reason():
    """A limit that strikes when the gap is closed does not unprove anything."""
    assert RESULT.gap == pytest.approx(0.1)
    assert not RESULT.is_optimal
    assert replace(RESULT, bound=10.0 - 1e-6).is_optimal
    assert not replace(RESULT, reason=Reason.OPTIMAL).is_optimal
