"""``margintree study table``, ``figures``, ``compare`` and ``export``: results of a study."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from margintree._lib.exceptions import InvalidInputError
from margintree.cli._common import OutputOption, check_output, reported, write_or_print
from margintree.cli._options import choice

if TYPE_CHECKING:
    from margintree.study.exported import Study
    from margintree.study.result_tables import ResultTable
    from margintree.study.summary import Summary

_WIDE = 250
"""Width, in characters, of a table in a file or a pipe."""


class Reading(StrEnum):
    """The readings: ways to choose the parameters."""

    ALL = "all"
    FOLD = "fold"
    GRID = "grid"
    NESTED = "nested"


class TableFormat(StrEnum):
    """Formats of tables."""

    TERMINAL = "terminal"
    MARKDOWN = "markdown"
    LATEX = "latex"
    HTML = "html"
    CSV = "csv"


class Measure(StrEnum):
    """Measures in tables."""

    ACCURACY = "accuracy"
    BALANCED_ACCURACY = "balanced_accuracy"
    CALIBRATION_ERROR = "calibration_error"
    SPLITS = "splits"
    COEFFICIENTS = "coefficients"
    SECONDS = "seconds"
    SPEED = "speed"


class Picture(StrEnum):
    """Formats of pictures."""

    PNG = "png"
    SVG = "svg"
    PDF = "pdf"


StoreFile = Annotated[
    Path | None,
    typer.Argument(
        help="The store of a study, the name of its specification, or exported rows.",
        show_default="the store in this folder that was changed last",
    ),
]
ReadingOption = Annotated[
    Reading,
    choice(
        Reading,
        "Parameters: best on the test rows of each fold ('fold') or of each repetition "
        "('grid'), chosen inside the training fold ('nested'), or 'all' three.",
        "--reading",
        "-r",
    ),
]
FormatOption = Annotated[
    TableFormat,
    choice(TableFormat, f"Format of the output: {', '.join(TableFormat)}.", "--format", "-f"),
]


@reported
def table(
    store: StoreFile = None,
    form: FormatOption = TableFormat.TERMINAL,
    reading: ReadingOption = Reading.ALL,
    measure: Annotated[
        Measure,
        choice(
            Measure,
            f"Measure: {', '.join(Measure)}; CSV shows all except speed.",
            "--measure",
            "-m",
        ),
    ] = Measure.ACCURACY,
    output: OutputOption = None,
) -> None:
    """Show a measure of every method on every data set, with the accuracies that the paper prints.

    Numbers are mean ± standard deviation over the repetitions. Notes below the table name failed,
    skipped and open runs.

    [bold]Examples[/bold]

    margintree study table

    margintree study table quick --reading nested --measure splits

    margintree study table rows.csv.bz2 --format latex -o table.tex
    """
    from margintree.data.tables import csv_text
    from margintree.study.result_tables import numbers
    from margintree.study.summary import notes

    path = _found(store)
    check_output(output, path)
    study = _read(path)
    summary = study.summary()
    readings = _readings(reading, summary)
    if form is TableFormat.CSV and measure is not Measure.SPEED:
        write_or_print(csv_text(*numbers(summary, readings)), output)
        return
    _write(_tables(study, summary, readings, measure), notes(summary, readings), form, output)


@reported
def figures(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the pictures.")],
    store: StoreFile = None,
    reading: ReadingOption = Reading.ALL,
    form: Annotated[
        Picture,
        choice(Picture, f"Kind of file: {', '.join(Picture)}.", "--format", "-f"),
    ] = Picture.PNG,
) -> None:
    """Draw accuracies, average ranks, and accuracy against splits, coefficients and time.

    The command needs the extra [bold]plot[/bold].

    [bold]Example[/bold]

    margintree study figures --output pictures --reading nested
    """
    from margintree._lib.files import write_whole
    from margintree.study.figures import FIGURES, picture

    summary = _read(_found(store)).summary()
    output.mkdir(parents=True, exist_ok=True)
    for one in _readings(reading, summary):
        for name, draw in FIGURES.items():
            path = output / f"{name}-{one}.{form}"
            try:
                write_whole(path, picture(draw, summary, one, form))
            except InvalidInputError as error:
                typer.echo(f"not drawn: {path.name}: {error}", err=True)
            else:
                typer.echo(str(path))


@reported
def compare(
    store: StoreFile = None,
    reading: ReadingOption = Reading.ALL,
    method: Annotated[
        str, typer.Option("--method", help="The method to compare with the others.")
    ] = "moctsvm",
    form: FormatOption = TableFormat.TERMINAL,
    output: OutputOption = None,
) -> None:
    """Test whether methods differ over the data sets by more than chance.

    Friedman's test compares all methods together, and Wilcoxon's test with Holm's correction all
    pairs. It and a Bayesian signed-rank test (extra [bold]bayes[/bold]) also compare one method
    with each other method.

    [bold]Example[/bold]

    margintree study compare --reading nested
    """
    from margintree.study.compare import comparison

    path = _found(store)
    check_output(output, path)
    summary = _read(path).summary()
    tables: list[ResultTable] = []
    sentences: list[str] = []
    for one in _readings(reading, summary):
        found, told = comparison(summary, one, method)
        tables += found
        sentences += told
    _write(tables, sentences, form, output)


@reported
def export(
    output: Annotated[
        Path, typer.Argument(help="File to write; its name ends with .csv.bz2, .csv.gz or .csv.")
    ],
    store: StoreFile = None,
) -> None:
    """Write all rows as compressed CSV, and beside it a JSON file with the sessions.

    A session says when, where and with which versions rows were made.

    [bold]Examples[/bold]

    margintree study export rows.csv.bz2

    margintree study export rows.csv.gz study-quick.sqlite
    """
    from margintree.study.exported import export_study

    path = _found(store)
    check_output(output, path)
    study = _read(path)
    for written in export_study(study, output):
        typer.echo(f"{written}  ({written.stat().st_size / 1e6:.2f} MB)")


@reported
def import_rows(
    rows: Annotated[Path, typer.Argument(help="Rows that 'margintree study export' wrote.")],
    store: Annotated[Path, typer.Argument(help="New store to write, an SQLite file.")],
) -> None:
    """Make a store of exported rows, so that a study can go on elsewhere.

    [bold]Examples[/bold]

    margintree study import rows.csv.bz2 study-paper.sqlite
    """
    from margintree.study.exported import read_export
    from margintree.study.store import Store

    study = read_export(rows)
    if not study.sessions:
        raise InvalidInputError(
            f"The rows {str(rows)!r} must have the JSON file of their sessions beside them; there "
            "is none. Copy it to the same folder."
        )
    Store(store).take(study.sessions, study.rows)
    typer.echo(f"{store}: {len(study.rows)} rows")


def store_path(spec: str) -> Path:
    """Return the default store of a specification."""
    return Path(f"study-{Path(spec).stem}.sqlite")


def _found(store: Path | None) -> Path:
    """Return the store by its path or specification, or the latest one in this folder."""
    if store is not None:
        by_spec = store_path(str(store))
        is_spec = store.suffix == ".toml" or not store.exists()
        return by_spec if is_spec and by_spec.exists() else store
    stores = sorted(Path().glob("study-*.sqlite"), key=lambda path: path.stat().st_mtime)
    if not stores:
        raise InvalidInputError(
            "A store of a study is needed; this folder has none (study-*.sqlite). "
            "Run 'margintree study run quick' first, or name the file."
        )
    return stores[-1]


def _read(path: Path) -> "Study":
    """Return a study with at least one row."""
    from margintree.study.exported import read_study

    study = read_study(path)
    if not study.rows:
        raise InvalidInputError(
            f"A study with at least one row is needed; {str(path)!r} has none yet. "
            "Run 'margintree study run' first."
        )
    return study


def _readings(reading: Reading, summary: "Summary") -> Sequence[str]:
    return summary.readings if reading is Reading.ALL else [reading.value]


def _tables(
    study: "Study", summary: "Summary", readings: Sequence[str], measure: Measure
) -> list["ResultTable"]:
    from margintree.study.result_tables import differences_table, results_table, speed_tables

    if measure is Measure.SPEED:
        return speed_tables(study.rows, summary.methods)
    tables = [results_table(summary, readings, measure)]
    differences = differences_table(summary, readings) if measure is Measure.ACCURACY else None
    return tables if differences is None else [*tables, differences]


def _write(
    tables: Sequence["ResultTable"], notes: Sequence[str], form: TableFormat, output: Path | None
) -> None:
    from margintree.study.formats import WRITERS

    if form is TableFormat.TERMINAL:
        _print(tables, notes, output)
    else:
        write_or_print(WRITERS[form](tables, notes), output)


def _print(tables: Sequence["ResultTable"], notes: Sequence[str], output: Path | None) -> None:
    """Print tables as wide as the terminal; in a file or a pipe they have their full width."""
    from io import StringIO

    from rich.console import Console

    from margintree.study.formats import terminal

    file = None if output is None else StringIO()
    out = Console(file=file, markup=False, highlight=False)
    if not out.is_terminal:
        out = Console(file=file, markup=False, highlight=False, width=_WIDE)
    out.print(terminal(tables, notes))
    if file is not None:
        write_or_print(file.getvalue(), output)
