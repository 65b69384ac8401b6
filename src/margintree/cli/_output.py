"""What is checked of an output file before any work is done for it."""

import os
from pathlib import Path

from margintree._lib.exceptions import InvalidInputError


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
