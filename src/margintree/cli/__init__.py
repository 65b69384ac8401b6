"""The command ``margintree``: its modules parse arguments, call the package and print results."""

from typing import Annotated

import typer
from typer.core import TyperOption

from margintree import __version__
from margintree.cli._common import stop_on_sigterm, stop_quietly
from margintree.cli.data import app as data
from margintree.cli.demo import demo
from margintree.cli.export import export
from margintree.cli.fit import fit
from margintree.cli.slider import slider
from margintree.cli.solvers import solvers
from margintree.cli.study import app as study
from margintree.cli.use import evaluate, predict, report, show
from margintree.cli.verify import verify

if hasattr(TyperOption, "display_type_rich"):  # in recent versions of typer
    _type_of = TyperOption.display_type_rich
    # "<bool>" beside every flag would leave too little room for names on a narrow screen.
    TyperOption.display_type_rich = (  # type: ignore[method-assign]
        lambda self, ctx: "" if self.is_flag else _type_of(self, ctx)
    )

app = typer.Typer(
    name="margintree",
    epilog="Exit codes: 0 success, 1 unexpected error, 2 bad input or usage, 130 stopped by Ctrl-C "
    "or SIGTERM before there was anything to save.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
for command in (demo, fit, predict, evaluate, report, slider, show, export, verify, solvers):
    app.command()(command)
app.add_typer(data, name="data")
app.add_typer(study, name="study")


def _print_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"margintree {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    _version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Optimal classification trees with maximum-margin splits, and proofs if you ask for them.

    Try [bold]margintree demo[/bold] first. The --help of every command has examples.
    """


def main() -> None:
    """Run the command."""
    from rich.console import Console

    stop_on_sigterm()
    # Rich would end with 1, as for an error, when the reader of a pipe goes away.
    Console.on_broken_pipe = stop_quietly  # type: ignore[assignment, method-assign]
    app(prog_name="margintree")
