"""Every solver against the same list of programs."""

import signal
import threading
from itertools import pairwise

import numpy as np
import pytest

from margintree.core.limits import Limits, resident_memory
from margintree.core.result import Reason
from margintree.exact.solvers import SOLVERS
from margintree.testing.standard_programs import STANDARD_PROGRAMS, knapsack

HARD = knapsack(60, seed=3)
EVERYTHING = np.ones(HARD.n_variables)


@pytest.fixture(params=sorted(SOLVERS))
def solver(request):
    found = SOLVERS[request.param]
    if not found.status().installed:
        pytest.skip(f"{request.param} is not installed")
    return found


@pytest.mark.parametrize("standard", STANDARD_PROGRAMS, ids=lambda standard: standard.name)
def test_known_answers(solver, standard):
    """Reason and optimum are the known ones, and the values are feasible."""
    program = standard.make()
    outcome = solver.solve(program, Limits(seconds=30, gap=1e-6))
    assert outcome.reason is standard.reason
    assert outcome.limit is None
    assert outcome.objective == pytest.approx(standard.objective, rel=1e-5)
    assert outcome.bound == pytest.approx(standard.objective, rel=1e-5)
    if outcome.values is not None:
        assert program.violation(outcome.values) < 1e-5
    assert (outcome.values is None) == (standard.reason is Reason.INFEASIBLE)
    assert outcome.solver == solver.name
    assert outcome.version


def test_no_time_and_no_start_is_an_outcome(solver):
    """A time limit of zero without a start gives no values, no error and a valid bound."""
    outcome = solver.solve(HARD, Limits(seconds=0))
    assert outcome.values is None
    assert outcome.objective == np.inf
    assert (outcome.reason, outcome.limit) == (Reason.LIMIT, "time")
    assert outcome.bound <= HARD.evaluate(EVERYTHING)


def test_no_time_returns_the_start(solver):
    """A time limit of zero gives the start back."""
    outcome = solver.solve(HARD, Limits(seconds=0), EVERYTHING)
    assert outcome.values is not None
    assert (outcome.reason, outcome.limit) == (Reason.LIMIT, "time")
    assert outcome.objective == pytest.approx(HARD.evaluate(EVERYTHING))


def test_no_memory_returns_the_start(solver):
    """Memory that is full from the beginning gives the start back, and the limit is named."""
    outcome = solver.solve(HARD, Limits(seconds=60, memory=0.01), EVERYTHING)
    assert (outcome.reason, outcome.limit) == (Reason.LIMIT, "memory")
    assert outcome.objective == pytest.approx(HARD.evaluate(EVERYTHING))
    assert outcome.bound <= outcome.objective


def test_memory_that_fills_up_ends_the_solve(solver):
    """What was proved by then is kept."""
    hoard = []

    def fill(point):
        if point.bound > 0 and not hoard:
            hoard.append(np.ones(2**26))  # half a GiB

    hard, everything = knapsack(120, seed=1), np.ones(120)
    limits = Limits(seconds=60, gap=0.0, memory=resident_memory() + 0.25)
    outcome = solver.solve(hard, limits, everything, fill)
    assert (outcome.reason, outcome.limit) == (Reason.LIMIT, "memory")
    assert 0 < outcome.bound < outcome.objective <= hard.evaluate(everything)


def test_enough_memory_changes_nothing(solver):
    """The outcome is the one without a limit."""
    program = knapsack(20)
    free, limited = (solver.solve(program, Limits(memory=most)) for most in (np.inf, 1000))
    assert limited.reason is free.reason is Reason.OPTIMAL
    assert (limited.objective, limited.bound) == (free.objective, free.bound)


def test_a_node_limit_leaves_a_gap(solver):
    """After one node there is a solution, a bound below it, and the limit is named."""
    outcome = solver.solve(HARD, Limits(seconds=60, nodes=1, gap=0.0), EVERYTHING)
    assert (outcome.reason, outcome.limit) == (Reason.LIMIT, "nodes")
    assert 0 < outcome.bound < outcome.objective <= HARD.evaluate(EVERYTHING)


def test_an_infeasible_start_is_ignored(solver):
    """A start that breaks the rows does no harm."""
    program = STANDARD_PROGRAMS[1].make()
    outcome = solver.solve(program, Limits(seconds=30), np.zeros(3))
    assert outcome.objective == pytest.approx(8.0)


def test_progress_is_told_of_every_improvement(solver):
    """The callback sees what the trace holds: falling objectives and rising bounds."""
    seen = []
    program = knapsack(20)
    outcome = solver.solve(program, Limits(seconds=30), progress=seen.append)
    assert tuple(seen) == outcome.trace
    assert np.all(np.diff([point.bound for point in seen]) >= 0)
    assert all(b.objective <= a.objective for a, b in pairwise(seen))
    assert seen[-1].objective == pytest.approx(outcome.objective)


def test_better_solutions_are_handed_over(solver):
    """Each is feasible when it is found, and the last is the one that is returned."""
    found = []
    program = knapsack(20)
    outcome = solver.solve(program, Limits(seconds=30), found=found.append)
    assert found
    assert all(program.violation(values) < 1e-5 for values in found)
    assert program.evaluate(found[-1]) == pytest.approx(outcome.objective)


def test_a_callback_may_interrupt(solver):
    """A KeyboardInterrupt in the callback stops the solve and keeps the best solution."""

    def stop(_):
        raise KeyboardInterrupt

    outcome = solver.solve(HARD, Limits(seconds=60, gap=0.0), EVERYTHING, stop)
    assert outcome.reason is Reason.INTERRUPTED
    assert outcome.values is not None


def test_ctrl_c_interrupts(solver):
    """SIGINT stops the solve, keeps the best solution, and the old handler comes back."""
    handler = signal.getsignal(signal.SIGINT)
    hard = knapsack(120, seed=1)
    main = threading.main_thread().ident
    timer = threading.Timer(1.0, lambda: signal.pthread_kill(main, signal.SIGINT))
    timer.start()
    outcome = solver.solve(hard, Limits(seconds=60, gap=0.0), np.ones(120))
    timer.join()
    assert outcome.reason is Reason.INTERRUPTED
    assert outcome.values is not None
    assert signal.getsignal(signal.SIGINT) is handler


def test_a_thread_may_solve(solver):
    """Outside the main thread, where no signal arrives, solving works as well."""
    found = []
    program = STANDARD_PROGRAMS[1].make()
    thread = threading.Thread(target=lambda: found.append(solver.solve(program, Limits())))
    thread.start()
    thread.join()
    assert found[0].objective == pytest.approx(8.0)


def test_solving_is_silent(solver, capfd):
    """Nothing is printed."""
    solver.solve(knapsack(10), Limits(seconds=30))
    assert capfd.readouterr() == ("", "")
