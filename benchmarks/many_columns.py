"""Tables of 140 rows and many columns: what a budget of five features per split takes.

    python benchmarks/many_columns.py            # 60, 500 and 2,000 columns
    python benchmarks/many_columns.py --quick    # 60 columns

Columns are random; three of them, with noise, decide among three classes. Seconds are those of the
processor, without the compilation of kernels. ``lines`` is the length of the printed tree. The last
columns are the accuracy on 1,000 new rows with and without the budget.
"""

import argparse
import time

import numpy as np

from about import about
from margintree import MOCTSVMClassifier, export_text
from margintree._lib.arrays import FloatArray, IntArray

COLUMNS = (60, 500, 2000)
N_ROWS, N_NEW = 140, 1000
MOST = 5
NOISE = 0.3


def drawn(n_rows: int, n_columns: int, rng: np.random.Generator) -> tuple[FloatArray, IntArray]:
    """Return random rows and their classes."""
    X = rng.normal(size=(n_rows, n_columns))
    noise = NOISE * rng.normal(size=(n_rows, 2))
    y = (X[:, 0] + X[:, 1] + noise[:, 0] > 0).astype(int)
    return X, y + (y == 1) * (X[:, 2] + noise[:, 1] > 0)


def fitted(X: FloatArray, y: IntArray, most: int | None) -> tuple[MOCTSVMClassifier, float]:
    """Return a classifier and its processor time."""
    start = time.process_time()
    clf = MOCTSVMClassifier(2, max_features_per_split=most, time_limit=None).fit(X, y)
    return clf, time.process_time() - start


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="60 columns")
    given = parser.parse_args()
    rng = np.random.default_rng(0)
    fitted(*drawn(N_ROWS, 4, rng), 2)  # compiles the kernels
    print(about())
    print(f"{'columns':10}  seconds  seconds of all  lines  accuracy  accuracy of all")
    for n_columns in COLUMNS[:1] if given.quick else COLUMNS:
        X, y = drawn(N_ROWS + N_NEW, n_columns, rng)
        few, seconds = fitted(X[:N_ROWS], y[:N_ROWS], MOST)
        dense, others = fitted(X[:N_ROWS], y[:N_ROWS], None)
        n_lines = len(export_text(few).splitlines())
        score, score_of_all = (100 * clf.score(X[N_ROWS:], y[N_ROWS:]) for clf in (few, dense))
        print(
            f"{f'{n_columns:,}':10}  {seconds:7.1f}  {others:14.1f}  {n_lines:5}  {score:8.1f}  "
            f"{score_of_all:15.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
