"""Outer approximation, when its rounds end, and what HiGHS keeps from one solve to the next."""

import numpy as np
import pytest

from margintree.core.limits import Limits
from margintree.core.result import Reason
from margintree.exact.solvers import get, highs
from margintree.testing.standard_programs import whole_cone


@pytest.fixture
def play(monkeypatch):
    """Return a function that solves `whole_cone` with given answers; the last one repeats."""

    def solve(answers):
        rounds = []

        def answer(program, *_):
            if not program.integrality.any():
                return highs._Answer(None, -np.inf, Reason.FINISHED, None)
            point, bound = answers[min(len(rounds), len(answers) - 1)]
            rounds.append(point)
            assert len(rounds) < 20
            return highs._Answer(np.array([0.0, *point]), bound, Reason.OPTIMAL, None)

        monkeypatch.setattr(highs, "_solve_linear", answer)
        return get("highs").solve(whole_cone(), Limits()), len(rounds)

    return solve


def test_a_round_that_comes_back_and_improves_nothing_is_the_last(play):
    """What is proved is returned, and no proof is claimed that is not there."""
    outcome, rounds = play([((1, 1), 0.5)])
    assert rounds == 2
    assert (outcome.objective, outcome.bound) == pytest.approx((1.0, 0.5))
    assert (outcome.reason, outcome.limit) == (Reason.FINISHED, None)


def test_equally_good_integer_solutions_are_ruled_out_one_by_one(play):
    """A round that improves nothing at a new integer solution is not the last."""
    outcome, rounds = play([((1, 1), 0.5), ((2, 0), 0.5), ((0, 2), 0.5), ((1, 1), 1.0)])
    assert rounds == 4
    assert (outcome.objective, outcome.bound) == pytest.approx((1.0, 1.0))
    assert outcome.reason is Reason.OPTIMAL


def test_the_number_of_threads_may_change_from_one_solve_to_the_next():
    """HiGHS keeps its threads, and refuses a model that asks for more or fewer of them."""
    outcomes = [get("highs").solve(whole_cone(), Limits(threads=n)) for n in (1, 2, 1)]
    assert [outcome.reason for outcome in outcomes] == [Reason.OPTIMAL] * 3
    assert len({outcome.objective for outcome in outcomes}) == 1
