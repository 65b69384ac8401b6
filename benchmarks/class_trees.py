"""Class trees: how fast they are proved, and how accurate they are.

    python benchmarks/class_trees.py proofs           # the training folds of the study
    python benchmarks/class_trees.py letter           # 26 classes, not proved
    python benchmarks/class_trees.py accuracy         # beside support vector machines

``proofs`` fits the first training folds of the 13 data sets of the study. Seconds are those of the
processor, on one thread, after kernels are compiled. ``letter`` fits 16,000 rows of 26 classes.
``accuracy`` takes the tables in ``tables`` of the data folder, which are not those of
the study. A fifth of the rows trains, at most 275, and the rest tests, in five divisions. Five
folds of the training rows choose C. The column "chosen" has the space with the better score in
these folds, straight splits if they are equal. A choice takes at most 20 seconds. The support
vector machines are those of scikit-learn on standardised columns, with the same C and five values
of gamma. Tables of more than 100 columns as numbers or ten classes are left out: splice and vowel.
``--quick`` takes a few of the sets, and names after ``accuracy`` take those tables.
"""

import argparse
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import folds
from about import about
from margintree import ClassTreeClassifier, TreeClassifierCV

COSTS = (0.1, 1.0, 10.0, 100.0, 1000.0)
GAMMAS = (0.01, 0.03, 0.1, 0.3, 1.0)
MOST_ROWS = 275
"""Largest number of training rows, as many as the largest training fold of the study has."""
N_DIVISIONS = 5
MOST_COLUMNS, MOST_CLASSES = 100, 10
MOST_SECONDS = 20.0
"""Time limit of a choice. Only tables of many classes or columns meet it."""
QUICK = ("iris", "zoo"), ("bupa", "vehicle")


def table(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return the columns of a table as numbers, text as one column per value, and the classes."""
    content = pd.read_csv(path)
    columns = pd.get_dummies(content.iloc[:, :-1])
    return columns.to_numpy(float), pd.factorize(content.iloc[:, -1], sort=True)[0]


Rows = tuple[np.ndarray, np.ndarray]


def run_proofs(sets: dict[str, Rows], costs: tuple[float, ...]) -> bool:
    """Print the table of proofs, and tell whether all are within the usual gap."""
    heading = f"{'set and C':24} {'rows':>6} {'columns':>8} {'classes':>8} {'cost':>10}"
    print(f"{heading} {'gap':>8} {'splits':>7} {'s':>8}")
    ClassTreeClassifier().fit([[0.0], [1.0]], [0, 1])  # compiles the kernels
    are_proved = True
    for name, (X, y) in sets.items():
        for C in costs:
            start = time.process_time()
            found = ClassTreeClassifier(C=C, time_limit=None).fit(X, y)
            seconds = time.process_time() - start
            are_proved &= found.optimal_
            sizes = f"{len(y):6} {X.shape[1]:8} {len(found.classes_):8}"
            result = f"{found.objective_:10.4g} {found.gap_:8.1e} {found.tree_.n_splits:7}"
            print(f"{f'{name} {C:g}':24} {sizes} {result} {seconds:8.3f}", flush=True)
    return are_proved


def letter(folder: Path) -> Rows:
    """Return 16,000 rows of the data set letter."""
    X, y = table(folder / "large" / "letter.csv")
    rows = np.random.default_rng(0).permutation(len(y))[:16000]
    return X[rows], y[rows]


def divisions(y: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the training and test rows of every division."""
    for seed in range(N_DIVISIONS):
        parts = StratifiedKFold(5, shuffle=True, random_state=seed).split(np.zeros(len(y)), y)
        test, train = next(parts)
        yield np.random.default_rng(seed).permutation(train)[:MOST_ROWS], test


COLUMNS = ("straight", "quadratic", "chosen", "linear", "rbf")


def scores(X: np.ndarray, y: np.ndarray, train: np.ndarray, test: np.ndarray) -> list[float]:
    """Return the test accuracy of everything that is compared, in the order of `COLUMNS`."""
    choice = {"cv": 5, "path_rows": None, "time_limit": MOST_SECONDS}
    trees = [
        TreeClassifierCV(ClassTreeClassifier(), {"space": space, "C": COSTS}, **choice).fit(
            X[train], y[train]
        )
        for space in ("box", "quadratic")
    ]
    chosen = max(trees, key=lambda tree: tree.best_score_)  # the first of equals
    machines = [
        GridSearchCV(make_pipeline(StandardScaler(), machine), grid, cv=5).fit(X[train], y[train])
        for machine, grid in (
            (SVC(kernel="linear", max_iter=10**5), {"svc__C": COSTS}),
            (SVC(kernel="rbf"), {"svc__C": COSTS, "svc__gamma": GAMMAS}),
        )
    ]
    return [model.score(X[test], y[test]) for model in (*trees, chosen, *machines)]


def run_accuracy(names: tuple[str, ...], folder: Path) -> bool:
    """Print the table of accuracies, and tell whether class trees are above the linear machine."""
    print("Test accuracy in per cent: class trees (straight, quadratic, chosen), SVM (linear, rbf)")
    print(f"{'set':20} {'rows':>6} {'columns':>8} {'classes':>8}", end="")
    print("".join(f" {name:>10}" for name in COLUMNS))
    means = []
    for name in names:
        X, y = table(folder / "tables" / f"{name}.csv")
        if X.shape[1] > MOST_COLUMNS or y.max() >= MOST_CLASSES:
            continue
        parts = list(divisions(y))
        means.append(100 * np.mean([scores(X, y, *part) for part in parts], axis=0))
        sizes = f"{len(parts[0][0]):6} {X.shape[1]:8} {int(y.max()) + 1:8}"
        print(f"{name:20} {sizes}" + "".join(f" {value:10.2f}" for value in means[-1]), flush=True)
    average = np.mean(means, axis=0)
    print(f"{'mean':45}" + "".join(f" {value:10.2f}" for value in average))
    return bool(average[2] > average[3])


def main() -> None:
    """Run a table from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=("proofs", "letter", "accuracy"))
    parser.add_argument("names", nargs="*", help="tables; by default all")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--data", type=Path, default=folds.DATA)
    given = parser.parse_args()
    print(about())
    warnings.simplefilter("ignore")
    if given.what == "proofs":
        names = QUICK[0] if given.quick else folds.NAMES
        sets = {name: folds.training_fold(name, given.data) for name in names}
        is_good = run_proofs(sets, (1.0, 100.0))
    elif given.what == "letter":
        run_proofs({"letter": letter(given.data)}, (10.0,))
        is_good = True
    else:
        tables = sorted(path.stem for path in (given.data / "tables").glob("*.csv"))
        names = given.names or (QUICK[1] if given.quick else tables)
        is_good = run_accuracy(tuple(names), given.data)
    raise SystemExit(not is_good)


if __name__ == "__main__":
    main()
