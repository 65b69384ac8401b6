"""Reading a model file: every entry is checked before it becomes part of a classifier."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from margintree._lib.arrays import AnyArray
from margintree._lib.exceptions import InvalidInputError, ModelFileError
from margintree.core.cost import Cost
from margintree.core.problem import MAX_DEPTH
from margintree.core.result import Reason, Result, TracePoint
from margintree.core.tree import ObliqueTree
from margintree.data.label_types import LABEL_TYPES
from margintree.estimators import ESTIMATORS, MethodClassifier, TableClassifier, TreeClassifier
from margintree.estimators.modelfile._entries import (
    fail,
    finite,
    list_of,
    mapping,
    natural,
    number,
    one_of,
    optional,
    record,
    reject_constant,
    some,
    text,
)
from margintree.estimators.modelfile._read_table import read_encoder
from margintree.estimators.modelfile._write import FORMAT, OWN_FILES, VERSION

MAX_BYTES = 256 * 2**20
"""The largest model that is read: well above a tree of the greatest depth on 5,000 features."""


def load(path: str | os.PathLike[str]) -> TreeClassifier | TableClassifier:
    """Read a fitted classifier from a model file.

    Reading runs no code from the file and checks everything that it uses.

    Parameters
    ----------
    path : path-like
        A file written by `save`.

    Returns
    -------
    TreeClassifier or TableClassifier
        A fitted classifier with exactly the predictions of the saved one.

    Raises
    ------
    ModelFileError
        When the file cannot be read, is damaged, is not a model, or has a newer version.
    """
    try:
        return _parsed(_text(Path(path)))
    except ModelFileError as error:
        message = f"The model file {os.fspath(path)!r} cannot be used: {error}"
        raise ModelFileError(message) from error.__cause__


def from_json(text: str) -> TreeClassifier | TableClassifier:
    """Return the fitted classifier that `to_json` described.

    Reading runs no code from the text and checks everything that it uses.

    Parameters
    ----------
    text : str
        The result of `to_json`, or the content of a model file.

    Returns
    -------
    TreeClassifier or TableClassifier
        A fitted classifier with exactly the predictions of the described one.

    Raises
    ------
    ModelFileError
        When the text is damaged, is not a model, or has a newer version.

    Examples
    --------
    >>> from margintree import from_json
    >>> from_json('{"format": "another"}')
    Traceback (most recent call last):
    margintree.ModelFileError: The model cannot be used: it is not a margintree model
    (no entry 'format' that says 'margintree-model'). Give a file written by 'margintree fit' or
    margintree.save.
    """
    try:
        _check_size(len(text))
        return _parsed(text)
    except ModelFileError as error:
        raise ModelFileError(f"The model cannot be used: {error}") from error.__cause__


def _text(path: Path) -> str:
    try:
        _check_size(path.stat().st_size)
        return path.read_text(encoding="utf-8")
    except OSError as error:
        fail(
            f"{error.strerror or error}. It must be an existing file that you may read. Check its "
            "path and permissions.",
            error,
        )
    except UnicodeDecodeError as error:
        fail(f"it is not text in UTF-8 ({error}). Save the model again.", error)


def _check_size(size: int) -> None:
    if size > MAX_BYTES:
        fail(f"it has {size:,} bytes and at most {MAX_BYTES:,} are read.")


def _parsed(text: str) -> TreeClassifier | TableClassifier:
    try:
        return _model(_content(json.loads(text, parse_constant=reject_constant)))
    except RecursionError:
        fail("it is nested too deeply to be a model. Save the model again.")
    except ModelFileError:
        raise
    except ValueError as error:
        fail(
            f"it must be JSON, and it is damaged or something else ({error}). Give a file "
            "written by 'margintree fit' or margintree.save.",
            error,
        )


def _content(content: Any) -> Mapping[str, Any]:
    """Return the content as this version writes it, if it is a model of a known version."""
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        fail(
            f"it is not a margintree model (no entry 'format' that says {FORMAT!r}). "
            "Give a file written by 'margintree fit' or margintree.save."
        )
    version = natural(content.get("version"), "version")
    if version > VERSION:
        fail(
            f"it has version {version} and this margintree reads up to version {VERSION}. "
            f"It was written by margintree {content.get('written_by')!r:.40}; update margintree."
        )
    return _of_this_version(content, version)


def _model(content: Mapping[str, Any]) -> TreeClassifier | TableClassifier:
    """Return the classifier, in a pipeline with the encoder of its table if there is one."""
    estimator = _estimator(content)
    table = optional(mapping)(content.get("table"), "table")
    if table is None:
        return estimator
    encoder = read_encoder(table)
    if encoder.get_feature_names_out().tolist() != content["feature_names"]:
        fail("table.columns must make the features of the tree, as named in feature_names.")
    # The classifier receives an array without names from the encoder.
    del estimator.feature_names_in_
    return TableClassifier([("table", encoder), ("classifier", estimator)])


def _estimator(content: Mapping[str, Any]) -> MethodClassifier:
    entries = record(content, _ENTRIES)
    tree = _tree(entries["tree"])
    estimator = _unfitted(entries["estimator"], entries["params"])
    estimator.classes_ = _classes(entries["classes"], tree.n_classes)
    n_columns = tree.scaling.n_columns
    estimator.n_features_in_ = n_columns
    if entries["feature_names"] is not None:
        estimator.feature_names_in_ = _names(entries["feature_names"], n_columns)
    result = record(entries["result"], _RESULT, "result")
    del result["objective"]  # the sum of the terms, written for other readers
    estimator.result_ = Result(tree=tree, cost=_cost(entries["cost"], estimator), **result)
    return estimator


def _tree(data: Mapping[str, Any]) -> ObliqueTree:
    for name, entry in data.items():
        if isinstance(entry, list) and len(entry) > 2**MAX_DEPTH:
            fail(f"tree.{name:.40} has {len(entry):,} entries, more than depth {MAX_DEPTH} has.")
    try:
        return ObliqueTree.from_dict(data)
    except InvalidInputError as error:
        fail(f"tree makes no sense: {error}", error)


def _unfitted(name: str, params: Mapping[str, Any]) -> MethodClassifier:
    """Return the classifier with its parameters."""
    for name_of_file in OWN_FILES:
        if name_of_file in params:
            fail(
                f"params must not have {name_of_file!r}, a file to which the next fit would write."
            )
    try:
        estimator = ESTIMATORS[name](**{key: _param(value, key) for key, value in params.items()})
        estimator._validate_params()
    except (TypeError, ValueError) as error:
        fail(f"params make no sense: {error}", error)
    return estimator


def _param(value: Any, name: str) -> Any:
    """Return a parameter: a dict written as pairs, a matrix written as rows, or one value."""
    if isinstance(value, dict):
        return _rows(value, name)
    if not isinstance(value, list):
        return _single(value, name)
    if not all(isinstance(pair, list) and len(pair) == 2 for pair in value):
        fail(f"the parameter {name!r} must be a list of pairs.")
    return {_single(key, name): _param(entry, name) for key, entry in value}


def _single(value: Any, name: str) -> Any:
    """Return a parameter that is null, a boolean, a text or a number."""
    if isinstance(value, str):
        return text(value, f"params.{name}")
    if type(value) in (int, float):
        number(value, f"params.{name}")
    return value


def _rows(value: Mapping[str, Any], name: str) -> Any:
    """Return the rows of a matrix as lists; they must have one length and one type."""
    rows = value.get("rows")
    try:
        matrix = np.array(rows)
    except ValueError as error:
        fail(f"the parameter {name!r} has rows of different lengths.", error)
    if len(value) != 1 or matrix.dtype.kind not in "biufU" or matrix.tolist() != rows:
        fail(f"the parameter {name!r} must have 'rows' of numbers and nothing else.")
    return rows


def _names(names: list[Any], n_features: int) -> AnyArray:
    """Return the names of the features; they are counted before each is checked."""
    if len(names) != n_features:
        fail(f"feature_names has {len(names):,} names and the tree {n_features:,} features.")
    return np.array(list_of(text)(names, "feature_names"), dtype=object)


def _classes(data: Mapping[str, Any], n_classes: int) -> AnyArray:
    """Return the labels; they are counted before each is checked."""
    values = record(data, _CLASSES, "classes")["values"]
    kind = LABEL_TYPES[data["type"]]
    if len(values) != n_classes:
        fail(f"classes.values has {len(values):,} labels and the tree {n_classes:,} classes.")
    if not all(type(value) is kind for value in values):
        fail(f"classes.values must all be of type {data['type']}, as classes.type says.")
    if kind is str:
        list_of(text)(values, "classes.values")
    if len(set(values)) != len(values):
        fail("classes.values must be different labels; one appears twice.")
    classes = np.array(values)
    if kind is int and classes.dtype.kind not in "iu":
        fail("classes.values has an integer of more than 64 bits.")
    return classes


def _cost(data: Mapping[str, Any], estimator: MethodClassifier) -> Cost:
    """Return the cost by term, with the terms of this classifier's method."""
    entries = record(data, {"terms": mapping, "faults": mapping}, "cost")
    terms = record(entries["terms"], dict.fromkeys(entries["terms"], finite), "cost.terms")
    faults = record(entries["faults"], dict.fromkeys(entries["faults"], natural), "cost.faults")
    known = estimator._method.terms
    if not {*known} - {"features"} <= {*terms} <= {*known}:  # features need not have a price
        fail(f"cost.terms must be {', '.join(known)}; they are {', '.join(terms)!r:.60}.")
    return Cost(terms, faults)


def _of_this_version(content: Mapping[str, Any], version: int) -> Mapping[str, Any]:
    """Return the content of an older version as this version writes it."""
    if version >= 3:
        return content
    params, cost = (mapping(content.get(name), name) for name in ("params", "cost"))
    terms = {name: value for name, value in cost.items() if name not in ("ties", "faults")}
    faults = {name: value for name, value in cost.items() if name not in terms}
    renamed = {"min_leaf": "min_samples_leaf", "margin_norm": "margin_term"}
    return {
        **content,
        "params": {renamed.get(name, name): value for name, value in params.items()},
        "cost": {"terms": terms, "faults": faults},
    }


def _trace(value: Any, where: str) -> tuple[TracePoint, ...]:
    points = list_of(list_of(number))(value, where)
    if any(len(point) != 3 for point in points):
        fail(f"{where} must be a list of [seconds, objective, bound].")
    return tuple(TracePoint(*point) for point in points)


_ENTRIES = {
    "written_by": text,
    "estimator": one_of(ESTIMATORS),
    "params": mapping,
    "classes": mapping,
    "feature_names": optional(some),
    "tree": mapping,
    "result": mapping,
    "cost": mapping,
}
_CLASSES = {"type": one_of(LABEL_TYPES), "values": some}
_RESULT = {
    "objective": number,
    "bound": number,
    "reason": lambda value, where: Reason(one_of([*map(str, Reason)])(value, where)),
    "limit": optional(text),
    "gap_limit": number,
    "trace": _trace,
    "solver": text,
    "version": text,
    "seconds": number,
    "iterations": natural,
}
