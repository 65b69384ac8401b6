"""Rows of long runs, kept so that nothing is solved twice."""

import json
from pathlib import Path
from typing import Any


def read_rows(path: Path) -> dict[str, dict[str, Any]]:
    """Return the rows that are already in a file, one JSON object a line, by instance."""
    if not path.exists():
        return {}
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {row["instance"]: row for row in rows}


def keep_row(path: Path, row: dict[str, Any]) -> None:
    """Add a row to a file; it takes the place of an earlier one of the same instance."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")
