"""``margintree data``: the data sets of the study."""

from pathlib import Path
from typing import Annotated

import typer

import margintree
from margintree._lib.exceptions import MissingDataError
from margintree.cli._common import BAD_INPUT, reported

app = typer.Typer(
    no_args_is_help=True, help="Show, find and download the data sets of the paper's study."
)
DataDir = Annotated[
    Path | None,
    typer.Option(help="Folder of CSV files to look in first; by default that of MARGINTREE_DATA."),
]


@app.command("list")
@reported
def list_sets(data_dir: DataDir = None) -> None:
    """List the data sets with their sizes, classes, sources and remarks.

    "margintree" means that the table comes with this package.

    [bold]Example[/bold]

    margintree data list --data-dir data
    """
    from margintree.cli._view import console, print_records
    from margintree.data.datasets import CATALOGUE, place_of

    rows = []
    for name, entry in CATALOGUE.items():
        sizes = map(str, (entry.n_rows, entry.n_features, entry.n_classes))
        place = place_of(name, data_dir)
        is_ours = Path(place).is_relative_to(Path(margintree.__file__).parent)
        rows.append((name, *sizes, "margintree" if is_ours else place, entry.note))
    print_records(console(), ("data set", "rows", "features", "classes", "from", "remarks"), rows)


@app.command()
@reported
def fetch(
    names: Annotated[list[str] | None, typer.Argument(help="Data sets; by default all.")] = None,
    data_dir: DataDir = None,
) -> None:
    """Get data sets, from the network if needed, and report the ones that are not available.

    scikit-learn keeps downloads from OpenML in its own folder.

    [bold]Example[/bold]

    margintree data fetch seeds banknote
    """
    from margintree.data.datasets import CATALOGUE, load, place_of

    is_missing = False
    for name in names or CATALOGUE:
        try:
            load(name, data_dir)
            typer.echo(f"{name}: {place_of(name, data_dir)}")
        except MissingDataError as error:
            is_missing = True
            typer.echo(f"{name}: {error}", err=True)
    if is_missing:
        raise typer.Exit(BAD_INPUT)


@app.command()
@reported
def path(name: Annotated[str, typer.Argument(help="Data set.")], data_dir: DataDir = None) -> None:
    """Print the source of a data set: the path of its file, or a description.

    [bold]Example[/bold]

    margintree data path zoo
    """
    from margintree.data.datasets import place_of

    typer.echo(place_of(name, data_dir))
