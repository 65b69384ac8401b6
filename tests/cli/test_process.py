"""The command as a process: entry points, pipes and signals."""

import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from margintree import load
from margintree.cli._common import undisturbed
from margintree.core.result import Reason

COMMAND = Path(sys.executable).with_name("margintree")


def test_both_entry_points_are_the_same_command():
    """``margintree`` and ``python -m margintree`` print the same help."""
    texts = [
        subprocess.run([*command, "--help"], capture_output=True, text=True, check=True).stdout
        for command in ([COMMAND], [sys.executable, "-m", "margintree"])
    ]
    assert texts[0] == texts[1]
    assert "demo" in texts[0]


def hard_table(path):
    """Write a table on which a proof takes far longer than any test."""
    rng = np.random.default_rng(0)
    rows = [
        f"{a:.6f},{b:.6f},{c}"
        for (a, b), c in zip(rng.normal(size=(120, 2)), rng.integers(0, 4, 120), strict=True)
    ]
    path.write_text("\n".join(["a,b,label", *rows]) + "\n")
    return path


def wait_for(word, terminal, seconds=120):
    """Read from a terminal until the word appears."""
    seen, end = b"", time.monotonic() + seconds
    while word not in seen and time.monotonic() < end:
        seen += os.read(terminal, 4096)
    assert word in seen


def ignore_ctrl_c():
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@pytest.mark.parametrize(
    ("options", "word", "stop"),
    [
        (("--fixed", "--method=exact", "--max-depth=3"), b"cost", signal.SIGINT),
        (("--fixed", "--method=exact", "--max-depth=3"), b"cost", signal.SIGTERM),
        (("--fixed", "--method=search", "--max-depth=10", "--c1=1000"), b"cost", signal.SIGTERM),
        ((), b"choosing", signal.SIGTERM),
    ],
)
def test_a_signal_during_fit_saves_the_best_tree_so_far(tmp_path, options, word, stop):
    """It ends the fit, not the program; the model is whole and says why the fit stopped.

    SIGTERM also where Ctrl-C is ignored, as in the background jobs of a shell.
    """
    table, model = hard_table(tmp_path / "t.csv"), tmp_path / "m.json"
    ours, theirs = pty.openpty()
    command = [COMMAND, "fit", table, "-t", "label", "-o", model]
    process = subprocess.Popen(
        [*command, "--time-limit=300", *options],
        stdout=subprocess.PIPE,
        stderr=theirs,
        text=True,
        preexec_fn=ignore_ctrl_c if stop is signal.SIGTERM else None,
    )
    try:
        # The progress line goes to a terminal; once it shows this word, there is a tree.
        wait_for(word, ours)
        process.send_signal(stop)
        output, _ = process.communicate(timeout=120)
    finally:
        process.kill()
        os.close(ours)
        os.close(theirs)
    assert process.returncode == 0, output
    assert "interrupted" in output
    assert load(model).result_.reason is Reason.INTERRUPTED
    assert sorted(tmp_path.iterdir()) == [model, table]


def test_a_reader_that_goes_away_is_no_error(tmp_path):
    """``margintree ... | head`` ends quietly."""
    from margintree import MOCTSVMClassifier, save

    save(MOCTSVMClassifier(1, c1=10).fit([[0], [1], [4], [5]], list("aabb")), tmp_path / "m.json")
    (tmp_path / "t.csv").write_text("x\n" + "0.5\n" * 50_000)
    process = subprocess.Popen(
        [COMMAND, "predict", tmp_path / "m.json", tmp_path / "t.csv"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "prediction\n"
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    process.wait(30)


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_a_file_is_saved_undisturbed(stop):
    """A signal that comes while a model is being saved changes nothing; later ones count again."""
    handler = signal.getsignal(stop)
    with undisturbed():
        signal.raise_signal(stop)
    assert signal.getsignal(stop) is handler
