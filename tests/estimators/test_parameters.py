"""The parameters of all classifiers: each is declared, allowed as it comes, and used."""

from inspect import signature

import numpy as np
import pytest
from sklearn.utils._param_validation import validate_parameter_constraints

from margintree import CARTClassifier, MOCTSVMClassifier
from margintree.core.tree import ObliqueTree
from margintree.estimators import ESTIMATORS
from margintree.estimators._parameters import CONSTRAINTS, AnInstance

CLASSES = list(ESTIMATORS.values())
NUMBERS = ("c1", "c2", "c3", "c4", "C", "alpha", "smoothing", "time_limit", "memory_limit")


@pytest.mark.parametrize("cls", CLASSES)
def test_every_parameter_is_declared_and_allowed_as_it_comes(cls):
    """None escapes the check in `fit`, and no default is refused."""
    defaults = {
        name: parameter.default
        for name, parameter in signature(cls.__init__).parameters.items()
        if name != "self"
    }
    assert {*cls._parameter_constraints} == {*defaults}
    validate_parameter_constraints(cls._parameter_constraints, defaults, cls.__name__)


def test_no_constraint_is_idle():
    """Every declared parameter belongs to some classifier."""
    used = {name for cls in CLASSES for name in signature(cls.__init__).parameters}
    assert {*CONSTRAINTS} - {"separation"} <= used | {"separation"}
    assert {*CONSTRAINTS} <= used


def test_a_name_means_the_same_everywhere():
    """Constraints that a class declares for itself do not shadow the common ones."""
    for cls in CLASSES:
        assert not {*cls.own_constraints} & {*CONSTRAINTS}
        for name, allowed in cls._parameter_constraints.items():
            if name in CONSTRAINTS and name != "method":
                assert allowed is CONSTRAINTS[name]


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("value", [-1e-9, np.nan, "1", True])
def test_numbers_are_numbers_of_at_least_0(cls, value):
    """The message names the parameter; a truth value may pass for 1."""
    names = [name for name in NUMBERS if name in signature(cls.__init__).parameters]
    assert names
    for name in names:
        model = cls(**{name: value})
        if value is True:
            model._validate_params()
            continue
        with pytest.raises(ValueError, match=f"'{name}'"):
            model._validate_params()


def test_an_instance_is_told_in_words():
    """The message says what to give, not where a class lives."""
    allowed = AnInstance(ObliqueTree, "an ObliqueTree")
    assert str(allowed) == "an ObliqueTree"
    assert allowed.is_satisfied_by(ObliqueTree.leaf(1, 1, 2))
    assert not allowed.is_satisfied_by(CARTClassifier())
    with pytest.raises(ValueError, match="an ObliqueTree, a fitted classifier of margintree"):
        MOCTSVMClassifier(start=3).fit([[0.0], [1.0]], [0, 1])
