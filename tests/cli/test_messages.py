"""Bad input on the command line: every message says what is wrong, what was given, what to do."""

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
# The command; what is wrong, what was given, and what is allowed or what to do.
BAD = [
    ("fitt t.csv", "No such command", "'fitt'", "Did you mean 'fit'"),
    ("fit", "Missing argument", None, "fit -h"),
    ("fit t.csv -o o.json", "--target", None, "fit -h"),
    (FIT + "--depth 3", "No such option", "--depth", "--max-depth"),
    ("fit t.csv -t specie -o o.json", "no column", "'specie'", "Did you mean 'species'"),
    ("fit no.csv -t y -o o.json", "cannot be read", "'no.csv'", "Check its path"),
    ("fit sheet.csv -t y -o o.json", "must be CSV", "Excel", "Save its sheet"),
    ("fit rain.csv -t y -o o.json", "--target", "60 different numbers", "group the numbers"),
    ("fit inf.csv -t y -o o.json", "line 3, column 'a'", "'inf'", "Correct the cell"),
    ("fit ragged.csv -t y -o o.json", "line 3", "1 cells", "between quotes"),
    ("fit twice.csv -t a -o o.json", "different names", "'a'", "Rename one"),
    ("fit empty.csv -t y -o o.json", "at least one row", "1 lines", "Add rows"),
    ("fit gap.csv -t y -o o.json", "line 3, column 'y'", "an empty cell", "Fill it in"),
    ("fit t.csv -t species -o t.csv", "The output", "'t.csv'", "another --output"),
    ("fit t.csv -t species -o no/o.json", "cannot be written", "'no/o.json'", "existing folder"),
    (FIT + "--c1 -1", "--c1 must be", -1, "at least 0"),
    (FIT + "--c2 ten", "--c2", "'ten'", "a number is needed"),
    (FIT + "--max-depth 40", "--max-depth must be", 40, "from 1 to 10"),
    (FIT + "--max-depth 2.5", "--max-depth", "'2.5'", "a whole number is needed"),
    (FIT + "--features 0", "--features must be", 0, "at least 1"),
    (FIT + "--points 0", "--points must be", 0, "at least 1"),
    (FIT + "--points few", "--points", "'few'", "a whole number is needed"),
    (FIT + "--method guess", "--method must be", "'guess'", "one of 'exact', 'search'"),
    (FIT + "--solver guess", "--solver must be", "'guess'", "'native'"),
    (FIT + "--margin-term cubic", "--margin-term must be", "'cubic'", "'plain', 'squared'"),
    (FIT + "--gap 1", "--gap must be", "1 was given", "at least 0 and below 1"),
    (FIT + "--routing-margin 0", "--routing-margin", "0 was", "above 0 and below 1"),
    (FIT + "--time-limit soon", "--time-limit", "'soon'", "a number is needed"),
    (FIT + "--memory-limit -1", "--memory-limit must be", -1, "at least 0"),
    (FIT + "--jobs 0", "--jobs", "0 was given", "Use 1"),
    (FIT + "--seed -1", "--seed must be", -1, "from 0 to 4294967295"),
    (FIT + "--scoring best", "--scoring must be", "'best'", "balanced_accuracy"),
    (FIT + "--fixed --scoring f1_macro", "--scoring compares", "'f1_macro'", "Leave it out"),
    (FIT + "--class-weight sick=2", "--class-weight must be", "'sick=2'", "setosa=2"),
    (FIT + "--class-weight setosa=-1", "--class-weight must", -1, "at least 0"),
    (FIT + "--checkpoint c", "--checkpoint needs", None, "or --fixed"),
    (FIT + "--fixed --certificate c", "--certificate is only", "'search'", "--method exact"),
    (EXACT + "--checkpoint m.json", "A checkpoint", "'m.json'", "Give another file"),
    (EXACT + "--solver scip --certificate c", "native proof engine", "scip", "Leave --certificate"),
    (EXACT + "--certificate t.csv", "The output", "'t.csv'", "another --certificate"),
    ("predict no.json t.csv", "cannot be used", "'no.json'", "Check its path"),
    ("predict t.csv t.csv", "not JSON", "'t.csv'", "Give a file written by 'margintree fit'"),
    ("predict cut.json t.csv", "damaged", "'cut.json'", "Give a file written by"),
    ("predict newer.json t.csv", "version 99", "version 99", "update margintree"),
    ("predict m.json other.csv", "no column 'petal length'", "sepal width", "Add the column"),
    ("predict m.json text.csv", "line 2, column 'petal length'", "'big'", "Correct the cell"),
    ("predict m.json t.csv -o m.json", "The output", "'m.json'", "another --output"),
    ("evaluate m.json text.csv", "column of labels", "text.csv", "Add one"),
    ("evaluate m.json notes.csv", "column of labels", "seen, note", "Name it with --target"),
    ("evaluate m.json t.csv -t 'sepal width'", "a feature", "'sepal width'", "Name another"),
    ("report m.json t.csv", "--output", None, "report -h"),
    ("show m.json --terms 0", "--terms must be", 0, "at least 1"),
    ("export m.json -f pickle", "--format", "'pickle'", "'python', 'sql'"),
    ("export m.json -f onnx", "ONNX", None, "with --output"),
    ("export m.json -f sql --dialect oracle", "--dialect must", "'oracle'", "postgres, snow"),
    ("export m.json -f text --dialect mysql", "--dialect", "'mysql'", "--format sql"),
    ("verify m.json no.npz t.csv", "A certificate", "'no.npz'", "Give the file of the fit"),
    ("verify m.json t.csv t.csv", "A certificate", "'t.csv'", "Give the file of the fit"),
    ("demo --data wines", "data set", "'wines'", "iris.*wine"),
    ("demo --features 0", "--features must be", 0, "at least 1"),
    ("demo --time-limit -1", "--time-limit must be", -1, "at least 0"),
    ("study run smokes", "specification", "'smokes'", "smoke, quick, paper"),
    ("study run smoke --method guess", "The method", "'guess'", "moctsvm, "),
    ("study run smoke --jobs 0", "processes", "0 was given", "--jobs"),
    ("study status smoke --store no.sqlite", "The store", "'no.sqlite'", "Run the study first"),
    ("data path wines", "data set", "'wines'", "iris"),
    ("data list --data-dir no", "data folder", "'no'", "Correct --data-dir"),
]


def test_there_are_as_many_bad_inputs_as_promised():
    """None of them twice."""
    assert len({command for command, *_ in BAD}) == len(BAD) >= 35


@pytest.mark.parametrize(("command", "what", "given", "advice"), BAD, ids=[row[0] for row in BAD])
def test_a_message_says_all_that_is_needed(command, what, given, advice, folder, monkeypatch):
    """In words of the command; the exit code is 2, and no file is left."""
    monkeypatch.chdir(folder)
    before = sorted(os.listdir(folder))
    arguments = [text.strip("'") for text in re.findall(r"'[^']*'|\S+", command)]
    done = CliRunner().invoke(app, arguments, env={"COLUMNS": "200"})
    message = said(done.stderr)
    assert done.exit_code == 2, done.output
    assert faults(message, what, given, advice) == [], message
    assert not re.search(PYTHON_WORDS, message), message
    assert done.stdout == ""
    assert sorted(os.listdir(folder)) == before


def said(stderr):
    """Return a message in one line, without the box around errors of usage."""
    return re.sub(r"[╭─╮│╰╯\s]+", " ", stderr).removesuffix(" Error ").strip()
