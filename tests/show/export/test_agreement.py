"""Whatever a tree is exported to gives the labels and probabilities of the classifier."""

import copy
import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.base import clone

import folds
from margintree import MOCTSVMClassifier, ObliqueTree, from_json, to_json
from margintree.core.space import Space
from margintree.estimators import ESTIMATORS
from models import fitted
from runners import RUNNERS
from strategies import coordinates, trees

HOSTILE = [
    "<script>alert(1)</script>",
    '"; DROP TABLE x; --',
    "'''",
    '"""',
    "line\nbreak\r\n\ttab",
    "größe 身長 🌳 \u202e",
    "\\",
    "%s {0} {x!r} ${y} &lt; \\N",
    "__import__('os').system('exit 1')",
    "",
]

every_runner = pytest.mark.parametrize("run", RUNNERS.values(), ids=RUNNERS)


def assert_agrees(run, model, frame):
    """Assert that a runner gives exactly the labels, and nearly the probabilities, of predict."""
    labels, shares = run(model, frame)
    assert labels == model.predict(frame).tolist()
    np.testing.assert_allclose(shares, model.predict_proba(frame), rtol=0, atol=1e-6)


def random_tree(rng, depth, n_features, n_classes):
    """Return a tree with any numbers of 64 bits, and not just round ones."""
    n_branch = 2**depth - 1
    scaling = Space(rng.normal(size=n_features), rng.uniform(0.1, 9.0, n_features))
    return ObliqueTree(
        rng.normal(size=(n_branch, n_features)),
        rng.normal(size=n_branch),
        np.ones(n_branch, dtype=bool),
        rng.integers(n_classes, size=2**depth),
        rng.uniform(size=(2**depth, n_classes)),
        scaling,
    )


@pytest.fixture(scope="module", params=folds.NAMES)
def studied(request, shared_data):
    """Return a quick fit of a data set of the study, and its rows."""
    table = pd.read_csv(shared_data / f"{request.param}.csv")
    rows = table.drop(columns="class").astype(float)
    rows = rows.fillna(rows.median())
    return MOCTSVMClassifier(3, c1=10.0, max_iter=1, smoothing=0.5).fit(rows, table["class"]), rows


def test_the_study_has_no_other_data(shared_data):
    """No data set is forgotten."""
    assert sorted(path.stem for path in shared_data.glob("*.csv")) == [*folds.NAMES]


@every_runner
def test_exports_agree_on_the_data_of_the_study(run, studied):
    """Every row of every data set, and rows between and around them."""
    model, rows = studied
    assert_agrees(run, model, rows)
    around = np.random.default_rng(0).normal(rows.mean(), 3 * rows.std(), (200, rows.shape[1]))
    assert_agrees(run, model, pd.DataFrame(around, columns=rows.columns))


def test_models_of_the_study_survive_json(studied):
    """The tree is equal to the last bit."""
    model, rows = studied
    again = from_json(to_json(model))
    assert again.tree_ == model.tree_
    np.testing.assert_array_equal(again.predict_proba(rows), model.predict_proba(rows))


@pytest.fixture(scope="module", params=ESTIMATORS.values(), ids=ESTIMATORS)
def classifier(request):
    """Return a classifier of every kind, fitted to rows of two classes, and the rows."""
    codes = np.arange(60) % 2
    values = np.random.default_rng(0).normal(2 * codes[:, None], size=(60, 3))
    rows = pd.DataFrame(values, columns=["a", "b c", 'd"'])
    return request.param(2).fit(rows, np.array(["down", "up"])[codes]), rows


@every_runner
def test_exports_agree_for_every_classifier(run, classifier):
    """Also where splits are on one feature, or on few."""
    model, rows = classifier
    assert model.tree_.n_splits > 0
    assert_agrees(run, model, rows)


@st.composite
def models_with_rows(draw):
    """Draw a classifier with labels of any type, and rows for it."""
    tree = draw(trees())
    names = [f"f{j}" for j in range(tree.n_features)]
    label = draw(st.sampled_from([str, int, lambda k: k * 0.5, lambda k: f"'{k}\n"]))
    classes = [False, True] if tree.n_classes == 2 else [label(k) for k in range(tree.n_classes)]
    smoothing = draw(st.sampled_from([0.0, 1.0]))
    X = draw(hnp.arrays(float, (5, tree.n_features), elements=coordinates))
    return fitted(tree, classes, names, smoothing=smoothing), pd.DataFrame(X, columns=names)


@every_runner
@settings(max_examples=40)
@given(case=models_with_rows())
def test_exports_agree_on_any_tree(run, case):
    """Splits or none, empty leaves, labels of every type."""
    assert_agrees(run, *case)


# Not in SQLite, which may read a number of 17 digits as its neighbour.
@pytest.mark.parametrize("name", ["python", "onnx", "duckdb"])
@settings(max_examples=20)
@given(seed=st.integers(0, 2**32), n_features=st.integers(1, 12))
def test_rows_on_a_hyperplane_go_the_way_of_predict(name, seed, n_features):
    """Rows so close to a hyperplane that the order of additions decides their side."""
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, 2, n_features, 4)
    X = rng.normal(size=(30, n_features))
    values = (tree.weights * tree.scaling.apply(X[:3])).sum(axis=1)
    tree = replace(tree, intercepts=-values)
    names = [f"f{j}" for j in range(n_features)]
    assert_agrees(RUNNERS[name], fitted(tree, features=names), pd.DataFrame(X, columns=names))


@every_runner
def test_a_value_of_zero_goes_right(run):
    """Numbers that every program computes exactly, on both sides of the hyperplane and on it."""
    scaling = Space(np.array([-1.0, 2.0]), np.array([4.0, 0.5]))
    stump = ObliqueTree.stump([2.0, -0.5], 0.5, leaf_classes=[0, 1], n_classes=2)
    tree = replace(stump, scaling=scaling, leaf_mass=np.array([[3.0, 1.0], [0.0, 2.0]]))
    X = [[1.0, 3.5], [1.0, 3.5 + 2**-30], [1.0, 3.5 - 2**-30]]
    model = fitted(tree, ["left", "right"], ["a", "b"])
    frame = pd.DataFrame(X, columns=["a", "b"])
    assert run(model, frame)[0] == ["right", "left", "right"]
    assert_agrees(run, model, frame)


@every_runner
def test_deep_and_wide_trees(run):
    """Hundreds of splits, and hundreds of features."""
    rng = np.random.default_rng(0)
    for depth, n_features in ((8, 2), (1, 300)):
        tree = random_tree(rng, depth, n_features, 2)
        names = [f"f{j}" for j in range(n_features)]
        X = rng.normal(size=(50, n_features)) * 3
        assert_agrees(run, fitted(tree, features=names), pd.DataFrame(X, columns=names))


@every_runner
def test_hostile_names_are_only_names(run):
    """Columns and classes called like code still predict, and nothing of them runs."""
    names = [name for name in HOSTILE if name]
    rng = np.random.default_rng(0)
    model = fitted(random_tree(rng, 4, len(names), len(HOSTILE)), sorted(HOSTILE), names)
    frame = pd.DataFrame(rng.normal(size=(40, len(names))) * 3, columns=names)
    assert_agrees(run, model, frame)
    assert from_json(to_json(model)).feature_names_in_.tolist() == names


@every_runner
def test_exporting_changes_nothing(run):
    """The classifier is the same afterwards, pickled or not, and so is its clone."""
    model = fitted(random_tree(np.random.default_rng(0), 2, 2, 3), features=["a", "b"])
    before, state = to_json(model), copy.deepcopy(vars(model))
    run(model, pd.DataFrame({"a": [0.0], "b": [1.0]}))
    assert list(vars(model)) == list(state)
    assert to_json(model) == before
    assert to_json(pickle.loads(pickle.dumps(model))) == before
    assert clone(model).get_params() == model.get_params()
