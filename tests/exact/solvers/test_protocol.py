"""What all solvers share: traces that never get worse, interrupts, starts and a plain bound."""

import signal
import threading
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from margintree._lib.exceptions import SolverAbilityError, SolverMissingError
from margintree.core.limits import Limits
from margintree.core.result import Reason
from margintree.exact.solvers import get
from margintree.exact.solvers.protocol import (
    Abilities,
    Monitor,
    SolverStatus,
    check_ability,
    installed_version,
    trivial_bound,
    usable,
)
from margintree.testing.standard_programs import cone, knapsack, linear, small_cover

NUMBERS = st.floats(-1e6, 1e6)


@given(st.lists(st.tuples(NUMBERS, NUMBERS)))
def test_what_is_noted_never_gets_worse(reports):
    """Whatever a solver reports, objectives fall, bounds rise, and only changes are noted."""
    seen = []
    monitor = Monitor(Limits().clock(), progress=seen.append)
    for objective, bound in reports:
        monitor.report(objective, bound)
    assert monitor.objective == min([objective for objective, _ in reports], default=np.inf)
    assert monitor.bound == max([bound for _, bound in reports], default=-np.inf)
    assert seen == monitor.trace
    points = [(point.objective, point.bound) for point in seen]
    assert points == list(dict.fromkeys(points))
    assert all(a[0] >= b[0] and a[1] <= b[1] for a, b in pairwise(points))


def test_an_interrupt_from_progress_stops_the_solve_and_the_reports():
    """Ctrl-C inside the callback is remembered, not raised, and the callback is left alone."""
    calls = []

    def progress(point):
        calls.append(point)
        raise KeyboardInterrupt

    monitor = Monitor(Limits().clock(), progress)
    monitor.report(objective=3.0)
    monitor.report(objective=2.0)
    assert len(calls) == 1
    assert monitor.must_stop()
    assert monitor.why_stopped() == (Reason.INTERRUPTED, None)
    assert [point.objective for point in monitor.trace] == [3.0, 2.0]


def test_ctrl_c_is_heard_and_the_old_listener_comes_back():
    """Even if the solve fails."""
    before = signal.getsignal(signal.SIGINT)
    monitor = Monitor(Limits().clock())

    def fail():
        with monitor.listening():
            signal.raise_signal(signal.SIGINT)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert monitor.interrupted
    assert signal.getsignal(signal.SIGINT) is before


def test_other_threads_do_not_listen():
    """Python allows it in the main thread alone."""
    before = signal.getsignal(signal.SIGINT)
    seen = []

    def work():
        with Monitor(Limits().clock()).listening():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [before]


def test_a_limit_of_time_is_told():
    """No time left means to stop, because of the time."""
    monitor = Monitor(Limits(seconds=0.0).clock())
    assert monitor.must_stop()
    assert monitor.why_stopped() == (Reason.LIMIT, "time")


def test_values_are_computed_only_for_a_listener():
    """Values are read from a solver at a price."""
    asked, given_values = [], []

    def values():
        asked.append(1)
        return np.ones(2)

    Monitor(Limits().clock()).hand_over(values)
    assert not asked
    Monitor(Limits().clock(), found=given_values.append).hand_over(values)
    assert len(asked) == len(given_values) == 1


@pytest.mark.parametrize(
    ("program", "start", "is_usable"),
    [
        (linear(), [0.5, 0.5], True),
        (linear(), [0.5, 0.4], False),
        (linear(), [0.5, 0.5 - 4e-7], True),
        (linear(), [1e4, 1e4 - 2e-3], True),
        (small_cover(), [1, 0, 0.5], False),
        (cone("squared"), [0.25, 1.0, 1.0], False),
    ],
)
def test_a_start_is_used_if_it_is_feasible(program, start, is_usable):
    """Up to a tolerance that grows with the largest value; solvers may choke on others."""
    start = np.array(start, dtype=float)
    assert (usable(program, start) is start) == is_usable
    assert usable(program, None) is None


@given(st.integers(0, 50))
def test_the_trivial_bound_is_below_every_solution(seed):
    """Of a program with prices of either sign, for any values within the bounds."""
    rng = np.random.default_rng(seed)
    program = knapsack(6, seed)
    program = replace(
        program, objective=rng.integers(-3, 4, 6).astype(float), lower=np.full(6, -2.0)
    )
    values = rng.uniform(program.lower, program.upper, (200, 6))
    corners = np.where(program.objective > 0, program.lower, program.upper)
    assert trivial_bound(program) == pytest.approx(program.evaluate(corners))
    assert (values @ program.objective >= trivial_bound(program) - 1e-9).all()


def test_a_free_variable_that_costs_nothing_does_not_matter():
    """Otherwise 0 times infinity would be the bound."""
    program = replace(linear(), objective=np.array([0.0, 2.0]))
    assert trivial_bound(program) == 0.0


class Weak:
    """A solver without abilities, which may not even be installed."""

    name = "weak"
    abilities = Abilities(cones="", integers=False)
    installed = True

    def status(self):
        """Tell what is the case."""
        return SolverStatus(self.installed, True, "1", "It is sold in no shop.")


def test_what_a_solver_cannot_take_is_named():
    """Cones, integers, or that it is missing; a program that it can take passes."""
    check_ability(Weak(), linear())
    with pytest.raises(SolverAbilityError, match="cannot take cones, which"):
        check_ability(Weak(), cone("plain"))
    with pytest.raises(SolverAbilityError, match="cannot take integer variables"):
        check_ability(Weak(), small_cover())
    missing = Weak()
    missing.installed = False
    with pytest.raises(SolverMissingError, match=r"'weak' is not installed\. It is sold"):
        check_ability(missing, linear())


def test_versions_are_those_of_the_packages():
    """A package that is not there has none."""
    assert installed_version("numpy") == np.__version__
    assert installed_version("no-such-package-anywhere") == ""
    assert get("highs").status().version == installed_version("highspy")
