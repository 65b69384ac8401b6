"""Curved splits: exports compute products of columns, texts name them, and the rest refuses."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_wine

from margintree import (
    ClassTreeClassifier,
    export_dot,
    export_text,
    from_json,
    make_table_classifier,
    plot_tree,
    to_json,
)
from margintree.core.quadratic import Quadratic
from margintree.core.space import Space, factors
from margintree.core.tree import ObliqueTree
from margintree.show.export.named_tree import named
from margintree.show.export.wording import question
from models import fitted
from runners import RUNNERS


@pytest.fixture(scope="module")
def wine():
    """Return a curved class tree of wine, and the rows."""
    data = load_wine(as_frame=True)
    X, y = data.data[["alcohol", "hue", "flavanoids"]], data.target_names[data.target]
    return ClassTreeClassifier(C=100.0, space="quadratic").fit(X, y), X


def agree(run, model, frame):
    labels, shares = run(model, frame)
    assert labels == model.predict(frame).tolist()
    np.testing.assert_allclose(shares, model.predict_proba(frame), rtol=0, atol=1e-6)


@pytest.mark.parametrize("run", RUNNERS.values(), ids=RUNNERS)
def test_exports_agree_on_a_fitted_tree(run, wine):
    """On its rows and on rows around them."""
    model, X = wine
    agree(run, model, X)
    around = np.random.default_rng(0).normal(X.mean(), 3 * X.std(), (100, 3))
    agree(run, model, pd.DataFrame(around, columns=X.columns))


@pytest.mark.parametrize("run", RUNNERS.values(), ids=RUNNERS)
@settings(max_examples=15)
@given(seed=st.integers(0, 2**32), n_columns=st.integers(1, 4))
def test_exports_agree_on_any_tree(run, seed, n_columns):
    """With weights for some columns and products only."""
    rng = np.random.default_rng(seed)
    scaling = Space(rng.normal(size=n_columns), rng.uniform(0.1, 9, n_columns)).with_products()
    weights = rng.normal(size=(3, scaling.n_features)) * (rng.random(scaling.n_features) < 0.6)
    tree = ObliqueTree(
        weights, rng.normal(size=3), [True] * 3, [0, 1, 2, 0], rng.uniform(size=(4, 3)), scaling
    )
    names = [f"f{j}" for j in range(n_columns)]
    X = pd.DataFrame(rng.normal(size=(20, n_columns)) * 3, columns=names)
    agree(run, fitted(tree, features=names), X)


def test_model_files_keep_them(wine):
    """To the last bit; columns keep their names."""
    model, X = wine
    again = from_json(to_json(model))
    assert again.tree_ == model.tree_
    assert again.feature_names_in_.tolist() == X.columns.tolist()
    assert again.n_features_in_ == 3
    assert (again.predict(X) == model.predict(X)).all()


def test_texts_name_products_in_original_units(wine):
    """And their rounded coefficients send every training row the same way."""
    model, X = wine
    for text in (export_text(model), export_dot(model)):
        assert "alcohol squared" in text
        assert "alcohol x hue" in text.replace("\\n", " ").replace("\n", " ")
    known = named(model)
    first, second = factors(3)
    rows = X.to_numpy()
    raw = np.hstack([rows, rows[:, first] * rows[:, second]])
    values = model.split_values(X)
    for node in np.flatnonzero(known.tree.splits) + 1:
        asked = question(known.tree, node)
        total = sum(float(number) * raw[:, j] for j, number in asked.terms)
        clear = np.abs(values[:, node - 1]) > 1e-3
        says = total >= float(asked.threshold)
        np.testing.assert_array_equal(says[clear], (values[:, node - 1] >= 0)[clear])


def test_the_tree_is_drawn(wine):
    """A card for each of its five nodes."""
    assert len(plot_tree(wine[0]).patches) >= 5


def test_tables_with_conditions_have_products_of_them():
    """A column of a table becomes features, and these have products."""
    table = pd.DataFrame({"island": list("aabbcc") * 5, "size": np.arange(30) % 7})
    y = np.where((table["island"] == "a") ^ (table["size"] > 3), "yes", "no")
    model = make_table_classifier(ClassTreeClassifier(C=1000.0, space="quadratic")).fit(table, y)
    straight = make_table_classifier(ClassTreeClassifier(C=1000.0)).fit(table, y)
    assert model.score(table, y) == 1.0 > straight.score(table, y)
    assert "island is a x size" in export_text(model).replace("\n", " ")
    agree(RUNNERS["python"], model, table)
    assert (from_json(to_json(model)).predict(table) == model.predict(table)).all()


def test_a_circle_needs_one_curved_split():
    """A ring around a cloud: no class tree of straight splits parts them; the circle is found."""
    rng = np.random.default_rng(0)
    angle, radius = rng.uniform(0, 2 * np.pi, 100), np.where(np.arange(100) % 2, 1.0, 0.4)
    X = 5 + (radius + rng.uniform(-0.15, 0.15, 100))[:, None] * np.c_[np.cos(angle), np.sin(angle)]
    y = np.where(np.arange(100) % 2, "ring", "core")
    curved = ClassTreeClassifier(C=1000.0, space="quadratic").fit(X, y)
    assert curved.score(X, y) == 1.0 > 0.8 > ClassTreeClassifier(C=1000.0).fit(X, y).score(X, y)
    tree = curved.tree_
    shape = Quadratic.of(tree.weights, tree.intercepts, tree.scaling)
    centre = -np.linalg.solve(shape.curvature[0], shape.gradient[0]) + shape.centre
    np.testing.assert_allclose(centre, [5, 5], atol=0.1)
    assert np.linalg.det(shape.curvature[0]) > 0
