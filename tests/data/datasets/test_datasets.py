"""The data sets of the study: where they come from, and that they are the right ones."""

import csv
import gzip
import hashlib
import json

import numpy as np
import pytest

from margintree._lib.exceptions import InvalidInputError, MissingDataError
from margintree.data.datasets import CATALOGUE, DATA_VARIABLE, data_folder, load, place_of

HERE = [name for name, entry in CATALOGUE.items() if entry.origin not in ("OpenML", "")]
EXACT = [name for name in HERE if name not in ("iris", "wine")]


@pytest.fixture(autouse=True)
def no_data_folder(monkeypatch):
    monkeypatch.delenv(DATA_VARIABLE, raising=False)


def rows_of(data):
    """Return the rows of a data set as text, sorted."""
    return sorted((*map(str, x), str(label)) for x, label in zip(data.X, data.y, strict=True))


@pytest.mark.parametrize("name", HERE)
def test_sets_that_need_no_network(name):
    """One name per feature, one label of text per row, and the size that is known."""
    data, entry = load(name), CATALOGUE[name]
    assert data.X.shape == (entry.n_rows, entry.n_features)
    assert len({*data.feature_names}) == entry.n_features
    assert data.y.dtype.kind == "U"
    assert len({*data.y}) == entry.n_classes


@pytest.mark.parametrize("name", EXACT)
def test_bundled_and_made_sets_equal_those_of_the_study(name, shared_data):
    """Row by row, in whatever order, labels included."""
    assert rows_of(load(name)) == rows_of(load(name, shared_data))


def test_wine_of_scikit_learn_equals_that_of_the_study(shared_data):
    """In the same order; iris differs in the three cells that scikit-learn corrected."""
    ours, theirs = load("wine"), load("wine", shared_data)
    assert np.array_equal(ours.X, theirs.X)
    assert np.array_equal(*(np.unique(d.y, return_inverse=True)[1] for d in (ours, theirs)))
    assert (load("iris").X != load("iris", shared_data).X).sum() == 3


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_set_can_come_from_the_data_folder(name, shared_data, monkeypatch):
    """Given as an argument or by the environment; heart alone has missing cells, 781 of them."""
    data = load(name, shared_data)
    assert np.isnan(data.X).sum() == (781 if name == "heart" else 0)
    monkeypatch.setenv(DATA_VARIABLE, str(shared_data))
    assert data_folder() == shared_data
    assert np.array_equal(load(name).X, data.X, equal_nan=True)
    assert place_of(name) == str(shared_data / f"{name}.csv")


def test_a_set_from_nowhere_is_missing():
    """The message says what to do."""
    with pytest.raises(MissingDataError, match="into a folder and name that"):
        load("parkinson")


def test_a_set_that_cannot_be_fetched_is_missing(monkeypatch, tmp_path):
    """Without a network, and nothing in scikit-learn's cache."""
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")  # nobody listens there
    with pytest.raises(MissingDataError, match="could not be fetched from OpenML"):
        load("seeds")


def test_a_set_from_openml_is_decoded_and_checked(monkeypatch, tmp_path, shared_data):
    """From the cache of scikit-learn: nominal columns get their numbers back."""
    data = load("australian", shared_data)
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))
    put_into_openml_cache(tmp_path, 40981, data, nominal=5)
    fetched = load("australian")
    assert np.array_equal(fetched.X, data.X)
    assert np.array_equal(fetched.y, data.y)


def put_into_openml_cache(home, number, data, nominal):
    """Lay down what OpenML answers, one column being nominal, its values in no order."""
    values = sorted({f"{value:g}" for value in data.X[:, nominal]}, reverse=True)
    kinds = ["REAL"] * data.X.shape[1]
    kinds[nominal] = "{" + ",".join(values) + "}"
    lines = ["@RELATION set"]
    lines += [f"@ATTRIBUTE {n} {k}" for n, k in zip(data.feature_names, kinds, strict=True)]
    lines += ["@ATTRIBUTE class {0,1}", "@DATA"]
    for x, label in zip(data.X, data.y, strict=True):
        cells = [f"{value:g}" if j == nominal else repr(float(value)) for j, value in enumerate(x)]
        lines.append(",".join([*cells, label]))
    arff = "\n".join(lines).encode()
    about = {"id": str(number), "name": "set", "version": "1", "format": "ARFF",
             "status": "active", "description": "", "file_id": "1",
             "md5_checksum": hashlib.md5(arff).hexdigest(), "default_target_attribute": "class",
             "url": "https://www.openml.org/data/v1/download/1/set.arff"}  # fmt: skip
    features = [
        {"index": str(j), "name": name, "is_target": str(name == "class").lower(),
         "data_type": "nominal" if name == "class" or j == nominal else "numeric",
         "is_ignore": "false", "is_row_identifier": "false", "number_of_missing_values": "0"}
        for j, name in enumerate([*data.feature_names, "class"])
    ]  # fmt: skip
    answers = {
        f"api/v1/json/data/{number}": json.dumps({"data_set_description": about}),
        f"api/v1/json/data/features/{number}": json.dumps({"data_features": {"feature": features}}),
        f"api/v1/json/data/qualities/{number}": json.dumps(
            {"data_qualities": {"quality": [{"name": "NumberOfInstances", "value": len(data.y)}]}}
        ),
        "data/v1/download/1/set.arff": arff.decode(),
    }
    for path, text in answers.items():
        file = home / "openml" / "openml.org" / f"{path}.gz"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(gzip.compress(text.encode()))


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("a,b,class\n1,2,x\n", "rows by class"),
        ("a,b,class\n1,two,x\n", "'two'"),
        ("a,b,class\n1,x\n1,2,x\n", "CSV file of numbers"),
        ("", "CSV file of numbers"),
    ],
)
def test_another_file_of_the_same_name_is_refused(text, named, tmp_path):
    """Neither another table nor a broken one is taken for a set of the study."""
    (tmp_path / "wine.csv").write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInputError, match=named):
        load("wine", tmp_path)


def test_missing_cells_where_none_belong_are_refused(tmp_path):
    """The right size is not enough."""
    data = load("zoo")
    with (tmp_path / "zoo.csv").open("w", newline="", encoding="utf-8") as file:
        rows = [["", *x[1:], label] for x, label in zip(data.X, data.y, strict=True)]
        csv.writer(file).writerows([[*data.feature_names, "class"], *rows])
    with pytest.raises(InvalidInputError, match="no missing cell"):
        load("zoo", tmp_path)


def test_an_unknown_name_or_folder_is_refused(tmp_path):
    """The message lists what there is, or names the folder."""
    with pytest.raises(InvalidInputError, match="iris, parkinson"):
        load("titanic")
    with pytest.raises(InvalidInputError, match="must be an existing folder"):
        load("iris", tmp_path / "missing")
