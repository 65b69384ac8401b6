"""The readers of files against a fuzzer that looks where their code goes."""

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from margintree import CARTClassifier, ObliqueTree, make_table_classifier, save
from models import fitted

pytest.importorskip("atheris", reason="atheris has no wheel for this platform")

HERE = Path(__file__).parent
SECONDS = 15


def model_seeds(folder):
    """Save a tree alone and one with the columns of a table."""
    stump = ObliqueTree.stump([2.0, -0.1], -1.0, leaf_classes=[0, 1], n_classes=2)
    save(fitted(stump, features=["a", "b"], class_weight={0: 1.0, 1: 2.0}), folder / "tree.json")
    frame = pd.DataFrame({"size": [1.0, np.nan, 8.0, 9.0], "hue": ["red", "red", "blue", None]})
    model = make_table_classifier(CARTClassifier(1)).fit(frame, list("aabb"))
    save(model, folder / "table.json")


def table_seeds(folder):
    """Copy the tables that people have."""
    for path in (HERE.parent / "data" / "tables" / "messy").iterdir():
        shutil.copy(path, folder)


@pytest.mark.parametrize(("target", "make_seeds"), [("model", model_seeds), ("table", table_seeds)])
def test_a_reader_takes_what_makes_sense_and_nothing_else(tmp_path, target, make_seeds):
    """No crash, no hang, no memory without end; see `fuzz_targets` for what makes sense."""
    seeds = tmp_path / "seeds"
    seeds.mkdir()
    make_seeds(seeds)
    options = {
        "max_total_time": SECONDS,
        "timeout": 20,
        "rss_limit_mb": 3000,
        "max_len": 8192,
        "seed": 1,
        "artifact_prefix": f"{tmp_path}/",
    }
    done = subprocess.run(
        [
            sys.executable,
            HERE / "run_atheris.py",
            target,
            *(f"-{name}={value}" for name, value in options.items()),
            seeds,
        ],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, f"{done.stdout[-4000:]}\n{done.stderr[-1000:]}"
    assert "DONE" in done.stderr
