"""The line above a table of benchmarks."""

import pytest

import about as module

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.mark.parametrize(
    ("commit", "shown"),
    [(COMMIT, "0123456789"), (f"{COMMIT}+", "0123456789+"), ("", "unknown")],
)
def test_a_changed_tree_is_marked(commit, shown, monkeypatch):
    """A table of a changed tree does not look like one of its commit."""
    monkeypatch.setattr(module, "source_commit", lambda: commit)
    assert module.about().endswith(f", commit {shown}")
