"""Classifiers of other packages behind one list."""

import tomllib
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_val_score

from margintree._lib.exceptions import MissingPackageError
from margintree.study.references import EXTRA, REFERENCES, Reference

IRIS = load_iris()
X, Y = IRIS.data[::3], IRIS.target_names[IRIS.target[::3]]

SVM = ("svm-ovo", "svm-ova", "svm-crammer-singer")
STRONG = {name: {"C": 10.0} for name in SVM} | {
    "svm-rbf": {"C": 10.0, "gamma": 0.1},
    "forest": {"min_samples_leaf": 1},
    "stree": {},
    "contree": {},
}
WEAK = {name: {"C": 0.01} for name in SVM} | {
    "svm-rbf": {"C": 0.01, "gamma": 0.1},
    "forest": {"min_samples_leaf": 20},
    "stree": {"C": 0.01},
    "contree": {"max_depth": 1},
}


@pytest.fixture(params=REFERENCES.values(), ids=REFERENCES)
def reference(request):
    """Return every reference that is installed."""
    why = request.param.why_missing()
    if why:
        pytest.skip(why)
    return request.param


def test_each_learns_text_labels(reference):
    """Labels come back as they were given, clones fit alike, and iris is easy."""
    model = reference.classifier(**STRONG[reference.name])
    first, second = model.fit(X, Y).predict(X), clone(model).fit(X, Y).predict(X)
    np.testing.assert_array_equal(first, second)
    assert first.dtype == Y.dtype
    assert cross_val_score(model, X, Y, cv=3).mean() > 0.85


def test_parameters_reach_the_method(reference):
    """A weak setting makes more errors in training."""
    strong, weak = (reference.classifier(**by[reference.name]) for by in (STRONG, WEAK))
    assert weak.fit(X, Y).score(X, Y) < strong.fit(X, Y).score(X, Y)


def test_what_is_not_installed_says_so():
    """The reason is a text for a table, and using it all the same is an error that says it too."""
    missing = Reference("nothing", "Nothing", "no_such_package", dict)
    assert "'no_such_package' is not installed" in missing.why_missing()
    with pytest.raises(MissingPackageError, match=r"margintree\[references\]"):
        missing.classifier()


def test_every_package_is_in_the_extra():
    """The extra that messages name brings what is not a requirement anyway."""
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    brought = {line.partition(">=")[0] for line in project["optional-dependencies"][EXTRA]}
    assert brought == {one.package for one in REFERENCES.values()} - {"sklearn"}
