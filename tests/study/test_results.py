"""What a person sees of a study: comparisons in words, pictures, commands and the page about it."""

import contextlib
import csv
import io
import itertools
import math
import os
import re
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import publish
import synthetic_rows
from margintree._lib.exceptions import InvalidInputError
from margintree.cli import app
from margintree.study.compare import _complete_enough, comparison, contest
from margintree.study.exported import Study, export_study
from margintree.study.figures import FIGURES, _runs, picture
from margintree.study.result_tables import signed
from margintree.study.spec import parse_spec
from margintree.study.statistics import friedman
from margintree.study.store import Session, Store, as_json
from margintree.study.summary import Key, summarise

PAGE = Path(__file__).parents[2] / "docs" / "study.md"
NAMES = ("balance_scale", "iris", "parkinson", "seeds", "thyroid", "wine", "zoo")
ROWS = [
    row
    for row in synthetic_rows.study(NAMES, repetitions=3, costs=(1.0, 2.0))
    if row.method != "octsvm" or row.data_set == "parkinson"
]
SUMMARY = summarise(ROWS)


@pytest.fixture(autouse=True)
def _no_open_figures():
    yield
    plt.close("all")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return the working folder, with an export of the study in it."""
    monkeypatch.chdir(tmp_path)
    export_study(Study(ROWS, []), "rows.csv.bz2")
    return tmp_path


def run(*arguments):
    done = CliRunner().invoke(app, ["study", *map(str, arguments)])
    assert done.exit_code == 0, done.output
    return done.stdout


def refused(*arguments):
    done = CliRunner().invoke(app, ["study", *map(str, arguments)])
    assert done.exit_code == 2, done.output
    return done.stderr


def test_only_methods_with_numbers_on_the_same_data_sets_compete():
    """A method for two classes is left out by name, and so is a set that one of the rest lacks."""
    rows = [row for row in ROWS if row.job[0] != "zoo" or row.method != "oct"]
    found = contest(summarise(rows), "nested")
    assert found.methods == ("cart", "oct", "octh", "moctsvm", "svm-ovo")
    assert found.data_sets == NAMES[:-1]
    assert found.scores[1, 3] == summarise(rows).spread(Key("iris", "moctsvm", "nested")).mean
    assert found.left_out == (
        "OCTSVM is left out: it has numbers on 1 of 7 data sets.",
        "Left out, since not all methods have numbers there: zoo.",
    )


def test_a_method_for_two_classes_does_not_cost_the_others_half_of_their_data_sets():
    """It has numbers on just more than half of them; without it more numbers are compared."""
    names = [f"set {i}" for i in range(9)]
    rows = [
        row
        for row in synthetic_rows.study(names, ("cart", "oct", "moctsvm", "octsvm"))
        if row.method != "octsvm" or row.job[0] in names[:5]
    ]
    found = contest(summarise(rows), "nested")
    assert found.methods == ("cart", "oct", "moctsvm")
    assert found.data_sets == tuple(names)
    assert found.left_out == ("OCTSVM is left out: it has numbers on 5 of 9 data sets.",)


@given(st.integers(1, 6), st.integers(1, 5), st.integers(0, 999))
def test_no_method_could_join_or_leave_with_more_numbers_compared(n_sets, n_methods, seed):
    """Among methods in the order of their numbers."""
    is_known = np.random.default_rng(seed).random((n_sets, n_methods)) < 0.7
    stays = _complete_enough(is_known)
    order = np.argsort(-is_known.sum(axis=0), kind="stable")
    sizes = [k * is_known[:, order[:k]].all(axis=1).sum() for k in range(1, n_methods + 1)]
    assert stays.sum() * is_known[:, stays].all(axis=1).sum() == max(sizes)
    assert stays.any() == (max(sizes) > 0)
    assert stays[order].tolist() == sorted(stays, reverse=True)


def test_a_comparison_says_what_its_numbers_mean():
    """Ranks, differences and verdicts, with a warning about the grid."""
    (ranks, pairs), sentences = comparison(SUMMARY, "grid")
    told = " ".join(sentences)
    found = contest(SUMMARY, "grid")
    ranking = friedman(found.scores)
    assert ranks.rows[0][0].text == "MOCTSVM"
    assert ranks.rows[0][1].text == f"{min(ranking.ranks):.2f}"
    assert "Wilcoxon's test of all pairs" in told
    assert ranks.rows[0][3].text == "–"  # no pair differs by more than chance
    assert "the methods are not all alike" in told
    assert "MOCTSVM is better than" not in told  # seven data sets are too few for four tests
    assert "no difference can be shown between MOCTSVM and CART, OCT, OCT-H, SVM 1-1" in told
    assert "flatters methods with large grids" in told
    gap = 100 * (found.scores[:, 3] - found.scores[:, 0]).mean()
    assert [cell.text for cell in pairs.rows[0][:3]] == ["CART", signed(gap), "7 : 0"]


def test_enough_data_sets_make_a_verdict():
    """Better, and worse when seen from the other side."""
    names = [f"set {i}" for i in range(12)]
    summary = summarise(synthetic_rows.study(names, ("cart", "moctsvm")))
    assert any("MOCTSVM is better than CART" in told for told in comparison(summary, "nested")[1])
    others = comparison(summary, "nested", control="cart")[1]
    assert any("CART is worse than MOCTSVM" in told for told in others)


def test_words_follow_the_ranks_that_are_tested():
    """Eleven small wins are better by the test, though one large loss turns the mean."""
    rows = [
        synthetic_rows.done(f"set {i}", 0, 0, method, "nested", {}, 0.5 + gain)
        for i in range(12)
        for method, gain in (("cart", 0.0), ("moctsvm", (i + 1) / 1000 if i else -0.4))
    ]
    (pairs,), sentences = comparison(summarise(rows), "nested")
    assert pairs.rows[0][1].text.startswith("−")
    assert any("MOCTSVM is better than CART" in told for told in sentences)


def test_a_comparison_of_an_unfinished_study_says_so():
    """Every mean over fewer repetitions than planned is counted."""
    rows = synthetic_rows.study(("iris", "wine"), ("cart", "oct"), repetitions=2)
    some = [row for row in rows if row.job[:3] != ("iris", 1, 0) or row.method != "oct"]
    spec = parse_spec("tiny", synthetic_rows.spec_text(("iris", "wine")))
    assert any(
        "unfinished: 1 of 4 means are over fewer than 2 repetitions" in told
        for told in comparison(summarise(some, spec), "nested", control="cart")[1]
    )
    whole = comparison(summarise(rows, spec), "nested", control="cart")[1]
    assert not any("unfinished" in told for told in whole)


def test_without_baycomp_the_comparison_says_so(monkeypatch):
    """The other tests are still there."""
    monkeypatch.setitem(sys.modules, "baycomp", None)
    tables, sentences = comparison(SUMMARY, "nested")
    assert tables[1].columns[-1] == "p (Wilcoxon, Holm)"
    assert any("pip install 'margintree[bayes]'" in sentence for sentence in sentences)


@given(st.integers(1, 7), st.integers(0, 999))
def test_bars_join_exactly_what_does_not_differ(n_methods, seed):
    """Two methods lie under one bar if and only if no two methods from one to the other differ."""
    differ = np.triu(np.random.default_rng(seed).random((n_methods, n_methods)) < 0.3, k=1)
    are_alike = ~(differ | differ.T)
    bars = list(_runs(are_alike))
    for i, j in itertools.combinations(range(n_methods), 2):
        is_joined = any(first <= i and j <= last for first, last in bars)
        assert is_joined == are_alike[i : j + 1, i : j + 1].all()


def test_a_method_looks_the_same_in_all_pictures():
    """Colours and markers belong to methods, also where other methods are not there."""
    some = summarise([row for row in ROWS if row.method in ("cart", "oct", "moctsvm")])
    looks = set()
    for summary in (SUMMARY, some):
        for draw in FIGURES.values():
            lines = [
                line
                for line in draw(summary, "grid").get_lines()
                if line.get_marker() == "D" and line.get_markersize() >= 5
            ]
            looks |= {line.get_color() for line in lines}
    assert looks == {"#d55e00"}


def test_the_accuracies_are_where_they_belong():
    """One marker per data set at its mean, and the printed numbers as strokes."""
    ax = FIGURES["accuracy"](SUMMARY, "nested")
    containers = {container.get_label(): container for container in ax.containers}
    means = [100 * SUMMARY.spread(Key(name, "octh", "nested")).mean for name in NAMES]
    assert containers["OCT-H"][0].get_xdata() == pytest.approx(means)
    (strokes,) = [line for line in ax.get_lines() if line.get_label() == "printed"]
    assert {90.43, 94.13} <= {*strokes.get_xdata()}
    assert ax.get_yticklabels()[0].get_text() == "balance scale"


def test_no_words_overlap():
    """The names in the diagram of ranks keep apart, even when all ranks are alike."""
    for rows in (ROWS, [synthetic_rows.done(*r.job, r.reading, {}, 0.5) for r in ROWS]):
        ax = FIGURES["ranks"](summarise(rows), "nested")
        ax.figure.canvas.draw()
        words = [text.get_window_extent() for text in ax.texts]
        for i, one in enumerate(words):
            assert not any(one.overlaps(other) for other in words[i + 1 :])
        edges = ax.figure.bbox
        assert all(edges.x0 <= one.x0 and one.x1 <= edges.x1 for one in words)


def test_fits_that_took_no_time_are_drawn():
    """A clock may say 0, of which there is no logarithm."""
    none = {"build_seconds": 0.0, "fit_seconds": 0.0}
    rows = [row._replace(**none) if row.method == "cart" else row for row in ROWS]
    ax = FIGURES["seconds"](summarise(rows), "grid")
    assert all(np.isfinite(line.get_xdata()).all() for line in ax.get_lines()[:-1])


def test_pictures_of_too_little_are_refused():
    """With what is needed."""
    with pytest.raises(InvalidInputError, match="at least 2 data sets"):
        FIGURES["ranks"](summarise(synthetic_rows.study(("iris",))), "grid")
    with pytest.raises(InvalidInputError, match="'nested'"):
        FIGURES["accuracy"](summarise([r for r in ROWS if r.reading == "grid"]), "nested")


@pytest.mark.parametrize("kind", ["png", "svg"])
def test_a_picture_is_the_same_file_for_the_same_rows(kind):
    """So that a changed file means changed numbers."""
    draw = FIGURES["ranks"]
    files = [picture(draw, summarise(rows), "grid", kind) for rows in (ROWS, ROWS[::-1])]
    assert files[0] == files[1]
    assert not plt.get_fignums()


def test_the_commands_make_files(folder):
    """Tables in every format, pictures, and what cannot be drawn is said."""
    for form in ("terminal", "markdown", "latex", "html", "csv"):
        printed = run("table", "rows.csv.bz2", "--format", form)
        assert "94.13" in printed
        assert run("table", "rows.csv.bz2", "-f", form, "-o", f"table.{form}") == ""
        assert (folder / f"table.{form}").read_text(encoding="utf-8") == printed
    assert "MOCTSVM" in run("table", "rows.csv.bz2", "--measure", "speed")
    speeds = [
        *csv.DictReader(io.StringIO(run("table", "rows.csv.bz2", "-m", "speed", "-f", "csv")))
    ]
    assert [line["data_set"] for line in speeds] == [*NAMES, "all"] * 3
    assert len({line["table"] for line in speeds}) == 3
    nested = csv.DictReader(io.StringIO(run("table", "rows.csv.bz2", "-r", "nested", "-f", "csv")))
    assert {line["reading"] for line in nested} == {"nested"}
    assert "printed" not in run("table", "rows.csv.bz2", "-m", "splits").split("Printed")[0]
    assert "| MOCTSVM" in run("compare", "rows.csv.bz2", "-r", "nested", "-f", "markdown")
    drawn = run("figures", "rows.csv.bz2", "-o", folder / "pictures", "-r", "grid")
    assert drawn.split() == [str(folder / "pictures" / f"{name}-grid.png") for name in FIGURES]
    assert {path.name for path in (folder / "pictures").iterdir()} == {
        f"{name}-grid.png" for name in FIGURES
    }


def test_the_store_is_found(folder):
    """The one of this folder that was changed last, or by the name of its specification."""
    for age, name in enumerate(("quick", "smoke")):
        store = Store(f"study-{name}.sqlite")
        (row,) = synthetic_rows.absent("iris", "cart", "skipped", name, 1, 1)
        store.write(store.begin(name, synthetic_rows.spec_text()), row.job, [row])
        os.utime(store.path, (1e9 - age, 1e9 - age))
    assert "on iris: quick" in run("table")
    assert "on iris: smoke" in run("table", "smoke")
    assert "rows.csv.gz" in run("export", folder / "rows.csv.gz", "smoke")


def test_exported_rows_become_a_store_again(folder):
    """Whose tables and exports are the same."""
    assert "sessions" in refused("import", "rows.csv.bz2", "study-again.sqlite")
    spec = as_json({"name": "tiny", "text": synthetic_rows.spec_text(NAMES, repetitions=3)})
    export_study(Study(ROWS, [Session(1, "now", "{}", "abc", "here", spec)]), "rows.csv.bz2")
    assert f"{len(ROWS)} rows" in run("import", "rows.csv.bz2", "study-again.sqlite")
    assert run("table", "again", "-f", "csv") == run("table", "rows.csv.bz2", "-f", "csv")
    run("export", "again.csv", "again")
    run("export", "before.csv", "rows.csv.bz2")
    again, before = ((folder / f"{name}.csv").read_text() for name in ("again", "before"))
    assert sorted(again.splitlines()) == sorted(before.splitlines())
    assert "must be new" in refused("import", "rows.csv.bz2", "study-again.sqlite")


def test_a_store_is_not_imported(folder):
    """It is no export, and an import would round its numbers; a copy of the file does not."""
    store = Store("study-exact.sqlite")
    (row,) = synthetic_rows.absent("iris", "cart", "skipped", "no data", 1, 1)
    store.write(store.begin("tiny", synthetic_rows.spec_text()), row.job, [row])
    message = refused("import", "study-exact.sqlite", "study-copy.sqlite")
    for words in ("study export", ".csv.bz2, .csv.gz, .csv", "'study-exact.sqlite'", "copy it"):
        assert words in message
    assert not (folder / "study-copy.sqlite").exists()


def test_the_page_of_the_results_is_made_from_the_rows(folder, monkeypatch):
    """With the numbers, all pictures, the origin of the rows, and links to files that are there."""
    spec = as_json({"name": "tiny", "text": synthetic_rows.spec_text(NAMES, repetitions=3)})
    sessions = [Session(1, "2030-01-02T03:04:05", '{"numpy": "9.9"}', "abc123", "a box", spec)]
    rows = [row for row in ROWS if row.method in ("cart", "oct", "moctsvm")]
    export_study(Study(rows, sessions), "rows.csv.bz2")
    monkeypatch.setattr(sys, "argv", ["publish.py", "rows.csv.bz2", "--docs", "docs"])
    publish.main()
    page = (folder / "docs" / "results.md").read_text(encoding="utf-8")
    assert "- 2030-01-02, commit `abc123`, a box: numpy 9.9" in page
    assert run("table", "rows.csv.bz2", "--format", "markdown").strip() in page
    targets = {*re.findall(r"\]\((results/[^)]*)\)", page)}
    assert len(targets) == 2 + 3 * len(FIGURES) + 3
    assert all((folder / "docs" / target).is_file() for target in targets)


@pytest.mark.usefixtures("folder")
def test_bad_input_is_refused():
    """Nothing to read, nothing to compare, nowhere to write."""
    assert "study run quick" in refused("table")
    assert "no file" in refused("table", "nothing.sqlite")
    assert "'mine' was given" in refused("compare", "rows.csv.bz2", "--method", "mine")
    assert ".csv.bz2" in refused("export", "rows.json", "rows.csv.bz2")
    assert "another file" in refused("export", "rows.csv.bz2", "rows.csv.bz2")
    Store("study-empty.sqlite")
    assert "has none yet" in refused("table", "empty")


@pytest.mark.usefixtures("folder")
def test_the_script_of_the_page_recomputes_the_table():
    """The numbers of the exported rows are those of the command, and the script is short.

    The study is unfinished: a repetition with some of its five folds must not count.
    """
    rows = synthetic_rows.study(("iris", "wine"), ("cart", "oct"), repetitions=2, folds=5)
    some = [row for row in rows if row.job[1:] != (1, 3, "oct")]
    spec = as_json({"name": "tiny", "text": synthetic_rows.spec_text(("iris", "wine"), folds=5)})
    sessions = [Session(1, "now", "{}", "abc", "here", spec)]
    export_study(Study(some, sessions), "rows.csv.bz2")
    (script,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(script.splitlines()) <= 10
    namespace = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(script, "study.md", "exec"), namespace)
    recomputed = {
        key: [*map("{:.6f}".format, line)] for key, *line in namespace["table"].itertuples()
    }
    table = csv.DictReader(io.StringIO(run("table", "rows.csv.bz2", "--format", "csv")))
    shown = {
        (line["data_set"], line["method"], line["reading"]): [
            f"{float(line[column] or 'nan'):.6f}" for column in ("accuracy", "accuracy_sd")
        ]
        for line in table
        if line["repetitions"] != "0"
    }
    assert recomputed == shown
    assert math.isnan(float(shown["iris", "oct", "grid"][1]))
