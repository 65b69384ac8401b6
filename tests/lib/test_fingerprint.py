"""Texts that tell values from others: no field of a problem is forgotten."""

from dataclasses import dataclass, fields, is_dataclass, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from margintree._lib.fingerprint import fingerprint
from margintree.core.problem import Costs, Problem
from strategies import raw_data, settings

PROBLEM = Problem.from_data(
    [[0.0, 1.0], [1.0, 3.0], [4.0, 2.0]], [0, 0, 1], n_classes=2, depth=2
).with_rules(0.2, 2, separation=0.1)
NAMES = {
    "squared": "plain",
    "plain": "squared",
    "centred": "margin",
    "margin": "centred",
    "l2": "l1",
}


def others(value):
    """Yield values of the same type, each different in one place."""
    if is_dataclass(value):
        for field in fields(value):
            for other in others(getattr(value, field.name)):
                yield changed(value, **{field.name: other})
    elif isinstance(value, np.ndarray):
        for place in np.ndindex(value.shape):
            other = value.copy()
            other[place] += 1
            yield other
        yield value[:-1]
        yield value[None]
    elif isinstance(value, bool):
        yield not value
    elif isinstance(value, str):
        yield NAMES[value]
    elif isinstance(value, tuple):
        yield (*value, 1)
    elif value is None:
        yield 1
    else:
        yield value + 1
        yield -value - 1
        if isinstance(value, float):
            yield np.nextafter(value, np.inf)


def changed(value, **fields_of_it):
    """Return a dataclass with other fields, whether they make sense or not."""
    other = object.__new__(type(value))
    other.__dict__.update(vars(value) | fields_of_it)
    return other


def paths(value, path=()):
    """Yield the path of every field, those of dataclasses within it included."""
    for field in fields(value):
        inner = getattr(value, field.name)
        if is_dataclass(inner):
            yield from paths(inner, (*path, field.name))
        else:
            yield *path, field.name


def at(value, path):
    """Yield copies of a dataclass that differ in the field at a path."""
    name, *rest = path
    inner = getattr(value, name)
    for other in at(inner, rest) if rest else others(inner):
        yield changed(value, **{name: other})


@pytest.mark.parametrize("path", list(paths(PROBLEM)), ids=".".join)
def test_every_field_of_a_problem_changes_its_fingerprint(path):
    """Rules, costs and scaling included; a new field is walked over without being named here."""
    prints = [fingerprint(PROBLEM), *map(fingerprint, at(PROBLEM, path))]
    assert len(prints) > 1
    assert len({*prints}) == len(prints)


def test_all_parts_of_a_problem_are_walked_over():
    """The walk goes into what a problem is made of."""
    walked = {path[0] for path in paths(PROBLEM)}
    assert walked == {field.name for field in fields(Problem)}
    assert {("costs", "errors"), ("rules", "least_mass"), ("scaling", "span")} <= {*paths(PROBLEM)}


def test_no_two_changes_have_the_same_fingerprint():
    """Neither in the same field nor in different ones."""
    prints = [fingerprint(other) for other in others(PROBLEM)]
    assert len({*prints}) == len(prints) > 40


@given(data=st.data())
def test_the_fingerprint_tells_problems_apart(data):
    """The same data in any order give the same one; another value anywhere gives another."""
    X, y, weights, n_classes = data.draw(raw_data())
    weights = weights / 10  # sums of such weights are rounded
    how = data.draw(settings(n_classes))
    order = data.draw(st.permutations(range(len(X))))
    problem = Problem.from_data(X, y, row_weights=weights, **how)
    same = Problem.from_data(X[order], y[order], row_weights=weights[order], **how)
    assert fingerprint(problem) == fingerprint(same)
    costs, scaling = problem.costs, problem.scaling
    others = (
        {"X": problem.X + 0.5},
        {"row_weights": problem.row_weights * 2},
        {"n_classes": n_classes + 1, "error_costs": 1 - np.eye(n_classes + 1)},
        {"depth": problem.depth + 1},
        {"costs": replace(costs, errors=costs.errors + 1)},
        {"costs": replace(costs, violations=costs.violations + 1)},
        {"costs": replace(costs, splits=costs.splits + 1)},
        {"routing_margin": 0.5},
        {"margin_term": "plain" if problem.margin_term == "squared" else "squared"},
        {"scaling": replace(scaling, minimum=scaling.minimum - 1)},
        {"scaling": replace(scaling, span=scaling.span * 2)},
        {"costs": replace(costs, features=costs.features + 1)},
        {"rules": replace(problem.rules, max_splits=1)},
        {"rules": replace(problem.rules, max_features_per_split=1)},
        {"rules": replace(problem.rules, max_features=1)},
        {"rules": replace(problem.rules, feature_groups=(0,) * problem.n_features)},
    )
    prints = [fingerprint(problem), *(fingerprint(replace(problem, **other)) for other in others)]
    assert len({*prints}) == len(prints)


def test_integers_and_floats_are_the_same_numbers():
    """A cost of 10 is a cost of 10.0, and a NumPy number is a number."""
    prints = {fingerprint(Costs(c, c, c)) for c in (10, 10.0, np.float64(10), np.int64(10))}
    assert len(prints) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("ab", "c"), ("a", "bc")),
        ((1, 23), (12, 3)),
        ((None,), ("None",)),
        ((True,), ("True",)),
        ((True,), (1,)),
        ((1,), ("1",)),
        ((0.0,), (-0.0,)),
        ((np.zeros(2),), (np.zeros((1, 2)),)),
        ((np.zeros(2),), (np.zeros(1), np.zeros(1))),
        ((np.zeros(0), np.zeros(1)), (np.zeros(1), np.zeros(0))),
        ((Costs(),), (1.0, 1.0, 0.1)),
    ],
)
def test_values_do_not_run_into_each_other(one, other):
    """Where one value ends and the next begins, and of which type it is, counts."""
    assert fingerprint(*one) != fingerprint(*other)


def test_a_fingerprint_depends_on_nothing_but_the_values():
    """It is the same in every process and on every machine, for files keep it."""
    known = "62fcbcf08a2b58145bf50ce9b7173808"
    assert fingerprint("a", 1, 0.5, None, True, np.array([1.0, 2.0]), Costs()).startswith(known)


def test_cached_properties_do_not_count():
    """A problem that has been looked at is still the same problem."""
    before = fingerprint(PROBLEM)
    assert PROBLEM.error_prices.size
    assert fingerprint(PROBLEM) == before


@dataclass
class Odd:
    """A value that has no fingerprint within one that would have."""

    what: object


@pytest.mark.parametrize("value", [object(), np.array([object()]), [1.0], Odd({1})])
def test_what_has_no_fingerprint_is_refused(value):
    """The message names the type, so that a new field of another type is noticed at once."""
    with pytest.raises(TypeError, match=r"A \w+ has no fingerprint"):
        fingerprint(value)
