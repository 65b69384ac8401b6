"""The jobs of a study, the order of the rows of a data set, and how long jobs will take."""

from collections.abc import Collection, Iterable, Sequence
from statistics import fmean

import numpy as np

from margintree._lib.arrays import AnyArray, FloatArray
from margintree._lib.fingerprint import fingerprint
from margintree.data.datasets import CATALOGUE, Dataset
from margintree.study.spec import Spec
from margintree.study.store import Job, Row


def jobs_of(
    spec: Spec, data_sets: Collection[str] | None = None, methods: Collection[str] | None = None
) -> list[Job]:
    """Return the jobs of a study, one repetition after the other.

    Parameters
    ----------
    spec : Spec
        The specification.
    data_sets, methods : collection of str, optional
        Only these.

    Examples
    --------
    >>> from margintree.study.spec import read_spec
    >>> len(jobs_of(read_spec("paper"), methods=["moctsvm"]))
    325
    """
    return [
        Job(data_set, repetition, fold, method)
        for repetition in range(spec.repetitions)
        for data_set in spec.data_sets
        for fold in range(spec.folds)
        for method in spec.methods
        if (data_sets is None or data_set in data_sets) and (methods is None or method in methods)
    ]


def canonical(data: Dataset) -> tuple[FloatArray, AnyArray]:
    """Return rows and labels in an order that does not depend on where the set comes from.

    Missing cells hold the code that stands for them in the source.
    """
    code = CATALOGUE[data.name].missing_code
    X = data.X if code is None else np.where(np.isnan(data.X), code, data.X)
    order = np.lexsort((data.y, *X.T[::-1]))
    return X[order], data.y[order]


def table_fingerprint(X: FloatArray, y: AnyArray) -> str:
    """Return a text that tells these rows from others; classes may have names that sort alike.

    Examples
    --------
    >>> X, y = np.array([[1.0], [2.0]]), np.array(["no", "yes"])
    >>> table_fingerprint(X, y) == table_fingerprint(X, np.array([0, 1]))
    True
    >>> table_fingerprint(X, y) in (table_fingerprint(2 * X, y), table_fingerprint(X, y[::-1]))
    False
    """
    return fingerprint(X, np.unique(y, return_inverse=True)[1])


class Forecast:
    """Learns what jobs take, and estimates what others will.

    A job is expected to take what its method took on the same data set, or else on others, or else
    what a job of any method took.

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
        """Return a forecast that knows the rows of a store."""
        by_job: dict[Job, list[Row]] = {}
        for row in rows:
            by_job.setdefault(row.job, []).append(row)
        forecast = cls()
        for job, its_rows in by_job.items():
            forecast.learn(job, seconds_of(its_rows))
        return forecast

    def learn(self, job: Job, seconds: float) -> None:
        """Take note of what a job took."""
        for kind in _kinds(job):
            self._known.setdefault(kind, []).append(seconds)

    def seconds(self, jobs: Iterable[Job]) -> float:
        """Return the estimate for some jobs, done one after the other; 0 if nothing is known."""
        return sum(self._expected(job) for job in jobs)

    def _expected(self, job: Job) -> float:
        return next((fmean(self._known[kind]) for kind in _kinds(job) if kind in self._known), 0.0)


def seconds_of(rows: Sequence[Row]) -> float:
    """Return what a job took, from its rows."""
    return sum(
        (row.build_seconds or 0.0) + (row.fit_seconds or 0.0) + (row.predict_seconds or 0.0)
        for row in rows
    )


def _kinds(job: Job) -> tuple[tuple[str, ...], ...]:
    """Return what a job is a case of, the closest first."""
    return (job.method, job.data_set), (job.method,), ()
