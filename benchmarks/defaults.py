"""Our classifiers as they come, beside tuned rivals, on 17 public tables outside the study.

    python benchmarks/defaults.py                  # five divisions of every table
    python benchmarks/defaults.py --divisions 1    # the first one, which takes half an hour
    python benchmarks/defaults.py pima splice      # some tables
    python benchmarks/defaults.py --learners ours ours:1 ours:2

Each division trains on 70% of the rows and tests on 30%; every class keeps its share. All learners
get the same features, those of `TableEncoder`. ``ours`` is `MOCTSVMClassifierCV` with nothing set,
``ours:1`` and ``ours:2`` are the same with other seeds, and ``plain`` is `MOCTSVMClassifier`; but
none has a time limit, because the machine may have other work. The support vector machines are
tuned by five folds. ``--keep FILE`` keeps finished rows, which are not done again. Takes
``--quick`` for two small tables and one division.
"""

import argparse
import csv
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import folds
from about import about
from margintree._lib.arrays import AnyArray, FloatArray
from margintree.data.preprocessing import TableEncoder
from margintree.data.tables import read_table
from margintree.estimators import MOCTSVMClassifier, MOCTSVMClassifierCV, TreeClassifier

N_DIVISIONS = 5
TEST_SHARE = 0.3
MAX_STEPS = 200_000
"""Of one fit of a support vector machine."""
SEEDS = ("ours", "ours:1", "ours:2")
QUICK = ("bupa", "led7digit")


class Part(NamedTuple):
    """Rows as numbers, and their labels."""

    X: FloatArray
    y: AnyArray


@dataclass(frozen=True)
class Row:
    """A learner on one division, or its mean over divisions."""

    score: float  # accuracy on the test rows, in per cent
    estimate: float  # what our choice promised; 0 for others
    splits: float  # of our trees; 0 for others
    seconds: float
    constant: float  # the accuracy of the most common class


def ours(seed: int) -> Any:
    """Return our classifier that chooses, as it comes but without a time limit."""
    plain = MOCTSVMClassifier(random_state=seed, time_limit=None)
    return MOCTSVMClassifierCV(plain, time_limit=None)


def linear() -> Any:
    """Return a linear support vector machine, one versus one, tuned."""
    machine = make_pipeline(MinMaxScaler(), SVC(kernel="linear", max_iter=MAX_STEPS))
    return GridSearchCV(machine, {"svc__C": [0.01, 0.1, 1, 10, 100]})


def radial() -> Any:
    """Return a support vector machine with Gaussian kernel, tuned."""
    machine = make_pipeline(StandardScaler(), SVC(max_iter=MAX_STEPS))
    grid = {"svc__C": [1, 10, 100], "svc__gamma": ["scale", 0.01, 0.1, 1.0]}
    return GridSearchCV(machine, grid)


LEARNERS: dict[str, Callable[[], Any]] = {
    "ours": partial(ours, 0),
    "ours:1": partial(ours, 1),
    "ours:2": partial(ours, 2),
    "plain": partial(MOCTSVMClassifier, time_limit=None),
    "linear": linear,
    "RBF": radial,
    "CART-3": partial(DecisionTreeClassifier, max_depth=3, random_state=0),
    "boosting": partial(HistGradientBoostingClassifier, random_state=0),
}


USUAL = [name for name in LEARNERS if ":" not in name]
"""The learners of the printed table: all but the other seeds."""


def tables(folder: Path) -> list[str]:
    """Return the names of all tables."""
    return sorted(path.stem for path in (folder / "tables").glob("*.csv"))


@cache
def division(folder: Path, name: str, k: int) -> tuple[Part, Part]:
    """Return the training and test rows of a division."""
    table = read_table(folder / "tables" / f"{name}.csv")
    labels = table.labels(table.columns[-1])
    features = table.without(table.columns[-1])
    train, test = train_test_split(
        np.arange(len(labels)), test_size=TEST_SHARE, stratify=labels, random_state=k
    )
    rows = np.array([features[column] for column in features.columns], dtype=object).T
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        encoder = TableEncoder().fit(rows[train])
    return tuple(Part(encoder.transform(rows[part]), labels[part]) for part in (train, test))  # type: ignore[return-value]


def run(learner: str, train: Part, test: Part) -> Row:
    """Return what a learner reaches on one division."""
    model = LEARNERS[learner]()
    start = time.perf_counter()
    model.fit(*train)
    seconds = time.perf_counter() - start
    _, counts = np.unique(test.y, return_counts=True)
    is_ours = isinstance(model, TreeClassifier)
    return Row(
        score=100 * model.score(*test),
        estimate=100 * getattr(model, "best_score_", 0.0) if is_ours else 0.0,
        splits=model.tree_.n_splits if is_ours else 0,
        seconds=seconds,
        constant=100 * counts.max() / counts.sum(),
    )


def mean_of(rows: Sequence[Row]) -> Row:
    """Return the means of all figures."""
    return Row(*np.mean([astuple(row) for row in rows], axis=0))


class Keeper:
    """Finished rows by learner, table and division, in a file if there is one."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.rows: dict[tuple[str, str, int], Row] = {}
        if path is not None and path.exists():
            with path.open(newline="") as lines:
                for learner, name, k, *figures in csv.reader(lines):
                    self.rows[learner, name, int(k)] = Row(*map(float, figures))

    def find(self, folder: Path, learner: str, name: str, k: int) -> Row:
        """Return a row, from the file or by running the learner."""
        if (learner, name, k) not in self.rows:
            row = run(learner, *division(folder, name, k))
            self.rows[learner, name, k] = row
            if self.path is not None:
                with self.path.open("a", newline="") as lines:
                    csv.writer(lines).writerow([learner, name, k, *astuple(row)])
        return self.rows[learner, name, k]

    def of(self, learner: str, names: Sequence[str], n_divisions: int) -> list[Row]:
        """Return the rows of a learner."""
        return [self.rows[learner, name, k] for name in names for k in range(n_divisions)]


def line(name: str, figures: Sequence[float]) -> str:
    """Return a line of the table."""
    return f"{name:16}" + "".join(f"{figure:11.2f}" for figure in figures)


def verdict(means: dict[str, dict[str, Row]]) -> Iterator[str]:
    """Yield what the table says: differences of means, worst tables, estimates, seeds, splits."""
    score = {
        learner: np.array([rows[learner].score for rows in means.values()])
        for learner in next(iter(means.values()))
    }
    for learner, other in (("ours", "linear"), ("ours", "boosting"), ("plain", "CART-3")):
        if {learner, other} <= {*score}:
            gain = score[learner] - score[other]
            worst = [*means][int(gain.argmin())]
            yield f"{learner} - {other}: {gain.mean():+.2f}, least {gain.min():+.2f} ({worst})"
    if "ours" in score:
        off = np.array([rows["ours"].estimate - rows["ours"].score for rows in means.values()])
        worst = [*means][int(np.abs(off).argmax())]
        yield f"estimate - test: {off.mean():+.2f}, most {off[np.abs(off).argmax()]:+.2f} ({worst})"
    seeds = np.array([score[name] for name in SEEDS if name in score])
    if len(seeds) > 1:
        spread = seeds.max(axis=0) - seeds.min(axis=0)
        worst = [*means][int(spread.argmax())]
        yield f"seeds differ by {spread.mean():.2f}, at most {spread.max():.2f} ({worst})"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="TABLE", help="tables; by default all 17")
    parser.add_argument("--learners", nargs="+", choices=[*LEARNERS], default=USUAL)
    parser.add_argument("--divisions", type=int, default=N_DIVISIONS)
    parser.add_argument("--quick", action="store_true", help="two small tables, one division")
    parser.add_argument("--data-dir", type=Path, default=folds.DATA, help="folder of the data")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="CSV file of finished rows")
    given = parser.parse_args()
    warnings.simplefilter("ignore")  # steps of the machines, and trees of single divisions
    keeper, folder = Keeper(given.keep), given.data_dir
    names = given.names or (QUICK if given.quick else tables(folder))
    n_divisions = 1 if given.quick else given.divisions
    print(about(), f"{n_divisions} of {N_DIVISIONS} divisions", sep="\n")
    print(f"{'test accuracy':16}" + "".join(f"{name:>11}" for name in given.learners))
    means: dict[str, dict[str, Row]] = {}
    for name in names:
        rows = {
            learner: [keeper.find(folder, learner, name, k) for k in range(n_divisions)]
            for learner in given.learners
        }
        means[name] = {learner: mean_of(some) for learner, some in rows.items()}
        print(line(name, [row.score for row in means[name].values()]), flush=True)
    for title in ("score", "estimate", "splits", "seconds"):
        columns = [
            [getattr(rows[learner], title) for rows in means.values()] for learner in given.learners
        ]
        print(line("mean" if title == "score" else title, [np.mean(column) for column in columns]))
    print(*verdict(means), sep="\n")
    for learner in {"ours", "plain"} & {*given.learners}:
        leaves = sum(row.splits == 0 for row in keeper.of(learner, names, n_divisions))
        print(f"{learner}: {leaves} trees without a split")


if __name__ == "__main__":
    main()
