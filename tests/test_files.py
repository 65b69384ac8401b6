"""Files are written whole or not at all."""

import os
import stat

import pytest

from margintree._files import write_whole


def test_new_and_existing_files(tmp_path):
    """The content is what was given, line ends included, and nothing else is left behind."""
    path = tmp_path / "a.txt"
    for text in ("one\n", "zwölf\r\n"):
        write_whole(path, text)
        assert path.read_bytes() == text.encode()
    assert list(tmp_path.iterdir()) == [path]


def test_permissions_are_those_of_any_new_file(tmp_path):
    """Others may read what the umask lets them read."""
    write_whole(tmp_path / "a.txt", "")
    (tmp_path / "b.txt").touch()
    modes = [stat.S_IMODE(os.stat(tmp_path / name).st_mode) for name in ("a.txt", "b.txt")]
    assert modes[0] == modes[1]


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
def test_an_interruption_leaves_the_old_content(tmp_path, monkeypatch, error):
    """Also when it is Ctrl-C."""
    path = tmp_path / "a.txt"
    path.write_text("old")

    def fail(_):
        raise error

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(error):
        write_whole(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
