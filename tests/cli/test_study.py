"""``margintree data`` and ``margintree study``: what they print and return."""

import pytest
from typer.testing import CliRunner

from margintree.cli import app
from margintree.data.datasets import CATALOGUE, DATA_VARIABLE

TINY = """
data_sets = ["iris", "parkinson"]
repetitions = 1
folds = 2
[methods.cart]
grid.max_splits = [1, 2]
"""


@pytest.fixture(autouse=True)
def no_data_folder(monkeypatch, tmp_path):
    monkeypatch.delenv(DATA_VARIABLE, raising=False)
    monkeypatch.chdir(tmp_path)


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_data_list_names_every_set_and_its_place(shared_data):
    """Files of the data folder come first."""
    done = run("data", "list")
    assert done.exit_code == 0
    assert all(name in done.stdout for name in CATALOGUE)
    (zoo,) = [line for line in done.stdout.splitlines() if line.strip().startswith("zoo ")]
    assert "margintree" in zoo
    assert (
        str(shared_data / "zoo.csv") in run("data", "path", "zoo", "--data-dir", shared_data).stdout
    )
    assert run("data", "path", "balance_scale").stdout == "made by its rule\n"


def test_data_fetch_says_what_cannot_be_had():
    """And gets the others."""
    done = run("data", "fetch", "zoo", "parkinson")
    assert done.exit_code == 2
    assert "zoo.csv" in done.stdout
    assert "parkinson: The data set 'parkinson' comes from a data folder only" in done.stderr
    assert run("data", "fetch", "zoo").exit_code == 0
    assert run("data", "fetch", "titanic").exit_code == 2


def test_a_study_is_run_once(tmp_path):
    """A set that cannot be had is skipped with its reason; a second call has nothing to do."""
    (tmp_path / "tiny.toml").write_text(TINY, encoding="utf-8")
    done = run("study", "run", "tiny.toml")
    assert done.exit_code == 0, done.output
    assert "cart, parkinson: The data set 'parkinson' comes from a data folder only" in done.stdout
    assert (tmp_path / "study-tiny.sqlite").is_file()
    status = run("study", "status", "tiny.toml")
    assert status.stdout == run("study", "run", "tiny.toml").stdout
    assert "2 of 4 jobs" in status.stdout
    assert run("study", "table", "tiny.toml").stdout == run("study", "table", "tiny").stdout != ""


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["run", "missing.toml"], "smoke, quick, paper"),
        (["run", "smoke", "--jobs", "0"], "number of processes"),
        (["run", "smoke", "--method", "magic"], "'magic' was given"),
        (["run", "smoke", "--store", "no/s.sqlite"], "unable to open"),
        (["status", "smoke"], "there is none"),
    ],
)
def test_bad_input_ends_with_a_message(arguments, named):
    """Exit code 2 and no traceback."""
    done = run("study", *arguments)
    assert done.exit_code == 2, done.output
    assert named in done.stderr
