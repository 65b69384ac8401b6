"""How long a study will still take, from what its jobs have taken so far."""

from collections.abc import Iterable, Sequence
from statistics import fmean

from margintree.study.store import Job, Row


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
