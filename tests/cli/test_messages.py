"""Bad input on the command line: a message says what is wrong, allowed, given, and to do."""

import json
import os
import re

import pytest
from sklearn.datasets import load_iris
from typer.testing import CliRunner

from margintree import CARTClassifier, make_table_classifier, save
from margintree.cli import app
from margintree.data.tables import csv_text
from messages import PYTHON_WORDS, faults

IRIS = load_iris()
NAMES = ["sepal length", "sepal width", "petal length", "petal width"]
FILES = {
    "inf.csv": "a,y\n1,p\ninf,q\n",
    "ragged.csv": "a,y\n1,p\n2\n",
    "rain.csv": "a,y\n" + "".join(f"{k},{k * k}.5\n" for k in range(60)),
    "keys.csv": "a,y\n" + "".join(f"{k},key {k}\n" for k in range(60)),
    "twice.csv": "a,a\n1,2\n",
    "empty.csv": "a,y\n",
    "gap.csv": "a,y\n1,p\n2,\n",
    "other.csv": "sepal length,sepal width\n1,2\n",
    "text.csv": ",".join(NAMES) + "\n1,2,big,4\n",
    "notes.csv": ",".join([*NAMES, "seen", "note"]) + "\n1,2,3,4,5,6\n",
    "cut.json": '{"format": ',
    "sheet.csv": "PK\x03\x04",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with tables, models and files that are neither."""
    folder = tmp_path_factory.mktemp("messages")
    rows = [[*x, IRIS.target_names[k]] for x, k in zip(IRIS.data, IRIS.target, strict=True)][::10]
    (folder / "t.csv").write_text(csv_text([*NAMES, "species"], rows))
    for name, text in FILES.items():
        (folder / name).write_text(text)
    columns = [[row[j] for row in rows] for j in range(4)]
    save(_model(columns, [row[-1] for row in rows]), folder / "m.json")
    newer = json.loads((folder / "m.json").read_text()) | {"version": 99}
    (folder / "newer.json").write_text(json.dumps(newer))
    return folder


def _model(columns, labels):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(dict(zip(NAMES, columns, strict=True)))
    return make_table_classifier(CARTClassifier(2)).fit(frame, labels)


FIT = "fit t.csv -t species -o o.json "
EXACT = FIT + "--fixed --method exact "
OTHERWISE = "Give another value, or leave it out"
USAGE = r"Usage: margintree fit \[OPTIONS\] {table}"
FILE = "an existing file that you may read"
ANOTHER_FILE = "must be another file than the input"
MODEL = "Give a file written by 'margintree fit'"
CERTIFICATE = "a file that 'margintree fit --certificate' wrote"
OF_THE_FIT = "Give the file of the fit, or write it again"
# The command; what is wrong, what is allowed, what was given, what to do.
BAD = [
    ("fitt t.csv", "No such command", "Usage: .*COMMAND", "'fitt'", "Did you mean 'fit'"),
    ("fit", "Missing argument", USAGE, None, "Try 'margintree fit -h'"),
    ("fit t.csv -o o.json", "--target", USAGE, None, "Try 'margintree fit -h'"),
    (FIT + "--depth 3", "No such option", "Possible options: --max-depth", "--depth", "Try 'marg"),
    (
        "fit t.csv -t specie -o o.json",
        "no column",
        "columns are: sepal",
        "'specie'",
        r"Did you mean 'species'\?",
    ),
    ("fit no.csv -t y -o o.json", "cannot be read", FILE, "'no.csv'", "Check its path"),
    ("fit sheet.csv -t y -o o.json", "The table", "must be CSV", "Excel", "Save its sheet"),
    ("fit rain.csv -t y -o o.json", "--target", "classes", "60 different numbers", "group the n"),
    ("fit keys.csv -t y -o o.json", "--target", "labels that repeat", "60 different", "Group them"),
    ("fit inf.csv -t y -o o.json", "line 3, column 'a'", "a finite number", "'inf'", "Correct the"),
    ("fit ragged.csv -t y -o o.json", "line 3", "the table 2 columns", "1 cells", "between quotes"),
    ("fit twice.csv -t a -o o.json", "columns", "must have different names", "'a'", "Rename one"),
    ("fit empty.csv -t y -o o.json", "The table", "at least one row", "1 lines", "Add rows"),
    ("fit gap.csv -t y -o o.json", "line 3, column 'y'", "a label is", "an empty cell", "Fill it"),
    ("fit t.csv -t species -o t.csv", "output", ANOTHER_FILE, "'t.csv'", "another --output"),
    (
        "fit t.csv -t species -o no/o.json",
        "cannot be written",
        "in an existing folder",
        "'no/o.json'",
        "Choose another",
    ),
    (FIT + "--c1 -1", "--c1", "at least 0", "-1 was", OTHERWISE),
    (FIT + "--c2 ten", "--c2", "a number is needed", "'ten'", "Correct it"),
    (FIT + "--max-depth 40", "--max-depth", "from 1 to 10", "40 was", OTHERWISE),
    (FIT + "--max-depth 2.5", "--max-depth", "a whole number is needed", "'2.5'", "Correct it"),
    (FIT + "--features 0", "--features", "at least 1", "0 was", OTHERWISE),
    (FIT + "--points 0", "--points", "at least 1", "0 was", OTHERWISE),
    (FIT + "--points few", "--points", "a whole number is needed", "'few'", "Correct it"),
    (FIT + "--method guess", "--method", "one of 'exact', 'search'", "'guess'", OTHERWISE),
    (FIT + "--method exat", "--method", "one of 'exact'", "'exat'", r"mean 'exact'\? Give another"),
    (FIT + "--solver guess", "--solver", "one of .*'native'", "'guess'", "Choose one of them"),
    (FIT + "--solver higs", "--solver", "one of .*'native'", "'higs'", r"mean 'highs'\? Choose"),
    (FIT + "--margin-term cubic", "--margin-term", "'plain', 'squared'", "'cubic'", OTHERWISE),
    (
        FIT + "--fixed --points 9 --norm l1",
        "--points",
        "needs --norm l2",
        "--norm l1 was",
        "Leave it out, or use",
    ),
    (
        FIT + "--fixed --points 9 --space whitened-quadratic",
        "--points",
        "needs --space box",
        "--space whitened-quadratic was",
        "Leave it out, or use",
    ),
    (
        FIT + "--fixed --norm linf --space rbf",
        "--norm linf",
        "'box' or 'quadratic'",
        "--space rbf was",
        "Use one of these",
    ),
    (FIT + "--gap 1", "--gap", "at least 0 and below 1", "1 was given", OTHERWISE),
    (FIT + "--routing-margin 0", "--routing-margin", "above 0 and below 1", "0 was", OTHERWISE),
    (FIT + "--time-limit soon", "--time-limit", "a number is needed", "'soon'", "Correct it"),
    (FIT + "--memory-limit -1", "--memory-limit", "at least 0", "-1 was", OTHERWISE),
    (FIT + "--jobs 0", "--jobs", "a positive number, a negative", "0 was given", "Use 1"),
    (FIT + "--seed -1", "--seed", "from 0 to 4294967295", "-1 was", OTHERWISE),
    (FIT + "--scoring best", "--scoring", "one of .*balanced_accuracy", "'best'", "Correct it"),
    (FIT + "--scoring f1_macr", "--scoring", "one of accuracy", "'f1_macr'", "mean 'f1_macro'"),
    (
        FIT + "--time-limit 9 --scoring roc_auc",
        "--scoring",
        "must give one number",
        "'roc_auc' was given",
        "Choose another score",
    ),
    (FIT + "--fixed --scoring f1_macro", "are all fixed", "candidates", "'f1_macro'", "Leave it"),
    (FIT + "--class-weight sick=2", "--class-weight", "setosa=2", "'sick=2'", "Correct it"),
    (FIT + "--class-weight setosa=-1", "--class-weight", "at least 0", "-1 was", "Correct it"),
    (FIT + "--checkpoint c", "--checkpoint", "needs one problem", None, "or --fixed"),
    (
        FIT + "--fixed --certificate c",
        "--certificate",
        "only allowed with --method exact",
        "'search'",
        "Leave --certificate out, or use --method exact",
    ),
    (
        EXACT + "--checkpoint m.json",
        "A checkpoint",
        "must belong to the same problem",
        "'m.json'",
        "Give another file",
    ),
    (
        EXACT + "--solver scip --certificate c",
        "certificates",
        "Only the native proof engine",
        "scip",
        "Leave --certificate",
    ),
    (
        EXACT + "--features 2 --certificate c",
        "certificates",
        "at most 2 levels of splits",
        "3 were given",
        "Leave --certificate out",
    ),
    (EXACT + "--certificate t.csv", "output", ANOTHER_FILE, "'t.csv'", "another --certificate"),
    ("predict no.json t.csv", "cannot be used", FILE, "'no.json'", "Check its path"),
    ("predict t.csv t.csv", "cannot be used", "must be JSON", "'t.csv'", MODEL),
    ("predict cut.json t.csv", "damaged", "must be JSON", "'cut.json'", MODEL),
    ("predict newer.json t.csv", "cannot be used", "up to version", "version 99", "update marg"),
    (
        "predict m.json other.csv",
        "no column",
        "'petal length', 'petal width', which the model needs",
        "sepal length, sepal width",
        "Add the column",
    ),
    (
        "predict m.json text.csv",
        "line 2, column 'petal length'",
        "a number is needed",
        "'big'",
        "Correct the cell",
    ),
    ("predict m.json t.csv -o m.json", "output", ANOTHER_FILE, "'m.json'", "another --output"),
    ("evaluate m.json text.csv", "text.csv", "a column of labels", "all its columns", "Add one"),
    (
        "evaluate m.json notes.csv",
        "The column of labels",
        "clear",
        "seen, note",
        "Name it with --t",
    ),
    (
        "evaluate m.json t.csv -t 'sepal width'",
        "The column of labels",
        "must not be a feature",
        "'sepal width'",
        "Name another",
    ),
    ("report m.json t.csv", "--output", "Usage: .*{table}", None, "Try 'margintree report -h'"),
    ("slider t.csv -t specie -o s.html", "no column", "columns are", "'specie'", "Did you mean"),
    ("slider t.csv -t species -o t.csv", "output", ANOTHER_FILE, "'t.csv'", "another --output"),
    ("slider t.csv -t species -o s.html --c1 -1", "--c1", "at least 0", "-1 was", OTHERWISE),
    ("slider t.csv -t species -o s.html --points 0", "--points", "at least 1", "0 was", OTHERWISE),
    ("show m.json --terms 0", "--terms", "at least 1", "0 was", "leave it out"),
    ("export m.json -f pickle", "--format", "one of .*python, sql", "'pickle'", "Choose one"),
    ("export m.json -f slq", "--format", "one of text", "'slq'", r"Did you mean 'sql'\? Choose"),
    ("export m.json -f onnx", "ONNX", "must go to a file", None, "Name one with --output"),
    ("export m.json -f sql --dialect oracle", "--dialect", "one of .*snow", "'oracle'", "Choose"),
    (
        "export m.json -f text --dialect mysql",
        "--dialect",
        "with SQL only",
        "'mysql'",
        "use --format sql",
    ),
    ("verify m.json no.npz t.csv", "cannot be used", CERTIFICATE, "'no.npz'", OF_THE_FIT),
    ("verify m.json t.csv t.csv", "cannot be used", CERTIFICATE, "'t.csv'", OF_THE_FIT),
    ("demo --data wines", "data set", "one of .*iris", "'wines'", "Did you mean 'wine'"),
    ("demo --features 0", "--features", "at least 1", "0 was", OTHERWISE),
    ("demo --time-limit -1", "--time-limit", "at least 0", "-1 was", OTHERWISE),
    ("study run smokes", "specification", "one of smoke, quick", "'smokes'", "mean 'smoke'"),
    ("study run smoke --method octs", "The method", "which has moctsvm", "'octs'", "mean 'octsvm'"),
    ("study run smoke --jobs 0", "processes", "must be positive", "0 was given", "with --jobs"),
    (
        "study status smoke --store no.sqlite",
        "The store",
        "a file that 'margintree study run' wrote",
        "'no.sqlite'",
        "Run the study first",
    ),
    ("data path wines", "data set", "one of .*iris", "'wines'", "Did you mean 'wine'"),
    ("data list --data-dir no", "data folder", "an existing folder", "'no'", "Correct --data-dir"),
]


def test_there_are_as_many_bad_inputs_as_promised():
    """None of them twice."""
    assert len({command for command, *_ in BAD}) == len(BAD) >= 35


@pytest.mark.parametrize(("command", "parts"), [(row[0], row[1:]) for row in BAD])
def test_a_message_says_all_that_is_needed(command, parts, folder, monkeypatch):
    """In words of the command; the exit code is 2, and no file is left."""
    monkeypatch.chdir(folder)
    before = sorted(os.listdir(folder))
    arguments = [text.strip("'") for text in re.findall(r"'[^']*'|\S+", command)]
    done = CliRunner().invoke(app, arguments, env={"COLUMNS": "200"})
    message = said(done.stderr)
    assert done.exit_code == 2, done.output
    assert faults(message, *parts) == [], message
    assert not re.search(PYTHON_WORDS, message), message
    assert done.stdout == ""
    assert sorted(os.listdir(folder)) == before


def said(stderr):
    """Return a message in one line, without the box around errors of usage."""
    return re.sub(r"[╭─╮│╰╯\s]+", " ", stderr).removesuffix(" Error ").strip()
