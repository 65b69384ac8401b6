"""Data sets from a folder, from this package, or from OpenML."""

import csv
import itertools
import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from sklearn import datasets

from margintree._lib.arrays import AnyArray, FloatArray
from margintree._lib.exceptions import InvalidInputError, MissingDataError
from margintree._lib.suggestion import did_you_mean
from margintree.data.datasets.catalogue import CATALOGUE, Entry

DATA_VARIABLE = "MARGINTREE_DATA"
"""The environment variable that names the data folder."""
_TABLES = Path(str(files("margintree.data.datasets"))) / "tables"


@dataclass(frozen=True, eq=False)
class Dataset:
    """Features, NaN where a cell is missing, with their names, and labels as text."""

    name: str
    X: FloatArray
    y: AnyArray
    feature_names: tuple[str, ...]


def load(name: str, data_dir: str | os.PathLike[str] | None = None) -> Dataset:
    """Return a data set by its name.

    A file ``<name>.csv`` in the data folder comes first. It has column names in the first line and
    the label in the last column; missing cells are empty. Otherwise the set comes with scikit-learn
    or with this package, or scikit-learn fetches it from OpenML and keeps it. From any source it
    must have the known numbers of rows, features and classes.

    Parameters
    ----------
    name : str
        A name of the `CATALOGUE`.
    data_dir : path-like, optional
        The data folder; by default the folder named by ``MARGINTREE_DATA``, if it is set.

    Raises
    ------
    MissingDataError
        When no source of the set is available.
    InvalidInputError
        When no set has this name, or the set that was found is another one.

    Examples
    --------
    >>> wine = load("wine")
    >>> wine.X.shape, wine.y.shape, wine.feature_names[0]
    ((178, 13), (178,), 'alcohol')
    """
    entry = _entry(name)
    path = _file_of(entry, data_dir)
    found = _read(name, path) if path else _FROM[entry.origin](entry)
    _check(found, entry, place_of(name, data_dir))
    return found


def data_folder(data_dir: str | os.PathLike[str] | None = None) -> Path | None:
    """Return the data folder: the given one, or the one named by the environment, or None."""
    name = data_dir or os.environ.get(DATA_VARIABLE)
    if not name:
        return None
    folder = Path(name)
    if not folder.is_dir():
        raise InvalidInputError(
            f"The data folder must be an existing folder; {str(folder)!r} is not. Correct "
            f"--data-dir or {DATA_VARIABLE}."
        )
    return folder


def place_of(name: str, data_dir: str | os.PathLike[str] | None = None) -> str:
    """Return the source from which `load` takes a data set, as a path or in words.

    Examples
    --------
    >>> place_of("balance_scale")
    'made by its rule'
    """
    entry = _entry(name)
    path = _file_of(entry, data_dir)
    if path or entry.origin == "bundled":
        return str(path or _TABLES / f"{name}.csv")
    return {
        "scikit-learn": "scikit-learn",
        "rule": "made by its rule",
        "OpenML": f"OpenML, number {entry.openml_id}",
        "": f"no source but a data folder ({DATA_VARIABLE} or --data-dir)",
    }[entry.origin]


def _entry(name: str) -> Entry:
    if name not in CATALOGUE:
        raise InvalidInputError(
            f"The data set must be one of {', '.join(CATALOGUE)}; {name!r} was given. "
            f"{did_you_mean(name, CATALOGUE)}Choose one."
        )
    return CATALOGUE[name]


def _file_of(entry: Entry, data_dir: str | os.PathLike[str] | None) -> Path | None:
    """Return the file of a set in the data folder, if it exists."""
    folder = data_folder(data_dir)
    if folder is None:
        return None
    path = folder / f"{entry.name}.csv"
    return path if path.is_file() else None


def _read(name: str, path: Path) -> Dataset:
    """Return the data set of a CSV file."""
    try:
        with path.open(newline="", encoding="utf-8") as file:
            header, *rows = csv.reader(file, strict=True)
        X = np.array([[float(cell or "nan") for cell in row[:-1]] for row in rows])
        return Dataset(name, X, np.array([row[-1] for row in rows]), tuple(header[:-1]))
    except (OSError, ValueError, IndexError, csv.Error) as error:
        raise InvalidInputError(
            f"The data set {str(path)!r} must be a CSV file of numbers with column names in the "
            f"first line and the label last; {error}. Correct or remove the file."
        ) from error


def _from_sklearn(entry: Entry) -> Dataset:
    bunch = {"iris": datasets.load_iris, "wine": datasets.load_wine}[entry.name]()
    labels = bunch.target_names[bunch.target].astype(str)
    return Dataset(entry.name, bunch.data, labels, tuple(map(str, bunch.feature_names)))


def _from_rule(entry: Entry) -> Dataset:
    """Return the balance scale: every weight and distance from 1 to 5; the label is its tilt."""
    X = np.array(list(itertools.product(range(1, 6), repeat=4)), dtype=float)
    torque = X[:, 0] * X[:, 1] - X[:, 2] * X[:, 3]
    names = ("left_weight", "left_distance", "right_weight", "right_distance")
    return Dataset(entry.name, X, np.array(["R", "B", "L"])[np.sign(torque).astype(int) + 1], names)


def _from_openml(entry: Entry) -> Dataset:
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "A network error occurred", UserWarning)
            bunch = datasets.fetch_openml(
                data_id=entry.openml_id, as_frame=False, parser="liac-arff", n_retries=1
            )
    except (OSError, ValueError) as error:
        raise MissingDataError(
            f"The data set {entry.name!r} is not in the data folder and could not be fetched from "
            f"OpenML (number {entry.openml_id}): {error}. Put {entry.name}.csv into a folder and "
            f"name that with --data-dir or {DATA_VARIABLE}."
        ) from error
    names = tuple(map(str, bunch.feature_names))
    columns = zip(bunch.data.T, map(bunch.categories.get, names), strict=True)
    X = np.column_stack([_decoded(*column) for column in columns])
    if entry.missing_code is not None:
        X = np.where(entry.missing_code == X, np.nan, X)
    return Dataset(entry.name, X, bunch.target.astype(str), names)


def _decoded(column: AnyArray, categories: Any) -> FloatArray:
    """Return a column in the numbers of its source; a nominal column holds positions in a list."""
    if categories is None:
        return np.asarray(column, dtype=float)
    return np.array([float(categories[int(place)]) for place in column])


def _from_nowhere(entry: Entry) -> Dataset:
    raise MissingDataError(
        f"The data set {entry.name!r} comes from a data folder only, and is not in one. Put "
        f"{entry.name}.csv into a folder and name that with --data-dir or {DATA_VARIABLE}."
    )


_FROM: dict[str, Callable[[Entry], Dataset]] = {
    "scikit-learn": _from_sklearn,
    "rule": _from_rule,
    "bundled": lambda entry: _read(entry.name, _TABLES / f"{entry.name}.csv"),
    "OpenML": _from_openml,
    "": _from_nowhere,
}


def _check(found: Dataset, entry: Entry, place: str) -> None:
    """Raise InvalidInputError unless the data set has the known numbers."""
    counts = tuple(sorted(np.unique(found.y, return_counts=True)[1].tolist()))
    given = (*found.X.shape, counts)
    known = (entry.n_rows, entry.n_features, entry.class_counts)
    if given != known:
        raise InvalidInputError(
            f"The data set {entry.name!r} must have (rows, features, rows by class) {known}; the "
            f"one found ({place}) has {given}. Replace it: it is another set or another version."
        )
    if entry.missing_code is None and not np.isfinite(found.X).all():
        raise InvalidInputError(
            f"The data set {entry.name!r} must have no missing cell; the one found ({place}) has. "
            "Replace it."
        )
