"""The pipeline for tables: accurate, a good citizen of scikit-learn, and the same everywhere."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder

from contents import SCHEMA, check_refusals, edited
from margintree import (
    CARTClassifier,
    InvalidInputError,
    MOCTSVMClassifier,
    ModelFileError,
    export_dot,
    export_text,
    from_json,
    make_table_classifier,
    plot_partition,
    plot_tree,
    to_json,
    to_onnx,
    to_python,
    to_sql,
)
from margintree.core.tree import ObliqueTree
from margintree.data.preprocessing import (
    BooleanColumn,
    CategoryColumn,
    Encoding,
    NumberColumn,
    TableEncoder,
)
from margintree.show.export.named_tree import named
from margintree.show.plot.tree_plot import _Drawing
from models import fitted
from runners import RUNNERS

EXACT = {name: RUNNERS[name] for name in ("python", "sqlite", "duckdb")}
every_runner = pytest.mark.parametrize("run", EXACT.values(), ids=EXACT)


def penguins(n, seed):
    """Return made-up penguins: numbers, numbers as text, categories, booleans, missing cells."""
    rng = np.random.default_rng(seed)
    species = rng.choice(["Adelie", "Chinstrap", "Gentoo"], n)
    home = {"Chinstrap": "Dream", "Gentoo": "Biscoe"}
    anywhere = rng.choice(["Biscoe", "Dream", "Torgersen"], n)
    is_adelie, is_gentoo = species == "Adelie", species == "Gentoo"
    frame = pd.DataFrame(
        {
            "bill_length": (rng.normal(47, 3, n) - 8 * is_adelie).round(1),
            "mass": [f"{mass:.0f}" for mass in rng.normal(3800, 400, n) + 1200 * is_gentoo],
            "island": [home.get(s, i) for s, i in zip(species, anywhere, strict=True)],
            "sex": rng.choice(["female", "male"], n),
            "ringed": rng.random(n) < 0.5,
        }
    )
    frame = frame.astype({"ringed": object})
    for name, share in (("bill_length", 0.1), ("mass", 0.05), ("island", 0.1), ("ringed", 0.1)):
        frame.loc[rng.random(n) < share, name] = None
    frame.loc[is_adelie & (rng.random(n) < 0.5), "sex"] = None
    return frame, species


@pytest.fixture(scope="module")
def model():
    """Return the pipeline fitted to penguins."""
    return make_table_classifier(MOCTSVMClassifier(2, c1=10.0, max_iter=5)).fit(*penguins(120, 0))


def test_it_is_as_accurate_as_one_hot_and_the_bare_classifier(model):
    """Missing cells filled as is usual, categories one by one; on rows that neither has seen."""
    numbers, categories = ["bill_length", "mass"], ["island", "sex", "ringed"]
    usual = make_pipeline(
        make_column_transformer(
            (SimpleImputer(strategy="median"), numbers),
            (make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder()), categories),
        ),
        clone(model[-1]),
    )
    train, y = penguins(120, 0)
    test, labels = penguins(1000, 1)
    typed = [
        frame.astype({"mass": float}).astype(dict.fromkeys(categories, str))
        for frame in (train, test)
    ]
    assert model.score(test, labels) >= usual.fit(typed[0], y).score(typed[1], labels)


@every_runner
def test_exports_agree_on_raw_rows(run, model):
    """Text, booleans and missing cells as they are in the table."""
    rows, _ = penguins(300, 2)
    rows = rows[[column.name for column in model.encoding_.columns]]
    assert rows.isna().any().all()
    rows = rows.astype(object).where(rows.notna(), None)
    labels, shares = run(model, rows)
    assert labels == model.predict(rows).tolist()
    np.testing.assert_allclose(shares, model.predict_proba(rows), rtol=0, atol=1e-12)


@pytest.mark.parametrize("cell", ["1_000", "3\t", "\u0663", "NAN", "1e999", "red", True])
def test_python_refuses_what_predict_refuses(cell):
    """Also what Python itself would read as a number."""
    table = pd.DataFrame({"n": [1.0, 2.0, 3.0, 5.0]})
    model = make_table_classifier(CARTClassifier(1)).fit(table, ["a", "a", "b", "b"])
    module = {}
    exec(to_python(model), module)
    for predict in (
        lambda row: model.predict(pd.DataFrame([row], dtype=object)),
        module["predict"],
    ):
        with pytest.raises(ValueError, match="'n'"):
            predict({"n": cell})
    assert module["predict"]({"n": " +3e0 "}) == "b"


def test_people_read_of_columns(model):
    """Rules, graph and picture say which category adds how much."""
    for text in (export_text(model), export_dot(model)):
        assert " if island is " in text
        assert " if sex is missing" in text
    names = named(model)
    drawing = _Drawing(names, max_terms=9, has_margins=True)
    assert {drawing._words(j)[:3] for j in names.conditions} == {"if "}
    assert plot_tree(model).patches
    rows, labels = penguins(40, 3)
    ax = plot_partition(model, rows, labels, features=("bill_length", "mass"))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("bill_length", "mass")
    assert "island is Dream" in model.report(rows, labels).html
    assert model._repr_mimebundle_()["text/html"].startswith("<iframe")


def test_a_single_condition_is_a_question():
    """Without a threshold that would mean nothing."""
    model = make_table_classifier(CARTClassifier(1)).fit([["x"], ["x"], ["y"], ["y"]], [0, 0, 1, 1])
    assert export_text(model).startswith("[1] x0 is y ?\n├── yes: [3] 1")


def test_names_are_those_of_the_table(model):
    """Other names for columns would be lost on raw rows."""
    for export in (to_python, lambda m, feature_names: to_sql(m, column_names=feature_names)):
        with pytest.raises(InvalidInputError, match="found by name"):
            export(model, feature_names=["a"] * model.tree_.n_features)


def test_onnx_says_what_its_numbers_mean(model):
    """It takes the matrix, whose columns have the features as names."""
    (entry,) = to_onnx(model).metadata_props
    assert json.loads(entry.value) == model[0].get_feature_names_out().tolist()


def test_it_is_a_pipeline_like_any_other(model):
    """It is cloned, pickled and searched over, and its labels are those of its tree."""
    assert isinstance(model, Pipeline)
    rows, labels = penguins(60, 4)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.predict(rows), model.predict(rows))
    assert not hasattr(clone(model)[-1], "result_")
    grid = {"table__max_levels": [2, 20], "classifier__max_depth": [2, 3]}
    search = GridSearchCV(make_table_classifier(CARTClassifier()), grid, cv=2, error_score="raise")
    search.fit(rows, labels)
    assert search.best_score_ > 0.5
    assert type(make_table_classifier()[-1]) is MOCTSVMClassifier


def test_a_model_file_carries_the_table(model):
    """It is what the schema says, and what is read predicts the same on raw rows."""
    content = to_json(model)
    Draft202012Validator(SCHEMA).validate(json.loads(content))
    again = from_json(content)
    assert to_json(again) == content
    assert again.encoding_ == model.encoding_
    rows, _ = penguins(100, 5)
    np.testing.assert_array_equal(again.predict_proba(rows), model.predict_proba(rows))


def test_a_model_that_was_fitted_twice_can_be_saved():
    """First to a frame, then to an array."""
    frame, labels = pd.DataFrame({"a": [0.0, 1.0, 4.0, 5.0]}), list("aabb")
    model = make_table_classifier(MOCTSVMClassifier(max_depth=1))
    model.fit(frame, labels).fit(frame.to_numpy(), labels)
    assert to_json(from_json(to_json(model))) == to_json(model)


def of_table(encoding):
    """Return a model of tables with this encoding, as if it had been fitted."""
    n_features = len(encoding.features)
    rng = np.random.default_rng(n_features)
    tree = ObliqueTree.stump(rng.normal(size=n_features), 0.25, leaf_classes=[0, 1], n_classes=2)
    model = make_table_classifier(fitted(tree, ["left", "right"]))
    encoder = model[0]
    encoder.encoding_ = encoding
    encoder.n_features_in_ = len(encoding.columns)
    encoder.feature_names_in_ = np.array([c.name for c in encoding.columns], dtype=object)
    return model


SMALL = Encoding(
    (
        NumberColumn("n", True, 1.5),
        BooleanColumn("b'", False, 1.0),
        CategoryColumn('k"', True, ("7", "it's"), None, groups_others=True),
        CategoryColumn("l", False, ("x", "y"), "x", groups_others=False),
    ),
    (),
)
CELLS = {
    "n": ["1", " 2.5 ", "-1e1", ".5", "+3", "7.0"],
    "b'": ["true", "FALSE", "1", "0", "1.0", " True "],
    'k"': ["7", "7.0", " 7", "it's", "IT'S", "other", "-0", "é"],
    "l": ["x", "y", " y", "Y"],
}
missing = st.sampled_from([None, "", "  ", "NA", "n/a", "nan", " ? ", "NULL"])


@every_runner
@settings(max_examples=25)
@given(data=st.data())
@pytest.mark.filterwarnings("ignore::margintree.TableWarning")
def test_exports_agree_on_any_text(run, data):
    """However cells are spelt, and whatever is missing: Python and databases read what we read."""
    columns = {
        name: data.draw(st.lists(st.sampled_from(cells) | missing, min_size=4, max_size=4))
        for name, cells in CELLS.items()
    }
    frame = pd.DataFrame(columns, dtype=object)
    model = of_table(SMALL)
    assert run(model, frame)[0] == model.predict(frame).tolist()


@pytest.mark.parametrize(
    ("where", "value", "named"),
    [
        ("table", [], "table must be an object"),
        ("table.params", {"min_share": 2, "max_levels": 1}, "table.params make no sense"),
        ("table.params", {"min_share": 0.1, "max_levels": 1, "x": 1}, "table.params make no sense"),
        ("table.columns", [], "one be used"),
        ("table.names", ["n"], "table.names"),
        ("table.columns.0.kind", "date", r"table.columns\[0\].kind"),
        ("table.columns.0.fill", "inf", r"table.columns\[0\].fill"),
        ("table.columns.0.marks_missing", 1, r"table.columns\[0\].marks_missing"),
        ("table.columns.0.marks_missing", False, "table.columns must make the features"),
        ("table.columns.0.name", "l", "different names"),
        ("table.columns.1.fill", 0.5, "0 or 1"),
        ("table.columns.2.levels", ["7", "7"], r"table.columns\[2\].levels"),
        ("table.columns.2.levels", ["7", "NA"], r"table.columns\[2\].levels"),
        ("table.columns.2.levels", ["7", " a"], r"table.columns\[2\].levels"),
        ("table.columns.3.baseline", "z", r"table.columns\[3\].baseline"),
        ("table.columns.3.levels", ["x"], "must have a feature"),
        ("table.left_out", [{"name": "z"}], r"table.left_out\[0\].reason is missing"),
        ("feature_names", None, "table.columns must make the features"),
    ],
)
def test_nonsense_about_a_table_is_refused_by_name(where, value, named):
    """The message says which entry is wrong."""
    content = json.loads(to_json(of_table(SMALL)))
    with pytest.raises(ModelFileError, match=named):
        from_json(json.dumps(edited(content, where, value)))


@given(data=st.data())
def test_what_the_schema_refuses_of_a_table_is_refused(data):
    """A model with any entry of its table replaced or removed that is still read is as it says."""
    content = json.loads(to_json(of_table(SMALL)))
    check_refusals(data, content, content["table"])


def test_parameters_of_the_encoder_are_checked():
    """As those of a classifier are."""
    for params in ({"min_share": 2}, {"max_levels": 0}):
        with pytest.raises(ValueError, match=next(iter(params))):
            TableEncoder(**params).fit([[1], [2]])


@pytest.mark.parametrize(
    "rows",
    [
        pd.DataFrame({"a": [1.0, 2.0], "b": [1.0, np.nan]}),
        pd.DataFrame({"a": [1.0, 2.0], "b": ["1", "red"]}),
        pd.DataFrame({"a": [1.0, 2.0], "b": [0.0, np.inf]}),
        pd.DataFrame({"a": [1.0, 2.0], "b": [0.0, pd.NA]}, dtype=object),
    ],
)
def test_bare_classifiers_name_the_column_and_this_pipeline(rows):
    """In fit and in predict."""
    named = "column 'b' holds .* in row 2.*make_table_classifier"
    with pytest.raises(InvalidInputError, match=named):
        CARTClassifier().fit(rows, [0, 1])
    classifier = CARTClassifier().fit(rows.assign(b=[0.0, 1.0]), [0, 1])
    with pytest.raises(InvalidInputError, match=named):
        classifier.predict(rows)
