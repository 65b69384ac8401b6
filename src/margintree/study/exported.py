"""Exports: rows as compressed CSV and sessions as JSON.

An export rounds the columns that no table shows in full: seconds to three digits, objective and
bound to six, balanced accuracy to five decimals. A quarter of a million rows then need less than
five megabytes. A store that is read for a table is rounded in the same way, so a store and its
export give the same tables.
"""

import bz2
import csv
import gzip
import io
import json
import os
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple, get_type_hints

from margintree._lib.exceptions import InvalidInputError
from margintree._lib.files import write_whole
from margintree.data.tables import csv_text
from margintree.study.spec import Spec, parse_spec
from margintree.study.store import COLUMNS, Row, Session, Store
from margintree.study.summary import Summary, summarise

_FORMS: dict[str, tuple[Callable[[bytes], bytes], Callable[[bytes], bytes]]] = {
    ".csv.bz2": (bz2.compress, bz2.decompress),
    ".csv.gz": (lambda data: gzip.compress(data, mtime=0), gzip.decompress),
    ".csv": (bytes, bytes),
}
"""Functions that pack and unpack the bytes of a file, by the end of its name."""
_DIGITS = {
    "objective": ".6g",
    "bound": ".6g",
    "balanced_accuracy": ".5f",
    "calibration_error": ".5f",
    "build_seconds": ".3g",
    "fit_seconds": ".3g",
    "predict_seconds": ".3g",
}
_PARSERS: dict[Any, Callable[[str], Any]] = {
    str: str,
    int: int,
    str | None: lambda cell: cell or None,
    int | None: lambda cell: int(cell) if cell else None,
    float | None: lambda cell: float(cell) if cell else None,
}


class Study(NamedTuple):
    """The rows of a study and the sessions that made them."""

    rows: list[Row]
    sessions: list[Session]

    @property
    def spec(self) -> Spec | None:
        """The specification, the same for all sessions; None if there are none."""
        if not self.sessions:
            return None
        return parse_spec(**json.loads(self.sessions[-1].spec))

    def summary(self) -> Summary:
        """Return the summary of the rows."""
        return summarise(self.rows, self.spec)


def read_study(path: str | os.PathLike[str]) -> Study:
    """Return the study in the file of a store, or in a file that `export_study` wrote."""
    path = _existing(path)
    if _ending(path) is not None:
        return read_export(path)
    store = Store.existing(path)
    return Study([_rounded(row) for row in store.rows()], store.sessions())


def read_export(path: str | os.PathLike[str]) -> Study:
    """Return the study in a file that `export_study` wrote; refuse stores and all other files."""
    path = _existing(path)
    ending = _ending(path)
    if ending is None:
        raise InvalidInputError(
            "The rows must be a file that 'margintree study export' wrote, whose name ends with "
            f"one of {', '.join(_FORMS)}; {str(path)!r} was given. Name such a file. If yours is a "
            "store already, copy it instead."
        )
    try:
        text = _FORMS[ending][1](path.read_bytes()).decode("utf-8")
        rows = _parsed(text)
        sessions = _read_sessions(_sessions_file(path, ending))
    except (OSError, EOFError, ValueError, TypeError, csv.Error) as error:
        raise InvalidInputError(
            f"The file {str(path)!r} must hold rows that 'margintree study export' wrote; {error}. "
            "Export them again."
        ) from error
    return Study(rows, sessions)


def _existing(path: str | os.PathLike[str]) -> Path:
    """Return the path of an existing file."""
    path = Path(path)
    if not path.is_file():
        raise InvalidInputError(
            f"A store or an export of a study is needed; there is no file {str(path)!r}. "
            "Run the study first, or name another file."
        )
    return path


def export_study(study: Study, path: str | os.PathLike[str]) -> list[Path]:
    """Write rows as CSV and the sessions as JSON beside them, and return the written files.

    The name of the file must end with ``.csv.bz2``, ``.csv.gz`` or ``.csv``.

    Examples
    --------
    >>> import tempfile
    >>> row = Row("iris", 0, 0, "cart", "grid", "{}", 0, "{}", "done", fit_seconds=0.123456)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     written = export_study(Study([row], []), Path(folder) / "rows.csv.bz2")
    ...     [path.name for path in written], read_study(written[0]).rows[0].fit_seconds
    (['rows.csv.bz2', 'rows.sessions.json'], 0.123)
    """
    path = Path(path)
    ending = _ending(path)
    if ending is None:
        raise InvalidInputError(
            f"The name of an export must end with one of {', '.join(_FORMS)}; {str(path)!r} was "
            "given. Choose another name."
        )
    text = csv_text(COLUMNS, map(_rounded, study.rows))
    sessions = json.dumps([asdict(session) for session in study.sessions], indent=1)
    write_whole(path, _FORMS[ending][0](text.encode("utf-8")))
    write_whole(_sessions_file(path, ending), sessions + "\n")
    return [path, _sessions_file(path, ending)]


def _ending(path: Path) -> str | None:
    return next((ending for ending in _FORMS if path.name.endswith(ending)), None)


def _sessions_file(path: Path, ending: str) -> Path:
    return path.with_name(path.name.removesuffix(ending) + ".sessions.json")


def _rounded(row: Row) -> Row:
    """Return a row with the digits of an export and its message on one line."""
    few: dict[str, Any] = {
        column: float(format(value, digits))
        for column, digits in _DIGITS.items()
        if (value := getattr(row, column)) is not None
    }
    return row._replace(message=" ".join(row.message.split()), **few)


def _parsed(text: str) -> list[Row]:
    """Return the rows of a CSV text; raise ValueError if a line is not a row."""
    lines = csv.reader(io.StringIO(text, newline=""), strict=True)
    columns = next(lines, [])
    missing = {*COLUMNS} - {*columns}
    if not {*columns} <= {*COLUMNS} or not missing <= {*Row._field_defaults}:
        raise ValueError(f"its first line must be {','.join(COLUMNS)}")
    hints = get_type_hints(Row)
    parsers = [_PARSERS[hints[column]] for column in columns]
    return [
        Row(
            **{
                column: parse(cell)
                for column, parse, cell in zip(columns, parsers, line, strict=True)
            }
        )
        for line in lines
    ]


def _read_sessions(path: Path) -> list[Session]:
    """Return the sessions beside an export; none if their file is missing."""
    if not path.is_file():
        return []
    entries: Iterable[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return [Session(**entry) for entry in entries]
