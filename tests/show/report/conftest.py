"""Fitted trees that several tests report on."""

from typing import NamedTuple

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification

from margintree import MOCTSVMClassifier


class Case(NamedTuple):
    """A fitted classifier with rows to report on."""

    clf: MOCTSVMClassifier
    X: np.ndarray
    y: np.ndarray
    names: list[str]


@pytest.fixture(scope="session")
def iris():
    """Return a tree of depth 2 on iris, fitted to a third of the rows."""
    data = load_iris()
    X, y = data.data, data.target_names[data.target].astype(str)
    clf = MOCTSVMClassifier(max_depth=2, c1=10.0, max_iter=5).fit(X[::3], y[::3])
    return Case(clf, X, y, list(data.feature_names))


@pytest.fixture(scope="session")
def deep():
    """Return a tree of depth 4 with errors, five classes named by integers, a constant feature."""
    X, y = make_classification(
        400, 6, n_informative=5, n_redundant=0, n_classes=5, n_clusters_per_class=1, random_state=3
    )
    X = np.column_stack([X, np.ones(len(X))])
    X[:, 2] *= 1000
    clf = MOCTSVMClassifier(max_depth=4, c1=100.0, max_iter=1).fit(X, y)
    return Case(clf, X, y, [f"feature {j}" for j in range(7)])
