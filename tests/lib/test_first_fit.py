"""What makes a first fit faster: it helps where it can and does no harm where it cannot."""

import gc
import os
import sys
import time
from contextlib import suppress

import pytest

from margintree._lib import first_fit
from margintree._lib.files import write_whole
from margintree._lib.first_fit import collector_paused, compilation_notice, other_process

needs_two_cores = pytest.mark.skipif(
    not first_fit._may_start_python(), reason="there is one core only"
)


@pytest.fixture(autouse=True)
def is_on(monkeypatch):
    """Switch it on, whatever the environment of the tests says."""
    monkeypatch.setattr(first_fit, "IS_ON", True)


def pretend_python(monkeypatch, path, script):
    """Let another program take the place of Python in new processes."""
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(path))


@needs_two_cores
def test_the_other_process_runs_a_function_while_this_one_works(tmp_path):
    """It is waited for at the end."""
    path, reached = tmp_path / "a.txt", []
    with other_process(write_whole, str(path), "done"):
        reached.append(True)
    assert path.read_text() == "done"
    assert reached


@needs_two_cores
@pytest.mark.parametrize("script", ["exit 1", "exec sleep 600"])
def test_the_other_process_may_fail_or_hang(script, tmp_path, monkeypatch):
    """The first process goes on without it, and leaves nothing running."""
    pretend_python(monkeypatch, tmp_path / "python", f"echo $$ > {tmp_path}/pid; {script}")
    monkeypatch.setattr(first_fit, "LONGEST_WAIT", 2.0)
    with other_process(write_whole, str(tmp_path / "a.txt"), ""):
        pass
    pid = int((tmp_path / "pid").read_text())
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_the_other_process_may_not_start(tmp_path, monkeypatch):
    """Without the program there is one process, which does everything."""
    monkeypatch.setattr(sys, "executable", str(tmp_path / "nothing"))
    reached = []
    with other_process(write_whole, str(tmp_path / "a.txt"), ""):
        reached.append(True)
    assert reached


@needs_two_cores
def test_the_other_process_ends_with_an_interrupt(tmp_path, monkeypatch):
    """An interrupt while kernels are compiled leaves nothing running and is passed on."""
    pretend_python(monkeypatch, tmp_path / "python", "exec sleep 600")
    start = time.perf_counter()
    with (
        pytest.raises(KeyboardInterrupt),
        other_process(write_whole, str(tmp_path / "a.txt"), ""),
    ):
        raise KeyboardInterrupt
    assert time.perf_counter() - start < 30


@pytest.mark.parametrize("is_enabled", [True, False])
def test_the_collector_is_paused_and_left_as_it_was(is_enabled):
    """Also where the body fails, and where somebody has switched it off."""
    if not is_enabled:
        gc.disable()
    try:
        with suppress(ZeroDivisionError), collector_paused():
            assert not gc.isenabled()
            raise ZeroDivisionError
        assert gc.isenabled() == is_enabled
    finally:
        gc.enable()


def test_a_plain_start_does_without(tmp_path, monkeypatch):
    """One switch for all: no pause, no other process, and kernels are loaded as numba does."""

    class Kernel:
        class _cache:  # noqa: N801
            _load_overload = load_overload = None

    monkeypatch.setattr(first_fit, "IS_ON", False)
    with collector_paused():
        assert gc.isenabled()
    with other_process(write_whole, str(tmp_path / "a.txt"), "done"):
        pass
    assert not list(tmp_path.iterdir())
    first_fit.load_directly(Kernel)
    assert Kernel._cache.load_overload is None
    monkeypatch.setattr(first_fit, "IS_ON", True)
    first_fit.load_directly(Kernel)
    assert Kernel._cache.load_overload is not None


@pytest.mark.parametrize(("quiet", "is_told"), [(0.01, True), (600.0, False)])
def test_who_waits_for_compilation_is_told(quiet, is_told, monkeypatch, capsys):
    """A notice goes to standard error once it takes a while, and never to standard output."""
    monkeypatch.setattr(first_fit, "QUIET_SECONDS", quiet)
    with compilation_notice():
        time.sleep(0.5)
    out, err = capsys.readouterr()
    assert out == ""
    assert err == (first_fit.NOTICE + "\n" if is_told else "")
