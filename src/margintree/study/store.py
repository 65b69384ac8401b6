"""The store: one row per run in an SQLite file, written as jobs finish.

One transaction writes all rows of a job. If a process is killed, the job is therefore either done
or not begun. Several processes may use one store at the same time.
"""

import json
import os
import platform
import sqlite3
import subprocess
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

from margintree._lib.exceptions import InvalidInputError

SCHEMA_VERSION = 3
"""The version of the tables; increase it when columns change."""
_SCHEMA = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS sessions (
    id INTEGER PRIMARY KEY,
    started TEXT NOT NULL,
    versions TEXT NOT NULL,
    commit_id TEXT NOT NULL,
    machine TEXT NOT NULL,
    spec TEXT NOT NULL,
    data TEXT NOT NULL
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
    coefficients INTEGER,
    calibration_error REAL,
    build_seconds REAL,
    fit_seconds REAL,
    predict_seconds REAL,
    session INTEGER NOT NULL REFERENCES sessions (id),
    PRIMARY KEY (data_set, repetition, fold, method, reading, parameters)
);
PRAGMA user_version = {SCHEMA_VERSION};
COMMIT;
"""
_DATA_OF_DONE_ROWS = """
SELECT DISTINCT data_set, data FROM runs JOIN sessions ON session = sessions.id
WHERE status = 'done'
"""
_ANYTHING = "SELECT 1 FROM sessions UNION SELECT 1 FROM runs LIMIT 1"
_SPECS_OF_METHODS = """
SELECT DISTINCT spec, method FROM runs JOIN sessions ON session = sessions.id
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
"""Seconds to wait while another process writes."""


class Job(NamedTuple):
    """A unit of work: one method with all its parameters on one training fold.

    Examples
    --------
    >>> str(Job("iris", 0, 4, "cart"))
    'iris 0.4 cart'
    """

    data_set: str
    repetition: int  # from 0
    fold: int  # from 0
    method: str

    def __str__(self) -> str:
        return f"{self.data_set} {self.repetition}.{self.fold} {self.method}"


class Row(NamedTuple):
    """One run.

    Under the reading ``"grid"`` it is a fit on the training fold with one combination of the grid,
    under ``"nested"`` a fit with the combination that was chosen inside the training fold. The
    seconds of a nested row include its choice. Seconds are processor time, which other work on the
    machine hardly changes; all fits of a path share it equally.
    """

    data_set: str
    repetition: int  # from 0
    fold: int  # from 0
    method: str
    reading: str  # "grid" or "nested"
    parameters: str  # JSON with sorted keys
    seed: int
    limits: str  # JSON with sorted keys
    status: str  # "done", "failed" or "skipped"
    message: str = ""  # the reason for a failed or skipped row
    reason: str | None = None  # why the fit stopped, as in `Result`
    objective: float | None = None  # the cost of the tree by the method's judge
    bound: float | None = None  # lower bound on the cost of any tree
    accuracy: float | None = None  # share of the test rows
    balanced_accuracy: float | None = None  # mean over classes of the share of their test rows
    splits: int | None = None
    coefficients: int | None = None  # weights that are not 0, in all splits or machines
    calibration_error: float | None = None  # mean distance of class shares from frequencies
    build_seconds: float | None = None  # to pose the problem
    fit_seconds: float | None = None
    predict_seconds: float | None = None  # for the test rows
    session: int = 0  # that wrote the row

    @property
    def job(self) -> Job:
        """The job of the row."""
        return Job(self.data_set, self.repetition, self.fold, self.method)


COLUMNS = Row._fields
"""The columns of a row, in order."""


@dataclass(frozen=True)
class Session:
    """One call of ``margintree study run``."""

    id: int  # in the store
    started: str  # date and time, UTC
    versions: str  # of the packages, as JSON
    commit_id: str  # of the source; empty if unknown
    machine: str  # processor, cores and system
    spec: str  # name and text of the specification, as JSON
    data: str = "{}"  # fingerprints of the data sets, as JSON


def _rules(spec: str, method: str) -> dict[str, Any]:
    """Return all of a specification that rows of a method depend on, but for their data."""
    content = json.loads(spec)
    rules = tomllib.loads(content["text"])
    rules.pop("data_sets", None)
    rules["methods"] = rules.get("methods", {}).get(method)
    return {"name": content["name"], **rules}


def as_json(values: Mapping[str, Any]) -> str:
    """Return names and values as JSON with sorted keys, the form of the store.

    Examples
    --------
    >>> as_json({"c2": 0.1, "c1": 10.0})
    '{"c1": 10.0, "c2": 0.1}'
    """
    return json.dumps(values, sort_keys=True)


class Store:
    """The rows of a study in a file, which is created if it does not exist.

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
                # Readers and a writer do not block each other, and a killed one leaves no trace.
                connection.execute("PRAGMA journal_mode = WAL")
                connection.executescript(_SCHEMA)

    def _check_version(self, version: int) -> None:
        """Raise InvalidInputError unless the tables have the version of this margintree."""
        if version != SCHEMA_VERSION:
            age = "an older" if version < SCHEMA_VERSION else "a newer"
            raise InvalidInputError(
                f"The store {str(self.path)!r} must have version {SCHEMA_VERSION}; it has version "
                f"{version}, of {age} margintree. Read it with that one ('margintree study "
                "export' writes its rows to a file), or choose another file."
            )

    @classmethod
    def existing(cls, path: str | os.PathLike[str]) -> "Store":
        """Return the store in an existing file."""
        if not Path(path).is_file() or not Path(path).stat().st_size:
            raise InvalidInputError(
                f"The store {os.fspath(path)!r} must be a file that 'margintree study run' wrote; "
                "there is none, or it is empty. Run the study first, or name its file."
            )
        return cls(path)

    def begin(self, name: str, text: str, data: Mapping[str, str] | None = None) -> int:
        """Add a session with its specification and the fingerprints of its data sets.

        Return the number of the session. Raise InvalidInputError if the store has runs of another
        specification or on another version of a data set. A specification may gain methods and
        data sets, and those without runs may change.
        """
        spec = as_json({"name": name, "text": text})
        with self._errors(), self._connection() as connection:
            connection.execute("BEGIN IMMEDIATE")
            pairs = list(connection.execute(_SPECS_OF_METHODS))
            if any(_rules(other, method) != _rules(spec, method) for other, method in pairs):
                raise InvalidInputError(
                    f"The store {str(self.path)!r} must hold rows of one specification; its rows "
                    f"follow other rules than the current {name!r}. Name another file with --store."
                )
            self._keep_to(data or {}, connection)
            now = datetime.now(UTC).isoformat(timespec="seconds")
            machine = f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()}"
            versions = as_json(_versions())
            values = now, versions, source_commit(), machine, spec, as_json(data or {})
            cursor = connection.execute(
                f"INSERT INTO sessions ({_SESSION}) VALUES (?, ?, ?, ?, ?, ?)", values
            )
            return int(cursor.lastrowid or 0)

    def take(self, sessions: Iterable[Session], rows: Iterable[Row]) -> None:
        """Add the sessions and rows of another store; this one must have none."""
        with self._errors(), self._connection() as connection:
            connection.execute("BEGIN IMMEDIATE")
            if connection.execute(_ANYTHING).fetchone():
                raise InvalidInputError(
                    f"The store {str(self.path)!r} must be new to take rows from a file; a study "
                    "has begun in it. Name another file."
                )
            values = (tuple(asdict(session).values()) for session in sessions)
            insert = f"INSERT INTO sessions (id, {_SESSION}) VALUES (?, ?, ?, ?, ?, ?, ?)"
            connection.executemany(insert, values)
            connection.executemany(_INSERT_ROW, rows)

    def _keep_to(self, data: Mapping[str, str], connection: sqlite3.Connection) -> None:
        """Refuse a data set that has changed since it had finished runs."""
        done = connection.execute(_DATA_OF_DONE_ROWS)
        known = {name: value for name, all_ in done if (value := json.loads(all_).get(name))}
        others = [name for name in data if known.get(name, data[name]) != data[name]]
        if others:
            raise InvalidInputError(
                f"The store {str(self.path)!r} must hold runs on one version of a data set; those "
                f"on {', '.join(others)} were done on another. Name the earlier data folder with "
                "--data-dir, or choose another file with --store."
            )

    def write(self, session: int, job: Job, rows: Sequence[Row]) -> None:
        """Write all rows of a job, or none; they replace its earlier rows.

        A finished job keeps its rows if another process reports that it failed or skipped it.
        """
        is_done = any(row.status == "done" for row in rows)
        with self._errors(), self._connection() as connection:
            connection.execute("BEGIN IMMEDIATE")
            if not is_done and connection.execute(_DONE, job).fetchone():
                return
            connection.execute(f"DELETE FROM runs WHERE {_IS_JOB}", job)
            connection.executemany(_INSERT_ROW, (row._replace(session=session) for row in rows))

    def rows(self) -> list[Row]:
        """Return all rows, sorted by their keys."""
        order = "data_set, method, repetition, fold, reading, parameters"
        query = f"SELECT {', '.join(COLUMNS)} FROM runs ORDER BY {order}"
        return [Row(*values) for values in self._all(query)]

    def jobs(self, *statuses: str) -> set[Job]:
        """Return the jobs that have a row with one of these statuses; by default all jobs."""
        query = "SELECT DISTINCT data_set, repetition, fold, method FROM runs"
        if statuses:
            query += f" WHERE status IN ({', '.join('?' * len(statuses))})"
        return {Job(*values) for values in self._all(query, statuses)}

    def is_done(self, job: Job) -> bool:
        """Return whether a job is finished."""
        return bool(self._all(_DONE, job))

    def sessions(self) -> list[Session]:
        """Return the sessions, oldest first."""
        query = f"SELECT id, {_SESSION} FROM sessions ORDER BY id"
        return [Session(*values) for values in self._all(query)]

    def _all(self, query: str, values: Iterable[Any] = ()) -> list[tuple[Any, ...]]:
        with self._errors(), self._connection() as connection:
            return connection.execute(query, tuple(values)).fetchall()

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection that commits its changes if the block raises no error."""
        with closing(sqlite3.connect(self.path, timeout=_PATIENCE)) as connection, connection:
            yield connection

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            raise InvalidInputError(
                f"The store {str(self.path)!r} must be a file of this command, in a folder where "
                f"you may write; {error}. Choose another file."
            ) from error


_SESSION = "started, versions, commit_id, machine, spec, data"
_INSERT_ROW = f"INSERT INTO runs ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"
_IS_JOB = " AND ".join(f"{name} = ?" for name in Job._fields)
_DONE = f"SELECT 1 FROM runs WHERE {_IS_JOB} AND status = 'done' LIMIT 1"


def _versions() -> dict[str, str]:
    """Return the versions of Python and of the installed packages."""
    versions = {"python": platform.python_version()}
    for package in _PACKAGES:
        with suppress(metadata.PackageNotFoundError):
            versions[package] = metadata.version(package)
    return versions


def source_commit() -> str:
    """Return the commit of the running source, with a plus if files have changed since.

    The text is empty if the source is not under version control, as in an installed package.
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
