"""The training folds of the study, for benchmarks: a fifth of the rows of each of the 13 sets."""

from pathlib import Path

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray
from margintree.core.problem import Costs, Problem
from margintree.data.datasets import CATALOGUE, data_folder, load
from margintree.methods.choose import divide

_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"
DATA = data_folder() or (_BESIDE if _BESIDE.is_dir() else None)
"""The data folder unless told otherwise: that of the environment, or one beside the checkout."""

NAMES = tuple(CATALOGUE)


def read(name: str, folder: Path | None = DATA) -> tuple[FloatArray, IntArray]:
    """Return the rows of a data set and their class codes; missing cells are NaN."""
    found = load(name, folder)
    return found.X, np.unique(found.y, return_inverse=True)[1]


def training_fold(name: str, folder: Path | None = DATA) -> tuple[FloatArray, IntArray]:
    """Return the first training fold of a set, missing cells filled with the fold's means."""
    X, y = read(name, folder)
    rows, _ = next(divide(y, 5, seed=0))
    X, y = X[rows], y[rows]
    empty = np.isnan(X).all(axis=0)
    means = np.where(empty, 0.0, np.nanmean(np.where(empty, 0.0, X), axis=0))
    return np.where(np.isnan(X), means, X), y


def problem(
    name: str, costs: tuple[float, float, float], depth: int, folder: Path | None
) -> Problem:
    """Return the problem of a training fold."""
    X, y = training_fold(name, folder)
    n_classes = int(y.max()) + 1
    return Problem.from_data(X, y, n_classes=n_classes, depth=depth, costs=Costs(*costs))
