"""``margintree verify``."""

from pathlib import Path
from typing import Annotated

import typer

from margintree._lib.exceptions import InvalidInputError
from margintree.cli._common import TableFile, read, reported
from margintree.cli.use import ModelFile, Target


@reported
def verify(
    model: ModelFile,
    certificate: Annotated[
        Path, typer.Argument(help="File written by 'margintree fit --certificate'.")
    ],
    table: TableFile,
    target: Target = None,
) -> None:
    """Check that a certificate proves the bound of a model, without the engine that found it.

    The table is the one that the model was fitted to. The command computes the cost of the tree
    from the rows, and checks every step of the certificate with plain arithmetic: that no tree is
    left out, and that every tree costs at least the bound. The exit code is 0 if the bound is
    proved and 1 if it is not.

    [bold]Examples[/bold]

    margintree fit iris.csv -t species --fixed --method exact --certificate iris.npz -o iris.json

    margintree verify iris.json iris.npz iris.csv
    """
    from sklearn.pipeline import Pipeline

    from margintree._lib.fingerprint import fingerprint
    from margintree.cli._model import Model
    from margintree.core.result import relative_gap
    from margintree.estimators._plain import MethodClassifier
    from margintree.exact.certificate import Certificate
    from margintree.exact.verify import Refused
    from margintree.exact.verify import verify as check

    found, rows = Model.read(model), read(table)
    is_pipeline = isinstance(found.estimator, Pipeline)
    classifier = found.estimator[-1] if is_pipeline else found.estimator
    if not isinstance(classifier, MethodClassifier):
        raise InvalidInputError(
            f"{str(model)!r} must hold a classifier of one method; {type(classifier).__name__} was "
            "given. Fit it with --fixed."
        )
    problem = classifier.problem_of(found.values(rows), found.labels(rows, target))
    proof = Certificate.read(certificate)
    if proof.problem != fingerprint(classifier._method.name, problem):
        raise InvalidInputError(
            f"The certificate {str(certificate)!r} belongs to another problem than the model "
            f"{str(model)!r} with the table {str(table)!r}. Give the table of the fit, unchanged."
        )
    cost = classifier._method.judge(problem, classifier.tree_.rescaled(problem.scaling))
    if not cost.is_allowed:
        raise InvalidInputError(f"The tree breaks rules: {cost.faults}.")
    try:
        check(proof, problem)
    except Refused as error:
        typer.echo(f"Refused: {error}.", err=True)
        raise typer.Exit(1) from error
    gap = relative_gap(cost.total, proof.bound)
    typer.echo(
        f"Verified: no tree costs less than {proof.bound:.8g}. The tree of the model costs "
        f"{cost.total:.8g}, at most {gap:.2g} of its cost more than the best tree. "
        f"{proof.n_closed:,} closed nodes were checked."
    )
