"""How a command ends: whatever goes wrong becomes a message and an exit code."""

import functools
import os
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import ParamSpec

import typer

from margintree._lib.exceptions import MargintreeError, ShallowTreeWarning, TableWarning

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
