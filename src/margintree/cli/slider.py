"""``margintree slider``."""

from pathlib import Path
from typing import Annotated

import typer

from margintree.cli import _options as options
from margintree.cli._common import TableFile, check_output, read, reported

BUDGETS = (None, 5, 3, 2, 1)
"""Largest numbers of features in a split of the trees; None for all."""


@reported
def slider(
    table: TableFile,
    target: Annotated[str, typer.Option("--target", "-t", help="Column that holds the labels.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="HTML file to write.")],
    max_depth: Annotated[int, options.whole("Levels of splits, 1 to 10.", True)] = 3,
    c1: Annotated[float, options.real("Cost of a misclassified row.", True, "--c1")] = 10.0,
    c2: Annotated[float, options.real("Cost of margin violation.", True, "--c2")] = 1.0,
    c3: Annotated[float, options.real("Cost of a split.", True, "--c3")] = 10.0,
    points: Annotated[
        int | None, options.whole("Largest number of whole points.", "not rounded")
    ] = None,
    time_limit: Annotated[float, options.real("Seconds for everything.", True)] = 120.0,
    random_state: Annotated[int, options.whole("Seed of the search.", True, "--seed")] = 0,
) -> None:
    """Fit trees with fewer and fewer features, and write a page that switches between them.

    A split of the first tree may use all features, one of the others at most 5, 3, 2 and 1. The
    accuracies are those of other trees with the same options: four times, trees are fitted to three
    quarters of the rows and tested on the last quarter, before their numbers are rounded. The trees
    on the page are fitted to all rows. They share the time limit, and the page names those for
    which it was too short to search. It is a report on the rows of the table, with a slider from
    tree to tree. 'margintree fit --features 3' with the same options searches anew for such a tree,
    and may find a slightly different one.

    [bold]Examples[/bold]

    margintree slider iris.csv --target species -o trees.html

    margintree slider iris.csv -t species --c1 100 --points 10 -o trees.html
    """
    from margintree.cli._progress import progress_line
    from margintree.cli._view import console, print_stops
    from margintree.cli.fit import labels_of
    from margintree.estimators import MOCTSVMClassifier, MOCTSVMClassifierCV, make_table_classifier

    check_output(output, table)
    rows = read(table)
    labels, features = labels_of(rows, target), rows.without(target)
    with progress_line() as progress:
        plain = MOCTSVMClassifier(
            max_depth, c1, c2, c3, points=points, random_state=random_state, time_limit=time_limit
        )
        chooser = MOCTSVMClassifierCV(
            plain,
            [
                {"max_features_per_split": most}
                for most in BUDGETS
                if most is None or most < len(features.columns)
            ],
            path_rows=1000,
            last_fit="path",
            time_limit=time_limit,
            verbose=progress.tell,
        )
        estimator = make_table_classifier(chooser).fit(features, labels)
    estimator.report(features, labels, title=f"Trees on {table.name}").save(output)
    out = console()
    print_stops(out, chooser.stops_)
    out.print(f"\nSaved to {output}. Open it in a browser and move the slider.")
