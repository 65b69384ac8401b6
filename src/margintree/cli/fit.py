"""``margintree fit``."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from margintree._lib.arrays import AnyArray
from margintree._lib.exceptions import InvalidInputError
from margintree.cli._common import TableFile, check_output, read, reported, undisturbed
from margintree.core.limits import Clock

if TYPE_CHECKING:
    from margintree.data.tables import Table
    from margintree.estimators import MOCTSVMClassifier, MOCTSVMClassifierCV, TableClassifier


CHOSEN = "chosen"
"""Shown as the default of options that cross-validation chooses."""


def _option(help_text: str, default: str, *names: str) -> Any:
    """Return an option whose value comes from the classifier unless it is given."""
    return typer.Option(*names, help=help_text, show_default=default)


@reported
def fit(
    table: TableFile,
    target: Annotated[str, typer.Option("--target", "-t", help="Column that holds the labels.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Model file to write.")],
    max_depth: Annotated[int | None, _option("Levels of splits, 1 to 10.", CHOSEN)] = None,
    c1: Annotated[float | None, _option("Cost of a misclassified row.", CHOSEN, "--c1")] = None,
    c2: Annotated[float | None, _option("Cost of margin violation.", CHOSEN, "--c2")] = None,
    c3: Annotated[float | None, _option("Cost of a split.", CHOSEN, "--c3")] = None,
    features: Annotated[
        int | None, _option("Largest number of features in a split.", "all", "--features")
    ] = None,
    points: Annotated[
        int | None,
        _option(
            "Round every split to at most this many whole points per unit of a feature, such as "
            "10, for a score card.",
            "not rounded",
        ),
    ] = None,
    fixed: Annotated[
        bool,
        typer.Option("--fixed", help="Do not choose: depth 3 and costs 10, 1, 10 unless given."),
    ] = False,
    method: Annotated[
        str | None, _option("'search' is fast; 'exact' proves a tree optimal.", "search")
    ] = None,
    solver: Annotated[
        str | None, _option("Solver for 'exact'; see 'margintree solvers'.", "auto")
    ] = None,
    time_limit: Annotated[
        float | None, _option("Seconds for choice and fit together.", "120.0; 60.0 if fixed")
    ] = None,
    memory_limit: Annotated[
        float | None,
        _option("GiB of memory. The fit ends early when it reaches the limit.", "none"),
    ] = None,
    gap: Annotated[float | None, _option("Relative gap that counts as proof.", "0.0001")] = None,
    routing_margin: Annotated[
        float | None, _option("Least distance from 0 of training rows in a split.", "0.001")
    ] = None,
    margin_norm: Annotated[
        str | None, _option("'squared' or 'plain' norm in the margin term.", "squared")
    ] = None,
    checkpoint: Annotated[
        Path | None,
        _option(
            "With 'exact': file for the best tree and bound so far. If the command stops for any "
            "reason, the same command continues from it. Delete the file when you are done.",
            "none",
        ),
    ] = None,
    certificate: Annotated[
        Path | None,
        _option(
            "With 'exact': file for a certificate of the bound, which 'margintree verify' checks.",
            "none",
        ),
    ] = None,
    class_weight: Annotated[
        str | None,
        _option(
            "'balanced' makes all classes weigh the same; or factors, such as 'ill=5,well=1'.",
            "none",
            "--class-weight",
        ),
    ] = None,
    scoring: Annotated[
        str | None,
        _option(
            "Score that the choice compares: accuracy, balanced_accuracy, f1_macro, neg_log_loss "
            "or any other scorer of scikit-learn.",
            "accuracy",
            "--scoring",
        ),
    ] = None,
    seed: Annotated[int | None, _option("Seed of the search.", "0")] = None,
    jobs: Annotated[int | None, _option("Cores to use; -1 for all.", "1", "--jobs", "-j")] = None,
) -> None:
    """Fit a tree to a table and save it as a model file.

    Every column except the target is used as it is: numbers, text, categories, booleans, missing
    cells. The command names and leaves out columns that are constant or look like an identifier.
    Cross-validation chooses the depth and the costs that you do not give. It learns from at most
    1,000 rows at a time and takes at most three quarters of the time limit. Ctrl-C or SIGTERM stops
    the fit and saves the best tree so far.

    [bold]Examples[/bold]

    margintree fit iris.csv --target species -o iris.json

    margintree fit iris.csv -t species --fixed --max-depth 3 --c1 10 -o iris.json

    margintree fit rare.csv -t ill --class-weight balanced --scoring balanced_accuracy -o rare.json

    margintree fit iris.csv -t species --features 2 --points 10 -o iris.json

    margintree fit small.csv -t class --method exact --time-limit 600 -o small.json

    margintree fit small.csv -t class --fixed --method exact --checkpoint small.ckpt -o small.json
    """
    check_output(output, table)
    if checkpoint is not None:
        check_output(checkpoint, table, output, option="--checkpoint")
    if certificate is not None:
        check_output(certificate, table, output, option="--certificate")
    params = {
        "max_depth": max_depth,
        "c1": c1,
        "c2": c2,
        "c3": c3,
        "max_features_per_split": features,
        "points": points,
        "method": method,
        "solver": solver,
        "time_limit": time_limit,
        "memory_limit": memory_limit,
        "gap": gap,
        "routing_margin": routing_margin,
        "margin_norm": margin_norm,
        "checkpoint": checkpoint,
        "certificate": certificate,
        "class_weight": class_weight,
        "scoring": scoring,
        "random_state": seed,
        "n_jobs": jobs,
    }
    given = {name: value for name, value in params.items() if value is not None}
    clock = Clock()
    _save(fitted(read(table), target, given, fixed=fixed), output, clock)


def fitted(
    table: "Table", target: str, params: dict[str, Any], *, fixed: bool
) -> "TableClassifier":
    """Return the classifier fitted to all columns except the target.

    Unless ``fixed``, cross-validation chooses the depth and costs that are not in ``params``.
    """
    from sklearn.utils._param_validation import InvalidParameterError

    from margintree.cli._progress import progress_line
    from margintree.estimators import MOCTSVMClassifier, make_table_classifier
    from margintree.methods import METHODS

    labels = table.labels(target)
    _check_classes(labels, target)
    if table.columns == (target,):
        raise InvalidInputError(
            f"{table.name} must have a feature column beside the target {target!r}; it has none. "
            "Add a column, or choose another --target."
        )
    given = {name: value for name, value in params.items() if name != "scoring"}
    if "class_weight" in given:
        given["class_weight"] = _class_weight(given["class_weight"], labels)
    is_choice = not fixed and not {*METHODS["moctsvm"].candidates} <= {*given}
    _check_choice(params, is_choice)
    try:
        with progress_line() as progress:
            plain = MOCTSVMClassifier(**given, verbose=progress)
            classifier = _chooser(plain, params, progress.tell) if is_choice else plain
            estimator = make_table_classifier(classifier)
            estimator.fit(table.without(target), labels)
    except InvalidParameterError as error:
        raise InvalidInputError(str(error)) from error
    plain.set_params(verbose=0)
    return estimator


MOST_NUMBERS = 20
"""Largest number of different numbers that are always taken for labels."""


def _check_classes(labels: AnyArray, target: str) -> None:
    """Raise InvalidInputError if the target looks like a quantity and not like classes."""
    from margintree.data.preprocessing.cells import is_number

    different = np.unique(labels)
    if len(different) <= max(MOST_NUMBERS, len(labels) / 5):
        return
    if all(is_number(str(label)) for label in different):
        raise InvalidInputError(
            f"--target must name a column of labels; {target!r} has {len(different)} different "
            f"numbers in {len(labels)} rows, which looks like a quantity. margintree learns "
            "classes and does no regression: group the numbers into a few ranges, such as low and "
            "high, or choose another column."
        )


def _check_choice(params: dict[str, Any], is_choice: bool) -> None:
    """Raise InvalidInputError if an option does not fit with or without a choice."""
    for name in ("checkpoint", "certificate"):
        if is_choice and name in params:
            raise InvalidInputError(
                f"--{name} needs one problem that is the same in every run; chosen depth and costs "
                "may differ. Give --max-depth, --c1, --c2 and --c3, or --fixed."
            )
    if not is_choice and "scoring" in params:
        raise InvalidInputError(
            f"--scoring compares candidates, but depth and costs are all fixed; "
            f"{params['scoring']!r} was given. Leave it out, or leave a cost to the choice."
        )


def _chooser(
    plain: "MOCTSVMClassifier", params: dict[str, Any], tell: Callable[[str], None]
) -> "MOCTSVMClassifierCV":
    """Return the classifier that chooses the parameters that were not given."""
    from margintree.estimators import MOCTSVMClassifierCV

    fixed = {name: params[name] for name in plain._method.candidates if name in params}
    names = ("time_limit", "n_jobs", "scoring")
    shared = {name: params[name] for name in names if name in params}
    return MOCTSVMClassifierCV(plain, fixed, **shared, verbose=tell)


def _class_weight(given: str, labels: AnyArray) -> Any:
    """Return the weights of the classes as the classifiers take them."""
    if given == "balanced":
        return given
    known = {str(label): label for label in np.unique(labels).tolist()}
    factors = {}
    for pair in given.split(","):
        name, _, number = pair.rpartition("=")
        try:
            factors[known[name.strip()]] = float(number)
        except (KeyError, ValueError):
            raise InvalidInputError(
                f"--class-weight must be 'balanced' or factors of labels, such as "
                f"{next(iter(known))}=2; the labels are {', '.join(known)!r:.200}, and {pair!r} "
                "was given. Correct it."
            ) from None
    return factors


def _save(estimator: "TableClassifier", output: Path, clock: Clock) -> None:
    from margintree.cli._view import console, print_choice, print_outcome, print_tree
    from margintree.estimators.modelfile import save

    with undisturbed():
        save(estimator, output)
    out = console()
    print_tree(out, estimator)
    out.print()
    print_choice(out, estimator)
    print_outcome(out, estimator)
    out.print(f"\nSaved to {output} after {clock.elapsed():.1f} s in all.")
    out.print(f"Next: margintree predict {output} TABLE")
