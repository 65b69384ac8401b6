"""The errors of the package: one tree, as its docstring draws it, and catchable in two ways."""

import inspect
import pickle
import re

import pytest

import margintree
from margintree._lib import exceptions

CLASSES = {
    name: value
    for name, value in vars(exceptions).items()
    if inspect.isclass(value) and issubclass(value, Exception) and not name.startswith("_")
}
DRAWN = re.findall(
    r"^([ │├└─]*)(\w+) ?(?:\((\w+)\))?", exceptions.__doc__.split("::")[1], re.MULTILINE
)
"""Indentation, class and second base of every line of the picture."""


def test_the_docstring_draws_every_class_under_its_base():
    """The base of a class is the closest line above that is indented less."""
    above, seen = {}, set()
    for indent, name, builtin in DRAWN:
        if name not in CLASSES:
            continue
        depth = len(indent)
        bases = [CLASSES[above[level]] for level in sorted(above) if level < depth]
        cls = CLASSES[name]
        if bases and not issubclass(cls, Warning):
            assert bases[-1] in cls.__bases__, name
        if builtin:
            assert builtin in {base.__name__ for base in cls.__bases__}
        above = {level: other for level, other in above.items() if level < depth} | {depth: name}
        seen.add(name)
    assert seen == {*CLASSES}


@pytest.mark.parametrize("name", sorted({*CLASSES} & {*margintree.__all__}))
def test_a_public_error_is_shown_as_users_import_it(name):
    """A traceback names margintree.Error, and a pickled error comes back as the same class."""
    cls = CLASSES[name]
    assert getattr(margintree, name) is cls
    assert cls.__module__ == "margintree"
    again = pickle.loads(pickle.dumps(cls("what is wrong")))
    assert type(again) is cls
    assert str(again) == "what is wrong"


def test_public_are_exactly_those_that_say_so():
    """No class has the import path of users without being importable there."""
    claimed = {name for name, cls in CLASSES.items() if cls.__module__ == "margintree"}
    assert claimed == {*CLASSES} & {*margintree.__all__}


def test_one_except_clause_catches_all_errors_and_no_warning():
    """Warnings are not errors of the package."""
    for cls in CLASSES.values():
        assert issubclass(cls, margintree.MargintreeError) != issubclass(cls, Warning)
