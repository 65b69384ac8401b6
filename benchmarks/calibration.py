"""Depth and costs chosen by cross-validation, beside CART and a linear support vector machine.

    python benchmarks/calibration.py            # the 13 data sets, four folds each
    python benchmarks/calibration.py iris wine  # some of them

Takes ``--quick`` for two small sets and two folds. Each fold tests 25% of the rows and trains on
75%. `MOCTSVMClassifierCV` has its default settings; the machine, one versus one, has its C tuned by
the same inner folds; CART has the depth that was chosen, depth 3, or a number of splits that
`TreeClassifierCV` chose at depth 3. Missing cells are the means of the training rows. ``--keep
FILE`` keeps the rows of finished folds, which are not done again; ``--unlimited`` lifts the default
time limit, for machines that have other work.
"""

import argparse
import csv
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV, PredefinedSplit

import folds
from about import about
from margintree._lib.arrays import FloatArray, IntArray
from margintree._lib.exceptions import PoorTreeWarning, ShallowTreeWarning
from margintree.estimators import CARTClassifier, MOCTSVMClassifierCV, TreeClassifierCV
from margintree.methods.choose import divide
from margintree.study.references import REFERENCES

N_FOLDS = 4
"""Folds of the test, and of the choice inside."""
MAX_DEPTH = 3
C_GRID = [1e-2, 1e-1, 1e0, 1e1, 1e2, 1e3, 1e4]
MAX_STEPS = 1_000_000
"""Of one fit of the machine, which takes many minutes for the largest C on some sets."""
BELOW_SVM, ABOVE_CART = 0.5, 4.0
"""Points of mean accuracy that ours may lie below the machine, and must lie above CART."""
QUICK = ("iris", "zoo")
QUICK_FOLDS = 2
HEADINGS = (
    *("ours", "SVM", "CART", "CART-3", "CART-CV"),
    *("depth", "splits", "s ours", "s SVM", "cut"),
)


@dataclass(frozen=True)
class Row:
    """Accuracies in per cent, the size of our tree, seconds, and whether time struck, of a fold."""

    ours: float
    svm: float
    cart: float
    cart_of_depth_3: float
    cart_chosen: float
    depth: float
    splits: float
    seconds: float
    svm_seconds: float
    was_cut_short: float


def inner_folds(X: FloatArray, y: IntArray) -> PredefinedSplit:
    """Return the folds that our choice makes: equal rows are in the same fold."""
    merged, place = np.unique(np.column_stack([X, y]), axis=0, return_inverse=True)
    fold_of = np.empty(len(merged), dtype=np.int64)
    for k, (fold, _) in enumerate(divide(merged[:, -1], N_FOLDS, seed=0)):
        fold_of[fold] = k
    return PredefinedSplit(fold_of[place.ravel()])


def timed(fit: Callable[[], Any]) -> tuple[float, Any]:
    """Return the seconds of a call, and what it returned."""
    start = time.perf_counter()
    found = fit()
    return time.perf_counter() - start, found


def compare(train: tuple[Any, Any], test: tuple[Any, Any], params: dict[str, Any]) -> Row:
    """Return how the classifiers do on one fold."""
    choice = MOCTSVMClassifierCV(cv=N_FOLDS, **params)
    seconds, ours = timed(lambda: choice.fit(*train))
    machine = GridSearchCV(
        REFERENCES["svm-ovo"].classifier(max_iter=MAX_STEPS),
        {"svc__C": C_GRID},
        cv=inner_folds(*train),
    )
    svm_seconds, svm = timed(lambda: machine.fit(*train))
    depth = ours.best_params_["max_depth"]
    plain = CARTClassifier(MAX_DEPTH)
    carts = [CARTClassifier(depth), plain, TreeClassifierCV(plain, cv=N_FOLDS)]
    models = ours, svm, *(cart.fit(*train) for cart in carts)
    scores = [100 * model.score(*test) for model in models]
    size = depth, ours.tree_.n_splits
    return Row(*scores, *size, seconds, svm_seconds, not ours.choice_is_complete_)


class Keeper:
    """Rows of finished folds, by set and number, in a file if there is one."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.rows: dict[tuple[str, int], Row] = {}
        if path is not None and path.exists():
            with path.open(newline="") as lines:
                for name, k, *figures in csv.reader(lines):
                    self.rows[name, int(k)] = Row(*map(float, figures))

    def keep(self, name: str, k: int, row: Row) -> None:
        """Keep a row."""
        self.rows[name, k] = Row(*map(float, astuple(row)))
        if self.path is not None:
            with self.path.open("a", newline="") as lines:
                csv.writer(lines).writerow([name, k, *astuple(self.rows[name, k])])


def rows_of(
    name: str, folder: Path | None, n_folds: int, params: dict[str, Any], keeper: Keeper
) -> list[Row]:
    """Return a row for each of the first folds of a data set."""
    X, y = folds.read(name, folder)
    for k, (test, train) in enumerate(divide(y, N_FOLDS, seed=0)):
        if k < n_folds and (name, k) not in keeper.rows:
            filled = SimpleImputer(keep_empty_features=True).fit(X[train])
            parts = [(filled.transform(X[rows]), y[rows]) for rows in (train, test)]
            keeper.keep(name, k, compare(*parts, params))
    return [keeper.rows[name, k] for k in range(n_folds)]


def line(name: str, figures: FloatArray) -> str:
    """Return a line of the table."""
    return f"{name:20}" + "".join(f"{figure:9.2f}" for figure in figures)


def verdict(means: FloatArray) -> Iterator[str]:
    """Yield how far ours is from the others, and how far it must be."""
    ours, svm, cart, _, chosen, *_ = means
    yield f"ours - SVM  {ours - svm:+.2f}  (at least {-BELOW_SVM:+.1f})"
    yield f"ours - CART {ours - cart:+.2f}  (at least {ABOVE_CART:+.1f})"
    yield f"ours - CART-CV {ours - chosen:+.2f}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="SET", help="data sets; by default all 13")
    parser.add_argument("--quick", action="store_true", help="two small sets, two folds")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--data-dir", type=Path, default=folds.DATA, help="folder of the CSV files")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="CSV file of finished folds")
    parser.add_argument("--unlimited", action="store_true", help="no time limit")
    given = parser.parse_args()
    # The machine may run out of steps, and a shallow tree out of leaves for all classes.
    warnings.simplefilter("ignore", ConvergenceWarning)
    warnings.simplefilter("ignore", ShallowTreeWarning)
    warnings.simplefilter("ignore", PoorTreeWarning)
    params = {"n_jobs": given.jobs} | ({"time_limit": None} if given.unlimited else {})
    names = given.names or (QUICK if given.quick else folds.NAMES)
    n_folds = QUICK_FOLDS if given.quick else N_FOLDS
    print(about(), f"{'data set':20}" + "".join(f"{word:>9}" for word in HEADINGS), sep="\n")
    keeper, means = Keeper(given.keep), []
    for name in names:
        rows = rows_of(name, given.data_dir, n_folds, params, keeper)
        means.append(np.mean([astuple(row) for row in rows], axis=0))
        print(line(name, means[-1]), flush=True)
    overall = np.mean(means, axis=0)
    print(line("mean", overall), *verdict(overall), sep="\n")
    total = sum(row.seconds + row.svm_seconds for row in keeper.rows.values())
    print(f"total {total:.0f} s for {len(keeper.rows)} folds")


if __name__ == "__main__":
    main()
