"""Pictures of curved splits: every line is where its split has the value that it stands for."""

import numpy as np
import pytest

from margintree import ClassTreeClassifier, InvalidInputError, plot_partition
from margintree.show.plot import _curved


@pytest.fixture(scope="module")
def model():
    """Return a curved class tree of three classes and three features, and its rows."""
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    X = rng.normal(0, 0.5, (90, 3)) + np.array([[0, 0, 0], [2, 0, 1], [1, 2, 0]])[y]
    return ClassTreeClassifier(C=10.0, space="quadratic").fit(X, y), X, y


@pytest.fixture(autouse=True)
def coarse(monkeypatch):
    """Draw on fewer points, which is faster."""
    monkeypatch.setattr(_curved, "N_STEPS", 120)


def test_lines_are_where_splits_are_0_or_1_or_minus_1(model):
    """At the medians of the features that are not drawn."""
    clf, X, y = model
    ax = plot_partition(clf, X, y, features=(0, 1), feature_names=["a", "b", "c"])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("a", "b")
    assert "c = " in ax.get_title()
    contours = [drawn for drawn in ax.collections if hasattr(drawn, "levels")]
    lines = [drawn for drawn in contours if not drawn.filled]
    assert {float(line.levels[0]) for line in lines} == {-1.0, 0.0, 1.0}
    for line in lines:
        points = np.vstack([path.vertices for path in line.get_paths()])
        rows = np.tile(np.median(X, axis=0), (len(points), 1))
        rows[:, :2] = points
        distances = np.abs(clf.split_values(rows)[:, clf.tree_.splits] - line.levels[0])
        assert distances.min(axis=1).max() < 0.05


def test_areas_are_those_of_the_predicted_classes(model):
    """Every class of the picture has an area, and it covers its rows."""
    clf, X, y = model
    rows = X.copy()
    rows[:, 2] = np.median(X[:, 2])
    ax = plot_partition(clf, X, y, features=(0, 1))
    areas = [drawn for drawn in ax.collections if getattr(drawn, "filled", False)]
    assert len(areas) == len(np.unique(clf.apply(rows)))
    inside = [
        sum(path.contains_point(point) for area in areas for path in area.get_paths())
        for point in rows[:, :2]
    ]
    assert np.mean(np.array(inside) == 1) > 0.95


def test_one_split_is_drawn_alone(model):
    """With its rows by side; a node that does not split is refused."""
    clf, X, y = model
    node = int(np.flatnonzero(clf.tree_.splits)[-1]) + 1
    ax = plot_partition(clf, X, y, node=node)
    assert f"node {node}" in ax.get_title()
    with pytest.raises(InvalidInputError, match="node must be"):
        plot_partition(clf, X, y, node=99)
    with pytest.raises(InvalidInputError, match="two different features"):
        plot_partition(clf, X, y, features=(0, 0))
    with pytest.raises(InvalidInputError, match="3 features"):
        plot_partition(clf, X[:, :2], y)
