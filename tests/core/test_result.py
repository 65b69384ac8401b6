"""Results: what is proved and how far."""

from dataclasses import replace

import numpy as np
import pytest

from margintree.core.cost import Cost
from margintree.core.result import Reason, Result, relative_gap
from margintree.core.tree import ObliqueTree

RESULT = Result(
    tree=ObliqueTree.leaf(1, 1, 2),
    cost=Cost({"errors": 8.0, "splits": 2.0}),
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


def test_the_objective_is_the_total_of_the_cost():
    """The judge's word is kept once, and a better tree brings its own."""
    assert RESULT.objective == RESULT.cost.total == 10.0
    assert replace(RESULT, cost=Cost({"errors": 9.0})).gap == 0.0


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "time limit reached; not proved optimal"),
        ({"bound": 10.0}, "proved optimal"),
        ({"reason": Reason.FINISHED, "limit": None}, "search finished; not proved optimal"),
        (
            {"reason": Reason.INTERRUPTED, "limit": None},
            "interrupted; this is the best tree so far",
        ),
    ],
)
def test_why_it_ended_is_told_in_words(changes, words):
    """A proof is named whatever the reason, and a limit by its name."""
    assert replace(RESULT, **changes).ended == words
