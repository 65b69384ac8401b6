"""Files are written whole or not at all."""

import os
import stat
import threading

import pytest

from margintree._lib.files import check_writable, write_whole


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


def test_a_link_stays_a_link(tmp_path):
    """What it leads to is replaced, or made when it is not there yet."""
    (tmp_path / "folder").mkdir()
    target, link = tmp_path / "folder" / "a.txt", tmp_path / "link"
    link.symlink_to(target)
    for text in ("new", "newer"):
        write_whole(link, text)
        assert link.is_symlink()
        assert target.read_text() == text
    assert list(target.parent.iterdir()) == [target]


def test_an_existing_file_keeps_its_mode(tmp_path):
    """A secret stays one."""
    path = tmp_path / "a.txt"
    path.touch(mode=0o600)
    path.chmod(0o640)
    write_whole(path, "new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_devices_and_pipes_are_written_to(tmp_path):
    """They are still there afterwards, and a reader gets the text."""
    check_writable(os.devnull)
    write_whole(os.devnull, "text")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    check_writable(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()), daemon=True)
    reader.start()
    write_whole(pipe, "text")
    reader.join(10)
    assert read == ["text"]
    assert list(tmp_path.iterdir()) == [pipe]


@pytest.mark.parametrize("function", [check_writable, lambda path: write_whole(path, "new")])
@pytest.mark.parametrize("name", ["missing/a.txt", "folder", "file/a.txt", "loop"])
def test_errors_name_the_file_that_was_asked_for(tmp_path, name, function):
    """And not its neighbour, of which the caller knows nothing; nothing is left behind."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(OSError, match="cannot be written") as caught:
        function(tmp_path / name)
    assert repr(str(tmp_path / name)) in str(caught.value)
    assert ".part" not in str(caught.value)
    assert sorted(tmp_path.rglob("*")) == before


def test_checking_changes_nothing(tmp_path):
    """Neither a file that is there nor one that is not."""
    path = tmp_path / "a.txt"
    check_writable(path)
    assert list(tmp_path.iterdir()) == []
    path.write_text("old")
    check_writable(path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
