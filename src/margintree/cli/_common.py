"""What the commands share: options, output files, signals, and errors in plain words."""

import functools
import os
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, ParamSpec

import typer

from margintree._lib.exceptions import (
    InvalidInputError,
    MargintreeError,
    ShallowTreeWarning,
    TableWarning,
)

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


def check_output(output: Path, *inputs: Path, option: str = "--output") -> None:
    """Refuse an output that would replace an input, or that cannot be written.

    Parameters
    ----------
    output : Path
        The file to be written.
    *inputs : Path
        The files to be read.
    option : str
        The option with which the output is named.

    Raises
    ------
    InvalidInputError
        When the output is one of the inputs, under whatever name.
    OSError
        When it cannot be written.
    """
    from margintree._lib.files import check_writable

    for path in inputs:
        if _is_same_file(output, path):
            raise InvalidInputError(
                f"The output must be another file than the input {str(path)!r}, which it would "
                f"replace; {str(output)!r} was given. Choose another {option}."
            )
    check_writable(output)


def _is_same_file(one: Path, other: Path) -> bool:
    """Tell whether two paths lead to one regular file; a terminal may be read and written."""
    return os.path.isfile(one) and os.path.isfile(other) and os.path.samefile(one, other)


_STOPS = (signal.SIGINT, signal.SIGTERM)
"""The signals that ask the command to stop."""


def stop_on_sigterm() -> None:
    """Let SIGTERM do from now on whatever Ctrl-C does at the moment it arrives."""
    signal.signal(signal.SIGTERM, _do_what_ctrl_c_does)


def _do_what_ctrl_c_does(signum: int, frame: FrameType | None) -> None:
    handler = signal.getsignal(signal.SIGINT)
    # A shell lets its background jobs ignore Ctrl-C, which is no reason to ignore this.
    (handler if callable(handler) else signal.default_int_handler)(signum, frame)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Ignore requests to stop while the block runs; outside the main thread none arrives."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous = {signum: signal.signal(signum, signal.SIG_IGN) for signum in _STOPS}
    try:
        yield
    finally:
        for signum, handler in previous.items():
            signal.signal(signum, handler)


UNEXPECTED = 1
BAD_INPUT = 2
INTERRUPTED = 130

P = ParamSpec("P")


def reported(command: Callable[P, None]) -> Callable[P, None]:
    """Return the command with every error turned into a message on stderr and an exit code."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            with _plain_warnings():
                command(*args, **kwargs)
        except (MargintreeError, OSError) as error:
            _end(error)
        except KeyboardInterrupt:
            typer.echo("Interrupted before there was anything to save.", err=True)
            raise typer.Exit(INTERRUPTED) from None
        except typer.Exit:
            raise
        except Exception as error:
            _end_unexpectedly(error)

    return run


@contextmanager
def _plain_warnings() -> Iterator[None]:
    """Show our warnings as sentences, without the place in the source that gave them."""
    with warnings.catch_warnings():
        for kind in (ShallowTreeWarning, TableWarning):
            warnings.simplefilter("always", kind)
        warnings.showwarning = lambda message, *_: typer.echo(f"Warning: {message}", err=True)
        yield


def _end(error: Exception) -> None:
    """Say what is wrong with the input; nothing when it is only that nobody reads our output."""
    if isinstance(error, BrokenPipeError):
        # Python would complain once more when it flushes stdout at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(0) from None
    typer.echo(f"Error: {error}", err=True)
    raise typer.Exit(BAD_INPUT) from None


def _end_unexpectedly(error: Exception) -> None:
    typer.echo(
        f"Unexpected error: {type(error).__name__}: {error}\n"
        "This is a fault of margintree. Please report it with what the same command prints when "
        "MARGINTREE_DEBUG=1 is set.",
        err=True,
    )
    if os.environ.get("MARGINTREE_DEBUG"):
        traceback.print_exception(error)
    raise typer.Exit(UNEXPECTED) from None
