"""Rows of long runs stay in a file, from which the last one of an instance is read."""

from kept import keep_row, read_rows


def test_nothing_is_kept_at_first(tmp_path):
    """A file that is missing has no rows."""
    assert read_rows(tmp_path / "rows.jsonl") == {}


def test_later_rows_replace_earlier_ones(tmp_path):
    """So a better cost is added, and nothing is rewritten."""
    path = tmp_path / "new folder" / "rows.jsonl"
    keep_row(path, {"instance": "iris", "objective": 3.5})
    keep_row(path, {"instance": "wine", "objective": 2.5})
    keep_row(path, {"instance": "iris", "objective": 3.25})
    assert {key: row["objective"] for key, row in read_rows(path).items()} == {
        "iris": 3.25,
        "wine": 2.5,
    }
    assert len(path.read_text(encoding="utf-8").splitlines()) == 3
