"""What is learnt of every kind of column, and what becomes of its cells."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

from margintree import InvalidInputError, TableWarning
from margintree.data.preprocessing import TableEncoder
from margintree.data.preprocessing.cells import text_of

LABELS = ["a"] * 6 + ["b"] * 6


def learnt(cells, labels=None, **params):
    """Return the names of the features, and the features, of a table of one column."""
    frame = pd.DataFrame({"c": cells})
    encoder = TableEncoder(**params)
    features = encoder.fit(frame, labels).transform(frame)
    return encoder.get_feature_names_out().tolist(), features


def left_out(cells, labels=None, **params):
    """Return why a column is left out of a table in which another one is used."""
    frame = pd.DataFrame({"c": cells, "used": np.arange(len(cells)) % 2})
    encoder = TableEncoder(**params)
    with pytest.warns(TableWarning, match="'c' is left out"):
        encoder.fit(frame, labels)
    (column,) = encoder.encoding_.left_out
    return column.reason


@pytest.mark.parametrize(
    "cells",
    [[1.5, None, 3.0, 2.0], ["1.5", "NA", " 3 ", "+2e0"], pd.array([15, None, 30, 20]) / 10],
)
def test_numbers_are_numbers_however_they_are_kept(cells):
    """A missing one becomes the lower median."""
    names, features = learnt(cells)
    assert names == ["c"]
    np.testing.assert_array_equal(features, [[1.5], [2.0], [3.0], [2.0]])


@pytest.mark.parametrize(
    "cells",
    [[True, False, None, False], ["TRUE", "false", "", "False"], [True, False, "?", "false"]],
)
def test_booleans_are_a_condition(cells):
    """A missing one becomes the more frequent one."""
    names, features = learnt(cells)
    assert names == ["c is true"]
    np.testing.assert_array_equal(features, [[1], [0], [0], [0]])


def test_of_two_categories_one_gets_a_feature():
    """The less frequent one; a missing cell is none."""
    names, features = learnt(["f", "m", "m", "f", "f", None])
    assert names == ["c is m"]
    assert features.ravel().tolist() == [0, 1, 1, 0, 0, 0]


def test_rare_categories_are_one():
    """Those of a single row, and those beyond the most that are told apart."""
    cells = ["x", "x", "x", "y", "y", "z", "z", "u", "v"]
    assert learnt(cells)[0] == ["c is x", "c is y", "c is z", "c is another"]
    assert learnt(cells, max_levels=2)[0] == ["c is x", "c is y", "c is another"]
    names, features = learnt(["x", "x", "x", "u", "v"])
    assert names == ["c is other than x"]
    assert features.ravel().tolist() == [0, 0, 0, 1, 1]


def test_numbers_can_be_categories():
    """Where the frame says so; a float that is whole is the same as the integer."""
    frame = pd.DataFrame({"c": pd.Categorical([1, 2, 3, 1, 2, 3])})
    encoder = TableEncoder().fit(frame)
    assert encoder.get_feature_names_out().tolist() == ["c is 1", "c is 2", "c is 3"]
    again = encoder.transform(pd.DataFrame({"c": [2.0, None]}))
    np.testing.assert_array_equal(again, [[0, 1, 0], [0, 0, 0]])


@pytest.mark.parametrize("cells", [[1.0, 2.0] * 6, ["x", "y"] * 6, [True, False] * 6])
def test_missing_is_a_feature_where_it_says_something(cells):
    """Missing in one class only, and missing anywhere."""
    informative = [
        None if label == "a" else cell for cell, label in zip(cells, LABELS, strict=True)
    ]
    assert learnt(informative, LABELS)[0][-1] == "c is missing"
    anywhere = [None if i % 6 < 2 else cell for i, cell in enumerate(cells)]
    assert learnt(anywhere, LABELS)[0][-1] != "c is missing"
    assert learnt(informative)[0][-1] != "c is missing"


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        ([2.5] * 8, "all its cells say 2.5"),
        (["x"] * 8, "all its cells say 'x'"),
        ([True] * 8, "all its cells say true"),
        ([None] * 8, "all its cells are missing"),
        (["x", None] * 4, "all its cells say 'x'"),
        ([*range(1, 31)], "it numbers the rows, from 1 to 30"),
        ([f"key {i}" for i in range(8)], "like an identifier, with 8 different texts"),
        ([f"2024-01-{i + 1:02d}" for i in range(8)], "it holds dates such as '2024-01-01': write"),
        (
            [f"2024-01-0{i + 1}" for i in range(4)] + [f"1/{i + 1}/24" for i in range(4)],
            "it holds dates such as '1/1/24' and '2024-01-01': write all of them in a file like",
        ),
        ([f"${i}" for i in range(4)] + [f"{i} USD" for i in range(4)], "'$0' and '0 USD': write"),
        (
            [f"{i}.5 kg" for i in range(8)],
            "it holds amounts such as '0.5 kg': write them as numbers",
        ),
        (["1", "2", "3", "4", "5", "six"], "mixes numbers with text such as 'six'"),
        ([f"{i}" for i in range(99)] + ["x", "y"], "mixes numbers"),
    ],
)
def test_columns_that_say_nothing_are_left_out(cells, reason):
    """With a warning that says why."""
    assert reason in left_out(cells)


def test_a_constant_column_is_used_where_missing_says_something():
    """It is not the same everywhere then."""
    for constant in (2.5, "x", True):
        cells = [None if label == "a" else constant for label in LABELS]
        assert learnt(cells, LABELS)[0][-1] == "c is missing"


def test_a_column_of_numbers_and_text_is_pointed_out():
    """It is taken as categories, which is hardly what was meant."""
    with pytest.warns(
        TableWarning, match=r"'c' is taken as categories: 4 of its 6.*'old' \(row 5\)"
    ):
        learnt(["1", "1", "2", "2", "old", "old"])


def test_categories_that_differ_in_capitals_only_are_pointed_out():
    """They count as two, which is hardly what was meant; different words are fine."""
    with pytest.warns(TableWarning, match="'c' has the categories 'Yes' and 'yes', which"):
        learnt(["yes", "Yes", "no", "no", "Yes", "yes"])
    with pytest.warns(TableWarning, match="'NO', 'No' and 'no', which count as 3. Write"):
        learnt(["NO", "No", "no", "NO", "No", "no"])
    with pytest.warns(TableWarning, match="'New  York' and 'new york'"):
        learnt(["new york", "New  York", "no", "no", "New  York", "new york"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        learnt(["yes", "no", "yes", "no", "yes", "no"])


def test_a_table_without_a_column_to_learn_from_is_refused():
    """The message names every column and its reason."""
    with (
        pytest.warns(TableWarning),
        pytest.raises(
            InvalidInputError, match="'x': all its cells say 1; 'y': all its cells are mis"
        ),
    ):
        TableEncoder().fit(pd.DataFrame({"x": [1, 1], "y": [None, None]}))


@pytest.mark.parametrize(
    ("table", "labels", "named"),
    [
        ([], None, r"list of shape \(0,\)"),
        ([[], []], None, "0 rows and 0 columns"),
        ([1, 2], None, r"list of shape \(2,\)"),
        ([[1, 2], [3]], None, "rows of equal length"),
        ([[1], [2]], ["a"], "2 rows and 1 labels"),
        ([[1.0], [np.inf]], None, "row 2, column 'x0': a finite number"),
        ([["1"], ["-Infinity"]], None, "row 2, column 'x0': a finite number"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), None, "'a' appears more than once"),
    ],
)
def test_what_is_no_table_is_refused(table, labels, named):
    """With what is wrong and what to do."""
    with pytest.raises(InvalidInputError, match=named):
        TableEncoder().fit(table, labels)


def test_columns_are_found_by_name_or_by_position():
    """In a frame by name, whatever their order, and in an array by position."""
    frame = pd.DataFrame({"a": [1, 2, 5], "b": [3, 3, 7]})
    encoder = TableEncoder().fit(frame)
    turned = encoder.transform(frame[["b", "a"]].assign(c="x"))
    np.testing.assert_array_equal(turned, frame.to_numpy())
    with pytest.raises(InvalidInputError, match="no column 'b'"):
        encoder.transform(frame[["a"]])
    by_position = TableEncoder().fit(frame.to_numpy())
    np.testing.assert_array_equal(by_position.transform(frame.to_numpy()), frame.to_numpy())
    with pytest.raises(InvalidInputError, match="2 cells, as in fit; they have 3"):
        by_position.transform(np.ones((2, 3)))
    with pytest.raises(NotFittedError):
        TableEncoder().transform(frame)


def test_fitting_again_forgets_the_names_of_before():
    """An array after a frame has no names."""
    frame = pd.DataFrame({"a": [1, 2, 5], "b": [3, 3, 7]})
    encoder = TableEncoder().fit(frame).fit(frame.to_numpy())
    assert not hasattr(encoder, "feature_names_in_")
    np.testing.assert_array_equal(encoder.transform(frame.to_numpy()), frame.to_numpy())


def test_polars_is_the_same_as_pandas():
    """Types, missing cells and categories."""
    columns = {"n": [1, None, 3, 5], "t": ["x", "y", None, "x"], "b": [True, None, False, True]}
    frame = pl.DataFrame(columns).with_columns(pl.col("t").cast(pl.Categorical).alias("k"))
    other = pd.DataFrame({name: frame[name].to_list() for name in frame.columns})
    encoders = [TableEncoder().fit(table) for table in (frame, other)]
    assert encoders[0].encoding_ == encoders[1].encoding_
    np.testing.assert_array_equal(encoders[0].transform(frame), encoders[1].transform(other))


def test_unseen_categories_are_said_where_all_were_known():
    """They count as none of the levels, or as one of the others."""
    known = TableEncoder().fit([["x"], ["x"], ["y"], ["y"], ["z"], ["z"]])
    with pytest.warns(TableWarning, match="'x0' has 2 cells with categories.*'new'"):
        assert not known.transform([["new"], ["new"]]).any()
    others = TableEncoder().fit([["x"], ["x"], ["y"], ["y"], ["z"]])
    assert others.transform([["new"]]).tolist() == [[0, 0, 1]]


cells = st.none() | st.booleans() | st.integers(-3, 3) | st.floats(width=16) | st.text(max_size=3)


@given(st.lists(st.tuples(cells, cells), min_size=1, max_size=12), st.data())
def test_any_table_is_encoded_or_refused(rows, data):
    """Features are finite numbers, one column per name, and new rows get them too."""
    labels = data.draw(st.lists(st.sampled_from("ab"), min_size=len(rows), max_size=len(rows)))
    new = data.draw(st.lists(st.tuples(cells, cells), min_size=1, max_size=3))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TableWarning)
        try:
            encoder = TableEncoder().fit(rows, labels)
        except InvalidInputError:
            return
        features = encoder.transform(rows)
        assert features.shape == (len(rows), len(encoder.get_feature_names_out()))
        assert np.isfinite(features).all()
        try:
            features = encoder.transform(new)
        except InvalidInputError:
            return
        assert np.isfinite(features).all()


@given(st.text(max_size=4))
def test_the_text_of_a_text_is_itself(text):
    """What is compared with the levels is the same however often it is read."""
    assert text_of(text_of(text)) == text_of(text)
