"""What the paper draws in its first two figures, on the set of the example about rivals."""

import runpy
from pathlib import Path

import numpy as np
import pytest

EXAMPLE = Path(__file__).parents[1] / "examples" / "rivals.py"


@pytest.fixture(scope="module")
def example():
    """Run the example, and return what it defines."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    yield runpy.run_path(str(EXAMPLE))
    plt.close("all")


def score(example, name):
    return example["models"][name].score(example["X"], example["y"])


def test_cart_of_depth_two_fails(example):
    """It takes the best first split, which leads nowhere."""
    assert score(example, "CART") < 0.8


def test_octh_separates_the_classes(example):
    """Three splits of two features are enough."""
    assert score(example, "OCT-H") == 1.0


@pytest.mark.parametrize("name", ["OCTSVM", "MOCTSVM"])
def test_margins_separate_with_more_room(example, name):
    """Neither makes an error, and no row is as close to a border as with OCT-H."""
    assert score(example, name) == 1.0
    closest, models = example["closest"], example["models"]
    assert closest(models[name]) > 2 * closest(models["OCT-H"])


def test_a_ring_needs_a_curved_split():
    """Proved: no straight tree of depth two parts it from its core; a curved split does."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    found = runpy.run_path(str(EXAMPLE.with_name("curved_splits.py")))
    X, y = found["X"], found["y"]
    assert found["straight"].score(X, y) < 1.0
    curved = found["curved"]
    assert curved.score(X, y) == 1.0
    assert curved.optimal_
    assert curved.tree_.n_splits == 1
    assert np.abs(curved.split_values(X)[:, 0]).min() == pytest.approx(1.0, abs=1e-3)
    proved, round_split = found["proved"], found["round_split"]
    assert proved.optimal_
    assert proved.bound_ > 1000.0 * 1.99
    assert round_split.optimal_
    assert round_split.cost_.errors == 0
    values = round_split.split_values(found["few"])[:, 0]
    assert np.abs(values).min() == pytest.approx(1.0, abs=1e-3)
