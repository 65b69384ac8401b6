"""Exports of sparse and rounded trees give the labels of `predict` on every row, ties included."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from margintree import MOCTSVMClassifier, export_dot, from_json, to_json
from runners import run_duckdb, run_onnx, run_python, run_sqlite


def fitted(seed, most, points):
    """Return a rounded tree of few features, and rows on a grid that meets its thresholds."""
    rng = np.random.default_rng(seed)
    names = ["age", "a b", "x'y", "z"]
    grid = rng.integers(0, 6, (60, 4)) * 10.0 ** rng.integers(-2, 3, 4)
    y = (grid @ rng.normal(size=4) > 0).astype(int) + (grid[:, 0] > np.median(grid[:, 0]))
    clf = MOCTSVMClassifier(
        c1=10.0, max_features_per_split=most, points=points, max_iter=8, c4=0.01
    )
    train = pd.DataFrame(grid[:40], columns=names)
    return clf.fit(train, y[:40]), pd.DataFrame(grid, columns=names)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 3), st.sampled_from([1, 5, 10, None]))
def test_all_exports_agree_with_predict(seed, most, points):
    """JSON, Python, ONNX and two dialects of SQL."""
    clf, frame = fitted(seed, most, points)
    expected = clf.predict(frame).tolist()
    assert np.count_nonzero(clf.tree_.weights, axis=1).max() <= most
    assert from_json(to_json(clf)).predict(frame).tolist() == expected
    for run in (run_python, run_onnx, run_sqlite, run_duckdb):
        assert list(run(clf, frame)[0]) == expected


@pytest.mark.parametrize("points", [2, 10])
def test_dot_writes_the_points(points):
    """The graph asks the same question as the text."""
    clf, _ = fitted(1, 2, points)
    assert clf.tree_.n_splits
    assert " >= " in export_dot(clf)
