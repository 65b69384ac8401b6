"""The tree as a Python module without imports."""

import builtins
import keyword
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import margintree
from margintree._lib.exceptions import InvalidInputError
from margintree.core import topology
from margintree.core.space import Space
from margintree.data.preprocessing.cells import MISSING_WORDS
from margintree.data.preprocessing.encoding import FALSE_WORDS, TRUE_WORDS
from margintree.show.export.predictor import Predictor, predictor


def to_python(
    model: Any,
    function_name: str = "predict",
    *,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[Any] | None = None,
) -> str:
    """Return the source of a Python module that predicts without margintree or any other package.

    The module has two functions of one row: ``predict`` returns the label and ``predict_proba`` a
    dict of the share of every label. A row is a sequence of numbers, or a dict of numbers by
    feature name. The arithmetic is that of the classifier in the same order, so the labels agree on
    every row; with ``space="rbf"`` a row within rounding errors of a split may differ, since
    exponentials round differently. Names and labels are quoted and never run. For a model of tables
    a row holds the raw cells of its columns; a missing cell is None, NaN or an empty text.

    Parameters
    ----------
    model : TreeClassifier or ObliqueTree
        A fitted classifier, or its tree.
    function_name : str, default="predict"
        The name of the function for labels; the function for shares adds ``_proba`` to it.
    feature_names : sequence of str, optional
        Names of the features; by default those seen in `fit`, or ``x0, x1, ...``.
    class_names : sequence, optional
        The labels; by default those of the classifier, or ``0, 1, ...``.

    Returns
    -------
    str

    Examples
    --------
    >>> from margintree import ObliqueTree, to_python
    >>> tree = ObliqueTree.stump([2.0, -0.5], -1.0, leaf_classes=[0, 1], n_classes=2)
    >>> source = to_python(tree, feature_names=["height", "age"], class_names=["no", "yes"])
    >>> module = {}
    >>> exec(source, module)
    >>> module["predict"]([0.8, 0.3]), module["predict_proba"]({"height": 0.1, "age": 0.3})
    ('yes', {'no': 1.0, 'yes': 0.0})
    """
    _check_function_name(function_name)
    known = predictor(model, feature_names, class_names)
    scaling = known.tree.scaling
    data = {
        "_FEATURES": known.features,
        "_LABELS": known.labels,
        "_MINIMUM": tuple(scaling.minimum.tolist()),
        "_SPAN": tuple(scaling.span.tolist()),
    }
    if known.encoding is not None:
        data |= {
            "_COLUMNS": tuple(known.encoding.to_dict()["columns"]),
            "_MISSING": MISSING_WORDS,
            "_TRUE": TRUE_WORDS,
            "_FALSE": FALSE_WORDS,
        }
    constants = "\n".join(f"{name} = {value!r}" for name, value in data.items())
    numbers = _OF_NUMBERS if known.encoding is None else _OF_CELLS
    terms = _terms(scaling)
    functions = numbers + _FUNCTIONS.replace("FUNCTION_NAME", function_name).replace("TERMS", terms)
    opening = f'"""A classification tree, written by margintree {margintree.__version__}."""'
    return "\n".join([opening, "", constants, functions, *_lines(known, 1, "    "), ""])


def _terms(scaling: Space) -> str:
    """Return the functions that make the terms of a row of its scaled values."""
    if scaling.likeness is not None:
        known, functions = scaling.likeness, _RADIAL
        if known.degree:
            functions = _POLYNOMIAL.replace("POWER", " * ".join(["base"] * known.degree))
        varying = np.flatnonzero(~scaling.is_constant)
        places = known.landmarks[:, varying].tolist()
        rows = ",\n    ".join(repr(tuple(row)) for row in places)
        columns = tuple(varying.tolist())
        constants = f"_GAMMA = {known.gamma!r}\n_VARYING = {columns!r}"
        return f"{functions}\n\n{constants}\n_LANDMARKS = (\n    {rows},\n)\n"
    return _PRODUCTS if scaling.has_products else _COLUMNS_ONLY


def _lines(model: Predictor, node: int, indent: str) -> Iterator[str]:
    """Yield the statements that return label and shares of a row at the node."""
    node = model.tree.first_stop(node)
    if model.is_leaf(node):
        yield f"{indent}return {model.label(node)!r}, {tuple(model.leaf_shares(node))!r}"
        return
    intercept = float(model.tree.intercepts[node - 1])
    weights = tuple(model.tree.weights[node - 1].tolist())
    yield f"{indent}if _value({intercept!r}, {weights!r}, x) >= 0:"
    yield from _lines(model, topology.right(node), indent + "    ")
    yield from _lines(model, topology.left(node), indent)


def _check_function_name(name: str) -> None:
    """Raise InvalidInputError unless the name is a function name that the module does not use."""
    is_free = not (name.startswith("_") or keyword.iskeyword(name) or hasattr(builtins, name))
    if not (name.isidentifier() and is_free):
        raise InvalidInputError(
            "function_name must be a Python name without an underscore in front that is neither a "
            f"keyword nor built in; {name!r} was given. Choose another, such as 'predict'."
        )


_OF_NUMBERS = """

def _numbers(values):
    return [_finite(name, value) for name, value in zip(_FEATURES, values)]
"""
# This repeats margintree.data.preprocessing with the same plain data.
_OF_CELLS = """

def _numbers(cells):
    numbers = []
    for column, cell in zip(_COLUMNS, cells):
        text = _text(cell)
        if column["kind"] == "category":
            levels = column["levels"]
            numbers += [float(text == level) for level in levels if level != column["baseline"]]
            if column["groups_others"]:
                numbers.append(float(text != "" and text not in levels))
        elif text == "":
            numbers.append(column["fill"])
        elif column["kind"] == "boolean":
            numbers.append(_boolean(column["name"], text))
        else:
            numbers.append(_number(column["name"], cell, text))
        if column["marks_missing"]:
            numbers.append(float(text == ""))
    return numbers


def _text(cell):
    text = "" if cell is None else str(cell).strip(" ")
    if text in _MISSING:
        return ""
    whole = text[:-2] if text.endswith(".0") else text
    digits = whole[1:] if whole.startswith("-") else whole
    return whole if digits.isascii() and digits.isdigit() else text


def _number(name, cell, text):
    if text.strip("+-.0123456789eE"):  # float() would take 1_000 and digits of other scripts
        raise ValueError(f"the column {name!r} must be a number; it is {text!r}")
    return _finite(name, cell)


def _boolean(name, text):
    if text.lower() not in _TRUE + _FALSE:
        raise ValueError(f"the column {name!r} must be true or false; it is {text!r}")
    return float(text.lower() in _TRUE)
"""
_COLUMNS_ONLY = """
def _terms(scaled):
    return scaled
"""
_PRODUCTS = """
def _terms(scaled):
    products, others = [], [number - 0.5 for number in scaled]
    while others:
        products += [2 * others[0] * other for other in others]
        others = others[1:]
    return scaled + products
"""
_RADIAL = """
def _terms(scaled):
    varying = [scaled[column] for column in _VARYING]
    return [_likeness(varying, row) for row in _LANDMARKS]


def _likeness(varying, row):
    total = 0.0
    for number, place in zip(varying, row):
        total += (number - place) * (number - place)
    return 2.718281828459045 ** (-_GAMMA * total)
"""
_POLYNOMIAL = """
def _terms(scaled):
    varying = [scaled[column] for column in _VARYING]
    return [_likeness(varying, row) for row in _LANDMARKS]


def _likeness(varying, row):
    total = 0.0
    for number, place in zip(varying, row):
        total += (number - 0.5) * (place - 0.5)
    base = 1 + _GAMMA * total
    return POWER
"""
_FUNCTIONS = '''

def FUNCTION_NAME(row):
    """Return the label of a row: a sequence in the order of _FEATURES, or a dict by these names."""
    return _leaf(_scaled(row))[0]


def FUNCTION_NAME_proba(row):
    """Return the share of every label in the leaf at which the row arrives."""
    return dict(zip(_LABELS, _leaf(_scaled(row))[1]))


def _scaled(row):
    values = [row[name] for name in _FEATURES] if hasattr(row, "keys") else list(row)
    if len(values) != len(_FEATURES):
        raise ValueError(f"a row must have {len(_FEATURES)} values; it has {len(values)}")
    parts = zip(_numbers(values), _MINIMUM, _SPAN)
    return _terms([(number - low) / span for number, low, span in parts])

TERMS

def _finite(name, value):
    number = float(value)
    if number - number != 0:
        raise ValueError(f"the feature {name!r} must be a finite number; it is {value!r}")
    return number


def _value(intercept, weights, x):
    total = intercept
    for weight, number in zip(weights, x):
        total += weight * number
    return total


def _leaf(x):'''
