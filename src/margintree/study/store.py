"""The store: one row per run in an SQLite file, written as jobs finish.

All rows of a job are written in one transaction, so that a job is either done or not begun,
whenever a process is killed. Any number of processes may use one store at a time.
"""

import json
import os
import platform
import sqlite3
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

from margintree._lib.exceptions import InvalidInputError

SCHEMA_VERSION = 1
"""The version of the tables; raise it when a column changes its meaning."""
_SCHEMA = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS sessions (
    id INTEGER PRIMARY KEY,
    started TEXT NOT NULL,
    versions TEXT NOT NULL,
    commit_id TEXT NOT NULL,
    machine TEXT NOT NULL,
    spec TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS runs (
    data_set TEXT NOT NULL,
    repetition INTEGER NOT NULL,
    fold INTEGER NOT NULL,
    method TEXT NOT NULL,
    reading TEXT NOT NULL,
    parameters TEXT NOT NULL,
    seed INTEGER NOT NULL,
    limits TEXT NOT NULL,
    status TEXT NOT NULL,
    message TEXT NOT NULL,
    reason TEXT,
    objective REAL,
    bound REAL,
    accuracy REAL,
    balanced_accuracy REAL,
    splits INTEGER,
    build_seconds REAL,
    fit_seconds REAL,
    predict_seconds REAL,
    session INTEGER NOT NULL REFERENCES sessions (id),
    PRIMARY KEY (data_set, repetition, fold, method, reading, parameters)
);
PRAGMA user_version = {SCHEMA_VERSION};
COMMIT;
"""
_DATA = """
CREATE TABLE IF NOT EXISTS data (
    data_set TEXT PRIMARY KEY,
    fingerprint TEXT NOT NULL
)
"""
_DATA_OF_DONE_ROWS = """
SELECT data_set, fingerprint FROM data
WHERE data_set IN (SELECT data_set FROM runs WHERE status = 'done')
"""
_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table'"
_PACKAGES = (
    "margintree",
    "numpy",
    "scipy",
    "scikit-learn",
    "numba",
    "joblib",
    "stree",
    "pycontree",
    "distributed",
)
_PATIENCE = 60.0
"""Seconds to wait for another process that writes."""


class Job(NamedTuple):
    """What is done in one go: a method with all its parameters on one training fold.

    Examples
    --------
    >>> str(Job("iris", 0, 4, "cart"))
    'iris 0.4 cart'
    """

    data_set: str
    repetition: int
    fold: int
    method: str

    def __str__(self) -> str:
        return f"{self.data_set} {self.repetition}.{self.fold} {self.method}"


class Row(NamedTuple):
    """One run.

    Attributes
    ----------
    data_set, repetition, fold, method : str or int
        The job; repetitions and folds count from 0.
    reading : str
        ``"grid"``: a fit on the training fold with one combination of the grid; ``"nested"``: with
        the combination that was chosen inside the training fold.
    parameters, limits : str
        JSON with sorted keys.
    seed : int
        The seed of the fit.
    status, message : str
        ``"done"``, or ``"failed"`` or ``"skipped"`` with the reason.
    reason : str or None
        Why the fit stopped, as in `Result`.
    objective, bound : float or None
        What the judge of the method says of the tree, and what no tree costs less than.
    accuracy, balanced_accuracy : float or None
        Shares of the test rows, the latter as a mean over classes.
    splits : int or None
        Splits of the tree.
    build_seconds, fit_seconds, predict_seconds : float or None
        Time for posing the problem, for the fit and for predicting the test rows. Fits of a path
        bear equal shares of what was done for all; a nested one includes its choice.
    session : int
        The session that wrote the row.
    """

    data_set: str
    repetition: int
    fold: int
    method: str
    reading: str
    parameters: str
    seed: int
    limits: str
    status: str
    message: str = ""
    reason: str | None = None
    objective: float | None = None
    bound: float | None = None
    accuracy: float | None = None
    balanced_accuracy: float | None = None
    splits: int | None = None
    build_seconds: float | None = None
    fit_seconds: float | None = None
    predict_seconds: float | None = None
    session: int = 0

    @property
    def job(self) -> Job:
        """The job that the row belongs to."""
        return Job(self.data_set, self.repetition, self.fold, self.method)


COLUMNS = Row._fields
"""The columns of a row, in order."""


@dataclass(frozen=True)
class Session:
    """One call of the study: when, with what and where.

    Attributes
    ----------
    id : int
        Its number in the store.
    started : str
        Date and time, UTC.
    versions : str
        Versions of the packages, as JSON.
    commit_id : str
        The commit of the source, where that is known.
    machine : str
        Processor, cores and system.
    spec : str
        Name and text of the specification, as JSON.
    """

    id: int
    started: str
    versions: str
    commit_id: str
    machine: str
    spec: str


def as_json(values: Mapping[str, Any]) -> str:
    """Return names and values in the form in which the store keeps them.

    Examples
    --------
    >>> as_json({"c2": 0.1, "c1": 10.0})
    '{"c1": 10.0, "c2": 0.1}'
    """
    return json.dumps(values, sort_keys=True)


class Store:
    """The rows of a study in a file.

    Parameters
    ----------
    path : path-like
        The file; it is made if it is not there.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = Store(Path(folder) / "study.sqlite")
    ...     session = store.begin("tiny", "")
    ...     job = Job("iris", 0, 0, "cart")
    ...     store.write(session, job, [Row(*job, "grid", "{}", 0, "{}", "skipped", "no data")])
    ...     [row.message for row in store.rows()], store.jobs("skipped") == {job}
    (['no data'], True)
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        with self._errors(), self._connection() as connection:
            tables = {name for (name,) in connection.execute(_TABLES)}
            if tables and "runs" not in tables:
                raise InvalidInputError(
                    f"The store {str(self.path)!r} must be a file of this command; it is a "
                    "database of something else. Choose another file."
                )
            if tables:
                self._check_version(int(connection.execute("PRAGMA user_version").fetchone()[0]))
            else:
                # Readers and a writer do not wait for each other, and a killed one leaves no trace.
                connection.execute("PRAGMA journal_mode = WAL")
                connection.executescript(_SCHEMA)

    def _check_version(self, version: int) -> None:
        """Raise InvalidInputError unless the tables are those of this version of margintree."""
        if version != SCHEMA_VERSION:
            age = "an older" if version < SCHEMA_VERSION else "a newer"
            raise InvalidInputError(
                f"The store {str(self.path)!r} must have version {SCHEMA_VERSION}; it has version "
                f"{version}, of {age} margintree. Read it with that one ('margintree study "
                "export' writes its rows to a file), or choose another file."
            )

    @classmethod
    def existing(cls, path: str | os.PathLike[str]) -> "Store":
        """Return the store of a file that is there."""
        if not Path(path).is_file() or not Path(path).stat().st_size:
            raise InvalidInputError(
                f"The store {os.fspath(path)!r} must be a file that 'margintree study run' wrote; "
                "there is none, or it is empty. Run the study first, or name its file."
            )
        return cls(path)

    def begin(self, name: str, text: str, data: Mapping[str, str] | None = None) -> int:
        """Note a new session, and return its number.

        Parameters
        ----------
        name, text : str
            The specification that it follows.
        data : dict, optional
            The fingerprint of every data set that it uses.

        Raises
        ------
        InvalidInputError
            When the store is of another specification, or has runs of a data set that was another.
        """
        spec = as_json({"name": name, "text": text})
        with self._errors(), self._connection() as connection:
            connection.execute("BEGIN IMMEDIATE")
            known = {text for (text,) in connection.execute("SELECT spec FROM sessions")}
            if known - {spec}:
                raise InvalidInputError(
                    f"The store {str(self.path)!r} must hold rows of one specification; it holds "
                    f"those of another one than {name!r} as it is now. Choose another file."
                )
            self._keep_to(data or {}, connection)
            values = _now(), as_json(_versions()), source_commit(), _machine(), spec
            cursor = connection.execute(
                "INSERT INTO sessions (started, versions, commit_id, machine, spec)"
                " VALUES (?, ?, ?, ?, ?)",
                values,
            )
            return int(cursor.lastrowid or 0)

    def _keep_to(self, data: Mapping[str, str], connection: sqlite3.Connection) -> None:
        """Note fingerprints; those of data sets with runs that are done must be the ones noted."""
        connection.execute(_DATA)
        known = dict(connection.execute(_DATA_OF_DONE_ROWS))
        others = [name for name in data if known.get(name, data[name]) != data[name]]
        if others:
            raise InvalidInputError(
                f"The store {str(self.path)!r} must hold runs on one version of a data set; those "
                f"on {', '.join(others)} were done on another. Give the data folder of that time "
                "(--data-dir), or choose another file."
            )
        connection.executemany("INSERT OR REPLACE INTO data VALUES (?, ?)", data.items())

    def write(self, session: int, job: Job, rows: Sequence[Row]) -> None:
        """Write all rows of a job, in place of those it has, or none.

        A job that is done stays so: another process, which could not do it, does not undo it.
        """
        marks = ", ".join("?" * len(COLUMNS))
        is_done = any(row.status == "done" for row in rows)
        with self._errors(), self._connection() as connection:
            connection.execute("BEGIN IMMEDIATE")
            if not is_done and connection.execute(_DONE, job).fetchone():
                return
            connection.execute(f"DELETE FROM runs WHERE {_IS_JOB}", job)
            connection.executemany(
                f"INSERT INTO runs ({', '.join(COLUMNS)}) VALUES ({marks})",
                (row._replace(session=session) for row in rows),
            )

    def rows(self) -> list[Row]:
        """Return all rows, ordered by their keys."""
        order = "data_set, method, repetition, fold, reading, parameters"
        query = f"SELECT {', '.join(COLUMNS)} FROM runs ORDER BY {order}"
        return [Row(*values) for values in self._all(query)]

    def jobs(self, *statuses: str) -> set[Job]:
        """Return the jobs with a row of one of these statuses; without any, all jobs."""
        query = "SELECT DISTINCT data_set, repetition, fold, method FROM runs"
        if statuses:
            query += f" WHERE status IN ({', '.join('?' * len(statuses))})"
        return {Job(*values) for values in self._all(query, statuses)}

    def is_done(self, job: Job) -> bool:
        """Tell whether a job has rows that are done."""
        return bool(self._all(_DONE, job))

    def sessions(self) -> list[Session]:
        """Return the sessions, the first first."""
        query = "SELECT id, started, versions, commit_id, machine, spec FROM sessions ORDER BY id"
        return [Session(*values) for values in self._all(query)]

    def _all(self, query: str, values: Iterable[Any] = ()) -> list[tuple[Any, ...]]:
        with self._errors(), self._connection() as connection:
            return connection.execute(query, tuple(values)).fetchall()

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection whose changes are kept if the block ends well."""
        with closing(sqlite3.connect(self.path, timeout=_PATIENCE)) as connection, connection:
            yield connection

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            raise InvalidInputError(
                f"The store {str(self.path)!r} must be a file of this command in a folder in which "
                f"you may write; {error}. Choose another file."
            ) from error


_IS_JOB = " AND ".join(f"{name} = ?" for name in Job._fields)
_DONE = f"SELECT 1 FROM runs WHERE {_IS_JOB} AND status = 'done' LIMIT 1"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that are installed."""
    versions = {"python": platform.python_version()}
    for package in _PACKAGES:
        with suppress(metadata.PackageNotFoundError):
            versions[package] = metadata.version(package)
    return versions


def _machine() -> str:
    return f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()}"


def source_commit() -> str:
    """Return the commit of the source that runs, with a plus where it was changed since.

    Nothing where the source is not under version control, as in an installed package.
    """
    git = "git", "-C", str(Path(__file__).parent)
    try:
        for command in (
            ("ls-files", "--error-unmatch", Path(__file__).name),
            ("describe", "--always", "--exclude=*", "--abbrev=40", "--dirty=+"),
        ):
            done = subprocess.run([*git, *command], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()
