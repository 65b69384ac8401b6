"""Choosing a solver, and what is said when it cannot be used."""

import sys
from dataclasses import replace

import numpy as np
import pytest

from margintree._lib.exceptions import (
    SolverAbilityError,
    SolverError,
    SolverLicenceError,
    SolverMissingError,
)
from margintree.core.limits import Limits
from margintree.exact.programs import build
from margintree.exact.solvers import SOLVERS, available, get, gurobi
from margintree.exact.solvers.protocol import Abilities, SolverStatus, check_ability, trivial_bound
from margintree.testing.instances import INSTANCES
from margintree.testing.standard_programs import cone, linear, small_cover


class Pretended:
    """A solver that is what a test says it is."""

    name = "pretended"
    abilities = Abilities(cones="", integers=False)

    def __init__(self, installed=True):
        self.installed = installed

    def status(self):
        return SolverStatus(self.installed, False, "", "It cannot be bought.")


def test_auto_is_scip():
    """The solver that takes everything is the default."""
    assert get("auto") is get("scip")


def test_an_unknown_solver_is_refused():
    """The message names the solvers there are."""
    with pytest.raises(SolverMissingError, match=r"'native', 'gurobi', 'highs', 'scip'"):
        get("cplex")


def test_open_solvers_are_installed_and_licensed():
    """SCIP and HiGHS come with margintree and have no limit."""
    status = available()
    assert set(status) == {"native", *SOLVERS}
    for name in ("scip", "highs"):
        assert status[name].installed
        assert status[name].licensed
        assert status[name].version


@pytest.mark.parametrize(
    ("program", "missing"), [(cone("plain"), "cones"), (small_cover(), "integer variables")]
)
def test_what_a_solver_lacks_is_named_before_any_work(program, missing):
    """A program beyond a solver's abilities is refused by name."""
    with pytest.raises(SolverAbilityError, match=missing):
        check_ability(Pretended(), program)


def test_gurobi_is_not_imported_where_it_is_missing(monkeypatch):
    """What to install is said, and not that a module was not found."""
    monkeypatch.setitem(sys.modules, "gurobipy", None)
    monkeypatch.setattr(gurobi, "installed_version", lambda _: "")
    with pytest.raises(SolverMissingError, match="margintree\\[gurobi\\]"):
        get("gurobi").solve(linear(), Limits())


def test_a_missing_package_is_named():
    """A solver that is not installed says so, and what to do."""
    with pytest.raises(SolverMissingError, match=r"cannot be bought.*scip"):
        check_ability(Pretended(installed=False), linear())


def test_a_model_beyond_gurobis_free_licence_says_what_is_allowed():
    """The message says what the free licence allows and that SCIP works."""
    pytest.importorskip("gurobipy")
    if get("gurobi").status().licensed:
        pytest.skip("there is a full licence here")
    program = build(INSTANCES[0].problem(), 100.0)
    with pytest.raises(SolverLicenceError, match=r"200 variables.*solver='scip'"):
        get("gurobi").solve(program, Limits(seconds=10))


def test_the_trivial_bound_needs_no_solver():
    """Every variable at its cheaper bound costs no more than any solution."""
    program = replace(small_cover(), objective=np.array([1.0, -2.0, 0.0]))
    assert trivial_bound(program) == -2.0


def test_a_failure_of_scip_says_what_to_do():
    """SCIP takes prices of 1e20 for infinite and refuses them."""
    program = replace(linear(), objective=np.array([1.0, 1e300]))
    with pytest.raises(SolverError, match=r"Scale the costs .* down, or use method='search'"):
        get("scip").solve(program, Limits(seconds=10))


def test_errors_of_a_callback_are_not_taken_for_failures_of_scip():
    """What the caller's own code raises while the program is handed over arrives as it is."""
    from margintree.exact.solvers.scip import _failures_told

    with pytest.raises(ZeroDivisionError), _failures_told():
        raise ZeroDivisionError
