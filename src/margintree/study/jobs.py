"""The jobs of a study, the order of the rows of a data set, and estimates of running time."""

from collections.abc import Collection, Iterable, Sequence
from itertools import islice
from pathlib import Path
from statistics import fmean

import numpy as np
from sklearn.model_selection import StratifiedShuffleSplit

from margintree._lib.arrays import AnyArray, FloatArray
from margintree._lib.exceptions import InvalidInputError
from margintree._lib.fingerprint import fingerprint
from margintree._lib.suggestion import did_you_mean
from margintree.data.datasets import CATALOGUE, Dataset
from margintree.data.tables import read_table
from margintree.methods.choose import Division, divide
from margintree.study.spec import Spec
from margintree.study.store import Job, Row


def jobs_of(
    spec: Spec, data_sets: Collection[str] | None = None, methods: Collection[str] | None = None
) -> list[Job]:
    """Return the jobs of a study, or of some of its data sets and methods, by repetition.

    Examples
    --------
    >>> from margintree.study.spec import read_spec
    >>> len(jobs_of(read_spec("paper"), methods=["moctsvm"]))
    325
    """
    _check_names("data set", data_sets, spec.data_sets)
    _check_names("method", methods, spec.methods)
    return [
        Job(data_set, repetition, fold, method)
        for repetition in range(spec.repetitions)
        for data_set in spec.data_sets
        for fold in range(spec.folds)
        for method in spec.methods
        if (data_sets is None or data_set in data_sets) and (methods is None or method in methods)
    ]


def _check_names(what: str, given: Collection[str] | None, known: Collection[str]) -> None:
    for name in given or ():
        if name not in known:
            raise InvalidInputError(
                f"The {what} must be in the specification, which has {', '.join(known)}; {name!r} "
                f"was given. {did_you_mean(name, known)}Choose one of these, or add it to the "
                "specification."
            )


def canonical(data: Dataset) -> tuple[FloatArray, AnyArray]:
    """Return rows and labels in an order that does not depend on the source of the data set.

    Missing cells hold the code that the source uses for them.
    """
    code = CATALOGUE[data.name].missing_code
    X = data.X if code is None else np.where(np.isnan(data.X), code, data.X)
    order = np.lexsort((data.y, *X.T[::-1]))
    return X[order], data.y[order]


def read_own(path: Path) -> tuple[AnyArray, AnyArray]:
    """Return the cells and labels of a table of the user's own; labels are in the last column."""
    table = read_table(path)
    target = table.columns[-1]
    features = table.without(target)
    cells = np.array([features[column] for column in features.columns], dtype=object).T
    return cells, table.labels(target)


def division(spec: Spec, job: Job, y: AnyArray) -> Division:
    r"""Return the rows that train and those that test in a job.

    Examples
    --------
    >>> from margintree.study.spec import parse_spec
    >>> spec = parse_spec(
    ...     "half", 'data_sets = ["iris"]\ntrain = 0.5\nmethods.cart.grid.max_splits = [1]'
    ... )
    >>> train, test = division(spec, Job("iris", 0, 0, "cart"), np.arange(8) % 2)
    >>> len(train), len(test), len({*train, *test})
    (4, 4, 8)
    """
    if spec.train is not None:
        splitter = StratifiedShuffleSplit(1, train_size=spec.train, random_state=job.repetition)
        ((train, test),) = splitter.split(np.empty((len(y), 0)), y)
        return train, test
    folds = divide(y, spec.folds, seed=job.repetition)
    return next(islice(folds, job.fold, None))


def table_fingerprint(X: AnyArray, y: AnyArray) -> str:
    """Return a text that identifies these rows; class names count only by their order.

    Examples
    --------
    >>> X, y = np.array([[1.0], [2.0]]), np.array(["no", "yes"])
    >>> table_fingerprint(X, y) == table_fingerprint(X, np.array([0, 1]))
    True
    >>> table_fingerprint(X, y) in (table_fingerprint(2 * X, y), table_fingerprint(X, y[::-1]))
    False
    """
    cells = tuple(map(str, X.ravel())) if X.dtype == object else X
    return fingerprint(cells, np.unique(y, return_inverse=True)[1])


class Forecast:
    """Estimates the time of jobs from the time of finished jobs.

    The estimate is the mean time of the same method on the same data set. Without such jobs, it is
    the mean time of the method on all data sets, and without those, the mean time of all jobs.

    Examples
    --------
    >>> forecast = Forecast()
    >>> forecast.learn(Job("iris", 0, 0, "cart"), 2.0)
    >>> forecast.learn(Job("iris", 0, 0, "oct"), 10.0)
    >>> forecast.seconds([Job("iris", 0, 1, "cart")])
    2.0
    >>> forecast.seconds([Job("zoo", 0, 0, "oct"), Job("zoo", 0, 0, "moctsvm")])
    16.0
    """

    def __init__(self) -> None:
        self._known: dict[tuple[str, ...], list[float]] = {}

    @classmethod
    def from_rows(cls, rows: Iterable[Row]) -> "Forecast":
        """Return a forecast from the rows of a store."""
        by_job: dict[Job, list[Row]] = {}
        for row in rows:
            by_job.setdefault(row.job, []).append(row)
        forecast = cls()
        for job, its_rows in by_job.items():
            forecast.learn(job, seconds_of(its_rows))
        return forecast

    def learn(self, job: Job, seconds: float) -> None:
        """Add the time of a finished job."""
        for kind in _kinds(job):
            self._known.setdefault(kind, []).append(seconds)

    def seconds(self, jobs: Iterable[Job]) -> float:
        """Return the estimated time of jobs in sequence; 0 if no job is known."""
        return sum(self._expected(job) for job in jobs)

    def _expected(self, job: Job) -> float:
        return next((fmean(self._known[kind]) for kind in _kinds(job) if kind in self._known), 0.0)


def seconds_of(rows: Sequence[Row]) -> float:
    """Return the time of a job from its rows."""
    return sum(
        (row.build_seconds or 0.0) + (row.fit_seconds or 0.0) + (row.predict_seconds or 0.0)
        for row in rows
    )


def _kinds(job: Job) -> tuple[tuple[str, ...], ...]:
    """Return the groups of similar jobs that a job belongs to, from narrow to wide."""
    return (job.method, job.data_set), (job.method,), ()
