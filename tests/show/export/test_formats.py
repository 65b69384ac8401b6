"""What is particular to one format: Python, SQL or ONNX."""

import json
import sqlite3
import sys

import numpy as np
import onnx
import pandas as pd
import pytest

from margintree import (
    InvalidInputError,
    MissingPackageError,
    MOCTSVMClassifier,
    ObliqueTree,
    to_onnx,
    to_python,
    to_sql,
)
from models import fitted
from runners import run_onnx

STUMP = ObliqueTree.stump([2.0, -0.5], -1.0, leaf_classes=[0, 1], n_classes=2)
MODEL = fitted(STUMP, ["no", "yes"], ["height", "age"])
EXPORTERS = [to_python, to_sql, to_onnx]


def module_of(model, **options):
    """Return what the generated module defines."""
    module = {}
    exec(to_python(model, **options), module)
    return module


@pytest.mark.parametrize("export", EXPORTERS)
def test_what_cannot_be_exported_is_refused(export):
    """No fit, labels of no plain type, and names that are not unique."""
    with pytest.raises(ValueError, match="not fitted"):
        export(MOCTSVMClassifier())
    with pytest.raises(InvalidInputError, match="Labels can be written"):
        export(fitted(STUMP, np.array([None, "a"], dtype=object)))
    with pytest.raises(InvalidInputError, match="classes must be all different; 'a'"):
        export(STUMP, class_names=["a", "a"])
    with pytest.raises(InvalidInputError, match="features must be all different; 'b'"):
        export(fitted(STUMP, features=["b", "b"]))
    with pytest.raises(InvalidInputError, match="surrogate"):
        export(fitted(STUMP, features=["b", "\ud800"]))
    with pytest.raises(InvalidInputError, match="2 names of classes; 1 were given"):
        export(STUMP, class_names=["a"])


def test_python_functions_take_rows_by_name_and_by_place():
    """Dicts in any order, frames' rows and sequences of any kind of number."""
    predict = module_of(MODEL)["predict"]
    row = pd.Series({"age": 0.3, "other": "x", "height": 0.8})
    rows = [{"age": 0.3, "height": 0.8}, row, (0.8, 0.3), np.float32([0.8, 0.3])]
    assert [predict(row) for row in rows] == ["yes"] * 4


def test_python_functions_refuse_what_predict_refuses():
    """Missing and infinite values, and rows of another length."""
    predict = module_of(MODEL)["predict"]
    for bad in (float("nan"), float("inf"), -float("inf")):
        with pytest.raises(ValueError, match="'age' must be a finite number"):
            predict([0.5, bad])
    with pytest.raises(ValueError, match="2 values; it has 3"):
        predict([1, 2, 3])
    with pytest.raises(KeyError, match="age"):
        predict({"height": 1.0})


def test_python_functions_can_be_named():
    """Both follow the name."""
    module = module_of(MODEL, function_name="species")
    assert module["species"]([0.8, 0.3]) == "yes"
    assert module["species_proba"]([0.8, 0.3]) == {"no": 0.0, "yes": 1.0}


@pytest.mark.parametrize("name", ["", "1a", "a b", "class", "_leaf", "zip", "a():\n  pass\ndef b"])
def test_python_functions_need_a_name_of_their_own(name):
    """What is no name, or taken, is refused."""
    with pytest.raises(InvalidInputError, match="function_name"):
        to_python(MODEL, name)


def sqlite(query):
    connection = sqlite3.connect(":memory:")
    connection.executescript("CREATE TABLE t (height, age); INSERT INTO t VALUES (1, 0), (NULL, 0)")
    rows = connection.execute(query).fetchall()
    connection.close()
    return [row[0] for row in rows]


def test_sql_is_null_where_a_column_is():
    """A missing value has no label and no share."""
    assert sqlite(f"SELECT {to_sql(MODEL)} FROM t") == ["yes", None]
    assert sqlite(f"SELECT {to_sql(MODEL, share_of='yes')} FROM t") == [1.0, None]


def test_sql_needs_only_the_columns_that_matter():
    """A feature that no split uses is not asked for, and a tree without splits asks for none."""
    tree = ObliqueTree.stump([2.0, 0.0], -1.0, leaf_classes=[0, 1], n_classes=2)
    assert sqlite(f"SELECT {to_sql(tree, column_names=['age', 'gone'])} FROM t") == [0, 0]
    assert to_sql(ObliqueTree.leaf(2, 1, 2, label=1), class_names=["it's", "it''s"]) == "'it''''s'"


def test_sql_names_a_table_so_that_a_missing_column_is_an_error():
    """SQLite takes an unknown name in double quotes for a text, but not behind a table."""
    with pytest.raises(sqlite3.OperationalError, match="no such column"):
        sqlite(f"SELECT {to_sql(STUMP, table_name='t')} FROM t")


def test_sql_refuses_what_it_cannot_say():
    """A class that is not there, and the zero character, at which a query would end."""
    with pytest.raises(InvalidInputError, match=r"share_of must be one of .*'maybe' was given"):
        to_sql(MODEL, share_of="maybe")
    with pytest.raises(InvalidInputError, match="2 names of features; 3 were given"):
        to_sql(MODEL, column_names=["a", "b", "c"])
    with pytest.raises(InvalidInputError, match="zero character"):
        to_sql(MODEL, column_names=["a\0b", "c"])
    with pytest.raises(InvalidInputError, match="zero character"):
        to_sql(STUMP, class_names=["a\0b", "c"])


def test_onnx_models_are_sound():
    """The checker of ONNX accepts them, shapes included, and the names are in the metadata."""
    model = to_onnx(MODEL)
    onnx.checker.check_model(model, full_check=True)
    assert [(p.key, json.loads(p.value)) for p in model.metadata_props] == [
        ("feature_names", ["height", "age"])
    ]


@pytest.mark.parametrize("n_rows", [0, 1])
def test_onnx_models_take_any_number_of_rows(n_rows):
    """Also none."""
    labels, shares = run_onnx(MODEL, pd.DataFrame(np.ones((n_rows, 2))))
    assert labels == ["yes"] * n_rows
    assert shares.shape == (n_rows, 2)


@pytest.mark.parametrize("classes", [["a", "b"], [3, -7], [0.5, 1.5], [False, True]])
def test_onnx_labels_have_the_type_of_the_labels(classes):
    """Text, integers, floats and booleans."""
    labels, _ = run_onnx(fitted(STUMP, classes), pd.DataFrame([[0.0, 0.0], [1.0, 0.0]]))
    assert labels == classes
    assert [type(label) for label in labels] == [type(label) for label in classes]


@pytest.mark.parametrize("classes", [[2**63, 2**64 - 1], [-1, 2**63], [0, 2**70]])
def test_onnx_labels_have_64_bits(classes):
    """Larger integers are refused, and the message says what to do."""
    with pytest.raises(InvalidInputError, match=rf"{classes[1]} was given. Name .* class_names"):
        to_onnx(STUMP, class_names=np.array(classes, dtype=object))


def test_onnx_is_asked_for_when_it_is_missing(monkeypatch):
    """The message is the command that helps."""
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(MissingPackageError, match=r"pip install 'margintree\[onnx\]'"):
        to_onnx(MODEL)
