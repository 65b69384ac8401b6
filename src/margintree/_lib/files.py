"""Files that are either written whole or not at all."""

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write the content to a neighbouring file and put that in the place of ``path``.

    Whoever reads ``path`` sees the old content or the new one, never a part, even when the
    process is killed or the disk is full. A link stays a link and an existing file keeps its mode.
    What is no regular file, such as a pipe or a device, is written to directly.

    Parameters
    ----------
    path : path-like
        The file to write or replace.
    content : str or bytes
        Its new content; text is written in UTF-8.

    Raises
    ------
    OSError
        When the file cannot be written; of the kind that the system raised.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_whole(Path(folder) / "a.txt", "hello")
    ...     [(file.name, file.read_text()) for file in Path(folder).iterdir()]
    [('a.txt', 'hello')]
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    with _errors_about(path):
        mode = _mode(path)
        if mode is None or stat.S_ISREG(mode):
            _replace(Path(os.path.realpath(path)), data, mode)
        else:
            with open(path, "wb") as file:
                file.write(data)


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise the error that `write_whole` would raise, before there is anything to write.

    Parameters
    ----------
    path : path-like
        The file that is to be written; neither it nor its folder is changed.

    Raises
    ------
    OSError
        When the file cannot be written.
    """
    with _errors_about(path):
        mode = _mode(path)
        if mode is None or stat.S_ISREG(mode):
            part = _part(Path(os.path.realpath(path)))
            part.touch(exist_ok=False)
            part.unlink()
        elif stat.S_ISDIR(mode):
            raise IsADirectoryError("it is a folder")
        elif not os.access(path, os.W_OK):
            # Opening a pipe to see whether it opens would tell its reader that all is written.
            raise PermissionError("permission denied")


def _replace(target: Path, data: bytes, mode: int | None) -> None:
    """Write a neighbour of the target, give it the mode, and put it in the target's place."""
    part = _part(target)
    try:
        with part.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            part.chmod(stat.S_IMODE(mode))
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def _part(target: Path) -> Path:
    return target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")


def _mode(path: str | os.PathLike[str]) -> int | None:
    """Return type and permissions of what the path leads to, None when there is nothing."""
    try:
        return os.stat(path).st_mode
    except FileNotFoundError:
        return None


@contextmanager
def _errors_about(path: str | os.PathLike[str]) -> Iterator[None]:
    """Let an error of the system keep its kind and speak of the path that the caller knows."""
    try:
        yield
    except OSError as error:
        told = type(error)(
            f"The file {os.fspath(path)!r} cannot be written: {error.strerror or error}. Choose a "
            "file in an existing folder in which you may write and that has space left."
        )
        told.errno = error.errno
        raise told from error
