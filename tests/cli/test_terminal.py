"""The command in a real terminal: nothing is broken in the middle, whatever its width."""

import os
import shlex
import shutil
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest
from sklearn.datasets import load_iris, load_wine
from typer.main import get_command
from typer.testing import CliRunner

from margintree import CARTClassifier, MOCTSVMClassifier, save
from margintree.cli import app
from margintree.data.tables import csv_text
from margintree.exact.solvers import available

COMMAND = Path(sys.executable).with_name("margintree")
END = "=end="
DRAWN = "│├└─ ━"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with a table of long names, a table of many classes, models and a study."""
    folder = tmp_path_factory.mktemp("terminal")
    wine = load_wine()
    names = [*wine.feature_names, "kind of grape"]
    rows = [[*x, wine.target_names[k]] for x, k in zip(wine.data, wine.target, strict=True)]
    (folder / "wine.csv").write_text(csv_text(names, rows))
    (folder / "few.csv").write_text(csv_text(names, rows[::12]))
    save(
        MOCTSVMClassifier(2, c1=10.0, max_iter=2).fit(
            wine.data, [f"the {name} of Piedmont" for name in wine.target_names[wine.target]]
        ),
        folder / "wine.json",
    )
    iris = load_iris()
    kinds = [f"kind number {k % 11}" for k in range(150)]
    with warnings.catch_warnings():
        # Rows have nothing to do with the kinds, and some are never predicted.
        warnings.simplefilter("ignore")
        save(CARTClassifier(4).fit(iris.data, kinds), folder / "many.json")
    rows = [[*x, kind] for x, kind in zip(iris.data, kinds, strict=True)]
    (folder / "many.csv").write_text(csv_text([*"abcd", "kind"], rows))
    study = [COMMAND, "study", "run", "smoke", "--method", "cart"]
    subprocess.run(study, cwd=folder, capture_output=True, check=True)
    return folder


COMMANDS = {
    "fit": "fit few.csv --target 'kind of grape' --fixed --c1 10 -o m.json",
    "show": "show wine.json",
    "evaluate": "evaluate many.json many.csv --target kind",
    "error": "fit few.csv --target 'kind of grapes' -o m.json",
    "study": "study status smoke",
    "solvers": "solvers",
    "sets": "data list",
    "slider": "slider few.csv --target 'kind of grape' --time-limit 0 -o s.html",
}


def in_tmux(folder, width):
    """Return, by name, the lines that a terminal of this width shows after each command."""
    if shutil.which("tmux") is None:
        reason = "tmux is missing; install Debian's package tmux"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    # A server that is just ending would refuse a session under its name.
    server = ["tmux", "-L", f"margintree-{os.getpid()}-{width}", "-f", "/dev/null"]
    steps = "; ".join(f"{COMMAND} {command}; echo {END}" for command in COMMANDS.values())
    shell = f"unset COLUMNS LINES; cd {shlex.quote(str(folder))}; {steps}; exec sleep 300"
    session = ["new-session", "-d", "-x", str(width), "-y", "600", shell]
    subprocess.run([*server, *session], check=True)
    screen = [*server, "capture-pane", "-p"]
    try:
        for _ in range(480):
            shown = subprocess.run(screen, capture_output=True, text=True, check=True).stdout
            parts = shown.split(f"{END}\n")
            if len(parts) > len(COMMANDS):
                return {name: part.split("\n") for name, part in zip(COMMANDS, parts, strict=False)}
            time.sleep(0.25)
    finally:
        subprocess.run([*server, "kill-server"], check=False)
    raise AssertionError(shown)


def in_pipe(command, folder, width=400):
    """Return what the command prints without a terminal."""
    environment = os.environ | {"COLUMNS": str(width)}
    done = subprocess.run(
        [COMMAND, *shlex.split(command)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


def words(text):
    """Return the words of a text, without lines that are drawn and without seconds."""
    return {word.strip(DRAWN + "╭╮╰╯") for word in text.split()} - {""}


@pytest.fixture(scope="module")
def whole(folder):
    """Return the words of every command's output without a terminal."""
    narrow = {"rows"}  # the heading of the shorter table of scores
    return {name: words(in_pipe(command, folder)) | narrow for name, command in COMMANDS.items()}


@pytest.mark.parametrize("width", [60, 80, 200])
def test_no_word_and_no_branch_is_broken(width, folder, whole):
    """Every word in a terminal is one of the output without it; trees keep their branches."""
    screens = in_tmux(folder, width)
    broken = {
        name: [line for line in lines if not all(map(is_time, words(line) - whole[name]))]
        for name, lines in screens.items()
    }
    assert broken == {name: [] for name in COMMANDS}
    tree = screens["show"][: screens["show"].index("")]
    assert tree[0].startswith("[1] ")
    assert all(line[0] in "│├└ " for line in tree[1:])
    assert sum("[" in line for line in tree) == 5


def test_lines_of_a_pipe_do_not_end_in_spaces(folder):
    """Neither those of trees nor those of tables; a table has one line for each row."""
    for name in ("show", "evaluate", "study", "solvers"):
        lines = in_pipe(COMMANDS[name], folder, width=40).splitlines()
        assert [line for line in lines if line != line.rstrip()] == []
    assert len([line for line in lines if line]) == 2 + len(available())


def is_time(word):
    """Tell whether a word is a number, which may be of seconds and then differs."""
    return word.replace(".", "").isdigit()


def every_command(group=None, path=()):
    """Yield the words of every command and group of commands."""
    group = group or get_command(app)
    yield path
    for name, command in getattr(group, "commands", {}).items():
        yield from every_command(command, (*path, name))


@pytest.mark.parametrize("width", [60, 80, 200])
@pytest.mark.parametrize("command", [*every_command()], ids=" ".join)
def test_no_word_of_a_help_text_is_broken(width, command):
    """Every word is one of the help text on a very wide screen, and no line is too long."""

    def shown(columns):
        done = CliRunner().invoke(app, [*command, "--help"], env={"COLUMNS": str(columns)})
        assert done.exit_code == 0
        return done.stdout

    text = shown(width)
    assert words(text) <= words(shown(400))
    assert "…" not in text
    assert max(map(len, text.splitlines())) <= width


@pytest.mark.parametrize("command", ["show wine.json", "fit --help", "evaluate wine.json wine.csv"])
def test_a_reader_that_goes_away_is_success(command, folder):
    """The exit code is 0, and nothing is said, also where rich writes."""
    process = subprocess.Popen(
        [COMMAND, *shlex.split(command)],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    process.stdout.close()
    assert process.wait(60) == 0
    assert process.stderr.read() == ""
    process.stderr.close()
