"""Parts that the commands share: options, files, signals and error messages."""

import functools
import os
import signal
import sys
import textwrap
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
    PoorTreeWarning,
    ShallowTreeWarning,
    TableWarning,
)
from margintree.cli._words import in_options, paragraphs

if TYPE_CHECKING:
    from margintree.data.tables import Table


TableFile = Annotated[
    Path,
    typer.Argument(help="CSV, TSV or Parquet file. The first line of a CSV names the columns."),
]
OutputOption = Annotated[
    Path | None, typer.Option("--output", "-o", help="File to write.", show_default="stdout")
]


def read(path: Path) -> "Table":
    """Read a table, and print unusual things about its file to stderr."""
    from margintree.data.tables import read_table

    table = read_table(path)
    if table.notes:
        say(f"Note: {path.name}: {'; '.join(table.notes)}.")
    return table


def say(text: str) -> None:
    """Print a message to stderr; a terminal gets lines that break between words."""
    from rich.console import Console

    err = Console(stderr=True)
    if err.is_terminal:
        text = textwrap.fill(text, err.width, break_long_words=False, break_on_hyphens=False)
    # Not by typer or this console: they would write into a progress line instead of above it.
    print(text, file=sys.stderr)


def check_output(output: Path | None, *inputs: Path, option: str = "--output") -> None:
    """Raise an error if a file cannot be written or would replace an input, under any name.

    The option is the one that names the output. None stands for stdout and is always allowed.
    """
    from margintree._lib.files import check_writable

    if output is None:
        return
    for path in inputs:
        if _is_same_file(output, path):
            raise InvalidInputError(
                f"The output must be another file than the input {str(path)!r}, which it would "
                f"replace; {str(output)!r} was given. Choose another {option}."
            )
    check_writable(output)


def write_or_print(content: str | bytes, output: Path | None) -> None:
    """Write content to a file, or print it if the file is None."""
    from margintree._lib.files import write_whole

    if output is None:
        typer.echo(content, nl=False)
    else:
        write_whole(output, content)


def _is_same_file(one: Path, other: Path) -> bool:
    """Return whether two paths name one regular file; a terminal may be both read and written."""
    return os.path.isfile(one) and os.path.isfile(other) and os.path.samefile(one, other)


_STOPS = (signal.SIGINT, signal.SIGTERM)
"""The signals that ask the command to stop."""


def stop_on_sigterm() -> None:
    """From now on, handle SIGTERM like Ctrl-C."""
    signal.signal(signal.SIGTERM, _do_what_ctrl_c_does)


def _do_what_ctrl_c_does(signum: int, frame: FrameType | None) -> None:
    handler = signal.getsignal(signal.SIGINT)
    # Background jobs of a shell ignore Ctrl-C, but they must not ignore SIGTERM.
    (handler if callable(handler) else signal.default_int_handler)(signum, frame)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Ignore requests to stop while the block runs; other threads than the main one get none."""
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
            if type(error).__name__ == "InvalidParameterError":  # scikit-learn loads slowly
                _end(error)
            _end_unexpectedly(error)

    run.__doc__ = paragraphs(command.__doc__ or "")
    return run


@contextmanager
def _plain_warnings() -> Iterator[None]:
    """Show our warnings as sentences, without their place in the source."""
    with warnings.catch_warnings():
        for kind in (PoorTreeWarning, ShallowTreeWarning, TableWarning):
            warnings.simplefilter("always", kind)
        warnings.showwarning = lambda message, *_: say(f"Warning: {in_options(str(message))}")
        yield


def stop_quietly(*_: object) -> None:
    """End with success, since only the reader of our output is gone."""
    # Otherwise Python reports the broken pipe again when it flushes stdout at exit.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    raise SystemExit(0)


def _end(error: Exception) -> None:
    """Print an error about the input; print nothing if only the reader of our output is gone."""
    if isinstance(error, BrokenPipeError):
        stop_quietly()
    say(f"Error: {in_options(str(error))}")
    raise typer.Exit(BAD_INPUT) from None


def _end_unexpectedly(error: Exception) -> None:
    typer.echo(
        f"Unexpected error: {type(error).__name__}: {error}\n"
        "This is a bug in margintree. Please report it with the output of the same command when "
        "MARGINTREE_DEBUG=1 is set.",
        err=True,
    )
    if os.environ.get("MARGINTREE_DEBUG"):
        traceback.print_exception(error)
    raise typer.Exit(UNEXPECTED) from None
