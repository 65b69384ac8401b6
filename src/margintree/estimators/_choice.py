"""Cross-validation along paths: what every combination of parameters is worth on new rows."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from scipy.stats import rankdata

from margintree._lib.arrays import AnyArray, FloatArray, IntArray
from margintree._lib.exceptions import InvalidInputError
from margintree.core.limits import Clock, Limits
from margintree.core.problem import Problem
from margintree.core.result import Result
from margintree.core.tree import ObliqueTree
from margintree.estimators._base import TreeClassifier
from margintree.methods.choice import divide, place_of_best, thin

Point: TypeAlias = dict[str, Any]
"""One combination of parameters."""
FitPath: TypeAlias = Callable[[Any, Problem, Sequence[Point], Limits], list[Result]]
"""Fits trees of a plain classifier's kind for some combinations; see `Path`."""
DIGITS = 12
"""Decimals of a score; what differs behind them is rounding, and a tie."""


class Trial(NamedTuple):
    """A tree that was fitted without the rows of a fold, and what it is worth on them."""

    score: float
    tree: ObliqueTree
    was_cut_short: bool


Trials: TypeAlias = list[Trial]


@dataclass(frozen=True, eq=False)
class Path:
    """The fits of one depth.

    Attributes
    ----------
    fit : callable
        Returns a result for every combination, on a training set, within limits: those of each fit,
        but the seconds are those of all of them.
    plain : TreeClassifier
        A classifier of this depth, which poses the problems.
    points : sequence of dict
        The combinations.
    problem : Problem
        All rows.
    classes : ndarray
        The labels behind its codes.
    limits : Limits
        Of each fit.
    """

    fit: FitPath
    plain: TreeClassifier
    points: Sequence[Point]
    problem: Problem
    classes: AnyArray
    limits: Limits

    def run(self, fold: IntArray, others: IntArray, weights: FloatArray, seconds: float) -> Trials:
        """Return a trial for every combination, of trees that saw other rows, weighted."""
        whole, limits = self.problem, replace(self.limits, seconds=seconds)
        part = self.plain._pose(whole.X[others], whole.y[others], weights, self.classes)
        results = self.fit(self.plain, part, self.points, limits)
        cut_short = "time", "memory"
        return [self._trial(result.tree, fold, result.limit in cut_short) for result in results]

    def _trial(self, tree: ObliqueTree, fold: IntArray, was_cut_short: bool) -> Trial:
        """Return what a tree is worth, with the tree in the space of all rows."""
        whole = replace(tree.in_original_units(), scaling=self.problem.scaling)
        predicted = whole.predict(self.problem.X[fold])
        prices = self.problem.error_costs[self.problem.y[fold], predicted]
        price = np.average(prices, weights=self.problem.row_weights[fold])
        return Trial(float(1.0 - price), whole, was_cut_short)


@dataclass(frozen=True)
class Choice:
    """The trials of all combinations, by fold, and which combination is the best.

    Attributes
    ----------
    candidates : list of dict
        The combinations.
    trials : list of list of Trial
        For every fold that was finished, the trials of all combinations.
    fold_weights : ndarray
        The total weight of the rows of every fold, finished or not.
    """

    candidates: Sequence[Point]
    trials: Sequence[Trials]
    fold_weights: FloatArray

    @property
    def scores(self) -> FloatArray:
        """The scores, one line per fold."""
        return np.array([[trial.score for trial in fold] for fold in self.trials])

    @property
    def mean_scores(self) -> FloatArray:
        """The score of every combination over all rows; NaN where no fold was finished."""
        if not self.trials:
            return np.full(len(self.candidates), np.nan)
        mean = np.average(self.scores, axis=0, weights=self.fold_weights[: len(self.trials)])
        return np.asarray(mean.round(DIGITS))

    @property
    def mean_splits(self) -> FloatArray:
        """The mean number of splits of every combination."""
        splits = [[trial.tree.n_splits for trial in fold] for fold in self.trials]
        return np.mean(splits, axis=0) if splits else np.zeros(len(self.candidates))

    @property
    def best(self) -> int:
        """The place of the best combination; of several, the one with the fewest splits."""
        return place_of_best(np.nan_to_num(self.mean_scores), self.mean_splits)

    @property
    def was_interrupted(self) -> bool:
        """Whether some folds were not finished."""
        return len(self.trials) < len(self.fold_weights)

    @property
    def is_complete(self) -> bool:
        """Whether all folds were finished and no fit was cut short."""
        was_cut_short = any(trial.was_cut_short for fold in self.trials for trial in fold)
        return not (self.was_interrupted or was_cut_short)

    def results(self) -> dict[str, Any]:
        """Return the table in the form that scikit-learn's searches have it."""
        names = self.candidates[0]
        columns = {f"param_{name}": self._values(name) for name in names}
        by_fold = {f"split{k}_test_score": line for k, line in enumerate(self.scores)}
        spread = self.scores.std(axis=0) if self.trials else self.mean_scores
        return {
            "params": [*self.candidates],
            **columns,
            **by_fold,
            "mean_test_score": self.mean_scores,
            "std_test_score": spread,
            "rank_test_score": rankdata(-np.nan_to_num(self.mean_scores), "min").astype(np.int64),
            "mean_splits": self.mean_splits,
        }

    def _values(self, name: str) -> FloatArray:
        return np.array([candidate[name] for candidate in self.candidates])


class Paths:
    """The paths of a choice, one fold after the other, within one budget of time.

    Parameters
    ----------
    paths : sequence of Path
        One for every depth, of the same problem.
    n_folds : int
        The number of folds; fewer where no class has as many rows.
    most_rows : int or None
        The most rows to learn from. Of more, a sample is taken, which weighs as much as all.
    """

    def __init__(self, paths: Sequence[Path], n_folds: int, most_rows: int | None) -> None:
        self.paths, self.most_rows = paths, most_rows
        problem, plain = paths[0].problem, paths[0].plain
        most = int(np.bincount(problem.y).max())
        if most < 2:
            raise InvalidInputError(
                "Cross-validation needs two different rows of some class; every class has one row, "
                f"n_samples = {problem.n_rows}. Give more rows, or fix the parameters in a "
                f"{type(plain).__name__}."
            )
        self.folds = [*divide(problem.y, min(n_folds, most), paths[0].limits.seed)]
        self.fold_weights = np.array([problem.row_weights[fold].sum() for fold, _ in self.folds])

    def run(
        self, seconds: float, n_jobs: int | None, tell: Callable[[str], None]
    ) -> Iterator[Trials]:
        """Yield, fold by fold, the trials of all combinations."""
        # Paths are begun one by one, so that time that one leaves is there for those after it.
        pool = Parallel(n_jobs, return_as="generator", pre_dispatch="n_jobs", batch_size=1)
        done = pool(self._jobs(seconds, effective_n_jobs(n_jobs)))
        for k in range(len(self.folds)):
            fold: Trials = []
            for path in self.paths:
                trials = next(done)
                best = max(trial.score for trial in trials)
                tell(
                    f"fold {k + 1} of {len(self.folds)}  depth {path.plain.max_depth}  "
                    f"best score {best:.4f}"
                )
                fold += trials
            yield fold

    def _jobs(self, seconds: float, n_jobs: int) -> Iterator[Any]:
        clock, left = Clock(seconds), len(self.folds) * len(self.paths)
        for fold, others in self.folds:
            for path in self.paths:
                share = clock.remaining() * min(1.0, n_jobs / left)
                left -= 1
                yield delayed(path.run)(fold, *self._sampled(path, others), share)

    def _sampled(self, path: Path, rows: IntArray) -> tuple[IntArray, FloatArray]:
        """Return the rows to learn from, and their weights."""
        y, weights = path.problem.y, path.problem.row_weights
        size = len(rows) if self.most_rows is None else self.most_rows
        drawn = rows[thin(y[rows], size, path.limits.seed)]
        return drawn, weights[drawn] * (weights[rows].sum() / weights[drawn].sum())
