"""SIGKILL at random moments: files are whole, and what is resumed ends as if nothing had happened.

Studies are killed ten times in ``tests/study/test_run.py``.
"""

import json
import math
import random
import time

import pytest

from forked_command import start
from margintree import ObliqueTree, load
from margintree.testing.instances import clouds

N_KILLS = 20


@pytest.fixture
def table(tmp_path):
    """Write a table on which a proof takes a fraction of a second."""
    X, y = (rows[::2] for rows in clouds())
    lines = [f"{a},{b},{label}" for (a, b), label in zip(X.tolist(), y.tolist(), strict=True)]
    (tmp_path / "t.csv").write_text("\n".join(["a,b,label", *lines]) + "\n")
    return tmp_path / "t.csv"


def seconds_of(*command):
    """Run the command to its end and return how long it took."""
    start("--version").join()  # the first start of all loads what the others share
    before = time.monotonic()
    process = start(*command)
    process.join()
    assert process.exitcode == 0
    return time.monotonic() - before


def is_killed(folder, seconds, luck, *command):
    """Run the command and kill it at a random moment; tell whether it was still running.

    Every other time the moment is when it begins to write a file, unless the time is over before.
    """
    end, waits_for_file = time.monotonic() + luck.uniform(0, seconds), luck.random() < 0.5
    process = start(*command)
    while process.exitcode is None and time.monotonic() < end:
        if waits_for_file and any(folder.glob(".*.part")):
            break
        time.sleep(1e-3)
    time.sleep(luck.uniform(0, 0.002))
    process.kill()
    process.join()
    for part in folder.glob(".*.part"):
        part.unlink()
    assert process.exitcode in (0, -9)
    return process.exitcode != 0


def test_fit(tmp_path, table):
    """The model file is the old one or the new one, and the next fit is that of any other day."""
    model, luck, n_killed = tmp_path / "m.json", random.Random(0), 0
    command = "fit", table, "-t", "label", "-o", model, "--fixed"
    seconds_of(*command, "--max-depth", 1)
    old, old_tree = model.read_bytes(), load(model).tree_
    seconds = seconds_of(*command, "--c1", 10)
    new = load(model).tree_
    while n_killed < N_KILLS:
        model.write_bytes(old)
        n_killed += is_killed(tmp_path, seconds, luck, *command, "--c1", 10)
        assert load(model).tree_ in (old_tree, new)
        assert sorted(tmp_path.iterdir()) == [model, table]
    seconds_of(*command, "--c1", 10)
    assert load(model).tree_ == new


def test_checkpoint(tmp_path, table):
    """Its tree only gets better, its bound is never wrong, and the solve ends with its proof."""
    model, checkpoint = tmp_path / "m.json", tmp_path / "c.json"
    command = "fit", table, "-t", "label", "-o", model, "--fixed", "--c1", 10, "--c3", 1
    command = *command, "--method", "exact", "--checkpoint", checkpoint
    seconds = seconds_of(*command)
    undisturbed = load(model).result_
    assert undisturbed.is_optimal
    luck = random.Random(0)
    for _ in range(2):
        checkpoint.unlink()
        cost, n_killed = math.inf, 0
        while n_killed < N_KILLS / 2:
            n_killed += is_killed(tmp_path, seconds, luck, *command)
            if checkpoint.exists():
                known = json.loads(checkpoint.read_text())
                ObliqueTree.from_dict(known["tree"])
                assert undisturbed.bound <= known["objective"] <= cost
                assert known["bound"] <= undisturbed.objective
                cost = known["objective"]
        seconds_of(*command)
        resumed = load(model).result_
        assert resumed.is_optimal
        assert resumed.objective == pytest.approx(undisturbed.objective, rel=1e-4)


def test_proof(tmp_path):
    """A native proof goes on with its open nodes: no bound is lost, and it ends at the optimum."""
    rng = random.Random(27)
    lines = ["a,b,c,label"]
    for k in range(48):
        where = [rng.gauss(0.7 * (k % 3 == j), 0.25) for j in range(3)]
        lines.append(",".join([*map(str, where), str(k % 3)]))
    table, model, checkpoint = (tmp_path / name for name in ("t.csv", "m.json", "c.json"))
    table.write_text("\n".join(lines) + "\n")
    command = "fit", table, "-t", "label", "-o", model, "--fixed", "--c1", 1, "--c3", 0.1
    command = *command, "--method", "exact", "--max-depth", 2, "--checkpoint", checkpoint
    seconds_of(*command)  # compiles
    checkpoint.unlink()
    seconds = seconds_of(*command)
    undisturbed = load(model).result_
    assert undisturbed.is_optimal
    checkpoint.unlink()
    bound, luck, n_killed = 0.0, random.Random(0), 0
    while n_killed < N_KILLS:
        if not is_killed(tmp_path, seconds, luck, *command):
            checkpoint.unlink()
            bound = 0.0
            continue
        n_killed += 1
        if checkpoint.exists():
            known = json.loads(checkpoint.read_text())
            assert bound <= known["bound"] <= undisturbed.objective
            bound = known["bound"]
    seconds_of(*command)
    resumed = load(model).result_
    assert resumed.is_optimal
    assert resumed.bound >= bound
    assert resumed.objective == pytest.approx(undisturbed.objective, rel=1e-4)
