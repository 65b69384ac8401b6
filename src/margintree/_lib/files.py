"""Files that are written completely or not at all."""

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write the content to a temporary file in the same folder, then move it to ``path``.

    Readers of ``path`` see the old content or the new one, never a part, even if the process is
    killed or the disk is full. A link stays a link, and an existing file keeps its mode. A pipe or
    a device is written to directly. Text is encoded in UTF-8. If the file cannot be written, the
    system's kind of OSError is raised.

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
    """Raise the error that `write_whole` would raise, without changing the file or its folder."""
    with _errors_about(path):
        mode = _mode(path)
        if mode is None or stat.S_ISREG(mode):
            part = _part(Path(os.path.realpath(path)))
            part.touch(exist_ok=False)
            part.unlink()
        elif stat.S_ISDIR(mode):
            raise IsADirectoryError("it is a folder")
        elif not os.access(path, os.W_OK):
            # Opening a pipe as a test would tell its reader that all data has been written.
            raise PermissionError("permission denied")


def _replace(target: Path, data: bytes, mode: int | None) -> None:
    """Write a temporary file next to the target, set its mode, and move it to the target."""
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
    """Return the type and permissions of the file that the path leads to; None if there is none."""
    try:
        return os.stat(path).st_mode
    except FileNotFoundError:
        return None


@contextmanager
def _errors_about(path: str | os.PathLike[str]) -> Iterator[None]:
    """Raise system errors again as the same kind, but with the path that the caller knows."""
    try:
        yield
    except OSError as error:
        clear = type(error)(
            f"The file {os.fspath(path)!r} cannot be written: {error.strerror or error}. A file "
            "must be in an existing folder in which you may write and that has space left. Choose "
            "another one."
        )
        clear.errno = error.errno
        raise clear from error
