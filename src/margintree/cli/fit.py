"""``margintree fit``."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from margintree._lib.arrays import AnyArray
from margintree._lib.exceptions import InvalidInputError
from margintree.cli import _options as options
from margintree.cli._common import TableFile, check_output, read, reported, undisturbed
from margintree.core.limits import Clock

if TYPE_CHECKING:
    from margintree.data.tables import Table
    from margintree.estimators import MOCTSVMClassifier, MOCTSVMClassifierCV, TableClassifier


@reported
def fit(
    table: TableFile,
    target: Annotated[str, typer.Option("--target", "-t", help="Column that holds the labels.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Model file to write.")],
    max_depth: options.MaxDepth = None,
    c1: options.C1 = None,
    c2: options.C2 = None,
    c3: options.C3 = None,
    max_features_per_split: options.Features = None,
    points: options.Points = None,
    space: options.SpaceName = None,
    class_weight: options.ClassWeight = None,
    fixed: options.Fixed = False,
    scoring: options.ScoringName = None,
    method: options.Way = None,
    solver: options.SolverName = None,
    gap: options.Gap = None,
    routing_margin: options.RoutingMargin = None,
    margin_term: options.MarginTermName = None,
    norm: options.Norm = None,
    checkpoint: options.CheckpointFile = None,
    certificate: options.CertificateFile = None,
    time_limit: options.TimeLimit = None,
    memory_limit: options.MemoryLimit = None,
    random_state: options.Seed = None,
    n_jobs: options.Jobs = None,
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
    given = {name: value for name, value in locals().items() if value is not None}
    params = {name: value for name, value in given.items() if name not in _NO_PARAMETERS}
    check_output(output, table)
    for name in _OWN_FILES & {*params}:
        check_output(params[name], table, output, option=f"--{name}")
    clock = Clock()
    _save(fitted(read(table), target, params, fixed=fixed), output, clock)


_NO_PARAMETERS = ("table", "target", "output", "fixed")
"""Options of the command that are not parameters of a classifier."""
_OWN_FILES = {"checkpoint", "certificate"}


def fitted(
    table: "Table", target: str, params: dict[str, Any], *, fixed: bool
) -> "TableClassifier":
    """Return the classifier fitted to all columns except the target.

    Unless ``fixed``, cross-validation chooses the depth and costs that are not in ``params``.
    """
    from margintree.cli._progress import progress_line
    from margintree.estimators import MOCTSVMClassifier, make_table_classifier
    from margintree.methods import METHODS

    labels = labels_of(table, target)
    given = {name: value for name, value in params.items() if name != "scoring"}
    if "class_weight" in given:
        given["class_weight"] = _class_weight(given["class_weight"], labels)
    is_choice = not fixed and not {*METHODS["moctsvm"].candidates} <= {*given}
    _check_choice(params, is_choice)
    with progress_line() as progress:
        plain = MOCTSVMClassifier(**given, verbose=progress)
        classifier = _chooser(plain, params, progress.tell) if is_choice else plain
        for checked in (plain, classifier):  # before anything is said about the table
            checked._validate_params()
        estimator = make_table_classifier(classifier)
        estimator.fit(table.without(target), labels)
    plain.set_params(verbose=0)
    return estimator


def labels_of(table: "Table", target: str) -> AnyArray:
    """Return the labels of a table with features, or raise InvalidInputError."""
    labels = table.labels(target)
    _check_classes(labels, target)
    if table.columns == (target,):
        raise InvalidInputError(
            f"{table.name} must have a feature column beside the target {target!r}; it has none. "
            "Add a column, or choose another --target."
        )
    return labels


MOST_NUMBERS = 20
"""Largest number of different numbers or texts that are always taken for labels."""
MOSTLY = 0.9
"""Share of the different labels from which on numbers make them a quantity."""


def _check_classes(labels: AnyArray, target: str) -> None:
    """Raise InvalidInputError if the target looks like a quantity or a key; warn of like labels."""
    from margintree.data.preprocessing.cells import is_number
    from margintree.data.preprocessing.learning import alike, tell_what_is_alike

    different = np.unique(labels)
    n_numbers = sum(is_number(str(label)) for label in different)
    if n_numbers > max(MOST_NUMBERS, len(labels) / 5) and n_numbers > MOSTLY * len(different):
        raise InvalidInputError(
            f"--target must name a column of labels; {target!r} has {n_numbers} different "
            f"numbers in {len(labels)} rows, which looks like a quantity. margintree learns "
            "classes and does no regression: group the numbers into a few ranges, such as low and "
            "high, or choose another column."
        )
    if len(different) > max(MOST_NUMBERS, len(labels) / 2):
        raise InvalidInputError(
            f"--target must name a column of labels that repeat; {target!r} has {len(different)} "
            f"different ones in {len(labels)} rows, such as {str(different[0])!r:.60}. Group them, "
            "or choose another column."
        )
    words = alike(map(str, labels))
    if words:
        tell_what_is_alike(target, words, "labels")


def _check_choice(params: dict[str, Any], is_choice: bool) -> None:
    """Raise InvalidInputError if an option does not fit with or without a choice."""
    for name in sorted(_OWN_FILES & {*params}):
        if is_choice:
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

    names_of_problem = (*plain._method.candidates, "space")
    fixed = {name: params[name] for name in names_of_problem if name in params}
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
    from margintree.cli._view import (
        MOST_TERMS,
        console,
        print_choice,
        print_next,
        print_outcome,
        print_tree,
    )
    from margintree.estimators.modelfile import save

    with undisturbed():
        save(estimator, output)
    out = console()
    print_tree(out, estimator, max_terms=MOST_TERMS)
    out.print()
    print_choice(out, estimator)
    print_outcome(out, estimator)
    out.print(f"\nSaved to {output} after {clock.elapsed():.1f} s in all.")
    print_next(out, estimator, output)
