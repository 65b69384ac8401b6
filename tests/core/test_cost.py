"""What a judge says of a tree."""

import copy
import pickle
from dataclasses import FrozenInstanceError, replace

import pytest

from margintree.core.cost import Cost

COST = Cost({"errors": 2.0, "violations": 0.0, "splits": 0.5}, {"ties": 2, "light_leaves": 0})


def test_every_term_is_an_attribute():
    """Under its own name, as a float; faults are asked for by name."""
    assert [getattr(COST, name) for name in COST.terms] == [2.0, 0.0, 0.5]
    assert isinstance(Cost({"errors": 2}).errors, float)
    assert COST.faults["ties"] == 2


def test_the_total_adds_up_the_terms():
    """Faults cost nothing, and a cost without terms is 0."""
    assert COST.total == 2.5
    assert Cost({}).total == 0.0
    assert isinstance(Cost({}).total, float)


def test_a_tree_is_allowed_where_no_rule_is_broken():
    """Rules that are in force and kept are not faults."""
    assert not COST.is_allowed
    assert Cost(COST.terms, {"ties": 0}).is_allowed
    assert Cost(COST.terms).is_allowed


@pytest.mark.parametrize("name", ["margin", "ties", "totals", "__len__", "_errors"])
def test_an_unknown_term_is_an_attribute_error(name):
    """The message names the terms there are, so that hasattr and readers know what to ask for."""
    with pytest.raises(AttributeError, match=rf"errors, violations, splits; there is no {name}"):
        getattr(COST, name)
    assert not hasattr(COST, name)


@pytest.mark.parametrize(
    "again",
    [
        copy.copy,
        copy.deepcopy,
        replace,
        *(lambda cost, p=p: pickle.loads(pickle.dumps(cost, p)) for p in range(6)),
    ],
)
def test_a_cost_survives_being_copied(again):
    """Copies and pickles of every protocol are equal and have their terms as attributes."""
    same = again(COST)
    assert same == COST
    assert (same.errors, same.total, same.faults) == (2.0, 2.5, COST.faults)


def test_costs_compare_by_value():
    """Other terms or faults make another cost."""
    assert Cost(dict(COST.terms), dict(COST.faults)) == COST
    assert replace(COST, faults={"ties": 1}) != COST
    assert replace(COST, terms={"errors": 2.0}) != COST


def test_nothing_can_be_set():
    """A term cannot be overwritten by accident."""
    with pytest.raises(FrozenInstanceError):
        COST.errors = 0.0
    assert COST.errors == 2.0


def test_only_broken_rules_are_shown():
    """Terms come first, in their order."""
    assert repr(COST) == "Cost(errors=2.0, violations=0.0, splits=0.5, faults={'ties': 2})"
    assert repr(replace(COST, faults={"ties": 0})) == "Cost(errors=2.0, violations=0.0, splits=0.5)"
