"""Tables and exports: everything that was measured is there, in every format, and adds up."""

import csv
import io
import json
import re
import sqlite3
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

import synthetic_rows
from margintree._lib.exceptions import InvalidInputError
from margintree.data.tables import csv_text
from margintree.study.exported import Study, export_study, read_study
from margintree.study.formats import latex, markdown, terminal, web_page
from margintree.study.names import MEASURES, READINGS, SHARES
from margintree.study.result_tables import (
    Cell,
    ResultTable,
    differences_table,
    numbers,
    printed,
    results_table,
    speed_tables,
)
from margintree.study.spec import parse_spec
from margintree.study.store import Job, Row, Session, Store
from margintree.study.summary import Key, choice_efforts, grid_efforts, notes, summarise

ROWS = [
    *synthetic_rows.study(("iris", "wine")),
    *(
        row
        for method in synthetic_rows.SKILL
        for row in synthetic_rows.absent("zoo", method, "skipped", "no file zoo.csv")
    ),
    *synthetic_rows.absent("wine", "oct", "failed", "singular matrix", repetitions=1),
]
SUMMARY = summarise(ROWS)


def spec(text):
    return parse_spec("tiny", text)


def body(table, name, reading):
    """Return the numbers of a line by the heads of their columns."""
    lines, current = {}, ""
    for line in (*table.rows, *table.foot):
        current = line[0].text or current
        lines[current, line[1].text] = dict(zip(table.columns[2:], line[2:], strict=True))
    return lines[name, reading]


@given(st.integers(0, 30), st.sampled_from([*READINGS]))
def test_wins_add_up(seed, reading):
    """Every data set has one winner, or equals that share it."""
    summary = summarise(synthetic_rows.study(seed=seed))
    wins = body(results_table(summary), "wins", READINGS[reading])
    shared = [float(cell.text or 0) for head, cell in wins.items() if "best of" not in head]
    assert sum(shared) == pytest.approx(len(summary.data_sets), abs=0.02)


def test_the_table_has_the_printed_numbers_above_ours():
    """Line by line, with mean and standard deviation, the best one marked."""
    table = results_table(SUMMARY)
    line = body(table, "wine", "printed")
    assert line["MOCTSVM"] == Cell("94.13 ±1.78", is_best=True)
    assert line["OCT"] == Cell("92.22 ±3.41")
    assert line["SVM 1-1"].text == ""
    spread = SUMMARY.spread(Key("wine", "oct", "nested"))
    ours = body(table, "wine", "nested")
    assert ours["OCT"].text == f"{100 * spread.mean:.2f} ±{100 * spread.sd:.2f}"
    best = max(float(cell.text.split()[0]) for head, cell in ours.items() if "best" not in head)
    assert {float(cell.text.split()[0]) for cell in ours.values() if cell.is_best} == {best}


def test_the_last_column_is_our_method_against_the_best_of_the_papers_others():
    """As the paper has it: on wine 94.13 - 92.22; ours with the deviation of the difference."""
    table = results_table(SUMMARY)
    assert table.columns[-1] == "MOCTSVM − best of CART, OCT, OCT-H"
    assert body(table, "wine", "printed")[table.columns[-1]].text == "+1.91"
    ours, octh = (SUMMARY.values(Key("iris", m, "grid"), "accuracy") for m in ("moctsvm", "octh"))
    mean = 100 * sum(ours[i] - octh[i] for i in ours) / len(ours)
    text = body(table, "iris", "best by repetition")[table.columns[-1]].text
    assert float(text.split()[0].replace("−", "-")) == pytest.approx(mean, abs=0.006)


def test_our_method_is_compared_with_the_better_of_the_two_oct_h():
    """Where OCT-H with margin planes is in the study, it is a rival, too."""
    names, gain = ("iris", "wine"), {}
    for margin in (0.0, 1.0):
        rows = synthetic_rows.study(names, ("octh", "moctsvm"))
        placed = [
            row._replace(method="octh-margin", accuracy=margin)
            for row in rows
            if row.method == "octh"
        ]
        table = results_table(summarise([*rows, *placed]))
        assert table.columns[-1] == "MOCTSVM − best of OCT-H, OCT-H margin"
        gain[margin] = body(table, "iris", "nested")[table.columns[-1]].text
    assert gain[0.0].split()[0] != gain[1.0].split()[0]
    assert gain[1.0].startswith("−")


def test_a_skipped_data_set_keeps_its_line_and_has_its_reason_in_the_notes():
    """Its printed numbers stay, and the means say over how many sets they are."""
    table = results_table(SUMMARY)
    assert {cell.text for cell in body(table, "zoo", "nested").values()} == {"skipped", ""}
    assert body(table, "zoo", "printed")["CART"].text.startswith("74.96")
    assert body(table, "mean", "nested")["CART"].text.endswith("(2 sets)")
    assert "Skipped (24 rows): all methods on zoo: no file zoo.csv" in notes(SUMMARY)


def test_failed_rows_are_counted_and_named():
    """Also where enough other rows are done for a number."""
    assert "Failed (2 rows): OCT on wine: singular matrix" in notes(SUMMARY)


def test_unfinished_work_is_named():
    """What a running study has not come to yet is not silently left out."""
    rows = [r for r in ROWS if r.job[:2] != ("iris", 1) or r.method != "cart"]
    told = [note for note in notes(summarise(rows)) if note.startswith("Unfinished")]
    assert told == [
        "Unfinished, best by fold (1 of 2 repetitions): CART on iris",
        "Unfinished, best by repetition (1 of 2 repetitions): CART on iris",
        "Unfinished, nested (1 of 2 repetitions): CART on iris",
    ]


def test_the_specification_says_what_is_unfinished():
    """Cells, notes and numbers for programs say how much of what was planned there is."""
    rows = synthetic_rows.study(("iris", "wine"), ("cart",), repetitions=2, folds=2)
    planned = synthetic_rows.spec_text(("iris", "wine", "zoo"), repetitions=3)
    summary = summarise([row for row in rows if row.job[:3] != ("wine", 1, 1)], spec(planned))
    table = results_table(summary)
    assert body(table, "iris", "nested")["CART"].text.endswith(" (2 of 3)")
    assert body(table, "wine", "nested")["CART"].text.endswith(" (1 of 3)")
    assert "of" not in body(table, "wine", "printed")["CART"].text
    assert notes(summary)[2:] == [
        "Unfinished, best by fold (2 of 3 repetitions): CART on iris",
        "Unfinished, best by fold (1 of 3 repetitions): CART on wine",
        "Unfinished, best by repetition (2 of 3 repetitions): CART on iris",
        "Unfinished, best by repetition (1 of 3 repetitions): CART on wine",
        "Unfinished, nested (2 of 3 repetitions): CART on iris",
        "Unfinished, nested (1 of 3 repetitions): CART on wine",
        "No rows yet for the methods OCT.",
        "No rows yet for the data sets zoo.",
    ]
    lines = csv.DictReader(io.StringIO(csv_text(*numbers(summary))))
    assert {(line["status"], line["repetitions"], line["planned"]) for line in lines} == {
        ("unfinished", "2", "3"),
        ("unfinished", "1", "3"),
    }


def test_a_finished_study_has_no_such_notes():
    """Nor one whose methods were all skipped."""
    rows = synthetic_rows.study(("iris",), ("cart",)) + synthetic_rows.absent(
        "iris", "oct", "skipped", "why"
    )
    summary = summarise(rows, spec(synthetic_rows.spec_text(("iris",))))
    assert notes(summary)[2:] == ["Skipped (4 rows): OCT on iris: why"]


def test_without_its_sessions_nobody_knows_what_was_planned(tmp_path):
    """And the notes say so."""
    study = read_study(store(tmp_path, ROWS[:3]))
    (rows, sessions) = export_study(study, tmp_path / "rows.csv")
    assert read_study(rows).summary().spec == study.spec
    sessions.unlink()
    alone = read_study(rows).summary()
    assert alone.spec is None
    assert any("specification is not known" in note for note in notes(alone))


def test_differences_are_ours_minus_printed():
    """Cell by cell, with the mean and how often we are at or above."""
    table = differences_table(SUMMARY)
    column = table.columns.index("OCT-H, nested")
    gaps = [
        100 * SUMMARY.spread(Key(name, "octh", "nested")).mean - printed()[name, "octh"].mean
        for name in ("iris", "wine")
    ]
    shown = [float(line[column].text.replace("−", "-")) for line in table.rows[:2]]
    assert shown == pytest.approx(gaps, abs=0.006)
    assert table.rows[2][column].text == "–"
    assert table.foot[1][column].text == f"{sum(gap >= 0 for gap in gaps)} of 2"


def test_without_printed_numbers_there_are_no_differences():
    """For sets or methods that are not in the paper."""
    assert differences_table(summarise(synthetic_rows.study(("mine",)))) is None
    assert differences_table(summarise(synthetic_rows.study(("iris",), ("svm-ovo",)))) is None


@pytest.mark.parametrize("measure", MEASURES)
def test_every_measure_has_its_table(measure):
    """Per cent for shares, plain numbers for others; printed numbers are accuracies only."""
    table = results_table(SUMMARY, measure=measure)
    spread = SUMMARY.spread(Key("iris", "cart", "grid"), measure)
    factor = 100 if measure in SHARES else 1
    text = body(table, "iris", "best by repetition")["CART"].text
    assert float(text.split()[0]) == pytest.approx(factor * spread.mean, rel=5e-3)
    assert any(line[1].text == "printed" for line in table.rows) == (measure == "accuracy")


def test_speed_is_fits_by_seconds():
    """By data set, and in all; minutes add up, and choices have a table of their own."""
    table, minutes, choices = speed_tables(ROWS, ["cart", "octh"])
    effort = grid_efforts(ROWS)["iris", "octh"]
    assert float(table.rows[0][2].text) == pytest.approx(effort.count / effort.seconds, rel=5e-3)
    assert table.foot[0][0].text == "all"
    shown = [float(line[2].text) for line in (*minutes.rows, *minutes.foot)]
    assert sum(shown[:-1]) == pytest.approx(shown[-1], rel=1e-2)
    each = choice_efforts(ROWS)["wine", "cart"].each()
    assert float(choices.rows[1][1].text) == pytest.approx(each, rel=5e-3)
    grid = [row for row in ROWS if row.reading == "grid"]
    assert len(speed_tables(grid, ["cart"])) == 2


def test_numbers_for_programs_are_all_numbers():
    """One line per data set, method and reading, with what the paper prints."""
    lines = list(csv.DictReader(io.StringIO(csv_text(*numbers(SUMMARY)))))
    assert len(lines) == 3 * len(SUMMARY.methods) * 3
    for line in lines:
        key = Key(line["data_set"], line["method"], line["reading"])
        spread = SUMMARY.spread(key)
        assert line["status"] == ("done" if spread else "skipped")
        if spread:
            assert float(line["accuracy"]) == pytest.approx(100 * spread.mean)
            assert int(line["repetitions"]) == 2
        if line["difference"]:
            gap = float(line["accuracy"]) - float(line["printed"])
            assert float(line["difference"]) == pytest.approx(gap)


class Cells(HTMLParser):
    """The texts of the cells of a page, and every tag in it."""

    def __init__(self):
        super().__init__()
        self.cells, self.tags = [], []

    def handle_starttag(self, tag, _):
        self.tags.append(tag)
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_data(self, data):
        if self.cells and data.strip():
            self.cells[-1] += data


NASTY = ResultTable(
    "a <b> & $x_1$ | *",
    ("set", "n|m"),
    ((Cell("<script>alert(1)</script>"), Cell("50% {x} \\ ~ ^ # & _", is_best=True)),),
    ((Cell("mean"), Cell("−1 ±2 – [x](y) `z`")),),
)


def test_every_format_shows_every_cell():
    """What the layout says is what stands there, in whatever format."""
    table = results_table(SUMMARY)
    texts = [cell.text for line in (*table.rows, *table.foot) for cell in line]
    page = Cells()
    page.feed(web_page([table], notes(SUMMARY)))
    assert page.cells[len(table.columns) :][: len(texts) - 1] == texts[:-1]
    pipes = markdown([table], notes(SUMMARY)).splitlines()[4:]
    shown = [cell.strip(" *") for line in pipes for cell in line.split("|")[1:-1]]
    assert shown == texts
    out = Console(file=io.StringIO(), width=250)
    out.print(terminal([table], notes(SUMMARY)))
    printed_text = out.file.getvalue()
    assert all(text in printed_text for text in texts)
    typeset = latex([table], notes(SUMMARY))
    assert typeset.count(r"\\") == 1 + len(table.rows) + len(table.foot)
    assert r"\textbf{95.72 $\pm$1.79}" in typeset


def test_text_is_never_markup():
    """Names and messages come from files and other people's packages."""
    page = Cells()
    page.feed(web_page([NASTY], ["<img src=x>"]))
    assert not {"script", "b", "img"} & {*page.tags}
    assert "<script>alert(1)</script>" in page.cells
    line = markdown([NASTY], []).splitlines()[4]
    assert len(re.findall(r"(?<!\\)\|", line)) == 3
    assert r"\<script\>" in line
    typeset = latex([NASTY], [])
    assert r"50\% \{x\} \textbackslash{} \textasciitilde{} \textasciicircum{} \# \& \_" in typeset
    out = Console(file=io.StringIO(), width=250, highlight=False)
    out.print(terminal([NASTY], ["[bold]no[/bold]"]))
    assert "[x](y) `z`" in out.file.getvalue()
    assert "[bold]no[/bold]" in out.file.getvalue()


def store(folder, rows):
    """Return the file of a store with these rows."""
    made = Store(folder / "study.sqlite")
    session = made.begin("tiny", synthetic_rows.spec_text())
    by_job: dict[Job, list[Row]] = {}
    for row in rows:
        by_job.setdefault(row.job, []).append(row)
    for job, found in by_job.items():
        made.write(session, job, found)
    return made.path


@pytest.mark.parametrize("ending", [".csv.bz2", ".csv.gz", ".csv"])
def test_an_export_gives_the_tables_of_the_store(ending, tmp_path):
    """All of them, to the last digit, and the sessions."""
    by_key = {(*row.job, row.reading, row.parameters): row for row in ROWS}
    original = read_study(store(tmp_path, by_key.values()))
    rows, sessions = export_study(original, tmp_path / f"rows{ending}")
    again = read_study(rows)
    assert again == original
    assert numbers(again.summary()) == numbers(original.summary())
    (session,) = json.loads(sessions.read_text(encoding="utf-8"))
    assert json.loads(session["spec"])["name"] == "tiny"


def test_an_export_of_before_there_were_coefficients_is_read(tmp_path):
    """Columns that have come since are empty; without the others it is not a study."""
    path, _ = export_study(Study(ROWS[:3], []), tmp_path / "rows.csv")
    table = [*csv.reader(path.read_text(encoding="utf-8").splitlines())]

    def without(*names):
        kept = [j for j, name in enumerate(table[0]) if name not in names]
        path.write_text("\n".join(",".join(line[j] for j in kept) for line in table))
        return path

    old = read_study(without("coefficients", "calibration_error")).rows
    assert {(row.coefficients, row.calibration_error) for row in old} == {(None, None)}
    assert [row.accuracy for row in old] == [row.accuracy for row in ROWS[:3]]
    with pytest.raises(InvalidInputError, match="its first line must be data_set"):
        read_study(without("method"))


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r"), max_size=8)
rows = st.builds(
    Row,
    data_set=texts,
    repetition=st.integers(0, 9),
    fold=st.integers(0, 9),
    method=texts,
    reading=texts,
    parameters=texts,
    seed=st.integers(0, 9),
    limits=texts,
    status=st.sampled_from(["done", "failed", "skipped"]),
    message=st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    reason=st.none() | st.just("limit"),
    objective=st.none() | st.floats(allow_nan=False),
    accuracy=st.none() | st.floats(0, 1),
    splits=st.none() | st.integers(0, 7),
    coefficients=st.none() | st.integers(0, 99),
    calibration_error=st.none() | st.floats(0, 1),
    bound=st.none(),
    balanced_accuracy=st.none(),
    build_seconds=st.none(),
    fit_seconds=st.none() | st.floats(0, 1e4),
    predict_seconds=st.none(),
)


@settings(max_examples=30)
@given(rows)
def test_rows_survive_an_export(tmp_path_factory, row):
    """Names with commas and quotes, missing numbers and infinite bounds; accuracies exactly."""
    folder = tmp_path_factory.mktemp("export")
    session = Session(1, "now", "{}", "abc", "here", "{}")
    (path, _) = export_study(Study([row], [session]), folder / "rows.csv.bz2")
    (again,), sessions = read_study(path)
    assert sessions == [session]
    assert (again.job, again.accuracy) == (row.job, row.accuracy)
    assert again.message.split() == row.message.split()
    assert (again.splits, again.reason) == (row.splits, row.reason)
    for ours, theirs in ((again.objective, row.objective), (again.fit_seconds, row.fit_seconds)):
        assert ours == theirs or ours == pytest.approx(theirs, rel=5e-3)
    (path, _) = export_study(Study([again], []), folder / "again.csv.bz2")
    assert read_study(path).rows == [again]


def test_what_is_no_study_is_refused(tmp_path):
    """Missing files, other files and damaged ones, each by name."""
    (tmp_path / "notes.txt").write_text("hello")
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    (tmp_path / "cut.csv.bz2").write_bytes(b"BZh91AY&SY")
    (tmp_path / "cut.csv.gz").write_bytes(b"nothing")
    (rows, _) = export_study(Study(ROWS[:1], []), tmp_path / "rows.csv")
    rows.write_text(rows.read_text().replace(",done,", ",done"))
    for name in ("none.sqlite", "notes.txt", "other.csv", "cut.csv.bz2", "cut.csv.gz", "rows.csv"):
        with pytest.raises(InvalidInputError, match=name):
            read_study(tmp_path / name)
    with pytest.raises(InvalidInputError, match=r"\.csv\.bz2"):
        export_study(Study([], []), tmp_path / "rows.json")


def test_reading_a_store_changes_nothing(tmp_path):
    """A table may be asked for while the study runs."""
    path = store(tmp_path, ROWS[:3])
    with sqlite3.connect(path) as connection:
        before = connection.execute("SELECT * FROM runs").fetchall()
        read_study(path)
        assert connection.execute("SELECT * FROM runs").fetchall() == before
    connection.close()
