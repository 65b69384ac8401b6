"""``margintree export``."""

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from margintree._lib.exceptions import InvalidInputError
from margintree.cli._common import check_output, reported
from margintree.cli.use import ModelFile

if TYPE_CHECKING:
    from margintree.estimators import TableClassifier, TreeClassifier


class Format(StrEnum):
    """What a tree can be written as."""

    TEXT = "text"
    DOT = "dot"
    JSON = "json"
    PYTHON = "python"
    SQL = "sql"
    ONNX = "onnx"


@reported
def export(
    model: ModelFile,
    form: Annotated[Format, typer.Option("--format", "-f", help="What to write.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="File to write.", show_default="stdout"),
    ] = None,
) -> None:
    """Write the tree of a model for people, programs and databases.

    [bold]Formats[/bold]

    text: rules to follow by hand

    dot: a graph that Graphviz draws

    json: a model file

    python: a module without imports that has predict(row) and predict_proba(row)

    sql: columns of a SELECT, with the label and the share of every class

    onnx: a model for onnxruntime and other runtimes

    Python, SQL and ONNX give the labels of 'margintree predict'. Python and SQL take the rows of
    the table as they are; ONNX takes numbers only, the features that 'margintree show' speaks of.

    [bold]Examples[/bold]

    margintree export iris.json --format python -o iris_tree.py

    margintree export iris.json --format onnx -o iris.onnx

    margintree export iris.json --format dot | dot -Tsvg -o iris.svg

    sqlite3 flowers.db "SELECT *, $(margintree export iris.json --format sql) FROM flowers"
    """
    from margintree._lib.files import write_whole
    from margintree.estimators.modelfile import load

    if output is not None:
        check_output(output, model)
    elif form is Format.ONNX:
        raise InvalidInputError(
            "An ONNX model is not text and cannot be printed. Name a file to write with --output."
        )
    estimator = load(model)
    if form is Format.ONNX:
        _tell_what_onnx_takes(estimator)
    content = _content(estimator, form)
    if output is not None:
        write_whole(output, content)
    else:
        typer.echo(content, nl=False)


def _tell_what_onnx_takes(estimator: "TreeClassifier | TableClassifier") -> None:
    """Say on stderr which numbers an ONNX model takes where they are not those of the table."""
    from margintree.show.export.named_tree import named

    known = named(estimator)
    if known.conditions:
        typer.echo(
            "Note: ONNX holds the tree alone and takes these numbers, with 1 where words hold and "
            f"0 elsewhere: {', '.join(known.features)}.",
            err=True,
        )


def _content(estimator: "TreeClassifier | TableClassifier", form: Format) -> str | bytes:
    """Return what a file of this format holds."""
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
        Format.SQL: lambda model: sql_columns(predictor(model)),
    }
    return writers[form](estimator).removesuffix("\n") + "\n"
