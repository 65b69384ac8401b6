"""``margintree export``."""

from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from margintree._lib.exceptions import InvalidInputError
from margintree.cli._common import OutputOption, check_output, reported, say, write_or_print
from margintree.cli._options import choice
from margintree.cli.use import ModelFile

if TYPE_CHECKING:
    from margintree.estimators import TableClassifier, TreeClassifier


class Format(StrEnum):
    """Formats of an exported tree."""

    TEXT = "text"
    DOT = "dot"
    JSON = "json"
    PYTHON = "python"
    SQL = "sql"
    ONNX = "onnx"


@reported
def export(
    model: ModelFile,
    form: Annotated[
        Format,
        choice(Format, "One of the formats above.", "--format", "-f"),
    ],
    output: OutputOption = None,
    dialect: Annotated[
        str | None,
        typer.Option(
            help="Database of the SQL: bigquery, duckdb, mysql, postgres, snowflake, sqlite, or "
            "tsql for SQL Server.",
            show_default="standard SQL",
        ),
    ] = None,
) -> None:
    """Write the tree of a model for people, programs and databases.

    [bold]Formats[/bold]

    text: rules that people can follow

    dot: a graph that Graphviz draws

    json: a model file

    python: a module with predict(row) and predict_proba(row) that imports nothing

    sql: columns for a SELECT, with the label and the share of every class

    onnx: a model for onnxruntime and other runtimes

    Python, SQL and ONNX give the same labels as 'margintree predict'. Python and SQL take the rows
    of the table with text and missing cells, but not percentages, amounts of money, dates and
    decimal commas: give them the numbers that 'margintree fit' read. ONNX takes only numbers: the
    features that 'margintree show' prints.

    [bold]Examples[/bold]

    margintree export iris.json --format python -o iris_tree.py

    margintree export iris.json --format onnx -o iris.onnx

    margintree export iris.json --format dot | dot -Tsvg -o iris.svg

    margintree export iris.json --format sql --dialect bigquery

    sqlite3 flowers.db "SELECT *, $(margintree export iris.json --format sql) FROM flowers"
    """
    from margintree.estimators.modelfile import load

    check_output(output, model)
    if output is None and form is Format.ONNX:
        raise InvalidInputError(
            "An ONNX model must go to a file, since it is not text; no file was given. Name one "
            "with --output."
        )
    if dialect is not None and form is not Format.SQL:
        raise InvalidInputError(
            f"--dialect goes with SQL only; {dialect!r} was given with --format {form}. Leave it "
            "out, or use --format sql."
        )
    estimator = load(model)
    if form is Format.ONNX:
        _describe_onnx_input(estimator)
    if form in (Format.PYTHON, Format.SQL):
        _describe_dates(estimator)
    write_or_print(_content(estimator, form, dialect), output)


def _describe_onnx_input(estimator: "TreeClassifier | TableClassifier") -> None:
    """Print the input of an ONNX model to stderr, if it differs from the columns of the table."""
    from margintree.show.export.named_tree import with_columns

    known = with_columns(estimator)
    if known.conditions:
        typer.echo(
            "Note: An ONNX model holds only the tree. It takes these numbers, where a condition is "
            f"1 if it holds and otherwise 0: {', '.join(known.features)}.",
            err=True,
        )


def _describe_dates(estimator: "TreeClassifier | TableClassifier") -> None:
    """Print to stderr how the columns that programs take follow from dates, if any do."""
    from margintree.data.preprocessing.cells import PART_OF_DATE
    from margintree.estimators import TableClassifier

    if not isinstance(estimator, TableClassifier):
        return
    names = [c.name for c in estimator.encoding_.columns if PART_OF_DATE.fullmatch(c.name)]
    if names:
        say(
            "Note: The code takes parts of dates, which the command makes when it reads a table: "
            f"{', '.join(map(repr, names)):.300}. For 2024-05-31 they are the year 2024, the month "
            "5, the weekday 5 (Monday is 1) and the 8917 days since 2000-01-01."
        )


def _content(
    estimator: "TreeClassifier | TableClassifier", form: Format, dialect: str | None
) -> str | bytes:
    """Return the tree in this format."""
    from margintree.estimators.modelfile import to_json
    from margintree.show.export import export_dot, export_text, to_onnx, to_python
    from margintree.show.export.predictor import predictor
    from margintree.show.export.sql import sql_columns

    if form is Format.ONNX:
        binary: bytes = to_onnx(estimator).SerializeToString()
        return binary
    writers: dict[Format, Callable[[Any], str]] = {
        Format.TEXT: export_text,
        Format.DOT: export_dot,
        Format.JSON: to_json,
        Format.PYTHON: to_python,
        Format.SQL: lambda model: sql_columns(predictor(model), dialect),
    }
    return writers[form](estimator).removesuffix("\n") + "\n"
