"""The training folds of the study, for benchmarks: a fifth of the rows of each of the 13 sets."""

import csv
import warnings
from pathlib import Path

import numpy as np
from sklearn.model_selection import StratifiedKFold

from margintree._typing import FloatArray, IntArray
from margintree.problem import Costs, Problem

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
"""Where the CSV files are unless told otherwise."""

NAMES = (
    "australian",
    "balance_scale",
    "banknote",
    "breast_cancer",
    "dermatology",
    "heart",
    "iris",
    "parkinson",
    "seeds",
    "teaching_assistant",
    "thyroid",
    "wine",
    "zoo",
)


def read(name: str, folder: Path = DATA) -> tuple[FloatArray, IntArray]:
    """Return the rows of a CSV file and their class codes; missing cells are NaN."""
    with open(folder / f"{name}.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))[1:]
    X = np.array([[float(cell or "nan") for cell in row[:-1]] for row in rows])
    _, y = np.unique([row[-1] for row in rows], return_inverse=True)
    return X, y


def training_fold(name: str, folder: Path = DATA) -> tuple[FloatArray, IntArray]:
    """Return the first training fold of a set, missing cells filled with the fold's means."""
    X, y = read(name, folder)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        folds = StratifiedKFold(5, shuffle=True, random_state=0)
        _, rows = next(iter(folds.split(X, y)))
    X, y = X[rows], y[rows]
    empty = np.isnan(X).all(axis=0)
    means = np.where(empty, 0.0, np.nanmean(np.where(empty, 0.0, X), axis=0))
    return np.where(np.isnan(X), means, X), y


def problem(name: str, costs: tuple[float, float, float], depth: int, folder: Path) -> Problem:
    """Return the problem of a training fold."""
    X, y = training_fold(name, folder)
    n_classes = int(y.max()) + 1
    return Problem.from_data(X, y, n_classes=n_classes, depth=depth, costs=Costs(*costs))
