"""Which costs do well in general: the order of the nested grid of MOCTSVM in the paper's study.

    python benchmarks/other_sets.py FOLDER  # in an environment of its own, see there
    python benchmarks/costs_in_doubt.py FOLDER

Where several combinations of costs are right equally often inside a training fold, the study takes
the first of the list. The list must not come from the data sets of the study itself. So all
combinations are fitted here to every set of a folder under the same protocol, a fifth of the rows
trains, and are ordered by their accuracy on the other rows. Takes some minutes.
"""

import argparse
from itertools import product
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed

from about import about
from margintree._typing import FloatArray
from margintree.choice import divide
from margintree.limits import Limits
from margintree.study.methods import METHODS, Settings
from margintree.study.spec import read_spec

N_DIVISIONS = 3
SPEC = read_spec("paper")
METHOD = SPEC.methods["moctsvm"]
GRID = tuple(sorted(METHOD.nested_grid, key=lambda point: tuple(point.values())))


def accuracies(path: Path, repetition: int, fold: int) -> FloatArray:
    """Return the accuracy of every combination on the rows that one fold does not train."""
    table = np.loadtxt(path, delimiter=",")
    X, y = table[:, :-1], table[:, -1].astype(int)
    train, test = list(divide(y, SPEC.folds, seed=repetition))[fold]
    limits = Limits(iterations=METHOD.iterations, seed=SPEC.seed)
    settings = Settings(SPEC.depth, SPEC.min_leaf, limits)
    fits = METHODS["moctsvm"].fit_path(X[train], y[train], GRID, settings)
    return np.array([(fit.predict(X[test]) == y[test]).mean() for fit in fits])


def main() -> None:
    """Print the combinations in their order."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="CSV files of numbers, class codes last")
    parser.add_argument("--jobs", type=int, default=-1, help="processes; -1 for all cores")
    given = parser.parse_args()
    paths = sorted(given.folder.glob("*.csv"))
    runs = product(paths, range(N_DIVISIONS), range(SPEC.folds))
    found = 100 * np.array(Parallel(given.jobs)(delayed(accuracies)(*run) for run in runs))
    means = (found - found.mean(axis=1, keepdims=True)).mean(axis=0)
    order = np.argsort(-means.round(9), kind="stable")
    print(about())
    print("# Points of accuracy above the mean of all combinations, on", end=" ")
    print(*(path.stem for path in paths), sep=", ")
    for place in order:
        costs = " ".join(f"{name} {value:<6g}" for name, value in GRID[place].items())
        print(f"{costs} {means[place]:+6.2f}")
    is_same = [GRID[place] for place in order] == list(METHOD.nested_grid)
    print(f"the order of the specification: {'yes' if is_same else 'no'}")


if __name__ == "__main__":
    main()
