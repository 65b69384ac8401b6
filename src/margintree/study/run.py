"""Running jobs: on one core, on several, or on a cluster."""

import time
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from joblib import Parallel, delayed
from sklearn.metrics import recall_score

from margintree._lib.arrays import AnyArray, BoolArray, FloatArray, IntArray
from margintree._lib.exceptions import InvalidInputError, MargintreeError, TableWarning
from margintree._lib.extras import imported
from margintree.core.limits import Limits
from margintree.data.datasets import data_folder, load
from margintree.data.preprocessing import TableEncoder
from margintree.methods.choose import divide
from margintree.methods.path import Point
from margintree.study.jobs import (
    canonical,
    division,
    jobs_of,
    read_own,
    table_fingerprint,
)
from margintree.study.learners import Fit, Learner, NestedChoice, Settings, learners
from margintree.study.spec import Spec
from margintree.study.store import Job, Row, Store, as_json

Done: TypeAlias = tuple[Job, list[Row]]
"""A finished job and its rows."""
TASKS_AHEAD = 3
"""Maximum number of jobs that a cluster holds at a time, per thread."""
CALIBRATION_GROUPS = 10
"""Number of groups in which probabilities are compared with shares of right predictions."""
LOCAL = "local"
"""Stands for a new Dask cluster on this machine, in place of an address."""


def run_study(
    spec: Spec,
    store: Store,
    *,
    n_jobs: int = 1,
    dask: str | None = None,
    data_dir: Path | None = None,
    data_sets: Collection[str] | None = None,
    methods: Collection[str] | None = None,
    retry: bool = False,
    tell: Callable[[Job, Sequence[Row]], None] = lambda *_: None,
) -> None:
    """Run the jobs that a store does not have yet, and write their rows to it as they finish.

    Parameters
    ----------
    spec, store : Spec, Store
        What the study compares, and the file for its rows.
    n_jobs : int, default 1
        Number of processes; -1 for one per core.
    dask : str, optional
        Address of a Dask cluster to use instead of processes, or ``"local"`` for a new cluster of
        ``n_jobs`` processes on this machine.
    data_dir, data_sets, methods : optional
        Folder of data files; data sets and methods to run, by default all of the specification.
    retry : bool, default False
        Whether to run failed jobs again.
    tell : callable, optional
        Is called with every finished job and its rows.
    """
    check_jobs(n_jobs)
    folder = data_folder(data_dir)
    jobs = open_jobs(jobs_of(spec, data_sets, methods), store, retry)
    tables, why_missing = _tables(spec, {job.data_set for job in jobs}, folder)
    fingerprints = {name: table_fingerprint(*table) for name, table in tables.items()}
    session = store.begin(spec.name, spec.text, fingerprints)
    # Two processes on one store begin at opposite ends and skip the finished jobs of the other.
    jobs = jobs[::-1] if session % 2 == 0 else jobs
    skipped = (
        (job, [_other_row(spec, job, "skipped", why_missing[job.data_set])])
        for job in jobs
        if job.data_set in why_missing
    )
    known = learners()  # of this process: workers know no others
    tasks = (
        Task(spec, job, *tables[job.data_set], known[job.method])
        for job in jobs
        if job.data_set in tables and not store.is_done(job)
    )
    for job, rows in chain(skipped, _done(tasks, n_jobs, dask)):
        store.write(session, job, rows)
        tell(job, rows)


def open_jobs(jobs: Sequence[Job], store: Store, retry: bool = False) -> list[Job]:
    """Return the jobs that are still to be run.

    They include skipped jobs, since the missing data set or package may be there now.
    """
    failed, skipped = store.jobs("failed"), store.jobs("skipped")
    closed = store.jobs() - skipped - (failed if retry else set())
    return [job for job in jobs if job not in closed]


def check_jobs(n_jobs: int) -> None:
    """Raise InvalidInputError unless this is a valid number of processes."""
    if n_jobs == 0 or n_jobs < -1:
        raise InvalidInputError(
            f"The number of processes must be positive, or -1 for one per core; {n_jobs} was "
            "given. Choose another one with --jobs."
        )


def _tables(
    spec: Spec, names: Iterable[str], folder: Path | None
) -> tuple[dict[str, tuple[AnyArray, AnyArray]], dict[str, str]]:
    """Return the available data sets, and the reasons why the others are missing.

    Paths of tables are relative to the data folder, if there is one.
    """
    tables, why_missing = {}, {}
    for name in sorted(names):
        try:
            if name in spec.tables:
                tables[name] = read_own((folder or Path()) / spec.tables[name])
            else:
                tables[name] = canonical(load(name, folder))
        except MargintreeError as error:
            why_missing[name] = str(error)
    return tables, why_missing


@dataclass(frozen=True, eq=False)
class Task:
    """A job with all its input: nothing else affects its rows."""

    spec: Spec
    job: Job
    X: AnyArray  # all rows of the data set: numbers in canonical order, or cells of a table
    y: AnyArray  # their labels
    learner: Learner | None = None  # by default the one of this process with the job's name

    def run(self) -> Done:
        """Return the job with its rows; an error becomes a row with its message."""
        try:
            return self.job, self._rows()
        except Exception as error:
            return self.failed(error)

    def failed(self, error: BaseException) -> Done:
        """Return the job with one row that holds the error."""
        message = f"{type(error).__name__}: {error}"
        return self.job, [_other_row(self.spec, self.job, "failed", message)]

    def _rows(self) -> list[Row]:
        """Return a row for every combination of the grid, and one for the nested choice.

        If the method cannot be used, return one row that says why.
        """
        method = self.spec.methods[self.job.method]
        train, test = division(self.spec, self.job, self.y)
        y = self.y[train]
        X, X_test = self._encoded(train, test)
        why_not = self._learner.why_not(len(np.unique(self.y)), X.shape[1])
        if why_not:
            return [_other_row(self.spec, self.job, "skipped", why_not)]
        seconds = np.inf if method.seconds is None else method.seconds
        limits = Limits(seconds, iterations=method.iterations, seed=self.spec.seed)
        settings = Settings(self.spec.depth, self.spec.min_leaf, limits)
        fits = self._learner.fit_grid(X, y, method.grid, settings)
        rows = [
            self._row(point, fit, X_test, self.y[test])
            for point, fit in zip(method.grid, fits, strict=True)
        ]
        if not self.spec.nested.times(len(y)):
            return rows
        if not self._learner.parameters:  # there is nothing to choose
            return [*rows, rows[0]._replace(reading="nested")]
        point, fit = self._learner.fit_chosen(X, y, self._nested(y), settings)
        return [*rows, self._row(point, fit, X_test, self.y[test])._replace(reading="nested")]

    def _encoded(self, train: IntArray, test: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return the training and test rows as numbers, by an encoding of the training rows."""
        if self.X.dtype != object:
            return self.X[train], self.X[test]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TableWarning)
            encoder = TableEncoder().fit(self.X[train], self.y[train])
            return encoder.transform(self.X[train]), encoder.transform(self.X[test])

    def _nested(self, y: AnyArray) -> NestedChoice:
        """Return the rules of the choice inside the training fold."""
        method, nested = self.spec.methods[self.job.method], self.spec.nested
        divisions = [
            (others, fold)
            for repetition in range(nested.times(len(y)))
            for fold, others in divide(y, nested.folds, seed=repetition)
        ]
        return NestedChoice(
            method.nested_grid,
            divisions,
            method.usual,
            method.nested_iterations,
            method.scoring,
            method.last_fit,
        )

    @property
    def _learner(self) -> Learner:
        return learners()[self.job.method] if self.learner is None else self.learner

    def _row(self, point: Point, fit: Fit, X: FloatArray, y: AnyArray) -> Row:
        start = time.process_time()
        predicted = fit.predict(X)
        seconds = time.process_time() - start
        return _other_row(self.spec, self.job, "done", "")._replace(
            parameters=as_json(point),
            reason=fit.reason,
            objective=fit.objective,
            bound=fit.bound,
            accuracy=float((predicted == y).mean()),
            balanced_accuracy=_mean_recall(y, predicted),
            calibration_error=_calibration_error(fit, X, predicted == y),
            splits=fit.splits,
            coefficients=fit.coefficients,
            build_seconds=fit.build_seconds,
            fit_seconds=fit.fit_seconds,
            predict_seconds=seconds,
        )


def _other_row(spec: Spec, job: Job, status: str, message: str) -> Row:
    """Return a row without results."""
    method = spec.methods[job.method]
    limits = {"iterations": method.iterations}
    if method.seconds is not None:
        limits["seconds"] = method.seconds
    return Row(*job, "grid", as_json({}), spec.seed, as_json(limits), status, message)


def _mean_recall(y: AnyArray, predicted: AnyArray) -> float:
    """Return the mean recall of the classes that have rows."""
    classes = np.unique(y)
    return float(recall_score(y, predicted, labels=classes, average="macro", zero_division=0.0))


def _calibration_error(fit: Fit, X: FloatArray, is_right: BoolArray) -> float | None:
    """Return how far the probabilities of predictions are from the shares that are right.

    It is the mean difference over the rows, in `CALIBRATION_GROUPS` groups of similar probability
    (expected calibration error: Guo and others, 2017). There is none without a probability for
    every row: STree gives NaN in leaves that no training row has reached.
    """
    confidence = np.array([np.nan]) if fit.confidence is None else fit.confidence(X)
    if np.isnan(confidence).any():
        return None
    group = np.minimum((CALIBRATION_GROUPS * confidence).astype(int), CALIBRATION_GROUPS - 1)
    excess = np.bincount(group, confidence - is_right)
    return float(np.abs(excess).sum() / len(is_right))


def _done(tasks: Iterator[Task], n_jobs: int, dask: str | None) -> Iterator[Done]:
    """Yield the jobs with their rows as they finish."""
    if dask is not None:
        yield from _done_by_dask(tasks, n_jobs, dask)
    elif n_jobs == 1:
        yield from map(Task.run, tasks)
    else:
        yield from _done_by_processes(tasks, n_jobs)


def _done_by_processes(tasks: Iterator[Task], n_jobs: int) -> Iterator[Done]:
    pool = Parallel(n_jobs, return_as="generator_unordered", batch_size=1)
    try:
        yield from pool(delayed(Task.run)(task) for task in tasks)
    except BrokenProcessPool as error:
        raise MargintreeError(
            "A process of the study was killed, most likely because memory ran out. Finished jobs "
            "are kept: run the same command again, with fewer processes (--jobs)."
        ) from error


def _done_by_dask(tasks: Iterator[Task], n_jobs: int, address: str) -> Iterator[Done]:
    distributed = imported("distributed", extra="dask")
    with _client(distributed, address, n_jobs) as client:
        given: dict[str, Task] = {}

        def submit(task: Task) -> Any:
            # If a worker dies, Dask gives its job to another one.
            future = client.submit(Task.run, task, pure=False)
            given[future.key] = task
            return future

        def submit_some() -> list[Any]:
            # Workers may join a cluster, or leave it, at any time.
            ahead = TASKS_AHEAD * max(1, sum(client.nthreads().values()))
            return [submit(task) for task in islice(tasks, max(0, ahead - len(given)))]

        running = distributed.as_completed(submit_some())
        for future in running:
            task, error = given.pop(future.key), future.exception()
            yield future.result() if error is None else task.failed(error)
            running.update(submit_some())


@contextmanager
def _client(distributed: Any, address: str, n_jobs: int) -> Iterator[Any]:
    """Yield a client of the cluster at an address, or of a new cluster on this machine."""
    if address != LOCAL:
        with distributed.Client(address) as client:
            yield client
        return
    workers = {} if n_jobs < 1 else {"n_workers": n_jobs}
    with (
        distributed.LocalCluster(
            **workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address="127.0.0.1:0",  # any free port: without one, Dask takes port 8787
            scheduler_kwargs={"dashboard": False},
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client
