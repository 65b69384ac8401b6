"""The command: what it prints, writes and returns."""

import csv
import json
import re
import sqlite3
from typing import get_type_hints

import numpy as np
import onnx
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from typer.testing import CliRunner

from margintree import (
    MOCTSVMClassifier,
    MOCTSVMClassifierCV,
    __version__,
    export_dot,
    export_text,
    load,
    save,
    to_onnx,
    to_python,
)
from margintree.cli import app
from margintree.cli.fit import fit
from margintree.core.result import TracePoint
from margintree.methods import METHODS

IRIS = load_iris()
CHOSEN = tuple(METHODS["moctsvm"].candidates)
NAMES = ["sepal length", "sepal width", "petal length", "petal width"]


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def write_csv(path, columns, rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([columns, *rows])
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with a table and the model that the command made of it."""
    folder = tmp_path_factory.mktemp("cli")
    labels = IRIS.target_names[IRIS.target]
    rows = [[*x, y] for x, y in zip(IRIS.data, labels, strict=True)]
    write_csv(folder / "iris.csv", [*NAMES, "species"], rows[::5])
    write_csv(folder / "other.csv", ["species", *NAMES[::-1], "note"], [
        [row[-1], *row[3::-1], "x"] for row in rows[1::5]
    ])  # fmt: skip
    done = run(
        "fit", folder / "iris.csv", "-t", "species", "--fixed", "--c1", 10, "-o", folder / "m.json"
    )
    assert done.exit_code == 0, done.output
    return folder


def test_fit_prints_the_tree_and_what_is_proved(folder):
    """Names, cost, bound and where the model went."""
    table, model = folder / "iris.csv", folder / "again.json"
    done = run("fit", table, "-t", "species", "--fixed", "--c1", "10", "-o", model)
    assert done.exit_code == 0
    for word in ("petal width *", "setosa", "cost", "violations", "bound", "gap", "again.json"):
        assert word in done.stdout
    assert load(folder / "again.json").feature_names_in_.tolist() == NAMES


def test_fit_passes_every_option_on(folder):
    """Each option is the parameter of the same meaning."""
    options = {
        "--max-depth": ("max_depth", 3),
        "--c1": ("c1", 2.5),
        "--c2": ("c2", 0.5),
        "--c3": ("c3", 0.25),
        "--method": ("method", "search"),
        "--solver": ("solver", "scip"),
        "--time-limit": ("time_limit", 0.0),
        "--memory-limit": ("memory_limit", 64.0),
        "--gap": ("gap", 0.01),
        "--routing-margin": ("routing_margin", 0.01),
        "--margin-term": ("margin_term", "plain"),
        "--features": ("max_features_per_split", 2),
        "--points": ("points", 10),
        "--seed": ("random_state", 3),
        "--jobs": ("n_jobs", 1),
    }
    given = [text for option, (_, value) in options.items() for text in (option, value)]
    done = run("fit", folder / "iris.csv", "-t", "species", "-o", folder / "o.json", *given)
    assert done.exit_code == 0, done.output
    params = load(folder / "o.json")[-1].get_params()
    assert {name: params[name] for name, _ in options.values()} == dict(options.values())


def test_fit_passes_the_norm_on(folder):
    """It does not go with points, so it is given alone."""
    given = ["--norm", "linf", "--fixed", "--time-limit", 0.0]
    done = run("fit", folder / "iris.csv", "-t", "species", "-o", folder / "n.json", *given)
    assert done.exit_code == 0, done.output
    assert load(folder / "n.json")[-1].norm == "linf"


def test_help_states_the_defaults_of_the_classifier():
    """The defaults in the help are written by hand and must not drift."""
    hints = get_type_hints(fit, include_extras=True)
    del hints["return"]
    shown = {name: hint.__metadata__[0].show_default for name, hint in hints.items()}
    fixed, chosen = MOCTSVMClassifier(), MOCTSVMClassifierCV()
    defaults = fixed.get_params() | {"random_state": 0, "n_jobs": 1}
    defaults |= dict.fromkeys(CHOSEN, "chosen") | {"checkpoint": "none", "memory_limit": "none"}
    defaults["time_limit"] = f"{chosen.time_limit}; {fixed.time_limit} if fixed"
    given = {name: str(value) for name, value in defaults.items()}
    texts = {name: text for name, text in shown.items() if isinstance(text, str)}
    given |= {"class_weight": "none", "scoring": str(chosen.scoring)}
    given |= {"max_features_per_split": "all", "points": "not rounded", "certificate": "none"}
    assert len(texts) == 21
    assert texts == {name: given[name] for name in texts}
    depth, *costs = (getattr(fixed, name) for name in CHOSEN)
    in_words = f"depth {depth} and costs {', '.join(format(cost, 'g') for cost in costs)}"
    assert in_words in hints["fixed"].__metadata__[0].help


def test_help_does_not_call_the_power_of_the_norm_a_norm():
    """A margin term is half the norm or half its square; --norm names the norm itself."""
    hints = get_type_hints(fit, include_extras=True)
    text = hints["margin_term"].__metadata__[0].help
    assert "half the squared norm ('squared')" in text.lower()
    assert "the norm 'squared'" not in text


def test_fit_chooses_what_is_not_given(folder, tmp_path):
    """It says what it chose; the model has it, and what was given."""
    given = ("--max-depth", 2, "--c3", 0.5)
    done = run("fit", folder / "iris.csv", "-t", "species", "-o", tmp_path / "m.json", *given)
    assert done.exit_code == 0, done.output
    (said,) = re.findall(
        r"chosen by cross-validation: (.*)  \(accuracy [\d.]+% on rows", done.stdout
    )
    model = load(tmp_path / "m.json")[-1]
    assert type(model) is MOCTSVMClassifier
    assert (model.max_depth, model.c3) == (2, 0.5)
    assert said == ", ".join(f"{name} {getattr(model, name):g}" for name in CHOSEN)
    assert "cut short" not in done.stdout


def test_a_choice_may_take_products_unless_a_space_is_given(tmp_path):
    """It names the space, and the splits name the products."""
    rows = np.random.default_rng(1).uniform(-1, 1, size=(80, 2)).round(3)
    is_inside = (rows**2).sum(axis=1) < 0.6
    table = [
        [*row, "inside" if inside else "outside"]
        for row, inside in zip(rows, is_inside, strict=True)
    ]
    path = write_csv(tmp_path / "ring.csv", ["width", "height", "place"], table)
    begin = ("fit", path, "-t", "place", "-o", tmp_path / "m.json")
    free, straight = run(*begin), run(*begin, "--space", "box")
    assert free.exit_code == straight.exit_code == 0, free.output
    assert "c3 1, space quadratic  (accuracy" in free.stdout
    assert "height squared" in free.stdout
    assert "c3 1, space box  (accuracy" in straight.stdout
    assert "squared" not in straight.stdout


@pytest.mark.parametrize("lack", ["time", "memory"])
def test_a_choice_that_is_cut_short_says_so(folder, tmp_path, lack):
    """And what to do about it."""
    options = ("-o", tmp_path / "m.json", f"--{lack}-limit", 0)
    done = run("fit", folder / "iris.csv", "-t", "species", *options)
    assert done.exit_code == 0, done.output
    assert f"cut short. Give it more {lack}: --{lack}-limit" in done.stdout
    more = run("fit", folder / "iris.csv", "-t", "species", *options[:2], "--time-limit", "1e-3")
    assert "more time: --time-limit 0.002, or compare less, such as with --max-" in more.stdout
    assert f"{lack} limit reached" in done.stdout


def test_labels_that_differ_in_capitals_only_are_pointed_out(tmp_path):
    """Like categories of a column; the tree still learns all of them."""
    labels = ["Yes", "yes", "no", "Yes", "yes", "no"]
    table = write_csv(tmp_path / "t.csv", ["a", "y"], [*map(list, enumerate(labels))])
    done = run("fit", table, "-t", "y", "-o", tmp_path / "m.json", "--fixed")
    assert done.exit_code == 0, done.output
    assert "The column 'y' has the labels 'Yes' and 'yes', which count as 2." in done.stderr


def test_parameters_are_checked_before_anything_is_said_about_the_table(tmp_path):
    """An error stands alone."""
    table = write_csv(tmp_path / "t.csv", ["a", "b", "y"], [[k, 7, "pq"[k % 2]] for k in range(9)])
    for option, value in (("--c1", -1), ("--space", "cube"), ("--method", "guess")):
        done = run("fit", table, "-t", "y", "-o", tmp_path / "m.json", option, value)
        assert done.stderr.startswith(f"Error: {option} must be")


def test_negligible_terms_are_neither_written_nor_counted(tmp_path):
    """A split with one real term is short; a rounding error of a cost is 0."""
    rows = [[k % 2, k % 3, k % 5, k % 7, k % 11, k % 13, "pq"[k % 2]] for k in range(30)]
    table = write_csv(tmp_path / "t.csv", [*"abcdef", "y"], rows)
    done = run("fit", table, "-t", "y", "-o", tmp_path / "m.json", "--c1", 10, "--fixed")
    assert re.match(r"\[1\] a >= 0\.5 \?\n", done.stdout), done.stdout
    assert "Its splits have up to" not in done.stdout
    assert not re.search(r"e-\d\d", done.stdout)


def test_an_interrupted_choice_says_so(folder, monkeypatch, tmp_path):
    """That nothing was compared, if so, and not that time was short."""

    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("margintree.methods.choose.path", interrupt)
    done = run("fit", folder / "iris.csv", "-t", "species", "-o", tmp_path / "m.json")
    assert "nothing was compared, so these are the first candidates: max_depth 2" in done.stdout
    assert "cut short. Do not interrupt it" in done.stdout
    assert "time-limit" not in done.stdout


def test_predict_finds_columns_by_name(folder):
    """Columns in another order and further columns make no difference."""
    done = run("predict", folder / "m.json", folder / "other.csv")
    frame = pd.DataFrame(IRIS.data[1::5], columns=NAMES)
    expected = load(folder / "m.json").predict(frame).tolist()
    assert done.stdout.split("\n") == ["prediction", *expected, ""]


def test_predict_writes_shares_to_a_file(folder):
    """One column per class, and they add up to one."""
    done = run("predict", folder / "m.json", folder / "iris.csv", "--proba", "-o", folder / "p.csv")
    assert (done.exit_code, done.stdout) == (0, "")
    with (folder / "p.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["prediction", *(f"share of {name}" for name in IRIS.target_names)]
    assert all(abs(sum(float(v) for v in list(row.values())[1:]) - 1) < 1e-5 for row in rows)


def test_a_feature_cannot_hold_the_labels(folder):
    """To compare predictions with a feature would make a table of all its values."""
    files = (folder / "m.json", folder / "iris.csv")
    for command in (["evaluate"], ["report", "-o", folder / "r.html"]):
        assert_refused(run(*command, *files, "-t", NAMES[0]), "must not be a feature of the model")


def test_evaluate_guesses_the_target_when_there_is_one_other_column(folder):
    """It agrees with naming the column, and asks when there are several others."""
    guessed = run("evaluate", folder / "m.json", folder / "iris.csv")
    named = run("evaluate", folder / "m.json", folder / "iris.csv", "-t", "species")
    assert guessed.exit_code == 0
    assert guessed.stdout == named.stdout
    assert "These seem to be the training rows" in guessed.stderr
    assert re.search(r"accuracy \d+\.\d\d%  \(\d+ of 30 rows\)", guessed.stdout)
    asked = run("evaluate", folder / "m.json", folder / "other.csv")
    assert asked.exit_code == 2
    assert "--target" in asked.stderr


@pytest.mark.parametrize("labels", [[0, 0, 7, 7], [0.0, 0.0, 7.0, 7.0], ["0.0", "0.0", "7", "7"]])
def test_evaluate_takes_whole_numbers_with_and_without_a_zero(tmp_path, labels):
    """Other programs write integers as 7.0."""
    save(MOCTSVMClassifier(1, c1=10).fit([[0], [1], [4], [5]], [0, 0, 7, 7]), tmp_path / "m.json")
    pd.DataFrame({"a": [0, 1, 4, 5], "y": labels}).to_parquet(tmp_path / "t.parquet")
    done = run("evaluate", tmp_path / "m.json", tmp_path / "t.parquet", "-t", "y")
    assert "accuracy 100.00%  (4 of 4 rows)" in done.stdout


def test_a_wide_table_is_told_in_few_lines(tmp_path):
    """Most influential terms, some fills and some reasons; the model file has all."""
    rng = np.random.default_rng(0)
    X = np.c_[rng.normal(size=(40, 60)).round(2), np.zeros((40, 15))]
    names = [f"gene {j}" for j in range(60)] + [f"empty {j}" for j in range(15)]
    rows = [[*x, "ill" if x[0] > 0 else "well"] for x in X.tolist()]
    table, model = write_csv(tmp_path / "t.csv", [*names, "y"], rows), tmp_path / "m.json"
    done = run("fit", table, "-t", "y", "-o", model, "--fixed", "--max-depth", 1)
    assert done.exit_code == 0, done.output
    assert " more that add " in done.stdout
    assert "up to 60 terms" in done.stdout
    shown = run("show", model).stdout
    assert "more that add" not in shown
    assert "gene 9 " in shown
    assert "and 50 more columns, which the model file lists" in shown
    assert shown.count("Not used: ") == 10
    assert "and 5 more columns that are not used, which the model file lists" in shown
    assert not re.search(r"-0[,\s]", shown)


def test_a_shell_completes_commands_and_options():
    """As the script of --install-completion asks for it."""
    for words, place, expected in (
        ("margintree ev", 1, "evaluate"),
        ("margintree fit --po", 2, "--points"),
        ("margintree export --format py", 3, "python"),
    ):
        env = {
            "_MARGINTREE_COMPLETE": "complete_bash",
            "COMP_WORDS": words,
            "COMP_CWORD": str(place),
        }
        done = CliRunner().invoke(app, [], prog_name="margintree", env=env)
        assert done.output.split() == [expected]


def test_one_split_is_no_splits(tmp_path):
    """Grammar of the table of costs."""
    save(MOCTSVMClassifier(1, c1=10).fit([[0], [1], [4], [5]], [0, 0, 7, 7]), tmp_path / "m.json")
    assert "(1 split)" in run("show", tmp_path / "m.json").stdout


def test_integer_labels_and_models_without_names(tmp_path):
    """A model saved in Python without names takes the first columns; integers stay integers."""
    save(MOCTSVMClassifier(1, c1=10).fit([[0], [1], [4], [5]], [0, 0, 7, 7]), tmp_path / "m.json")
    table = write_csv(tmp_path / "t.csv", ["x", "label"], [[0.5, 0], [4.5, 7], [4.6, 0]])
    assert run("predict", tmp_path / "m.json", table).stdout.split() == [
        "prediction",
        "0",
        "7",
        "7",
    ]
    assert "66.67%" in run("evaluate", tmp_path / "m.json", table).stdout
    empty = write_csv(tmp_path / "e.csv", [], [])
    assert run("predict", tmp_path / "m.json", empty).exit_code == 2


def test_report_writes_a_page_about_the_table(folder, tmp_path):
    """Columns are found by name, the label by name or because it is the only other column."""
    page = tmp_path / "report.html"
    for table, options in (("iris.csv", []), ("other.csv", ["--target", "species"])):
        done = run("report", folder / "m.json", folder / table, *options, "-o", page)
        assert done.exit_code == 0, done.output
        assert str(page) in done.stdout
        text = page.read_text(encoding="utf-8")
        assert f"<title>m.json on {table}</title>" in text
        assert all(name in text for name in [*NAMES, "setosa", "virginica"])


def test_report_refuses_what_it_cannot_do(folder, tmp_path):
    """A label that cannot be guessed, and an output that is an input or cannot be written."""
    model, table = folder / "m.json", folder / "other.csv"
    page = tmp_path / "r.html"
    assert_refused(run("report", model, table, "-o", page), "--target")
    assert_refused(run("report", model, table, "-t", "species", "-o", model), "another --output")
    assert_refused(
        run("report", model, table, "-t", "species", "-o", tmp_path), "cannot be written"
    )
    assert not page.exists()


def test_show_prints_the_rules(folder):
    """The same text as export_text, then the costs."""
    done = run("show", folder / "m.json")
    assert done.stdout.startswith(export_text(load(folder / "m.json")))


def test_names_from_data_are_not_taken_for_markup(tmp_path):
    """A column or class in square brackets is printed as it is."""
    table = write_csv(
        tmp_path / "t.csv", ["[red]x", "y"], [[0, "[b]a"], [1, "[b]a"], [4, "c"], [5, "c"]]
    )
    done = run("fit", table, "-t", "y", "-o", tmp_path / "m.json", "--fixed", "--c1", 10)
    assert "[red]x >= 2.5 ?" in done.stdout
    assert "[b]a" in done.stdout
    assert "[b]a" in run("evaluate", tmp_path / "m.json", table).stdout


def test_solvers_lists_every_solver():
    """With its version and what it can do."""
    from margintree.exact.solvers import SOLVERS

    done = run("solvers")
    assert done.exit_code == 0
    assert all(name in done.stdout for name in SOLVERS)


@pytest.mark.parametrize("data", ["wine", "iris"])
@pytest.mark.parametrize("options", [(), ("--dense",), ("--exact",)])
def test_demo_shows_the_tree_and_beats_cart(data, options):
    """Accuracy on the rows held back stands beside that of CART."""
    done = run("demo", "--data", data, *options)
    assert done.exit_code == 0
    assert ("proved optimal (native" in done.stdout) == ("--exact" in options)
    ours, cart = (float(score) for score in re.findall(r"\) +([\d.]+)%", done.stdout))
    assert ours > cart - 1
    assert "violations" in done.stdout


def test_the_card_of_the_demo_is_as_good_as_the_dense_tree():
    """Two splits of wine on at most three features each lose at most one point of accuracy."""
    shown = run("demo").stdout
    card, dense = (float(score) for score in re.findall(r"(?:\)|features) +([\d.]+)%", shown)[:2])
    assert card >= dense - 1
    splits = re.findall(r"(?:\] |: \[\d\] )([^?\[]+)>= .* \?", shown)
    assert len(splits) == 2
    assert all(1 <= len(re.split(r" [+-] ", split)) <= 3 for split in splits)


def test_demo_shows_what_a_short_tree_costs():
    """Beside a tree with few features and points stands the accuracy of the whole tree."""
    whole = run("demo", "--data", "iris", "--dense").stdout
    short = run("demo", "--data", "iris", "--features", 1, "--points", 5).stdout
    (score,) = re.findall(r"with all features +([\d.]+%)", short)
    assert f"MOCTSVM (margintree)  {score}" in whole
    assert "with all features" not in whole
    assert "*" not in short.split("Accuracy")[0].split("training rows")[1]


def test_the_version_is_printed():
    """--version says what is installed."""
    assert run("--version").stdout == f"margintree {__version__}\n"


def test_warnings_are_sentences(folder, tmp_path):
    """Two leaves cannot name three species; the command says so and fits."""
    done = run(
        *("fit", folder / "iris.csv", "-t", "species", "-o", tmp_path / "m.json"),
        *("--fixed", "--max-depth", 1),
    )
    assert done.exit_code == 0
    assert done.stderr.startswith("Warning: A tree of depth 1 has 2 leaves")
    assert ".py" not in done.stderr


GOOD = [["0", "1", "a"], ["1", "0", "a"], ["4", "1", "b"]]
BAD_TABLES = {
    "no such column": (["x", "y", "label"], GOOD, "no column 'target'"),
    "a similar column": (["x", "y", "Target"], GOOD, "Did you mean 'Target'"),
    "infinity": (["x", "y", "target"], [*GOOD, ["-inf", "1", "b"]], "line 5, column 'x'.*'-inf'"),
    "empty label": (["x", "y", "target"], [*GOOD, ["1", "1", ""]], "label.*an empty cell"),
    "ragged row": (["x", "y", "target"], [*GOOD, ["1", "1"]], "line 5: the row has 2 cells"),
    "same name twice": (["x", "x", "target"], GOOD, "'x' appears more than once"),
    "no feature": (["target"], [["a"], ["b"]], "feature column"),
    "header only": (["x", "y", "target"], [], "at least one row"),
}


@pytest.mark.parametrize("case", BAD_TABLES)
def test_bad_tables_end_with_a_message_and_exit_code_2(case, tmp_path):
    """The message names the place; no traceback and no file."""
    columns, rows, named = BAD_TABLES[case]
    table = write_csv(tmp_path / "t.csv", columns, rows)
    done = run("fit", table, "--target", "target", "-o", tmp_path / "m.json")
    assert_refused(done, named)
    assert list(tmp_path.iterdir()) == [table]


@pytest.mark.parametrize(
    ("data", "named"),
    [
        (b"", "at least one row"),
        (b'a,b\n"1,2\n', "not a CSV file"),
        (b"a,b\n1,2\x00\n", "not a CSV file"),
    ],
)
def test_files_that_are_no_tables(data, named, tmp_path):
    """Empty, binary or broken files."""
    (tmp_path / "t.csv").write_bytes(data)
    done = run("fit", tmp_path / "t.csv", "-t", "b", "-o", tmp_path / "m.json")
    assert_refused(done, named)


def assert_refused(done, named):
    assert done.exit_code == 2, done.output
    assert re.search(named, done.stderr), done.stderr
    assert "Traceback" not in done.output


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--c1", "-1"], "--c1 must be"),
        (["--c1", "nan"], "--c1 must be"),
        (["--max-depth", "0"], "--max-depth must be"),
        (["--max-depth", "40"], "--max-depth must be"),
        (["--method", "guess"], "--method must be"),
        (["--method", "exact", "--solver", "guess"], "guess"),
        (["--margin-term", "cubic"], "--margin-term must be"),
        (["--memory-limit", "-1"], "--memory-limit must be"),
        (["--jobs", "0"], "--jobs"),
        (["--max-depth", "two"], "--max-depth"),
    ],
)
def test_bad_options_end_with_a_message_and_exit_code_2(options, named, folder, tmp_path):
    """The message names the parameter."""
    done = run("fit", folder / "iris.csv", "-t", "species", "-o", tmp_path / "m.json", *options)
    assert_refused(done, named)
    assert not list(tmp_path.iterdir())


def test_an_output_that_cannot_be_written_is_refused_before_the_fit(folder, tmp_path):
    """No time is spent on a fit that could not be saved."""
    for output in (tmp_path / "missing" / "m.json", tmp_path):
        done = run("fit", folder / "iris.csv", "-t", "species", "-o", output)
        assert_refused(done, "cannot be written")
    done = run("predict", folder / "m.json", folder / "iris.csv", "-o", tmp_path / "no" / "p.csv")
    assert_refused(done, "No such file")


def test_an_output_that_is_an_input_is_refused(folder, tmp_path):
    """Under any name, and the input is as it was."""
    table, model = folder / "iris.csv", folder / "m.json"
    link = tmp_path / "link.csv"
    link.symlink_to(table)
    before = table.read_bytes(), model.read_bytes()
    for output in (table, link):
        assert_refused(run("fit", table, "-t", "species", "-o", output), "another --output")
    for output in (table, link, model):
        assert_refused(run("predict", model, table, "-o", output), "another --output")
    assert (table.read_bytes(), model.read_bytes()) == before


def test_predictions_that_cannot_be_written_are_refused_before_any_work(folder, tmp_path):
    """The model is not even read."""
    output = tmp_path / "missing" / "p.csv"
    done = run("predict", folder / "no model", folder / "iris.csv", "-o", output)
    assert_refused(done, "cannot be written")


def test_bad_models_end_with_a_message_and_exit_code_2(folder, tmp_path):
    """Missing, truncated and newer model files, for every command that reads one."""
    text = (folder / "m.json").read_text()
    (tmp_path / "cut.json").write_text(text[: len(text) // 2])
    (tmp_path / "new.json").write_text(json.dumps(json.loads(text) | {"version": 99}))
    for model, named in (("no.json", "No such"), ("cut.json", "damaged"), ("new.json", "update")):
        for command in ("show", "predict", "evaluate", "report"):
            tables = [] if command == "show" else [folder / "iris.csv"]
            output = ["-o", tmp_path / "r.html"] if command == "report" else []
            assert_refused(run(command, tmp_path / model, *tables, *output), named)


def test_prediction_with_other_columns_than_in_training(folder, tmp_path):
    """The missing column is named."""
    table = write_csv(tmp_path / "t.csv", NAMES[:3], [[1, 2, 3]])
    assert_refused(run("predict", folder / "m.json", table), "no column 'petal width'")


def test_a_checkpoint_is_of_one_problem(folder, tmp_path):
    """What is chosen may differ from run to run; the message names the options that fix it."""
    where = "-t", "species", "-o", tmp_path / "m.json", "--checkpoint", tmp_path / "c.json"
    done = run("fit", folder / "iris.csv", *where, "--method", "exact", "--c1", 10)
    assert_refused(done, "--max-depth, --c1, --c2 and --c3, or --fixed")
    assert_refused(run("fit", folder / "iris.csv", *where, "--fixed"), "--method exact")
    assert not list(tmp_path.iterdir())


def test_faults_of_our_own_are_exit_code_1_without_a_traceback(folder, monkeypatch):
    """The message asks for a report; the traceback comes only when asked for."""

    def fail(_):
        raise ZeroDivisionError("oh")

    monkeypatch.setattr("margintree.estimators.modelfile.load", fail)
    done = run("show", folder / "m.json")
    assert done.exit_code == 1
    assert "ZeroDivisionError: oh" in done.stderr
    assert "Traceback" not in done.output
    monkeypatch.setenv("MARGINTREE_DEBUG", "1")
    assert "Traceback" in run("show", folder / "m.json").stderr


def test_an_interrupt_before_the_fit_is_exit_code_130(folder, monkeypatch, tmp_path):
    """There is nothing to save yet."""

    def interrupt(_):
        raise KeyboardInterrupt

    monkeypatch.setattr("margintree.data.tables.read_table", interrupt)
    done = run("fit", folder / "iris.csv", "-t", "species", "-o", tmp_path / "m.json")
    assert done.exit_code == 130
    assert not list(tmp_path.iterdir())


def test_the_progress_line_shows_what_is_known():
    """First the seconds alone, then cost, bound and gap."""
    from margintree.cli._progress import ProgressLine

    times = iter([0.0, 1.0, 3.0])
    line = ProgressLine(now=lambda: next(times))
    assert str(line.__rich__()).startswith("fitting   1.0 s   (Ctrl-C")
    line(TracePoint(2.0, objective=4.0, bound=3.0))
    assert "3.0 s   cost 4   bound 3   gap 25.0%" in str(line.__rich__())


def exported(folder, form):
    """Return what the command prints in this format."""
    done = run("export", folder / "m.json", "--format", form)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_export_prints_every_text_format(folder):
    """Each is what the function of the same purpose returns."""
    model = load(folder / "m.json")
    assert exported(folder, "text") == export_text(model) + "\n"
    assert exported(folder, "dot") == export_dot(model) + "\n"
    assert exported(folder, "json") == (folder / "m.json").read_text(encoding="utf-8")
    assert exported(folder, "python") == to_python(model)


def test_export_to_sql_is_what_a_select_takes(folder):
    """The columns are those of margintree predict --proba."""
    connection = sqlite3.connect(":memory:")
    columns = ", ".join(f'"{name}"' for name in NAMES)
    connection.execute(f"CREATE TABLE flowers ({columns})")
    connection.executemany("INSERT INTO flowers VALUES (?, ?, ?, ?)", IRIS.data[::5].tolist())
    answer = connection.execute(f"SELECT {exported(folder, 'sql')} FROM flowers")
    predicted = run("predict", folder / "m.json", folder / "iris.csv", "--proba").stdout
    heading, *rows = csv.reader(predicted.splitlines())
    assert [column[0] for column in answer.description] == heading
    for ours, theirs in zip(answer.fetchall(), rows, strict=True):
        assert ours[0] == theirs[0]
        assert ours[1:] == pytest.approx(list(map(float, theirs[1:])), abs=1e-6)
    connection.close()


def test_export_to_sql_speaks_a_dialect(folder):
    """The same columns with the quotes and types of the database."""
    done = run("export", folder / "m.json", "-f", "sql", "--dialect", "bigquery")
    assert done.exit_code == 0
    assert 'AS "prediction"' in exported(folder, "sql")
    assert "AS `prediction`" in done.stdout
    assert "CAST(`petal width` AS FLOAT64)" in done.stdout
    assert done.stdout.count(" AS `share of ") == 3


def test_export_tells_of_parts_of_dates(folder, tmp_path):
    """Programs take the parts, which a user of the command may never have seen."""
    days = [
        [f"2024-{k // 2 + 1:02d}-{k + 1:02d}", "early" if k < 10 else "late"] for k in range(20)
    ]
    table = write_csv(tmp_path / "days.csv", ["seen", "half"], days)
    model = tmp_path / "days.json"
    done = run("fit", table, "-t", "half", "-o", model, "--fixed", "--max-depth", 1, "--c1", 100)
    assert done.exit_code == 0, done.output
    for form, says in (("python", True), ("sql", True), ("text", False)):
        done = run("export", model, "--format", form)
        assert done.exit_code == 0, done.output
        assert ("takes parts of dates" in done.stderr) == says
    assert "'seen (days)'" in run("export", model, "--format", "sql").stderr
    assert run("export", folder / "m.json", "--format", "sql").stderr == ""


def test_export_writes_files(folder, tmp_path):
    """Text and, for ONNX, what is no text; nothing is printed."""
    for form in ("python", "onnx"):
        output = tmp_path / form
        done = run("export", folder / "m.json", "-f", form, "-o", output)
        assert (done.exit_code, done.output) == (0, "")
    assert (tmp_path / "python").read_text(encoding="utf-8") == exported(folder, "python")
    assert onnx.load(tmp_path / "onnx") == to_onnx(load(folder / "m.json"))


def test_export_refuses_what_cannot_be_done(folder, tmp_path):
    """ONNX on the terminal, unknown formats, the model itself as output, and bad models."""
    model = folder / "m.json"
    assert_refused(run("export", model, "-f", "onnx"), "--output")
    assert_refused(run("export", model, "-f", "pickle"), "onnx")
    assert_refused(run("export", model, "-f", "json", "-o", model), "another --output")
    assert_refused(run("export", tmp_path / "no.json", "-f", "text"), "No such")
    assert not list(tmp_path.iterdir())


def test_classes_may_weigh_more_and_candidates_be_compared_by_another_score(tmp_path):
    """The rare class is predicted; unknown labels and scores are refused with the known ones."""
    lines = ["a,y", *(f"{k * 7 % 60}.5,{'ill' if k % 10 == 0 else 'well'}" for k in range(60))]
    table = tmp_path / "rare.csv"
    table.write_text("\n".join(lines))
    where = (table, "-t", "y", "-o", tmp_path / "m.json")
    assert "no split" in run("fit", *where, "--fixed").stderr
    for weight, kept in {"balanced": "balanced", "ill=20, well=1": {"ill": 20, "well": 1}}.items():
        done = run("fit", *where, "--fixed", "--max-depth", 1, "--class-weight", weight)
        assert done.exit_code == 0
        assert load(tmp_path / "m.json")[-1].class_weight == kept
    score = ("--max-depth", 1, "--c2", 1, "--c3", 1, "--scoring", "balanced_accuracy")
    assert "(balanced_accuracy 50.00% on rows left out)" in run("fit", *where, *score).stdout
    assert_refused(run("fit", *where, "--class-weight", "sick=2"), "the labels are 'ill, well'")
    assert_refused(run("fit", *where, "--scoring", "nicest"), "another scorer of scikit-learn")
    assert_refused(run("fit", *where, "--fixed", "--scoring", "accuracy"), "Leave it out")
