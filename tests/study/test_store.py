"""The store: rows survive, jobs are whole, and processes do not get in each other's way."""

import json
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from margintree._lib.exceptions import InvalidInputError
from margintree.study.store import COLUMNS, SCHEMA_VERSION, Job, Row, Store, as_json

JOB = Job("iris", 0, 1, "cart")
ROW = Row(*JOB, "grid", "{}", 0, "{}", "done", accuracy=0.5, splits=2)


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "s.sqlite")


def test_the_columns_are_those_of_the_table(store):
    """The table is written by hand and must not drift from the rows."""
    with sqlite3.connect(store.path) as connection:
        columns = [row[1] for row in connection.execute("PRAGMA table_info(runs)")]
    connection.close()
    assert tuple(columns) == COLUMNS == Row._fields


def test_rows_come_back_as_they_were(store):
    """With the session that wrote them, which knows where and with what."""
    session = store.begin("tiny", "text")
    store.write(session, JOB, [ROW])
    assert store.rows() == [ROW._replace(session=session)]
    (about,) = store.sessions()
    assert about.id == session
    assert "numpy" in json.loads(about.versions)
    assert json.loads(about.spec) == {"name": "tiny", "text": "text"}


def test_a_job_is_written_whole_or_not_at_all(store):
    """A row that cannot be written takes those before it along, and the old ones stay."""
    session = store.begin("tiny", "")
    store.write(session, JOB, [ROW])
    with pytest.raises(InvalidInputError, match="NOT NULL"):
        store.write(session, JOB, [ROW._replace(parameters='{"a": 1}'), ROW._replace(status=None)])
    assert [row.parameters for row in store.rows()] == ["{}"]


def test_a_job_that_is_done_again_replaces_its_rows(store):
    """None is doubled, and those of other jobs stay."""
    session, other = store.begin("tiny", ""), Job("zoo", 0, 0, "oct")
    store.write(session, other, [ROW._replace(data_set="zoo", fold=0, method="oct")])
    for accuracy in (0.5, 0.75):
        store.write(session, JOB, [ROW._replace(accuracy=accuracy)])
    assert [row.accuracy for row in store.rows() if row.job == JOB] == [0.75]
    assert store.jobs() == {JOB, other}
    assert store.jobs("failed") == set()


@pytest.mark.parametrize("status", ["skipped", "failed"])
def test_what_is_done_is_not_undone(store, status):
    """By a process that looked before another one was done, and could not do it itself."""
    session = store.begin("tiny", "")
    store.write(session, JOB, [ROW._replace(status=status)])
    store.write(session, JOB, [ROW])
    store.write(session, JOB, [ROW._replace(status=status)])
    assert [row.status for row in store.rows()] == ["done"]


def test_a_store_keeps_to_one_specification(store):
    """Rows of two grids would be mixed up, but what has no rows may change."""
    spec = "data_sets = ['iris']\nfolds = {}\n[methods.cart]\ngrid.max_splits = [{}]\n"
    store.begin("tiny", spec.format(2, 1))
    session = store.begin("tiny", spec.format(2, 2))
    store.write(session, JOB._replace(method="cart"), [ROW._replace(method="cart")])
    more = (
        spec.format(2, 2).replace("'iris'", "'iris', 'wine'")
        + "[methods.oct]\ngrid.max_splits = [1]"
    )
    store.begin("tiny", more)
    for name, other in (
        ("other", more),
        ("tiny", spec.format(2, 1)),
        ("tiny", spec.format(3, 2)),
        ("tiny", "data_sets = ['iris']\nfolds = 2\n[methods.oct]\ngrid.max_splits = [1]"),
    ):
        with pytest.raises(InvalidInputError, match="another file"):
            store.begin(name, other)


def test_a_store_keeps_to_one_version_of_the_data(store):
    """From the first run on that is done; a session that is refused leaves nothing behind."""
    store.begin("tiny", "", {"iris": "by mistake"})
    session = store.begin("tiny", "", {"iris": "a", "zoo": "b"})
    store.write(session, JOB, [ROW])
    with pytest.raises(InvalidInputError, match="on iris were done on another"):
        store.begin("tiny", "", {"iris": "by mistake", "wine": "d"})
    store.begin("tiny", "", {"iris": "a", "zoo": "c", "wine": "e"})
    assert len(store.sessions()) == 3


def test_a_store_takes_the_rows_of_another(store, tmp_path):
    """With their sessions, so the checks of specification and data go on; but only once."""
    store.write(store.begin("tiny", "", {"iris": "a"}), JOB, [ROW])
    other = Store(tmp_path / "other.sqlite")
    other.take(store.sessions(), store.rows())
    assert other.rows() == store.rows()
    assert other.sessions() == store.sessions()
    assert other.is_done(JOB)
    with pytest.raises(InvalidInputError, match="iris were done on another"):
        other.begin("tiny", "", {"iris": "b"})
    assert other.begin("tiny", "", {"iris": "a"}) == 2
    with pytest.raises(InvalidInputError, match="must be new"):
        other.take(store.sessions(), store.rows())
    assert other.rows() == store.rows()


@pytest.mark.parametrize(
    ("version", "age"), [(SCHEMA_VERSION - 1, "an older"), (SCHEMA_VERSION + 1, "a newer")]
)
def test_a_store_of_another_version_is_left_alone(store, version, age):
    """The message says which version it has, which one is read, and what to do with the file."""
    store.write(store.begin("tiny", ""), JOB, [ROW])
    set_version(store.path, version)
    before = store.path.read_bytes()
    for open_store in (Store, Store.existing):
        with pytest.raises(InvalidInputError) as caught:
            open_store(store.path)
        message = str(caught.value)
        assert f"must have version {SCHEMA_VERSION}; it has version {version}" in message
        assert f"of {age} margintree" in message
        assert "'margintree study export'" in message
        assert str(store.path) in message
    assert store.path.read_bytes() == before


def test_a_new_store_has_the_present_version(store):
    """A store that is opened again is read as before."""
    with closing(sqlite3.connect(store.path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)
    store.write(store.begin("tiny", ""), JOB, [ROW])
    assert len(Store.existing(store.path).rows()) == 1


def set_version(path, version):
    """Let a store look as if another version of margintree had written it."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {version}")
        connection.commit()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def test_files_that_are_no_stores_are_refused(tmp_path):
    """A message instead of an error of SQLite."""
    (tmp_path / "text").write_text("this is no database, but long enough to be read as one" * 20)
    with pytest.raises(InvalidInputError, match="not a database"):
        Store(tmp_path / "text")
    with pytest.raises(InvalidInputError, match="unable to open"):
        Store(tmp_path / "missing" / "s.sqlite")
    with pytest.raises(InvalidInputError, match="there is none"):
        Store.existing(tmp_path / "none.sqlite")
    (tmp_path / "empty.sqlite").touch()
    with pytest.raises(InvalidInputError, match="it is empty"):
        Store.existing(tmp_path / "empty.sqlite")
    assert not (tmp_path / "empty.sqlite").stat().st_size


def test_other_databases_are_left_alone(tmp_path):
    """Reading a file that holds something else must not write to it."""
    path = tmp_path / "notes.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE notes (text)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(InvalidInputError, match="something else"):
        Store.existing(path)
    assert path.read_bytes() == before


@given(st.dictionaries(st.text(), st.floats(allow_nan=False) | st.integers() | st.none()))
def test_equal_parameters_have_one_form(values):
    """Whatever the order of their names, and nothing is lost."""
    assert as_json(values) == as_json(dict(reversed(values.items())))
    assert json.loads(as_json(values)) == values


WRITER = """
import sys
from margintree.study.store import Job, Row, Store
store = Store(sys.argv[1])
session = store.begin("tiny", "")
for k in range(40):
    job = Job("iris", k % 20, int(sys.argv[2]) if k < 20 else 9, "cart")
    store.write(session, job, [Row(*job, "grid", str(p), 0, "{}", "done") for p in range(5)])
"""


def test_several_processes_write_to_one_store(tmp_path):
    """They begin at the same moment, and write jobs of their own and the same ones."""
    path = tmp_path / "s.sqlite"
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, path, str(k)], stderr=subprocess.PIPE)
        for k in range(3)
    ]
    assert [writer.communicate()[1] for writer in writers] == [b""] * 3
    store = Store(path)
    assert len(store.rows()) == (3 + 1) * 20 * 5
    assert len(store.sessions()) == 3
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()
