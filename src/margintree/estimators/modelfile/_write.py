"""Writing a fitted classifier to a model file."""

import json
import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

import numpy as np

import margintree
from margintree._lib.arrays import AnyArray
from margintree._lib.files import write_whole
from margintree.core.result import Result
from margintree.data.label_types import check_text, label_type
from margintree.data.preprocessing import TableEncoder
from margintree.estimators import TableClassifier, TreeClassifier, TreeClassifierCV
from margintree.show.export.named_tree import tree_of

FORMAT = "margintree-model"
VERSION = 3
OWN_FILES = ("checkpoint", "certificate")
"""Parameters that are neither written nor read: the next fit would write to their files."""


def save(estimator: TreeClassifier | TableClassifier, path: str | os.PathLike[str]) -> None:
    """Write the text of `to_json` to a model file, completely or not at all.

    Parameters
    ----------
    estimator : TreeClassifier or TableClassifier
        A fitted classifier.
    path : path-like
        The file to write; an existing file is replaced.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from margintree import MOCTSVMClassifier, load, save
    >>> clf = MOCTSVMClassifier(max_depth=1, c1=10).fit([[0], [1], [4], [5]], list("aabb"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(clf, pathlib.Path(folder) / "model.json")
    ...     same = load(pathlib.Path(folder) / "model.json")
    >>> same.predict([[0.5], [4.5]])
    array(['a', 'b'], dtype='<U1')
    """
    write_whole(path, to_json(estimator) + "\n")


def to_json(estimator: TreeClassifier | TableClassifier) -> str:
    """Return a fitted classifier as JSON, from which `from_json` makes an equal one.

    A ``start``, a ``checkpoint``, a ``RandomState`` and a ``verbose`` callable do not describe the
    result of the fit and are left out. For a `TreeClassifierCV`, ``best_estimator_`` is written.

    Parameters
    ----------
    estimator : TreeClassifier or TableClassifier
        A fitted classifier.

    Examples
    --------
    >>> from margintree import MOCTSVMClassifier, from_json, to_json
    >>> clf = MOCTSVMClassifier(max_depth=1, c1=10).fit([[0], [1], [4], [5]], list("aabb"))
    >>> from_json(to_json(clf)).tree_ == clf.tree_
    True
    """
    tree_of(estimator)
    if isinstance(estimator, TableClassifier):
        encoder, classifier = estimator.named_steps.values()
        content = _content(classifier, encoder.get_feature_names_out())
        content |= {"table": _table(encoder)}
    else:
        content = _content(estimator, getattr(estimator, "feature_names_in_", None))
    return json.dumps(content, allow_nan=False, ensure_ascii=False)


def _content(estimator: TreeClassifier, names: Iterable[Any] | None) -> dict[str, Any]:
    """Return the entries of a classifier whose features have these names."""
    if isinstance(estimator, TreeClassifierCV):
        estimator = estimator.best_estimator_
    cost = estimator.cost_
    return {
        "format": FORMAT,
        "version": VERSION,
        "written_by": margintree.__version__,
        "estimator": type(estimator).__name__,
        "params": _params(estimator.get_params(deep=False)),
        "classes": _classes(estimator.classes_),
        "feature_names": _names(names),
        "tree": estimator.tree_.to_dict(),
        "result": _result(estimator.result_),
        "cost": {"terms": dict(cost.terms), "faults": dict(cost.faults)},
    }


def _table(encoder: TableEncoder) -> dict[str, Any]:
    """Return the entries of the encoding of a table."""
    names = getattr(encoder, "feature_names_in_", None)
    learnt = encoder.encoding_.to_dict()
    check_text(level for column in learnt["columns"] for level in column.get("levels", ()))
    check_text(column["reason"] for column in learnt["left_out"])
    return {"params": _params(encoder.get_params()), "names": _names(names)} | learnt


def _names(names: Iterable[Any] | None) -> list[str] | None:
    if names is None:
        return None
    texts = [str(name) for name in names]
    check_text(texts)
    return texts


def _params(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters that are plain data, except those of `OWN_FILES`."""
    plain = {name: _plain(value) for name, value in params.items() if name not in OWN_FILES}
    kinds = (bool, int, float, str, list, dict, type(None))
    return {name: value for name, value in plain.items() if isinstance(value, kinds)}


def _plain(value: Any) -> Any:
    """Return a value in a form that JSON has, if possible; a dict as pairs, for any keys."""
    if isinstance(value, dict):
        return [[_plain(key), _plain(entry)] for key, entry in value.items()]
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, list | tuple) or hasattr(value, "__array__"):
        return {"rows": np.asarray(value).tolist()}
    return value


def _classes(classes: AnyArray) -> dict[str, Any]:
    values = classes.tolist()
    return {"type": label_type(values), "values": values}


def _result(result: Result) -> dict[str, Any]:
    plain = {f.name: _json_number(getattr(result, f.name)) for f in fields(Result)}
    del plain["tree"], plain["cost"]
    trace = [[_json_number(value) for value in point] for point in result.trace]
    return {"objective": _json_number(result.objective)} | plain | {"trace": trace}


def _json_number(value: Any) -> Any:
    """Return the value, or its text if it is infinite."""
    return str(value) if isinstance(value, float) and math.isinf(value) else value
