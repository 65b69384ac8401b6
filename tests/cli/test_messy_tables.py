"""Tables as people have them: each is fitted, or refused with a message that says what to do."""

import csv
import io
import re
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from margintree import CARTClassifier, TableWarning, load, make_table_classifier, save
from margintree.cli import app
from margintree.data.tables import read_table

MESSY = Path(__file__).parents[1] / "data" / "tables" / "messy"

# What is said, on stdout or stderr, about a table that is fitted.
FITTED = {
    "byte_order_mark.csv": "size",
    "latin1.csv": "Windows-1252",
    "utf16.csv": "UTF-16",
    "semicolons.csv": "separated by semicolons",
    "decimal_commas.csv": "column 'size' has decimal commas",
    "tabs.tsv": "separated by tabs",
    "vertical_bars.csv": "separated by vertical bars",
    "separator_line.csv": "separated by semicolons",
    "old_line_ends.csv": "size",
    "blank_lines.csv": "size",
    "quoted_newlines.csv": "size",
    "thousands.csv": "column 'size' has commas between thousands",
    "empty_column.csv": "'column 4' is left out: all its cells are missing",
    "all_missing_column.csv": "'weight' is left out: all its cells are missing",
    "constant_column.csv": "'unit' is left out: all its cells say 'cm'",
    "class_of_one_row.csv": "size",
    "one_class.csv": "a 100% of 6",
    "mixed_types.csv": r"'age' is taken as categories: 4 of its 6.*'old' \(line 5\)",
    "numbers_as_text.csv": "size >= ",
    "huge_values.csv": "size",
    "booleans.csv": "size",
    "missing_words.csv": "size",
    "identifiers.csv": r"'row' is left out: it numbers the rows.*\n.*'key' is left out: it is like",
    "dates.csv": r"column 'seen' holds dates, read as 'seen \(year\)', 'seen \(month\)'",
    "hostile_names.csv": "<b>size</b>",
    "integer_labels.csv": "size",
    "spaces.csv": "size",
    "emoji.csv": "size",
    "rare_categories.csv": "size",
}
# What the message about a table that is refused names: the place, the problem and the remedy.
REFUSED = {
    "duplicate_names.csv": "'size' appears more than once. Rename one",
    "header_only.csv": "at least one row; it has 1 lines",
    "no_bytes.csv": "at least one row; it has 0 lines",
    "infinite.csv": "line 5, column 'size': a finite number is needed; '-inf' was found. Correct",
    "too_large.csv": "line 5, column 'size': a finite number is needed; '1e999' was found. Correct",
    "ragged.csv": "line 8: the row has 2 cells and the table 3 columns. Put cells",
    "unclosed_quote.csv": "not a CSV file: .*Save it as CSV",
    "zero_bytes.csv": "not a CSV file: it contains a zero byte",
    "missing_label.csv": "line 8, column 'class': a label is needed; an empty cell was found. Fill",
    "target_only.csv": "must have a feature column beside the target 'class'",
    "other_target.csv": "no column 'class'. Did you mean 'Class'",
    "nothing_to_learn.csv": "'unit': all its cells say 'cm'; 'key': it is like an identifier",
    "workbook.xlsx": "Save its sheet as CSV",
    "packed.csv.gz": "Unpack it first",
    "damaged.parquet": "damaged Parquet file: .*Write it again",
    "no_such_file.csv": "No such file.*Check its path",
}


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def fit(table, model):
    return run("fit", table, "-t", "class", "--fixed", "--c1", 10, "--time-limit", 2, "-o", model)


def predictions(model, table):
    done = run("predict", model, table)
    assert done.exit_code == 0, done.output
    return [row[0] for row in csv.reader(io.StringIO(done.stdout))][1:]


def assert_refused(done, named):
    assert done.exit_code == 2, done.output
    assert re.search(named, done.stderr), done.stderr
    assert "Traceback" not in done.output


def test_every_messy_file_is_expected():
    """No file is forgotten, and there are as many as were promised."""
    assert {path.name for path in MESSY.iterdir()} == {*FITTED, *REFUSED} - {"no_such_file.csv"}
    assert len(FITTED) + len(REFUSED) >= 30


@pytest.mark.parametrize("name", FITTED)
def test_a_messy_table_is_fitted(name, tmp_path):
    """What was found out is said, and the model names a known class for every row."""
    done = fit(MESSY / name, tmp_path / "m.json")
    assert done.exit_code == 0, done.output
    assert re.search(FITTED[name], done.stdout + done.stderr), done.output
    table = read_table(MESSY / name)
    predicted = predictions(tmp_path / "m.json", MESSY / name)
    assert len(predicted) == len(table)
    assert {*predicted} <= {str(label) for label in table.labels("class")}
    assert run("evaluate", tmp_path / "m.json", MESSY / name, "-t", "class").exit_code == 0


@pytest.mark.parametrize("name", REFUSED)
def test_a_messy_table_is_refused(name, tmp_path):
    """The message names place, problem and remedy; there is no traceback and no file."""
    assert_refused(fit(MESSY / name, tmp_path / "m.json"), REFUSED[name])
    assert not list(tmp_path.iterdir())


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """Return a model of a small table of numbers, categories and booleans."""
    folder = tmp_path_factory.mktemp("model")
    text = (MESSY / "booleans.csv").read_text(encoding="utf-8")
    (folder / "t.csv").write_text(text + text.partition("\n")[2], encoding="utf-8")
    done = fit(folder / "t.csv", folder / "m.json")
    assert done.exit_code == 0, done.output
    return folder / "m.json"


# New rows, what is said on stderr, and whether they are refused.
NEW = {
    "columns in another order": ("wild,colour,size\ntrue,red,1.5\n", "^$", False),
    "further columns": ("size,colour,wild,note\n1.5,red,true,x\n", "^$", False),
    "missing cells": ("size,colour,wild,note\n,,,x\n", "^$", False),
    "decimal commas": ("size;colour;wild\n1,5;red;true\n", "decimal commas", False),
    "an unseen category": (
        "size,colour,wild\n1.5,violet,true\n",
        "'colour' has 1 cells.*'violet'",
        False,
    ),
    "a missing column": ("size,wild\n1.5,true\n", "no column 'colour'.*Add the column", True),
    "text for a number": ("size,colour,wild\nbig,red,true\n", "line 2, column 'size'.*'big'", True),
    "text for a boolean": ("size,colour,wild\n1,red,perhaps\n", "true or false.*'perhaps'", True),
    "an infinite number": (
        "size,colour,wild\ninf,red,true\n",
        "line 2, column 'size'.*'inf'",
        True,
    ),
    "no row": ("size,colour,wild\n", "at least one row", True),
}


@pytest.mark.parametrize("case", NEW)
def test_new_rows_are_predicted_or_refused(case, model, tmp_path):
    """Prediction is as patient as the fit, and as clear."""
    text, said, is_refused = NEW[case]
    (tmp_path / "new.csv").write_text(text)
    done = run("predict", model, tmp_path / "new.csv")
    if is_refused:
        assert_refused(done, said)
    else:
        assert done.exit_code == 0, done.output
        assert re.search(said, done.stderr), done.stderr
        assert len(done.stdout.splitlines()) == 2


# New rows for a model that uses the hour of a moment, and their classes.
MOMENTS = {
    "times of day": ("2024-05-30 08:30\n2024-05-30 21:10\n", ["a", "b"]),
    "midnight": ("2024-05-30 00:00\n", ["a"]),
    "days": ("2024-05-30\n", ["a"]),
    "no date": ("NA\n", ["b"]),
}


@pytest.mark.parametrize("case", MOMENTS)
def test_dates_of_new_rows_may_look_otherwise(case, tmp_path):
    """A model that knows the hour takes rows without hours, and rows without dates."""
    rows = [
        f"2024-05-{day:02} {8 + 12 * (day % 3 > 0)}:00,{'ab'[day % 3 > 0]}" for day in range(1, 28)
    ]
    (tmp_path / "t.csv").write_text("\n".join(["seen,class", *rows]).replace(" 8:", " 08:"))
    done = fit(tmp_path / "t.csv", tmp_path / "m.json")
    assert done.exit_code == 0, done.output
    text, expected = MOMENTS[case]
    (tmp_path / "new.csv").write_text(f"seen\n{text}")
    assert predictions(tmp_path / "m.json", tmp_path / "new.csv") == expected


def test_parquet_is_read_like_csv(tmp_path):
    """The same columns give the same model, whatever the file."""
    frame = pd.read_csv(MESSY / "booleans.csv", skipinitialspace=True)
    frame.to_parquet(tmp_path / "t.parquet")
    models = []
    for table in (MESSY / "booleans.csv", tmp_path / "t.parquet"):
        assert fit(table, tmp_path / "m.json").exit_code == 0
        models.append(load(tmp_path / "m.json"))
    assert models[0].tree_ == models[1].tree_
    assert predictions(tmp_path / "m.json", tmp_path / "t.parquet") == ["a"] * 3 + ["b"] * 3


def test_five_thousand_columns(tmp_path):
    """Of which all but one are noise; the message about one of them stays short."""
    columns = [f"c{j}" for j in range(5000)]
    lines = [",".join([*columns, "class"])]
    for i in range(8):
        cells = [str((i * 7919 + j * 104729) % 997) for j in range(4999)]
        lines.append(",".join([*cells, str(1000 * (i % 2)), "ab"[i % 2]]))
    (tmp_path / "t.csv").write_text("\n".join(lines))
    done = fit(tmp_path / "t.csv", tmp_path / "m.json")
    assert done.exit_code == 0, done.output
    assert predictions(tmp_path / "m.json", tmp_path / "t.csv") == ["a", "b"] * 4


@pytest.mark.parametrize("n_rows", [1, 2])
def test_ten_thousand_categories(n_rows, tmp_path):
    """None of them says anything, be it in one row or in two; the column is left out."""
    rows = [f"k{i},{i % 2},{'ab'[i % 2]}" for i in range(10_000)] * n_rows
    (tmp_path / "t.csv").write_text("\n".join(["key,size,class", *rows]))
    done = fit(tmp_path / "t.csv", tmp_path / "m.json")
    assert done.exit_code == 0, done.output
    assert "'key' is left out: it is like an identifier, with 10000 different texts" in done.stderr
    assert load(tmp_path / "m.json").tree_.n_splits == 1


def test_names_cannot_steer_the_terminal(tmp_path):
    """Whatever a model file calls its columns."""
    table = pd.DataFrame({"\x1b[2Jsize": [1.0, 2.0, 3.0, 5.0], "\x1b[2Junit": ["cm"] * 4})
    with pytest.warns(TableWarning):
        save(make_table_classifier(CARTClassifier(1)).fit(table, list("aabb")), tmp_path / "m.json")
    done = run("show", tmp_path / "m.json")
    assert "?[2Jsize 2" in done.stdout
    assert "Not used: ?[2Junit" in done.stdout
    assert "\x1b" not in done.stdout


def test_exit_codes_are_documented():
    """The help says what the code that was seen above means."""
    assert "2 bad input or usage" in " ".join(run("--help").stdout.split())
