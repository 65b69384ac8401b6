"""The choice of parameters by cross-validation: the score of every combination on new rows."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from scipy.stats import rankdata

from margintree._lib.arrays import AnyArray, FloatArray, IntArray
from margintree.core.limits import Clock, Limits
from margintree.core.method import Method
from margintree.core.problem import Problem, merged_rows
from margintree.core.result import Result
from margintree.core.tree import ObliqueTree
from margintree.methods.path import Point, path
from margintree.methods.scoring import SCORES

DIGITS = 9
"""Decimals of a score; smaller differences between scores are ignored."""
KEPT = 1 / 3
"""Share of the combinations that go on to the next round."""
FEWEST = 4
"""Least number of combinations that go on."""
SPREADS, SLACK = 2.0, 0.01
"""The last fit breaks its promise if its score is lower by this many standard deviations of the
scores by fold, and by this share of the score."""
MANY_COPIES = 2.5
"""Mean number of copies of a row from which copies are divided among folds."""
DIVISION_SEED = 0
"""Seed of folds and samples, so that the seed of a search does not decide which rows are scored."""
DOUBT = 0.5
"""Standard errors by which the best combination must beat the usual one to be chosen."""

BREADTH, FAINT = 0.6, 1e-3
"""Standard errors over which the shares of an average fall, and the least share before scaling."""

Division: TypeAlias = tuple[IntArray, IntArray]
"""The indices of the rows to learn from, and of those to test on."""


class Scoring(Protocol):
    """A score of a tree on new rows, higher for better trees; must be picklable."""

    def __call__(self, result: Result, X: FloatArray, y: IntArray, weights: FloatArray) -> float:
        """Return the score of the tree of a result on raw rows with class codes and weights."""
        ...


class Trial(NamedTuple):
    """The result of one combination on the rows of one fold.

    A model that is no tree has no splits and no ``tree``. ``was_cut_short`` says whether a limit of
    time or memory ended the fit.
    """

    score: float
    n_splits: int
    tree: ObliqueTree | None = None
    was_cut_short: bool = False


class Candidates(Protocol):
    """Combinations that are fitted together; must be picklable."""

    def try_on(self, division: Division, seconds: float) -> list[Trial]:
        """Return a trial for every combination, within this time."""
        ...

    def __str__(self) -> str:
        """Return the text that reports progress."""
        ...


@dataclass(frozen=True, eq=False)
class Data:
    """Raw rows with class codes and weights."""

    X: FloatArray
    y: IntArray
    weights: FloatArray  # sample weights times the weights of the classes
    n_classes: int
    class_factors: FloatArray | None = None  # the weights of the classes; None for 1

    def distinct(self, n_folds: int) -> "Data":
        """Return the different rows in lexicographic order, with the sums of their weights.

        Where most rows are copies of others, new rows are copies, too, so a fold must not leave all
        copies of a row out. Then a row with at least ``n_folds`` copies becomes ``n_folds`` rows
        that share its weight. Copies are counted by weights, if all weights are multiples of the
        smallest.
        """
        X, y, weights = merged_rows(self.X, self.y, self.weights)
        merged = replace(self, X=X, y=y, weights=weights)
        counts = merged.sample_weights(slice(None))
        counts = counts / counts.min(initial=np.inf)
        are_copies = np.allclose(counts, counts.round()) and counts.mean() >= MANY_COPIES
        parts = np.where(are_copies & (counts >= n_folds), n_folds, 1)
        rows = np.repeat(np.arange(len(y)), parts)
        return replace(self, X=X[rows], y=y[rows], weights=(weights / parts)[rows])

    def sample_weights(self, rows: IntArray | slice) -> FloatArray:
        """Return the weights of some rows without the weights of their classes."""
        if self.class_factors is None:
            return self.weights[rows]
        factors = self.class_factors[self.y[rows]]
        return np.asarray(self.weights[rows] / np.where(factors > 0, factors, 1.0))

    def problem(self, rows: IntArray | slice = slice(None)) -> Problem:
        """Return the problem of some rows."""
        X, y, weights = self.X[rows], self.y[rows], self.weights[rows]
        return Problem.from_data(X, y, n_classes=self.n_classes, depth=1, row_weights=weights)


@dataclass(frozen=True, eq=False)
class TreeCandidates:
    """Combinations of a method's parameters, all of one depth.

    ``limits`` are those of each fit, except that the seconds of a trial are for all fits together.
    ``scoring`` is one of `SCORES`, or has a function for every combination that returns the score
    of its tree on new rows. A fit learns from at most ``most_rows`` rows; of more rows it takes a
    sample. Costs are prices of rows, so a sample has no other weights: with more rows, a larger
    tree pays. ``is_fair`` says whether all fits share the time, as in `path`.
    """

    method: Method
    data: Data
    points: Sequence[Point]
    limits: Limits
    scoring: str | Sequence[Scoring] = "accuracy"
    most_rows: int | None = None
    is_fair: bool = False

    def __str__(self) -> str:
        return f"depth {self.points[0]['max_depth']}"

    def try_on(self, division: Division, seconds: float) -> list[Trial]:
        """Return a trial for every combination, along a path of warm starts."""
        learn, test = division
        data, limits, drawn = self.data, replace(self.limits, seconds=seconds), learn
        if self.most_rows is not None:
            drawn = learn[thin(data.y[learn], self.most_rows, DIVISION_SEED)]
        rows = data.problem(drawn)
        results = path(self.method, rows, self.points, limits, limits.clock(), is_fair=self.is_fair)
        trials = []
        for k, (point, result) in enumerate(zip(self.points, results, strict=True)):
            prices, seen = point.get("error_costs"), rows.in_space(point.get("space", "box"))
            priced = seen if prices is None else replace(seen, error_costs=np.asarray(prices))
            score = self.score(k, priced, result, test)
            was_cut_short = result.limit in ("time", "memory")
            trials.append(Trial(score, result.tree.n_splits, result.tree, was_cut_short))
        return trials

    def score(
        self, k: int, problem: Problem, result: Result, test: IntArray | slice = slice(None)
    ) -> float:
        """Return the score of a combination's result on some rows.

        The problem has the prices of errors.
        """
        X, y = self.data.X[test], self.data.y[test]
        if not isinstance(self.scoring, str):
            return self.scoring[k](result, X, y, self.data.sample_weights(test))
        right = SCORES[self.scoring](problem, result.tree, X, y)
        return float(np.average(right, weights=self.data.weights[test]))


@dataclass(frozen=True)
class Choice:
    """The trials of all combinations, and the best combination.

    Attributes
    ----------
    points : sequence of mapping
        The combinations.
    trials : sequence of list of Trial
        The trials of all combinations, for every finished division.
    test_weights : ndarray
        The weight of the test rows of every division, finished or not.
    levels : sequence of int
        How hard the trees of each combination are to read; empty if all are alike. A combination of
        a higher level is chosen only if it is better than the best below by half a standard error.
    simplest_within : float
        Standard errors, over the divisions, by which a combination may be worse than the best. Of
        all that are not, the one with the fewest coefficients is chosen. It is of no higher level
        than the best and, like the best, better than the usual one.
    usual, n_rows : int or None, float
        The combination that is kept unless another is better by half a standard error, and the
        number of scored rows, which decides the standard error.
    """

    points: Sequence[Point]
    trials: Sequence[Sequence[Trial]]
    test_weights: FloatArray
    usual: int | None = None
    n_rows: float = 1.0
    simplest_within: float = 0.0
    levels: Sequence[int] = ()

    @property
    def scores(self) -> FloatArray:
        """The scores, one line per division."""
        return np.array([[trial.score for trial in fold] for fold in self.trials])

    @property
    def mean_scores(self) -> FloatArray:
        """The mean score of every combination; NaN where no division was finished."""
        if not self.trials:
            return np.full(len(self.points), np.nan)
        mean = np.average(self.scores, axis=0, weights=self.test_weights[: len(self.trials)])
        return np.asarray(mean.round(DIGITS))

    @property
    def known_scores(self) -> FloatArray:
        """The mean scores, with minus infinity for NaN, which is never better than another."""
        return np.nan_to_num(self.mean_scores, nan=-np.inf, posinf=np.inf, neginf=-np.inf)

    @property
    def errors(self) -> FloatArray:
        """The standard errors of the mean scores.

        Scores from 0 to 1 count as shares of rows; other scores have the error over the divisions.
        """
        if self._are_shares:
            return share_errors(self.mean_scores, self.n_rows)
        return self._errors_over_divisions

    @property
    def _are_shares(self) -> bool:
        return not ((self.scores < 0) | (self.scores > 1)).any()

    @property
    def _errors_over_divisions(self) -> FloatArray:
        if len(self.trials) < 2:
            return np.zeros(len(self.points))
        return np.asarray(self.scores.std(axis=0, ddof=1) / np.sqrt(len(self.trials)))

    @property
    def mean_splits(self) -> FloatArray:
        """The mean number of splits of every combination."""
        splits = [[trial.n_splits for trial in fold] for fold in self.trials]
        return np.mean(splits, axis=0) if splits else np.zeros(len(self.points))

    @property
    def mean_coefficients(self) -> FloatArray:
        """The mean number of coefficients that a person reads in the trees of every combination."""
        counts = [
            [0 if trial.tree is None else trial.tree.n_coefficients for trial in fold]
            for fold in self.trials
        ]
        return np.mean(counts, axis=0) if counts else np.zeros(len(self.points))

    @property
    def best(self) -> int:
        """The index of the best combination; see `best_index` and ``simplest_within``."""
        scores = self.known_scores
        best = self._best_of_levels(scores)
        if not self.simplest_within or best == self.usual or len(self.trials) < 2:
            return best
        least = scores[best] - self.simplest_within * self._errors_over_divisions[best]
        levels = self._levels
        is_close = (scores >= least) & (levels <= levels[best])
        if self.usual is not None:
            other = scores[self.usual]
            pairs = zip(scores, self.errors, strict=True)
            is_close &= np.array([is_clearly_better(score, other, error) for score, error in pairs])
        # With "usual" in a space of a higher level, the best need not be clearly better.
        is_close[best] = True
        close = np.flatnonzero(is_close)
        order = np.lexsort((-scores[close], self.mean_splits[close], self.mean_coefficients[close]))
        return int(close[order[0]])

    @property
    def _levels(self) -> IntArray:
        return np.array(self.levels or [0] * len(self.points))

    def _best_of_levels(self, scores: FloatArray) -> int:
        levels, errors, best = self._levels, self.errors, None
        for level in np.unique(levels):
            places = np.flatnonzero(levels == level)
            is_usual = np.flatnonzero(places == self.usual)
            usual = int(is_usual[0]) if len(is_usual) else None
            splits = self.mean_splits[places]
            k = int(places[best_index(scores[places], splits, usual, errors[places])])
            if best is None or is_clearly_better(scores[k], scores[best], errors[k]):
                best = k
        assert best is not None
        return best

    @property
    def ranking(self) -> list[int]:
        """The indices of the combinations, the best first."""
        order = np.lexsort((self.mean_splits, -self.known_scores))
        return [self.best, *(int(k) for k in order if k != self.best)]

    def shares(self, best: int) -> dict[int, float]:
        """Return the shares of combinations in an average, the best first; see `averaging_shares`.

        Combinations of a higher level than the best one have none.
        """
        is_in = self._levels <= self._levels[best]
        scores = np.where(is_in, self.known_scores, -np.inf)
        # A perfect score leaves some doubt, too.
        least = 0.5 / self.n_rows if self._are_shares else np.finfo(float).tiny
        shares = averaging_shares(scores, best, max(self.errors[best], least))
        places = sorted(np.flatnonzero(shares).tolist(), key=lambda k: k != best)
        return {k: float(shares[k]) for k in places}

    @property
    def survivors(self) -> list[int]:
        """The indices of the combinations that go on to the next round, in order."""
        count = max(FEWEST, round(KEPT * len(self.points)))
        always = [] if self.usual is None else [self.usual]
        return sorted({*self.ranking[:count], *always})

    @property
    def was_interrupted(self) -> bool:
        """Whether some divisions were not finished."""
        return len(self.trials) < len(self.test_weights)

    @property
    def is_complete(self) -> bool:
        """Whether all divisions were finished and no fit was cut short."""
        was_cut_short = any(trial.was_cut_short for fold in self.trials for trial in fold)
        return not (self.was_interrupted or was_cut_short)

    def trees(self, k: int) -> list[ObliqueTree]:
        """Return the trees of a combination, one per finished division."""
        trees = [fold[k].tree for fold in self.trials]
        return [tree for tree in trees if tree is not None]

    def beside(self, other: "Choice") -> "Choice":
        """Return the combinations of both as one choice; both have finished the same divisions."""
        return replace(
            self,
            points=[*self.points, *other.points],
            trials=[[*one, *two] for one, two in zip(self.trials, other.trials, strict=True)],
            levels=[*self._levels.tolist(), *other._levels.tolist()],
        )

    def is_kept_by(self, score: float, k: int) -> bool:
        """Tell whether a score on training rows keeps the promise of a combination.

        It does unless it is clearly lower than the mean score on the rows left out.
        """
        if not self.trials:
            return True
        promise, spread = self.mean_scores[k], self.scores[:, k].std()
        return bool(score >= promise - SPREADS * spread - SLACK * abs(promise))


def results(rounds: Sequence[Choice]) -> dict[str, Any]:
    """Return a table of all rounds in the format of scikit-learn's halving searches.

    It has a line for every combination of every round. Ranks are those of the last round, followed
    by those of the rounds before.
    """
    points = [point for choice in rounds for point in choice.points]
    means = np.concatenate([choice.mean_scores for choice in rounds])
    number = np.repeat(np.arange(len(rounds)), [len(choice.points) for choice in rounds])
    by_fold = np.full((max(len(choice.trials) for choice in rounds), len(points)), np.nan)
    for k, choice in enumerate(rounds):
        by_fold[: len(choice.trials), number == k] = choice.scores.reshape(-1, len(choice.points))
    ranks = np.zeros(len(points), dtype=np.int64)
    for k in range(len(rounds)):
        ranked = rankdata(-rounds[k].known_scores, "min").astype(np.int64)
        ranks[number == k] = ranked + np.count_nonzero(number > k)
    spread = [
        choice.scores.std(axis=0) if choice.trials else choice.mean_scores for choice in rounds
    ]
    return {
        "params": [dict(point) for point in points],
        **{f"param_{name}": np.array([point[name] for point in points]) for name in points[0]},
        **{f"split{k}_test_score": line for k, line in enumerate(by_fold)},
        "mean_test_score": means,
        "std_test_score": np.concatenate(spread),
        "rank_test_score": ranks,
        "mean_splits": np.concatenate([choice.mean_splits for choice in rounds]),
        "mean_coefficients": np.concatenate([choice.mean_coefficients for choice in rounds]),
        "iter": number,
    }


def share_errors(shares: FloatArray, n_rows: float) -> FloatArray:
    """Return the standard errors of shares of rows.

    Examples
    --------
    >>> share_errors(np.array([0.5, 0.9, 1.0]), n_rows=25)
    array([0.1 , 0.06, 0.  ])
    """
    return np.asarray(np.sqrt(np.maximum(0.0, shares * (1 - shares)) / n_rows))


def best_index(
    scores: FloatArray,
    splits: FloatArray,
    usual: int | None = None,
    errors: FloatArray | float = 0.0,
) -> int:
    """Return the index of the best combination: highest score, then fewest splits, then the first.

    The ``usual`` combination, if there is one, is kept unless the best score is higher by more than
    half its standard error. With few rows the best of several scores is often best by chance.

    Examples
    --------
    >>> best_index(np.array([0.7, 0.9, 0.9, 0.9]), np.array([1, 3, 2, 2]))
    2
    >>> scores, splits = np.array([0.8, 0.88, 0.9]), np.array([1, 2, 3])
    >>> [best_index(scores, splits, usual, share_errors(scores, 50)) for usual in range(3)]
    [2, 1, 2]
    """
    best = int(np.lexsort((splits, -scores))[0])
    if usual is None:
        return best
    error = np.broadcast_to(errors, scores.shape)[best]
    return best if is_clearly_better(scores[best], scores[usual], error) else usual


def is_clearly_better(score: float, other: float, error: float) -> bool:
    """Tell whether a score is better than another by half its standard error.

    Examples
    --------
    >>> is_clearly_better(0.90, 0.88, error=0.05), is_clearly_better(0.90, 0.87, error=0.05)
    (False, True)
    """
    # Two scores of minus infinity have no difference.
    return bool(score > other and score - other > DOUBT * error)


def averaging_shares(scores: FloatArray, best: int, error: float) -> FloatArray:
    """Return the shares of combinations in an average, by their scores.

    A combination whose score is lower than that of the best by d standard errors has a share in
    proportion to ``exp(-(d / 0.6)**2 / 2)``, and none below a thousandth. No share is larger than
    that of the best.

    Examples
    --------
    >>> averaging_shares(np.array([0.8, 0.74, -np.inf]), best=0, error=0.04).round(3)
    array([0.958, 0.042, 0.   ])
    """
    behind = np.maximum(0.0, scores[best] - scores) / error
    shares = np.exp(-((behind / BREADTH) ** 2) / 2)
    shares[shares < FAINT] = 0.0
    return np.asarray(shares / shares.sum())


def choose(
    groups: Sequence[Candidates],
    divisions: Sequence[Division],
    *,
    seconds: float = np.inf,
    n_jobs: int | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> Iterator[list[Trial]]:
    """Yield the trials of all combinations, division by division.

    A group has the combinations that are fitted together, such as those of one depth. The trials
    share the ``seconds``. ``n_jobs`` is the number of processes, as in joblib, and ``tell``
    receives a line of text for every finished group.
    """
    # Trials start one by one, so that later ones can use the time that earlier ones leave.
    pool = Parallel(n_jobs, return_as="generator", pre_dispatch="n_jobs", batch_size=1)
    done = pool(_jobs(groups, divisions, seconds, effective_n_jobs(n_jobs)))
    clock, best, n_done, n_all = Clock(seconds), -np.inf, 0, len(divisions) * len(groups)
    for k in range(len(divisions)):
        fold: list[Trial] = []
        for group in groups:
            trials = next(done)
            best = max(best, *(trial.score for trial in trials))
            n_done += 1
            left = min(clock.elapsed() / n_done * (n_all - n_done), clock.remaining())
            tell(
                f"{n_done} of {n_all} searches done, about {left:.0f} s left, best on a fold "
                f"{best:.4f} (fold {k + 1} of {len(divisions)}, {group})"
            )
            fold += trials
        yield fold


def _jobs(
    groups: Sequence[Candidates], divisions: Sequence[Division], seconds: float, n_jobs: int
) -> Iterator[Any]:
    clock, left = Clock(seconds), len(divisions) * len(groups)
    for division in divisions:
        for group in groups:
            share = clock.remaining() * min(1.0, n_jobs / left)
            left -= 1
            yield delayed(group.try_on)(division, share)


def divide(y: AnyArray, n_folds: int, seed: int) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield the rows of every fold and all other rows; every fold has its share of every class.

    Examples
    --------
    >>> y = np.array(["a", "b"] * 4)
    >>> [(len(fold), len(others)) for fold, others in divide(y, 4, seed=0)]
    [(2, 6), (2, 6), (2, 6), (2, 6)]
    """
    from sklearn.model_selection import StratifiedKFold  # loaded only when it is needed

    with warnings.catch_warnings():
        # Classes with fewer rows than folds are in some folds and not in others.
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        folds = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
        for others, fold in folds.split(np.empty((len(y), 0)), y):
            yield fold, others


def thin(y: AnyArray, size: int, seed: int) -> IntArray:
    """Return the indices of a sample of rows, in order; every class keeps its share.

    Examples
    --------
    >>> y = np.array(["a", "b", "b"] * 100)
    >>> rows = thin(y, 30, seed=0)
    >>> len(set(rows)), int((y[rows] == "a").sum())
    (30, 10)
    """
    if len(y) <= size:
        return np.arange(len(y))
    by_class = np.lexsort((np.random.default_rng(seed).random(len(y)), y))
    return np.sort(by_class[np.linspace(0, len(y) - 1, size).round().astype(np.int64)])
