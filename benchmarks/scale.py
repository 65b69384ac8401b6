"""How the search grows with the rows, how it compares on larger data, and what a cold start takes.

    python benchmarks/scale.py rows       # covertype: 1,000 to 581,012 rows, each in a new process
    python benchmarks/scale.py accuracy   # letter, pendigits and shuttle beside CART and STree
    python benchmarks/scale.py choice     # a choice on 3,000 rows, 60 columns, 10 classes
    python benchmarks/scale.py cold       # import and first fit, with and without compiled kernels
    python benchmarks/scale.py leaks      # memory over 1,000 fits

STree comes with ``pip install 'margintree[references]'``.
"""

import argparse
import gzip
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

import folds
from about import about
from margintree import MOCTSVMClassifier, MOCTSVMClassifierCV
from margintree.core.limits import resident_memory
from margintree.study.references import REFERENCES

LARGE = None if folds.DATA is None else folds.DATA / "large"
ROWS = (1_000, 10_000, 100_000, 581_012)
SETS = (("letter", 6), ("pendigits", 5), ("shuttle", 3))
OPTIONS: dict[str, Any] = {"c1": 10.0, "c2": 0.001, "c3": 0.1, "n_jobs": 2, "random_state": 0}
"""The same costs everywhere, not tuned: with so many rows errors matter and margins break ties."""
FINE = 1e-6
"""Routing margin for hundreds of thousands of rows, which leave no wide gaps between them."""
N_SPLITS = 3
"""Divisions into rows that train and rows that test, of which one alone may be lucky."""
CHOICE_ROWS = 3_000
MANY_CLASSES: dict[str, Any] = {
    "n_samples": CHOICE_ROWS + 1_000,
    "n_features": 60,
    "n_informative": 20,
    "n_redundant": 10,
    "n_classes": 10,
    "n_clusters_per_class": 1,
    "class_sep": 2.0,
    "random_state": 0,
}
STREE_C = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0)


def covertype(n_rows: int, folder: Path) -> tuple[Any, Any]:
    """Return a random part of covertype."""
    with gzip.open(folder / "covertype.csv.gz", "rt") as file:
        table = np.loadtxt(file, delimiter=",", skiprows=1, dtype=np.float32)
    rows = np.random.default_rng(0).permutation(len(table))[:n_rows]
    return table[rows, :-1].astype(np.float64), table[rows, -1].astype(np.int64)


def fit_part(n_rows: int, folder: Path) -> None:
    """Fit one part of covertype and print seconds, memory and accuracy as JSON."""
    warm_up()
    X, y = covertype(n_rows, folder)
    before = peak_memory()
    start = time.perf_counter()
    tree = MOCTSVMClassifier(max_depth=3, routing_margin=FINE, time_limit=None, **OPTIONS)
    tree.fit(X, y)
    seconds = time.perf_counter() - start
    cart = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    row = {
        "rows": len(X),
        "seconds": seconds,
        "GiB": peak_memory(),
        "GiB before": before,
        "accuracy": tree.score(X, y),
        "CART": cart.score(X, y),
    }
    print(json.dumps(row))


def warm_up() -> None:
    """Compile the kernels, for few rows and for many."""
    rng = np.random.default_rng(0)
    X = rng.random((3000, 2))
    MOCTSVMClassifier(max_depth=1, max_iter=2).fit(X, X[:, 0] > X[:, 1])


def peak_memory() -> float:
    """Return the largest resident memory of this process so far, in GiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def run_rows(folder: Path, largest: int) -> None:
    """Fit covertype in growing parts, each in a process of its own, and print the table."""
    print(f"{'rows':>8} {'seconds':>8} {'growth':>7} {'GiB':>6} {'accuracy':>9} {'CART':>7}")
    last = None
    for n_rows in [n for n in ROWS if n <= largest]:
        command = [sys.executable, __file__, "part", "--rows", str(n_rows), "--data-dir", folder]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        row = json.loads(output.splitlines()[-1])
        growth = np.nan
        if last:
            growth = np.log(row["seconds"] / last["seconds"]) / np.log(row["rows"] / last["rows"])
        print(
            f"{row['rows']:8} {row['seconds']:8.1f} {growth:7.2f} {row['GiB']:6.2f} "
            f"{row['accuracy']:9.4f} {row['CART']:7.4f}",
            flush=True,
        )
        last = row


def run_accuracy(folder: Path) -> None:
    """Compare test accuracies, means over 80/20 splits, with trees of the same depth."""
    print(f"{'set, split':>14} {'depth':>5} {'margintree':>10} {'s':>6} {'CART':>7} {'STree':>7}")
    for name, depth in SETS:
        table = np.loadtxt(folder / f"{name}.csv", delimiter=",", skiprows=1, dtype=str)
        X = table[:, :-1].astype(np.float64)
        y = np.unique(table[:, -1], return_inverse=True)[1]  # STree takes labels for 0, 1, ...
        rows = [compare(X, y, depth, split) for split in range(N_SPLITS)]
        for label, row in [*enumerate(rows), ("mean", np.mean(rows, axis=0))]:
            ours, seconds, cart, stree = row
            print(
                f"{f'{name} {label}':>14} {depth:5} {ours:10.4f} {seconds:6.1f} {cart:7.4f} "
                f"{stree:7.4f}",
                flush=True,
            )


def compare(X: Any, y: Any, depth: int, split: int) -> tuple[float, float, float, float]:
    """Return the accuracy and the seconds of our tree, and the accuracies of CART and STree."""
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.2, random_state=split, stratify=y)
    start = time.perf_counter()
    tree = MOCTSVMClassifier(max_depth=depth, time_limit=None, **OPTIONS).fit(X, y)
    seconds = time.perf_counter() - start
    cart = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, y)
    ours, theirs, stree = (
        float(model.score(X_test, y_test)) for model in (tree, cart, tuned_stree(X, y, depth))
    )
    return ours, seconds, theirs, stree


def tuned_stree(X: Any, y: Any, depth: int) -> Any:
    """Return an STree with the C that does best on a quarter of at most 10,000 training rows."""

    def make(strength: float) -> Any:
        levels = depth + 1  # STree counts the leaves
        return REFERENCES["stree"].classifier(max_depth=levels, C=strength, max_iter=10_000)

    rows = np.random.default_rng(0).permutation(len(X))[:10_000]
    learnt, held = rows[len(rows) // 4 :], rows[: len(rows) // 4]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores = [make(C).fit(X[learnt], y[learnt]).score(X[held], y[held]) for C in STREE_C]
        return make(STREE_C[int(np.argmax(scores))]).fit(X, y)


def run_choice() -> None:
    """Time a choice with nothing set on rows of many columns and classes, on one core and on two.

    Seconds are wall time with kernels on disk, and the processor time of this process without its
    workers; the accuracy is that of 1,000 other rows.
    """
    names = ("processes", "seconds", "processor s", "promise", "accuracy")
    print("".join(f"{name:>12}" for name in names))
    warm_up()
    X, y = make_classification(**MANY_CLASSES)
    train, test = slice(None, CHOICE_ROWS), slice(CHOICE_ROWS, None)
    for n_jobs in (1, 2):
        plain = MOCTSVMClassifier(n_jobs=n_jobs, time_limit=None)
        chooser = MOCTSVMClassifierCV(plain, n_jobs=n_jobs, time_limit=None)
        start, begun = time.perf_counter(), time.process_time()
        chooser.fit(X[train], y[train])
        seconds, busy = time.perf_counter() - start, time.process_time() - begun
        scores = f"{chooser.best_score_:12.4f}{chooser.score(X[test], y[test]):12.4f}"
        print(f"{n_jobs:12}{seconds:12.1f}{busy:12.1f}{scores}", flush=True)


def run_cold() -> None:
    """Time imports and first fits in new processes, the best of several.

    With few rows the search is longer and looks at layouts, too, which have kernels of their own.
    The printed table is that of an environment without extras: scikit-learn imports pandas, and
    numba imports coverage, wherever they are installed.
    """
    iris = "from sklearn.datasets import load_iris; X, y = load_iris(return_X_y=True)"
    fit = f"{iris}; from margintree import MOCTSVMClassifier; MOCTSVMClassifier().fit"
    fits = {"iris": f"{fit}(X, y)", "30 of its rows": f"{fit}(X[::5], y[::5])"}
    print(f"{'seconds':50} {'until done':>10} {'process':>8}")
    for what, code in fits.items():
        with tempfile.TemporaryDirectory() as folder:
            caches = {"NUMBA_CACHE_DIR": folder, "PYTHONDONTWRITEBYTECODE": ""}
            show(f"import and fit {what}, kernels to compile", [timed(code, caches)])
            show(f"import and fit {what}, kernels on disk", [timed(code, caches) for _ in range(9)])
    show("of which scikit-learn and its iris", [timed(iris) for _ in range(9)])
    plain = min(timed("import sklearn") for _ in range(5))
    ours = min(timed("import sklearn, margintree") for _ in range(5))
    print(f"import margintree beyond import sklearn: {ours[0] - plain[0]:.3f} s")


def show(what: str, times: list[tuple[float, float]]) -> None:
    """Print the shortest of some times."""
    until_done, process = min(times)
    print(f"{what:50} {until_done:10.2f} {process:8.2f}")


def timed(code: str, environment: dict[str, str] | None = None) -> tuple[float, float]:
    """Return the seconds until a new Python has done some code, and until its process has ended."""
    watched = (
        f"import time; start = time.perf_counter(); {code}; print(time.perf_counter() - start)"
    )
    start = time.perf_counter()
    process = subprocess.run(
        [sys.executable, "-c", watched],
        check=True,
        env=os.environ | (environment or {}),
        stdout=subprocess.PIPE,
        text=True,
    )
    return float(process.stdout), time.perf_counter() - start


def run_leaks(n_fits: int) -> None:
    """Fit over and over in one process and print the memory on the way."""
    rng = np.random.default_rng(0)
    X = rng.random((60, 4))
    y = (X[:, 0] > X[:, 1]).astype(int) + (X[:, 2] > 0.5)
    for done in range(n_fits + 1):
        if done % (n_fits // 10) == 0:
            print(f"{done:6} fits {resident_memory() * 1024:8.1f} MiB", flush=True)
        MOCTSVMClassifier(max_iter=20, n_jobs=2, random_state=done).fit(X, y)


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("table", choices=("rows", "accuracy", "choice", "cold", "leaks", "part"))
    parser.add_argument("--rows", type=int, default=ROWS[-1], help="at most so many rows")
    parser.add_argument("--fits", type=int, default=1000)
    parser.add_argument("--data-dir", type=Path, default=LARGE, required=LARGE is None)
    options = parser.parse_args()
    if options.table == "part":
        fit_part(options.rows, options.data_dir)
        return
    print(about())
    if options.table == "rows":
        run_rows(options.data_dir, options.rows)
    elif options.table == "accuracy":
        run_accuracy(options.data_dir)
    elif options.table == "choice":
        run_choice()
    elif options.table == "cold":
        run_cold()
    else:
        run_leaks(options.fits)


if __name__ == "__main__":
    main()
