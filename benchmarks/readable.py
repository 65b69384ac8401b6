"""Accuracy against what a person has to read: budgets and prices of features, whole points.

    python benchmarks/readable.py                     # 13 data sets, both shares of training rows
    python benchmarks/readable.py --shares fifth      # one fifth of the rows trains
    python benchmarks/readable.py --quick             # three data sets, three quarters train

Costs are 100, 1 and 10, the depth is 2, or 3 for five classes or more. Every number is a mean over
the folds of a data set, then over the data sets: accuracy in per cent on the rows that do not
train, coefficients that are not 0, different features, and the accuracy of the same tree in points
from -10 to 10, with what they add to its cost (median over the data sets). "Price by folds" takes,
for every fold, the price that is best in four divisions of its training rows.

A second table compares CART and OCT-H with our path of prices at equal numbers of coefficients:
accuracy is interpolated between the prices with more and with fewer coefficients; a larger rival is
compared with our largest tree. ``--keep FILE`` keeps finished rows, which are not done again.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import folds
from about import about
from kept import keep_row, read_rows
from margintree import MOCTSVMClassifier, TreeClassifierCV
from margintree._lib.arrays import FloatArray, IntArray
from margintree.core.limits import Limits
from margintree.core.problem import Problem
from margintree.core.result import Result
from margintree.methods import METHODS
from margintree.methods.choose import divide
from margintree.methods.rounding import with_round_numbers
from margintree.methods.solve import How, solve

COSTS = {"c1": 100.0, "c2": 1.0, "c3": 10.0}
POINTS = 10
SHARES = {"quarters": "three quarters", "fifth": "one fifth"}
QUICK = ("iris", "wine", "seeds")
BARS = {"2 features per split": 85.5, "3 features per split": 87.2, "5 features per split": 88.3}
"""Least mean accuracy where three quarters train; a miss is reported in the last line."""
LARGEST_LOSS = 0.7
"""Points of accuracy that rounding may cost, for every row of the table."""
PRICES = (25.0, 100.0, 200.0, 400.0)
MOST = 6
"""Largest number of features in a split with a price."""
BY_FOLDS = "price by folds"


class Row(NamedTuple):
    """What a tree reaches on one fold: the columns of the table."""

    accuracy: float
    coefficients: float
    features: float
    points: float = np.nan
    dearer: float = np.nan


class Part(NamedTuple):
    """The rows of a fold that train and those that test."""

    X: FloatArray
    y: IntArray
    X_test: FloatArray
    y_test: IntArray


def price_label(c4: float) -> str:
    """Return the name of the row of a price."""
    return f"price {c4:g}"


def margin_rows() -> dict[str, dict[str, Any]]:
    """Return the parameters of the rows of the table that have margins."""
    rows: dict[str, dict[str, Any]] = {
        f"{most} feature{'s' * (most > 1)} per split": {"max_features_per_split": most}
        for most in (1, 2, 3, 5)
    }
    rows |= {price_label(c4): {"c4": c4, "max_features_per_split": MOST} for c4 in PRICES}
    return rows | {"all features": {}}


def other_rows() -> dict[str, tuple[str, dict[str, Any]]]:
    """Return the methods and parameters of the rows without margins."""
    rows: dict[str, tuple[str, dict[str, Any]]] = {
        f"CART, {splits} splits": ("cart", {"max_splits": splits}) for splits in (2, 3, 5, 7)
    }
    prices = (0.1, 0.01, 0.001)
    return rows | {f"OCT-H, price {alpha:g}": ("octh", {"alpha": alpha}) for alpha in prices}


def parts(name: str, share: str, folder: Path | None) -> Iterator[Part]:
    """Yield the folds of a set, missing cells filled with the means of the training rows."""
    X, y = folds.read(name, folder)
    for some, others in divide(y, 5 if share == "fifth" else 4, seed=0):
        learn, test = (some, others) if share == "fifth" else (others, some)
        with np.errstate(invalid="ignore"):
            counts = (~np.isnan(X[learn])).sum(axis=0)
            means = np.nansum(X[learn], axis=0) / np.maximum(counts, 1)
        filled = np.where(np.isnan(X), means, X)
        yield Part(filled[learn], y[learn], filled[test], y[test])


def measured(part: Part, label: str) -> Row:
    """Return what the tree of a row of the table reaches on a fold."""
    n_classes = int(max(part.y.max(), part.y_test.max())) + 1
    depth = 3 if n_classes >= 5 else 2
    if label == BY_FOLDS:
        return _chosen(part, depth)
    rows = Problem.from_data(part.X, part.y, n_classes=n_classes, depth=depth)
    if label in other_rows():
        name, params = other_rows()[label]
        method, problem = METHODS[name], METHODS[name].pose(rows, max_depth=3, **params)
        return _row(part, problem, solve(method, problem, How(method.ways[0])))
    moctsvm: Any = METHODS["moctsvm"]
    problem = moctsvm.pose(rows, max_depth=depth, **COSTS | margin_rows()[label])
    result = solve(moctsvm, problem, How(limits=Limits()))
    short = with_round_numbers(moctsvm, problem, result, points=POINTS)
    return _row(part, problem, result)._replace(
        points=_row(part, problem, short).accuracy,
        dearer=100 * (short.objective / result.objective - 1),
    )


def _row(part: Part, problem: Problem, result: Result) -> Row:
    tree = result.tree
    called = tree.predict(problem.scaling.apply(part.X_test))
    accuracy = 100 * float((called == part.y_test).mean())
    return Row(accuracy, tree.n_coefficients, int(tree.weights.any(axis=0).sum()))


def _chosen(part: Part, depth: int) -> Row:
    """Return what the tree reaches whose price is chosen by folds of the training rows."""
    plain = MOCTSVMClassifier(depth, **COSTS, max_features_per_split=MOST, time_limit=None)
    candidates = [{"c4": c4} for c4 in PRICES]
    clf = TreeClassifierCV(plain, candidates, path_rows=None, time_limit=None).fit(part.X, part.y)
    accuracy = 100 * clf.score(part.X_test, part.y_test)
    return Row(accuracy, clf.tree_.n_coefficients, int((clf.feature_importances_ > 0).sum()))


def labels() -> list[str]:
    """Return the names of all rows of the table."""
    return [*other_rows(), *margin_rows(), BY_FOLDS]


def means(
    names: Sequence[str], share: str, folder: Path | None, kept: Path | None
) -> dict[str, FloatArray]:
    """Return the figures of every row of the table, one line per data set."""
    known = read_rows(kept) if kept else {}
    found: dict[str, list[FloatArray]] = {label: [] for label in labels()}
    for name in names:
        for label, lines in found.items():
            rows = []
            for k, part in enumerate(parts(name, share, folder)):
                instance = f"{share}, {name}, fold {k}, {label}"
                if instance not in known:
                    known[instance] = {"row": measured(part, label)}
                    if kept:
                        keep_row(kept, {"instance": instance, **known[instance]})
                rows.append(known[instance]["row"])
            lines.append(np.mean(rows, axis=0))
        print(f"{share}, {name} done", file=sys.stderr, flush=True)
    return {label: np.array(lines) for label, lines in found.items()}


def print_rows(table: dict[str, FloatArray], share: str) -> None:
    """Print the table of all rows."""
    print(f"{SHARES[share] + ' train':24}  accuracy  coefficients  features  points  points cost %")
    for label, lines in table.items():
        accuracy, coefficients, features, points, _ = lines.mean(axis=0)
        figures = f"{label:24}  {accuracy:8.2f}  {coefficients:12.1f}  {features:8.1f}"
        if label in margin_rows():
            figures += f"  {points:6.2f}  {np.median(lines[:, 4]):13.2f}"
        print(figures, flush=True)


def print_comparison(table: dict[str, FloatArray], share: str) -> None:
    """Print every rival beside our path of prices with as many coefficients."""
    path = sorted(tuple(table[price_label(c4)].mean(axis=0)[1::-1]) for c4 in PRICES)
    sizes, scores = np.transpose(path)
    print(f"{SHARES[share] + ', equal size':24}  accuracy  path of prices  difference")
    for label in other_rows():
        accuracy, coefficients = table[label].mean(axis=0)[:2]
        if coefficients < sizes[0]:
            print(f"{label:24}  {accuracy:8.2f}  has fewer coefficients than the path")
            continue
        ours = np.interp(coefficients, sizes, scores)
        print(f"{label:24}  {accuracy:8.2f}  {ours:14.2f}  {ours - accuracy:+10.2f}")


def misses(table: dict[str, FloatArray], share: str) -> list[str]:
    """Return the rows that are below their bar, or lose more by points than they may."""
    found = []
    for label in margin_rows():
        accuracy, _, _, points, _ = table[label].mean(axis=0)
        bar = BARS.get(label, 0.0) if share == "quarters" else 0.0
        if accuracy < bar or accuracy - points > LARGEST_LOSS:
            found.append(f"{label} ({SHARES[share]})")
    return found


def main() -> int:
    """Print the tables, and tell whether the bars hold."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="SET", help="data sets; by default all 13")
    parser.add_argument("--shares", nargs="+", choices=[*SHARES], default=[*SHARES])
    parser.add_argument("--quick", action="store_true", help="three small data sets, one share")
    parser.add_argument("--data-dir", type=Path, default=folds.DATA)
    parser.add_argument("--keep", type=Path, metavar="FILE", help="JSON lines of finished rows")
    given = parser.parse_args()
    names = given.names or (QUICK if given.quick else folds.NAMES)
    print(about())
    print(f"means of {len(names)} data sets", flush=True)
    missed = []
    for share in ["quarters"] if given.quick else given.shares:
        table = means(names, share, given.data_dir, given.keep)
        print_rows(table, share)
        print_comparison(table, share)
        missed += misses(table, share)
    print(f"below its bar: {', '.join(missed)}" if missed else "all bars hold")
    return bool(missed) and not given.quick


if __name__ == "__main__":
    raise SystemExit(main())
