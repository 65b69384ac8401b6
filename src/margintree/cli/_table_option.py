"""The table of a command, and what is said about how its file is written."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from margintree.data.tables import Table

TableFile = Annotated[
    Path, typer.Argument(help="CSV, TSV or Parquet file; CSV with column names in its first line.")
]


def read(path: Path) -> "Table":
    """Read a table and say on stderr what is unusual about its file."""
    from margintree.data.tables import read_table

    table = read_table(path)
    if table.notes:
        typer.echo(f"Note: {path.name}: {'; '.join(table.notes)}.", err=True)
    return table
