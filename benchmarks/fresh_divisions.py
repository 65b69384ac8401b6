"""The nested choice of the study on divisions that had no part in settling its rule.

    python benchmarks/fresh_divisions.py            # the 13 data sets
    python benchmarks/fresh_divisions.py iris wine  # some of them

Takes the specification `paper`, but divides the data sets otherwise: divisions are numbered, the
study has the first five, the next five had a part in settling how trees are scored, and these are
the five after them. MOCTSVM chooses and is fitted as in the study, under *nested*; everything else
of the specification is left out.
"""

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed

import folds
from about import about
from margintree._lib.arrays import FloatArray
from margintree.data.datasets import load
from margintree.study.jobs import canonical
from margintree.study.run import Task
from margintree.study.spec import Spec, read_spec
from margintree.study.store import Job

METHOD = "moctsvm"


def nested_only(spec: Spec) -> Spec:
    """Return a specification that leaves next to nothing of the method's grid but the choice."""
    method = spec.methods[METHOD]
    return replace(spec, methods={METHOD: replace(method, grid=method.nested_grid[:1])})


def accuracies(spec: Spec, name: str, folder: Path | None, n_jobs: int) -> FloatArray:
    """Return the accuracy (%) of every fresh repetition of a data set."""
    X, y = canonical(load(name, folder))
    tasks = [
        Task(spec, Job(name, repetition, fold, METHOD), X, y)
        for repetition in range(2 * spec.repetitions, 3 * spec.repetitions)
        for fold in range(spec.folds)
    ]
    done = Parallel(n_jobs)(delayed(Task.run)(task) for task in tasks)
    rows = [row for _, found in done for row in found if row.reading == "nested"]
    if len(rows) != len(tasks):
        raise RuntimeError(f"{name}: {[row.message for _, found in done for row in found]}")
    return 100 * np.array([row.accuracy for row in rows]).reshape(-1, spec.folds).mean(axis=1)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="SET", help="data sets; by default all 13")
    parser.add_argument("--jobs", type=int, default=-1, help="processes; by default one a core")
    parser.add_argument("--data-dir", type=Path, default=folds.DATA, help="folder of the CSV files")
    given = parser.parse_args()
    spec = nested_only(read_spec("paper"))
    print(about())
    print(f"{'data set':20} {'nested':>7} {'std':>6}")
    means = []
    for name in given.names or folds.NAMES:
        found = accuracies(spec, name, given.data_dir, given.jobs)
        means.append(found.mean())
        print(f"{name:20} {found.mean():7.2f} {found.std(ddof=1):6.2f}", flush=True)
    print(f"{'mean':20} {np.mean(means):7.2f}")


if __name__ == "__main__":
    main()
