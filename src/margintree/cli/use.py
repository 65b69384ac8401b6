"""``margintree predict``, ``evaluate``, ``report`` and ``show``: the use of a fitted model."""

from pathlib import Path
from typing import Annotated

import typer

from margintree.cli._common import (
    OutputOption,
    TableFile,
    check_output,
    read,
    reported,
    say,
    write_or_print,
)
from margintree.cli._options import whole

ModelFile = Annotated[Path, typer.Argument(help="Model file written by 'margintree fit'.")]
Target = Annotated[
    str | None,
    typer.Option(
        "--target",
        "-t",
        help="Column that holds the labels.",
        show_default="the only column that is not a feature",
    ),
]


@reported
def predict(
    model: ModelFile,
    table: TableFile,
    output: OutputOption = None,
    proba: Annotated[
        bool, typer.Option("--proba", help="Also write the share of every class.")
    ] = False,
) -> None:
    """Predict the label of every row of a table, and write the labels as CSV.

    The command finds columns by name, in any order, and ignores further columns. It accepts missing
    cells and categories that the training table did not have. The share of a class is its share of
    the training rows in the leaf that the row reaches.

    [bold]Examples[/bold]

    margintree predict iris.json new.csv

    margintree predict iris.json new.csv --proba -o predictions.csv
    """
    from margintree.cli._model import Model
    from margintree.data.tables import csv_text

    check_output(output, model, table)
    fitted = Model.read(model)
    rows = fitted.rows(read(table))
    columns = {"prediction": fitted.estimator.predict(rows)}
    if proba:
        shares = fitted.estimator.predict_proba(rows).round(6).T
        names = [f"share of {label}" for label in fitted.estimator.classes_]
        columns |= dict(zip(names, shares, strict=True))
    write_or_print(csv_text(list(columns), zip(*columns.values(), strict=True)), output)


@reported
def evaluate(model: ModelFile, table: TableFile, target: Target = None) -> None:
    """Compare predictions with the labels of a table.

    Print the accuracy and, for every class, its predicted labels, recall and precision.

    [bold]Example[/bold]

    margintree evaluate iris.json test.csv --target species
    """
    from margintree.cli._model import Model
    from margintree.cli._view import console, print_scores
    from margintree.show.report import remark_on

    fitted, rows = Model.read(model), read(table)
    labels = fitted.labels(rows, target)
    predictions = fitted.estimator.predict(fitted.rows(rows))
    print_scores(console(), labels, predictions)
    if remark := remark_on(fitted.estimator, fitted.values(rows), labels.tolist()):
        say(f"Note: {remark}")


@reported
def report(
    model: ModelFile,
    table: TableFile,
    output: Annotated[Path, typer.Option("--output", "-o", help="HTML file to write.")],
    target: Target = None,
) -> None:
    """Write an interactive report on a model and its predictions for a table.

    The report is one HTML file that any browser opens without a network. You can click on the tree,
    follow any row, try other values, see which change of a feature would change a prediction, and
    read how often the model is right. Rows that were not used for training show its accuracy on
    new data.

    [bold]Examples[/bold]

    margintree report iris.json test.csv -o report.html

    margintree report iris.json test.csv --target species -o report.html
    """
    from margintree.cli._model import Model
    from margintree.show.report import report_on

    check_output(output, model, table)
    fitted, rows = Model.read(model), read(table)
    labels = fitted.labels(rows, target)
    page = report_on(
        fitted.estimator,
        fitted.values(rows),
        labels.tolist(),
        feature_names=fitted.feature_names(rows),
        title=f"{model.name} on {table.name}",
    )
    page.save(output)
    typer.echo(f"Saved to {output}. Open it in a browser.")


@reported
def show(
    model: ModelFile,
    terms: Annotated[
        int | None, whole("Largest number of terms to print of a split.", "all")
    ] = None,
) -> None:
    """Print the tree of a model as rules, with its cost and the bound that is proved.

    [bold]Examples[/bold]

    margintree show iris.json

    margintree show genes.json --terms 5
    """
    from margintree.cli._view import console, print_columns, print_outcome, print_tree
    from margintree.estimators.modelfile import load

    estimator = load(model)
    out = console()
    print_tree(out, estimator, max_terms=terms)
    out.print()
    print_outcome(out, estimator)
    print_columns(out, estimator)
