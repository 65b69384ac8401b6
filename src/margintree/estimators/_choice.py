"""Cross-validation along paths: what every combination of depth and costs is worth on new rows."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from scipy.stats import rankdata

from margintree._typing import FloatArray, IntArray
from margintree.choice import divide, place_of_best
from margintree.exceptions import InvalidInputError
from margintree.limits import Clock, Limits
from margintree.problem import Costs, Problem
from margintree.tree import ObliqueTree
from margintree.tuning import fit_moctsvm_path

DIGITS = 12
"""Decimals of a score; what differs behind them is rounding, and a tie."""


class Trial(NamedTuple):
    """A tree that was fitted without the rows of a fold, and what it is worth on them."""

    score: float
    tree: ObliqueTree
    was_cut_short: bool


@dataclass(frozen=True, eq=False)
class Path:
    """The fits of one depth without the rows of one fold.

    Attributes
    ----------
    problem : Problem
        All rows; its depth is that of the trees.
    fold, others : int ndarray
        The rows to predict and the rows to learn from.
    grid : sequence of Costs
        The combinations of costs.
    limits : Limits
        Of each fit; the seconds are those of all of them.
    """

    problem: Problem
    fold: IntArray
    others: IntArray
    grid: Sequence[Costs]
    limits: Limits

    def run(self) -> list[Trial]:
        """Return a trial for every combination."""
        path = fit_moctsvm_path(
            self._training_part(), self.grid, self.limits, Clock(self.limits.seconds)
        )
        return [self._trial(result.tree, result.limit == "time") for result in path]

    def _training_part(self) -> Problem:
        whole, rows = self.problem, self.others
        return Problem.from_data(
            whole.X[rows],
            whole.y[rows],
            n_classes=whole.n_classes,
            depth=whole.depth,
            row_weights=whole.row_weights[rows],
            routing_margin=whole.routing_margin,
            margin_norm=whole.margin_norm,
            error_costs=whole.error_costs,
        )

    def _trial(self, tree: ObliqueTree, was_cut_short: bool) -> Trial:
        """Return what a tree is worth, with the tree in the space of all rows."""
        whole = replace(tree.in_original_units(), scaling=self.problem.scaling)
        predicted = whole.predict(self.problem.X[self.fold])
        prices = self.problem.error_costs[self.problem.y[self.fold], predicted]
        price = np.average(prices, weights=self.problem.row_weights[self.fold])
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

    candidates: Sequence[dict[str, float]]
    trials: Sequence[Sequence[Trial]]
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
        """Whether all folds were finished and no fit was cut short by time."""
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
    problem : Problem
        All rows.
    depths : sequence of int
        The depths to try.
    grid : sequence of Costs
        The combinations of costs to try at each.
    limits : Limits
        Of each fit; the seconds are those of the whole choice.
    n_folds : int
        The number of folds; fewer where no class has as many rows.
    """

    def __init__(
        self,
        problem: Problem,
        depths: Sequence[int],
        grid: Sequence[Costs],
        limits: Limits,
        n_folds: int,
    ) -> None:
        self.problem, self.depths, self.grid, self.limits = problem, depths, grid, limits
        most = int(np.bincount(problem.y).max())
        if most < 2:
            raise InvalidInputError(
                "Cross-validation needs two different rows of some class; every class has one row, "
                f"n_samples = {problem.n_rows}. Give more rows, or fix depth and costs in a "
                "MOCTSVMClassifier."
            )
        self.folds = [*divide(problem.y, min(n_folds, most), limits.seed)]

    @property
    def fold_weights(self) -> FloatArray:
        """The total weight of the rows of every fold."""
        return np.array([self.problem.row_weights[fold].sum() for fold, _ in self.folds])

    def run(self, n_jobs: int | None, tell: Callable[[str], None]) -> Iterator[list[Trial]]:
        """Yield, fold by fold, the trials of all depths and costs."""
        # Paths are begun one by one, so that time that one leaves is there for those after it.
        pool = Parallel(n_jobs, return_as="generator", pre_dispatch="n_jobs", batch_size=1)
        done = pool(delayed(Path.run)(path) for path in self._paths(effective_n_jobs(n_jobs)))
        for k in range(len(self.folds)):
            fold: list[Trial] = []
            for depth in self.depths:
                trials = next(done)
                best = max(trial.score for trial in trials)
                tell(f"fold {k + 1} of {len(self.folds)}  depth {depth}  best score {best:.4f}")
                fold += trials
            yield fold

    def _paths(self, n_jobs: int) -> Iterator[Path]:
        clock, left = Clock(self.limits.seconds), len(self.folds) * len(self.depths)
        for fold, others in self.folds:
            for depth in self.depths:
                share = clock.remaining() * min(1.0, n_jobs / left)
                limits = replace(self.limits, seconds=share)
                left -= 1
                yield Path(replace(self.problem, depth=depth), fold, others, self.grid, limits)
